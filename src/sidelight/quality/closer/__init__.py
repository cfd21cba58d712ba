"""A closer look at a map: point by point, judgement by judgement, draw by draw."""

from __future__ import annotations

from sidelight.quality.closer.draws import Stability, stability
from sidelight.quality.closer.judgements import Judgement, agreement
from sidelight.quality.closer.points import PointQuality, point_quality

__all__ = [
    "Judgement",
    "PointQuality",
    "Stability",
    "agreement",
    "point_quality",
    "stability",
]
