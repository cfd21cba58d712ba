"""Graphs of neighbours: built, given, joined where they fell apart."""

from __future__ import annotations

from sidelight.neighbors.graph.action_balls import action_neighbors
from sidelight.neighbors.graph.closed_sets import open_closed_classes
from sidelight.neighbors.graph.edge_lengths import lengths_of_pairs
from sidelight.neighbors.graph.given_edges import check_edges
from sidelight.neighbors.graph.neighborhood_graph import arrows_to, neighborhood_graph, symmetrise
from sidelight.neighbors.graph.pieces import component_labels, connect_components, join_pieces

__all__ = [
    "action_neighbors",
    "arrows_to",
    "check_edges",
    "component_labels",
    "connect_components",
    "join_pieces",
    "lengths_of_pairs",
    "neighborhood_graph",
    "open_closed_classes",
    "symmetrise",
]
