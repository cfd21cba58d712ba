"""What a machine has learned, seen from an input: its filters, and where everything goes (§5.2)."""

from __future__ import annotations

import numpy as np
import torch

from sidelight.core import FloatArray, IntArray
from sidelight.gated.boltzmann.energy import three_way
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.premapping import premapped


def filters_of(X: FloatArray, machine: Machine) -> FloatArray:
    """Ŵ_jk = Σ_i W_ijk x_i + W^yz_jk (5.10), of every input."""
    x, weights = machine.input_scale(X), machine.tensors()
    with torch.no_grad():
        W = torch.einsum("ni,ijk->njk", premapped(weights, x), three_way(weights))
        return np.asarray((W + weights["yz"]).numpy(), dtype=np.float64)


def strongest_outputs(Z: FloatArray, machine: Machine) -> IntArray:
    """argmax_j Σ_k W_ijk z_k + W^xy_ij: the output that each input connects to the most."""
    weights = machine.tensors()
    with torch.no_grad():
        z = torch.as_tensor(Z, dtype=torch.float32)
        strength = torch.einsum("nk,ijk->nij", z, three_way(weights)) + weights["xy"]
        return np.asarray(strength.argmax(-1).numpy(), dtype=np.intp)


def basis_flow_of(machine: Machine) -> FloatArray:
    """W_ijk, (mapping units, inputs, outputs): what each unit does to inputs by itself (§5.4.1)."""
    with torch.no_grad():
        return np.asarray(three_way(machine.tensors()).permute(2, 0, 1).numpy(), dtype=np.float64)
