"""Nearly exact neighbours of many rows: cells, products of matrices, and rounds of descent.

Rows are put into cells of near ones, and every row meets the rows of the cells nearest to its own,
by products of matrices.  Then it meets the neighbours of its neighbours, which are likely its own
[1]_, round after round, until little changes.  What is handed out are true distances, and the same
ones on every processor and for any number of threads.

Rows of many features are compared along a few leading axes.  Where these hold too little of the
variance, cells and neighbours of neighbours tell little too, and an exact search costs no more.

References
----------
.. [1] W. Dong, M. Charikar and K. Li, "Efficient k-nearest neighbor graph construction for generic
   similarity measures", WWW 2011.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import (
    FloatArray,
    IntArray,
    Threads,
    one_blas_thread,
    report,
    require_memory,
    shares,
)
from sidelight.neighbors.search.blocked import exact_nearest, forbid_self
from sidelight.neighbors.search.cells import Cells, cells_of, width_of
from sidelight.neighbors.search.certified import certified_nearest
from sidelight.neighbors.search.leading_axes import LeadingAxes, leading_axes

_LANES = 8


@dataclass(frozen=True)
class ApproximateSearch:
    """How thorough the search is.

    Chosen on deformed digits (benchmarks/deformed_digits.py, seed 1): 70,000 × 50, k = 15, and
    10⁶ × 50, k = 30.

    Parameters
    ----------
    cell : int
        Rows of a cell, about.
    met : int
        Rows that a row meets in the cells nearest to its own, at least.
    spare : int
        Candidates beyond those wanted.
    own, friends : int
        Of whose neighbours a row meets the neighbours: its nearest, and with those whose nearest
        it is.
    settled : float
        Rounds go on until less than this part of the candidates changes,
    rounds : int
        but no longer than this.
    axes : int
        Rows of more features are compared along so many axes until the end,
    spare_along_axes : float
        with so many times the candidates,
    held : float
        if the axes hold at least this share of the variance (0.86 of that of digits).
    exact_up_to : float
        If they do not, products n² p up to which all rows are met: that costs less than to be
        thorough (normal rows of 100 and 300 features, 2,500 to 20,000 of them).
    """

    cell: int = 128
    met: int = 3072
    spare: int = 5
    own: int = 12
    friends: int = 24
    settled: float = 0.02
    rounds: int = 10
    axes: int = 64
    spare_along_axes: float = 2.0
    held: float = 0.8
    exact_up_to: float = 2e12

    @property
    def thorough(self) -> ApproximateSearch:
        """The search of rows that few axes do not tell apart."""
        return replace(self, met=2 * self.met, own=2 * self.own, friends=2 * self.friends, axes=256)


DEFAULT = ApproximateSearch()


def approximate_nearest(
    X: FloatArray,
    n_neighbors: int,
    *,
    threads: int,
    random_state: Any,
    who: str = "nearest_neighbors",
    search: ApproximateSearch = DEFAULT,
) -> tuple[IntArray, FloatArray]:
    """Find nearly all of the nearest others of every row.

    The indices are int32, and the distances have the precision of the rows.
    """
    n_samples, n_features = X.shape
    if n_features <= search.axes:
        return _among(X, X, n_neighbors, search, threads, random_state, who)
    leading = leading_axes(X, search.axes, seed=random_state)
    if leading.share < search.held:
        if float(n_samples) ** 2 * n_features <= search.exact_up_to:
            indices, distances = certified_nearest(X, None, n_neighbors, threads=threads)
            return indices.astype(np.int32), distances.astype(X.dtype)
        search = search.thorough
        if n_features <= 2 * search.axes:
            return _among(X, X, n_neighbors, search, threads, random_state, who)
        leading = leading_axes(X, search.axes, seed=random_state)
    return _among(X, leading, n_neighbors, search, threads, random_state, who)


def _among(
    X: FloatArray,
    compared: FloatArray | LeadingAxes,
    n_neighbors: int,
    search: ApproximateSearch,
    threads: int,
    random_state: Any,
    who: str,
) -> tuple[IntArray, FloatArray]:
    """Search among rows that are compared as they are, or along axes until the end."""
    from sidelight.neighbors.search._approximate_compiled import befriend, improve, write_nearest

    n_samples = X.shape[0]
    projected = isinstance(compared, LeadingAxes)
    factor = search.spare_along_axes if projected else 1.0
    n_listed = min(n_samples - 1, int(factor * n_neighbors) + search.spare)
    n_own = min(search.own, n_listed)
    n_axes = search.axes if projected else 0
    _require_memory(X, n_neighbors, n_listed, n_axes, search, who)
    compared = compared.along(X) if isinstance(compared, LeadingAxes) else compared
    n_shares = 8 * threads  # more than threads: rows take different times
    with Threads(threads) as pool, one_blas_thread():
        cells = cells_of(compared, search.cell, seed=random_state, pool=pool)
        del compared
        lists = (
            np.full((n_samples, n_listed), np.inf, dtype=np.float32),
            np.full((n_samples, n_listed), -1, dtype=np.int32),
            np.zeros((n_samples, n_listed), dtype=np.bool_),
        )
        _meet_near_cells(cells, lists, max(search.met, 4 * n_listed), pool)
        friends = np.empty((n_samples, min(search.friends, 2 * n_own)), dtype=np.int32)
        for round_ in range(search.rounds):
            befriend(lists[1], lists[2], friends, n_own)
            told = (cells.rows, cells.centres, cells.cell_of, friends)
            changes = pool.run(
                [
                    (improve, (*told, share.start, share.stop, *lists))
                    for share in shares(n_samples, n_shares)
                ]
            )
            changed = sum(changes) / lists[1].size
            report("neighbours of neighbours", round_ + 1, None, changed)
            if changed <= search.settled:
                break
        order, candidates = cells.order, lists[1]
        del friends, lists, cells, told
        indices = np.empty((n_samples, n_neighbors), dtype=np.int32)
        distances = np.empty((n_samples, n_neighbors), dtype=X.dtype)
        pool.run(
            [
                (write_nearest, (X, order, candidates, share.start, share.stop, indices, distances))
                for share in shares(n_samples, n_shares)
            ]
        )
    return indices, distances


def _require_memory(
    X: FloatArray,
    n_neighbors: int,
    n_listed: int,
    n_axes: int,
    search: ApproximateSearch,
    who: str,
) -> None:
    a_row = (
        4.0 * (n_axes or width_of(X)) + 8.0 * n_axes + 9.0 * n_listed + 4.0 * search.friends + 16.0
    )
    a_row += (4.0 + X.itemsize) * n_neighbors
    require_memory(
        a_row * X.shape[0],
        what=f"the search for {n_neighbors} neighbours of {X.shape[0]} rows",
        who=who,
        instead="Ask for fewer neighbours, or take a sample of the rows.",
    )


def _meet_near_cells(
    cells: Cells, lists: tuple[FloatArray, IntArray, Any], n_met: int, pool: Threads
) -> None:
    """Begin the lists of all rows with the nearest rows in near cells."""
    n_cells = len(cells.centres)
    # Cells differ in size; and however small they are, they hold enough rows for the lists.
    n_near = int(3.0 * n_met * n_cells / len(cells.rows)) + lists[1].shape[1] + _LANES
    n_near = min(n_near, n_cells - 1)
    near = np.arange(n_cells)[:, None]
    if n_near > 0:
        others, _ = exact_nearest(cells.centres, cells.centres, n_near, forbid=forbid_self)
        near = np.hstack([near, others])
    pool.run(
        [(_meet, (cells, near[cell], n_met, lists)) for cell in range(n_cells)],
        lambda n_done: report("near rows, cell by cell", n_done, n_cells),
    )


def _meet(
    cells: Cells, near: IntArray, n_met: int, lists: tuple[FloatArray, IntArray, Any]
) -> None:
    """Let the rows of a cell meet those of the nearest cells, its own first."""
    from sidelight.neighbors.search._approximate_compiled import begin_lists
    from sidelight.neighbors.search.products._grid_compiled import put_on_grid, smallest_columns

    starts, centres = cells.starts, cells.centres
    ends = np.cumsum(starts[near + 1] - starts[near])
    n_near = 1 + int(np.searchsorted(ends, n_met))
    near, ends = near[:n_near], ends[:n_near]
    rows = np.empty((ends[-1], cells.rows.shape[1]), dtype=np.float32)
    norms = np.empty(ends[-1], dtype=np.float32)
    gathered = np.empty(ends[-1], dtype=np.int32)
    for cell, end in zip(near, ends, strict=True):
        first, last = starts[cell], starts[cell + 1]
        place = slice(end - (last - first), end)
        put_on_grid(
            cells.rows, first, last, centres[cell], centres[near[0]], rows[place], norms[place]
        )
        gathered[place] = np.arange(first, last)
    names = np.empty((ends[0], lists[1].shape[1]), dtype=np.int32)
    # A few times as many groups as columns are kept, and whole lanes of them.
    n_groups = min(4 * names.shape[1], len(rows)) // _LANES * _LANES
    smallest_columns(rows[: ends[0]] @ rows.T, norms, names, n_groups)
    told = (cells.rows, centres, cells.cell_of, starts[near[0]], names, gathered)
    begin_lists(*told, *lists)
