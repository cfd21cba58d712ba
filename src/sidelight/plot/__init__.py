"""Pictures of maps and of their quality, with matplotlib (the extra ``plot``).

Every function draws on the axes it is given, or on a new figure (pyplot's, where pyplot is
imported), and returns the axes; no global setting is changed.  :func:`save` writes a file,
:func:`write_page` a page to move, zoom and point at rows.
"""

from __future__ import annotations

from sidelight.plot.maps import scatter
from sidelight.plot.multiples import comparison
from sidelight.plot.page import write_page
from sidelight.plot.quality import coranking_curves, shepard_diagram
from sidelight.plot.saving import save
from sidelight.plot.spectrum import eigenvalues
from sidelight.plot.style import require_matplotlib as require_matplotlib
from sidelight.plot.transformations import analogies, basis_flow_fields, filters, flow_field

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "analogies",
    "basis_flow_fields",
    "comparison",
    "coranking_curves",
    "eigenvalues",
    "filters",
    "flow_field",
    "save",
    "scatter",
    "shepard_diagram",
    "write_page",
]
