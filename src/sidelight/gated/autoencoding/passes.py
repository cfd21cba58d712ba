"""From outputs to codes and back, given inputs (6.3), (6.4).

z_k = Σ_ij A_ijk x_i y_j + Σ_j A_jk y_j + Σ_i A_ik x_i + a_k,
ŷ_j = Σ_ik W_ikj x_i z_k + Σ_k W_kj z_k + Σ_i W_ij x_i + b_j,
and between them, where the encoder is deeper, layers of tanh units, mirrored in the decoder.  By
name the weights are "xyh", "yh", "xh", "h" on the way in, "xhy", "hy", "xy", "y" on the way out,
"down n" and "up n" with their shifts between, "xg" and "g" of a guess, and those of a premapping.
Where inputs gate nothing, "xyh", "xh", "xhy" and "xy" are absent.
"""

from __future__ import annotations

import torch

from sidelight.gated.premapping import Weights, premapped
from sidelight.gated.units import Tensor, Units


def encoded(weights: Weights, x: Tensor, y: Tensor, code: str) -> Tensor:
    """The code z of outputs, given inputs."""
    h = y @ weights["yh"] + weights["h"]
    if "xyh" in weights:
        x = premapped(weights, x)
        h = h + x @ weights["xh"] + _gated(weights["xyh"], x, y)
    for n in range(_depth(weights)):
        h = torch.tanh(h) @ weights[f"down {n}"] + weights[f"down shift {n}"]
    return torch.tanh(h) if code == "tanh" else h


def decoded(weights: Weights, x: Tensor, z: Tensor) -> Tensor:
    """What a code says of outputs, given inputs: a, of which ŷ is the mean."""
    h = z
    for n in reversed(range(_depth(weights))):
        h = torch.tanh(h @ weights[f"up {n}"] + weights[f"up shift {n}"])
    a = h @ weights["hy"] + weights["y"]
    if "xhy" in weights:
        x = premapped(weights, x)
        a = a + x @ weights["xy"] + _gated(weights["xhy"], x, h)
    return a


def guessed(weights: Weights, x: Tensor) -> Tensor:
    """What inputs by themselves say of outputs: a, of which the guess is the mean."""
    return premapped(weights, x) @ weights["xg"] + weights["g"]


def mean_of(units: Units, a: Tensor) -> Tensor:
    """The outputs that are expected."""
    return units.mean(a, torch.zeros_like(a))


def surprise(units: Units, a: Tensor, y: Tensor) -> Tensor:
    """−log p(y | a), the mean of rows: squared error of Gaussian outputs, else cross-entropy."""
    none = torch.zeros_like(a)
    told = units.base(y, none) + (a * units.statistic(y)).sum(-1)
    return (units.log_sum(a, none) - told).mean()


def _gated(W: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Σ_ij W_ijk x_i y_j, whichever way makes the smallest table of a row on the way."""
    I, J, K = W.shape
    least = min(I * J, I * K, J * K)
    if least == I * J:
        return (x.unsqueeze(2) * y.unsqueeze(1)).flatten(1) @ W.flatten(0, 1)
    if least == I * K:
        return torch.einsum("ni,ink->nk", x, y @ W)
    filters = (x @ W.flatten(1)).unflatten(1, (J, K))
    return (y.unsqueeze(1) @ filters)[:, 0]


def _depth(weights: Weights) -> int:
    return sum(name.startswith("down shift") for name in weights)
