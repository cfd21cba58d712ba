"""LLE as a Gaussian field: more neighbours do not make it PCA, and what a free diagonal does.

The probabilistic slides ("Locally Linear Embedding", "LLE and PCA"): LLE maximises the
pseudolikelihood of a Gaussian field L = MMᵀ whose diagonal m_ii is constrained to one; as its
neighbourhoods grow to all other points it does not become PCA, while maximum entropy unfolding,
which it approximates, and its acyclic form do.  Measured on the 55 frames of a run: the smallest
cosine between the planes of a map and of PCA's, over the number of neighbours.  Without its
regularisation LLE with all others has M = Q diag(1/Q_ii²) Q, Q the inverse of the centred Gram
matrix; that of the free diagonal is Q diag(1/Q_ii) Q, and PCA's Q.

The tutorial (sections 1.3 and 1.8) takes neighbours within a radius or the nearest ones, and
reads LLE as kernel PCA on λmax I − M or on the pseudo-inverse of M: both are compared with the map.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import (
    PCA,
    AcyclicLocallyLinearEmbedding,
    KernelPCA,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
)
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.neighbors import nearest_neighbors
from sidelight.plot import save
from sidelight.plot.style import PALETTE, new_figure, style_axes, style_legend
from sidelight.quality import gplvm_score

NEIGHBORS = (4, 6, 8, 12, 20, 30, 40, 54)
#: Neighbours where one number is enough.
FORMS = 12
LAST = f"K = {NEIGHBORS[-1]}"


def methods(k: int) -> dict[str, Any]:
    """LLE with both diagonals, and what it approximates."""
    return {
        "LLE": LocallyLinearEmbedding(2, n_neighbors=k, reg=1e-9),
        "LLE, free diagonal": LocallyLinearEmbedding(2, n_neighbors=k, reg=1e-9, diagonal="free"),
        "acyclic LLE": AcyclicLocallyLinearEmbedding(2, n_neighbors=k, reg=0.0),
        "MEU, free signs": MaximumEntropyUnfolding(2, n_neighbors=k, signs="free"),
    }


def alike(one: FloatArray, other: FloatArray) -> float:
    """The smallest cosine of the angles between the planes of two maps."""
    bases = [np.linalg.qr(Z - Z.mean(axis=0))[0] for Z in (one, other)]
    return float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)[-1])


TEXT = [
    Said(
        "slides",
        "LLE and PCA; Locally Linear Embedding, pseudolikelihood",
        "with K = n − 1 LLE is not PCA; MEU and acyclic LLE are",
        ours="cosine to PCA's plane at K = 54: LLE {planes/K = 54/LLE}, free diagonal "
        "{planes/K = 54/LLE, free diagonal}, acyclic {planes/K = 54/acyclic LLE}, "
        "MEU {planes/K = 54/MEU, free signs}",
        upheld=("LLE with all others is not PCA", "acyclic LLE with all others is", "so is MEU"),
    ),
    Said(
        "tutorial",
        "section 1.3",
        "neighbours may be those within a radius; no figure is printed",
        ours="cosine to the map of 12 neighbours: {forms/within a radius/cosine}",
    ),
    Said(
        "tutorial",
        "section 1.8",
        "LLE is kernel PCA on λmax I − M (1.5), or on M's pseudo-inverse (1.6)",
        ours="cosines to LLE's map: {forms/kernel PCA of λmax I − M/cosine} and "
        "{forms/kernel PCA of the pseudo-inverse/cosine}",
        upheld=("kernel PCA on either kernel has LLE's map",),
    ),
]
CLAIMS = [
    Claim(
        "kernel PCA on either kernel has LLE's map: one less the cosine, the larger",
        lambda r: max(
            1 - r("forms", f"kernel PCA of {kernel}", "cosine")
            for kernel in ("λmax I − M", "the pseudo-inverse")
        ),
        most=1e-6,
    ),
    Claim(
        "LLE with all others is not PCA: one less its cosine",
        lambda r: 1 - r("planes", LAST, "LLE"),
        least=0.01,
    ),
    Claim(
        "acyclic LLE with all others is: one less its cosine",
        lambda r: 1 - r("planes", LAST, "acyclic LLE"),
        most=1e-6,
    ),
    Claim(
        "so is MEU with springs of any sign: one less its cosine",
        lambda r: 1 - r("planes", LAST, "MEU, free signs"),
        most=1e-2,
    ),
]


def forms(X: FloatArray) -> Table:
    """Maps of LLE's two kernels, and of neighbours within a radius of the same mean number."""
    model = LocallyLinearEmbedding(2, n_neighbors=FORMS).fit(X)
    radius = float(np.mean(nearest_neighbors(X, FORMS).distances[:, -1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # points that have none so near
        within = LocallyLinearEmbedding(2, radius=radius).fit_transform(X)
    table = Table(
        "forms", f"The smallest cosine to LLE's plane, {FORMS} neighbours", {"cosine": "{:.4f}"}
    )
    for name, form in (("λmax I − M", "shifted"), ("the pseudo-inverse", "inverse")):
        Z = KernelPCA(2, kernel="precomputed").fit_transform(model.kernel(form=form))
        table.add(f"kernel PCA of {name}", alike(Z, model.embedding_))
    table.add("within a radius", alike(within, model.embedding_))
    table.add("PCA", alike(PCA(2).fit_transform(X), model.embedding_), control=True)
    return table


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The angles to PCA's plane and the scores of the maps; the angles over K."""
    X = load("stick_run1").X
    pca = PCA(2).fit_transform(X)
    names = list(methods(4))
    planes = Table("planes", "The smallest cosine to PCA's plane", dict.fromkeys(names, "{:.4f}"))
    scores = Table(
        "scores",
        "Log likelihood of the data under a Gaussian process over the map",
        dict.fromkeys(names, "{:.0f}"),
    )
    lines: dict[str, list[float]] = {name: [] for name in names}
    numbers = NEIGHBORS[::3] + NEIGHBORS[-1:] if quick else NEIGHBORS
    for k in dict.fromkeys(numbers):
        found = {}
        for name, method in methods(k).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of graphs in pieces, and springs without optimum
                found[name] = method.fit_transform(X)
            lines[name].append(alike(found[name], pca))
        planes.add(f"K = {k}", *(lines[name][-1] for name in names))
        if not quick:
            scores.add(f"K = {k}", *(float(gplvm_score(X, found[name])) for name in names))
    figure = new_figure(6.4, 3.8)
    ax = figure.subplots()
    for name, colour in zip(names, PALETTE, strict=False):
        ax.plot(
            list(dict.fromkeys(numbers)), lines[name], color=colour, marker="o", ms=3, label=name
        )
    style_axes(ax, x_label="neighbours K", y_label="cosine to PCA's plane")
    style_legend(ax.legend())
    save(figure, output / "neighbours_of_lle.png")
    return [planes, forms(X)] if quick else [planes, scores, forms(X)]
