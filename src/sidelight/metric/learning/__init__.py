"""The problems behind learned metrics, and the spaces they are solved in."""

from __future__ import annotations

from sidelight.metric.learning.choice_of_space import draw_background, open_features, open_kernel
from sidelight.metric.learning.columns import best_columns, judged_columns
from sidelight.metric.learning.distance_cone import ConeFit, fit_with_ridge, fit_without_ridge
from sidelight.metric.learning.distance_ridge import squared_gram
from sidelight.metric.learning.foretold_distances import foretell_distances
from sidelight.metric.learning.from_pairs import learn_from_pairs
from sidelight.metric.learning.leave_out import areas_in, likeness_of
from sidelight.metric.learning.pair_graph import folds_of_rows, spanning_forest
from sidelight.metric.learning.row_metric import RowMetric
from sidelight.metric.learning.safe_pairs import InnerMetric
from sidelight.metric.learning.scatter import Spread
from sidelight.metric.learning.space import FeatureSpace, KernelSpace, Space, SpannedSpace

__all__ = [
    "ConeFit",
    "FeatureSpace",
    "InnerMetric",
    "KernelSpace",
    "RowMetric",
    "Space",
    "SpannedSpace",
    "Spread",
    "areas_in",
    "best_columns",
    "draw_background",
    "fit_with_ridge",
    "fit_without_ridge",
    "folds_of_rows",
    "foretell_distances",
    "judged_columns",
    "learn_from_pairs",
    "likeness_of",
    "open_features",
    "open_kernel",
    "spanning_forest",
    "squared_gram",
]
