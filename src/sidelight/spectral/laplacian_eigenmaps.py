"""Laplacian eigenmaps (section 1.4)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray
from sidelight.core.memory import require_memory
from sidelight.core.parameters import OneOf, Real
from sidelight.estimator.graph_based import GraphEmbedder, Neighborhood
from sidelight.similarity.laplacian import (
    affinity_from_graph,
    edge_weights,
    heat_width,
    laplacian_of,
)
from sidelight.similarity.stiffness import pseudo_inverse
from sidelight.solvers.eigen.eigenpairs import smallest_eigenpairs


class LaplacianEigenmaps(GraphEmbedder):
    """Laplacian eigenmaps (LEM): the smoothest functions on the graph of neighbours.

    Minimises Σ_ij W_ij ‖y_i − y_j‖² = 2 tr(Yᵀ L Y), L = R − W, under Yᵀ R Y = I (under YᵀY = I if
    not normalised), orthogonal to the constant: L y = λ R y (section 1.4, corrected).

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    radius : float, optional
        Join all points closer than this instead.
    weights : {"binary", "heat"}
        W_ij = 1, or exp(−d_ij²/2s²).
    width : float, optional
        s; by default the median length of the edges.
    normalized : bool
        Whether points count by their degree R or alike.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances, or a sparse graph.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        The smallest λ after that of the constant.
    residuals_ : ndarray of shape (n_components,)
        ‖L y − λ R y‖ relative to the largest eigenvalue, as measured.
    components_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    width_ : float
        The s used with heat weights.

    Notes
    -----
    A new row is placed at Σ_j w(x, x_j) y_j / ((1 − λ) Σ_j w(x, x_j)), the Nyström formula for
    R⁻¹W, whose eigenvalues are 1 − λ; where 1 − λ is not well above zero the plain mean is used.

    References
    ----------
    M. Belkin and P. Niyogi (2003), "Laplacian eigenmaps for dimensionality reduction and data
    representation".

    Examples
    --------
    The eigenvalues of a path are known: 1 − cos(π p / (n − 1)) for the normalised Laplacian.

    >>> import numpy as np
    >>> from sidelight import LaplacianEigenmaps
    >>> X = np.arange(6.0)[:, None]
    >>> lem = LaplacianEigenmaps(2, radius=1.0).fit(X)
    >>> lem.eigenvalues_.round(6), (1 - np.cos(np.pi * np.array([1, 2]) / 5)).round(6)
    (array([0.190983, 0.690983]), array([0.190983, 0.690983]))
    """

    _parameters: ClassVar[Any] = {
        **GraphEmbedder._graph_parameters,
        **GraphEmbedder._radius_parameter,
        "weights": (OneOf(("binary", "heat")),),
        "width": (OneOf((None,)), Real(0, open_below=True)),
        "normalized": (OneOf((True, False)),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        radius: float | None = None,
        weights: str = "binary",
        width: float | None = None,
        normalized: bool = True,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.weights = weights
        self.width = width
        self.normalized = normalized
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        if self.weights == "heat":
            self.width_ = self.width or heat_width(neighborhood.graph)
        W = affinity_from_graph(
            neighborhood.graph,
            weights=self.weights,
            width=getattr(self, "width_", None),
            multiplicities=neighborhood.counts,
        )
        L, degrees = laplacian_of(W)
        mass = degrees if self.normalized else neighborhood.counts.astype(np.float64)
        constant = np.ones((L.shape[0], 1))
        pairs = smallest_eigenpairs(
            L, self.n_components_, diagonal=mass, null=constant, who=self._name
        )
        self.eigenvalues_, self.residuals_ = pairs.values, pairs.residuals
        self._laplacian, self._mass, self._counts = L, mass, neighborhood.counts
        self._places = pairs.vectors
        return pairs.vectors

    def _place(self, X: Any) -> FloatArray:
        near = self._neighbors_of_new(X)
        w = edge_weights(near.distances, weights=self.weights, width=getattr(self, "width_", None))
        w = np.where(np.isfinite(near.distances), w, 0.0) * self._counts[near.indices]
        degree = w.sum(axis=1, keepdims=True)
        share = 1 - self.eigenvalues_ / (1.0 if self.normalized else degree)
        mean = np.einsum("ij,ijp->ip", w, self._places[near.indices]) / degree
        places = mean / np.where(share > 0.05, share, 1.0)
        return self._keep_matches(places, near, self._places)

    def kernel(self) -> FloatArray:
        """Compute the kernel that this is kernel PCA of: the pseudo-inverse of L (eq. 1.7).

        Normalised, it is the pseudo-inverse of R^{−½} L R^{−½}, and the map is R^{−½} times its
        leading eigenvectors.  The eigenvalues of the kernel are 1/λ.

        Returns
        -------
        ndarray of shape (n_points, n_points)
            Of the distinct rows.
        """
        check_is_fitted(self)
        self._kernel_of_one_piece()
        root = np.sqrt(self._mass)
        n = len(root)
        require_memory(
            24.0 * n * n, what=f"the {n} × {n} kernel", who=self._name, instead="Use fewer rows."
        )
        return pseudo_inverse(self._laplacian.toarray() / np.outer(root, root), root)
