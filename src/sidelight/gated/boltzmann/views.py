"""What a machine has learned, seen from an input: its filters, and where everything goes (§5.2)."""

from __future__ import annotations

import numpy as np
import torch

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.gated.boltzmann.energy import three_way
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.premapping import premapped
from sidelight.gated.rows import array_of, in_double
from sidelight.gated.units import Tensor


def filters_of(X: FloatArray, machine: Machine) -> FloatArray:
    """Ŵ_jk = Σ_i W_ijk x_i + W^yz_jk (5.10), of every input."""
    weights, found = machine.tensors(), np.empty((len(X), machine.n_outputs, machine.n_mappings))
    each, factors = machine.n_outputs * machine.n_mappings, "xf" in weights
    between = weights["xf"].shape[1] * machine.n_outputs if factors else 0
    with torch.no_grad():
        for rows in row_blocks(len(X), 4.0 * (2 * each + between)):
            x = premapped(weights, machine.inputs(X[rows]))
            if factors:
                terms = (x @ weights["xf"], weights["yf"], weights["zf"])
                W = torch.einsum("nf,jf,kf->njk", *terms)
            else:
                W = torch.einsum("ni,ijk->njk", x, weights["xyz"])
            found[rows] = array_of(W + weights["yz"])
    return found


def strongest_outputs(Z: FloatArray, machine: Machine) -> IntArray:
    """argmax_j Σ_k W_ijk z_k + W^xy_ij: the output that each input connects to the most."""
    weights, found = _of_inputs(machine), np.empty((len(Z), machine.n_inputs), dtype=np.intp)
    each, factors = machine.n_inputs * machine.n_outputs, "xf" in weights
    between = weights["xf"].numel() if factors else 0
    with torch.no_grad():
        for rows in row_blocks(len(Z), 4.0 * (2 * each + between)):
            z = torch.as_tensor(Z[rows], dtype=torch.float32).to(machine.device)
            if factors:
                terms = (z @ weights["zf"], weights["xf"], weights["yf"])
                strength = torch.einsum("nf,if,jf->nij", *terms)
            else:
                strength = torch.einsum("nk,ijk->nij", z, weights["xyz"])
            found[rows] = array_of((strength + weights["xy"]).argmax(-1))
    return found


def basis_flow_of(machine: Machine) -> FloatArray:
    """W_ijk, (mapping units, inputs, outputs): what each unit does to inputs by itself (§5.4.1)."""
    with torch.no_grad():
        return np.asarray(in_double(three_way(_of_inputs(machine)).permute(2, 0, 1)))


def _of_inputs(machine: Machine) -> dict[str, Tensor]:
    """The weights from inputs on; M W where it is features Mᵀx that are connected by W."""
    weights = machine.tensors()
    if "map 0" in weights:
        M = weights["map 0"]
        from_features = [name for name in ("xyz", "xf", "xy") if name in weights]
        weights |= {name: torch.tensordot(M, weights[name], 1) for name in from_features}
    return weights
