"""Swiss roll and S-curve unrolled by every spectral method, against the sheet they are made of.

The tutorial (chapter 1; the informed-embedding thesis, chapter 1, has the same): PCA and MDS "only
characterise linear subspaces", Isomap lays geodesic distances out flat, LLE and Laplacian
eigenmaps keep neighbours.  The truth here is the sheet itself: arc length × width.

Measured (n = 1500, k = 10, one draw): the Procrustes residual to the sheet is 0.020 for Isomap on
the roll and 0.021 on the S; 0.94 and 0.56 for PCA, which is MDS to the last digit.  Kernel PCA
with a Gaussian kernel is no better than PCA on either (0.96, 0.63).  LLE (0.64, 0.66) and
Laplacian eigenmaps (0.73, 0.72) are far from the sheet as they stand, since their axes have one
common variance; after a linear map LLE leaves 0.20 and 0.19.  The second axis of Laplacian
eigenmaps is a function of the first (0.26, 0.24 after a linear map): on a sheet more than four
times as long as wide the second harmonic of the length comes before the first of the width.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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
from sidelight.datasets import Dataset, s_curve, swiss_roll
from sidelight.plot import comparison, save
from sidelight.quality import coranking_curves, procrustes

METHODS: dict[str, Any] = {
    "PCA": PCA(2),
    "MDS": ClassicalMDS(2),
    "Kernel PCA": KernelPCA(2),
    "LLE": LocallyLinearEmbedding(2, n_neighbors=10),
    "LEM": LaplacianEigenmaps(2, n_neighbors=10),
    "Isomap": Isomap(2, n_neighbors=10),
}


def stretched_residual(Z: FloatArray, truth: FloatArray) -> float:
    """What a linear map of Z leaves of the truth, as a part of its spread.

    LLE and Laplacian eigenmaps give axes of one common variance, so that the shape of the sheet is
    lost by definition; a linear map forgives that.
    """
    design = np.column_stack([np.ones(len(Z)), Z])
    fitted = design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    return float(np.linalg.norm(truth - fitted) / np.linalg.norm(truth - truth.mean(axis=0)))


def _measure(sheet: Dataset) -> tuple[list[list[str]], dict[str, FloatArray]]:
    assert sheet.truth is not None
    rows, maps = [], {"the sheet": sheet.truth - sheet.truth.mean(axis=0)}
    for name, method in METHODS.items():
        Z = method.fit_transform(sheet.X)
        matched = procrustes(Z, sheet.truth)
        maps[name] = matched.aligned
        rows.append(
            [
                name,
                f"{matched.residual:.3f}",
                f"{stretched_residual(Z, sheet.truth):.3f}",
                f"{coranking_curves(sheet.truth, Z).auc:.3f}",
            ]
        )
    return rows, maps


def main(output: Path, *, quick: bool = False) -> None:
    """Print both tables and save both sets of small multiples."""
    n_samples = 400 if quick else 1500
    sheets = {
        "swiss_roll": swiss_roll(n_samples, random_state=0),
        "s_curve": s_curve(n_samples, random_state=0),
    }
    for name, sheet in sheets.items():
        rows, maps = _measure(sheet)
        header = ["method", "Procrustes", "after a linear map", "AUC of R_NX to the sheet"]
        title = f"{name.replace('_', ' ')}, n = {n_samples}: residuals to the sheet"
        print_table(header, rows, title=title)
        assert sheet.truth is not None
        scores = {row[0]: row[1] for row in rows}
        figure = comparison(
            {"in space": sheet.X, **maps},
            color=sheet.truth[:, 0],
            scores=scores,
            key_title="arc length",
            n_columns=4,
        )
        save(figure, output / f"{name}_maps.png")


if __name__ == "__main__":
    start(main)
