"""What was said about rows, drawn into their map: pairs as lines, anchors as rings."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, evenly_spaced
from sidelight.plot.style import FAINT, INK, NEGATIVE
from sidelight.side import Anchors, Pairs, side_values

#: Of more pairs than these a picture would be a ball of wool: so many are drawn, evenly taken.
MOST_PAIRS = 300


def draw_known(ax: Any, Z: FloatArray, side: Any) -> list[Any]:
    """Draw pairs and anchors, and give the lines of a legend for them."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    key: list[Any] = []
    lines: dict[str, Any] = {
        "similar": {"color": INK, "linestyle": "-"},
        "dissimilar": {"color": NEGATIVE, "linestyle": (0, (4, 3))},
    }
    for said in side_values(side, "scatter"):
        if isinstance(said, Pairs):
            for kind, look in lines.items():
                ends = _drawn(Z, getattr(said, kind))
                if len(ends):
                    ax.add_collection(
                        LineCollection(ends, linewidth=0.7, alpha=0.55, zorder=1.6, **look)
                    )
                    key.append(Line2D([], [], linewidth=1.0, label=f"{kind} pair", **look))
        elif isinstance(said, Anchors):
            ring: dict[str, Any] = {"marker": "o", "markersize": 9, "linestyle": ""}
            ring |= {"markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.1}
            goals = said.positions[:, : Z.shape[1]]
            ways = np.stack([Z[said.index], goals], axis=1)
            ax.add_collection(LineCollection(list(ways), color=FAINT, linewidth=0.7, zorder=2.5))
            ax.plot(*goals.T, zorder=3.5, **ring)
            key.append(Line2D([], [], label="anchor", **ring))
    return list({line.get_label(): line for line in key}.values())


def _drawn(Z: FloatArray, pairs: Any) -> list[FloatArray]:
    """The two ends of each pair that is drawn."""
    placed = pairs[np.isfinite(Z[pairs]).all(axis=(1, 2))]
    if not len(placed):
        return []
    return list(Z[placed[evenly_spaced(len(placed), MOST_PAIRS)]])
