"""Hybrid embedding (informed-embedding thesis, chapter 2)."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from sidelight.core import (
    FUNCTION,
    FloatArray,
    Matching,
    OneOf,
    Real,
    Whole,
    refuse_without_effect,
    warn,
)
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Embedder,
    Map,
    Neighborhood,
    Points,
    Told,
    map_of_neighborhood,
    neighborhood_asked,
    points_of,
    told_of_order,
    without_order,
)
from sidelight.mapping import kernel_coordinates
from sidelight.solvers.eigen import fix_signs
from sidelight.spectral.hybrid.closed_form import HybridProblem
from sidelight.spectral.hybrid.inner_products import InnerProducts, inner_products
from sidelight.spectral.hybrid.locality import holding, stiffness_of
from sidelight.spectral.hybrid.placing import HybridKernel, PulledAndHeld

_SHARE = Matching(lambda value: Real(0).admits(value) and value <= 1, "a float in [0, 1]")
_METRIC = Matching(lambda value: isinstance(value, str), "the name of a metric")


class HybridEmbedding(Embedder):
    """Hybrid embedding: one method that keeps distances and one that keeps neighbours, in one.

    Minimises (1 − α) ‖M − ZZᵀ‖² + α w tr(Zᵀ L Z) (eq. 2.3), M the inner products that classical
    scaling or Isomap asks for, L the matrix of LLE or of Laplacian eigenmaps, in closed form: with
    B = (1 − α) M − (α/2) w L, the constant vector taken off, the map is given by the leading
    eigenvectors of B, their squared lengths σ/(1 − α), σ the eigenvalues (eq. 2.5, corrected);
    directions whose eigenvalue is negative have no extent.  α = 0 is the distance method.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    alpha : float
        α, from 0, distances alone, to 1, neighbours alone; below 1 for the optimum.
    distance : {"isomap", "mds"}
        Which distances are kept: along the graph of neighbours, or as they are.
    locality : {"lle", "laplacian"}
        Which L: (I − W)ᵀ(I − W) of the mixtures of LLE, or the Laplacian of the graph.
    variant : {"optimum", "directions"}
        The optimum of the objective, or the leading eigenvectors of B as directions of length one,
        whatever the signs of their eigenvalues.  As α goes to 1 the optimum shrinks to nothing,
        and the directions become those of the locality method.
    balance : {"norm", "map"}
        w: ``"norm"`` gives L the norm of M, as the text does; ``"map"`` makes the d-th smallest
        eigenvalue of L as large as the d-th largest of M, so that maps change all along α.
    distance_metric : str or callable, optional
        By which the distances that are kept are measured, where it is another than ``metric``;
        ``"precomputed"`` for a table that is given to ``fit`` as ``distances=``.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    n_landmarks : int, optional
        From how many landmarks distances along the graph are measured; by default from all points.
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
        Leading eigenvalues of ``kernel()``: σ/(1 − α), or σ of directions.
    residuals_ : ndarray of shape (n_components,)
        ‖B y − σ y‖ as measured, relative to the largest eigenvalue in size, or a bound on it.
    weight_ : float
        w.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.

    Notes
    -----
    The text gives M the norm of L; here L gets that of M, which is the same map in the units of the
    distances.  Norms are largest eigenvalues.

    A new row is placed where the objective is least while all other rows stay: its distances pull,
    its neighbours hold.  Beside a table of distances, which new rows do not have, its neighbours
    alone place it.

    L is never a dense matrix; nor is M with landmarks, or of Euclidean distances as they are.  B
    is only applied, and the search for its eigenvectors begins at those of both methods and is
    led by the sparse factors of L.

    References
    ----------
    A. Ghodsi (2005), "Nonlinear dimensionality reduction with side information", chapter 2.

    Examples
    --------
    Without locality it is Isomap.

    >>> import numpy as np
    >>> from sidelight import HybridEmbedding, Isomap
    >>> angle = np.linspace(0, np.pi / 2, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> Z = HybridEmbedding(1, alpha=0, n_neighbors=2).fit_transform(X)
    >>> bool(np.allclose(Z, Isomap(1, n_neighbors=2).fit_transform(X)))
    True
    """

    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        "alpha": (_SHARE,),
        "distance": (OneOf(("isomap", "mds")),),
        "locality": (OneOf(("lle", "laplacian")),),
        "variant": (OneOf(("optimum", "directions")),),
        "balance": (OneOf(("norm", "map")),),
        "distance_metric": (OneOf((None,)), _METRIC, FUNCTION),
        "n_landmarks": (OneOf((None,)), Whole(2)),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        alpha: float = 0.5,
        distance: str = "isomap",
        locality: str = "lle",
        variant: str = "optimum",
        balance: str = "norm",
        distance_metric: Any = None,
        n_neighbors: int | str = "auto",
        n_landmarks: int | None = None,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.distance = distance
        self.locality = locality
        self.variant = variant
        self.balance = balance
        self.distance_metric = distance_metric
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def fit(
        self, X: Any, y: Any = None, *, side: Any = None, items: Any = None, distances: Any = None
    ) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples), or a
            sparse graph of them.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: taken out of the features, or learned as a metric that all distances are
            measured in; an Invariance is forgiven by the distances that are kept, and not by
            those of neighbours; adjacent rows of a Sequence are neighbours; the finished map is
            brought to anchors.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.
        distances : array of shape (n_samples, n_samples), optional
            With ``distance_metric="precomputed"``, the distances that are kept.

        Returns
        -------
        Self
            The fitted estimator.
        """
        (fitted,) = self._fitted_at([self._checked_alpha(self.alpha)], X, side, items, distances)
        return self._adopt(*fitted)

    def alpha_path(
        self,
        X: Any,
        alphas: Iterable[float],
        *,
        side: Any = None,
        items: Any = None,
        distances: Any = None,
    ) -> list[Self]:
        """Fit the maps of several α: both methods are prepared once, each map leads to the next.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            As in ``fit``.
        alphas : iterable of float
            The α.
        side : side information or list of it, optional
            As in ``fit``.
        items : array of shape (n_samples, n_items_features), optional
            As in ``fit``.
        distances : array of shape (n_samples, n_samples), optional
            As in ``fit``.

        Returns
        -------
        list of HybridEmbedding
            One fitted estimator for each α, as ``fit`` would have made it.
        """
        asked = clone(self)
        alphas = [asked._checked_alpha(alpha) for alpha in alphas]
        path = []
        for alpha, fitted in zip(
            alphas, asked._fitted_at(alphas, X, side, items, distances), strict=True
        ):
            at = copy(asked)
            at.alpha = alpha
            path.append(at._adopt(*fitted))
        return path

    def _fitted_at(
        self, alphas: list[float], X: Any, side: Any, items: Any, distances: Any
    ) -> list[tuple[Told, Map]]:
        """The maps of several α, each told of an order where that does it good."""
        told = self._hear(X, side, items)
        halves = self._halves(told, distances)
        plain = cache(lambda: self._halves(without_order(told), distances))

        def fitted(alpha: float) -> tuple[Told, Map]:
            found = self._map_at(alpha, halves)
            return told_of_order(
                self, told, halves.near, found, lambda: (told, self._map_at(alpha, plain()))
            )

        return [fitted(alpha) for alpha in alphas]

    def _checked_alpha(self, alpha: Any) -> float:
        if not _SHARE.admits(alpha):
            raise ValueError(
                f"The 'alpha' parameter of {self._name} must be {_SHARE}. Got {alpha!r} instead."
            )
        if alpha == 1 and self.variant == "optimum":
            raise ValueError(
                f"The 'alpha' parameter of {self._name} must be below 1 for the optimum, which "
                f"shrinks to nothing as alpha goes to 1. Got 1. Use variant='directions'."
            )
        return float(alpha)

    def _halves(self, told: Told, distances: Any) -> Halves:
        """The neighbourhood, and the points as the distances that are kept see them."""
        if self.distance == "mds":
            refuse_without_effect(self, ["n_landmarks"], "with distance='mds'")
            if self.distance_metric is None:
                told.points.require_all_pairs(
                    f"The 'distance' parameter of {self._name} must be 'isomap' for a sparse "
                    f"graph, which holds the distances of neighbours alone. Got 'mds'. Give a "
                    f"dense table, or those to keep: fit(X, distances=…) and "
                    f"distance_metric='precomputed'."
                )
        if "Invariance" in told.known:  # the distances forgive; neighbours stay near
            refuse_without_effect(self, ["distance_metric"], "beside an Invariance")
            plain = points_of(told.points.rows, self.metric, who=self._name)
            return Halves(self._neighborhood(replace(told, points=plain)), told.points)
        return Halves(self._neighborhood(told), self._seen(told.points, distances))

    def _seen(self, points: Points, distances: Any) -> Any:
        given = distances is not None
        if given != (self.distance_metric == "precomputed"):
            raise ValueError(
                f"{self._name} takes a table of distances with distance_metric='precomputed' and "
                f"fit(X, distances=…), both. Got distance_metric={self.distance_metric!r} and "
                f"{'no' if distances is None else 'a'} table."
            )
        if self.distance_metric is None:
            return None
        if not given and points.features is None:
            raise ValueError(
                f"The 'distance_metric' parameter of {self._name} compares rows of features, and "
                f"metric='precomputed' has none. Give the table of the distances to keep: "
                f"distance_metric='precomputed' and fit(X, distances=…)."
            )
        if not given:
            return points_of(points.features, self.distance_metric, who=self._name)
        table = self._checked_table(distances, "distances", columns="n_samples")
        if table.shape != (points.n, points.n):
            raise ValueError(
                f"The 'distances' argument of {self._name}.fit must be a table of the distances "
                f"between all {points.n} rows of X. Got an array of shape {table.shape}."
            )
        return points_of(table, "precomputed", who=self._name)

    _neighborhood = neighborhood_asked

    def kernel(self) -> FloatArray:
        """Compute the kernel that the map comes from: inner products of all rows, centred.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Symmetric, its rows sum to zero.
        """
        return self._kernel()

    def _map_at(self, alpha: float, halves: Halves) -> Map:
        def embed(near: Neighborhood) -> Map:
            return self._map_of_half(alpha, near, halves.prepared(near, self))

        return map_of_neighborhood(halves.near, embed, self.n_components_, self.on_disconnected)

    def _map_of_half(self, alpha: float, near: Neighborhood, both: Both) -> Map:
        problem, weight = both.problem, both.problem.weight(self.balance)
        pairs = problem.leading(alpha, weight, both.last)
        both.last = pairs.vectors
        values: FloatArray = pairs.values
        vectors: FloatArray = pairs.vectors / problem.stiffness.root[:, None]
        share = 1.0
        if self.variant == "optimum":
            share = 1 - alpha
            values = np.where(values > 1e-12 * max(float(values[0]), 0.0), values, 0.0)
            self._warn_of_lost(int(np.count_nonzero(values)), alpha)
            vectors = kernel_coordinates(values / share, vectors)
        places = fix_signs(vectors)
        other = None if both.seen is near.points else both.seen
        unseen = other is not None and other.features is None  # a table knows no new rows
        place = PulledAndHeld(
            None if unseen else both.products.pull(places),
            holding(self.locality, near, places),
            values,
            alpha,
            weight,
            None if unseen else other,
            near.distinct,
        )
        facts = {
            "eigenvalues_": pairs.values / share,
            "residuals_": pairs.residuals,
            "weight_": weight,
        }
        kernel = HybridKernel(both.products.kernel, problem.stiffness, alpha, weight, share)
        return Map(places, place, facts, kernel)

    def _warn_of_lost(self, n_left: int, alpha: float) -> None:
        if n_left < self.n_components_:
            warn(
                f"The optimum of {self._name} has an extent in {n_left} of {self.n_components_} "
                f"dimensions at alpha={alpha:g}: the others are zero. Lower alpha, ask for fewer "
                f"components, or take variant='directions'.",
                UserWarning,
            )


@dataclass
class Both:
    """The two methods on one neighbourhood, prepared, and the last vectors that were found."""

    seen: Points
    products: InnerProducts
    problem: HybridProblem
    last: FloatArray | None = None


@dataclass(frozen=True)
class Halves:
    """What is prepared once for every α.

    Parameters
    ----------
    near : Neighborhood
        Of all points.
    seen : Points, optional
        All rows of X as the distances that are kept see them, where that is otherwise.
    """

    near: Neighborhood
    seen: Any
    _both: dict[int, Both] = field(default_factory=dict)

    def prepared(self, near: Neighborhood, asked: HybridEmbedding) -> Both:
        """Both methods on a piece of the neighbourhood, which its first row names."""
        first = int(near.rows[0])
        if first not in self._both:
            seen = near.points if self.seen is None else self.seen.take(near.rows)
            stiffness = stiffness_of(asked.locality, near, asked.on_disconnected)
            products = inner_products(
                asked.distance, near, seen, asked.n_neighbors, asked.n_landmarks
            )
            problem = HybridProblem(
                products.apply, stiffness, asked.n_components_, near.who, products.precision
            )
            self._both[first] = Both(seen, products, problem)
        return self._both[first]
