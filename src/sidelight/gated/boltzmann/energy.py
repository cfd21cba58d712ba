"""The score of outputs and mapping units, given an input, and what it sums to (5.1), (5.7), (5.10).

S(y, z; x) = Σ W_ijk x_i f_j z_k + Σ W^xz_ik x_i z_k + Σ W^yz_jk f_j z_k + Σ W^z_k z_k + h(y, b),
with b = W^y + W^xyᵀx; f(y) and h(y, b), Σ b_j y_j of binary outputs, are those of the units.
An input folded into the weights leaves a restricted Boltzmann machine of its own.

By name the weights are "xyz" or its factors "xf", "yf", "zf"; "xy", "xz", "yz", "y", "z"; and those
of a premapping.  Axes: (inputs, outputs of each input, units), so that one input may meet several
outputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import torch

from sidelight.gated.premapping import Weights, premapped
from sidelight.gated.units import Tensor, Units


class Coupling(Protocol):
    """Ŵ_jk(x) between the statistics of outputs and the mapping units."""

    def onto_mapping(self, f: Tensor) -> Tensor:
        """Σ_j f_j Ŵ_jk."""
        ...

    def onto_output(self, z: Tensor) -> Tensor:
        """Σ_k Ŵ_jk z_k."""
        ...

    def times(self, beta: float) -> Coupling:
        """β Ŵ."""
        ...

    def take(self, rows: Tensor) -> Coupling:
        """That of some inputs."""
        ...


@dataclass(frozen=True)
class Filters:
    """Ŵ_jk = Σ_i W_ijk x_i + W^yz_jk, written out: (inputs, outputs, mapping units)."""

    filters: Tensor

    def onto_mapping(self, f: Tensor) -> Tensor:
        """Σ_j f_j Ŵ_jk."""
        return f @ self.filters

    def onto_output(self, z: Tensor) -> Tensor:
        """Σ_k Ŵ_jk z_k."""
        return z @ self.filters.transpose(-1, -2)

    def times(self, beta: float) -> Filters:
        """β Ŵ."""
        return Filters(beta * self.filters)

    def take(self, rows: Tensor) -> Filters:
        """Those of some inputs."""
        return Filters(self.filters[rows])


@dataclass(frozen=True)
class Factors:
    """Ŵ_jk = Σ_f g_f Y_jf Z_kf + W^yz_jk with g = Xᵀx, never written out: W of rank n_factors."""

    g: Tensor
    outputs: Tensor
    mappings: Tensor
    plain: Tensor

    def onto_mapping(self, f: Tensor) -> Tensor:
        """Σ_j f_j Ŵ_jk."""
        return ((f @ self.outputs) * self.g) @ self.mappings.T + f @ self.plain

    def onto_output(self, z: Tensor) -> Tensor:
        """Σ_k Ŵ_jk z_k."""
        return ((z @ self.mappings) * self.g) @ self.outputs.T + z @ self.plain.T

    def times(self, beta: float) -> Factors:
        """β Ŵ."""
        return replace(self, g=beta * self.g, plain=beta * self.plain)

    def take(self, rows: Tensor) -> Factors:
        """Those of some inputs."""
        return replace(self, g=self.g[rows])


@dataclass(frozen=True)
class Folded:
    """The restricted Boltzmann machine that an input makes, one of each input (5.10).

    Parameters
    ----------
    units : Units
        What the outputs are.
    coupling : Coupling
        Ŵ(x).
    b, c : Tensor of shape (inputs, 1, outputs), (inputs, 1, mapping units)
        W^y + W^xyᵀx and W^z + W^xzᵀx.
    """

    units: Units
    coupling: Coupling
    b: Tensor
    c: Tensor

    def take(self, rows: Tensor) -> Folded:
        """The machines of some inputs, also of one several times."""
        return Folded(self.units, self.coupling.take(rows), self.b[rows], self.c[rows])

    def onto_mapping(self, y: Tensor) -> Tensor:
        """Σ_j f_j(y) Ŵ_jk + c_k, what mapping units are told by an output."""
        return self.coupling.onto_mapping(self.units.statistic(y)) + self.c

    def onto_output(self, z: Tensor) -> Tensor:
        """a = Ŵz, what outputs are told by mapping units."""
        return self.coupling.onto_output(z)

    def score(self, y: Tensor, z: Tensor) -> Tensor:
        """S(y, z; x)."""
        return self.units.base(y, self.b) + (self.onto_mapping(y) * z).sum(-1)

    def free_energy(self, y: Tensor) -> Tensor:
        """F(y; x) = −log Σ_z e^S = −h(y, b) − Σ_k log(1 + e^{Σ_j f_j Ŵ_jk + c_k})."""
        told = torch.nn.functional.softplus(self.onto_mapping(y)).sum(-1)
        return -(self.units.base(y, self.b) + told)

    def log_weight(self, z: Tensor) -> Tensor:
        """log Σ_y e^S, of a state of the mapping units."""
        return self.units.log_sum(self.onto_output(z), self.b) + (self.c * z).sum(-1)


def fold(weights: Weights, units: Units, x: Tensor) -> Folded:
    """The machine of every row of x."""
    x = premapped(weights, x)
    b = torch.addmm(weights["y"], x, weights["xy"]).unsqueeze(1)
    c = torch.addmm(weights["z"], x, weights["xz"]).unsqueeze(1)
    coupling: Coupling
    if "xyz" in weights:
        W = weights["xyz"]
        filters = torch.addmm(weights["yz"].flatten(), x, W.flatten(1))
        coupling = Filters(filters.unflatten(1, W.shape[1:]))
    else:
        g = (x @ weights["xf"]).unsqueeze(1)
        coupling = Factors(g, weights["yf"], weights["zf"], weights["yz"])
    return Folded(units, coupling, b, c)


def three_way(weights: Weights) -> Tensor:
    """W_ijk, of factors Σ_f X_if Y_jf Z_kf."""
    if "xyz" in weights:
        return weights["xyz"]
    return torch.einsum("if,jf,kf->ijk", weights["xf"], weights["yf"], weights["zf"])
