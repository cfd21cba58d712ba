"""Swiss roll and S-curve unrolled by every spectral method, against the sheet they are made of.

The tutorial (chapter 1; the informed-embedding thesis, chapter 1, has the same): PCA and MDS "only
characterise linear subspaces", Isomap lays geodesic distances out flat, LLE and Laplacian
eigenmaps keep neighbours.  The truth here is the sheet itself: arc length × width.  LLE and
Laplacian eigenmaps are far from it as they stand, since their axes have one common variance, so
that the residual after a linear map is shown as well; the second axis of Laplacian eigenmaps is a
function of the first, since on a sheet more than four times as long as wide the second harmonic of
the length comes before the first of the width.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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


def _measure(sheet: Dataset) -> tuple[dict[str, tuple[float, ...]], dict[str, FloatArray]]:
    """The measures of every method, and the maps laid onto the sheet."""
    assert sheet.truth is not None
    measures, maps = {}, {"the sheet": sheet.truth - sheet.truth.mean(axis=0)}
    for name, method in METHODS.items():
        Z = method.fit_transform(sheet.X)
        matched = procrustes(Z, sheet.truth)
        maps[name] = matched.aligned
        stretched = stretched_residual(Z, sheet.truth)
        measures[name] = (matched.residual, stretched, coranking_curves(sheet.truth, Z).auc)
    return measures, maps


MEASURES = ("Procrustes", "after a linear map", "AUC of R_NX to the sheet")

TEXT = [
    Said(
        "tutorial",
        "sections 1.1 to 1.6",
        "Isomap lays geodesic distances out flat, PCA and MDS characterise linear subspaces only",
        ours="residual to the sheet (S-curve): Isomap {s_curve/Isomap/Procrustes}, "
        "PCA {s_curve/PCA/Procrustes}",
        upheld=("Isomap's residual to the sheet, S-curve", "PCA's residual to the sheet"),
    )
]
CLAIMS = [
    Claim(
        "Isomap's residual to the sheet, S-curve, worst draw",
        lambda r: r.draws("s_curve", "Isomap", "Procrustes").max(),
        most=0.1,
    ),
    Claim(
        "PCA's residual to the sheet, S-curve, best draw",
        lambda r: r.draws("s_curve", "PCA", "Procrustes").min(),
        least=0.4,
    ),
    Claim(
        "Isomap's residual to the sheet, swiss roll, worst draw",
        lambda r: r.draws("swiss_roll", "Isomap", "Procrustes").max(),
        most=0.1,
        quick=False,
    ),
    Claim(
        "MDS is PCA: largest difference of residuals",
        lambda r: max(
            abs(r.draws(key, "MDS", "Procrustes") - r.draws(key, "PCA", "Procrustes")).max()
            for key in ("swiss_roll", "s_curve")
        ),
        most=1e-5,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Residuals of all methods on both sheets; small multiples of the first draw."""
    n_samples, seeds = (400, range(3)) if quick else (1500, range(5))
    tables = []
    for name, make in {"swiss_roll": swiss_roll, "s_curve": s_curve}.items():
        title = f"{name.replace('_', ' ')}, n = {n_samples}: residuals to the sheet, mean (worst)"
        table = Table(name, title, dict.fromkeys(MEASURES, "{mean:.3f} ({max:.3f})"), seeds)
        table.columns["AUC of R_NX to the sheet"] = "{mean:.3f} ({min:.3f})"
        found: dict[str, list[tuple[float, ...]]] = {}
        for seed in seeds:
            sheet = make(n_samples, random_state=seed)
            measures, maps = _measure(sheet)
            for method, values in measures.items():
                found.setdefault(method, []).append(values)
            if seed == seeds[0]:
                _draw(name, sheet, maps, measures, output)
        for method, values in found.items():
            table.add(method, *np.array(values).T)
        tables.append(table)
    return tables


def _draw(name: str, sheet: Dataset, maps: Any, measures: Any, output: Path) -> None:
    assert sheet.truth is not None
    figure = comparison(
        {"in space": sheet.X, **maps},
        color=sheet.truth[:, 0],
        scores={method: f"{values[0]:.3f}" for method, values in measures.items()},
        key_title="arc length",
        n_columns=4,
    )
    save(figure, output / f"{name}_maps.png")
