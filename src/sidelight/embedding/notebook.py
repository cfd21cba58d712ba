"""A result as a notebook shows it: the map, why, how good it is."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.core import counted

if TYPE_CHECKING:
    from sidelight.embedding.result import Embedding

#: Rows that a map is judged by while it is shown: that must take no time.
_JUDGED = 1_000


def as_html(result: Embedding) -> str:
    """The picture at the left, what is said of it at the right."""
    parts = [f"<b>{escape(result._size)}</b>", f"<p>{escape(result.reason)}</p>"]
    parts += [f"<p>{escape(result.about)}</p>"] * bool(result.about) + [_quality(result)]
    parts += [f"<p><i>{escape(hint)}</i></p>" for hint in result.hints]
    return (
        '<div style="display:flex;gap:1.5em;align-items:flex-start">'
        f'{_picture(result)}<div style="max-width:46em">{"".join(parts)}</div></div>'
    )


def _picture(result: Embedding) -> str:
    """The map as a small picture; nothing where matplotlib is missing or no row has a place."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from sidelight.plot import scatter
    except ImportError:
        return ""
    points = result._shown
    if not np.isfinite(points).all(axis=1).any():
        return ""
    figure = Figure(figsize=(3.6, 3.2), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.add_subplot(projection="3d" if points.shape[1] == 3 else None)
    written: dict[str, Any] = {"names": result._written_names, "side": result._drawn_side}
    scatter(points, ax=ax, **written, **result._pictured({}))
    file = io.BytesIO()
    figure.savefig(file, format="png")
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    return f'<img alt="the map" src="data:image/png;base64,{encoded}">'


def _quality(result: Embedding) -> str:
    """How good the map is, or why that cannot be said."""
    try:
        report = result.quality(max_samples=min(_JUDGED, len(result.points)))
    except (ValueError, MemoryError) as error:
        return f"<p>{escape(str(error))}</p>"
    said = (
        f"trustworthiness {report.trustworthiness:.3f}, continuity {report.continuity:.3f}, area "
        f"under R_NX {report.auc:.3f} (1 is best"
    )
    drawn = (
        ""
        if report.n_samples_used == report.n_samples
        else f", by {counted(report.n_samples_used, 'row')}"
    )
    return f"<p>{escape(said + drawn)}; <code>.quality()</code> says more)</p>"
