"""What was said about rows, drawn into their map: pairs as lines, anchors as rings."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, evenly_spaced
from sidelight.plot.style import FAINT, INK, NEGATIVE
from sidelight.side import Anchors, Pairs, by_number, side_values

#: Of more pairs than these a picture would be a ball of wool: so many are drawn, evenly taken.
MOST_PAIRS = 300


def known_by_number(side: Any, Z: Any, names: Any, *, who: str) -> Any:
    """What was said, by the numbers of points: labels are their names, or the index of a frame."""
    labelled = any(getattr(value, "names", None) is not None for value in side_values(side, who))
    return by_number(side, Z, names=names if labelled else None, who=who)


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
                pairs = drawn_pairs(Z, getattr(said, kind))
                if len(pairs):
                    ax.add_collection(
                        LineCollection(
                            list(Z[pairs]), linewidth=0.7, alpha=0.55, zorder=1.6, **look
                        )
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


def drawn_pairs(Z: FloatArray, pairs: IntArray) -> IntArray:
    """Those of some pairs that are drawn: both rows have a place, and they are not too many."""
    placed = pairs[np.isfinite(Z[pairs]).all(axis=(1, 2))]
    return placed[evenly_spaced(len(placed), MOST_PAIRS)] if len(placed) else placed


def known_of_page(Z: FloatArray, side: Any) -> dict[str, Any]:
    """Pairs and anchors in numbers, for a page to draw: rows, and where they were to be."""
    known: dict[str, Any] = {"similar": [], "dissimilar": [], "anchors": []}
    known["colours"] = {"similar": INK, "dissimilar": NEGATIVE, "anchors": INK}
    for said in side_values(side, "write_page"):
        if isinstance(said, Pairs):
            for kind in ("similar", "dissimilar"):
                known[kind] += drawn_pairs(Z, getattr(said, kind)).tolist()
        elif isinstance(said, Anchors):
            goals = said.positions[:, : Z.shape[1]]
            placed = np.isfinite(Z[said.index]).all(axis=1)
            rows = zip(said.index[placed].tolist(), goals[placed].tolist(), strict=True)
            known["anchors"] += [[row, *goal] for row, goal in rows]
    return known
