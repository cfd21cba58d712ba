"""X read as its metric says."""

from __future__ import annotations

from typing import Any

from sidelight.core import is_sparse
from sidelight.estimator.points.distances import Distances
from sidelight.estimator.points.features import Features
from sidelight.estimator.points.graph import Graph
from sidelight.estimator.points.told_apart import require_told_apart
from sidelight.neighbors import check_distances, check_graph, check_metric, weighted


def is_precomputed(metric: Any) -> bool:
    """Tell whether X is a table of pairs already, by the word of its metric (or kernel)."""
    return isinstance(metric, str) and metric == "precomputed"


def points_of(X: Any, metric: Any, *, who: str) -> Features | Distances | Graph:
    """Read X as its metric says: rows of features, a table of distances, or a sparse graph."""
    known = check_metric(metric, who=who)
    if not is_precomputed(known):
        rows = Features.of(X, weighted(known, X), who)
        require_told_apart(rows)
        return rows
    if is_sparse(X):
        return Graph(check_graph(X, who=who), who)
    return Distances(check_distances(X, who=who), who)
