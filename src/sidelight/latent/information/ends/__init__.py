"""Where paths end: at bandwidths and penalties that are given, found in the data, or learned."""

from __future__ import annotations

from sidelight.latent.information.ends.adjusted import adjusted_map
from sidelight.latent.information.ends.curve import lies_along_curve
from sidelight.latent.information.ends.held_out import ended_by_held_out
from sidelight.latent.information.ends.left_behind import with_rows_brought
from sidelight.latent.information.ends.path_ends import PathEnds, ends_of_path

__all__ = [
    "PathEnds",
    "adjusted_map",
    "ended_by_held_out",
    "ends_of_path",
    "lies_along_curve",
    "with_rows_brought",
]
