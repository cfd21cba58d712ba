"""Learned metrics, as transformers: the Euclidean distance of the output is the learned one.

Each learns a positive semidefinite A from side information (thesis chapter 3), so that
‖x − y‖²_A = (x − y)ᵀA(x − y), and maps x to A^{½}x for any method that works from distances.
"""

from __future__ import annotations

from sidelight.metric.distance import DistanceMetric
from sidelight.metric.equivalence import EquivalenceMetric
from sidelight.metric.multi_attribute import MultiAttributeMetric

__all__ = ["DistanceMetric", "EquivalenceMetric", "MultiAttributeMetric"]
