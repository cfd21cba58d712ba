"""Motion capture as closed curves: a run and a walk in two dimensions.

The probabilistic slides ("Isomap on Stick Man", "Laplacian Eigenmaps on Stick Man", "LLE on Stick
Man") map 55 frames of a run; the latent-factor thesis (section 3.1, figures 3.5 and 3.6) maps a
walk cycle to a closed curve.  A good map of a cyclic motion is a loop that is followed in one
direction, once per cycle: counted are the turns about the middle of the map and the share of steps
that go on.  The run begins with standing and a start, before about two cycles.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import PCA, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.plot.style import HAIRLINE
from sidelight.quality import coranking_curves

NEIGHBORS = 6
#: What stands for the walk of the thesis, which does not name it.
WALK = "358 frames of CMU's subject 35 instead of 298 of a walk that is not named"


def turning(Z: FloatArray) -> tuple[float, float]:
    """How often the path goes round the middle of the map, and the share of steps that go on."""
    middle = (Z.max(axis=0) + Z.min(axis=0)) / 2
    angles = np.arctan2(*(Z - middle).T[::-1])
    steps = (np.diff(angles) + np.pi) % (2 * np.pi) - np.pi
    turns = steps.sum() / (2 * np.pi)
    onward = np.mean(steps * np.sign(turns) > 0)
    return float(abs(turns)), float(onward)


def methods() -> dict[str, Any]:
    """The methods whose maps the texts show."""
    return {
        "PCA": PCA(2),
        "Isomap": Isomap(2, n_neighbors=NEIGHBORS),
        "LEM": LaplacianEigenmaps(2, n_neighbors=NEIGHBORS),
        "LLE": LocallyLinearEmbedding(2, n_neighbors=NEIGHBORS),
    }


TEXT = [
    Said(
        "slides",
        "Isomap, Laplacian Eigenmaps, LLE on Stick Man",
        "maps of a run; no figure is printed",
        ours="turns: Isomap {run/Isomap/turns}, LEM {run/LEM/turns}, LLE {run/LLE/turns}",
    ),
    Said(
        "latent",
        "figure 3.5",
        "a walk cycle is a closed curve (here by spectral methods; KIE: information_maps)",
        ours="Isomap {walk/Isomap/turns} turns, {walk/Isomap/steps onward} % of the steps go on",
        upheld=("the walk is a loop in Isomap's map", "and goes on"),
        data=WALK,
    ),
]
CLAIMS = [
    Claim(
        "the walk is a loop in Isomap's map: turns",
        lambda r: r("walk", "Isomap", "turns"),
        least=2.2,
        most=2.8,
        form="{:.2f}",
    ),
    Claim(
        "and goes on in per cent of the steps",
        lambda r: r("walk", "Isomap", "steps onward"),
        least=85,
        form="{:.0f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """How the maps turn; the maps with the path of the motion."""
    motions = {"run": load("stick_run1").X, "walk": load("cmu35_walk").X[:: 3 if quick else 1]}
    columns = {"turns": "{:.2f}", "steps onward": "{:.0f}", "AUC of R_NX": "{:.3f}"}
    tables = []
    for name, X in motions.items():
        table = Table(name, f"{name}: {len(X)} frames, k = {NEIGHBORS} (steps in %)", columns)
        maps = {method: one.fit_transform(X) for method, one in methods().items()}
        scores = {}
        for method, Z in maps.items():
            turns, onward = turning(Z)
            scores[method] = f"{turns:.1f} turns"
            table.add(method, turns, 100 * onward, coranking_curves(X, Z).auc)
        tables.append(table)
        figure = comparison(
            maps, color=np.arange(len(X)), scores=scores, key_title="frame", n_columns=4
        )
        for ax, Z in zip(figure.axes, maps.values(), strict=False):
            ax.plot(*Z.T, color=HAIRLINE, linewidth=0.8, zorder=0)
        save(figure, output / f"motion_maps_{name}.png")
    return tables
