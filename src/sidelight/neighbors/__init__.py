"""Stage 1, from rows to a graph: who is whose neighbour, and what to do when it falls apart."""

from __future__ import annotations

from sidelight.neighbors.duplicates import DistinctRows, distinct_rows
from sidelight.neighbors.given_distances import check_distances
from sidelight.neighbors.graph.neighborhood_graph import arrows_to, neighborhood_graph, symmetrise
from sidelight.neighbors.graph.pieces import component_labels, connect_components
from sidelight.neighbors.nearest import Neighbors, nearest_neighbors
from sidelight.neighbors.radius import radius_neighbors

__all__ = [
    "DistinctRows",
    "Neighbors",
    "arrows_to",
    "check_distances",
    "component_labels",
    "connect_components",
    "distinct_rows",
    "nearest_neighbors",
    "neighborhood_graph",
    "radius_neighbors",
    "symmetrise",
]
