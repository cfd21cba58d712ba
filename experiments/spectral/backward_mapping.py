"""Coordinates that are functions of the data: oil flow by a backward mapping, and rows left out.

The latent-factor thesis (section 2.3.2, equations 2.24 to 2.27): codes that a linear smoother of
the data gives back best are a spectral embedding that comes with its backward mapping; with a
Mercer kernel it is kernel PCA.  Half of the rows are fitted and the others placed by the mapping:
counted are the rows left out whose nearest fitted row in the map is of another class.  Beside it
stand PCA and kernel PCA with the same kernel, and all dimensions without a map.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import PCA, KernelPCA, SpectralBackwardMapping
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.neighbors import nearest_neighbors
from sidelight.plot import comparison, save

SEEDS = range(5)
FLOWS = np.array(["homogeneous", "annular", "stratified"])
#: One width for all, a few times narrower than the spread of the data.
GAMMA = 2.0


def methods() -> dict[str, Any]:
    """The bases, and what they are beside."""
    return {
        "PCA": PCA(2),
        "linear basis": SpectralBackwardMapping(2, basis="linear"),
        "Kernel PCA": KernelPCA(2, gamma=GAMMA),
        "Mercer kernel": SpectralBackwardMapping(2, basis="kernel", gamma=GAMMA),
        "process": SpectralBackwardMapping(2, basis="process", gamma=GAMMA),
        "regression": SpectralBackwardMapping(2, gamma=GAMMA),
        "regression, rows left out": SpectralBackwardMapping(2, gamma=GAMMA, leave_one_out=True),
        "process, rows left out": SpectralBackwardMapping(
            2, basis="process", gamma=GAMMA, leave_one_out=True
        ),
    }


def errors_of(placed: FloatArray, truth: Any, fitted: FloatArray, labels: Any) -> float:
    """Per cent of placed rows whose nearest fitted row is of another class."""
    nearest = nearest_neighbors(fitted, 1, queries=placed).indices[:, 0]
    return 100 * float(np.mean(labels[nearest] != truth))


def parallel(one: FloatArray, other: FloatArray) -> float:
    """The least cosine between the columns of two maps."""
    one, other = (Z / np.linalg.norm(Z, axis=0) for Z in (one, other))
    return float(np.abs(np.einsum("ij,ij->j", one, other)).min())


TEXT = [
    Said(
        "latent",
        "equations 2.24 to 2.27; section 2.3.2",
        "a spectral embedding by a backward mapping; kernel PCA is one; no figure is printed",
        ours="errors of rows left out, %: PCA {errors/PCA/errors}, kernel PCA "
        "{errors/Kernel PCA/errors}, regression {errors/regression/errors}, process "
        "{errors/process/errors}; cosine to kernel PCA's axes {errors/Mercer kernel/cosine}",
        upheld=("with a Mercer kernel it is kernel PCA",),
    ),
]
CLAIMS = [
    Claim(
        "with a Mercer kernel it is kernel PCA: one less the cosine, the largest",
        lambda r: 1 - float(r.draws("errors", "Mercer kernel", "cosine").min()),
        most=1e-6,
    ),
    Claim(
        "with the linear basis it is PCA: one less the cosine, the largest",
        lambda r: 1 - float(r.draws("errors", "linear basis", "cosine").min()),
        most=1e-6,
    ),
    Claim(
        "all three classes are told better than by chance (66 %): the most errors",
        lambda r: max(r("errors", name, "errors") for name in methods()),
        most=45,
        form="{:.0f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Errors of rows left out and axes shared with PCA and kernel PCA; the maps."""
    data = load("oil_flow")
    X, labels = np.asarray(data.X), np.asarray(data.labels)
    seeds = SEEDS[:2] if quick else SEEDS
    found: dict[str, list[list[float]]] = {name: [[], []] for name in methods()}
    raw, shown = [], {}
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(X))
        fitted, others = order[:500], order[500:]
        maps = {}
        for name, method in methods().items():
            maps[name] = method.fit_transform(X[fitted])
            placed = method.transform(X[others])
            found[name][0].append(errors_of(placed, labels[others], maps[name], labels[fitted]))
            beside = "PCA" if name in ("PCA", "linear basis") else "Kernel PCA"
            found[name][1].append(parallel(maps[name], maps[beside]))
            shown.setdefault(name, (placed, labels[others]))
        raw.append(errors_of(X[others], labels[others], X[fitted], labels[fitted]))
    table = Table(
        "errors",
        "Oil flow in two dimensions: errors of rows left out in %, cosine to (kernel) PCA's axes",
        {"errors": "{mean:.1f} ± {sd:.1f}", "cosine": "{mean:.4f}"},
        seeds,
    )
    for name, (errors, cosines) in found.items():
        table.add(name, errors, cosines)
    table.add("all 12 dimensions", raw, None, control=True)
    figure = comparison(
        {name: Z for name, (Z, _) in shown.items()},
        labels=FLOWS[shown["PCA"][1]],
        scores={name: f"{found[name][0][0]:.1f} %" for name in shown},
        n_columns=4,
    )
    save(figure, output / "backward_mapping.png")
    return [table]
