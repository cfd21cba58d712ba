"""The Swiss roll unfolded by semidefinite embedding, where the sample is dense enough.

Semidefinite embedding (section 1.7) keeps the distances between neighbours and maximises the
variance, which should lay a roll out flat.  Neighbours on different turns of the roll hold the two
turns together for ever; a sample with holes leaves the sheet free to stretch there.  Both become
rarer as the sample grows.  The truth is the sheet: arc length × height.  Isomap comes closer
wherever the roll unfolds and falls to the same short circuits; LLE's axes have one common variance.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import Isomap, LocallyLinearEmbedding, SemidefiniteEmbedding
from sidelight.core import DisconnectedGraphWarning, FloatArray
from sidelight.datasets import Dataset, swiss_roll
from sidelight.plot import save
from sidelight.plot.colours import choose_colours
from sidelight.plot.points import draw_points
from sidelight.plot.style import (
    FAINT,
    HAIRLINE,
    INK,
    PALETTE,
    TEXT_SIZE,
    new_figure,
    style_axes,
    style_legend,
)
from sidelight.quality import procrustes

SIZES = (200, 500, 1000, 2000)
NEIGHBORS = (6, 8)
DRAWS = 5
UNFOLDED = 0.15  # a residual up to this is called unfolded
METHODS: dict[str, Callable[[int], Any]] = {
    "SDE": lambda k: SemidefiniteEmbedding(2, n_neighbors=k, tol=1e-3),
    "Isomap": lambda k: Isomap(2, n_neighbors=k),
    "LLE": lambda k: LocallyLinearEmbedding(2, n_neighbors=k),
}
SHOWN = 8  # neighbours, in the figure


class Outcome(NamedTuple):
    """What came of one method on all draws of one size.

    Parameters
    ----------
    first : ndarray of shape (n, 2)
        The map of the first draw, laid onto the sheet.
    residuals : ndarray of shape (n_draws,)
        To the sheet.
    seconds : float
        Processor time, the median.
    gap : float
        The largest proven one; NaN for methods without.
    crossings : list of int
        Edges between different turns of the roll in each draw; empty for methods without edges.
    """

    first: FloatArray
    residuals: FloatArray
    seconds: float
    gap: float
    crossings: list[int]


def crossings(model: SemidefiniteEmbedding, sheet: Dataset) -> int:
    """Count the edges that join different turns: three times as long on the sheet as in space."""
    assert sheet.truth is not None
    i, j = model.edges_.T
    on_sheet = np.linalg.norm(sheet.truth[i] - sheet.truth[j], axis=1)
    in_space = np.linalg.norm(sheet.X[i] - sheet.X[j], axis=1)
    return int(np.sum(on_sheet > 3 * in_space))


def measure(method: Callable[[int], Any], n_neighbors: int, sheets: list[Dataset]) -> Outcome:
    """Fit a method to every draw."""
    maps, residuals, seconds, gaps, across = [], [], [], [], []
    for sheet in sheets:
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisconnectedGraphWarning)  # few points: joined
            model = method(n_neighbors).fit(sheet.X)
        seconds.append(time.process_time() - started)
        matched = procrustes(model.embedding_, sheet.truth)
        maps.append(matched.aligned)
        residuals.append(matched.residual)
        if isinstance(model, SemidefiniteEmbedding):
            gaps.append(model.gap_)
            across.append(crossings(model, sheet))
    return Outcome(
        maps[0],
        np.array(residuals),
        float(np.median(seconds)),
        float(max(gaps, default=np.nan)),
        across,
    )


TEXT = [
    Said(
        "tutorial",
        "section 1.7",
        "SDE unfolds: the largest variance that neighbours allow",
        ours="median residual to the sheet, n = 1,000, k = 8: "
        "{roll/1,000, k = 8, SDE/residual} (Isomap {roll/1,000, k = 8, Isomap/residual})",
        upheld=("n = 2,000, k = 8: worst residual of SDE",),
        refuted=("n = 200 never unfolds",),
        because="among 200 points some neighbours are on different turns of the roll, and SDE "
        "keeps their distance",
    )
]
CLAIMS = [
    Claim(
        "n = 2,000, k = 8: worst residual of SDE",
        lambda r: r.draws("roll", "2,000, k = 8, SDE", "residual").max(),
        most=UNFOLDED,
        quick=False,
    ),
    Claim(
        "n = 200 never unfolds: best residual of SDE",
        lambda r: min(r.draws("roll", f"200, k = {k}, SDE", "residual").min() for k in NEIGHBORS),
        least=0.3,
    ),
    Claim(
        "and has edges between turns in every draw: fewest",
        lambda r: min(
            r.draws("roll", f"200, k = {k}, SDE", "edges between turns").min() for k in NEIGHBORS
        ),
        least=1,
        form="{:.0f}",
    ),
    Claim(
        "n = 200: largest proven gap",
        lambda r: max(r("roll", f"200, k = {k}, SDE", "largest gap") for k in NEIGHBORS),
        most=1e-3,
        form="{:.0e}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The residuals; the maps above them."""
    sizes, n_draws = ((100, 200), 2) if quick else (SIZES, DRAWS)
    sheets = {n: [swiss_roll(n, random_state=seed) for seed in range(n_draws)] for n in sizes}
    found = {}
    table = Table(
        "roll",
        "Procrustes residuals to the sheet, median (range)",
        {
            "residual": "{median:.3f} ({min:.3f} to {max:.3f})",
            f"≤ {UNFOLDED}": "{:.0f}",
            "CPU s": "{:.2f}",
            "largest gap": "{:.0e}",
            "edges between turns": "{min:.0f} to {max:.0f}",
        },
        range(n_draws),
    )
    for n in sizes:
        for k in NEIGHBORS:
            for name, method in METHODS.items():
                one = found[n, k, name] = measure(method, k, sheets[n])
                table.add(
                    f"{n:,}, k = {k}, {name}",
                    one.residuals,
                    int(np.sum(one.residuals <= UNFOLDED)),
                    one.seconds,
                    None if np.isnan(one.gap) else one.gap,
                    one.crossings or None,
                )

    maps = {}
    for n in sizes:
        one, truth = found[n, SHOWN, "SDE"], sheets[n][0].truth
        maps[n] = one.first, truth, float(one.residuals[0])
    curves = {name: [found[n, SHOWN, name].residuals for n in sizes] for name in METHODS}
    save(_figure(maps, curves), output / "unfolded_roll.png")
    return [table]


def _figure(maps: dict[int, Any], curves: dict[str, list[FloatArray]]) -> Any:
    """Draw one map per size above the residuals of all draws."""
    figure = new_figure(2.6 * len(maps), 4.4)
    top, bottom = figure.subfigures(2, 1, height_ratios=(1, 2.9))
    for ax, (n, (Z, truth, residual)) in zip(
        top.subplots(1, len(maps), sharex=True, sharey=True), maps.items(), strict=True
    ):
        colouring = choose_colours("unfolded_roll", n, truth[:, 0], None)
        draw_points(ax, Z, colouring, point_size=min(12.0, 2500 / n))
        style_axes(ax)
        ax.set_aspect("equal", adjustable="box")
        ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
        for spine in ax.spines.values():
            spine.set(visible=True, color="#e2e2e2", linewidth=0.6)
        ax.set_title(f"n = {n:,}", loc="left", fontsize=TEXT_SIZE + 1, color=INK)
        ax.set_title(f"{residual:.3f}", loc="right", fontsize=TEXT_SIZE, color=FAINT)
    ax = bottom.subplots()
    sizes = list(maps)
    for place, (name, residuals) in enumerate(curves.items()):
        colour, shift = PALETTE[place], 1.0 + 0.03 * (place - 1)
        medians = [np.median(values) for values in residuals]
        ax.plot(np.array(sizes) * shift, medians, color=colour, linewidth=1.6, label=name)
        for n, values in zip(sizes, residuals, strict=True):
            ax.plot([n * shift] * len(values), values, "o", color=colour, ms=3.5, mew=0, alpha=0.6)
    ax.axhline(UNFOLDED, color=HAIRLINE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    style_axes(ax, x_label="points n", y_label="residual to the sheet")
    ax.set_xscale("log")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.xaxis.minorticks_off()
    ax.set_ylim(0, 1)
    style_legend(ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0)))
    return figure
