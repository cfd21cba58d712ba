"""How good a map is, as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from sidelight.core import ArrayLike, FloatArray, RandomSource, random_numbers
from sidelight.plot.style import (
    FAINT,
    HAIRLINE,
    INK,
    PALETTE,
    SMALL_SIZE,
    density_map,
    few_ticks,
    name_power,
    new_axes,
    require_matplotlib,
    style_axes,
    style_legend,
)

_DASHES = ("-", "--")


class _Curves(Protocol):
    """What :func:`coranking_curves` draws: the result of the function in sidelight.quality."""

    @property
    def k(self) -> Any:
        """The neighbourhood sizes."""

    @property
    def r_nx(self) -> Any:
        """The share of neighbours kept, above chance."""

    @property
    def auc(self) -> float:
        """The area under the curve over log k."""


def coranking_curves(
    curves: _Curves | Mapping[str, _Curves],
    *,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw R_NX against the size of the neighbourhood, on a logarithmic axis.

    R_NX(K) = ((n − 1) Q_NX(K) − K) / (n − 1 − K) is the share of K neighbours that a map keeps,
    0 at chance and 1 for a perfect map; its area over log K is in the legend.

    Parameters
    ----------
    curves : object or mapping of str to object
        Objects with the attributes ``k``, ``r_nx`` and ``auc``, by name where there are several.
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
        If there is nothing to draw.

    References
    ----------
    J. A. Lee, D. H. Peluffo-Ordóñez, M. Verleysen, "Multi-scale similarities in stochastic
    neighbour embedding", Neurocomputing 169, 2015.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sidelight.plot import coranking_curves
    >>> ax = coranking_curves({"PCA": SimpleNamespace(k=[1, 2, 4], r_nx=[0.2, 0.4, 0.5], auc=0.34)})
    >>> ax.get_legend().get_texts()[0].get_text()
    'PCA  0.34'
    """
    require_matplotlib("sidelight.plot.coranking_curves")
    named = dict(curves) if isinstance(curves, Mapping) else {"": curves}
    if not named:
        raise ValueError(
            "The 'curves' parameter of coranking_curves must hold at least one result. Got none."
        )
    if ax is None:
        ax = new_axes(6.8, 4.0)
    # the best first, so that the legend is read in the order of the curves
    ranked = sorted(named, key=lambda name: -float(named[name].auc))
    colour_of = {name: place for place, name in enumerate(named)}
    least = 0.0
    for name in ranked:
        place = colour_of[name]
        one = named[name]
        ax.plot(
            np.asarray(one.k),
            np.asarray(one.r_nx),
            color=PALETTE[place % len(PALETTE)],
            linestyle=_DASHES[(place // len(PALETTE)) % len(_DASHES)],
            linewidth=1.6,
            label=f"{name}  {float(one.auc):.2f}".strip(),
        )
        least = min(least, float(np.min(one.r_nx)))
    ax.set_xscale("log")
    ax.set_ylim(least - 0.02 if least < 0 else 0.0, 1.0)
    ax.axhline(0.0, color=HAIRLINE, linewidth=0.6)
    ax.grid(axis="y", color="#efefef", linewidth=0.6)
    ax.set_axisbelow(True)
    style_axes(ax, title=title, x_label="neighbours K", y_label="$R_{NX}(K)$")
    _plain_powers(ax)
    key = ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), title="area under curve", alignment="left"
    )
    style_legend(key)
    return ax


def shepard_diagram(
    X: ArrayLike,
    Z: ArrayLike,
    *,
    metric: str = "euclidean",
    max_pairs: int = 200_000,
    random_state: RandomSource = 0,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw distances on the map against distances in the data, as a density.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features) or (n_points, n_points)
        The data, or its distances with ``metric="precomputed"``.
    Z : array-like of shape (n_points, n_dimensions)
        The map.
    metric : str
        The distance in the data, by its name in :func:`scipy.spatial.distance.pdist`, or
        ``"precomputed"``.  On the map it is Euclidean.
    max_pairs : int
        Where there are more pairs, all pairs within a random subset of the points are taken.
    random_state : int, Generator, RandomState or None
        Chooses the subset.
    title : str, optional
        The title.
    ax : Axes, optional
        Where to draw; by default on a new figure (``ax.figure``).

    Returns
    -------
    Axes
        The axes drawn on; the text says Pearson's and Spearman's correlation.  The dashed line is
        the identity; where the map has another scale, it is the best scale c, minimising
        Σ (c d_X − d_Z)².

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    ValueError
        If the numbers of rows differ or there are fewer than two points.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot import shepard_diagram
    >>> X = np.random.RandomState(0).normal(size=(30, 3))
    >>> shepard_diagram(X, X).texts[0].get_text()
    'r = 1.00   ρ = 1.00'
    """
    require_matplotlib("sidelight.plot.shepard_diagram")
    in_data, on_map = _paired_distances(X, Z, metric, max_pairs, random_state)
    if ax is None:
        ax = new_axes(5.2, 4.8)
    reach = np.array([in_data.max(), on_map.max()])
    hexagons = ax.hexbin(
        in_data, on_map, gridsize=55, mincnt=1, bins="log", cmap=density_map(), linewidths=0.3
    )
    hexagons.set(rasterized=True, edgecolor="face")
    scale = float(in_data @ on_map / max(float(in_data @ in_data), np.finfo(float).tiny))
    same_scale = 0.25 < reach[1] / max(reach[0], np.finfo(float).tiny) < 4.0
    slope = 1.0 if same_scale else scale
    end = min(reach[0], reach[1] / slope) if slope > 0 else reach[0]
    name = "identity" if same_scale else f"best scale × {scale:.3g}"
    ax.plot([0, end], [0, slope * end], color=INK, linewidth=0.9, linestyle=(0, (5, 3)), label=name)
    ax.set_xlim(0, 1.03 * reach[0] if reach[0] > 0 else 1.0)
    ax.set_ylim(0, 1.03 * reach[1] if reach[1] > 0 else 1.0)
    if same_scale:
        ax.set_aspect("equal", adjustable="box")
    pearson, spearman = _correlations(in_data, on_map)
    style_axes(ax, title=title, x_label="distance in the data", y_label="distance on the map")
    few_ticks(ax)
    for axis, farthest in zip((ax.xaxis, ax.yaxis), reach, strict=True):
        name_power(axis, float(reach.max() if same_scale else farthest))
    ax.text(
        1.0,
        1.01,
        f"r = {pearson:.2f}   ρ = {spearman:.2f}",
        transform=ax.transAxes,
        ha="right",
        va="bottom",
        fontsize=SMALL_SIZE,
        color=FAINT,
    )
    key = ax.legend(loc="upper left", handlelength=2.2)
    style_legend(key)
    return ax


def _paired_distances(
    X: ArrayLike,
    Z: ArrayLike,
    metric: str,
    max_pairs: int,
    random_state: RandomSource,
) -> tuple[FloatArray, FloatArray]:
    from scipy.spatial.distance import pdist, squareform

    data, points = np.asarray(X, dtype=float), np.asarray(Z, dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if len(data) != len(points) or len(points) < 2:
        raise ValueError(
            "The 'Z' parameter of shepard_diagram must have one row per row of 'X', and at least "
            f"two. Got {len(points)} rows for {len(data)}."
        )
    given = metric == "precomputed"
    if given and data.shape != (len(points), len(points)):
        raise ValueError(
            "The 'X' parameter of shepard_diagram must be a square table of distances with "
            f"metric='precomputed'. Got shape {data.shape} instead."
        )
    if max_pairs < 1:
        raise ValueError(
            f"The 'max_pairs' parameter of shepard_diagram must be an int in [1, inf). "
            f"Got {max_pairs} instead."
        )
    rows = np.arange(len(points))
    most = max(2, int((1 + np.sqrt(1 + 8 * max_pairs)) / 2))
    if len(rows) > most:
        rows = np.sort(random_numbers(random_state).choice(rows, size=most, replace=False))
    if given:
        in_data = squareform(data[np.ix_(rows, rows)], checks=False)
    else:
        in_data = pdist(data[rows], metric=metric)  # type: ignore[call-overload]
    known = np.isfinite(in_data)
    return np.asarray(in_data[known]), np.asarray(pdist(points[rows])[known])


def _correlations(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    from scipy.stats import rankdata

    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan"), float("nan")
    ranks = np.corrcoef(rankdata(first), rankdata(second))[0, 1]
    return float(np.corrcoef(first, second)[0, 1]), float(ranks)


def _plain_powers(ax: Any) -> None:
    """Write 1, 10, 100 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ax.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
