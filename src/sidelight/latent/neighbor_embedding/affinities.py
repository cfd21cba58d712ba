"""Who is near whom, as probabilities: whom a row picks among its nearest, made mutual.

p_{j|i} ∝ exp(−β_i d_ij²) over the k nearest j of i, β_i such that the perplexity
exp(−Σ_j p_{j|i} log p_{j|i}) is the wanted one, and P_ij = (p_{j|i} + p_{i|j}) / 2n.  Of several
perplexities the mean of the choices is taken: near and far structure in one map.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    DisconnectedGraphWarning,
    FloatArray,
    IntArray,
    Threads,
    counted,
    shares,
    warn,
)
from sidelight.neighbors import DistinctRows, Neighbors, component_labels

_SHARE = 8_192
#: Whom rows may choose, the nearest first: as many of each row, or all that a graph stores.
Listed: TypeAlias = Neighbors | sp.csr_array


@dataclass(frozen=True)
class Affinities:
    """P of all pairs, n times over: rows that pick and are picked once each sum to one.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        n P in float32, symmetric.
    """

    graph: sp.csr_array

    @property
    def n(self) -> int:
        """How many points."""
        return int(self.graph.shape[0])

    @cached_property
    def mass(self) -> float:
        """Σ P, which is one unless knowledge has changed it."""
        return float(self.graph.data.sum(dtype=np.float64)) / self.n

    @cached_property
    def entropy(self) -> float:
        """Σ P log P."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import entropy

        return float(entropy(self.graph.data)) / self.n - self.mass * math.log(self.n)

    @cached_property
    def load(self) -> float:
        """n max_i Σ_j P_ij, in 64ths: sums may differ in their last bits between processors."""
        return math.ceil(64.0 * float((self.graph @ np.ones(self.n)).max())) / 64.0


def choices(near: Neighbors, perplexities: FloatArray, pool: Threads) -> FloatArray:
    """Whom rows pick among their nearest: p_{j|i}, as near.indices lists them."""
    chosen = _choices(_pointers(near), near.distances.ravel(), perplexities, pool)
    return chosen.reshape(near.indices.shape)


def affinities(listed: Listed, perplexities: FloatArray, pool: Threads) -> Affinities:
    """Make the choices of all rows mutual."""
    if isinstance(listed, Neighbors):
        indptr, lengths = _pointers(listed), listed.distances.ravel()
        indices = listed.indices.ravel().astype(indptr.dtype)
    else:
        indptr, lengths, indices = listed.indptr, listed.data, listed.indices.copy()
    n = len(indptr) - 1
    P = _choices(indptr, lengths, perplexities, pool)
    return made_mutual(sp.csr_array((P, indices, indptr), shape=(n, n)))


def made_mutual(chosen: sp.csr_array) -> Affinities:
    """n P of choices p_{j|i}: half of what either row makes.

    Where rows have nobody to choose the others' choices count for more: Σ P is one in any case.
    """
    n = chosen.shape[0]
    choosing = int(np.count_nonzero(np.diff(chosen.indptr)))
    each = np.float32(0.5 if choosing == n else 0.5 * n / max(choosing, 1))
    half = sp.csr_array(
        (each * chosen.data, chosen.indices, chosen.indptr), shape=chosen.shape, copy=False
    )
    half.eliminate_zeros()
    half.sort_indices()
    return Affinities(sp.csr_array(half + half.T))


def pieces_of_rows(P: Affinities, distinct: DistinctRows, *, who: str) -> IntArray:
    """Number the pieces that rows are in, the largest 0, and warn of rows without an edge.

    Points of different pieces push one another as all others do: no piece falls on another, and
    none has to be joined.
    """
    alone = np.flatnonzero(np.diff(P.graph.indptr) == 0)
    if len(alone):
        warn(
            f"The graph of {who} has no edge at {counted(len(alone), 'row')} of {P.n}, of which "
            f"the first is row "
            f"{distinct.rows[alone].min()}: nothing pulls there, and the place in the map says "
            f"nothing. Give the distances to some rows, or leave such rows out.",
            DisconnectedGraphWarning,
        )
    return np.asarray(component_labels(P.graph)[distinct.inverse])


def _choices(
    indptr: IntArray, lengths: FloatArray, perplexities: FloatArray, pool: Threads
) -> FloatArray:
    """Whom rows pick of those that they list, one row after the other."""
    from sidelight.latent.neighbor_embedding._perplexity_compiled import choose

    n, P = len(indptr) - 1, np.empty(len(lengths), dtype=np.float32)
    told = (indptr, lengths, perplexities)
    cuts = shares(n, max(1, -(-n // _SHARE)))
    pool.run([(choose, (*told, s.start, s.stop, P)) for s in cuts])
    return P


def _pointers(near: Neighbors) -> IntArray:
    """Where the lists of all rows begin and end."""
    n, k = near.indices.shape
    return np.arange(0, n * k + 1, k, dtype=np.int64 if n * k > 2**31 - 1 else np.int32)
