"""Exact neighbours for many features: search in float32, certify in float64.

Products of matrices in float32 cost half as much as in float64, and every tile of the symmetric
table of distances serves its rows and its columns.  What float32 leaves out is proved to be no
neighbour by a bound on its rounding errors; the few rows for which the proof fails are searched
again in float64.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import (
    BoolArray,
    Call,
    FloatArray,
    IntArray,
    Threads,
    report,
    row_blocks,
    shares,
)
from sidelight.neighbors.pair_distances import squared_norms
from sidelight.neighbors.search.blocked import NEAREST
from sidelight.neighbors.search.products import scale_of
from sidelight.neighbors.search.refine import redo_uncertain, refine

_UNIT_ROUNDOFF = 2.0**-24
# Rows and columns of a tile: products and what they are looked through for stay near the cache.
_TILE = 768
# A column that no row of a tile has.
_NOWHERE = -2 * _TILE
# More candidates than wanted: the last of them must be farther than the last wanted by more than
# the rounding errors.
_MARGIN = 6


def certified_nearest(
    X: FloatArray, Q: FloatArray | None, n_neighbors: int, *, threads: int
) -> tuple[IntArray, FloatArray]:
    """Find the nearest rows, exactly, at the price of float32.

    Let ``s̃_ij`` be the squared distance as computed from centred float32 rows, and ``τ_i`` the
    largest of the smallest ``c > k`` of them.  A row that was left out has ``s̃_ij ≥ τ_i``; were
    it within the k-th distance ``δ_i``, its norm would be at most ``‖x_i‖ + δ_i``, and so
    ``s̃_ij ≤ δ_i² + E(‖x_i‖, ‖x_i‖ + δ_i)`` with ``E`` the bound on rounding errors [1]_.  Hence
    ``δ_i² + E < τ_i`` is a proof that nothing was missed.

    References
    ----------
    .. [1] N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., SIAM 2002,
       section 3.1.
    """
    itself = Q is None
    queries = X if Q is None else Q
    n_samples = X.shape[0]
    n_candidates = min(n_samples - itself, n_neighbors + _MARGIN)
    centre = X.mean(axis=0, dtype=np.float64)
    scale = scale_of(X, centre)
    right = narrow(X, centre, scale)
    # A query may be beyond the range of float32: its list stays unfilled, and that is noticed.
    with np.errstate(over="ignore", invalid="ignore"):
        left = right if Q is None else narrow(Q, centre, scale)
        heaps = np.full((len(queries), n_candidates), np.inf, dtype=np.float32)
        names = np.zeros((len(queries), n_candidates), dtype=np.int32)
        _scan(left, right, heaps, names, threads)
    query_norms = left[1]
    del left, right
    found = refine(X, queries, names.astype(np.intp), n_neighbors, threads=threads)
    certain = np.isfinite(heaps[:, 0])
    if n_candidates < n_samples - itself:
        kth = found[1][:, -1] * scale
        certain &= certain_within(kth, np.sqrt(query_norms), heaps[:, 0], X.shape[1])
    return redo_uncertain(X, queries, found, certain, itself=itself)


def narrow(X: FloatArray, centre: FloatArray, scale: float) -> tuple[FloatArray, FloatArray]:
    """Centre and scale the rows and bring them to float32; with squared norms in float64."""
    single = np.empty(X.shape, dtype=np.float32)
    norms = np.empty(X.shape[0])
    for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6):
        wide = (X[block] - centre) * scale
        single[block] = wide
        norms[block] = squared_norms(wide)
    return single, norms


def certain_within(
    kth: FloatArray, lengths: FloatArray, limits: FloatArray, n_features: int
) -> BoolArray:
    """Tell of rows of given lengths whether all within their k-th distance are below a limit."""
    error = rounding(lengths, kth, n_features)
    return np.asarray(np.square(kth) * (1 + 1e-12) + error < limits)


def rounding(lengths: FloatArray, distances: FloatArray, n_features: int) -> FloatArray:
    """Bound the error of squared distances from rows of given lengths to those so far away."""
    farthest = lengths + distances
    growth = (n_features + 3) * _UNIT_ROUNDOFF
    if growth >= 0.5:
        return np.full(len(lengths), np.inf)
    products = 2.0 * growth / (1.0 - growth) * lengths * farthest
    sums = 8.0 * _UNIT_ROUNDOFF * np.square(lengths + farthest)
    return np.asarray(products + sums)


def _scan(
    left: tuple[FloatArray, FloatArray],
    right: tuple[FloatArray, FloatArray],
    heaps: FloatArray,
    names: IntArray,
    threads: int,
) -> None:
    """Offer every row to every query; where they are the same, each tile serves both sides."""
    from sidelight.neighbors.search._certified_compiled import scan_columns, scan_rows

    symmetric = left is right
    (Q, query_norms), (X, norms) = left, right
    query_norms, norms = query_norms.astype(np.float32), norms.astype(np.float32)
    row_tiles = row_blocks(len(Q), 1.0, budget=_TILE)
    column_tiles = row_blocks(len(X), 1.0, budget=_TILE)
    memory = np.empty(_TILE * _TILE, dtype=np.float32)
    with Threads(threads) as pool:
        for b, rows in enumerate(row_tiles):
            for columns in column_tiles[b if symmetric else 0 :]:
                height, width = rows.stop - rows.start, columns.stop - columns.start
                tile = memory[: height * width].reshape(height, width)
                np.matmul(Q[rows], X[columns].T, out=tile)
                diagonal = symmetric and rows == columns
                own = 0 if diagonal else _NOWHERE
                table = (tile, query_norms[rows], norms[columns])
                lists = (heaps[rows], names[rows])
                calls: list[Call] = [
                    (scan_rows, (*table, *lists, columns.start, own, share.start, share.stop))
                    for share in shares(height, threads)
                ]
                if symmetric and not diagonal:
                    lists = (heaps[columns], names[columns])
                    calls += [
                        (scan_columns, (*table, *lists, rows.start, share.start, share.stop))
                        for share in shares(width, threads)
                    ]
                pool.run(calls)
            report(NEAREST, b + 1, len(row_tiles))
