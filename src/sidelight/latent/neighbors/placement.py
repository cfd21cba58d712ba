"""The place of a new item among points that stay where they are, by whom it picks.

f(y) = Σ_j p_j ‖y − y_j‖² + log(s + Σ_j exp(−‖y − y_j‖²)), s = 1 where the item may pick itself and
0 where it may not: its row of the mismatch.  With s = 0 it is a linear function plus a sum of
exponentials under a logarithm, which is convex; its minimum is where the mean of the points it
picks in the map is that of those it picks in the data.
"""

from __future__ import annotations

import numpy as np

from sidelight.core.arrays import FloatArray, IntArray, row_blocks
from sidelight.latent.neighbors.choices import Choices
from sidelight.solvers.descent.rowwise import minimise_rows


def place_by_choices(choices: Choices, Y: FloatArray) -> FloatArray:
    """Place new items."""
    blocks = row_blocks(len(choices.others), 40.0 * Y.size)
    # with little hope of anybody else, an item starts where those it prefers are
    start = choices.preferences @ Y
    placed = [_place(choices.others[block], choices.itself, Y, start[block]) for block in blocks]
    return np.vstack(placed)


def _place(P: FloatArray, itself: bool, Y: FloatArray, start: FloatArray) -> FloatArray:
    d = Y.shape[1]
    shares = P.sum(axis=1)

    def row_mismatch(
        places: FloatArray, rows: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        away = places[:, None, :] - Y
        squared = np.einsum("mnd,mnd->mn", away, away)
        p = P[rows]
        shift = np.zeros(len(rows)) if itself else squared.min(axis=1)
        E = np.exp(shift[:, None] - squared)
        total = E.sum(axis=1) + (1.0 if itself else 0.0)
        q = E / total[:, None]
        value = np.einsum("mn,mn->m", p, squared) + np.log(total) - shift
        drift = np.einsum("mn,mnd->md", q, away)
        gradient = 2 * (np.einsum("mn,mnd->md", p, away) - drift)
        spread = np.einsum("mn,mnd,mne->mde", q, away, away, optimize=True)
        spread -= drift[:, :, None] * drift[:, None, :]
        alone = np.maximum(shares[rows] - q.sum(axis=1), 0.0) if itself else np.zeros(len(rows))
        return value, gradient, 4 * spread + 2 * alone[:, None, None] * np.eye(d)

    return minimise_rows(row_mismatch, start)
