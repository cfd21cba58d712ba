"""Latent methods that see the data through the distances between items."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sidelight.core.arrays import FloatArray, IntArray, is_sparse
from sidelight.core.memory import require_memory
from sidelight.core.parameters import (
    COMPONENTS,
    FUNCTION,
    RANDOM_STATE,
    Matching,
    OneOf,
    Real,
    Whole,
)
from sidelight.estimator.base import Embedder, place_in_blocks
from sidelight.estimator.listening import MetricInformed
from sidelight.estimator.resuming import Resumable
from sidelight.neighbors import distinct_rows, nearest_neighbors
from sidelight.neighbors.given_distances import check_distance_block, check_distances
from sidelight.neighbors.metrics import check_metric, distance_blocks
from sidelight.solvers.descent.quasi_newton import Descent


class DistanceEmbedder(Resumable, MetricInformed, Embedder):
    """The common part: the table of distances, and places for new rows.

    A subclass gives ``_place_by_distances(D)``, the places of rows by their distances to the
    training rows.
    """

    _distance_parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "metric": (Matching(lambda v: isinstance(v, str), "the name of a metric"), FUNCTION),
        "max_iter": (Whole(1),),
        "tol": (Real(0, open_below=True),),
        "warm_start": (OneOf((True, False)),),
        "random_state": (RANDOM_STATE,),
    }
    #: Tables of n × n numbers that a fit holds at once.
    _tables: ClassVar[int] = 4

    n_components: int | str
    metric: Any
    objective_: float
    history_: FloatArray
    n_iter_: int

    def transform(self, X: Any) -> FloatArray:
        """Place new rows in the map, the training rows staying where they are.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows; with precomputed distances the block (n_samples, n_training).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places; each row's depends on that row alone, and a training row's is its own.
        """
        X = self._in_learned_metric(self._check_new(X))
        return place_in_blocks(self._place, X, len(self.embedding_))

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _read(self, X: Any, side: Any, items: Any) -> tuple[FloatArray, dict[str, Any]]:
        """Check everything; give the distances and what is known besides a learned metric."""
        given = self._precomputed
        X, known = self._check_input(X, side, pairwise='metric="precomputed"' if given else "")
        self._metric = check_metric(self.metric, who=self._name)
        n = X.shape[0]
        self._check_components(n)
        self._items = self._check_items(items, n) if given else X
        X = self._learn_metrics(X, known)
        self._points = None if given else X
        require_memory(
            8.0 * self._tables * n * n,
            what=f"{self._tables} tables of {n} × {n} numbers",
            who=self._name,
            instead="Fit a sample of the rows and transform() the others.",
        )
        D: FloatArray
        self._distinct = distinct_rows(X, metric=self._metric, who=self._name)
        if given:
            D = np.asarray(check_distances(X, who=self._name), dtype=np.float64)
        else:
            D = self._distances_to(X)
            D = (D + D.T) / 2
            # products leave a trace of rounding between equal rows
            D[np.equal.outer(self._distinct.inverse, self._distinct.inverse)] = 0.0
        if not D.any():
            raise ValueError(
                f"{self._name} needs at least two distinct rows. Got {n} rows that are all the "
                f"same (n_samples={n}): their distances say nothing."
            )
        return D, known

    def _check_components(self, n: int) -> None:
        if self.n_components_ > n:
            raise ValueError(
                f"The 'n_components' parameter of {self._name} must be at most n_samples={n}. "
                f"Got {self.n_components_} instead."
            )

    def _distances_to(self, X: Any) -> FloatArray:
        points: Any = self._points
        if self._metric in ("euclidean", "l2") and not is_sparse(points):
            # products of numbers far from zero would lose what differs between rows
            middle = points.mean(axis=0, dtype=np.float64)
            points, X = points - middle, X - middle
        blocks = distance_blocks(points, X, self._metric, who=self._name)
        return np.vstack([np.asarray(D, dtype=np.float64) for _, D in blocks])

    def _place(self, X: Any) -> FloatArray:
        D: FloatArray
        if self._precomputed:
            block = check_distance_block(X, len(self.embedding_), who=self._name, name="X")
            D = np.asarray(block, dtype=np.float64)
            nearest: IntArray = np.argmin(D, axis=1)
            match = D[np.arange(len(D)), nearest] == 0
        else:
            D = self._distances_to(X)
            near = nearest_neighbors(
                self._points, 1, queries=X, metric=self._metric, who=self._name
            )
            nearest, match = near.indices[:, 0], near.distances[:, 0] == 0
        places = np.empty((len(D), self._n_features_out))
        places[match] = self.embedding_[nearest[match]]
        if not match.all():
            places[~match] = self._place_by_distances(D[~match])
        return places

    def _place_by_distances(self, D: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _keep(self, found: Descent, scale: float) -> None:
        """Keep what a descent on ``scale`` times the objective found, but for the points."""
        self.objective_ = found.value / scale
        self.history_ = found.history / scale
        self.n_iter_ = found.n_iter
