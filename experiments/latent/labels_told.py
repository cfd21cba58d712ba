"""A few labels told to a neighbour embedding: what they do to the rows that are not named.

Some rows tell their class; the map listens by territories in the graph of neighbours.  Everything
is measured on the *other* rows, as the difference from the map that was told nothing: how apart
the classes lie (silhouette), how many of the 15 nearest neighbours are kept, and whether the
nearest row has the same class.  Of the named rows it is measured how many of the neighbours that
they keep without they keep with their labels.  The control tells the same rows shuffled labels.

The constants of the territories were set on rows 0 to 4,000 of MNIST with 200 labels, on other
draws of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score

from experiments.record import Claim, Record, Table
from sidelight import NeighborEmbedding
from sidelight.datasets import digits, load
from sidelight.neighbors import nearest_neighbors
from sidelight.plot import comparison, save
from sidelight.side import Pairs

SEEDS = range(200, 205)
_NEAREST = 15
#: Rows that the silhouette is measured on, at most.
_JUDGED = 3_000
COLUMNS = {
    "silhouette": "{mean:+.3f} ({min:+.3f})",
    "neighbours kept": "{mean:+.4f} ({min:+.4f})",
    "nearest of the same class": "{mean:+.4f} ({min:+.4f})",
    "of their own, named rows keep": "{mean:.3f} ({min:.3f})",
}


def _mnist() -> tuple[Any, Any]:
    found = load("mnist_t10k")
    return PCA(50, svd_solver="full").fit_transform(found.X), np.asarray(found.labels)


def _cells() -> tuple[Any, Any]:
    found = load("pbmc68k_reduced")
    return found.X, np.unique(found.labels, return_inverse=True)[1]


#: Rows and their classes, and how many are told.
DATA: dict[str, tuple[Callable[[], tuple[Any, Any]], int]] = {
    "10,000 digits of MNIST, 400 labels": (_mnist, 400),
    "1,797 digits of 8 × 8, 100 labels": (digits, 100),
    "700 blood cells, 70 labels": (_cells, 70),
}
FIRST = next(iter(DATA))

TEXT: list[Any] = []


def _worst(column: str, told: str = "told") -> Callable[[Record], float]:
    return lambda r: float(
        min(np.min(r.table(told).value(name, column)) for name in DATA)  # type: ignore[type-var]
    )


def _mean(column: str, name: str) -> Callable[[Record], float]:
    return lambda r: r("told", name, column)


CLAIMS = [
    Claim("silhouette of MNIST, mean", _mean("silhouette", FIRST), least=0.03, quick=False),
    Claim(
        "neighbours kept of MNIST, mean", _mean("neighbours kept", FIRST), least=-0.01, quick=False
    ),
    Claim(
        "nearest of the same class, MNIST, mean",
        _mean("nearest of the same class", FIRST),
        least=-0.005,
        quick=False,
    ),
    Claim(
        "named rows of MNIST keep of their neighbours, mean",
        _mean("of their own, named rows keep", FIRST),
        least=0.9,
        quick=False,
    ),
    *(
        Claim(f"shuffled labels, worst draw: {column}", _worst(column, "shuffled"), least=-0.01)
        for column in list(COLUMNS)[:3]
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Every table with true and with shuffled labels, on several draws."""
    seeds = list(SEEDS)[: 2 if quick else None]
    told = Table(
        "told", "With labels less without, on rows not named: mean (worst)", COLUMNS, seeds
    )
    shuffled = Table("shuffled", "The same with shuffled labels", COLUMNS, seeds)
    for name, (data, n_told) in DATA.items():
        X, y = data()
        if quick:
            X, y, n_told = X[:400], np.asarray(y)[:400], 60
        judge = Judge(np.asarray(X), np.asarray(y))
        for table, shuffles in ((told, False), (shuffled, True)):
            draws = [judge.told(seed, n_told, shuffles) for seed in seeds]
            table.add(name, *np.transpose(draws).tolist(), control=shuffles)
        if name == FIRST:
            maps = {"told nothing": judge.plain, f"told {n_told} labels": judge.last}
            figure = comparison(maps, labels=y.astype(str), n_columns=2, key_title="digit")
            save(figure, output / "labels_told.png")
    return [told, shuffled]


class Judge:
    """Rows, their plain map, and what labels make of it."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, y
        self.near = nearest_neighbors(X, _NEAREST).indices
        self.plain = NeighborEmbedding().fit_transform(X)
        self.last = self.plain

    def told(self, seed: int, n_told: int, shuffles: bool) -> list[float]:
        """The map with some labels, less the plain one."""
        rng = np.random.default_rng(seed)
        n = len(self.X)
        named = np.sort(rng.choice(n, n_told, replace=False))
        others = np.setdiff1d(np.arange(n), named)
        labels = np.full(n, -1)
        labels[named] = rng.permutation(self.y[named]) if shuffles else self.y[named]
        Z = NeighborEmbedding().fit_transform(self.X, side=Pairs.from_labels(labels))
        self.last = self.last if shuffles else Z
        without, with_ = (self._measure(A, others, named) for A in (self.plain, Z))
        return [*(with_ - without)[:3].tolist(), float(with_[3] / without[3])]

    def _measure(self, Z: Any, others: Any, named: Any) -> Any:
        near = nearest_neighbors(Z, _NEAREST).indices
        kept = np.array([np.isin(a, b).mean() for a, b in zip(near, self.near, strict=True)])
        judged = others[:: max(1, len(others) // _JUDGED)]
        same = self.y[near[:, 0]] == self.y
        apart = silhouette_score(Z[judged], self.y[judged])
        return np.array([apart, kept[others].mean(), same[others].mean(), kept[named].mean()])
