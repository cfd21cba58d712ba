"""Semidefinite embedding (section 1.7)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.core.errors import ContradictionError
from sidelight.core.memory import require_memory
from sidelight.core.parameters import OneOf, Real, Whole
from sidelight.estimator.barycentric import BarycentricEmbedder
from sidelight.estimator.graph_based import GraphEmbedder, Neighborhood
from sidelight.neighbors import component_labels
from sidelight.neighbors.landmarks import spread_landmarks
from sidelight.similarity.barycentre import barycentre_weights
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.program import KernelProgram
from sidelight.solvers.semidefinite.result import principal_axes
from sidelight.solvers.semidefinite.solve import solve
from sidelight.unfolding.semidefinite.common_neighbors import join_common_neighbors
from sidelight.unfolding.semidefinite.conflicts import explain
from sidelight.unfolding.semidefinite.kernel_constraints import KINDS, Told
from sidelight.unfolding.semidefinite.landmark_graph import landmark_graph, place_between_landmarks
from sidelight.unfolding.semidefinite.side_constraints import (
    among_landmarks,
    known_within,
    say_what_is_missed,
    tell,
    ties_between,
    with_slack,
)
from sidelight.unfolding.semidefinite.slack import Softness, relative_violation

#: "auto" for distances of neighbours that are to be kept: exactly leaves the solver no interior.
_SLACK = 1e-3


class SemidefiniteEmbedding(BarycentricEmbedder):
    """Semidefinite embedding (SDE), or maximum variance unfolding (MVU): the data pulled apart.

    The kernel is learned: of all kernels that keep the distances between neighbours, the one with
    the largest variance,

        max_K tr K  over  K ⪰ 0, Σ_ij K_ij = 0, K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖²

    for neighbours i, j (section 1.7, corrected: K_ii for the first term).  The map is kernel PCA
    on it.  What is known are further linear constraints on the same K: a known distance is kept,
    a similar pair comes within a distance, a dissimilar pair stays beyond one, and equal actions
    keep distances (4.4).  Attributes act through a learned metric, before neighbours are found.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    constraint : {"at_most", "equal"}
        Whether neighbours may come closer than in the data (the default: always feasible, for any
        metric) or stay as far apart (a dense solver, for up to about a thousand points).
    slack : float or "auto"
        By how much, relative to its squared distance, a constraint under an average load is missed:
        misses ξ cost Σ ξ² / 2s with s in proportion.  It holds for equalities of neighbours and for
        side information, never for ``"at_most"``; 0 is exactly, and then what contradicts itself is
        an error.  ``"auto"`` is 0.001 for neighbours and 0 for side information.
    common_neighbors : bool
        Whether pairs that are neighbours of one point are constrained too, ηᵀη, as in the text.
    n_landmarks : int, optional
        Unfold so many landmarks, and place all points between them by barycentres, K = Q L Qᵀ;
        rows that side information names are landmarks besides.  By default every point is one.
    side_as : {"constraints", "metric"}
        Whether pairs and distances constrain the kernel or are learned as a metric.
    similar_within : float or "auto"
        How far apart similar rows may be; ``"auto"`` is the median distance of neighbours.
    dissimilar_beyond : float or "auto"
        How close dissimilar rows may be; ``"auto"`` is, for each pair, half of the longest way that
        neighbours, known distances and similar pairs leave between the two.
    tol : float
        Relative gap between the kernel's variance and the proven bound on it.
    max_iter : int
        Most Newton steps.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances, or a sparse graph.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart: pieces that nothing joins could move apart for ever.
        Known distances and similar pairs join pieces too.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    objective_ : float
        tr K, which is the variance of the whole kernel times n_samples.  With landmarks that of
        their kernel, each counted by the rows nearest to it.
    dual_bound_ : float
        No kernel that meets the constraints has a larger trace; with slack, none that misses them
        by no more than this one, in the sense of Σ ξ² / 2s.  With landmarks it is about them.
    gap_ : float
        (dual_bound_ − objective_) / objective_.
    violation_ : float
        By how much the worst constraint on a squared distance is missed, relative to it.
    multipliers_ : ndarray of shape (n_edges,)
        The tension of each edge, y (≥ 0 for ``"at_most"``): without side information K is optimal
        where Σ y_ij (e_i − e_j)(e_i − e_j)ᵀ − I is positive on centred vectors and vanishes on K.
    edges_ : ndarray of shape (n_edges, 2)
        The edges, between the distinct rows in the order in which they first occur, or between
        landmarks.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks, where there are any.
    n_iter_ : int
        Newton steps.
    history_ : ndarray of shape (n_levels, 2)
        The trace and the estimated gap on the way.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.

    Notes
    -----
    Rows that occur several times are one point and count as often in the variance.  A new row is
    placed at the barycentre of its neighbours' places, with the weights that reconstruct it from
    them.  More than 300 rows are solved in a low-rank factor (thousands of rows), except with
    ``Actions`` or ``constraint="equal"``: these need a dense interior point, whose memory grows
    with the square of the number of constraints.

    A fit that is interrupted keeps its best kernel, with the ``gap_`` proven so far, once that
    meets what is asked exactly and has half of the largest variance.  The next fit starts afresh:
    an interior point cannot go on from the boundary that it came to.

    References
    ----------
    K. Q. Weinberger, F. Sha and L. K. Saul (2004), "Learning a kernel matrix for nonlinear
    dimensionality reduction".
    K. Q. Weinberger, B. D. Packer and L. K. Saul (2005), "Nonlinear dimensionality reduction by
    semidefinite programming and kernel matrix factorization".

    Examples
    --------
    Points on a quarter of a circle are pulled straight: the map is as long as the chain.  Told that
    its ends are one apart, it keeps them so.

    >>> import numpy as np
    >>> from sidelight.side import Distances
    >>> from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding
    >>> angle = np.linspace(0, np.pi / 2, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = SemidefiniteEmbedding(1, n_neighbors=2).fit(X)
    >>> float(np.ptp(model.embedding_).round(2)), model.gap_ <= 1e-4
    (1.57, True)
    >>> model = SemidefiniteEmbedding(2, n_neighbors=2).fit(X, side=Distances([(0, 49)], [1.0]))
    >>> float(np.linalg.norm(model.embedding_[0] - model.embedding_[49]).round(4))
    1.0
    """

    _not_saved: ClassVar[tuple[str, ...]] = ("_known", "_ties")
    _of_the_largest: ClassVar[tuple[str, ...]] = (
        "objective_",
        "dual_bound_",
        "gap_",
        "violation_",
        "n_iter_",
        "history_",
    )
    _parameters: ClassVar[Any] = {
        **GraphEmbedder._graph_parameters,
        "constraint": (OneOf(("at_most", "equal")),),
        "slack": (OneOf(("auto",)), Real(0)),
        "common_neighbors": (OneOf((False, True)),),
        "n_landmarks": (OneOf((None,)), Whole(2)),
        "side_as": (OneOf(("constraints", "metric")),),
        "similar_within": (OneOf(("auto",)), Real(0)),
        "dissimilar_beyond": (OneOf(("auto",)), Real(0)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        constraint: str = "at_most",
        slack: float | str = "auto",
        common_neighbors: bool = False,
        n_landmarks: int | None = None,
        side_as: str = "constraints",
        similar_within: float | str = "auto",
        dissimilar_beyond: float | str = "auto",
        tol: float = 1e-4,
        max_iter: int = 500,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.constraint = constraint
        self.slack = slack
        self.common_neighbors = common_neighbors
        self.n_landmarks = n_landmarks
        self.side_as = side_as
        self.similar_within = similar_within
        self.dissimilar_beyond = dissimilar_beyond
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    @property
    def _side_checks(self) -> dict[str, Any]:
        return {"strict": self._side_slack == 0}  # distances that contradict each other

    @property
    def _side_slack(self) -> float:
        """What is known is kept exactly, unless the user says otherwise."""
        return 0.0 if isinstance(self.slack, str) else float(self.slack)

    def _learn_metrics(self, X: Any, known: dict[str, Any]) -> Any:
        """Set aside what constrains the kernel; the rest is learned as a metric."""
        kinds = KINDS if self.side_as == "constraints" else ("Actions",)
        self._known = {kind: known[kind] for kind in kinds if kind in known}
        self._ties: IntArray = np.empty((0, 2), dtype=np.intp)
        return super()._learn_metrics(X, {k: v for k, v in known.items() if k not in self._known})

    def _apply_policy(
        self, graph: sp.csr_array, pieces: IntArray, points: Any
    ) -> tuple[sp.csr_array, IntArray]:
        """Pieces that side information keeps within a distance need not be joined."""
        ties = ties_between(self._known, self._distinct.inverse, pieces)
        if len(ties):
            half = sp.csr_array((np.ones(len(ties)), (ties[:, 0], ties[:, 1])), shape=graph.shape)
            tied = sp.csr_array(graph + half + half.T)
            left = component_labels(tied)
            if not left.any() or self.on_disconnected == "connect":
                self._ties, graph, pieces = ties, tied, left
        if not pieces.any():
            return graph, np.empty((0, 2), dtype=np.intp)
        return super()._apply_policy(graph, pieces, points)

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        graph = self._neighbor_distances(neighborhood)
        told = self._tell(graph)
        counts = neighborhood.counts.astype(np.float64)
        landmarks = self._choose_landmarks(neighborhood, told)
        if landmarks is None:
            upper = sp.coo_array(sp.triu(graph, 1))
            self.edges_ = np.column_stack(upper.coords).astype(np.intp)
            factor = self._unfold(upper.data.astype(np.float64), counts, told, self._distinct.rows)
        else:
            factor = self._unfold_landmarks(graph, neighborhood, told, landmarks)
        self._factor = factor
        values = counts @ factor**2
        places = np.zeros((len(counts), self.n_components_))
        kept = min(self.n_components_, len(values))
        places[:, :kept] = factor[:, :kept]
        self.eigenvalues_ = np.zeros(self.n_components_)
        self.eigenvalues_[:kept] = values[:kept]
        self._places = places
        return places

    def _unfold(
        self, lengths: FloatArray, mass: FloatArray, told: Told | None, rows: IntArray
    ) -> FloatArray:
        """Solve the semidefinite program on points or landmarks, and keep what it proves."""
        softness = Softness.of(self.edges_, lengths, mass)
        of_neighbors = _SLACK if isinstance(self.slack, str) else self.slack
        if told is not None and self._side_slack > 0:
            told = with_slack(told, softness, self._side_slack)
        try:
            program = KernelProgram.unfolding(
                self.edges_,
                lengths,
                len(mass),
                mass=mass,
                constraint=self.constraint,
                softness=softness(of_neighbors, lengths**2),
                beside=None if told is None else told.constraints,
                who=self._name,
            )
            found = solve(program, tol=self.tol, max_iter=self.max_iter, who=self._name)
        except ContradictionError as error:
            raise ContradictionError(
                explain(error, told, self.edges_, rows, who=self._name), error.certificate
            ) from error
        self.objective_, self.dual_bound_, self.gap_ = found.objective, found.dual_bound, found.gap
        self.multipliers_, self.n_iter_ = found.multipliers[: len(lengths)], found.n_iter
        self.history_ = found.history
        along = PairConstraints.on_pairs(self.edges_, lengths**2, self.constraint)
        self.violation_ = relative_violation(along, found.factor, lengths)
        if told is not None:
            missed = relative_violation(told.constraints, found.factor, lengths)
            self.violation_ = max(self.violation_, missed)
            say_what_is_missed(told, found.factor, who=self._name)
        return found.factor

    def _unfold_landmarks(
        self,
        graph: sp.csr_array,
        neighborhood: Neighborhood,
        told: Told | None,
        landmarks: IntArray,
    ) -> FloatArray:
        """Unfold landmarks, and place all points between them: K = Q L Qᵀ."""
        points, counts = neighborhood.points, neighborhood.counts
        k = self._k or max(1, neighborhood.arrows.nnz // len(counts))
        few = landmark_graph(
            graph, points, counts, landmarks, k, metric=self._metric, who=self._name
        )
        self.landmarks_ = self._distinct.rows[landmarks]
        self.edges_ = few.edges.astype(np.intp)
        told = None if told is None else among_landmarks(told, landmarks, len(counts))
        between = self._unfold(few.lengths, few.mass, told, self.landmarks_)
        W = barycentre_weights(neighborhood.arrows, self._gram_of_points(), reg=self._reg)
        factor = place_between_landmarks(W, landmarks, between)
        return principal_axes(factor, counts.astype(np.float64))

    def _choose_landmarks(self, neighborhood: Neighborhood, told: Told | None) -> IntArray | None:
        n = neighborhood.points.shape[0]
        if self.n_landmarks is None or self.n_landmarks >= n:
            return None
        if self.n_landmarks <= self.n_components_:
            raise ValueError(
                f"The 'n_landmarks' parameter of {self._name} must be above n_components="
                f"{self.n_components_}. Got {self.n_landmarks} instead."
            )
        landmarks = spread_landmarks(neighborhood.points, self.n_landmarks, metric=self._metric)
        if told is None:
            return landmarks
        if "Actions" in self._known:
            raise ValueError(
                f"{self._name} cannot use Actions with landmarks: they speak of every row. Leave "
                f"n_landmarks={self.n_landmarks} out."
            )
        return np.union1d(landmarks, told.constraints.pairs)  # who is spoken of is there

    def _neighbor_distances(self, neighborhood: Neighborhood) -> sp.csr_array:
        """The graph without what only side information holds together, with what the user adds."""
        graph = neighborhood.graph
        if len(self._ties):
            n, entries = graph.shape[0], sp.coo_array(graph)
            ends = np.column_stack(entries.coords).astype(np.intp)
            codes = np.sort(ends, axis=1) @ np.array([n, 1])
            real = ~np.isin(codes, self._ties @ np.array([n, 1]))
            graph = sp.csr_array((entries.data[real], ends[real].T), shape=graph.shape)
        if self.common_neighbors:
            if self._from_graph:
                raise ValueError(
                    f"{self._name} cannot use common_neighbors=True with a sparse graph, which "
                    f"does not hold their distances. Give a dense table, or a graph that has "
                    f"these edges too and common_neighbors=False."
                )
            arrows, points = neighborhood.arrows, neighborhood.points
            graph = join_common_neighbors(
                graph, arrows, points, metric=self._metric, who=self._name
            )
        return graph

    def _tell(self, graph: sp.csr_array) -> Told | None:
        if not self._known:
            return None
        return tell(
            self._known,
            graph,
            self._distinct,
            similar_within=self.similar_within,
            dissimilar_beyond=self.dissimilar_beyond,
            equal=self.constraint == "equal",
            slack=self._side_slack > 0,
            who=self._name,
        )

    def _known_within(self, rows: IntArray) -> Any:
        return known_within(self._known, rows)

    def _fit_pieces(self, X: Any) -> None:
        lost = len(ties_between(self._known, np.arange(X.shape[0]), self.pieces_))
        if lost or "Actions" in self._known:
            left_out = f"{lost} pairs of rows in different pieces" if lost else "Actions"
            warnings.warn(
                f"{self._name} embedded the pieces of a graph one by one, and left out what is "
                f"known about {left_out}. Use on_disconnected='connect'.",
                UserWarning,
                stacklevel=3,
            )
        super()._fit_pieces(X)

    def kernel(self) -> FloatArray:
        """Compute the learned kernel K.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Positive semidefinite and centred; its trace is ``objective_``.
        """
        check_is_fitted(self)
        self._kernel_of_one_piece()
        inverse: IntArray = self._distinct.inverse
        n = len(inverse)
        require_memory(
            8.0 * n * n, what=f"the {n} × {n} kernel", who=self._name, instead="Use fewer rows."
        )
        R = self._factor[inverse]
        return np.asarray(R @ R.T)
