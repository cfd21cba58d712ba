"""Where paths end: at bandwidths and penalties that are given, found in the data, or learned."""

from __future__ import annotations

from sidelight.latent.information.ends.curve import lies_along_curve
from sidelight.latent.information.ends.learned_bandwidth import with_learned_bandwidth
from sidelight.latent.information.ends.path_ends import PathEnds, ends_of_path
from sidelight.latent.information.ends.power import with_power

__all__ = [
    "PathEnds",
    "ends_of_path",
    "lies_along_curve",
    "with_learned_bandwidth",
    "with_power",
]
