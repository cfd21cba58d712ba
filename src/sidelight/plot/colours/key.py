"""The key beside a map: a bar of values, or the names of classes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from sidelight.plot.colours.colouring import Colouring
from sidelight.plot.colours.scale import Scale, written_date
from sidelight.plot.style import FAINT, INK, SMALL_SIZE, TEXT_SIZE, name_power, style_legend

#: From so many lines on, a legend is written smaller.
_MANY = 24
#: The height of a line, relative to its letters.
_LINE = 1.5


def key_width(colouring: Colouring) -> float:
    """Estimate the room that the key takes beside the axes."""
    if colouring.scale is not None:
        return 0.9
    if not colouring.key:
        return 0.0
    return 0.5 + 0.08 * max(len(line.name) for line in colouring.key)


def draw_key(
    holder: Any,
    colouring: Colouring,
    axes: Any,
    *,
    title: str | None = None,
    also: Sequence[Any] = (),
    widen: bool = False,
) -> None:
    """Draw the colour bar or the legend, outside the axes.

    A legend is no higher than the axes: it takes as many columns as that needs.  ``also`` are
    further lines of it; with ``widen`` the figure grows by what it takes, and the axes stay as
    they are.
    """
    if colouring.scale is not None:
        _draw_bar(holder, colouring.scale, axes, title)
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], linestyle="", marker=e.marker, markersize=6, color=e.colour, label=e.name)
        for e in colouring.key
    ]
    handles += also
    if not handles:
        return
    is_figure = isinstance(holder, Figure)
    text_size = TEXT_SIZE if len(handles) < _MANY else SMALL_SIZE
    height = holder.get_figheight() if is_figure else _height_of(holder)
    lines = max(5, int(72 * height / (_LINE * text_size)) - 2 * (title is not None))
    options: dict[str, Any] = {"handletextpad": 0.3, "borderaxespad": 0.3, "title": title}
    options |= {"ncols": ceil(len(handles) / lines), "columnspacing": 1.0, "fontsize": text_size}
    beside = colouring.scale is None
    if not beside:
        # lines for missing values and the like: under the axes, since the bar is at the side
        options |= {"loc": "upper right", "bbox_to_anchor": (1.0, -0.06), "title": None}
        options |= {"ncols": min(len(handles), 3)}
    elif is_figure:
        options |= {"loc": "outside right upper"}
    else:
        options |= {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    if is_figure and not beside:
        options |= {"loc": "outside lower right", "bbox_to_anchor": None}
    legend = holder.legend(handles=handles, alignment="left", **options)
    style_legend(legend, text_size)
    if widen and beside and not is_figure:
        _widen(holder, legend)


def _height_of(ax: Any) -> float:
    """The height of axes in inches, less what their numbers will take."""
    return float(ax.get_position().height * ax.figure.get_figheight())


def _widen(ax: Any, legend: Any) -> None:
    """Make a figure so much wider that a legend stands beside axes which keep their size."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    class BesideLegend(ConstrainedLayoutEngine):
        """A layout of all but the legend, for which there is room."""

        def execute(self, fig: Any) -> None:
            legend.set_in_layout(False)
            super().execute(fig)
            legend.set_in_layout(True)  # for those who cut the page to what is drawn

    figure = ax.figure
    box = legend.get_window_extent(figure.canvas.get_renderer())
    width, height = figure.get_size_inches()
    whole = width + box.width / figure.dpi + 0.12
    figure.set_size_inches(whole, max(height, box.height / figure.dpi + 0.2))
    figure.set_layout_engine(BesideLegend(rect=(0.0, 0.0, width / whole, 1.0)))


def _draw_bar(holder: Any, scale: Scale, axes: Any, title: str | None) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, LinearLocator, LogLocator
    from matplotlib.ticker import MaxNLocator as FewTicks

    figure = holder if isinstance(holder, Figure) else holder.figure
    low, high = scale.limits
    norm = LogNorm(low, high) if scale.kind == "log" else Normalize(low, high)
    if low == high:
        norm = Normalize(low - 0.5, high + 0.5)
    bar = figure.colorbar(
        ScalarMappable(norm, scale.colours),
        ax=axes,
        shrink=0.6,
        aspect=24,
        pad=0.02,
        extend=scale.extend,
    )
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()
    if low == high:
        bar.locator = FixedLocator([low])
        bar.formatter = FuncFormatter(lambda value, _: f"{value:g}")
    elif scale.kind == "log":
        bar.locator = LogLocator(numticks=6)
        bar.formatter = FuncFormatter(lambda value, _: f"{value:g}")
        if np.log10(high / low) < 2:
            bar.locator = LogLocator(subs=(1.0, 2.0, 5.0))
    elif scale.kind == "dates":
        bar.locator = FewTicks(5)
        bar.formatter = FuncFormatter(lambda day, _: written_date(day, high - low))
    else:
        # quarters of the period, both ends with them
        bar.locator = LinearLocator(5) if scale.kind == "periodic" else FewTicks(5)
        name_power(bar.ax.yaxis, max(map(abs, scale.limits)))
    bar.ax.tick_params(labelsize=SMALL_SIZE, labelcolor=FAINT, color=FAINT, length=2.5, width=0.6)
    if title:
        bar.ax.set_title(title, fontsize=SMALL_SIZE, color=INK, loc="left")
