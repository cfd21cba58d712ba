"""Labels of a few rows, or pairs of them: what they gain the others, and whether they do harm.

Rows of five data sets are drawn, 400 at most.  The first 200 of them, fewer where rows are few, may
be named: so many have a label, or belong to so many pairs of which it is known whether they are of
one class.  The others, which nobody names, are classified by their five nearest neighbours of their
kind in the map, and beside it in the data themselves.  Gains are counted from the same map without
knowledge; the control beside each is the same knowledge shuffled among its rows.

Safe is what costs next to nothing on average over draws, with true knowledge and with shuffled,
and little in any draw.

Isomap, LLE and Laplacian eigenmaps take pairs in their graph where that does the map good, else by
a metric in front, where the map is the judge as well; so does ClassicalMDS, which of rows of
features makes the map of PCA.  A neighbour embedding has its own place for them.  The settings were
chosen on draws 300 to 357 (``StretchSettings``, and the metric of territories), 600 to 605 and 700
to 744 (how pairs are judged), 110 to 125 (the metric) and other digits (the neighbour embedding).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import sidelight
from experiments.informed.pair_metric_safety import Problem, neighbor_accuracy, problems
from experiments.record import Claim, Record, Table
from sidelight.core import FloatArray, IntArray
from sidelight.plot import comparison, save
from sidelight.side import Pairs

METHODS = (
    "ClassicalMDS",
    "Isomap",
    "LocallyLinearEmbedding",
    "LaplacianEigenmaps",
    "NeighborEmbedding",
)
#: Names of the problems, as they are shown.
DATA = {
    "digits": "digits",
    "single cells": "cells",
    "wine": "wine",
    "breast cancer": "breast cancer",
    "new photographs": "faces",
}
FIRST_SEED = 760
N_DRAWS = 5
N_ROWS = 400
COUNTS = (5, 10, 20, 50, 100, 200)
#: Rows that nobody names, at least: by fewer nothing can be judged to 0.02.
LEAST_ASKED = 100


def _gains(record: Record, column: str) -> Iterator[FloatArray]:
    for key in ("labels", "pairs"):
        for row in record.table(key).rows:
            yield record.draws(key, row.name, column)


def _mean_gain(record: Record, method: str, count: int) -> float:
    return float(record.draws("labels", f"digits, {method}, {count}", "gain").mean())


_AS_THE_DATA = (
    "its map without knowledge tells as many rows right as the data do, and classifiers make "
    "hardly more of the same labels (labels_to_classifiers)"
)
_WHY_LESS = {
    ("ClassicalMDS", 200): "a plane shows little, and what rows gain by a metric must be worth the "
    "neighbours that others lose; linear discriminants of the same labels show a little more "
    "(labels_to_classifiers)",
    ("NeighborEmbedding", 50): _AS_THE_DATA,
    ("NeighborEmbedding", 200): _AS_THE_DATA,
}

CLAIMS = [
    *(
        Claim(
            f"digits, {count} labels: {method} gains on rows not named",
            lambda r, method=method, count=count: _mean_gain(r, method, count),  # type: ignore[misc]
            least=least,
            quick=method == "Isomap" and count == 200,  # two draws do not show what 50 labels gain
            because=_WHY_LESS.get((method, count), ""),
        )
        for method in ("ClassicalMDS", "Isomap", "LaplacianEigenmaps", "NeighborEmbedding")
        for count, least in ((50, 0.02), (200, 0.04))
    ),
    Claim(
        "digits, 50 labels: LLE gains on rows not named",
        lambda r: _mean_gain(r, "LocallyLinearEmbedding", 50),
        least=0.02,
    ),
    Claim(
        "true knowledge: the most that is lost on average, whatever is known of whichever data",
        lambda r: max(float(-gain.mean()) for gain in _gains(r, "gain")),
        most=0.02,
    ),
    Claim(
        "true knowledge: the most that is lost in a draw",
        lambda r: max(float(-gain.min()) for gain in _gains(r, "gain")),
        most=0.06,
        because="of 1,500 fits one lost more, of faces by Isomap with 200 pairs",
    ),
    Claim(
        "shuffled knowledge: the most that is lost on average",
        lambda r: max(float(-gain.mean()) for gain in _gains(r, "shuffled")),
        most=0.02,
    ),
    Claim(
        "shuffled knowledge: the most that is lost in a draw",
        lambda r: max(float(-gain.min()) for gain in _gains(r, "shuffled")),
        most=0.06,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Gains and losses of every method on every data set, and the maps of one draw."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    known = {"labels": (50, 200) if quick else COUNTS, "pairs": (50,) if quick else COUNTS}
    data = ("digits",) if quick else tuple(DATA)
    methods = METHODS[1:3] if quick else METHODS
    form = "{mean:+.3f} ({min:+.3f})"
    tables = {
        kind: Table(
            kind,
            f"Rows not named told right by five neighbours, by {kind} known: mean (worst draw)",
            {"data": "{mean:.3f}", "nothing known": "{mean:.3f}", "gain": form, "shuffled": form},
            seeds,
        )
        for kind in known
    }
    found = problems()
    for name in data:
        draws = [Draw.of(found[name], methods, seed) for seed in seeds]
        for method, (kind, counts) in product(methods, known.items()):
            for count in counts:
                if kind == "pairs" or count <= draws[0].n_named:
                    figures = np.array([draw.figures(method, kind, count) for draw in draws])
                    tables[kind].add(f"{DATA[name]}, {method}, {count}", *figures.T)
    _picture(Draw.of(found["digits"], (), seeds[0]), output)
    return list(tables.values())


@dataclass(frozen=True, eq=False)
class Draw:
    """Rows of one draw in any order, of which the first may be named, and the others are asked.

    Parameters
    ----------
    X, classes : ndarray
        The rows.
    plain : dict of ndarray
        By method the map of nothing known.
    seed : int
        Of the draw.
    """

    X: FloatArray
    classes: IntArray
    plain: dict[str, FloatArray]
    seed: int

    @classmethod
    def of(cls, problem: Problem, methods: Iterable[str], seed: int) -> Draw:
        """Draw rows, and make their maps with nothing known."""
        rng = np.random.default_rng(seed)
        some = rng.choice(len(problem.X), min(N_ROWS, len(problem.X)), replace=False)
        X, classes = problem.X[some], problem.labels[some]
        return cls(X, classes, {method: _map_of(method, X) for method in methods}, seed)

    @property
    def n_named(self) -> int:
        """How many rows may be named."""
        return min(COUNTS[-1], len(self.X) - LEAST_ASKED)

    def known(self, kind: str, count: int) -> tuple[Pairs, Pairs]:
        """The labels of so many rows, or so many pairs of rows; and the same of other rows."""
        rng = np.random.default_rng([self.seed, count])
        named = np.full(len(self.X), -1)
        rows = rng.permutation(self.n_named)[: count if kind == "labels" else None]
        named[rows] = self.classes[rows]
        if kind == "labels":
            told = Pairs.from_labels(named, unknown=-1)
        else:
            drawn = Pairs.from_labels(
                named, unknown=-1, max_pairs=(count + 1) // 2, random_state=rng
            )
            told = Pairs(similar=drawn.similar, dissimilar=drawn.dissimilar[: count // 2])
        return told, shuffled(told, rng)

    def figures(self, method: str, kind: str, count: int) -> tuple[float, float, float, float]:
        """How often rows asked are told right: in the data, plain, and by how much more."""
        told, wrong = (_map_of(method, self.X, side) for side in self.known(kind, count))
        maps = (self.X, self.plain[method], told, wrong)
        data, plain, right, by_chance = (
            neighbor_accuracy(Z[self.n_named :], self.classes[self.n_named :], n_neighbors=5)
            for Z in maps
        )
        return data, plain, right - plain, by_chance - plain


def shuffled(known: Pairs, rng: np.random.Generator) -> Pairs:
    """The same of other rows among those named."""
    rows = known.rows
    other = np.zeros(rows.max() + 1, dtype=np.intp)
    other[rows] = rng.permutation(rows)
    return Pairs(similar=other[known.similar], dissimilar=other[known.dissimilar])


def _map_of(method: str, X: FloatArray, side: Pairs | None = None) -> FloatArray:
    return np.asarray(getattr(sidelight, method)().fit(X, side=side).embedding_)


def _picture(draw: Draw, output: Path) -> None:
    known, _ = draw.known("labels", 50)
    maps = {}
    for method in ("Isomap", "LocallyLinearEmbedding", "LaplacianEigenmaps"):
        maps[f"{method}, nothing known"] = _map_of(method, draw.X)
        maps[f"{method}, 50 labels known"] = _map_of(method, draw.X, known)
    colour = draw.classes.astype(str)
    save(comparison(maps, color=colour.astype(str), n_columns=2), output / "labels_of_few_rows.png")
