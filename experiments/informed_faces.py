"""Informed maps of faces: do pairs and distances bring out glasses and beards?

PLACEHOLDER
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import print_table, start
from experiments.pair_metric_safety import neighbor_accuracy
from sidelight import PCA, ClassicalMDS, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.arrays import BoolArray, FloatArray, IntArray
from sidelight.datasets import load
from sidelight.errors import DisconnectedGraphWarning
from sidelight.metric import EquivalenceMetric, MultiAttributeMetric
from sidelight.plot import save, scatter
from sidelight.plot.style import FAINT, INK, TEXT_SIZE, new_figure
from sidelight.side import Attributes, Distances, Pairs

N_DRAWS = 20
METHODS: dict[str, Callable[[], Any]] = {
    "MDS": lambda: ClassicalMDS(2),
    "Isomap": lambda: Isomap(2),
    "LEM": lambda: LaplacianEigenmaps(2),
    "LLE": lambda: LocallyLinearEmbedding(2),
}


@dataclass(frozen=True)
class Faces:
    """The photographs, turned, and what is known of them.

    Parameters
    ----------
    X : ndarray of shape (400, 399)
        Coordinates along the principal axes: all of them, so that no distance changes.
    images : ndarray of shape (400, 64, 64)
        The photographs.
    person : ndarray of int of shape (400,)
        Who it is.
    attributes : dict
        Of every distinction the class of each photograph.
    """

    X: FloatArray
    images: FloatArray
    person: IntArray
    attributes: dict[str, IntArray]


def load_faces() -> Faces:
    """Load the photographs; whoever has any facial hair counts as bearded.

    Returns
    -------
    Faces
        Both attributes, and the four combinations of them as a third.
    """
    faces = load("olivetti_faces")
    assert faces.labels is not None
    glasses = faces.extras["glasses"].astype(int)
    beard = (faces.extras["facial_hair"] > 0).astype(int)
    return Faces(
        PCA(len(faces.X) - 1).fit_transform(faces.X),
        faces.images,
        faces.labels,
        {"beard": beard, "glasses": glasses, "both": 2 * glasses + beard},
    )


def split_people(faces: Faces, rng: np.random.Generator) -> BoolArray:
    """Draw half of the people, half of each of those who ever have glasses, a beard, or both.

    Parameters
    ----------
    faces : Faces
        The photographs.
    rng : Generator
        For the draw.

    Returns
    -------
    ndarray of bool of shape (n,)
        The photographs of the people drawn.
    """
    people = np.unique(faces.person)
    kind = np.array([faces.attributes["both"][faces.person == p].max() for p in people])
    drawn = []
    for one in np.unique(kind):
        members = rng.permutation(people[kind == one])
        # of an odd number, the half is rounded up or down by chance
        drawn.extend(members[: (len(members) + int(rng.integers(2))) // 2])
    return np.asarray(np.isin(faces.person, drawn))


def told_of(labels: IntArray, seen: BoolArray, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Say which photographs of seen people are alike.

    Parameters
    ----------
    labels : ndarray of int of shape (n,)
        The classes.
    seen : ndarray of bool of shape (n,)
        The photographs that pairs may name.
    rng : Generator
        For the draw of five.

    Returns
    -------
    every : Pairs
        All similar and all dissimilar pairs.
    five : Pairs
        Four similar pairs and a dissimilar one.
    """
    every = Pairs.from_labels(np.where(seen, labels, -1))
    four = rng.choice(len(every.similar), size=4, replace=False)
    one = rng.choice(len(every.dissimilar), size=1)
    return every, Pairs(similar=every.similar[four], dissimilar=every.dissimilar[one])


def thirty_distances(
    X: FloatArray, pairs: Pairs, seen: BoolArray, rng: np.random.Generator
) -> Distances:
    """Read 30 distances between seen photographs off the metric learned from all pairs.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The photographs.
    pairs : Pairs
        All similar pairs.
    seen : ndarray of bool of shape (n,)
        The photographs that may be named.
    rng : Generator
        For the draw.

    Returns
    -------
    Distances
        As in section 3.5.1 of the thesis.
    """
    ends = rng.permuted(np.tile(np.flatnonzero(seen), (30, 1)), axis=1)[:, :2]
    Z = EquivalenceMetric().fit(X, side=pairs).transform(X)
    return Distances(ends, np.linalg.norm(Z[ends[:, 0]] - Z[ends[:, 1]], axis=1))


def informed_rows(
    faces: Faces, seen: BoolArray, rng: np.random.Generator
) -> Iterator[tuple[str, str, Any]]:
    """Go through the kinds of side information of chapter 3.

    Parameters
    ----------
    faces : Faces
        The photographs.
    seen : ndarray of bool of shape (n,)
        The photographs that may be named.
    rng : Generator
        For the draws.

    Yields
    ------
    attribute : str
        What it tells of.
    told : str
        What is told.
    side : object or ndarray
        What ``fit(X, side=…)`` takes, or the photographs mapped by a metric of the thesis's form.
    """
    X = faces.X
    alike = []
    for attribute in ("beard", "glasses"):
        every, five = told_of(faces.attributes[attribute], seen, rng)
        similar = Pairs(similar=every.similar)
        alike.append(similar)
        yield attribute, "all similar pairs", similar
        yield attribute, "all pairs of both kinds", every
        yield attribute, "five pairs", five
        yield attribute, "30 distances", thirty_distances(X, similar, seen, rng)
        for told, pairs in (("all similar pairs", similar), ("five pairs", five)):
            metric = EquivalenceMetric("thesis").fit(X, side=pairs)
            yield attribute, f"{told}, thesis's loss", metric.transform(X)
    both = Attributes(alike)
    yield "both", "all similar pairs", both
    thesis = MultiAttributeMetric("thesis").fit(X, side=both).transform(X)
    yield "both", "all similar pairs, thesis's loss", thesis


def draw_map(method: str, X: FloatArray, side: Any = None) -> FloatArray:
    """Make a map, informed or not.

    Parameters
    ----------
    method : str
        One of :data:`METHODS`.
    X : ndarray of shape (n, p)
        The photographs.
    side : object or ndarray, optional
        Side information, or the photographs mapped by a learned metric.

    Returns
    -------
    ndarray of shape (n, 2)
        The map of all photographs.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisconnectedGraphWarning)  # joined, as always
        if isinstance(side, np.ndarray):
            return np.asarray(METHODS[method]().fit_transform(side))
        return np.asarray(METHODS[method]().fit(X, side=side).embedding_)


def accuracies(Z: FloatArray, labels: IntArray, faces: Faces, seen: BoolArray) -> FloatArray:
    """Measure how often the nearest neighbour in the map has the same class.

    Parameters
    ----------
    Z : ndarray of shape (n, 2)
        The map.
    labels : ndarray of int of shape (n,)
        The classes.
    faces : Faces
        The photographs.
    seen : ndarray of bool of shape (n,)
        Whose pairs were told.

    Returns
    -------
    ndarray of shape (3,)
        Of unseen people, the nearest photograph of somebody else; of seen people likewise; of
        unseen people, the nearest photograph of anybody.
    """
    person = faces.person
    return np.array(
        [
            neighbor_accuracy(Z, labels, n_neighbors=1, groups=person, asked=~seen),
            neighbor_accuracy(Z, labels, n_neighbors=1, groups=person, asked=seen),
            neighbor_accuracy(Z, labels, n_neighbors=1, asked=~seen),
        ]
    )


def measure(faces: Faces, seeds: range) -> dict[tuple[str, str, str], FloatArray]:
    """Compare informed with uninformed maps over several draws.

    Parameters
    ----------
    faces : Faces
        The photographs.
    seeds : range
        One split of the people, and one draw of pairs, for each.

    Returns
    -------
    dict of (attribute, told, method) to ndarray of shape (n_draws, 2, 3)
        :func:`accuracies` of the uninformed and of the informed map.
    """
    plain = {method: draw_map(method, faces.X) for method in METHODS}
    found: dict[tuple[str, str, str], list[list[FloatArray]]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        seen = split_people(faces, rng)
        for attribute, told, side in informed_rows(faces, seen, rng):
            labels = faces.attributes[attribute]
            for method in METHODS:
                maps = (plain[method], draw_map(method, faces.X, side))
                both = [accuracies(Z, labels, faces, seen) for Z in maps]
                found.setdefault((attribute, told, method), []).append(both)
    return {setting: np.array(runs) for setting, runs in found.items()}


def main(output: Path, *, quick: bool = False) -> None:
    """Print the accuracies of informed and uninformed maps, and save the maps."""
    faces = load_faces()
    found = measure(faces, range(2 if quick else N_DRAWS))
    header = ["told", "method", "uninformed", "informed", "gain", "seen people", "own photographs"]
    for attribute in ("beard", "glasses", "both"):
        rows = []
        for (one, told, method), runs in found.items():
            if one == attribute:
                gain = runs[:, 1] - runs[:, 0]
                rows.append(
                    [
                        told,
                        method,
                        f"{runs[:, 0, 0].mean():.3f}",
                        f"{runs[:, 1, 0].mean():.3f}",
                        f"{gain[:, 0].mean():+.3f} ± {gain[:, 0].std(ddof=1):.3f}",
                        *(f"{gain[:, i].mean():+.3f}" for i in (1, 2)),
                    ]
                )
        print_table(header, rows, title=f"1-NN accuracy in the map, unseen people: {attribute}")
    told_means(found)
    draw_figures(faces, output)


def told_means(found: dict[tuple[str, str, str], FloatArray]) -> None:
    """Print what each kind of side information gains on average over methods and attributes."""
    rows = []
    for told in dict.fromkeys(told for _, told, _ in found):
        single = {a for a, one, _ in found if one == told} - {"both"}
        runs = [v[:, 1, 0] - v[:, 0, 0] for (a, one, _), v in found.items() if one == told]
        means = [float(run.mean()) for run in runs]
        rows.append([told, f"{np.mean(means):+.3f}", f"{min(means):+.3f}", f"{len(single)}"])
    header = ["told", "mean gain on unseen people", "worst mean of a method", "attributes"]
    print_table(header, rows, title="Over methods and attributes")


def draw_figures(faces: Faces, output: Path) -> None:
    """Draw the maps of unseen people, informed and not, for the first draw."""
    rng = np.random.default_rng(0)
    seen = split_people(faces, rng)
    sides = {(a, told): side for a, told, side in informed_rows(faces, seen, rng)}
    names = {
        "beard": np.array(["no beard", "beard"]),
        "glasses": np.array(["no glasses", "glasses"]),
        "both": np.array(["neither", "beard", "glasses", "beard and glasses"]),
    }
    for attribute, words in names.items():
        shown = {"uninformed": None}
        for told in ("five pairs", "all similar pairs"):
            if (attribute, told) in sides:
                shown[told] = sides[attribute, told]
        labels = faces.attributes[attribute]
        figure = new_figure(15.0, 3.7 * len(shown) + 0.4)
        grid = figure.subplots(len(shown), len(METHODS))
        for (told, side), line in zip(shown.items(), grid, strict=True):
            for ax, method in zip(line, METHODS, strict=True):
                Z = draw_map(method, faces.X, side)
                score = accuracies(Z, labels, faces, seen)[0]
                last = method == list(METHODS)[-1] and told == "uninformed"
                draw_panel(ax, Z[~seen], words[labels[~seen]], faces.images[~seen], legend=last)
                ax.set_title(
                    f"{method}, {told}: {score:.2f}", loc="left", fontsize=TEXT_SIZE, color=INK
                )
        figure.suptitle(
            f"{attribute}: people of whom nothing was told, and how often their nearest "
            "neighbour, somebody else, has the same class",
            x=0.01,
            ha="left",
            fontsize=TEXT_SIZE,
            color=FAINT,
        )
        save(figure, output / f"informed_faces_{attribute}.png", dpi=110)


def draw_panel(ax: Any, Z: FloatArray, words: Any, images: FloatArray, *, legend: bool) -> None:
    """Draw one map; both axes fill the square, since only neighbourhoods are compared."""
    low, high = np.percentile(Z, [1, 99], axis=0)
    Z = np.clip((Z - low) / np.where(high > low, high - low, 1.0), -0.05, 1.05)
    scatter(
        Z,
        labels=words,
        images=images,
        ax=ax,
        legend="outside" if legend else "none",
        max_thumbnails=40,
    )
    for spine in ax.spines.values():
        spine.set(visible=True, color="#e2e2e2", linewidth=0.6)
    ax.tick_params(left=False, bottom=False, labelleft=False, labelbottom=False)


if __name__ == "__main__":
    start(main)
