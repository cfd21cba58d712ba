"""How neighbours are found: trees, blocks of products, cells and descent."""

from __future__ import annotations

from sidelight.neighbors.search.approximate import approximate_nearest
from sidelight.neighbors.search.blocked import (
    DistanceBounds,
    exact_nearest,
    forbid_self,
    nearest_in_blocks,
)
from sidelight.neighbors.search.certified import certified_nearest
from sidelight.neighbors.search.tree import SMALL, prefers_tree, tree_nearest

__all__ = [
    "SMALL",
    "DistanceBounds",
    "approximate_nearest",
    "certified_nearest",
    "exact_nearest",
    "forbid_self",
    "nearest_in_blocks",
    "prefers_tree",
    "tree_nearest",
]
