"""The unfolding in the low-rank factor as a problem: its barrier, its matrices, its spectrum."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, IntArray
from sidelight.solvers.eigen import Eigenpairs, smallest_eigenpairs
from sidelight.solvers.semidefinite.dual_bound import largest_shift
from sidelight.solvers.semidefinite.inertia import EdgeMatrices
from sidelight.solvers.semidefinite.low_rank.cones import ConePoints
from sidelight.solvers.semidefinite.low_rank.pair_terms import PairTerms


@dataclass
class Unfolding:
    """An unfolding in units of its edges.

    Parameters
    ----------
    edges : ndarray of shape (m, 2)
        Pairs that are at most so far apart, each once.
    lengths : ndarray of shape (m,)
        d.
    mass : ndarray of shape (n,)
        c.
    terms : PairTerms
        What else is asked of pairs; maybe nothing.
    """

    edges: IntArray
    lengths: FloatArray
    mass: FloatArray
    terms: PairTerms
    matrices: EdgeMatrices = field(init=False)
    E: sp.csr_array = field(init=False)
    ends: sp.csr_array = field(init=False)
    squares: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        m, n = len(self.edges), len(self.mass)
        at = np.arange(m)
        signs = np.repeat([1.0, -1.0], m)
        where = (np.r_[at, at], np.r_[self.edges[:, 0], self.edges[:, 1]])
        self.E = sp.csr_array((signs, where), shape=(m, n))
        self.ends = self.E.T.tocsr()
        self.squares = self.lengths**2
        pairs, self._place = _distinct_pairs(n, self.edges, self.terms.pairs)
        self.matrices = EdgeMatrices(n, pairs)
        self._incidence = self.E
        if len(self.terms):
            at = np.arange(len(pairs))
            signs = np.repeat([1.0, -1.0], len(pairs))
            where = (np.r_[at, at], np.r_[pairs[:, 0], pairs[:, 1]])
            self._incidence = sp.csr_array((signs, where), shape=(len(pairs), n))

    def variance(self, R: FloatArray) -> float:
        """Compute the value of a layout."""
        return float(self.mass @ np.einsum("ij,ij->i", R, R))

    def slack(self, R: FloatArray) -> FloatArray:
        """Compute what the edges leave of their bounds."""
        spans = self.E @ R
        return np.asarray(self.squares - np.einsum("ij,ij->i", spans, spans))

    def barrier(self, R: FloatArray, s: FloatArray, mu: float) -> float:
        """Compute F."""
        value = -0.5 * self.variance(R) - 0.5 * mu * float(np.log(s).sum())
        return value + self.terms.value(self.terms.excess(R), mu) if len(self.terms) else value

    def central(self, mu: float, s: FloatArray, spans: FloatArray) -> ConePoints:
        """Find the dual points that are complementary to μ: μ u⁻¹."""
        return ConePoints(mu * self.lengths / s, -(mu / s)[:, None] * spans)

    def centred(self, R: FloatArray) -> FloatArray:
        """Move the centre of mass to the origin."""
        return np.asarray(R - (self.mass @ R) / self.mass.sum())

    def blocks(self, V: FloatArray, of_terms: FloatArray) -> FloatArray:
        """Put the blocks of edges and terms on the pairs that they belong to."""
        if not len(self.terms):
            return V
        out = np.zeros((self.matrices.m, *V.shape[1:]))
        out[: len(V)] = V
        np.add.at(out, self._place, of_terms)
        return out

    def tensions(self, y: FloatArray) -> FloatArray:
        """Add the multipliers up on the pairs that they pull together."""
        m = len(self.edges)
        return self.blocks(y[:m], self.terms.sign * y[m:])

    def right_side(self) -> tuple[FloatArray, FloatArray]:
        """Give the bounds b and the softness s of the edges and of the terms."""
        bounds = np.concatenate([self.squares, self.terms.bounds])
        return bounds, np.concatenate([np.zeros(len(self.edges)), self.terms.soft])

    def smallest(
        self, y: FloatArray, n_pairs: int, known: FloatArray, tol: float
    ) -> Eigenpairs | None:
        """Find the smallest pairs of (L(y), C)."""
        tension = self.tensions(y)
        raised = self._raise(tension)
        if raised is None:
            return None
        L = self._incidence.T.tocsr() @ (sp.diags_array(tension) @ self._incidence)
        L = sp.csr_array(L + sp.diags_array(raised * self.mass) if raised else L)
        with warnings.catch_warnings():  # what comes of it is verified, or only a direction
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                found = smallest_eigenpairs(L, n_pairs, diagonal=self.mass, null=known, tol=tol)
            except np.linalg.LinAlgError:
                return None
        if raised == 0:
            return found
        return Eigenpairs(
            found.values - raised, found.vectors, found.residuals, found.lowest - raised
        )

    def _raise(self, tension: FloatArray) -> float | None:
        """How much of C makes L(y) positive where it is not."""
        if not np.any(tension < 0):
            return 0.0
        for raised in (1.0, 10.0, 1e2, 1e3, 1e4, 1e5):
            factor = self.matrices.factor(tension[:, None, None], -raised * self.mass)
            if factor.n_negative == 0:
                return raised
        return None

    def verified(self, y: FloatArray) -> float:
        """Find a σ, close to the largest, for which L(y) − σC is positive on centred vectors."""
        n = len(self.mass)
        pairs = self.smallest(y, 1, np.ones((n, 1)), 1e-7)
        if pairs is None:
            return -np.inf
        tension = self.tensions(y)
        return largest_shift(self.matrices, tension, self.mass, float(pairs.values[0]))


def _distinct_pairs(n: int, edges: IntArray, more: IntArray) -> tuple[IntArray, IntArray]:
    """The edges and further pairs, and the place of each of the latter among them."""
    if not len(more):
        return edges, np.empty(0, dtype=np.intp)
    weight = np.array([n, 1])
    codes, others = np.sort(edges, axis=1) @ weight, np.sort(more, axis=1) @ weight
    new = np.setdiff1d(others, codes)
    every = np.concatenate([codes, new])
    order = np.argsort(every, kind="stable")
    place = order[np.searchsorted(every[order], others)]
    pairs = np.vstack([edges, np.column_stack([new // n, new % n])]).astype(np.intp)
    return pairs, place.astype(np.intp)
