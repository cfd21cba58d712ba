"""Side information that acts through a learned metric, for every distance-based estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray
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
        for kind, learner in LEARNERS.items():
            if kind in known:
                metric = learner().fit(X, side=known[kind])
                self.side_metrics_.append(metric)
                X = metric.transform(X)
        return X

    def _in_learned_metric(self, X: Any) -> Any:
        for metric in self.side_metrics_:
            X = metric.transform(X)
        return X


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
    for kind in kinds:
        learned = LEARNERS[kind]().fit(X, side=known[kind])
        front.append(learned)
        X = learned.transform(X)
    return X, tuple(front)


def in_front(X: Any, front: tuple[Any, ...]) -> Any:
    """New rows, mapped as the training rows were."""
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
