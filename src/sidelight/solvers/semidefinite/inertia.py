"""The sparse symmetric matrices of an unfolding, factored with their inertia.

A matrix has one r × r block per node and per edge, so that one elimination order of the nodes,
found once, serves every rank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray, IntArray


@dataclass(frozen=True)
class Factor:
    """A factored matrix.

    Parameters
    ----------
    solve : callable
        From a right-hand side (n, r) to the solution.
    n_negative : int
        Negative pivots, which is the number of negative eigenvalues; −1 where the elimination
        left the diagonal, so that the pivots say nothing.
    """

    solve: Callable[[FloatArray], FloatArray]
    n_negative: int


class EdgeMatrices:
    """Matrices Σ_e (e_i − e_j)(e_i − e_j)ᵀ ⊗ W_e − diag(c) ⊗ I on the edges of one graph.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : ndarray of shape (m, 2)
        The graph.
    """

    def __init__(self, n: int, edges: IntArray) -> None:
        i, j = edges.T
        m = len(edges)
        at = np.arange(m)
        nodes = np.arange(n)
        pattern = sp.csc_array((np.ones(2 * m), (np.r_[i, j], np.r_[j, i])), shape=(n, n))
        pattern = sp.csc_array(pattern + sp.diags_array(np.full(n, 2.0 * n), format="csc"))
        ordering = eliminate(pattern, "MMD_AT_PLUS_A").perm_c
        self.n, self.m = n, m
        self._position = np.asarray(ordering, dtype=np.intp)
        self._order = np.argsort(self._position)
        i, j = self._position[i], self._position[j]
        rows, columns = np.r_[i, j, nodes], np.r_[j, i, nodes]
        by_row = np.lexsort((columns, rows))
        self._source = np.r_[at, at, m + nodes][by_row]
        self._indices = columns[by_row].astype(np.int32)
        counts = np.bincount(rows, minlength=n)
        self._indptr = np.r_[0, np.cumsum(counts)].astype(np.int32)
        self.incident = sp.csr_array((np.ones(2 * m), (np.r_[i, j], np.r_[at, at])), shape=(n, m))

    def matrix(self, W: FloatArray, c: FloatArray) -> sp.csc_array:
        """Assemble the matrix, nodes in the order of elimination."""
        r = W.shape[1]
        diagonal = (self.incident @ W.reshape(self.m, r * r)).reshape(self.n, r, r)
        diagonal[:, np.arange(r), np.arange(r)] -= c[self._order][:, None]
        blocks = np.concatenate([-W, diagonal])[self._source]
        order = self.n * r
        rows = sp.bsr_array((blocks, self._indices, self._indptr), shape=(order, order)).tocsr()
        return sp.csc_array((rows.data, rows.indices, rows.indptr), shape=rows.shape)

    def factor(self, W: FloatArray, c: FloatArray) -> Factor:
        """Factor the matrix; see :meth:`matrix`."""
        shape = (self.n, W.shape[1])
        try:
            factor = eliminate(self.matrix(W, c), "NATURAL")
        except RuntimeError:  # exactly singular
            return Factor(lambda right: right, -1)

        def solve(right: FloatArray) -> FloatArray:
            flat = np.ascontiguousarray(right[self._order]).reshape(-1)
            return np.asarray(factor.solve(flat).reshape(shape)[self._position])

        if not np.array_equal(factor.perm_r, factor.perm_c):
            return Factor(solve, -1)
        return Factor(solve, int(np.count_nonzero(factor.U.diagonal() < 0)))


def eliminate(A: sp.csc_array, ordering: Literal["NATURAL", "MMD_AT_PLUS_A"]) -> Any:
    """Factor a symmetric matrix without leaving the diagonal."""
    # "Any": the stubs of SuperLU lack its properties
    return splu(A, permc_spec=ordering, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
