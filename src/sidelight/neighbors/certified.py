"""Exact neighbours for many features: search in float32, certify in float64.

Products of matrices in float32 cost half as much as in float64, and every tile of the symmetric
table of distances serves its rows and its columns.  What float32 leaves out is proved to be no
neighbour by a bound on its rounding errors; the few rows for which the proof fails are searched
again in float64.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sidelight.arrays import BoolArray, FloatArray, IntArray
from sidelight.neighbors.inputs import row_blocks
from sidelight.neighbors.pairs import squared_norms
from sidelight.neighbors.refine import redo_uncertain, refine
from sidelight.progress import report

_UNIT_ROUNDOFF = 2.0**-24
_TILE = 2048
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

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    Q : ndarray of shape (n_queries, n_features) or None
        The queries; None for the rows themselves, each among the others.
    n_neighbors : int
        How many to find.
    threads : int
        Threads for the scans; the products follow the setting of the BLAS.

    Returns
    -------
    indices : ndarray of shape (n_queries, n_neighbors)
        Nearest first, ties broken by index.
    distances : ndarray of shape (n_queries, n_neighbors)
        Euclidean distances.

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
    narrow, norms, scale = _narrow(X, centre, None)
    if Q is None:
        narrow_queries, query_norms = narrow, norms
    else:
        narrow_queries, query_norms, _ = _narrow(Q, centre, scale)
    heaps = np.full((len(queries), n_candidates), np.inf, dtype=np.float32)
    names = np.zeros((len(queries), n_candidates), dtype=np.int32)
    with ThreadPoolExecutor(threads) as pool:
        if itself:
            _scan_symmetric(narrow, norms, heaps, names, pool, threads)
        else:
            _scan_rectangle(narrow_queries, query_norms, narrow, norms, heaps, names, pool, threads)
    del narrow, narrow_queries
    found = refine(X, queries, names.astype(np.intp), n_neighbors, threads=threads)
    if n_candidates == n_samples - itself:
        return found
    kth = found[1][:, -1] * scale
    certain = _certain(kth, np.sqrt(query_norms), heaps[:, 0], X.shape[1])
    return redo_uncertain(X, queries, found, certain, itself=itself)


def _narrow(
    X: FloatArray, centre: FloatArray, scale: float | None
) -> tuple[FloatArray, FloatArray, float]:
    """Centre the rows and bring them to float32, scaled to keep squares within its range."""
    if scale is None:
        largest = max(
            float(np.abs(X[block] - centre).max())
            for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6)
        )
        scale = 2.0 ** -np.ceil(np.log2(largest)) if largest > 0 else 1.0
    narrow = np.empty(X.shape, dtype=np.float32)
    norms = np.empty(X.shape[0])
    for block in row_blocks(X.shape[0], 8.0 * X.shape[1], budget=4e6):
        wide = (X[block] - centre) * scale
        narrow[block] = wide
        norms[block] = squared_norms(wide)
    return narrow, norms, float(scale)


def _certain(
    kth: FloatArray, lengths: FloatArray, limits: FloatArray, n_features: int
) -> BoolArray:
    farthest = lengths + kth
    products = 2.02 * (n_features + 3) * _UNIT_ROUNDOFF * lengths * farthest
    sums = 8.0 * _UNIT_ROUNDOFF * np.square(lengths + farthest)
    return np.asarray(np.square(kth) * (1 + 1e-12) + products + sums < limits)


def _scan_symmetric(
    narrow: FloatArray,
    norms: FloatArray,
    heaps: FloatArray,
    names: IntArray,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    from sidelight.neighbors.certified_kernels import scan_columns, scan_rows

    small = norms.astype(np.float32)
    blocks = row_blocks(len(narrow), 1.0, budget=_TILE)
    memory = np.empty(_TILE * _TILE, dtype=np.float32)
    for b, rows in enumerate(blocks):
        for columns in blocks[b:]:
            height, width = rows.stop - rows.start, columns.stop - columns.start
            tile = memory[: height * width].reshape(height, width)
            np.matmul(narrow[rows], narrow[columns].T, out=tile)
            skipped = 0 if rows == columns else -2 * _TILE
            tasks = [
                pool.submit(
                    scan_rows,
                    tile,
                    small[rows],
                    small[columns],
                    columns.start,
                    skipped,
                    share.start,
                    share.stop,
                    heaps[rows],
                    names[rows],
                )
                for share in _shares(height, threads)
            ]
            if rows != columns:
                tasks += [
                    pool.submit(
                        scan_columns,
                        tile,
                        small[rows],
                        small[columns],
                        rows.start,
                        share.start,
                        share.stop,
                        heaps[columns],
                        names[columns],
                    )
                    for share in _shares(width, threads)
                ]
            for task in tasks:
                task.result()
        report("nearest neighbours", b + 1, len(blocks))


def _scan_rectangle(
    narrow_queries: FloatArray,
    query_norms: FloatArray,
    narrow: FloatArray,
    norms: FloatArray,
    heaps: FloatArray,
    names: IntArray,
    pool: ThreadPoolExecutor,
    threads: int,
) -> None:
    from sidelight.neighbors.certified_kernels import scan_rows

    small, small_queries = norms.astype(np.float32), query_norms.astype(np.float32)
    blocks = row_blocks(len(narrow_queries), 1.0, budget=_TILE)
    memory = np.empty(_TILE * _TILE, dtype=np.float32)
    for b, rows in enumerate(blocks):
        for columns in row_blocks(len(narrow), 1.0, budget=_TILE):
            height, width = rows.stop - rows.start, columns.stop - columns.start
            tile = memory[: height * width].reshape(height, width)
            np.matmul(narrow_queries[rows], narrow[columns].T, out=tile)
            tasks = [
                pool.submit(
                    scan_rows,
                    tile,
                    small_queries[rows],
                    small[columns],
                    columns.start,
                    -2 * _TILE,
                    share.start,
                    share.stop,
                    heaps[rows],
                    names[rows],
                )
                for share in _shares(height, threads)
            ]
            for task in tasks:
                task.result()
        report("nearest neighbours", b + 1, len(blocks))


def _shares(n_rows: int, threads: int) -> list[slice]:
    return row_blocks(n_rows, 1.0, budget=-(-n_rows // threads))
