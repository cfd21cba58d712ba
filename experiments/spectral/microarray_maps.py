"""The yeast cell cycle in two dimensions: 77 arrays of 6178 genes.

The probabilistic slides ("Isomap", "Laplacian Eigenmaps", "LLE on Microarray Data") show maps of
these data and print no figure.  The arrays are series in time, cells that were synchronised in
several ways: counted is how many arrays have one of their own series nearest in the map, and how
many have one that was taken just before or after.  Every gene has zero mean and unit variance,
missing values at the mean, as for the slides' distances.  Controls are all genes without a map, and
rows of the map that are shuffled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import PCA, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.neighbors import nearest_neighbors
from sidelight.plot import comparison, save
from sidelight.plot.style import HAIRLINE
from sidelight.quality import coranking_curves

NEIGHBORS = 7
SHUFFLES = range(20)


def methods() -> dict[str, Any]:
    """The methods whose maps the slides show, and PCA."""
    return {
        "PCA": PCA(2),
        "Isomap": Isomap(2, n_neighbors=NEIGHBORS),
        "LEM": LaplacianEigenmaps(2, n_neighbors=NEIGHBORS),
        "LLE": LocallyLinearEmbedding(2, n_neighbors=NEIGHBORS),
    }


def standardised(Y: FloatArray) -> FloatArray:
    """Every gene of zero mean and unit variance, what is missing at the mean."""
    mean, spread = np.nanmean(Y, axis=0), np.nanstd(Y, axis=0, ddof=1)
    return np.nan_to_num((Y - mean) / np.where(spread > 0, spread, 1.0), nan=0.0)


def neighbours_kept(Z: FloatArray, series: Any) -> tuple[int, int]:
    """How many arrays have their own series nearest, and how many one taken next to them."""
    nearest = nearest_neighbors(Z, 1).indices[:, 0]
    own = series[nearest] == series
    beside = own & (np.abs(nearest - np.arange(len(Z))) == 1)
    return int(own.sum()), int(beside.sum())


TEXT = [
    Said(
        "slides",
        "Isomap, LEM, LLE on Microarray Data",
        "maps of the yeast cell cycle; no figure is printed",
        ours="arrays of 77 with the next or last in time nearest: PCA {maps/PCA/next in time}, "
        "Isomap {maps/Isomap/next in time}, LEM {maps/LEM/next in time}, "
        "LLE {maps/LLE/next in time}, all genes {maps/all genes/next in time}, "
        "shuffled {maps/shuffled/next in time}",
    ),
]
CLAIMS = [
    Claim(
        "every map shows the series: arrays with their own nearest, the least less shuffled",
        lambda r: (
            min(r("maps", name, "own series") for name in methods())
            - r("maps", "shuffled", "own series")
        ),
        least=5,
        form="{:.0f}",
    ),
    Claim(
        "none shows the order in time as all genes do: those less the best map",
        lambda r: (
            r("maps", "all genes", "next in time")
            - max(r("maps", name, "next in time") for name in methods())
        ),
        least=8,
        form="{:.0f}",
    ),
    Claim(
        "of 77 arrays no method on a graph keeps more than PCA does: areas under R_NX",
        lambda r: (
            r("maps", "PCA", "AUC of R_NX")
            - max(r("maps", name, "AUC of R_NX") for name in ("Isomap", "LEM", "LLE"))
        ),
        least=0.03,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """How far the maps show series and time; the maps with the path of every series."""
    data = load("spellman_yeast")
    X, series = standardised(data.X), np.asarray(data.labels)
    table = Table(
        "maps",
        f"Of 77 arrays, in two dimensions, k = {NEIGHBORS}",
        {"own series": "{mean:.0f}", "next in time": "{mean:.0f}", "AUC of R_NX": "{mean:.3f}"},
        SHUFFLES,
    )
    maps = {name: method.fit_transform(X) for name, method in methods().items()}
    scores = {}
    for name, Z in maps.items():
        own, beside = neighbours_kept(Z, series)
        scores[name] = f"{beside} next in time"
        table.add(name, own, beside, coranking_curves(X, Z).auc)
    table.add("all genes", *neighbours_kept(X, series), 1.0, control=True)
    shuffled = [np.random.default_rng(seed).permutation(maps["Isomap"]) for seed in SHUFFLES]
    kept = np.array([neighbours_kept(Z, series) for Z in shuffled], dtype=float)
    curves = [coranking_curves(X, Z).auc for Z in shuffled]
    table.add("shuffled", list(kept[:, 0]), list(kept[:, 1]), curves, control=True)
    figure = comparison(maps, labels=series, scores=scores, n_columns=4)
    for ax, Z in zip(figure.axes, maps.values(), strict=False):
        for name in np.unique(series):
            ax.plot(*Z[series == name].T, color=HAIRLINE, linewidth=0.8, zorder=0)
    save(figure, output / "microarray_maps.png")
    return [table]
