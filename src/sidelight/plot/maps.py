"""A map as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, FloatArray
from sidelight.plot.colours import choose_colours, draw_key, key_width
from sidelight.plot.known import draw_known, known_by_number
from sidelight.plot.names import draw_names, write_labels
from sidelight.plot.points import (
    as_map,
    automatic_size,
    draw_line_of_points,
    draw_points,
    in_view,
)
from sidelight.plot.style import (
    INK,
    TEXT_SIZE,
    is_spatial,
    name_power,
    new_axes,
    require_matplotlib,
    style_axes,
)
from sidelight.plot.thumbnails import as_images, draw_thumbnails

_LEGENDS = ("auto", "outside", "direct", "none")


def scatter(
    Z: ArrayLike,
    *,
    color: ArrayLike | str | None = None,
    labels: ArrayLike | None = None,
    period: float | None = None,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    images: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    side: Any = None,
    title: str | None = None,
    key_title: str | None = None,
    axis_names: tuple[str, ...] | None = None,
    point_size: float | str = "auto",
    alpha: float | str = "auto",
    legend: str = "auto",
    max_thumbnails: int = 150,
    image_cmap: str = "auto",
    ax: Any = None,
) -> Any:
    """Draw a map of one, two or three dimensions.

    Two dimensions are drawn with equal scales, three in perspective, one as a histogram above a
    strip of the points.  A legend takes room of its own, not the map's.  A few points of the plane
    that are very far from all others are left out of sight, and their number is written.

    Parameters
    ----------
    Z : array-like of shape (n_points, 1), (n_points, 2) or (n_points, 3)
        The map.
    color : array-like of shape (n_points,) or str, optional
        A value or a date per point, shown along a perceptually uniform colour map with a colour
        bar (missing values in grey; a heavy tail on a logarithmic scale, or cut off where values
        are not all positive); words are taken as labels; a single word names one colour.
    labels : array-like of shape (n_points,), optional
        The class of each point, shown in a palette that colour-blind people can read.  From the
        eleventh label on, shapes help; beyond fifty, the rarer ones are drawn together in grey.
        More than twenty different numbers with a fraction are drawn as ``color``.
    period : float, optional
        The values of ``color`` come round after this much, as angles do after 360: they are shown
        in colours that come round, too.
    names : sequence of length n_points, optional
        What each point is called; as many names are written beside their points as there is room
        for, and None writes none.  Two dimensions only.
    images : array-like of shape (n_points, rows, columns) or (n_points, pixels), optional
        One image per point; as many as fit are drawn without overlap, framed in the colour of
        their point.  Two dimensions only.
    image_shape : tuple of int, optional
        The (rows, columns) of flattened images.
    side : side information or list of it, optional
        What was said about the rows: pairs are drawn as lines (at most 300), anchors as rings
        where they were wanted; other kinds are not drawn.  Rows that are named by label
        are found in ``names`` or in the index of Z.  Two dimensions only.
    title : str, optional
        The title.
    key_title : str, optional
        What the colours mean, written above the legend or the colour bar.
    axis_names : tuple of str, optional
        One name per dimension.
    point_size : float or "auto"
        The area of a point in square typographic points; by default it falls with the number of
        points.
    alpha : float or "auto"
        The opacity of a point; by default it falls with the number of points.
    legend : {"auto", "outside", "direct", "none"}
        ``"outside"`` (also ``"auto"``) draws the legend or the colour bar at the right side;
        ``"direct"`` writes each label into the map; ``"none"`` draws no key.
    max_thumbnails : int
        At most how many images are drawn.
    image_cmap : str
        The colour map of grey images.  ``"auto"`` shows strokes on an empty ground as dark on
        light, everything else with bright as white.
    ax : Axes, optional
        Where to draw; by default on a new figure (``ax.figure``).

    Returns
    -------
    Axes
        The axes drawn on.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If a length or a shape does not fit the map.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import scatter
    >>> ax = scatter(np.random.RandomState(0).normal(size=(50, 2)), labels=np.arange(50) % 3)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1', '2']
    """
    require_matplotlib("sidelight.plot.scatter")
    points = as_map("scatter", Z)
    n_dimensions = points.shape[1]
    _check("scatter", n_dimensions, images is not None, legend, axis_names, ax)
    _check_names("scatter", points, names)
    _check_known("scatter", points, side)
    side = known_by_number(side, Z, names, who="scatter")
    colouring = choose_colours("scatter", len(points), color, labels, period=period)
    pictures = None
    if images is not None:
        pictures = as_images("scatter", images, image_shape, len(points))
    is_own = ax is None
    if is_own:
        has_bar = legend != "none" and colouring.scale is not None
        ax = _own_axes(points, key_width(colouring) if has_bar else 0.0)
    if n_dimensions == 1:
        draw_line_of_points(ax, points[:, 0], colouring, point_size=point_size, alpha=alpha)
    else:
        draw_points(ax, points, colouring, point_size=point_size, alpha=alpha)
    axes = axis_names or ((None,) * n_dimensions)
    vertical = "points" if n_dimensions == 1 else axes[1]
    style_axes(ax, title=title, x_label=axes[0], y_label=vertical)
    if n_dimensions == 3 and axes[2]:
        ax.set_zlabel(axes[2], fontsize=TEXT_SIZE, color=INK)
    largest = _largest(points)
    for axis in (ax.xaxis, ax.yaxis, getattr(ax, "zaxis", None))[:n_dimensions]:
        name_power(axis, largest)
    also = [] if side is None else draw_known(ax, points, side)
    if legend == "direct" and colouring.key and n_dimensions == 2:
        write_labels(ax, points, colouring)
    elif legend != "none":
        draw_key(ax, colouring, ax, title=key_title, also=also, widen=is_own)
    if names is not None:
        size = automatic_size(len(points)) if point_size == "auto" else float(point_size)
        draw_names(ax, points, names, size**0.5 / 2)
    if pictures is not None:
        frames = colouring.colours if colouring.key or colouring.scale else None
        draw_thumbnails(
            ax, points, pictures, frames, max_thumbnails=max_thumbnails, image_cmap=image_cmap
        )
    return ax


def _largest(points: FloatArray) -> float:
    """The largest coordinate that is seen."""
    shown = points[in_view(points)]
    return float(np.abs(shown[np.isfinite(shown)]).max(initial=0.0))


def _check(
    who: str,
    n_dimensions: int,
    has_images: bool,
    legend: str,
    axis_names: tuple[str, ...] | None,
    ax: Any,
) -> None:
    if legend not in _LEGENDS:
        raise ValueError(
            f"The 'legend' parameter of {who} must be one of {', '.join(_LEGENDS)}. "
            f"Got {legend!r} instead."
        )
    if has_images and n_dimensions != 2:
        raise ValueError(
            f"The 'images' parameter of {who} needs a map of two dimensions. Got {n_dimensions}. "
            "Give Z[:, :2]."
        )
    if axis_names is not None and len(axis_names) != n_dimensions:
        raise ValueError(
            f"The 'axis_names' parameter of {who} must hold one name per dimension, "
            f"{n_dimensions} of them. Got {len(axis_names)} instead."
        )
    if ax is not None and is_spatial(ax) != (n_dimensions == 3):
        raise ValueError(
            f"The 'ax' parameter of {who} must have as many dimensions as the map, which has "
            f"{n_dimensions}. Make axes for three with projection='3d'."
        )


def _check_names(who: str, points: FloatArray, names: Any) -> None:
    if names is None:
        return
    if points.shape[1] != 2:
        raise ValueError(
            f"The 'names' parameter of {who} needs a map of two dimensions. Got {points.shape[1]}. "
            "Give Z[:, :2]."
        )
    listed = hasattr(names, "__len__") and not isinstance(names, str)
    if not listed or len(names) != len(points):
        raise ValueError(
            f"The 'names' parameter of {who} must have one entry per point, {len(points)}. Got "
            f"{len(names) if listed else repr(names)}."
        )


def _check_known(who: str, points: FloatArray, side: Any) -> None:
    if side is not None and points.shape[1] != 2:
        raise ValueError(
            f"The 'side' parameter of {who} needs a map of two dimensions. Got {points.shape[1]}. "
            "Give Z[:, :2]."
        )


def _own_axes(points: FloatArray, room: float) -> Any:
    """Make axes whose shape follows the map's, within reason, with room for the key beside."""
    if points.shape[1] == 1:
        return new_axes(6.4 + room, 3.2)
    if points.shape[1] == 3:
        return new_axes(6.0 + room, 5.6, projection="3d")
    shown = points[in_view(points)]
    width, height = np.nanmax(shown, axis=0) - np.nanmin(shown, axis=0)
    if width == height == 0:
        return new_axes(6.2 + room, 6.8)
    ratio = float(np.clip(height / max(width, 1e-9 * height), 0.3, 3.0))
    if ratio <= 1.1:
        return new_axes(6.2 + room, 6.2 * ratio + 0.6)
    return new_axes(7.4 / ratio + 0.9 + room, 7.4)
