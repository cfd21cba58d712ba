"""Isomap with landmarks: how many are needed for the map of all points.

The tutorial's Isomap (section 1.6) needs all n² geodesic distances; de Silva and Tenenbaum's
landmarks need n × m.  The question is how much of the map of a swiss roll is lost: its Procrustes
residual to the sheet, as a multiple of that of the map of all points.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import Isomap
from sidelight.datasets import swiss_roll
from sidelight.plot import save
from sidelight.plot.style import HAIRLINE, PALETTE, new_axes, style_axes, style_legend
from sidelight.quality import procrustes

TEXT = [
    Said(
        "tutorial",
        "section 1.6",
        "Isomap; with landmarks, which the text does not have",
        ours="residual with 100 landmarks over that with all: {landmarks/100 landmarks/ratio}",
    )
]
CLAIMS = [
    Claim(
        "with 100 landmarks the residual over that of all points, worst draw",
        lambda r: r.draws("landmarks", "100 landmarks", "ratio").max(),
        most=1.15,
    ),
    Claim(
        "the residual of all points, worst draw",
        lambda r: r.draws("landmarks", "all points", "residual").max(),
        most=0.05,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Residuals to the sheet for each number of landmarks, and their curve."""
    n_samples, seeds = (600, range(1, 4)) if quick else (3000, range(5))
    counts = [m for m in (10, 20, 50, 100, 200, 500, 1000) if m < n_samples]
    residuals = np.empty((len(seeds), len(counts) + 1))
    for draw, seed in enumerate(seeds):
        X, truth = swiss_roll(n_samples, random_state=seed)
        maps = [Isomap(2), *(Isomap(2, n_landmarks=m) for m in counts)]
        residuals[draw] = [procrustes(one.fit_transform(X), truth).residual for one in maps]
    ratios = residuals / residuals[:, :1]
    table = Table(
        "landmarks",
        f"Procrustes residual to the sheet, n = {n_samples}, k = 10, mean (worst; range)",
        {"residual": "{mean:.4f} ({max:.4f})", "ratio": "{mean:.3f} ({min:.3f} to {max:.3f})"},
        seeds,
    )
    names = ["all points", *(f"{m} landmarks" for m in counts)]
    for name, residual, ratio in zip(names, residuals.T, ratios.T, strict=True):
        table.add(name, residual, ratio, control=name == "all points")

    ax = new_axes(6.4, 3.6)
    ax.axhline(1.0, color=HAIRLINE, linewidth=0.8)
    for draw, seed in enumerate(seeds):
        ax.plot(
            counts, ratios[draw, 1:], "o-", markersize=4, color=PALETTE[draw], label=f"draw {seed}"
        )
    ax.set_xscale("log")
    ax.set_xticks(counts, [str(m) for m in counts])
    ax.minorticks_off()
    style_axes(ax, x_label="landmarks", y_label=f"residual / residual with all {n_samples}")
    style_legend(ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0)))
    save(ax, output / "landmark_quality.png")
    return [table]
