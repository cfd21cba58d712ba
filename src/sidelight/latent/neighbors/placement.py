"""The place of a new item among points that stay where they are, by whom it picks.

f(y) = Σ_j p_j ‖y − y_j‖² + log(s + Σ_j exp(−‖y − y_j‖²)), s = 1 where the item may pick itself and
0 where it may not: its row of the mismatch.  With s = 0 it is a linear function plus a sum of
exponentials under a logarithm, which is convex; its minimum is where the mean of the points it
picks in the map is that of those it picks in the data.

An item that picks hardly anybody but a corner of the map meets no curvature, and far away the terms
of f cancel to noise: beyond a reach R, the width of the map, the square of what is beyond is added.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.latent.neighbors.choices import Choices
from sidelight.solvers.descent import minimise_rows


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
    reach = float(np.linalg.norm(np.ptp(Y, axis=0)))

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
        curvature = 4 * spread + 2 * alone[:, None, None] * np.eye(d)
        beyond = _beyond(places - start[rows], reach)
        return value + beyond[0], gradient + beyond[1], curvature + beyond[2]

    return minimise_rows(row_mismatch, start)


def _beyond(moved: FloatArray, reach: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """max(‖m‖ − R, 0)², its gradient and its curvature."""
    lengths = np.maximum(np.linalg.norm(moved, axis=1), np.finfo(float).tiny)
    excess = np.maximum(lengths - reach, 0.0)
    outward = moved / lengths[:, None]
    across = (excess / lengths)[:, None, None]
    along = np.where(excess > 0, 1.0, 0.0)[:, None, None] - across
    square = outward[:, :, None] * outward[:, None, :]
    curvature = 2 * (across * np.eye(moved.shape[1]) + along * square)
    return excess**2, 2 * excess[:, None] * outward, curvature
