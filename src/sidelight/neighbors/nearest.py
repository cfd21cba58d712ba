"""The nearest neighbours of every row, exactly or nearly, with one rule for ties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, count_threads
from sidelight.neighbors.checked_rows import Points, check_n_neighbors
from sidelight.neighbors.duplicates import distinct_points
from sidelight.neighbors.given_graph import is_graph, nearest_in_graph
from sidelight.neighbors.metrics import (
    Metric,
    check_compared,
    check_method,
    check_metric,
    distance_blocks,
    euclidean_rows,
    from_euclidean,
    is_euclidean,
)
from sidelight.neighbors.multiplicities import nearest_through_distinct
from sidelight.neighbors.search import (
    NEAREST,
    SMALL,
    approximate_nearest,
    certified_nearest,
    exact_nearest,
    forbid_self,
    nearest_in_blocks,
    prefers_tree,
    surely_prefers_tree,
    tree_cost,
    tree_nearest,
)

# So many ties are settled by the candidates beyond those wanted.
_FEW_COPIES = 4
# Products and sums of an exact search of all rows, n² p, up to which "auto" is exact: ten seconds
# of one core.
AFFORDABLE = 5e11
# Looking through a row of products takes as long as products of so many features.
_SCANNED = 64
# A tree that costs no more, half a second, is taken in any case: loading the compiler takes longer.
_CHEAP = 2.5e10
# A search for nearly all neighbours has to be for few of the rows.
_MANY_TIMES = 20


@dataclass(frozen=True)
class Neighbors:
    """The neighbours of some rows.

    Parameters
    ----------
    indices : ndarray of shape (n_rows, n_neighbors)
        Rows of the data, nearest first; ties are broken by index.
    distances : ndarray of shape (n_rows, n_neighbors)
        How far they are, ascending.
    exact : bool
        Whether they are the nearest, or nearly all of them: how many,
        :func:`~sidelight.neighbors.recall_of` estimates.
    """

    indices: IntArray
    distances: FloatArray
    exact: bool = True


def nearest_neighbors(
    X: Any,
    n_neighbors: int,
    *,
    queries: Any = None,
    metric: Metric = "euclidean",
    method: str = "auto",
    n_jobs: int | None = None,
    random_state: int = 0,
    who: str = "nearest_neighbors",
) -> Neighbors:
    """Find the nearest neighbours of every row.

    The neighbours of row ``i`` are the first ``k`` of the other rows in the order of
    ``(d(x_i, x_j), j)``.  Every exact method gives the same answer, ties included.

    Examples
    --------
    >>> from sidelight.neighbors import nearest_neighbors
    >>> found = nearest_neighbors([[0.0], [1.0], [3.0], [3.0]], 2)
    >>> found.indices
    array([[1, 2],
           [0, 2],
           [3, 1],
           [2, 1]])
    >>> found.distances[2]
    array([0., 2.])
    """
    metric = check_metric(metric, who=who)
    rows, wanted = check_compared(X, queries, metric=metric, who=who)
    how: dict[str, Any] = {"n_jobs": n_jobs, "random_state": random_state, "who": who}
    return find_nearest(rows, n_neighbors, wanted, metric=metric, method=method, **how)


def find_nearest(
    rows: Points,
    n_neighbors: int,
    wanted: Points | None = None,
    *,
    metric: Metric,
    method: str = "auto",
    n_jobs: int | None = None,
    random_state: int = 0,
    who: str,
) -> Neighbors:
    """Find the nearest neighbours among rows that were checked, of them or of those wanted."""
    threads = count_threads(n_jobs, who=who)
    method = check_method(method, metric, rows, who=who)
    n_samples = rows.shape[0]
    if is_graph(rows, metric):
        k = check_n_neighbors(n_neighbors, n_samples - 1, who=who, among="n_samples)")
        return Neighbors(*nearest_in_graph(rows if wanted is None else wanted, k, who=who))
    k = (
        check_n_neighbors(n_neighbors, n_samples - 1, who=who, among="n_samples)")
        if wanted is None
        else check_n_neighbors(n_neighbors, n_samples, who=who, among="n_samples]")
    )
    if not is_euclidean(metric):
        n_rows = n_samples if wanted is None else wanted.shape[0]
        blocks = distance_blocks(rows, wanted, metric, n_jobs=n_jobs, who=who)
        forbid = forbid_self if wanted is None else None
        return Neighbors(*nearest_in_blocks(blocks, n_rows, k, forbid=forbid))
    rows, wanted = euclidean_rows(rows, wanted, metric, who=who)
    distinct = distinct_points(rows)
    many_copies = bool(distinct.counts.max() > _FEW_COPIES)
    way = _choose(rows[distinct.rows] if many_copies else rows, wanted, k, method)
    search = partial(_search, way=way, threads=threads, random_state=random_state, who=who)
    if many_copies:
        indices, distances = nearest_through_distinct(search, rows, wanted, k, distinct)
    else:
        indices, distances = search(rows, wanted, k)
    return Neighbors(indices, from_euclidean(distances, metric), exact=way != "approximate")


def _choose(X: Points, Q: Points | None, k: int, method: str) -> str:
    """Choose the search: a table for few rows, a tree for few features, products of blocks else.

    The rows are those that are searched: each once, where there are many copies.
    """
    n_searched = X.shape[0]
    n_asking = n_searched if Q is None else Q.shape[0]
    few = n_searched <= SMALL or n_asking * n_searched <= SMALL * SMALL
    if not isinstance(X, np.ndarray) or (few and method != "kd_tree"):
        return "table"
    if method == "kd_tree" or (method == "auto" and surely_prefers_tree(X)):
        return "tree"
    nearly = Q is None and _MANY_TIMES * k <= n_searched
    if method == "auto" and prefers_tree(X):
        return _choose_by_cost(X, Q, k, nearly)
    too_dear = method == "auto" and float(n_searched) ** 2 * X.shape[1] > AFFORDABLE
    return "approximate" if nearly and (method == "approximate" or too_dear) else "certified"


def _choose_by_cost(X: FloatArray, Q: FloatArray | None, k: int, nearly: bool) -> str:
    """Choose between a tree and products by what they cost, or neither where both cost too much."""
    by_tree = tree_cost(X, Q, k)
    sides = 1.0 if Q is None else 2.0  # a product serves both of its rows where both ask
    by_products = sides * (len(X) if Q is None else len(Q)) * len(X) * _SCANNED
    if nearly and min(by_tree, by_products) > AFFORDABLE:
        return "approximate"
    return "tree" if by_tree <= max(by_products, _CHEAP) else "certified"


def _search(
    X: Points, Q: Points | None, k: int, *, way: str, threads: int, random_state: Any, who: str
) -> tuple[IntArray, FloatArray]:
    if way == "table":
        forbid = forbid_self if Q is None else None
        return exact_nearest(X, X if Q is None else Q, k, forbid=forbid, stage=NEAREST)
    if way == "tree":
        return tree_nearest(X, Q, k, threads=threads)
    if way == "approximate":
        return approximate_nearest(X, k, threads=threads, random_state=random_state, who=who)
    return certified_nearest(X, Q, k, threads=threads)
