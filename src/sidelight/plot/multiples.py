"""Several maps of the same data, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.core import ArrayLike
from sidelight.plot.colours import choose_colours, draw_key, key_width
from sidelight.plot.points import as_map, draw_line_of_points, draw_points
from sidelight.plot.style import (
    FAINT,
    INK,
    TEXT_SIZE,
    TITLE_SIZE,
    new_figure,
    require_matplotlib,
    style_axes,
)

_WIDTH, _HEIGHT = 3.0, 2.9
# So many letters of a name and a score go side by side over a map.
_TITLE_LETTERS = 32


def comparison(
    maps: Mapping[str, ArrayLike],
    *,
    color: ArrayLike | str | None = None,
    labels: ArrayLike | None = None,
    period: float | None = None,
    scores: Mapping[str, float | str] | None = None,
    key_title: str | None = None,
    title: str | None = None,
    point_size: float | str = "auto",
    alpha: float | str = "auto",
    n_columns: int | None = None,
) -> Any:
    """Draw maps of the same data as small multiples with one key.

    Parameters
    ----------
    maps : mapping of str to array-like of shape (n_points, 1), (n_points, 2) or (n_points, 3)
        The maps, by name.
    color : array-like of shape (n_points,) or str, optional
        A value per point, as in :func:`sidelight.plot.scatter`.
    labels : array-like of shape (n_points,), optional
        The class of each point.
    period : float, optional
        After how much the values of ``color`` come round, as angles do after 360.
    scores : mapping of str to float or str, optional
        A score for each map, written beside its name.
    key_title : str, optional
        What the colours mean.
    title : str, optional
        The title of the whole figure.
    point_size : float or "auto"
        The area of a point in square typographic points.
    alpha : float or "auto"
        The opacity of a point.
    n_columns : int, optional
        How many maps in a row; by default the grid is a little wider than high.

    Returns
    -------
    Figure
        The figure.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If there are no maps, they differ in length, or a score has no map.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import comparison
    >>> Z = np.random.RandomState(0).normal(size=(40, 2))
    >>> figure = comparison({"one": Z, "two": Z[:, ::-1]}, scores={"one": 0.5})
    >>> [ax.get_title(loc="left") for ax in figure.axes]
    ['one', 'two']
    """
    require_matplotlib("sidelight.plot.comparison")
    if not maps:
        raise ValueError("The 'maps' parameter of comparison must hold at least one map. Got none.")
    points = {name: as_map("comparison", Z, f"maps[{name!r}]") for name, Z in maps.items()}
    lengths = {name: len(Z) for name, Z in points.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            "The 'maps' parameter of comparison must hold maps of the same points. "
            f"Got these numbers of points: {lengths}."
        )
    unknown = sorted(set(scores or {}) - set(points))
    if unknown:
        raise ValueError(
            f"The 'scores' parameter of comparison names maps that are not there: {unknown}. "
            f"The maps are {list(points)}."
        )
    n_points = next(iter(lengths.values()))
    colouring = choose_colours("comparison", n_points, color, labels, period=period)
    columns = n_columns or min(len(points), int(np.ceil(np.sqrt(1.4 * len(points)))))
    rows = -(-len(points) // columns)
    width = _WIDTH * columns + key_width(colouring)
    figure = new_figure(width, _HEIGHT * rows + (0.4 if title else 0.0))
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
    # long names stand a line above their scores
    written = {name: _written(score) for name, score in (scores or {}).items()}
    above = "\n" if any(len(n) + len(s) > _TITLE_LETTERS for n, s in written.items()) else ""
    drawn = []
    for place, (name, Z) in enumerate(points.items()):
        projection = "3d" if Z.shape[1] == 3 else None
        ax = figure.add_subplot(rows, columns, place + 1, projection=projection)
        if Z.shape[1] == 1:
            draw_line_of_points(ax, Z[:, 0], colouring, point_size=point_size, alpha=alpha)
        else:
            draw_points(ax, Z, colouring, point_size=point_size, alpha=alpha)
        style_axes(ax)
        _frame(ax, Z.shape[1])
        ax.set_title(name + above, loc="left", fontsize=TEXT_SIZE + 1, color=INK)
        if name in written:
            ax.set_title(written[name], loc="right", fontsize=TEXT_SIZE, color=FAINT)
        drawn.append(ax)
    draw_key(figure, colouring, drawn, title=key_title)
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=TITLE_SIZE, color=INK)
    return figure


def _frame(ax: Any, n_dimensions: int) -> None:
    """Small maps are compared by shape: a frame, and no numbers."""
    if n_dimensions == 3:
        ax.set(xticklabels=[], yticklabels=[], zticklabels=[])
        ax.set_box_aspect(
            [np.ptp(span) for span in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())], zoom=1.2
        )
        return
    ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
    for spine in ax.spines.values():
        spine.set(visible=True, color="#e2e2e2", linewidth=0.6)


def _written(score: float | str) -> str:
    return score if isinstance(score, str) else f"{score:.3f}"
