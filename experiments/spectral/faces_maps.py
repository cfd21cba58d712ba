"""Maps of 698 faces by six spectral methods, with pose and light as the truth.

The tutorial (figures 1.1 to 1.7; the informed-embedding thesis, chapter 1, has the same) maps 698
images of a face, turned left and right, up and down, under a moving light: PCA, kernel PCA with a
Gaussian kernel, LLE (k = 5), Laplacian eigenmaps (k = 7), MDS and Isomap (k = 6).  The claim
(figure 1.1): the first axis of the map "correlates highly" with left-right pose.  Here by rank
correlations on images of 32 × 32 pixels: the claim holds for the methods on a graph, and not for
PCA or Gaussian kernel PCA.  A single score of quality does not decide which map shows the pose:
residual variance prefers PCA by straight distances and Isomap by distances along the graph.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from experiments.record import Claim, Said, Table
from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
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
}


def _follows(Z: FloatArray, values: FloatArray) -> float:
    """The rank correlation of the axis that follows the values best."""
    return max(abs(float(spearmanr(axis, values).statistic)) for axis in Z.T)


TEXT = [
    Said(
        "tutorial",
        "figure 1.1",
        "the first axis correlates highly with left-right pose",
        ours="rank correlation {faces/Isomap, k = 6/axis 1, left-right} (Isomap)",
    ),
    *(
        Said(
            "tutorial",
            f"figure {figure}",
            f"{method} on the 698 faces",
            ours=f"axis 1 and left-right pose: {{faces/{method}/axis 1, left-right}}",
        )
        for figure, method in zip(("1.2", "1.3", "1.4", "1.5", "1.6", "1.7"), METHODS, strict=True)
    ),
    Said(
        "informed",
        "figures 1.1 to 1.7",
        "the same as in the tutorial",
        ours="see there",
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
        "only Isomap finds up-down pose: rank correlation of its best axis",
        lambda r: r("faces", "Isomap, k = 6", "up-down"),
        least=0.7,
        quick=False,
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
    names = ("axis 1, left-right", "left-right", "up-down", "light")
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

    figure = new_figure(12.6, 8.2)
    for ax, (name, Z) in zip(figure.subplots(2, 3).ravel(), maps.items(), strict=True):
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
