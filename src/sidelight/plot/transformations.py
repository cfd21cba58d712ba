"""How images change, as models of pairs see it: flow fields, filters, analogies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, FloatArray
from sidelight.plot.style import (
    FAINT,
    INK,
    SINGLE,
    TEXT_SIZE,
    TITLE_SIZE,
    new_axes,
    new_figure,
    require_matplotlib,
)

_CELL = 1.3
# Arrows are drawn for so much of their way, so that they do not run into one another.
_PART = 0.65


def flow_field(
    flow: ArrayLike,
    image_shape: tuple[int, int],
    *,
    strength: ArrayLike | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw where every pixel of an input goes, as arrows.

    Parameters
    ----------
    flow : array-like of shape (n_pixels,)
        The number of the output pixel that each input pixel goes to, as ``flow`` of a
        :class:`sidelight.gated.GatedBoltzmannMachine` gives it for a pair.
    image_shape : tuple (height, width)
        Of the images.
    strength : array-like of shape (n_pixels,), optional
        Between 0 and 1: how dark an arrow is; by default all are.
    title : str, optional
        The title.
    ax : Axes, optional
        The axes to draw on; by default a new figure outside pyplot.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If the flow is not one of such images.

    Examples
    --------
    >>> from sidelight.plot import flow_field
    >>> ax = flow_field([1, 0, 3, 2], (2, 2), title="sides exchanged")
    >>> ax.get_title(loc="left")
    'sides exchanged'
    """
    require_matplotlib("sidelight.plot.flow_field")
    height, width = image_shape
    to = np.asarray(flow)
    if to.shape != (height * width,) or to.min() < 0 or to.max() >= height * width:
        raise ValueError(
            f"The 'flow' parameter of flow_field must hold, for each of the {height * width} "
            f"pixels, the number of one of them. Got an array of shape {to.shape}."
        )
    row, column = np.divmod(np.arange(height * width), width)
    down, right = np.divmod(to, width)
    dark = np.ones(len(to)) if strength is None else np.asarray(strength, dtype=np.float64)
    if dark.shape != to.shape:
        raise ValueError(
            f"The 'strength' parameter of flow_field must hold a number for each of the "
            f"{len(to)} pixels. Got an array of shape {dark.shape}."
        )
    ax = new_axes(3.0, 3.0 * height / width) if ax is None else ax
    ax.quiver(
        column,
        row,
        right - column,
        down - row,
        angles="xy",
        scale_units="xy",
        scale=1.0 / _PART,
        color=SINGLE,
        alpha=np.clip(dark, 0.0, 1.0),
        pivot="tail",
        width=0.008,
        headwidth=5,
    )
    ax.scatter(column, row, s=2.0, color=FAINT, zorder=0)
    ax.set(xlim=(-1, width), ylim=(height, -1), aspect="equal", xticks=[], yticks=[])
    _frameless(ax)
    if title:
        ax.set_title(title, loc="left", fontsize=TITLE_SIZE, color=INK)
    return ax


def basis_flow_fields(
    connections: ArrayLike,
    image_shape: tuple[int, int],
    *,
    n_lines: int | None = None,
    title: str | None = None,
    n_columns: int | None = None,
) -> Any:
    """Draw what each mapping unit does to pixels: its strongest connections, as lines.

    Parameters
    ----------
    connections : array-like of shape (n_units, n_pixels, n_pixels)
        From input pixels to output pixels, unit by unit, as ``basis_flow()`` of a
        :class:`sidelight.gated.GatedBoltzmannMachine` gives them.
    image_shape : tuple (height, width)
        Of the images.
    n_lines : int, optional
        So many of the strongest positive connections of a unit, from a pixel to another one, are
        drawn, as thick as they are strong; by default one for each pixel.
    title : str, optional
        The title.
    n_columns : int, optional
        How many units in a row.

    Returns
    -------
    Figure
        The figure, outside pyplot.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If the connections are not between such images.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import basis_flow_fields
    >>> to_the_right = np.roll(np.eye(4), 1, axis=1)
    >>> len(basis_flow_fields([to_the_right, -to_the_right], (1, 4)).axes)
    2
    """
    require_matplotlib("sidelight.plot.basis_flow_fields")
    height, width = image_shape
    W, n = np.asarray(connections, dtype=np.float64), height * width
    if W.ndim != 3 or W.shape[1:] != (n, n):
        raise ValueError(
            f"The 'connections' parameter of basis_flow_fields must have a {n} × {n} table for "
            f"each unit. Got an array of shape {W.shape}."
        )
    figure, axes = _cells(len(W), n_columns, title)
    for ax, table in zip(axes, W, strict=True):
        strength = np.where(np.eye(n, dtype=bool), 0.0, np.maximum(table, 0.0)).ravel()
        drawn = np.argsort(-strength, kind="stable")[: n if n_lines is None else n_lines]
        drawn = drawn[strength[drawn] > 0]
        ends = [np.divmod(pixels, width) for pixels in np.divmod(drawn, n)]
        ways = [np.column_stack([column, row]) for row, column in ends]
        thick = strength[drawn] / max(float(strength.max()), 1e-12)
        ax.add_collection(_lines(np.stack(ways, axis=1), thick))
        ax.scatter(*ways[0].T, s=3.0 * thick, color=SINGLE)
        ax.set(xlim=(-1, width), ylim=(height, -1), aspect="equal")
    return figure


def filters(
    weights: ArrayLike,
    image_shape: tuple[int, int],
    *,
    title: str | None = None,
    n_columns: int | None = None,
) -> Any:
    """Draw filters as small pictures, each on its own scale with zero in the middle.

    Parameters
    ----------
    weights : array-like of shape (n_pixels, n_filters)
        A filter a column, as ``filters(X)[0]`` of a model of pairs gives them for an input.
    image_shape : tuple (height, width)
        Of a filter.
    title : str, optional
        The title.
    n_columns : int, optional
        How many in a row.

    Returns
    -------
    Figure
        The figure, outside pyplot.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If the filters have another number of pixels.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import filters
    >>> len(filters(np.eye(4), (2, 2)).axes)
    4
    """
    require_matplotlib("sidelight.plot.filters")
    W = np.asarray(weights, dtype=np.float64)
    if W.ndim != 2 or len(W) != image_shape[0] * image_shape[1]:
        raise ValueError(
            f"The 'weights' parameter of filters must have a row for each of the "
            f"{image_shape[0] * image_shape[1]} pixels. Got an array of shape {W.shape}."
        )
    figure, axes = _cells(W.shape[1], n_columns, title)
    for ax, one in zip(axes, W.T, strict=True):
        largest = float(np.abs(one).max()) or 1.0
        ax.imshow(one.reshape(image_shape), cmap="PuOr", vmin=-largest, vmax=largest)
    return figure


def analogies(
    pictures: Mapping[str, ArrayLike],
    image_shape: tuple[int, ...],
    *,
    title: str | None = None,
) -> Any:
    """Draw rows of pictures side by side: an input, its output, another, the same done to it.

    Parameters
    ----------
    pictures : mapping of str to array-like of shape (n_rows, n_pixels)
        The columns, by name, from left to right.
    image_shape : tuple (height, width) or (height, width, 3)
        Of a picture.
    title : str, optional
        The title.

    Returns
    -------
    Figure
        The figure, outside pyplot.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If there are none, or they are not as many, or of another size.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import analogies
    >>> X = np.random.default_rng(0).random((2, 9))
    >>> len(analogies({"input": X, "output": 1 - X}, (3, 3)).axes)
    4
    """
    require_matplotlib("sidelight.plot.analogies")
    columns: dict[str, FloatArray] = {
        name: np.asarray(rows, dtype=np.float64) for name, rows in pictures.items()
    }
    sizes = {name: rows.shape for name, rows in columns.items()}
    n_pixels = int(np.prod(image_shape))
    fine = all(len(size) == 2 and size[1] == n_pixels for size in sizes.values())
    if not columns or not fine or len(set(sizes.values())) > 1:
        raise ValueError(
            f"The 'pictures' parameter of analogies must hold tables of as many rows, with "
            f"{n_pixels} pixels each. Got {sizes}."
        )
    n = next(iter(sizes.values()))[0]
    width = _CELL * image_shape[1] / max(image_shape[:2])
    figure = new_figure(width * len(columns), _CELL * n + 0.3)
    low, high = min(c.min() for c in columns.values()), max(c.max() for c in columns.values())
    axes = figure.subplots(n, len(columns), squeeze=False)
    for line, row in zip(axes, range(n), strict=True):
        for ax, (name, rows) in zip(line, columns.items(), strict=True):
            picture = rows[row].reshape(image_shape)
            if len(image_shape) == 3:
                picture = np.clip((picture - low) / max(high - low, 1e-12), 0.0, 1.0)
            ax.imshow(picture, cmap="gray", vmin=low, vmax=high)
            ax.set(xticks=[], yticks=[])
            _frameless(ax)
            if row == 0:
                ax.set_title(name, fontsize=TEXT_SIZE, color=INK)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=TITLE_SIZE, color=INK)
    return figure


def _cells(n: int, n_columns: int | None, title: str | None) -> tuple[Any, list[Any]]:
    """A figure of small axes without frames, a little wider than high."""
    columns = n_columns or min(n, int(np.ceil(np.sqrt(1.6 * n))))
    rows = -(-n // columns)
    figure = new_figure(_CELL * columns, _CELL * rows + (0.3 if title else 0.0))
    axes = [figure.add_subplot(rows, columns, k + 1) for k in range(n)]
    for ax in axes:
        ax.set(xticks=[], yticks=[])
        _frameless(ax)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=TITLE_SIZE, color=INK)
    return figure, axes


def _lines(ends: FloatArray, thick: FloatArray) -> Any:
    from matplotlib.collections import LineCollection

    return LineCollection(list(ends), linewidths=2.0 * thick, colors=SINGLE)


def _frameless(ax: Any) -> None:
    for spine in ax.spines.values():
        spine.set_visible(False)
