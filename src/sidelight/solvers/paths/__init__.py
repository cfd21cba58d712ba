"""Shortest paths in graphs."""

from __future__ import annotations

from sidelight.solvers.paths.shortest_paths import (
    all_pairs_shortest_paths,
    shortest_paths_from,
    shortest_paths_from_outside,
    undirected_graph,
)

__all__ = [
    "all_pairs_shortest_paths",
    "shortest_paths_from",
    "shortest_paths_from_outside",
    "undirected_graph",
]
