"""What the rows of X are: features, items up to a transformation, distances, or a graph.

Members with the same verbs, so that no method asks which it was given.  What a member cannot do
it says itself.
"""

from __future__ import annotations

from sidelight.estimator.points.features import Features
from sidelight.estimator.points.invariant import Invariant
from sidelight.estimator.points.protocol import Points
from sidelight.estimator.points.reading import is_precomputed, points_of

__all__ = ["Features", "Invariant", "Points", "is_precomputed", "points_of"]
