"""Cells of three batches: a factor taken out of the features, beside what others do.

Of 700 blood cells (fifty principal components) the batches shift the features (1.5 of their
deviation), scale every type by itself as well, shift every type by itself, bend them (tanh), or do
nothing; "confounded": three types are seen in one batch only.  Two figures for every way: how often
the nearest cell of another batch is of the same type (types that are seen in several; high is
good), and how often 15 neighbours tell the batch (a third is chance; low is good).  The ways:
the features as they came, ``FactorRemoval``, the same with the batches shuffled, batch means taken
off, ComBat (neuroCombat) and Harmony (harmonypy).  No way is told the types.  ComBat, which scales
batches as well, is ahead by a hundredth at most, where all types are in all batches and a batch
bends or shifts each by itself, with more of the batch left; where types are missing from batches,
what it takes out is theirs.
"""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from experiments.conditioning._measures import same_class_nearby
from experiments.conditioning.factor_removal import BATCHES, affected, blood_cells, draw_batches
from experiments.record import Claim, Table
from sidelight import FactorRemoval, NeighborEmbedding
from sidelight.core import FloatArray, IntArray
from sidelight.plot import comparison, save
from sidelight.side import Condition

#: Draws that no constant was chosen on.
SEEDS = range(8600, 8612)
EFFECTS = ("nothing", "shift", "scaled by type", "by type", "bent")

Way = Callable[[FloatArray, IntArray], FloatArray]


def removed(X: FloatArray, batch: IntArray) -> FloatArray:
    """What this library does."""
    return FactorRemoval().fit_transform(X, side=Condition(BATCHES[batch]))


def shuffled(X: FloatArray, batch: IntArray) -> FloatArray:
    """The same, with knowledge that is wrong."""
    return removed(X, np.random.default_rng(0).permutation(batch))


def without_means(X: FloatArray, batch: IntArray) -> FloatArray:
    """Take off the mean of every batch."""
    return X - np.array([X[batch == b].mean(axis=0) for b in range(3)])[batch]


def by_combat(X: FloatArray, batch: IntArray) -> FloatArray:
    """ComBat: means and deviations of batches, shrunk towards common ones."""
    import pandas as pd
    from neuroCombat import neuroCombat

    with contextlib.redirect_stdout(io.StringIO()):
        told = pd.DataFrame({"batch": batch + 1})
        return np.asarray(neuroCombat(dat=X.T, covars=told, batch_col="batch")["data"].T)


def by_harmony(X: FloatArray, batch: IntArray) -> FloatArray:
    """Harmony: soft clusters in which batches are mixed."""
    import harmonypy
    import pandas as pd

    np.random.seed(0)  # noqa: NPY002  # it draws from the one of all
    logging.getLogger("harmonypy").setLevel(logging.ERROR)
    told = pd.DataFrame({"batch": batch.astype(str)})
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return np.asarray(harmonypy.run_harmony(X, told, ["batch"], verbose=False).Z_corr.T)


WAYS: dict[str, Way] = {
    "as it came": lambda X, batch: X,
    "FactorRemoval": removed,
    "shuffled": shuffled,
    "means": without_means,
    "ComBat": by_combat,
    "Harmony": by_harmony,
}
OTHERS = ("means", "ComBat", "Harmony")


def rows() -> list[str]:
    """The effects, with all types in all batches and without."""
    return [f"{effect}{how}" for effect in EFFECTS for how in ("", ", confounded")]


CLAIMS = [
    *(
        Claim(
            f"{row}: same type nearest, less the best of the others",
            lambda r, row=row: (  # type: ignore[misc]
                r("type", row, "FactorRemoval") - max(r("type", row, other) for other in OTHERS)
            ),
            least=-0.015,
            quick=False,
        )
        for row in rows()
    ),
    Claim(
        "shift: same type nearest, less the features as they came",
        lambda r: r("type", "shift", "FactorRemoval") - r("type", "shift", "as it came"),
        least=0.2,
    ),
    Claim(
        "shift: neighbours tell the batch",
        lambda r: r("batch", "shift", "FactorRemoval"),
        most=0.45,
    ),
    Claim(
        "the batches shuffled: same type nearest, less the features as they came, at worst",
        lambda r: min(r("type", row, "shuffled") - r("type", row, "as it came") for row in rows()),
        least=-0.01,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Type and batch, as neighbours tell them."""
    warnings.simplefilter("ignore")
    seeds = SEEDS[:1] if quick else SEEDS
    ways = {name: way for name, way in WAYS.items() if not quick or name not in OTHERS}
    form = dict.fromkeys(ways, "{mean:.3f}")
    tables = [
        Table("type", "The nearest cell of another batch is of the same type", form, seeds),
        Table("batch", "15 neighbours tell the batch (chance is 0.33)", form, seeds),
    ]
    X, types = blood_cells()
    for number, row in enumerate(["shift"] if quick else rows()):
        effect, _, confounded = row.partition(", ")
        found = []
        for seed in seeds:
            rng = np.random.default_rng([seed, number])
            batch, told = draw_batches(types, bool(confounded), rng)
            changed = affected(X, types, batch, effect, rng)
            apart = batch[told][:, None] != batch[told]
            told_by = KNeighborsClassifier(15)
            clean = [way(changed, batch)[told] for way in ways.values()]
            found.append(
                [
                    [same_class_nearby(Z, types[told], apart) for Z in clean],
                    [cross_val_score(told_by, Z, batch[told], cv=5).mean() for Z in clean],
                ]
            )
        if row == "shift":
            maps = {
                name: NeighborEmbedding().fit_transform(way(changed, batch))
                for name, way in ways.items()
            }
            drawn = comparison(maps, labels=BATCHES[batch], key_title="batch")
            save(drawn, output / "batches_of_cells.png")
        for table, figures in zip(tables, np.moveaxis(np.array(found), 1, 0), strict=True):
            table.add(row, *figures.T)
    return tables
