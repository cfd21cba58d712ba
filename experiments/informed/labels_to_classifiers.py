"""What classifiers make of a few labels: how much of it a map could gain at most.

Digits are drawn as in ``labels_of_few_rows``; 50 or 200 rows have a label, and 200 others that
nobody names are asked.  In the map of a neighbour embedding, and of classical scaling, without the
labels and with them, five neighbours of their kind tell them.  Beside it classifiers tell them that
see the labels alone (support vectors), or spread them over all rows by their neighbours; each has
the best of several settings *on the rows asked*, which no user could choose: what they reach is
more than is to be had.  A plane is as good as linear discriminants make it, of the same labels, and
of the labels of all rows: what a linear map can show at most.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

import sidelight
from experiments.informed.labels_of_few_rows import FIRST_SEED, N_DRAWS, Draw
from experiments.informed.pair_metric_safety import Problem, neighbor_accuracy
from experiments.record import Claim, Record, Table
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import digits
from sidelight.plot import comparison, save
from sidelight.side import Pairs

COUNTS = (50, 200)
MAPS = ("NeighborEmbedding", "ClassicalMDS")
_UNKNOWN = -1
PLAIN, TOLD = "{}, nothing known", "{}, labels known"
VECTORS, SPREAD = "support vectors", "labels spread to neighbours"
PLANE, WHOLE_PLANE = "plane of discriminants", "the same, all labels known"


def _mean(record: Record, row: str, count: int) -> float:
    return float(record.draws("told", row, f"{count} labels").mean())


def _beyond_classifiers(record: Record, count: int) -> float:
    """By how much more a map that was told tells than the better classifier."""
    better = max(_mean(record, row, count) for row in (VECTORS, SPREAD))
    return _mean(record, TOLD.format("NeighborEmbedding"), count) - better


CLAIMS = [
    *(
        Claim(
            f"{count} labels: neighbour embedding that listens less the better classifier",
            partial(_beyond_classifiers, count=count),
            least=-0.02,
            quick=count == 50,  # two draws do not show what 200 labels are worth
        )
        for count in COUNTS
    ),
    Claim(
        "200 labels: classical scaling that listens less the plane of discriminants",
        lambda r: _mean(r, TOLD.format("ClassicalMDS"), 200) - _mean(r, PLANE, 200),
        least=-0.04,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """How many rows asked are told right, in maps and by classifiers."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    X, classes = digits()
    problem = Problem(X, classes, np.arange(len(X)))
    draws = [Draw.of(problem, MAPS, seed) for seed in seeds]
    table = Table(
        "told",
        "Digits that are not named told right: mean (least of the draws)",
        {f"{count} labels": "{mean:.3f} ({min:.3f})" for count in COUNTS},
        seeds,
    )
    asked = [partial(_in_a_map, method=method, told=told) for method, told in product(MAPS, (0, 1))]
    names = [form.format(method) for method, form in product(MAPS, (PLAIN, TOLD))]
    for name, share in zip(names, asked, strict=True):
        table.add(name, *([share(draw, count) for draw in draws] for count in COUNTS))
    for name, share in _CLASSIFIERS.items():
        figures = ([share(draw, count) for draw in draws] for count in COUNTS)
        table.add(name, *figures, control=True)
    first = draws[0]
    maps = {
        "nothing known": first.plain["NeighborEmbedding"],
        "200 labels known": _map_told(first, "NeighborEmbedding", 200),
    }
    save(comparison(maps, color=first.classes.astype(str)), output / "labels_to_classifiers.png")
    return [table]


def _labels(draw: Draw, count: int) -> IntArray:
    """The labels that are known: those of ``labels_of_few_rows``."""
    rows = np.random.default_rng([draw.seed, count]).permutation(draw.n_named)[:count]
    labels = np.full(len(draw.X), _UNKNOWN)
    labels[rows] = draw.classes[rows]
    return labels


def _map_told(draw: Draw, method: str, count: int) -> FloatArray:
    side = Pairs.from_labels(_labels(draw, count), unknown=_UNKNOWN)
    return np.asarray(getattr(sidelight, method)().fit(draw.X, side=side).embedding_)


def _in_a_map(draw: Draw, count: int, *, method: str, told: int) -> float:
    return _by_neighbors(draw, _map_told(draw, method, count) if told else draw.plain[method])


def _by_neighbors(draw: Draw, Z: FloatArray) -> float:
    asked = slice(draw.n_named, None)
    return neighbor_accuracy(Z[asked], draw.classes[asked], n_neighbors=5)


def _right(draw: Draw, guessed: IntArray) -> float:
    return float(np.mean(guessed[draw.n_named :] == draw.classes[draw.n_named :]))


def _of_vectors(draw: Draw, count: int) -> float:
    labels = _labels(draw, count)
    known = labels != _UNKNOWN
    settings = product((1.0, 10.0), (3e-4, 1e-3, "scale"))
    return max(
        _right(draw, SVC(C=cost, gamma=gamma).fit(draw.X[known], labels[known]).predict(draw.X))
        for cost, gamma in settings
    )


def _spread(draw: Draw, count: int) -> float:
    labels, softness = _labels(draw, count), (0.05, 0.2, 0.5, 0.9)
    return max(
        _right(draw, LabelSpreading(**graph, alpha=alpha).fit(draw.X, labels).transduction_)
        for graph, alpha in product(_graphs(), softness)
    )


def _graphs() -> Iterator[dict[str, Any]]:
    yield from ({"kernel": "rbf", "gamma": gamma} for gamma in (3e-4, 1e-3, 3e-3))
    yield from ({"kernel": "knn", "n_neighbors": k} for k in (5, 7, 10, 15))


def _plane(draw: Draw, count: int, *, whole: bool = False) -> float:
    labels = draw.classes if whole else _labels(draw, count)
    known = labels != _UNKNOWN
    planes = (
        LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage, n_components=2)
        for shrinkage in (1e-3, 0.1, "auto")
    )
    return max(
        _by_neighbors(draw, plane.fit(draw.X[known], labels[known]).transform(draw.X))
        for plane in planes
    )


_CLASSIFIERS: dict[str, Callable[[Draw, int], float]] = {
    VECTORS: _of_vectors,
    SPREAD: _spread,
    PLANE: _plane,
    WHOLE_PLANE: partial(_plane, whole=True),
}
