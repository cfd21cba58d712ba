"""Motion capture as closed curves: a run and a walk in two dimensions.

The probabilistic slides ("Isomap on Stick Man", "Laplacian Eigenmaps on Stick Man", "LLE on Stick
Man") map 55 frames of a run; the latent-factor thesis (section 3.1, figures 3.5 and 3.6) maps a
walk cycle to a closed curve.  A good map of a cyclic motion is a loop that is followed in one
direction, once per cycle.

Measured (k = 6): of the walk, Isomap and Laplacian eigenmaps make one round loop, passed 2.5 times
and onward in 95 % and 89 % of the steps; PCA's loop is passed as often but folded (84 %), and LLE
does not give a loop.  The run begins with standing and a start, before about two cycles: Isomap
shows a tail and a loop, PCA a coil that drifts, and Laplacian eigenmaps and LLE stretch the start
over half of the plane and flatten the loop (55 frames with 6 neighbours each are few).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import print_table, start
from sidelight import PCA, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.core.arrays import FloatArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.plot.style import HAIRLINE
from sidelight.quality import coranking_curves

NEIGHBORS = 6


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


def main(output: Path, *, quick: bool = False) -> None:
    """Print how the maps turn, and save them with the path of the motion."""
    walk = load("cmu35_walk")
    motions = {
        "run": (load("stick_run1").X, "frame"),
        "walk": (walk.X[:: 3 if quick else 1], "frame"),
    }
    for name, (X, unit) in motions.items():
        rows, maps, scores = [], {}, {}
        for method, estimator in methods().items():
            Z = estimator.fit_transform(X)
            turns, onward = turning(Z)
            auc = coranking_curves(X, Z).auc
            maps[method], scores[method] = Z, f"{turns:.1f} turns"
            rows.append([method, f"{turns:.2f}", f"{100 * onward:.0f} %", f"{auc:.3f}"])
        header = ["method", "turns", "steps onward", "AUC of R_NX"]
        print_table(header, rows, title=f"{name}: {len(X)} frames, k = {NEIGHBORS}")
        figure = comparison(
            maps, color=np.arange(len(X)), scores=scores, key_title=unit, n_columns=4
        )
        for ax, Z in zip(figure.axes, maps.values(), strict=False):
            ax.plot(*Z.T, color=HAIRLINE, linewidth=0.8, zorder=0)
        save(figure, output / f"motion_maps_{name}.png")


if __name__ == "__main__":
    start(main)
