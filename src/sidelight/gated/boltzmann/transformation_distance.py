"""How far an output is from what the machine makes of an input: the invariant metric (§5.4.2)."""

from __future__ import annotations

import numpy as np
import torch

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.gated.boltzmann.conditionals import likeliest_output, mapping_given, output_given
from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.boltzmann.machine import Machine
from sidelight.gated.rows import array_of
from sidelight.gated.units import Tensor

#: Infer the mapping units from the pair, apply them to the input, look how far the output is: with
#: expectations in both places, or with the likeliest states.
KINDS = ("mean", "likeliest")


def predicted(folded: Folded, y: Tensor, kind: str) -> Tensor:
    """ŷ: what comes of the inputs by the transformation that leads to y."""
    z = mapping_given(folded, y)
    if kind == "mean":
        return output_given(folded, z)
    return likeliest_output(folded, (z > 0.5).to(z.dtype))


def distance_table(machine: Machine, X: FloatArray, Y: FloatArray, kind: str) -> FloatArray:
    """d(x, y) = ‖y − ŷ‖ of all pairs, (n, m), in the units of y."""
    y = machine.outputs(Y).unsqueeze(0)
    m, J, K = len(Y), machine.n_outputs, machine.n_mappings
    found = np.empty((len(X), m))
    for rows in row_blocks(len(X), 4.0 * (3 * m * J + m * K + 2 * J * K)):
        with torch.no_grad():
            gap = y - predicted(machine.folded(X[rows]), y, kind)
        found[rows] = array_of(torch.linalg.vector_norm(gap, dim=-1))
    return found * machine.output_scale.size


def distances_of_pairs(
    machine: Machine,
    X: FloatArray,
    Y: FloatArray,
    pairs: tuple[IntArray, IntArray],
    kind: str,
) -> FloatArray:
    """d(x_i, y_j) of listed pairs (i, j); what an input makes of the weights is made once."""
    left, right = pairs
    found, order = np.empty(len(left)), np.argsort(left, kind="stable")
    J, K = machine.n_outputs, machine.n_mappings
    for block in row_blocks(len(order), 4.0 * (3 * J + 2 * J * K)):
        some = order[block]
        named, at = np.unique(left[some], return_inverse=True)
        y = machine.outputs(Y[right[some]]).unsqueeze(1)
        each = torch.from_numpy(at.reshape(-1)).to(machine.device)
        with torch.no_grad():
            folded = machine.folded(X[named]).take(each)
            gap = y - predicted(folded, y, kind)
        found[some] = array_of(torch.linalg.vector_norm(gap, dim=-1)[:, 0])
    return found * machine.output_scale.size
