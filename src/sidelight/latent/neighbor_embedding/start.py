"""Where the points of a neighbour embedding begin: a small map, the same on every processor.

Products of matrices round differently from one processor to the next, and a descent of hundreds of
steps would make different maps of that.  So a start is rounded to what all of them agree on, and
equal places are told apart by a sequence that fills space evenly [1]_.

References
----------
.. [1] M. Roberts (2018), "The unreasonable effectiveness of quasirandom sequences".
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, IntArray, evenly_spaced, is_sparse, row_blocks
from sidelight.estimator import Points
from sidelight.latent.descending import random_points, starting_points
from sidelight.mapping import Nystrom, kernel_coordinates
from sidelight.neighbors import DistinctRows
from sidelight.similarity import Centring, column_mean, kernel_from_distances, scatter_operator
from sidelight.solvers.eigen import column_signs, largest_eigenpairs

#: The spread of the map at first: small beside the kernel's width, so that all points meet.
_SPREAD = 1e-4
#: Coordinates are rounded to this share of the spread,
_ROUNDED = 1e-5
#: and places are told apart by this one.
_APART = 1e-2
#: The axes are those of so many rows.
_SAMPLED = 2_000
#: Smaller pieces of a graph have no shape at first.
_SMALL_PIECE = 50


def start_of(
    init: Any,
    points: Points,
    distinct: DistinctRows,
    graph: sp.csr_array,
    d: int,
    *,
    random_state: Any,
    who: str,
) -> FloatArray:
    """The first map of the distinct points: by scaling, by the graph, random or given."""
    if isinstance(init, str) and init == "auto":
        init = "classical" if points.quick else "spectral"
    ways = {
        "classical": lambda: scaled_start(points, d, who=who),
        "spectral": lambda: spectral_start(graph, d, who=who),
        "random": lambda: random_points(points.n, d, random_state),
    }
    made = hasattr(init, "fit_transform")  # of the distinct rows; places are given of all
    shape = (points.n if made else len(distinct.inverse), d)
    Y = starting_points(init, ways, shape, rows=points.rows, order=distinct.rows, who=who)
    return on_common_ground(Y)


def on_common_ground(Y: FloatArray) -> FloatArray:
    """Bring a map to the first size, rounded, with equal places told apart.

    Who gets which place of the sequence is said by where points are, not by their order.
    """
    n, d = Y.shape
    Y = Y - Y.mean(axis=0)
    spread = float(np.sqrt(Y.var(axis=0).max()))
    Y = rounded(Y / spread) if spread > 0 else np.zeros_like(Y)
    rank = np.empty(n, dtype=np.intp)
    rank[np.lexsort(Y.T[::-1])] = np.arange(n)
    apart = even_sequence(n, d)[rank] - 0.5
    return np.asarray(_SPREAD * (Y + _APART * apart))


def rounded(Y: FloatArray, to: float = _ROUNDED) -> FloatArray:
    """Coordinates without the digits that processors do not agree on, to a share of the spread."""
    spread = float(np.sqrt(Y.var(axis=0).max()))
    # of a power of two, so that the unit itself is the same everywhere
    unit = 2.0 ** np.rint(np.log2(max(to * spread, 1e-300)))
    return np.asarray(np.rint(Y / unit) * unit)


def even_sequence(n: int, d: int) -> FloatArray:
    """Places that fill the unit cube evenly: i times powers of 1/ρ, ρ^{d+1} = ρ + 1, modulo 1.

    Examples
    --------
    >>> even_sequence(3, 1).ravel().round(3)
    array([0.   , 0.618, 0.236])
    """
    ratio = 2.0
    for _ in range(60):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1))
    # rounded to whole numbers of 2⁻³², whose multiples modulo one are exact
    steps = np.rint(2.0**32 / ratio ** np.arange(1, d + 1)).astype(np.uint64)
    places = (np.arange(n, dtype=np.uint64)[:, None] * steps) % np.uint64(2**32)
    return np.asarray(places.astype(np.float64) / 2.0**32)


def scaled_start(points: Points, d: int, *, who: str) -> FloatArray:
    """Scale the distances of some points classically, and place the others by theirs to them.

    Of Euclidean features these are the principal components.
    """
    some = evenly_spaced(points.n, _SAMPLED)
    if points.vectors is not None:
        return _projected(points.vectors, some, d, who=who)
    marks = points.take(some)
    K = kernel_from_distances(marks.table())
    centring = Centring.of(K)
    pairs = largest_eigenpairs(centring.operator(K), min(d, len(some)), n=len(some), who=who)
    values = np.maximum(pairs.values, 0.0)
    nystrom = Nystrom(centring, kernel_coordinates(values, pairs.vectors), values)
    Y = np.zeros((points.n, d))
    for block in row_blocks(points.n, 8.0 * len(some)):
        table = points.block(block, some)
        Y[block, : len(values)] = nystrom(kernel_from_distances(table))
    return np.asarray(Y * column_signs(Y))


def _projected(X: Any, some: IntArray, d: int, *, who: str) -> FloatArray:
    """Project rows on the principal axes of some of them."""
    n, p = X.shape
    sample = X[some] if is_sparse(X) else np.asarray(X[some], dtype=np.float64)
    mean = column_mean(sample)
    k = min(d, p, len(some))
    axes = largest_eigenpairs(scatter_operator(sample, mean), k, n=p, who=who).vectors
    Y = np.zeros((n, d))
    for block in row_blocks(n, 8.0 * p):
        Y[block, :k] = X[block] @ axes - mean @ axes
    return np.asarray(Y * column_signs(Y))


def spectral_start(graph: sp.csr_array, d: int, *, who: str) -> FloatArray:
    """The smoothest functions on the graph; pieces of it lie side by side, the largest inmost."""
    n_pieces, labels = connected_components(graph, directed=False)
    if n_pieces == 1:
        return _smoothest(graph, d, who=who)
    sizes = np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    # a spiral on which every piece has room for its share of the points
    area = np.cumsum(sizes[order]) - sizes[order] / 2.0
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n_pieces)
    radius = np.sqrt(area / np.pi)
    centres = np.zeros((n_pieces, d))
    centres[order, 0] = radius * np.cos(angle)
    if d > 1:
        centres[order, 1] = radius * np.sin(angle)
    Y = centres[labels]
    for piece in np.flatnonzero(sizes >= _SMALL_PIECE):
        rows = np.flatnonzero(labels == piece)
        shape = _smoothest(sp.csr_array(graph[rows][:, rows]), d, who=who)
        Y[rows] += 0.3 * np.sqrt(sizes[piece]) * shape
    return Y


def _smoothest(graph: sp.csr_array, d: int, *, who: str) -> FloatArray:
    """Eigenvectors of the normalised graph, of unit variance."""
    n = graph.shape[0]
    root = np.sqrt(np.asarray(graph.sum(axis=1), dtype=np.float64).ravel())
    scaled = sp.csr_array(sp.diags_array(1.0 / root) @ graph.astype(np.float64))
    scaled = sp.csr_array(scaled @ sp.diags_array(1.0 / root))
    k = min(d, n - 1)
    constant = root / np.linalg.norm(root)

    def apply(block: FloatArray) -> FloatArray:
        # shifted, so that what matters is largest in size; the constant function is left out
        block = block - np.multiply.outer(constant, constant @ block)
        block = 0.5 * (block + scaled @ block)
        return np.asarray(block - np.multiply.outer(constant, constant @ block))

    vectors = largest_eigenpairs(apply, k, n=n, who=who).vectors / root[:, None]
    Y = np.zeros((n, d))
    Y[:, :k] = vectors / np.maximum(vectors.std(axis=0), 1e-300)
    return np.asarray(Y * column_signs(Y))
