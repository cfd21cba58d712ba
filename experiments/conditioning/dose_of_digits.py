"""Handwritten digits with a known dose of something added: numbers, names, and numbers with jitter.

To 300 digits of ten kinds a pattern is added, 0 to 7 times; the dose is known.  How often the
nearest item of the map is the same digit.  The dose is given as numbers, as names, and as numbers
that never repeat (jitter of a hundredth); the controls are the pixels, the map with nothing known,
and a random integer from 0 to 7 in place of the dose.  The latent-factor thesis (section 3.2.2) has
no such experiment; a user of a dose has no other choice than one of these three.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from experiments.conditioning._measures import FIRST_SEED, fit, readable, same_class_nearby
from experiments.record import Claim, Table
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import digits
from sidelight.plot import comparison, save
from sidelight.side import Condition

N_DRAWS = 5
LEVELS = 8

CLAIMS = [
    Claim(
        "given as names: same digit nearest, less the map with nothing known",
        lambda r: (
            r("dose", "dose as names", "same digit nearest")
            - r("dose", "nothing known", "same digit nearest")
        ),
        least=0.03,
    ),
    Claim(
        "given as names: R² of the dose",
        lambda r: r("dose", "dose as names", "R² of the dose"),
        most=0.3,
    ),
]


def draw_dosed(seed: int, n: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Digits to which a smooth pattern was added so many times; kind and dose."""
    rng = np.random.default_rng(seed)
    data = digits()
    assert data.labels is not None
    rows = rng.choice(len(data.X), n, replace=False)
    across, down = np.meshgrid(np.linspace(-1, 1, 8), np.linspace(-1, 1, 8))
    angle = rng.uniform(0, 2 * np.pi)
    pattern = 1 + np.cos(angle) * across + np.sin(angle) * down
    dose = rng.integers(LEVELS, size=n)
    return data.X[rows] + 0.1 * dose[:, None] * pattern.ravel(), data.labels[rows], dose


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Digit and dose read off the maps; the maps of one draw."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    found: dict[str, list[tuple[float, float]]] = {}
    for seed in seeds:
        X, kind, dose = draw_dosed(seed, 100 if quick else 300)
        rng = np.random.default_rng([seed, 1])
        maps = {
            "pixels": X,
            "nothing known": fit(X),
            "random integer": fit(X, Condition(rng.integers(LEVELS, size=len(X)).astype(float))),
            "dose as names": fit(X, Condition(dose.astype(str))),
        }
        if not quick:
            jittered = dose + 0.01 * rng.standard_normal(len(X))
            maps["dose as numbers"] = fit(X, Condition(dose.astype(float)))
            maps["dose with jitter"] = fit(X, Condition(jittered))
        for name, Z in maps.items():
            measures = same_class_nearby(Z, kind), readable(Z, dose.astype(float))
            found.setdefault(name, []).append(measures)
        if seed == seeds[0]:
            shown = {name: Z for name, Z in maps.items() if Z.shape[1] == 2}
            figure = comparison(shown, labels=kind.astype(str), key_title="digit", n_columns=3)
            save(figure, output / "dose_of_digits.png")
    table = Table(
        "dose",
        "Digits with a dose, mean (worst)",
        {
            "same digit nearest": "{mean:.2f} ({min:.2f})",
            "R² of the dose": "{mean:.2f} ({max:.2f})",
        },
        seeds,
    )
    for name, values in found.items():
        table.add(name, *np.array(values).T, control=not name.startswith("dose"))
    return [table]
