"""What makes a method an estimator: validation, the place for `side`, graphs, pieces."""

from __future__ import annotations

from sidelight.estimator.base import Embedder
from sidelight.estimator.behind import as_well_in_any_order, best_similarity
from sidelight.estimator.conditions import placed_by, takes_factor_out, without_factors
from sidelight.estimator.density import mean_score, sample_rows, score_rows
from sidelight.estimator.dimensions import (
    BY_LIKELIHOOD,
    BY_SLOW_LIKELIHOOD,
    dimensions_of_points,
)
from sidelight.estimator.graph_embedder import (
    GRAPH_PARAMETERS,
    RADIUS_PARAMETER,
    GraphEmbedder,
    neighborhood_asked,
    told_of_order,
    without_order,
)
from sidelight.estimator.in_order import in_order, rows_in_order, with_adjacent
from sidelight.estimator.known_of_some import named_rows, said_within
from sidelight.estimator.listening import (
    Told,
    behind_front,
    deviations_behind_front,
    in_front,
    learned_in_front,
    metrics_among,
    refuse_changed_items,
)
from sidelight.estimator.map import KernelOfRows, Map, SmoothBack, StiffnessKernel, of_all_rows
from sidelight.estimator.neighborhood import (
    POLICIES,
    Neighborhood,
    Reach,
    check_enough,
    held_together,
    keep_matches,
    matches,
    neighborhood_of,
    reach_of,
    share_found,
)
from sidelight.estimator.pieces import map_of_neighborhood
from sidelight.estimator.placing import Barycentric, ByDistances, OfRows
from sidelight.estimator.points import Features, Points, is_precomputed, points_of
from sidelight.estimator.resuming import (
    Thread,
    Unfinished,
    course_of,
    descend,
    facts_of,
    pick_up,
)

__all__ = [
    "BY_LIKELIHOOD",
    "BY_SLOW_LIKELIHOOD",
    "GRAPH_PARAMETERS",
    "POLICIES",
    "RADIUS_PARAMETER",
    "Barycentric",
    "ByDistances",
    "Embedder",
    "Features",
    "GraphEmbedder",
    "KernelOfRows",
    "Map",
    "Neighborhood",
    "OfRows",
    "Points",
    "Reach",
    "SmoothBack",
    "StiffnessKernel",
    "Thread",
    "Told",
    "Unfinished",
    "as_well_in_any_order",
    "behind_front",
    "best_similarity",
    "check_enough",
    "course_of",
    "descend",
    "deviations_behind_front",
    "dimensions_of_points",
    "facts_of",
    "held_together",
    "in_front",
    "in_order",
    "is_precomputed",
    "keep_matches",
    "learned_in_front",
    "map_of_neighborhood",
    "matches",
    "mean_score",
    "metrics_among",
    "named_rows",
    "neighborhood_asked",
    "neighborhood_of",
    "of_all_rows",
    "pick_up",
    "placed_by",
    "points_of",
    "reach_of",
    "refuse_changed_items",
    "rows_in_order",
    "said_within",
    "sample_rows",
    "score_rows",
    "share_found",
    "takes_factor_out",
    "told_of_order",
    "with_adjacent",
    "without_factors",
    "without_order",
]
