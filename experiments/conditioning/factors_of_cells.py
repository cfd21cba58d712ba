"""Cell cycle or counts left out of the map of single cells, and what that does to their types.

700 single cells (50 principal components), five draws of 80 % of them; how well the known factor
and the cell type can be read off the map by neighbours.  Types differ in phase and count: what can
be read off the type alone (every cell near cells of its type at random) is no fault of a map, so
the factor within types is shown as well.  The latent-factor thesis (section 3.2.2) has no cells.

The factor that is known goes.  **Types are not read better for it** than from the components
themselves, and whichever factor is left out shows them alike: what is gained over the plain map is
the other objective's.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from experiments.conditioning._measures import (
    FIRST_SEED,
    fit,
    guessed,
    guessed_evenly,
    readable,
    shuffled,
    within_types,
)
from experiments.record import Claim, Table
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.side import Condition

N_PARTS = 5
COLUMNS = ("phase, balanced", "phase within types", "count", "count within types", "type")

CLAIMS = [
    Claim(
        "the phase is read less well when it is known: balanced accuracy, known less shuffled",
        lambda r: (
            r("cells", "phase known", "phase, balanced")
            - r("cells", "phase shuffled", "phase, balanced")
        ),
        most=0.0,
    ),
    Claim(
        "the count is read less well when it is known: R², known less shuffled",
        lambda r: r("cells", "count known", "count") - r("cells", "count shuffled", "count"),
        most=0.0,
        quick=False,
    ),
    Claim(
        "types are read alike whichever factor is left out: accuracy, phase less count",
        lambda r: r("cells", "phase known", "type") - r("cells", "count known", "type"),
        least=-0.06,
        most=0.06,
        quick=False,
    ),
    Claim(
        "types are read no better than from the components: accuracy, known less components",
        lambda r: r("cells", "phase known", "type") - r("cells", "components", "type"),
        most=0.03,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """What is read off the maps; the maps of one part of the cells."""
    warnings.simplefilter("ignore")
    data = load("pbmc68k_reduced")
    n = len(data.extras["pca"])
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_PARTS))
    found: dict[str, list[tuple[float, ...]]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        keep = np.sort(rng.choice(n, int((0.17 if quick else 0.8) * n), replace=False))
        X, types = data.extras["pca"][keep].astype(float), data.labels[keep]
        phase, counts = data.extras["phase"][keep], np.log(data.extras["n_counts"][keep])
        phases = (phase[:, None] == np.unique(phase)).astype(float)
        kinds = (types[:, None] == np.unique(types)).astype(float)
        maps = {
            "the type alone": kinds + 1e-3 * rng.normal(size=kinds.shape),
            "components": X,
            "nothing known": fit(X),
            "phase shuffled": fit(X, Condition(shuffled(phase, seed))),
            "phase known": fit(X, Condition(phase)),
        }
        if not quick:
            maps["count shuffled"] = fit(X, Condition(shuffled(counts, seed)))
            maps["count known"] = fit(X, Condition(counts))
        for name, Z in maps.items():
            measures = (
                guessed_evenly(Z, phase),
                readable(Z, within_types(phases, types)),
                readable(Z, counts),
                readable(Z, within_types(counts, types)),
                guessed(Z, types),
            )
            found.setdefault(name, []).append(measures)
        if seed == seeds[0]:
            shown = {
                name: maps[name] for name in ("nothing known", "phase shuffled", "phase known")
            }
            figure = comparison(shown, labels=types)
            save(figure, output / "factors_of_cells.png")
    table = Table(
        "cells",
        "Read off the map: accuracy of phase and type, R² of the rest, mean ± sd over parts",
        dict.fromkeys(COLUMNS, "{mean:.2f} ± {sd:.2f}"),
        seeds,
    )
    for name, values in found.items():
        table.add(name, *np.array(values).T, control=name not in ("phase known", "count known"))
    return [table]
