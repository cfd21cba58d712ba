"""Draw coloured points on axes that are already there."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, BoolArray, FloatArray, counted
from sidelight.plot.colours import Colouring
from sidelight.plot.density import SHADED_FROM, draw_shades
from sidelight.plot.style import FAINT, SMALL_SIZE, few_ticks, is_spatial

# beyond this many points a vector file holds the points as pixels
_RASTER_FROM = 5000


def as_map(who: str, Z: ArrayLike, name: str = "Z") -> FloatArray:
    """Accept the coordinates of a map in one, two or three dimensions."""
    points = np.asarray(Z, dtype=float)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[0] == 0 or points.shape[1] not in (1, 2, 3):
        raise ValueError(
            f"The {name!r} parameter of {who} must have shape (n_points, 1), (n_points, 2) or "
            f"(n_points, 3). Got {points.shape} instead. Give the columns to draw, as in Z[:, :2]."
        )
    if not np.isfinite(points).all(axis=1).any():
        raise ValueError(f"The {name!r} parameter of {who} has no point with finite coordinates.")
    return points


def in_view(Z: FloatArray) -> BoolArray:
    """Which points are seen: not the one in a hundred that would shrink all others to a dot.

    Such a point is farther from the median than 30 times what nine tenths of all span.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).normal(size=(500, 2))
    >>> Z[3] = 1e6
    >>> np.flatnonzero(~in_view(Z))
    array([3])
    """
    finite = np.isfinite(Z).all(axis=1)
    if Z.shape[1] != 2 or finite.sum() < 50:
        return np.ones(len(Z), dtype=bool)
    early, middle, late = np.percentile(Z[finite], [5.0, 50.0, 95.0], axis=0)
    reach = 30.0 * float((late - early).max())
    far = finite & (np.abs(Z - middle).max(axis=1) > reach)
    is_few = reach > 0 and far.sum() <= 0.01 * finite.sum()
    return ~far if is_few else np.ones(len(Z), dtype=bool)


def automatic_size(n_points: int) -> float:
    """Choose the area of a point so that few are seen and many do not clot.

    Examples
    --------
    >>> [round(automatic_size(n), 1) for n in (10, 1000, 100_000)]
    [55.0, 12.4, 1.2]
    """
    return float(np.clip(900.0 / n_points**0.62, 1.2, 55.0))


def automatic_alpha(n_points: int) -> float:
    """Choose the opacity of a point, so that density shows where there are many.

    Examples
    --------
    >>> [round(automatic_alpha(n), 2) for n in (10, 1000, 100_000)]
    [0.95, 0.75, 0.35]
    """
    return float(np.clip(1.35 - 0.2 * np.log10(n_points), 0.3, 0.95))


def draw_points(
    ax: Any,
    Z: FloatArray,
    colouring: Colouring,
    *,
    point_size: float | str = "auto",
    alpha: float | str = "auto",
) -> None:
    """Draw a map of two or three dimensions with equal scales."""
    seen = in_view(Z)
    if not seen.all():
        _count_unseen(ax, int((~seen).sum()))
        Z, colouring = Z[seen], colouring.of(seen)
    n_points = len(Z)
    if n_points >= SHADED_FROM and not is_spatial(ax) and point_size == "auto":
        draw_shades(ax, Z, colouring.colours)
        ax.set_aspect("equal", adjustable="datalim")
        few_ticks(ax)
        return
    size = automatic_size(n_points) if point_size == "auto" else float(point_size)
    opacity = automatic_alpha(n_points) if alpha == "auto" else float(alpha)
    # in a fixed random order, so that no class covers the others
    order = np.random.RandomState(0).permutation(n_points)
    order = order[np.argsort(~colouring.background[order], kind="stable")]
    shapes = colouring.markers()
    few = n_points <= 300
    options: dict[str, Any] = {"depthshade": False} if is_spatial(ax) else {}
    for shape in dict.fromkeys(shapes[order].tolist()):
        rows = order[shapes[order] == shape]
        ax.scatter(
            *Z[rows].T,
            c=colouring.colours[rows],
            s=size,
            alpha=opacity,
            marker=shape,
            linewidths=0.4 if few else 0.0,
            edgecolors="white" if few else "none",
            rasterized=n_points > _RASTER_FROM,
            zorder=2,
            **options,
        )
    if is_spatial(ax):
        ax.set_aspect("equal")
        few_ticks(ax, 4)
        return
    finite = Z[np.isfinite(Z).all(axis=1)]
    if (np.ptp(finite, axis=0) == 0).all():
        # one place: matplotlib would magnify it until the numbers mean nothing
        ax.update_datalim([finite[0] - 1.0, finite[0] + 1.0])
        ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    few_ticks(ax)


def _count_unseen(ax: Any, count: int) -> None:
    """Say how many points lie beyond the frame."""
    ax.annotate(
        f"{counted(count, 'point')} {'is' if count == 1 else 'are'} very far from here",
        (1.0, 0.0),
        xytext=(-4, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=SMALL_SIZE,
        color=FAINT,
        zorder=6,
    )


def draw_line_of_points(
    ax: Any,
    values: FloatArray,
    colouring: Colouring,
    *,
    point_size: float | str = "auto",
    alpha: float | str = "auto",
) -> None:
    """Draw a map of one dimension: a histogram above, the points in a strip below."""
    from matplotlib.ticker import MaxNLocator

    from sidelight.plot.style import HAIRLINE

    finite = np.isfinite(values)
    edges = _bin_edges(values[finite])
    base = np.zeros(len(edges) - 1)
    groups: list[tuple[str, npt.NDArray[np.bool_]]] = [("#dfe5ea", finite)]
    if colouring.scale is None and colouring.key:
        groups = [
            (line.colour, finite & (colouring.entry == place))
            for place, line in enumerate(colouring.key)
        ]
    for colour, members in groups:
        counts, _ = np.histogram(values[members], bins=edges)
        ax.bar(
            edges[:-1],
            counts,
            width=np.diff(edges),
            bottom=base,
            align="edge",
            color=colour,
            edgecolor="white",
            linewidth=0.4,
        )
        base += counts
    top = base.max()
    # spread by the golden ratio: a seeded draw could repeat the one that made the data
    spread = np.mod(np.arange(len(values)) * (np.sqrt(5.0) - 1) / 2, 1.0)
    jitter = (-0.22 + 0.16 * spread) * top
    size = automatic_size(len(values)) * 0.6 if point_size == "auto" else float(point_size)
    opacity = automatic_alpha(len(values)) if alpha == "auto" else float(alpha)
    shapes = colouring.markers()
    for shape in dict.fromkeys(shapes.tolist()):
        rows = shapes == shape
        ax.scatter(
            values[rows],
            jitter[rows],
            c=colouring.colours[rows],
            s=size,
            alpha=opacity,
            marker=shape,
            linewidths=0,
            rasterized=len(values) > _RASTER_FROM,
        )
    ax.axhline(0.0, color=HAIRLINE, linewidth=0.6)
    ax.set_ylim(-0.28 * top, 1.05 * top)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ticks = MaxNLocator(4, integer=True).tick_values(0, top)
    ax.set_yticks([tick for tick in ticks if 0 <= tick <= 1.05 * top])


def _bin_edges(values: FloatArray) -> FloatArray:
    """Freedman and Diaconis's rule, between 5 and 80 bins."""
    least, greatest = float(values.min()), float(values.max())
    if least == greatest:
        return np.array([least - 0.5, least + 0.5])
    quarter, three_quarters = np.percentile(values, [25, 75])
    width = 2 * (three_quarters - quarter) / len(values) ** (1 / 3)
    wanted = (greatest - least) / width if width > 0 else 80
    return np.linspace(least, greatest, int(np.clip(np.ceil(wanted), 5, 80)) + 1)
