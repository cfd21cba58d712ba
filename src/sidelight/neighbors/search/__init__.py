"""How neighbours are found: trees, blocks of products, cells and descent."""

from __future__ import annotations

from sidelight.neighbors.search.approximate import approximate_nearest
from sidelight.neighbors.search.blocked import (
    NEAREST,
    exact_nearest,
    forbid_self,
    nearest_in_blocks,
)
from sidelight.neighbors.search.cells import Cells, cells_of
from sidelight.neighbors.search.certified import (
    certain_within,
    certified_nearest,
    narrow,
    rounding,
)
from sidelight.neighbors.search.products import DistanceBounds, scale_of
from sidelight.neighbors.search.tree import (
    SMALL,
    prefers_tree,
    surely_prefers_tree,
    tree_cost,
    tree_nearest,
)

__all__ = [
    "NEAREST",
    "SMALL",
    "Cells",
    "DistanceBounds",
    "approximate_nearest",
    "cells_of",
    "certain_within",
    "certified_nearest",
    "exact_nearest",
    "forbid_self",
    "narrow",
    "nearest_in_blocks",
    "prefers_tree",
    "rounding",
    "scale_of",
    "surely_prefers_tree",
    "tree_cost",
    "tree_nearest",
]
