"""Landmarks that stand for all points: their graph, and the points as mixtures of them.

Every point belongs to the landmark that is nearest along the graph; landmarks are neighbours where
their territories touch, so that no short cut arises that the graph of all points does not have.
The kernel of all points is K = Q L Qᵀ: L that of the landmarks, and Q the linear map that keeps
every other point at the barycentre of its neighbours as well as can be,

    min_Q ‖(I − W) Q‖²  over  Q = I on the landmarks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray, IntArray, for_walks
from sidelight.estimator import Points
from sidelight.unfolding.semidefinite.kernel_constraints import Asked


@dataclass(frozen=True)
class LandmarkGraph:
    """Landmarks and the edges between them.

    Parameters
    ----------
    landmarks : ndarray of shape (n_landmarks,)
        Points.
    edges : ndarray of shape (m, 2)
        Numbers of landmarks.
    lengths : ndarray of shape (m,)
        How far apart they are in the data.
    mass : ndarray of shape (n_landmarks,)
        How many rows each stands for.
    """

    landmarks: IntArray
    edges: IntArray
    lengths: FloatArray
    mass: FloatArray


def choose_landmarks(
    points: Points, asked: Asked | None, n_landmarks: int | None, n_components: int
) -> IntArray | None:
    """Spread landmarks over the points, and take those that are spoken of too; None for all."""
    if n_landmarks is None or n_landmarks >= points.n:
        return None
    if n_landmarks <= n_components:
        raise ValueError(
            f"The 'n_landmarks' parameter of {points.who} must be above n_components="
            f"{n_components}. Got {n_landmarks} instead."
        )
    landmarks = points.spread(n_landmarks)
    if asked is None:
        return landmarks
    if np.isin(asked.kinds, ["action", "one place"]).any():
        raise ValueError(
            f"{points.who} cannot use Actions with landmarks: they speak of every row. Leave "
            f"n_landmarks={n_landmarks} out."
        )
    return np.union1d(landmarks, asked.constraints.pairs)  # who is spoken of is there


def landmark_graph(
    graph: sp.csr_array, points: Points, counts: IntArray, landmarks: IntArray, k: int
) -> LandmarkGraph:
    """Join landmarks to their nearest among those whose territories touch theirs, or nearly.

    Examples
    --------
    Every fourth point of a line.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from sidelight.estimator.points import points_of
    >>> X = points_of(np.arange(9.0)[:, None], "euclidean", who="here")
    >>> line = sp.diags_array([np.ones(8), np.ones(8)], offsets=[1, -1]).tocsr()
    >>> found = landmark_graph(line, X, np.ones(9, int), np.array([0, 4, 8]), 1)
    >>> found.edges.tolist(), found.lengths.tolist(), found.mass.sum()
    ([[0, 1], [1, 2]], [4.0, 4.0], np.float64(9.0))
    """
    n, size = graph.shape[0], len(landmarks)
    _, _, source = dijkstra(
        for_walks(graph), directed=False, indices=landmarks, min_only=True, return_predecessors=True
    )
    number = np.full(n, -1, dtype=np.intp)
    number[landmarks] = np.arange(size)
    owner = number[source]
    ends = sp.coo_array(sp.triu(graph, 1)).coords
    left, right = owner[ends[0]], owner[ends[1]]
    across = left != right
    touching = sp.csr_array(
        (np.ones(np.count_nonzero(across)), (left[across], right[across])), shape=(size, size)
    )
    touching = sp.csr_array(touching + touching.T)
    near = sp.coo_array(sp.triu(touching + touching @ touching, 1))
    pairs = np.column_stack(near.coords).astype(np.intp)
    lengths = points.lengths(*landmarks[pairs].T)
    kept = _nearest_of_each(pairs, lengths, size, k) | _spanning(pairs, lengths, touching)
    mass: FloatArray = np.bincount(owner, weights=counts, minlength=size).astype(np.float64)
    return LandmarkGraph(landmarks, pairs[kept], lengths[kept], mass)


def place_between_landmarks(W: sp.csr_array, landmarks: IntArray, places: FloatArray) -> FloatArray:
    """Place all points, given the landmarks' places: Q times these.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> W = sp.csr_array([[0, 1.0, 0], [0.5, 0, 0.5], [0, 1.0, 0]])
    >>> place_between_landmarks(W, np.array([0, 2]), np.array([[0.0], [4.0]])).round(6)
    array([[0.],
           [2.],
           [4.]])
    """
    n = W.shape[0]
    others = np.setdiff1d(np.arange(n), landmarks)
    out = np.empty((n, places.shape[1]))
    out[landmarks] = places
    if len(others):
        short = sp.csc_array(sp.eye_array(n) - W)
        of_others = sp.csc_array(short[:, others])
        right = -(of_others.T @ (short[:, landmarks] @ places))
        square = sp.csc_array(of_others.T @ of_others)
        square = square + 1e-12 * square.diagonal().max() * sp.eye_array(len(others))
        factor = splu(
            sp.csc_array(square),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        out[others] = factor.solve(right)
    return out


def _nearest_of_each(pairs: IntArray, lengths: FloatArray, size: int, k: int) -> Any:
    """The pairs in which one is among the k nearest of the other."""
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]])
    order = np.lexsort((np.tile(lengths, 2), ends))
    first = np.searchsorted(ends[order], np.arange(size))
    rank = np.empty(len(ends), dtype=np.intp)
    rank[order] = np.arange(len(ends)) - first[ends[order]]
    return (rank < k).reshape(2, -1).any(axis=0)


def _spanning(pairs: IntArray, lengths: FloatArray, touching: sp.csr_array) -> Any:
    """The shortest pairs that join all landmarks, each with a territory that touches its own."""
    size = touching.shape[0]
    touch = np.asarray(touching[pairs[:, 0], pairs[:, 1]]).ravel() > 0
    which = np.flatnonzero(touch)
    order = np.argsort(np.argsort(lengths[which], kind="stable"), kind="stable") + 1.0
    ranks = sp.csr_array((order, (pairs[which, 0], pairs[which, 1])), shape=(size, size))
    tree = minimum_spanning_tree(for_walks(ranks))
    by_rank = which[np.argsort(lengths[which], kind="stable")]
    kept = np.zeros(len(pairs), dtype=bool)
    kept[by_rank[np.rint(tree.data - 1.0).astype(np.intp)]] = True
    return kept
