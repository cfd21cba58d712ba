"""Rows that a path left behind on a line: moved beside those that are like them.

In one dimension latent points cannot go around one another.  A row at the end of a curve, off it by
more than most, may be late, and find the way to its like barred by all that it is unlike: none of
its nearest is near it in the map, and the descent rests there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, comparable, row_blocks
from sidelight.latent.density import DataKernel, kernel_for
from sidelight.latent.information.followed import Followed


@dataclass(frozen=True)
class LeftBehind:
    """Which rows were left behind, and what it must be worth to move them.

    Parameters
    ----------
    nearest : int
        So many rows nearest in the data are looked at.
    far : float
        The nearest of them in the map is farther off than this, with k below exp(−36).  In maps of
        noisy S (draws 300 to 323, and 330 to 337 with twice the noise) that was 3.1 at most, and 14
        and 16 of the two rows that were left behind.
    gain : float
        What the move must bring of the objective, in nats, all rows together: 1.7 and 1.4 there,
        and −1.4 to 0.1 of digits and wines, which are no lines.
    """

    nearest: int = 5
    far: float = 6.0
    gain: float = 0.5


LEFT_BEHIND = LeftBehind()


def rows_left_behind(
    Y: FloatArray, Z: FloatArray, kernel: DataKernel, settings: LeftBehind = LEFT_BEHIND
) -> tuple[IntArray, IntArray]:
    """The rows none of whose nearest is near in the map, and the nearest of each.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.latent.density import GaussianKernel
    >>> Y = np.arange(8.0)[:, None]
    >>> Z = 3 * Y
    >>> Z[0] = 40.0
    >>> rows_left_behind(Y, Z, GaussianKernel(1))
    (array([0]), array([1]))
    """
    n = len(Y)
    order = np.lexsort(Y.T[::-1])  # of rows as far off the first, whatever their order in X
    Y, Z = Y[order], Z[order]
    k = min(settings.nearest, n - 1)
    rows: list[IntArray] = []
    beside: list[IntArray] = []
    for block in row_blocks(n, 24.0 * n, budget=2e8):
        own = np.arange(n)[block]
        apart = comparable(kernel.dissimilarities(Y[block], Y))
        apart[np.arange(len(own)), own] = np.inf
        near = np.argsort(apart, axis=1, kind="stable")[:, :k]
        gaps = np.linalg.norm(Z[near] - Z[block][:, None], axis=2)
        left = gaps.min(axis=1) > settings.far
        rows.append(order[own[left]])
        beside.append(order[near[left, 0]])
    return np.concatenate(rows), np.concatenate(beside)


def with_rows_brought(
    followed: Followed,
    Y: FloatArray,
    model: Any,
    again: Callable[..., Followed],
    settings: LeftBehind = LEFT_BEHIND,
) -> Followed:
    """The end of a path, gone on from with rows that were left behind brought to their like.

    The further step is kept where it tells more.  A path that did not come to rest, one that rows
    held out judged and a single descent are not gone on from; rows left out of their own sums are
    held as if by a stiff spring.
    """
    Z, judged = followed.map.points, "error" in followed.map.facts["path_"]
    alone = model.continuation == "none" or model.leave_one_out
    if not followed.finished or judged or alone or Z.shape[1] > 1:
        return followed
    rows, beside = rows_left_behind(Y, Z, kernel_for(model.kernel, Y), settings)
    if not len(rows):
        return followed
    brought = Z.copy()
    brought[rows] = Z[beside]
    further = again(path=followed.last, at=brought)
    gain = further.map.facts["objective_"] - followed.map.facts["objective_"]
    if not len(Y) * gain > settings.gain:
        return followed
    return replace(
        followed,
        map=followed.gone_on(further.map),
        end=(*followed.end[:2], further.end[2]),
        finished=further.finished,
        interrupted=further.interrupted,
    )
