"""A matrix for every relation: more directions told than the map has dimensions.

In the latent-factor thesis each relation sees the map through a matrix R of its own (eq. 4.4, 4.6),
and the experiments take diagonal ones.  Rows lie in a plane, and of every row three numbers are
known: how far it is along directions at 0°, 60° and 120°.  Two scales per relation cannot say all
three in two dimensions; a matrix can.  Measured are the objective, how far the map as the data see
it is from the plane (Procrustes), and how well each relation is told by what it sees.  The control
is values that are shuffled.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from experiments.record import Claim, Said, Table
from sidelight import MultipleRelationalEmbedding
from sidelight.core import FloatArray
from sidelight.plot import comparison, save
from sidelight.quality import procrustes
from sidelight.side import Relation

SEEDS = range(5)
ANGLES = np.deg2rad([0, 60, 120])


def told(model: MultipleRelationalEmbedding, values: FloatArray) -> float:
    """The rank correlation of distances in what a relation sees with those of its values."""
    return float(
        np.mean(
            [
                spearmanr(pdist(model.view(c)), pdist(values[:, [c]])).statistic
                for c in range(values.shape[1])
            ]
        )
    )


TEXT = [
    Said(
        "latent",
        "section 4.2, full R",
        "a linear transformation R of the map for each relation (4.6); diagonal ones are used",
        ours="three directions of a plane in two dimensions: the objective is "
        "{maps/diagonal/objective} with diagonal matrices, {maps/full/objective} with full ones",
    ),
]
CLAIMS = [
    Claim(
        "full matrices lower the objective of diagonal ones to a share of: the most",
        lambda r: float(
            np.max(r.draws("maps", "full", "objective") / r.draws("maps", "diagonal", "objective"))
        ),
        most=0.1,
        form="{:.3f}",
    ),
    Claim(
        "as the data see it the map is the plane: the residual",
        lambda r: r("maps", "full", "residual"),
        most=0.01,
        form="{:.4f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Objective, residual and what is told with diagonal and full matrices; a picture."""
    seeds, n = (range(2), 40) if quick else (SEEDS, 60)
    table = Table(
        "maps",
        f"{n} rows of a plane, three directions told, two dimensions",
        {
            "objective": "{mean:.3f} ± {sd:.3f}",
            "residual": "{mean:.4f} ± {sd:.4f}",
            "told": "{mean:.2f} ± {sd:.2f}",
        },
        seeds,
    )
    shown: dict[str, FloatArray] = {}
    for name in ("diagonal", "full", "full, shuffled"):
        measured: list[list[float]] = [[], [], []]
        for seed in seeds:
            rng = np.random.default_rng(seed)
            plane = rng.standard_normal((n, 2))
            values = plane @ np.array([np.cos(ANGLES), np.sin(ANGLES)])
            if name == "full, shuffled":
                values = np.column_stack([rng.permutation(column) for column in values.T])
            side = [Relation.from_values(column) for column in values.T]
            model = MultipleRelationalEmbedding(
                2, transformations=name.split(",")[0], n_restarts=0, max_iter=300, tol=1e-6
            ).fit(plane, side=side)
            measured[0].append(float(model.objective_))
            measured[1].append(float(procrustes(model.view("X"), plane).residual))
            measured[2].append(told(model, values))
            shown.setdefault(name, model.view("X"))
        table.add(name, *measured, control=name != "full")
    save(comparison(shown, n_columns=3), output / "oblique_relations.png")
    return [table]
