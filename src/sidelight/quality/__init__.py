"""How good is a map: neighbourhoods kept, distances kept, labels kept, dimensions needed.

``X`` is the data (or, with ``metric="precomputed"``, its table of distances), ``Z`` the map.  Every
measure compares the two and knows nothing of the method that drew the map, so that maps of
different methods can be compared.  :func:`quality_report` gives them all at once.
"""

from __future__ import annotations

from sidelight.quality.alignment import ProcrustesResult, procrustes
from sidelight.quality.closer import (
    Judgement,
    PointQuality,
    Stability,
    agreement,
    point_quality,
    stability,
)
from sidelight.quality.components import components_above_noise as components_above_noise
from sidelight.quality.components import components_by_likelihood as components_by_likelihood
from sidelight.quality.components import components_of_missing as components_of_missing
from sidelight.quality.components import components_of_neighborhoods as components_of_neighborhoods
from sidelight.quality.coranking import CorankingCurves, coranking_curves
from sidelight.quality.dimension import IntrinsicDimension, intrinsic_dimension
from sidelight.quality.distortion import residual_variance, shepard_correlation, stress
from sidelight.quality.gaussian_process import gplvm_score
from sidelight.quality.inputs import check_same_length as check_same_length
from sidelight.quality.labels import LabelAccuracy, neighbor_label_accuracy
from sidelight.quality.neighborhoods import continuity, trustworthiness
from sidelight.quality.pairwise import METRICS as METRICS
from sidelight.quality.pairwise import distance_rows as distance_rows
from sidelight.quality.pairwise import is_by_rows as is_by_rows
from sidelight.quality.report import QualityReport, quality_report
from sidelight.quality.report import measured as measured
from sidelight.quality.report import rows_to_draw as rows_to_draw

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "CorankingCurves",
    "IntrinsicDimension",
    "Judgement",
    "LabelAccuracy",
    "PointQuality",
    "ProcrustesResult",
    "QualityReport",
    "Stability",
    "agreement",
    "continuity",
    "coranking_curves",
    "gplvm_score",
    "intrinsic_dimension",
    "neighbor_label_accuracy",
    "point_quality",
    "procrustes",
    "quality_report",
    "residual_variance",
    "shepard_correlation",
    "stability",
    "stress",
    "trustworthiness",
]
