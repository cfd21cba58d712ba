"""Maps of 698 faces by six spectral methods, with pose and light as the truth.

The tutorial (figures 1.1 to 1.7; the informed-embedding thesis, chapter 1, has the same) maps 698
images of a face, turned left and right, up and down, under a moving light: PCA, kernel PCA with a
Gaussian kernel, LLE (k = 5), Laplacian eigenmaps (k = 7), MDS and Isomap (k = 6).  The claim
(figure 1.1): the first axis of the map "correlates highly" with left-right pose.

Measured (32 × 32 pixels, rank correlations): the claim holds for the methods on a graph, Isomap
0.99, Laplacian eigenmaps 0.98, LLE 0.93 on the first axis, and not for PCA (0.22) or Gaussian
kernel PCA (0.21), whose second axis follows the light (0.69, 0.68).  Only Isomap also finds
up-down pose (0.92, on its second axis).  MDS is PCA to the last digit.  PCA keeps large
neighbourhoods best and Isomap small ones; over all sizes, AUC of R_NX, they are level (0.378 and
0.372), and residual variance calls PCA better by straight distances (0.21 against 0.84) and
Isomap by distances along the graph (0.09 against 0.90).  A single such score does not decide
which map shows the pose.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from experiments._common import print_table, start
from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
)
from sidelight.core.arrays import FloatArray
from sidelight.datasets import load
from sidelight.neighbors import neighborhood_graph
from sidelight.plot import coranking_curves as draw_curves
from sidelight.plot import save, scatter
from sidelight.plot.style import FAINT, INK, TEXT_SIZE, new_figure
from sidelight.quality import coranking_curves, residual_variance
from sidelight.similarity.geodesic import geodesic_distances

METHODS: dict[str, Any] = {
    "PCA": PCA(2),
    "Kernel PCA, Gaussian": KernelPCA(2),
    "LLE, k = 5": LocallyLinearEmbedding(2, n_neighbors=5),
    "LEM, k = 7": LaplacianEigenmaps(2, n_neighbors=7),
    "MDS": ClassicalMDS(2),
    "Isomap, k = 6": Isomap(2, n_neighbors=6),
}


def _best_axis(Z: FloatArray, values: FloatArray) -> str:
    """The rank correlation of the axis that follows the values best, and which axis it is."""
    found = [abs(float(spearmanr(Z[:, axis], values).statistic)) for axis in range(Z.shape[1])]
    axis = int(np.argmax(found))
    return f"{found[axis]:.2f} ({axis + 1})"


def main(output: Path, *, quick: bool = False) -> None:
    """Print the table and save the maps with thumbnails and the co-ranking curves."""
    faces = load("isomap_faces")
    assert faces.truth is not None
    rows = np.arange(0, len(faces.X), 3 if quick else 1)
    X, truth, images = faces.X[rows], faces.truth[rows], faces.images[rows]
    maps = {name: method.fit_transform(X) for name, method in METHODS.items()}
    curves = {name: coranking_curves(X, Z) for name, Z in maps.items()}
    along = geodesic_distances(neighborhood_graph(X, n_neighbors=6))
    table = [
        [
            name,
            *(_best_axis(Z, truth[:, factor]) for factor in range(3)),
            f"{abs(spearmanr(Z[:, 0], truth[:, 0]).statistic):.2f}",
            f"{curves[name].auc:.3f}",
            f"{residual_variance(X, Z):.3f}",
            f"{residual_variance(along, Z, metric='precomputed'):.3f}",
        ]
        for name, Z in maps.items()
    ]
    header = [
        "method",
        "left-right (axis)",
        "up-down (axis)",
        "light (axis)",
        "axis 1, left-right",
        "AUC of R_NX",
        "residual variance",
        "along the graph",
    ]
    print_table(header, table, title=f"{len(X)} faces: rank correlations and quality")

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


if __name__ == "__main__":
    start(main)
