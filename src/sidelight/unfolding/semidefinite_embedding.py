"""Semidefinite embedding (section 1.7)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from sidelight.arrays import FloatArray, IntArray
from sidelight.graph_based import GraphEmbedder, Neighborhood
from sidelight.memory import require_memory
from sidelight.parameters import OneOf, Real, Whole
from sidelight.similarity.barycentre import (
    local_gram_from_distances,
    local_gram_from_features,
    solve_barycentres,
)
from sidelight.solvers.semidefinite import CONSTRAINTS, unfold

#: Added to the local Gram matrices that place new rows, relative to their trace.
_REG = 1e-3
#: What a fit to the pieces of a graph takes over from the largest of them.
_OF_THE_LARGEST = ("objective_", "dual_bound_", "gap_", "violation_", "n_iter_", "history_")


class SemidefiniteEmbedding(GraphEmbedder):
    """Semidefinite embedding (SDE), or maximum variance unfolding (MVU): the data pulled apart.

    The kernel is learned: of all kernels that keep the distances between neighbours, the one with
    the largest variance,

        max_K tr K  over  K ⪰ 0, Σ_ij K_ij = 0, K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖²

    for neighbours i, j (section 1.7, corrected: K_ii for the first term).  The map is kernel PCA
    on it.  Pairs, attributes and distances act through a learned metric, before neighbours are
    found.

    Parameters
    ----------
    n_components : int
        Dimensions of the map.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    constraint : {"at_most", "equal"}
        Whether neighbours may come closer than in the data (the default: always feasible, for any
        metric) or stay exactly as far apart (a dense solver, for a few hundred points).
    tol : float
        Relative gap between the kernel's variance and the proven bound on it.
    max_iter : int
        Most Newton steps.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart: pieces that nothing joins could move apart for ever.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    objective_ : float
        tr K, which is the variance of the whole kernel times n_samples.
    dual_bound_ : float
        No kernel that meets the constraints has a larger trace.
    gap_ : float
        (dual_bound_ − objective_) / objective_.
    violation_ : float
        By how much the worst constraint on a squared distance is missed, relative to it.
    multipliers_ : ndarray of shape (n_edges,)
        The tension of each edge, y ≥ 0: K is optimal where Σ y_ij (e_i − e_j)(e_i − e_j)ᵀ − I is
        positive on centred vectors and vanishes on K.
    edges_ : ndarray of shape (n_edges, 2)
        The edges, between the distinct rows in the order in which they first occur.
    n_iter_ : int
        Newton steps.
    history_ : ndarray of shape (n_levels, 2)
        The trace and the estimated gap on the way.
    components_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.

    Notes
    -----
    Rows that occur several times count as often in the variance.  A new row is placed at the
    barycentre of its neighbours' places, with the weights that reconstruct it from them.

    References
    ----------
    K. Q. Weinberger, F. Sha and L. K. Saul (2004), "Learning a kernel matrix for nonlinear
    dimensionality reduction".

    Examples
    --------
    Points on a quarter of a circle are pulled straight: the map is as long as the chain.

    >>> import numpy as np
    >>> from sidelight.unfolding.semidefinite_embedding import SemidefiniteEmbedding
    >>> angle = np.linspace(0, np.pi / 2, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = SemidefiniteEmbedding(1, n_neighbors=2).fit(X)
    >>> float(np.ptp(model.embedding_).round(2)), model.gap_ <= 1e-4
    (1.57, True)
    """

    _parameters: ClassVar[Any] = {
        **GraphEmbedder._graph_parameters,
        "constraint": (OneOf(CONSTRAINTS),),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | str = "auto",
        constraint: str = "at_most",
        tol: float = 1e-4,
        max_iter: int = 500,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.constraint = constraint
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        upper = sp.coo_array(sp.triu(neighborhood.graph, 1))
        self.edges_ = np.column_stack(upper.coords).astype(np.intp)
        lengths = upper.data.astype(np.float64)
        counts = neighborhood.counts.astype(np.float64)
        found = unfold(
            self.edges_,
            lengths,
            len(counts),
            mass=counts,
            constraint=self.constraint,
            tol=self.tol,
            max_iter=self.max_iter,
            who=self._name,
        )
        self._factor = found.factor
        self.objective_, self.dual_bound_, self.gap_ = found.objective, found.dual_bound, found.gap
        self.multipliers_, self.n_iter_ = found.multipliers, found.n_iter
        self.history_ = found.history
        self.violation_ = self._violation(lengths)
        values = counts @ found.factor**2
        places = np.zeros((len(counts), self.n_components))
        kept = min(self.n_components, len(values))
        places[:, :kept] = found.factor[:, :kept]
        self.eigenvalues_ = np.zeros(self.n_components)
        self.eigenvalues_[:kept] = values[:kept]
        self._places = places
        return places

    def _violation(self, lengths: FloatArray) -> float:
        spans = self._factor[self.edges_[:, 0]] - self._factor[self.edges_[:, 1]]
        squares, bounds = np.einsum("ij,ij->i", spans, spans), lengths**2
        excess = (squares - bounds) / np.where(bounds > 0, bounds, 1.0)
        worst = np.abs(excess) if self.constraint == "equal" else excess
        return float(worst.max(initial=0.0))

    def _fit_pieces(self, X: Any) -> None:
        super()._fit_pieces(X)
        for name in _OF_THE_LARGEST:
            if hasattr(self._parts[0], name):
                setattr(self, name, getattr(self._parts[0], name))

    def _place(self, X: Any) -> FloatArray:
        near = self._neighbors_of_new(X)
        if self._precomputed:
            G = local_gram_from_distances(self._points, near.indices, X)
        else:
            G = local_gram_from_features(self._points, near.indices, X)
        w = solve_barycentres(G, reg=_REG)
        places = np.einsum("ij,ijp->ip", w, self._places[near.indices])
        return self._keep_matches(places, near, self._places)

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
