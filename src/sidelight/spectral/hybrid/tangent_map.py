"""The map of points and of their approximations by neighbours, and the places of new points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, as_dense, require_memory, row_blocks
from sidelight.estimator import Features, keep_matches
from sidelight.mapping import Nystrom, kernel_coordinates
from sidelight.neighbors import edge_matrix
from sidelight.similarity import (
    Centring,
    geodesic_distances,
    kernel_from_distances,
    solve_barycentres,
)
from sidelight.solvers.eigen import column_signs, largest_eigenpairs
from sidelight.spectral.hybrid.steps import Stepping, best_sources

#: From this many points and approximations on, their distances are stored in single precision.
_SINGLE_PRECISION_FROM = 4000
#: An edge is at least this share of the longest, so that it is one.
_SHORTEST = 1e-9


@dataclass(frozen=True)
class Tangled:
    """Points, the approximations of each by its neighbours, and what is known of their distances.

    Nodes are the t points and then the approximations, one for each edge from a neighbour.  The
    distance of an approximation to the point that it was made of is the length ‖δ‖ of the step;
    that to the point that it approximates is the error in the unit of steps.

    Parameters
    ----------
    targets, sources : ndarray of shape (m,)
        The edges: of whom, from whom.
    weights : ndarray of shape (m,)
        Those of the approximations of a point, which sum to one.
    graph : csr_array of shape (t + m, t + m)
        The known distances.
    unit : float
        Steps per unit of the data.
    """

    targets: IntArray
    sources: IntArray
    weights: FloatArray
    graph: sp.csr_array
    unit: float

    @classmethod
    def of(cls, stepping: Stepping, targets: IntArray, sources: IntArray) -> Tangled:
        """Approximate every target by its sources, and weigh the approximations."""
        t, m = len(stepping.rows), len(targets)
        steps = stepping.steps(sources, stepping.rows[targets])
        moved = steps.moves > 0
        unit = float(np.median(steps.lengths[moved] / steps.moves[moved])) if moved.any() else 1.0
        weights = weights_of(steps.items - stepping.rows[targets], targets, stepping.reg)
        nodes = t + np.arange(m)
        lengths = _lengthened(np.concatenate([steps.lengths, unit * steps.errors]))
        graph = edge_matrix(
            np.concatenate([sources, targets]),
            np.concatenate([nodes, nodes]),
            lengths,
            (t + m, t + m),
        )
        return cls(targets, sources, weights, sp.csr_array(graph + graph.T), unit)

    @property
    def n_points(self) -> int:
        """t."""
        return int(self.graph.shape[0]) - len(self.targets)

    def differences(self) -> sp.csr_array:
        """[I, −Wᵀ]: what is left of every point less the mixture of its approximations."""
        t, m = self.n_points, len(self.targets)
        mixed = sp.csr_array((-self.weights, (self.targets, np.arange(m))), shape=(t, m))
        return sp.csr_array(sp.hstack([sp.eye_array(t, format="csr"), mixed]))

    def counts(self, of_points: IntArray) -> IntArray:
        """How often nodes occur: an approximation as often as what it approximates."""
        return np.concatenate([of_points, of_points[self.targets]])


def weights_of(residuals: FloatArray, targets: IntArray, reg: float) -> FloatArray:
    """The weights of approximations that make up their targets best and sum to one."""
    weights = np.empty(len(targets))
    order = np.argsort(targets, kind="stable")
    first, counts = np.unique(targets[order], return_index=True, return_counts=True)[1:]
    for k in np.unique(counts):
        edges = order[first[counts == k][:, None] + np.arange(k)]
        R = residuals[edges]
        weights[edges] = solve_barycentres(R @ np.swapaxes(R, 1, 2), reg=reg)
    return weights


@dataclass(frozen=True)
class TangentMap:
    """Places of points and approximations: the optimum of ‖M − ZZᵀ‖² + ‖Y − WỸ‖².

    Parameters
    ----------
    centring : Centring
        Of −½ D².
    places : ndarray of shape (t + m, d)
        Z.
    values : ndarray of shape (d,)
        Leading eigenvalues of M − ½ C, C = [I, −W]ᵀ[I, −W].
    residuals : ndarray of shape (d,)
        As measured.
    """

    centring: Centring
    places: FloatArray
    values: FloatArray
    residuals: FloatArray


def tangent_map(tangled: Tangled, counts: IntArray, d: int, *, who: str) -> TangentMap:
    """Solve it: the leading eigenvectors of M − ½ C, N^½ z their variables."""
    N = tangled.graph.shape[0]
    dtype = np.float32 if N >= _SINGLE_PRECISION_FROM else np.float64
    D = geodesic_distances(tangled.graph, dtype=dtype, n_jobs=-1, who=who)
    K = kernel_from_distances(D, dtype=D.dtype, out=D)
    centring = Centring.of(K, tangled.counts(counts))
    root = np.sqrt(centring.multiplicities)
    rows = sp.diags_array(np.sqrt(counts.astype(np.float64)))
    F = sp.csr_array(rows @ tangled.differences() @ sp.diags_array(1 / root))
    products = centring.operator(K, in_double=True)

    def apply(block: FloatArray) -> FloatArray:
        return np.asarray(products(block) - 0.5 * (F.T @ (F @ block)))

    pairs = largest_eigenpairs(apply, d, n=N, who=who)
    places = kernel_coordinates(pairs.values, pairs.vectors / root[:, None])
    signs = column_signs(places[: tangled.n_points])
    return TangentMap(centring, places * signs, pairs.values, pairs.residuals)


@dataclass(frozen=True)
class BySteps:
    """A new point and its approximations go where the objective is least while all others stay.

    With the pulls t = Σ_v k̃(·, v) z_v of both, and c = (1, −w): (Λ + ½ ccᵀ) z = t in every
    dimension, of which the first entry is the place of the point.

    Parameters
    ----------
    among : Features
        The distinct points.
    stepping : Stepping
        What they become.
    tangled : Tangled
        Their approximations of one another.
    nystrom : Nystrom
        Of the kernel of all nodes, with ones for eigenvalues.
    values : ndarray of shape (d,)
        Λ.
    k : int
        How many approximations.
    """

    among: Features
    stepping: Stepping
    tangled: Tangled
    nystrom: Nystrom
    values: FloatArray
    k: int

    @cached_property
    def _from_points(self) -> FloatArray:
        """Distances from the points to all nodes."""
        points = np.arange(self.tangled.n_points)
        return geodesic_distances(self.tangled.graph, points, n_jobs=-1, who=self.among.who)

    def __call__(self, new: Any) -> FloatArray:
        """Place new points; a training point where it is."""
        rows = as_dense(new.rows).astype(np.float64, copy=False)
        known = self.nystrom.points[: self.tangled.n_points]
        places = np.empty((len(rows), known.shape[1]))
        for block in row_blocks(len(rows), 24.0 * (self.k + 1) * self.tangled.graph.shape[0]):
            places[block] = self._placed(rows[block])
        return keep_matches(places, self.among.nearest(1, new), known)

    def _placed(self, rows: FloatArray) -> FloatArray:
        m, k = len(rows), self.k
        errors = self.stepping.errors(rows)
        sources = best_sources(errors, k)
        targets = np.repeat(rows, k, axis=0)
        steps = self.stepping.steps(sources.ravel(), targets)
        of = np.repeat(np.arange(m), k)
        w = weights_of(steps.items - targets, of, self.stepping.reg).reshape(m, k)
        gaps = self.tangled.unit * steps.errors.reshape(m, k, 1)
        there = steps.lengths.reshape(m, k, 1) + self._from_points[sources]
        here = (gaps + there).min(axis=1, keepdims=True)
        D = np.concatenate([here, np.minimum(there, gaps + here)], axis=1)
        pulls = self.nystrom(kernel_from_distances(D.reshape(m * (k + 1), -1)))
        pulls = pulls.reshape(m, k + 1, -1)
        c = np.hstack([np.ones((m, 1)), -w])
        pulled = np.einsum("mu,mup->mp", c, pulls)
        matters = self.values > 0
        L = np.where(matters, self.values, 1.0)
        held = L + 0.5 * np.einsum("mu,mu->m", c, c)[:, None]
        return np.where(matters, pulls[:, 0] / L - 0.5 * pulled / (L * held), 0.0)


@dataclass(frozen=True)
class TangledKernel:
    """M − ½ C of the points, without their approximations.

    Parameters
    ----------
    tangled : Tangled
        The points.
    counts : ndarray of shape (t,)
        How often each occurs.
    who : str
        The estimator, for messages.
    """

    tangled: Tangled
    counts: IntArray
    who: str

    def __call__(self) -> FloatArray:
        """Compute it for the distinct points, not centred."""
        points = np.arange(self.tangled.n_points)
        D = geodesic_distances(self.tangled.graph, points, n_jobs=-1, who=self.who)
        return kernel_from_distances(D[:, points]) - np.diag(0.5 / self.counts)

    def of_nodes(self, inverse: IntArray) -> FloatArray:
        """M − ½ C of all rows and then their approximations, centred: the map is kernel PCA of it.

        ``inverse`` is the point that each row is; an approximation occurs as often as its target.
        Eliminating approximations would leave a kernel of the rows that depends on λ, and so is no
        kernel.
        """
        own = self.tangled.counts(self.counts)
        N = int(own.sum())
        require_memory(
            24.0 * N * N,
            what=f"the {N} × {N} kernel of rows and approximations",
            who=self.who,
            instead="Use fewer rows or neighbours.",
        )
        D = geodesic_distances(self.tangled.graph, n_jobs=-1, who=self.who)
        K = kernel_from_distances(D)
        F = self.tangled.differences() @ sp.diags_array(1.0 / own)
        C = (F.T @ sp.diags_array(self.counts.astype(np.float64)) @ F).toarray()
        t = self.tangled.n_points
        nodes = np.concatenate([inverse, np.repeat(np.arange(t, len(own)), own[t:])])
        B = Centring.of(K, own).matrix(K) - 0.5 * C
        return np.asarray(B[np.ix_(nodes, nodes)])


def _lengthened(lengths: FloatArray) -> FloatArray:
    return np.maximum(lengths, _SHORTEST * max(float(lengths.max(initial=0.0)), 1e-300))
