"""Stage 1, from rows to a graph: who is whose neighbour, and what to do when it falls apart."""

from __future__ import annotations

from sidelight.neighbors.duplicates import DistinctRows, distinct_rows, each_row, hashed_rows
from sidelight.neighbors.duplicates import find_distinct as find_distinct
from sidelight.neighbors.edges import edge_matrix, symmetric_graph, with_edges
from sidelight.neighbors.given_distances import (
    as_distances as as_distances,
)
from sidelight.neighbors.given_distances import as_features as as_features
from sidelight.neighbors.given_distances import check_distance_block, check_distances
from sidelight.neighbors.given_distances import read_as_told as read_as_told
from sidelight.neighbors.given_distances import said_of_distances as said_of_distances
from sidelight.neighbors.given_distances import warn_of_distances as warn_of_distances
from sidelight.neighbors.given_graph import (
    check_graph,
    check_graph_block,
    is_graph,
    known_from_both_ends,
    merge_copies,
    nearest_stored,
)
from sidelight.neighbors.graph import (
    arrows_to,
    component_labels,
    connect_components,
    neighborhood_graph,
    symmetrise,
)
from sidelight.neighbors.graph import join_pieces as join_pieces
from sidelight.neighbors.known_distances import KnownDistances
from sidelight.neighbors.landmarks import spread_landmarks
from sidelight.neighbors.metrics import Metric, check_metric, distance_blocks
from sidelight.neighbors.metrics import weighted as weighted
from sidelight.neighbors.metrics import without_direction as without_direction
from sidelight.neighbors.nearest import Neighbors, nearest_neighbors
from sidelight.neighbors.nearest import find_nearest as find_nearest
from sidelight.neighbors.radius import find_within as find_within
from sidelight.neighbors.radius import radius_neighbors
from sidelight.neighbors.recall import recall_of

#: For users; what is imported "as" itself takes rows that were checked, and is for other rooms.
__all__ = [
    "DistinctRows",
    "KnownDistances",
    "Metric",
    "Neighbors",
    "arrows_to",
    "check_distance_block",
    "check_distances",
    "check_graph",
    "check_graph_block",
    "check_metric",
    "component_labels",
    "connect_components",
    "distance_blocks",
    "distinct_rows",
    "each_row",
    "edge_matrix",
    "hashed_rows",
    "is_graph",
    "known_from_both_ends",
    "merge_copies",
    "nearest_neighbors",
    "nearest_stored",
    "neighborhood_graph",
    "radius_neighbors",
    "recall_of",
    "spread_landmarks",
    "symmetric_graph",
    "symmetrise",
    "with_edges",
]
