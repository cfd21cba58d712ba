"""Rows drawn from every map that is a density, and rows left out scored by it.

The latent-factor thesis (sections 2.2.2 and 3.1.3) asks of a model that it generate "fantasy data",
and takes the mean log probability of data for its quality.  Oil flow, whose twelve dimensions are
no Gaussian: each model is fitted to some rows, and measured are the mean log density of others, and
whether drawn rows can be told from real ones: how often the nearest of both kinds together is of
the same kind (0.5 where nobody can tell).  Controls are a Gaussian of full covariance, and rows
whose columns are shuffled each by itself, which every model should find less likely.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import (
    GPLVM,
    AcyclicLocallyLinearEmbedding,
    KernelInformationEmbedding,
    MaximumEntropyUnfolding,
    ProbabilisticPCA,
)
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.quality import neighbor_label_accuracy

#: The constants of the densities were chosen on other data (a bent sheet, handwritten digits).
SEEDS = range(5)


def methods() -> dict[str, Any]:
    """Every model that is a density; the first with as many dimensions as a Gaussian has."""
    return {
        "Gaussian": ProbabilisticPCA(11),
        "Probabilistic PCA": ProbabilisticPCA(2),
        "GP-LVM": GPLVM(2),
        "KIE": KernelInformationEmbedding(2),
        "MEU": MaximumEntropyUnfolding(2),
        "Acyclic LLE": AcyclicLocallyLinearEmbedding(2),
    }


def told_apart(drawn: FloatArray, real: FloatArray) -> float:
    """How often the nearest row is of the same kind."""
    both = np.vstack([drawn, real])
    kinds = np.repeat([0, 1], [len(drawn), len(real)])
    return float(neighbor_label_accuracy(both, kinds))


TEXT = [
    Said(
        "latent",
        "sections 2.2, 2.2.2, 3.1.3",
        "fantasy data from a model, and the log probability of data; no figure is printed",
        ours="nats per row left out of oil flow (rows told from drawn ones): Gaussian "
        "{scores/Gaussian/rows left out} ({scores/Gaussian/told apart}), GP-LVM "
        "{scores/GP-LVM/rows left out} ({scores/GP-LVM/told apart}), KIE "
        "{scores/KIE/rows left out} ({scores/KIE/told apart}), MEU "
        "{scores/MEU/rows left out} ({scores/MEU/told apart}), acyclic LLE "
        "{scores/Acyclic LLE/rows left out} ({scores/Acyclic LLE/told apart})",
    ),
]
NOT_LINEAR = ("GP-LVM", "KIE", "MEU", "Acyclic LLE")
CLAIMS = [
    Claim(
        "rows left out are likelier under every map that is not linear than under a Gaussian: "
        "nats, the least",
        lambda r: min(
            float(
                np.min(
                    r.draws("scores", name, "rows left out")
                    - r.draws("scores", "Gaussian", "rows left out")
                )
            )
            for name in NOT_LINEAR
        ),
        least=0.5,
        form="{:.1f}",
        quick=False,
    ),
    Claim(
        "every model knows them from rows with shuffled columns: nats, the least",
        lambda r: min(
            r("scores", name, "rows left out") - r("scores", name, "columns shuffled")
            for name in methods()
        ),
        least=1.0,
        form="{:.1f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Scores of rows left out and of shuffled ones, drawn rows told from real ones; a picture."""
    X = np.asarray(load("oil_flow").X)
    seeds, n_rows = (range(2), 150) if quick else (SEEDS, 400)
    table = Table(
        "scores",
        f"Oil flow, fitted to {n_rows} rows: mean log density in nats, and drawn rows told apart",
        {
            "rows left out": "{mean:.1f} ± {sd:.1f}",
            "columns shuffled": "{mean:.1f} ± {sd:.1f}",
            "told apart": "{mean:.2f} ± {sd:.2f}",
        },
        seeds,
    )
    shown: dict[str, FloatArray] = {}
    for name, method in methods().items():
        scores: list[list[float]] = [[], [], []]
        for seed in seeds:
            random = np.random.default_rng(seed)
            order = random.permutation(len(X))
            fitted, others = X[order[:n_rows]], X[order[n_rows : n_rows + 200]]
            shuffled = np.column_stack([random.permutation(column) for column in others.T])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # oil flow falls into pieces
                model = method.fit(fitted)
            drawn = model.sample(len(others), random_state=seed)
            scores[0].append(model.score(others))
            scores[1].append(model.score(shuffled))
            scores[2].append(told_apart(drawn, others))
            shown.setdefault(name, drawn)
        table.add(name, *scores, control=name == "Gaussian")
    real = X[np.random.default_rng(0).permutation(len(X))[:200]]
    told = [
        told_apart(X[order[:200]], X[order[200:400]])
        for order in (np.random.default_rng(seed).permutation(len(X)) for seed in seeds)
    ]
    table.add("real rows", None, None, told, control=True)
    middle = X.mean(axis=0)
    axes = np.linalg.svd(X - middle, full_matrices=False)[2][:2].T
    maps = {"real rows": (real - middle) @ axes}
    maps |= {name: (drawn - middle) @ axes for name, drawn in shown.items()}
    save(comparison(maps, n_columns=4), output / "drawn_rows.png")
    return [table]
