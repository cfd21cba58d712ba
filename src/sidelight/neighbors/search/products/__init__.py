"""Products of matrices: with bounds on what they round, or without rounding."""

from __future__ import annotations

from sidelight.neighbors.search.products.distance_bounds import DistanceBounds, scale_of
from sidelight.neighbors.search.products.exact_products import exact_product, on_grid

__all__ = ["DistanceBounds", "exact_product", "on_grid", "scale_of"]
