"""Positions known of some rows, told to methods that cannot pin rows: what they gain and cost.

The finished map is brought to the anchors: turned and scaled, bent, and what is left moves anchored
rows alone.  Two questions are asked of rows that are not named.

An S-curve (400 rows, with a little noise) has a true place for every row: where along the S and
where across.  So many rows are anchored there; the error is the root mean square distance of the
others from theirs, in parts of the spread.  The controls are the same map turned and scaled onto
the anchors, and anchors in a shuffled order.

Of digits (300 rows) nobody knows a true place, so that anchors can only be wrong: places of the
plain map in a shuffled order.  Rows not named are classified by their five nearest neighbours in
the map, anchored ones among them; the control is the plain map.

The settings (``BendingSettings``) were chosen on draws 100 to 105 of digits and 200 to 204 of the
S-curve and of digits, with places of other maps for targets.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_s_curve

import sidelight
from experiments.informed.pair_metric_safety import neighbor_accuracy
from experiments.record import Claim, Record, Table
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import digits
from sidelight.plot import comparison, save
from sidelight.side import Anchors

METHODS = ("PCA", "Isomap", "LocallyLinearEmbedding", "LaplacianEigenmaps")
FIRST_SEED = 500
N_DRAWS = 10
COUNTS = (5, 10, 20, 50)


def _gain(record: Record, method: str, count: int) -> float:
    told, near = (
        record("s curve", f"{method}, {count} anchors", column)
        for column in ("anchors", "turned and scaled")
    )
    return told - near


CLAIMS = [
    Claim(
        "places of an S-curve: 50 anchors bend Laplacian eigenmaps nearer to the truth by",
        lambda r: -_gain(r, "LaplacianEigenmaps", 50),
        least=0.1,
    ),
    Claim(
        "places of an S-curve: the worst that anchors cost on average, at any number of them",
        lambda r: max(_gain(r, method, count) for method in METHODS for count in _counts(r)),
        most=0.1,
    ),
    Claim(
        "digits, shuffled anchors (up to 20 of 300 rows): the most that is lost on average",
        lambda r: max(
            float(-r.draws("digits", f"{method}, {count} anchors", "lost or gained").mean())
            for method in METHODS
            for count in _counts(r)
            if count <= 20
        ),
        most=0.02,
    ),
    Claim(
        "digits, shuffled anchors (up to 20 of 300 rows): the most that is lost in a draw",
        lambda r: max(
            float(-r.draws("digits", f"{method}, {count} anchors", "lost or gained").min())
            for method in METHODS
            for count in _counts(r)
            if count <= 20
        ),
        most=0.06,
    ),
]


def _counts(record: Record) -> list[int]:
    rows = record.table("digits").rows
    return sorted({int(row.name.split(", ")[1].split()[0]) for row in rows})


def off(places: FloatArray, truth: FloatArray, named: IntArray) -> float:
    """How far rows that are not named lie from the truth, in parts of its spread."""
    others = np.setdiff1d(np.arange(len(truth)), named)
    away, spread = (places - truth)[others], (truth - truth.mean(axis=0))[others]
    return float(np.sqrt(np.sum(away**2) / np.sum(spread**2)))


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Errors on an S-curve, losses on digits, and the maps of one draw."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (3 if quick else N_DRAWS))
    counts = (10, 50) if quick else COUNTS
    curve = Table(
        "s curve",
        "Distance of rows not named from their places on an S-curve, mean (worst)",
        dict.fromkeys(
            ("turned and scaled", "anchors", "shuffled anchors"), "{mean:.2f} ({max:.2f})"
        ),
        seeds,
    )
    spoilt = Table(
        "digits",
        "Digits told right by five neighbours, anchors shuffled, mean (worst)",
        {
            "nothing known": "{mean:.3f} ({min:.3f})",
            "shuffled anchors": "{mean:.3f} ({min:.3f})",
            "lost or gained": "{mean:+.3f} ({min:+.3f})",
        },
        seeds,
    )
    for method in METHODS:
        for count in counts:
            errors = [_on_a_curve(method, count, seed) for seed in seeds]
            curve.add(f"{method}, {count} anchors", *np.array(errors).T)
            told = np.array([_on_digits(method, count, seed) for seed in seeds])
            values = (*told.T, told[:, 1] - told[:, 0])
            spoilt.add(f"{method}, {count} anchors", *values, control=True)
    _draw(output, seeds[0])
    return [curve, spoilt]


def _on_a_curve(method: str, count: int, seed: int) -> tuple[float, float, float]:
    rows, truth = _curve(seed)
    rng = np.random.default_rng([seed, count])
    named = rng.choice(len(rows), count, replace=False)
    wrong = truth[rng.permutation(named)]
    sides = (
        Anchors(named, truth[named], exact=False),
        Anchors(named, truth[named]),
        Anchors(named, wrong),
    )
    fit = getattr(sidelight, method)
    near, bent, spoilt = (off(fit().fit(rows, side=s).embedding_, truth, named) for s in sides)
    return near, bent, spoilt


def _on_digits(method: str, count: int, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng([seed, count])
    X, kinds = digits()
    some = rng.choice(len(X), 300, replace=False)
    plain = getattr(sidelight, method)().fit(X[some]).embedding_
    named = rng.choice(300, count, replace=False)
    told = Anchors(named, plain[rng.permutation(named)])
    spoilt = getattr(sidelight, method)().fit(X[some], side=told).embedding_
    asked = ~np.isin(np.arange(300), named)
    before, after = (
        neighbor_accuracy(Z, kinds[some], n_neighbors=5, asked=asked) for Z in (plain, spoilt)
    )
    return before, after


def _curve(seed: int) -> tuple[FloatArray, FloatArray]:
    rows, along = make_s_curve(400, noise=0.05, random_state=seed)
    return rows, np.column_stack([along, rows[:, 1]])


def _draw(output: Path, seed: int) -> None:
    rows, truth = _curve(seed)
    named = np.random.default_rng(seed).choice(len(rows), 20, replace=False)
    maps = {"true places": truth}
    for method in ("Isomap", "LaplacianEigenmaps"):
        fit = getattr(sidelight, method)
        near = Anchors(named, truth[named], exact=False)
        maps[f"{method}, turned and scaled"] = fit().fit(rows, side=near).embedding_
        maps[f"{method}, bent"] = fit().fit(rows, side=Anchors(named, truth[named])).embedding_
    save(comparison(maps, color=truth[:, 0], n_columns=3), output / "anchors_behind.png")
