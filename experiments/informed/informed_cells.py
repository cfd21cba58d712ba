"""Single cells: what a handful of pairs from three types does to the map of the other seven.

The informed-embedding thesis (section 3.6): "even a small amount of side information can give much
better structure to the embedding".  Here the pairs, four similar ones to a dissimilar one, are of
cells of three types out of ten, and the map of all 700 cells (50 principal components) is judged on
the types that no pair names, and on those it does: how often five neighbours in the map have the
cell's type.  The controls are the uninformed map, all dimensions, and pairs of shuffled types.

Pairs are used as far as they foretell what is said of rows left out: few ones are not used at all,
and shuffled ones, however many, cost the map nothing.  What tells three types apart is not what
tells the others apart, and rows left out are of the three types, too: the metric of 1,000 true
pairs, taken by itself, heaps the other seven in some draws.  So a method that is told of the pairs
asks what that is worth, and uses it only where rows left out gain more than others lose.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.informed.informed_faces import draw_map
from experiments.informed.pair_metric_safety import neighbor_accuracy
from experiments.record import Claim, Said, Table
from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.datasets import load
from sidelight.metric import EquivalenceMetric
from sidelight.plot import comparison, save
from sidelight.side import Pairs

#: Without semidefinite embedding, which takes half a minute for a map of so many cells.
METHODS = ("MDS", "Isomap", "LEM", "LLE")
COUNTS = (5, 10, 20, 1000)
N_TYPES = 3
N_DRAWS = 20
N_NEIGHBORS = 5
FEWEST_CELLS = 10


def draw_types(types: IntArray, rng: np.random.Generator) -> BoolArray:
    """Draw the types that pairs tell of.

    Parameters
    ----------
    types : ndarray of int of shape (n,)
        The type of every cell.
    rng : Generator
        For the draw.

    Returns
    -------
    ndarray of bool of shape (n,)
        The cells of three types that have ten cells or more.
    """
    frequent = np.flatnonzero(np.bincount(types) >= FEWEST_CELLS)
    return np.asarray(np.isin(types, rng.choice(frequent, size=N_TYPES, replace=False)))


def told_pairs(
    types: IntArray,
    told: BoolArray,
    count: int,
    rng: np.random.Generator,
    *,
    shuffled: bool = False,
) -> Pairs:
    """Draw pairs among the cells of some types: four similar ones to a dissimilar one.

    Parameters
    ----------
    types : ndarray of int of shape (n,)
        The type of every cell.
    told : ndarray of bool of shape (n,)
        The cells that pairs may name.
    count : int
        How many in all.
    rng : Generator
        For the draw.
    shuffled : bool
        Whether the types of the cells told of are permuted first.

    Returns
    -------
    Pairs
        The pairs.
    """
    if shuffled:
        types = types.copy()
        types[told] = rng.permutation(types[told])
    drawn = Pairs.from_labels(np.where(told, types, -1), max_pairs=count, random_state=rng)
    n_dissimilar = count // 5
    similar = rng.permutation(drawn.similar)[: count - n_dissimilar]
    return Pairs(similar=similar, dissimilar=rng.permutation(drawn.dissimilar)[:n_dissimilar])


def accuracies(Z: FloatArray, types: IntArray, told: BoolArray) -> FloatArray:
    """Measure how often five neighbours have the cell's type.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        The map.
    types : ndarray of int of shape (n,)
        The type of every cell.
    told : ndarray of bool of shape (n,)
        The cells of types that pairs told of.

    Returns
    -------
    ndarray of shape (2,)
        For cells of the other types, and of those.
    """
    return np.array(
        [
            neighbor_accuracy(Z, types, n_neighbors=N_NEIGHBORS, asked=asked)
            for asked in (~told, told)
        ]
    )


def measure(
    X: FloatArray,
    types: IntArray,
    counts: tuple[int, ...],
    seeds: range,
    *,
    shuffled: bool = False,
) -> dict[tuple[int, str], FloatArray]:
    """Compare informed with uninformed maps.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Cells.
    types : ndarray of int of shape (n,)
        The type of every cell.
    counts : tuple of int
        How many pairs.
    seeds : range
        One draw of types and pairs for each.
    shuffled : bool
        Whether pairs are of shuffled types: a control.

    Returns
    -------
    dict of (count, method) to ndarray of shape (n_draws, 2, 2)
        :func:`accuracies` of the uninformed and of the informed map; the method "all dimensions"
        is no map.
    """
    plain = {"all dimensions": X} | {method: draw_map(method, X) for method in METHODS}
    found: dict[tuple[int, str], list[list[FloatArray]]] = {}
    for seed in seeds:
        for count in counts:
            rng = np.random.default_rng([seed, count])
            told = draw_types(types, rng)
            pairs = told_pairs(types, told, count, rng, shuffled=shuffled)
            informed = EquivalenceMetric().fit(X, side=pairs).transform(X)
            for method, before in plain.items():
                after = informed if method == "all dimensions" else draw_map(method, X, pairs)
                both = [accuracies(Z, types, told) for Z in (before, after)]
                found.setdefault((count, method), []).append(both)
    return {setting: np.array(runs) for setting, runs in found.items()}


TEXT = [
    Said(
        "informed",
        "section 3.6",
        "even a small amount of side information can give much better structure",
        ours="types that no pair names, Isomap: {cells/20 pairs, Isomap/other types, gain} with 20 "
        "pairs (of {cells/20 pairs, Isomap/other types}); MDS with 1,000 pairs of three types: "
        "{cells/1000 pairs, MDS/other types, gain}",
        refuted=("what 20 pairs gain on the other types",),
        because="it is the rows that pairs name that gain; on types that none names few pairs do "
        "nothing",
        data="blood cells instead of faces",
    )
]
CLAIMS = [
    Claim(
        "few pairs: worst mean loss of the other types in any map",
        lambda r: min(
            r("cells", row.name, "other types, gain")
            for row in r.table("cells").rows
            if not row.name.startswith("1000") and not row.control
        ),
        least=-0.04,
    ),
    Claim(
        "what 20 pairs gain on the other types in Isomap's map beyond 20 shuffled ones",
        lambda r: (
            r("cells", "20 pairs, Isomap", "other types, gain")
            - r("cells", "20 shuffled pairs, Isomap", "other types, gain")
        ),
        most=0.03,
    ),
    Claim(
        "1,000 shuffled pairs: worst mean loss of any type in any map",
        lambda r: min(
            r("cells", row.name, f"{which} types, gain")
            for row in r.table("cells").rows
            if row.name.startswith("1000 shuffled")
            for which in ("other", "told")
        ),
        least=-0.03,
        quick=False,
    ),
    Claim(
        "1,000 pairs of three types: what they cost the others, MDS",
        lambda r: r("cells", "1000 pairs, MDS", "other types, gain"),
        least=-0.02,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The gains on told and on other types; an example."""
    cells = load("pbmc68k_reduced")
    assert cells.labels is not None
    X = cells.extras["pca"].astype(float)
    names, types = np.unique(cells.labels, return_inverse=True)
    counts, seeds = ((5, 20), range(3)) if quick else (COUNTS, range(N_DRAWS))
    table = Table(
        "cells",
        "5-NN accuracy of the type in the uninformed map, and gain (mean, worst draw)",
        {
            "other types": "{mean:.3f}",
            "other types, gain": "{mean:+.3f} ({min:+.3f})",
            "told types": "{mean:.3f}",
            "told types, gain": "{mean:+.3f} ({min:+.3f})",
        },
        seeds,
    )
    for shuffled in (False, True):
        some = counts[1:] if shuffled else counts
        found = measure(X, types, some, seeds, shuffled=shuffled)
        for (count, method), runs in found.items():
            gain = runs[:, 1] - runs[:, 0]
            what = f"{count} shuffled pairs" if shuffled else f"{count} pairs"
            cells_of = (runs[:, 0, 0], gain[:, 0], runs[:, 0, 1], gain[:, 1])
            table.add(f"{what}, {method}", *cells_of, control=shuffled)

    rng = np.random.default_rng([0, 20])
    told = draw_types(types, rng)
    pairs = told_pairs(types, told, 20, rng)
    maps = {method: draw_map(method, X) for method in METHODS}
    maps |= {f"{m}, 20 pairs": draw_map(m, X, pairs) for m in METHODS}
    scores = {
        name: "others {:.2f}, told {:.2f}".format(*accuracies(Z, types, told))
        for name, Z in maps.items()
    }
    figure = comparison(maps, labels=names[types], scores=scores, n_columns=4)
    save(figure, output / "informed_cells.png")
    return [table]
