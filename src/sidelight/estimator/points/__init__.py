"""What the rows of X are: feature vectors, a table of distances, or a graph of neighbours.

Members with the same verbs, so that no method asks which it was given.  What a member cannot do
it says itself.
"""

from __future__ import annotations

from sidelight.estimator.points.distances import Distances
from sidelight.estimator.points.features import Features
from sidelight.estimator.points.graph import Graph
from sidelight.estimator.points.protocol import Points
from sidelight.estimator.points.reading import points_of

__all__ = ["Distances", "Features", "Graph", "Points", "points_of"]
