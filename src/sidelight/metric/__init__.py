"""What acts in front of a method, as transformers: learned metrics, and a known factor taken out.

Each metric learns a positive semidefinite A from side information (thesis chapter 3), so that
‖x − y‖²_A = (x − y)ᵀA(x − y), and maps x to A^{½}x for any method that works from distances.
"""

from __future__ import annotations

from sidelight.metric.distance import DistanceMetric
from sidelight.metric.distance_selection import DistanceSelection
from sidelight.metric.equivalence import EquivalenceMetric
from sidelight.metric.factor_removal import FactorRemoval
from sidelight.metric.multi_attribute import MultiAttributeMetric

__all__ = [
    "DistanceMetric",
    "DistanceSelection",
    "EquivalenceMetric",
    "FactorRemoval",
    "MultiAttributeMetric",
]
