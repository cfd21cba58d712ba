"""Side information that acts through a learned metric, for every distance-based estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, as_dense, is_sparse, require_memory
from sidelight.metric import DistanceMetric, EquivalenceMetric, MultiAttributeMetric

#: The metric that each kind of side information is learned by, in the order they are applied:
#: distances are those of the finished map, so they come last.
LEARNERS: dict[str, type[Any]] = {
    "Pairs": EquivalenceMetric,
    "Attributes": MultiAttributeMetric,
    "Distances": DistanceMetric,
}


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
