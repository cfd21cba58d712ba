"""Side information that acts through a learned metric, for every distance-based estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray, as_dense, is_sparse
from sidelight.core.memory import require_memory
from sidelight.metric import DistanceMetric, EquivalenceMetric, MultiAttributeMetric

#: The metric that each kind of side information is learned by, in the order they are applied:
#: distances are those of the finished map, so they come last.
LEARNERS: dict[str, type[Any]] = {
    "Pairs": EquivalenceMetric,
    "Attributes": MultiAttributeMetric,
    "Distances": DistanceMetric,
}


class MetricInformed:
    """The part of an estimator that listens to pairs, attributes and distances.

    Before anything else is done the rows are mapped by a learned metric, x ↦ A^{½}x, so that all
    distances of the method are learned ones.  Without side information nothing is mapped.
    """

    side_metrics_: list[Any]
    metric: Any

    def _learn_metrics(self, X: Any, known: dict[str, Any]) -> Any:
        """Learn a metric from each kind of side information, and map the rows by it."""
        self.side_metrics_ = []
        if LEARNERS.keys() & known.keys() and not (
            isinstance(self.metric, str) and self.metric in ("euclidean", "l2")
        ):
            raise ValueError(
                f"Side information gives {type(self).__name__} a metric learned from feature "
                f"vectors, so metric must be 'euclidean'. Got metric={self.metric!r}."
            )
        if LEARNERS.keys() & known.keys():
            X = written_out(X, who=type(self).__name__)
        for kind, learner in LEARNERS.items():
            if kind in known:
                metric = learner().fit(X, side=known[kind])
                self.side_metrics_.append(metric)
                X = metric.transform(X)
        return X

    def _in_learned_metric(self, X: Any) -> Any:
        X = as_dense(X) if self.side_metrics_ else X
        for metric in self.side_metrics_:
            X = metric.transform(X)
        return X


def written_out(X: Any, *, who: str) -> FloatArray:
    """Rows as a dense table, which a learned metric makes of them anyhow, if there is room."""
    if is_sparse(X):
        require_memory(
            8.0 * X.shape[0] * X.shape[1],
            what=f"the {X.shape[0]} × {X.shape[1]} rows of sparse X in a learned metric",
            who=who,
            instead="Reduce the columns with PCA first, or leave 'side' out.",
        )
    return as_dense(X)


def learn_in_front(
    X: Any, known: dict[str, Any], metric: Any, *, who: str
) -> tuple[Any, tuple[Any, ...]]:
    """Learn a metric from each kind of side information; give the mapped rows and the metrics."""
    kinds = [kind for kind in LEARNERS if kind in known]
    if kinds and metric not in ("euclidean", "l2"):
        raise ValueError(
            f"Side information gives {who} a metric learned from feature vectors, so metric must "
            f"be 'euclidean'. Got metric={metric!r}."
        )
    front = []
    X = written_out(X, who=who) if kinds else X
    for kind in kinds:
        try:
            learned = LEARNERS[kind]().fit(X, side=known[kind])
        except ValueError as error:
            raise ValueError(f"{who} cannot learn a metric from {kind}. {error}") from error
        front.append(learned)
        X = learned.transform(X)
    return X, tuple(front)


def in_front(X: Any, front: tuple[Any, ...]) -> Any:
    """New rows, mapped as the training rows were."""
    X = as_dense(X) if front else X
    for learned in front:
        X = learned.transform(X)
    return X


def behind_front(X: Any, front: tuple[Any, ...]) -> Any:
    """Mapped rows back to rows as they came."""
    for learned in reversed(front):
        X = learned.inverse_transform(X)
    return X


@dataclass(frozen=True)
class Behind:
    """A way back that ends behind what acts in front, gone on to rows as they came.

    Parameters
    ----------
    back : callable
        From places to mapped rows.
    front : tuple of transformers
        What maps rows.
    """

    back: Callable[[FloatArray], FloatArray]
    front: tuple[Any, ...]

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What would lie at places of the map."""
        return np.asarray(behind_front(self.back(Z), self.front))
