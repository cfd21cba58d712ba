"""A known factor subtracted from the features: batches of cells, doses, turns, and nothing at all.

FactorRemoval is asked on draws that set none of its constants.  Cells (50 principal components, T
cells together: six types) get one of three simulated batches, which shift them (each axis by 1.5
of its deviation), shift each type by itself as well, bend them (tanh) or do nothing; "confounded":
three types are seen in one batch only.  Counted is how often the nearest cell of another batch is
of the same type, for types that are seen in several.  Digits get a pattern added 0 to 7 times, or
are turned.  Counted is the majority of five neighbours, and how much of the factor's variance five
neighbours tell.  The controls are the features as they came and a factor that is shuffled.  New
rows are those of the other half, by the values of their own.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.spatial.distance import cdist

from experiments.conditioning._measures import same_class_nearby
from experiments.record import Claim, Table
from sidelight import PCA, FactorRemoval
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import digits, load
from sidelight.plot import comparison, save
from sidelight.side import Condition

#: Draws that no constant was chosen on.
SEEDS = range(8200, 8205)
N_SHUFFLED = 100
LEVELS = 8
BATCHES = np.array(["a", "b", "c"])
EFFECTS = {
    "nothing, confounded": ("nothing", True),
    "shift": ("shift", False),
    "shift, confounded": ("shift", True),
    "shift by type, confounded": ("by type", True),
    "bent": ("bent", False),
}
TURNS = (20, 45, 90)

CLAIMS = [
    Claim(
        "a shuffled factor: draws of a hundred in which X is left as it is",
        lambda r: r("shuffled", "digits", "left as it is") * 100,
        least=98,
        quick=False,
    ),
    Claim(
        "a dose: five neighbours tell the digit",
        lambda r: r("digits", "dose", "digit, removed"),
        least=0.97,
        quick=False,
    ),
    Claim("a dose: R²", lambda r: r("digits", "dose", "factor, removed"), most=0.0),
    Claim(
        "confounded batches without an effect: change",
        lambda r: abs(
            r("cells", "nothing, confounded", "removed")
            - r("cells", "nothing, confounded", "as it came")
        ),
        most=0.01,
        quick=False,
    ),
    Claim(
        "confounded shift: same type nearest in another batch",
        lambda r: r("cells", "shift, confounded", "removed"),
        least=0.9,
    ),
    Claim(
        "turned by up to 90 degrees: change",
        lambda r: (
            r("digits", "turned ±90°", "digit, removed")
            - r("digits", "turned ±90°", "digit, as it came")
        ),
        least=-0.03,
    ),
    Claim(
        "turned by up to 90 degrees: warned",
        lambda r: r("digits", "turned ±90°", "warned"),
        least=1,
    ),
    Claim(
        "new rows: dose, digit, less that of fitted rows",
        lambda r: r("digits", "dose", "digit, new rows") - r("digits", "dose", "digit, removed"),
        least=-0.03,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Cells in batches, digits with a dose or turned, factors that are shuffled."""
    seeds = SEEDS[:2] if quick else SEEDS
    tables = [of_cells(seeds), of_digits(seeds, 500 if quick else 900)]
    return [*tables, of_shuffled(6 if quick else N_SHUFFLED, output)]


def without(X: FloatArray, side: Condition) -> tuple[FactorRemoval, FloatArray, bool]:
    """The model, the rows without the factor, and whether it warned."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = FactorRemoval()
        clean = model.fit_transform(X, side=side)
    return model, clean, any("does not undo" in str(one.message) for one in said)


def of_cells(seeds: range) -> Table:
    """Same type nearest in another batch."""
    X, types = blood_cells()
    table = Table(
        "cells",
        "Cells in batches: the nearest of another batch is of the same type",
        {
            "as it came": "{mean:.3f} ({min:.3f})",
            "removed": "{mean:.3f} ({min:.3f})",
            "batch shuffled": "{mean:.3f} ({min:.3f})",
        },
        seeds,
    )
    for number, (name, (effect, confounded)) in enumerate(EFFECTS.items()):
        found = []
        for seed in seeds:
            rng = np.random.default_rng([seed, number])
            batch, told = draw_batches(types, confounded, rng)
            changed = affected(X, types, batch, effect, rng)
            clean = without(changed, Condition(BATCHES[batch]))[1]
            control = without(changed, Condition(BATCHES[rng.permutation(batch)]))[1]
            apart = batch[told][:, None] != batch[told]
            found.append(
                [same_class_nearby(Z[told], types[told], apart) for Z in (changed, clean, control)]
            )
        table.add(name, *np.array(found).T)
    return table


def blood_cells() -> tuple[FloatArray, IntArray]:
    """Fifty principal components, and types, of which T cells of several kinds are one."""
    data = load("pbmc68k_reduced")
    names = np.asarray(data.labels).astype(str)
    is_t = np.char.startswith(names, "CD4+/") | np.char.startswith(names, "CD8+")
    types = np.unique(np.where(is_t, "T", names), return_inverse=True)[1]
    return np.asarray(data.extras["pca"], dtype=np.float64), types


def draw_batches(types: IntArray, confounded: bool, rng: np.random.Generator) -> tuple[Any, Any]:
    """Three batches, and the rows of types that are seen in several."""
    batch = rng.integers(3, size=len(types))
    told = np.ones(len(types), dtype=bool)
    for kind in rng.permutation(np.unique(types))[: 3 if confounded else 0]:
        batch[types == kind] = rng.integers(3)
        told[types == kind] = False
    return batch, told


def affected(
    X: FloatArray, types: IntArray, batch: IntArray, effect: str, rng: np.random.Generator
) -> FloatArray:
    """What a batch does to cells."""
    spread = 1.5 * X.std(axis=0)
    shift = (rng.standard_normal((3, X.shape[1])) * spread)[batch]
    own = (rng.standard_normal((3, types.max() + 1, X.shape[1])) * spread)[batch, types]
    if effect == "nothing":
        return X
    if effect == "scaled by type":
        width = np.exp(0.3 * rng.standard_normal((3, types.max() + 1, 1)))[batch, types]
        return np.asarray(X * width + shift)
    if effect == "by type":
        return np.asarray(X + shift + 0.3 * own)
    if effect == "bent":
        size = 3 * X.std()
        return np.asarray(size * np.tanh((X + shift) / size) * (1 + 0.3 * batch[:, None]))
    return np.asarray(X + shift)


def of_digits(seeds: range, n: int) -> Table:
    """Digit and factor, as five neighbours tell them."""
    columns = ["digit, as it came", "factor, as it came", "digit, removed", "factor, removed"]
    table = Table(
        "digits",
        "Digits with a factor: five neighbours tell the digit, and R² of the factor",
        dict.fromkeys(columns, "{mean:.3f} ({min:.3f})")
        | {"digit, new rows": "{mean:.3f} ({min:.3f})", "warned": "{mean:.1f}"},
        seeds,
    )
    data = digits()
    labels = np.asarray(data.labels)
    for name in ("dose", *(f"turned ±{turn}°" for turn in TURNS)):
        found = []
        for seed in seeds:
            rng = np.random.default_rng([seed, 10, *map(ord, name)])
            rows = rng.permutation(len(labels))[: 2 * n]
            X, y = data.X[rows], labels[rows]
            if name == "dose":
                factor = rng.integers(LEVELS, size=len(X)).astype(float)
                direction = rng.standard_normal(64)
                X = X + 4 * np.outer(factor / (LEVELS - 1), direction / np.linalg.norm(direction))
            else:
                factor = rng.uniform(-1, 1, len(X)) * float(name.strip("turned ±°"))
                X = np.array([_turned(x, angle) for x, angle in zip(X, factor, strict=True)])
            half = slice(0, len(X) // 2), slice(len(X) // 2, None)
            model, clean, warned = without(X[half[0]], Condition(factor[half[0]]))
            new = model.transform(X[half[1]], condition=Condition(factor[half[1]]))
            found.append(
                [
                    *told_by_neighbors(X[half[0]], y[half[0]], factor[half[0]]),
                    *told_by_neighbors(clean, y[half[0]], factor[half[0]]),
                    told_by_neighbors(new, y[half[1]], factor[half[1]])[0],
                    float(warned),
                ]
            )
        table.add(name, *np.array(found).T)
    return table


def told_by_neighbors(Z: FloatArray, y: IntArray, factor: FloatArray) -> tuple[float, float]:
    """The part of rows whose class five neighbours tell, and R² of their mean factor."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    near = np.argpartition(D, 5, axis=1)[:, :5]
    votes = np.zeros((len(Z), y.max() + 1), dtype=int)
    np.add.at(votes, (np.arange(len(Z))[:, None], y[near]), 1)
    rest = np.mean((factor - factor[near].mean(axis=1)) ** 2) / factor.var()
    return float(np.mean(votes.argmax(axis=1) == y)), float(1 - rest)


def of_shuffled(n_draws: int, output: Path) -> Table:
    """How often a factor that says nothing leaves X as it is; a picture of one that does."""
    data = digits()
    labels = np.asarray(data.labels)
    left, change = [], []
    for seed in range(SEEDS[0], SEEDS[0] + n_draws):
        rng = np.random.default_rng([seed, 20])
        rows = rng.permutation(len(labels))[:400]
        X, y = data.X[rows], labels[rows]
        level = rng.integers(LEVELS, size=len(X)).astype(float)
        kinds = Condition(level), Condition(level.astype(str)), Condition(level * 45, period=360)
        _, clean, _ = without(X, kinds[seed % 3])
        left.append(float(np.array_equal(clean, X)))
        before, after = (told_by_neighbors(Z, y, level)[0] for Z in (X, clean))
        change.append(after - before)
        if seed == SEEDS[0]:
            dosed = X + 0.1 * level[:, None] * rng.random(64)
            shown = {"with a dose": dosed, "without": without(dosed, Condition(level))[1]}
            maps = {name: PCA(2).fit_transform(Z) for name, Z in shown.items()}
            save(comparison(maps, labels=y.astype(str)), output / "factor_removal.png")
    table = Table(
        "shuffled",
        "A factor that says nothing",
        {"left as it is": "{mean:.2f}", "digit, change": "{mean:+.3f} ({min:+.3f})"},
        range(SEEDS[0], SEEDS[0] + n_draws),
    )
    table.add("digits", left, change, control=True)
    return table


def _turned(x: FloatArray, angle: float) -> FloatArray:
    picture = ndimage.rotate(x.reshape(8, 8), angle, reshape=False, order=1)
    return np.asarray(picture.ravel())
