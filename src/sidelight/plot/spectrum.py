"""The spectrum behind a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import ArrayLike, BoolArray, FloatArray
from sidelight.plot.style import (
    HAIRLINE,
    NEGATIVE,
    PALETTE,
    name_power,
    new_axes,
    require_matplotlib,
    style_axes,
    style_legend,
)

_KEPT, _LEFT_OUT = PALETTE[0], "#b9d4ee"
# more bars than this run into one another: the spectrum is then drawn as an area
_MOST_BARS = 200
_ROUNDING = 1e-12


def eigenvalues(
    values: ArrayLike,
    *,
    n_kept: int = 0,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw eigenvalues as bars, the negative ones in a colour of their own.

    The legend says what share of Σ max(λ, 0) the first ``n_kept`` values hold, and how much of
    Σ |λ| is negative: what no Euclidean map can show.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        The eigenvalues; they are drawn in falling order.
    n_kept : int
        How many of the largest span the map.
    title : str, optional
        The title.
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
        If there are no values or ``n_kept`` is more than their number.

    Examples
    --------
    >>> from sidelight.plot import eigenvalues
    >>> ax = eigenvalues([3.0, 1.0, -1.0], n_kept=1)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['1 kept: 75 % of the positive sum', '1 left out', '1 negative: 20 % of the absolute sum']
    """
    require_matplotlib("sidelight.plot.eigenvalues")
    from matplotlib.ticker import MaxNLocator

    spectrum = np.sort(np.asarray(values, dtype=float).ravel())[::-1]
    if len(spectrum) == 0 or not np.isfinite(spectrum).all():
        raise ValueError(
            "The 'values' parameter of eigenvalues must hold at least one finite number. "
            f"Got an array of shape {np.shape(values)} instead."
        )
    if not 0 <= n_kept <= len(spectrum):
        raise ValueError(
            "The 'n_kept' parameter of eigenvalues must be an int in "
            f"[0, {len(spectrum)}]. Got {n_kept} instead."
        )
    if ax is None:
        ax = new_axes(float(np.clip(3.6 + 0.12 * len(spectrum), 4.4, 6.8)), 3.4)
    rank = np.arange(1, len(spectrum) + 1)
    # what rounding leaves below zero is no news
    negative = spectrum < -_ROUNDING * np.abs(spectrum).max()
    kept = rank <= n_kept
    positive_sum = float(spectrum[~negative].sum())
    groups = [
        (kept & ~negative, _KEPT, _share(spectrum, kept & ~negative, positive_sum)),
        (~kept & ~negative, _LEFT_OUT if n_kept else _KEPT, "left out" if n_kept else "positive"),
        (negative, NEGATIVE, _negative_share(spectrum, negative)),
    ]
    for members, colour, name in groups:
        if not members.any():
            continue
        label = f"{members.sum()} {name}"
        if len(spectrum) <= _MOST_BARS:
            ax.bar(rank[members], spectrum[members], width=0.8, color=colour, label=label)
        else:
            heights = np.where(members, spectrum, 0.0)
            ax.fill_between(rank, heights, step="mid", color=colour, linewidth=0, label=label)
    style_axes(ax, title=title, x_label="rank", y_label="eigenvalue")
    ax.spines["bottom"].set_visible(False)
    ax.axhline(0.0, color=HAIRLINE, linewidth=0.6)
    ax.set_xlim(0.3, len(spectrum) + 0.7)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    name_power(ax.yaxis, float(np.abs(spectrum).max()))
    style_legend(ax.legend(loc="upper right"))
    return ax


def _share(spectrum: FloatArray, kept: BoolArray, positive_sum: float) -> str:
    if positive_sum == 0:
        return "kept"
    return f"kept: {100 * spectrum[kept].sum() / positive_sum:.0f} % of the positive sum"


def _negative_share(spectrum: FloatArray, negative: BoolArray) -> str:
    total = np.abs(spectrum).sum()
    share = 0.0 if total == 0 else 100 * -spectrum[negative].sum() / total
    amount = "less than 1" if 0 < share < 0.5 else f"{share:.0f}"
    return f"negative: {amount} % of the absolute sum"
