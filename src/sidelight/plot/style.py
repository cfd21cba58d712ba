"""How all figures look: one palette, one colour map, thin axes on a white page.

Nothing here touches matplotlib's global settings: a figure is styled where it is made.
"""

from __future__ import annotations

import math
import sys
from textwrap import wrap
from typing import Any

from sidelight.core import MissingExtraError

# Ten colours that stay apart in normal and in colour-blind sight, the two greyest last:
# M. A. Petroff, "Accessible color sequences for data visualization", 2021 (arXiv:2107.02270).
PALETTE = (
    "#3f90da",
    "#ffa90e",
    "#bd1f01",
    "#832db6",
    "#92dadd",
    "#e76300",
    "#a96b59",
    "#b9ac70",
    "#717581",
    "#94a4a2",
)
# A second ten would not stay apart by colour: they are told from the first ten by their shape.
MARKERS = ("o", "^", "s", "D", "v")

INK = "#333333"
FAINT = "#8c8c8c"
HAIRLINE = "#c8c8c8"
MISSING = "#cfcfcf"
OTHER = "#b0b0b0"
NEGATIVE = "#e76300"
SINGLE = PALETTE[0]

TITLE_SIZE = 11
TEXT_SIZE = 9
SMALL_SIZE = 8
# So many letters of a title go on an inch.
_LETTERS = 12.5


def require_matplotlib(purpose: str) -> None:
    """Refuse to draw where matplotlib is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", purpose) from None


def value_map() -> Any:
    """Give the perceptually uniform colour map for values, with grey for missing ones.

    The palest end of viridis is cut off: yellow points vanish on a white page.
    """
    import matplotlib as mpl
    import numpy as np
    from matplotlib.colors import ListedColormap

    colours = mpl.colormaps["viridis"](np.linspace(0.0, 0.92, 256))
    return ListedColormap(colours, name="sidelight").with_extremes(bad=MISSING)


def periodic_map() -> Any:
    """Give the colour map for values that come round, such as angles: both ends are the same.

    The hue goes round once at even chroma; the lightness rises and falls with it, so that two
    halves differ in grey, too, and nothing is pale enough to vanish on a white page.

    References
    ----------
    B. Ottosson (2020), "A perceptual color space for image processing" (OKLab).
    """
    import numpy as np
    from matplotlib.colors import ListedColormap

    hue = 0.3 + 2 * np.pi * np.arange(256) / 256
    lightness, chroma = 0.65 + 0.1 * np.cos(hue - 1.75), 0.105  # yellow is lightest, blue darkest
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    # OKLab to linear light …
    cones = np.column_stack(
        [
            lightness + 0.3963377774 * a + 0.2158037573 * b,
            lightness - 0.1055613458 * a - 0.0638541728 * b,
            lightness - 0.0894841775 * a - 1.2914855480 * b,
        ]
    )
    light = np.clip(
        cones**3
        @ np.array(
            [
                [4.0767416621, -1.2684380046, -0.0041960863],
                [-3.3077115913, 2.6097574011, -0.7034186147],
                [0.2309699292, -0.3413193965, 1.7076147010],
            ]
        ),
        0.0,
        1.0,
    )
    # … and to the screen's curve
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return ListedColormap(shown, name="sidelight-periodic").with_extremes(bad=MISSING)


def density_map() -> Any:
    """Give the colour map for counts: from a pale tint to a dark blue."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("sidelight-density", ["#dbe9f6", "#3f90da", "#12325a"])


def new_axes(width: float, height: float, *, projection: str | None = None) -> Any:
    """Make one styled set of axes on a figure of its own."""
    return new_figure(width, height).add_subplot(projection=projection)


def new_figure(width: float, height: float) -> Any:
    """Make an empty figure: pyplot's where pyplot is at work, which shows it; else a free one."""
    options: dict[str, Any] = {"figsize": (width, height), "dpi": 110}
    options |= {"layout": "constrained", "facecolor": "white"}
    if "matplotlib.pyplot" in sys.modules:
        return sys.modules["matplotlib.pyplot"].figure(**options)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(**options)
    FigureCanvasAgg(figure)
    return figure


def style_axes(
    ax: Any,
    *,
    title: str | None = None,
    x_label: str | None = None,
    y_label: str | None = None,
) -> None:
    """Give axes thin lines, small grey ticks and a title on the left."""
    axes = [ax.xaxis, ax.yaxis]
    if is_spatial(ax):
        axes.append(ax.zaxis)
        for axis in axes:
            axis.set_pane_color("white")
            axis.line.set(color=HAIRLINE, linewidth=0.6)
            axis._axinfo["grid"].update(color="#ececec", linewidth=0.5)
    else:
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            ax.spines[side].set(color=HAIRLINE, linewidth=0.6)
    ax.tick_params(
        colors=FAINT, labelcolor=FAINT, labelsize=SMALL_SIZE, length=2.5, width=0.6, which="both"
    )
    if title:
        letters = int(_LETTERS * ax.get_position().width * ax.get_figure(root=True).get_figwidth())
        lines = "\n".join(wrap(title, max(letters, 20)) or [title])
        ax.set_title(lines, loc="left", fontsize=TITLE_SIZE, color=INK, pad=8)
    if x_label:
        ax.set_xlabel(x_label, fontsize=TEXT_SIZE, color=INK)
    if y_label:
        ax.set_ylabel(y_label, fontsize=TEXT_SIZE, color=INK)


def few_ticks(ax: Any, n_ticks: int = 5) -> None:
    """Leave only a few numbers on every linear axis."""
    from matplotlib.ticker import MaxNLocator

    for axis in (ax.xaxis, ax.yaxis, *((ax.zaxis,) if is_spatial(ax) else ())):
        axis.set_major_locator(MaxNLocator(n_ticks))


def is_spatial(ax: Any) -> bool:
    """Tell whether axes have three dimensions."""
    return hasattr(ax, "get_zlim")


def style_legend(legend: Any, size: float = TEXT_SIZE) -> None:
    """Take the box off a legend and set its text, which is no formula even with a dollar in it."""
    legend.set_frame_on(False)
    legend.get_title().set(fontsize=SMALL_SIZE, color=FAINT)
    for text in legend.get_texts():
        text.set(fontsize=size, color=INK, parse_math=False)


def name_power(axis: Any, largest: float) -> None:
    """Take a power of ten out of numbers too long to be read beside an axis, and name it there.

    matplotlib would write the factor alone at the end of the axis, where it is read as a value.

    Examples
    --------
    >>> ax = new_axes(4, 3)
    >>> _ = ax.set_ylabel("eigenvalue")
    >>> name_power(ax.yaxis, 3e7)
    >>> ax.get_ylabel()
    'eigenvalue  (× $10^{7}$)'
    """
    from matplotlib.ticker import FuncFormatter

    if largest == 0 or 1e-3 <= largest < 1e5:
        return
    power = math.floor(math.log10(largest))
    label, factor = axis.get_label_text(), f"× $10^{{{power}}}$"
    if label:
        axis.set_label_text(f"{label}  ({factor})")
    else:
        axis.set_label_text(factor, fontsize=SMALL_SIZE, color=FAINT)

    def shortened(value: float, _: int) -> str:
        return f"{value / 10**power:g}".replace("-", "\N{MINUS SIGN}")

    axis.set_major_formatter(FuncFormatter(shortened))
