"""Maps of 698 faces by seven spectral methods, with pose and light as the truth.

The tutorial (figures 1.1 to 1.8; the informed-embedding thesis, chapter 1, has the same) maps 698
images of a face, turned left and right, up and down, under a moving light: PCA, kernel PCA with a
Gaussian kernel, LLE (k = 5), Laplacian eigenmaps (k = 7), MDS, Isomap (k = 6) and semidefinite
embedding (SDE, k = 5).  The claim (figure 1.1): the first axis of the map "correlates highly" with
left-right pose.  Here by rank correlations on images of 32 × 32 pixels: the claim holds for the
methods on a graph, and not for PCA or Gaussian kernel PCA.  A single score of quality does not
decide which map shows the pose: residual variance prefers PCA by straight distances and Isomap by
distances along the graph.  The controls are the pixel that follows a factor best,
and poses dealt out anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from experiments.record import Claim, Said, Table
from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    SemidefiniteEmbedding,
)
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.neighbors import neighborhood_graph
from sidelight.plot import coranking_curves as draw_curves
from sidelight.plot import save, scatter
from sidelight.plot.style import FAINT, INK, TEXT_SIZE, new_figure
from sidelight.quality import coranking_curves, residual_variance
from sidelight.similarity import geodesic_distances

METHODS: dict[str, Any] = {
    "PCA": PCA(2),
    "Kernel PCA, Gaussian": KernelPCA(2),
    "LLE, k = 5": LocallyLinearEmbedding(2, n_neighbors=5),
    "LEM, k = 7": LaplacianEigenmaps(2, n_neighbors=7),
    "MDS": ClassicalMDS(2),
    "Isomap, k = 6": Isomap(2, n_neighbors=6),
    "SDE, k = 5": SemidefiniteEmbedding(2, n_neighbors=5),
}


FACTORS = ("left-right", "up-down", "light")


def _follows(Z: FloatArray, values: FloatArray) -> float:
    """The rank correlation of the axis that follows the values best."""
    ranks = rankdata(Z[:, Z.std(axis=0) > 0], axis=0)
    ranks = (ranks - ranks.mean(axis=0)) / ranks.std(axis=0)
    wanted = rankdata(values)
    return float(np.abs(ranks.T @ (wanted - wanted.mean())).max() / (len(Z) * wanted.std()))


TEXT = [
    Said(
        "tutorial",
        "figure 1.1",
        "the first axis correlates highly with left-right pose",
        ours="rank correlation {faces/Isomap, k = 6/axis 1, left-right} (Isomap)",
        upheld=("left-right pose and the first axis of Isomap",),
    ),
    *(
        Said(
            "tutorial",
            f"figure {figure}",
            f"{method} on the 698 faces",
            ours=f"axis 1 and left-right pose: {{faces/{method}/axis 1, left-right}}",
        )
        for figure, method in zip(
            ("1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8"), METHODS, strict=True
        )
    ),
    Said(
        "informed",
        "figures 1.1 to 1.8; sections 1.1 to 1.8",
        "the same as in the tutorial",
        ours="see there",
        upheld=("left-right pose and the first axis of Isomap",),
    ),
]
CLAIMS = [
    Claim(
        "left-right pose and the first axis of Isomap: rank correlation",
        lambda r: r("faces", "Isomap, k = 6", "axis 1, left-right"),
        least=0.9,
    ),
    Claim(
        "and of PCA",
        lambda r: r("faces", "PCA", "axis 1, left-right"),
        most=0.5,
    ),
    Claim(
        "and of SDE",
        lambda r: r("faces", "SDE, k = 5", "axis 1, left-right"),
        least=0.9,
    ),
    Claim(
        "Isomap and SDE find up-down pose: rank correlation of the best axis, the lesser",
        lambda r: min(r("faces", name, "up-down") for name in ("Isomap, k = 6", "SDE, k = 5")),
        least=0.7,
        quick=False,
    ),
    Claim(
        "no other method does: the largest rank correlation",
        lambda r: max(
            r("faces", name, "up-down")
            for name in METHODS
            if not name.startswith(("Isomap", "SDE"))
        ),
        most=0.7,
        quick=False,
    ),
    Claim(
        "poses dealt out anew: largest rank correlation of an axis of Isomap",
        lambda r: max(r("faces", "Isomap, poses shuffled", name) for name in FACTORS),
        most=0.25,
    ),
    Claim(
        "MDS is PCA: difference of AUC",
        lambda r: abs(r("faces", "MDS", "AUC of R_NX") - r("faces", "PCA", "AUC of R_NX")),
        most=1e-5,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The correlations; the maps with thumbnails and the co-ranking curves."""
    faces = load("isomap_faces")
    assert faces.truth is not None
    rows = np.arange(0, len(faces.X), 3 if quick else 1)
    X, truth, images = faces.X[rows], faces.truth[rows], faces.images[rows]
    maps = {name: method.fit_transform(X) for name, method in METHODS.items()}
    curves = {name: coranking_curves(X, Z) for name, Z in maps.items()}
    along = geodesic_distances(neighborhood_graph(X, n_neighbors=6))
    names = ("axis 1, left-right", *FACTORS)
    quality = ("AUC of R_NX", "residual variance", "along the graph")
    table = Table(
        "faces",
        f"{len(X)} faces: rank correlations of axis 1, of the best axis, and quality",
        dict.fromkeys(names, "{:.2f}") | dict.fromkeys(quality, "{:.3f}"),
    )
    for name, Z in maps.items():
        table.add(
            name,
            _follows(Z[:, :1], truth[:, 0]),
            *(_follows(Z, factor) for factor in truth.T),
            curves[name].auc,
            residual_variance(X, Z),
            residual_variance(along, Z, metric="precomputed"),
        )
    none = (None, None, None)
    best = [_follows(X, factor) for factor in truth.T]
    table.add("one pixel, the best", None, *best, *none, control=True)
    Z, dealt = maps["Isomap, k = 6"], np.random.default_rng(0).permutation(truth)
    shuffled = [_follows(Z, factor) for factor in dealt.T]
    table.add(
        "Isomap, poses shuffled", _follows(Z[:, :1], dealt[:, 0]), *shuffled, *none, control=True
    )

    figure = new_figure(16.6, 8.2)
    grid = figure.subplots(2, 4).ravel()
    grid[-1].set_axis_off()
    for ax, (name, Z) in zip(grid, maps.items(), strict=False):
        scatter(
            Z / np.abs(Z).max(),
            color=truth[:, 0],
            images=images,
            ax=ax,
            legend="none",
            max_thumbnails=28,
        )
        ax.set_title(name, loc="left", fontsize=TEXT_SIZE + 1, color=INK)
        for spine in ax.spines.values():
            spine.set(visible=True, color="#e2e2e2", linewidth=0.6)
        ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)
    figure.suptitle(
        "frames and points: left–right pose, dark to light",
        x=0.01,
        ha="left",
        fontsize=TEXT_SIZE,
        color=FAINT,
    )
    save(figure, output / "faces_maps.png", dpi=150)
    del curves["MDS"]  # the same as PCA
    save(draw_curves(curves), output / "faces_maps_quality.png")
    return [table]
