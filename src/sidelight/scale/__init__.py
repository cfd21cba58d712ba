"""Tables beyond one machine's memory: Dask arrays, block by block (the extra ``scale``)."""

from __future__ import annotations

from sidelight.scale.cluster import at_work as at_work
from sidelight.scale.cluster import in_order as in_order
from sidelight.scale.fitting import fit
from sidelight.scale.judging import quality_report
from sidelight.scale.placing import transform
from sidelight.scale.principal_components import principal_components
from sidelight.scale.statistics import Statistics, statistics

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "Statistics",
    "fit",
    "principal_components",
    "quality_report",
    "statistics",
    "transform",
]
