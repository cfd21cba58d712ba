"""Handwritten digits, each moved by a small affine motion of its own: found again, and mapped.

Every image of MNIST is moved by u ↦ A u + t, A the identity with noise of 8 % in each entry, t of
one pixel.  *Templates*: a few images of each digit stand for it; how often the nearest of them is
of another digit, by Euclidean distance and by distances that forgive affine motions.  *Maps*: 2,000
moved digits by neighbour embedding, with Invariance and without; how often most of the five nearest
in the map are of the same digit.  *Safety*: the same figure where what is forgiven does not happen:
rotations of digits that are only shifted, and of faces of 40 people, who hold their heads upright.

Controls are the pixels, pictures smoothed as the distances smooth them, and tangents that belong to
other images.  Constants were chosen on draws 100 to 111.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from experiments.record import Claim, Said, Table
from sidelight import NeighborEmbedding
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.side import Invariance
from sidelight.transforms import (
    Affine,
    LocalFilter,
    Rotation,
    Shift,
    Tangents,
    invariant_distances,
)

FIRST_SEED, N_DRAWS = 200, 5
SHAPE, FACES = (28, 28), (32, 32)

TEXT = [
    Said(
        "informed",
        "sections 2.4 to 2.6",
        "distances that forgive transformations compare images better than the Euclidean one",
        ours="error of the nearest of 30 templates {templates/tangent distance/30 each} "
        "({templates/Euclidean/30 each} Euclidean)",
        upheld=("tangent distance, 30 templates", "reconstruction, 30 templates"),
    )
]
CLAIMS = [
    Claim(
        "tangent distance, 30 templates: error as a share of the Euclidean",
        lambda r: (
            r("templates", "tangent distance", "30 each") / r("templates", "Euclidean", "30 each")
        ),
        most=0.5,
        quick=False,
    ),
    Claim(
        "tangent distance, 10 templates: error as a share of the Euclidean",
        lambda r: (
            r("templates", "tangent distance", "10 each") / r("templates", "Euclidean", "10 each")
        ),
        most=0.7,
    ),
    Claim(
        "reconstruction, 30 templates: error as a share of the Euclidean",
        lambda r: (
            r("templates", "reconstruction", "30 each") / r("templates", "Euclidean", "30 each")
        ),
        most=0.5,
        quick=False,
    ),
    Claim(
        "map of moved digits: same digit, less nothing known",
        lambda r: r("maps", "affine", "moved digits") - r("maps", "nothing known", "moved digits"),
        least=0.08,
    ),
    Claim(
        "map of shifted digits: what rotations cost",
        lambda r: (
            r("maps", "nothing known", "shifted digits") - r("maps", "rotation", "shifted digits")
        ),
        most=0.02,
    ),
    Claim(
        "map of faces: what rotations cost, pictures not smoothed",
        lambda r: (
            r("faces", "nothing known", "same person")
            - r("faces", "rotation, not smoothed", "same person")
        ),
        most=0.02,
        quick=False,
    ),
    Claim(
        "map of faces: what rotations cost, pictures smoothed as by default",
        lambda r: (
            r("faces", "nothing known", "same person") - r("faces", "rotation", "same person")
        ),
        most=0.04,
        quick=False,
    ),
]


def moved(rng: np.random.Generator, X: FloatArray) -> FloatArray:
    """Each image by an affine motion of its own."""
    theta = np.tile(Affine().identity(), (len(X), 1))
    theta[:, :4] += 0.08 * rng.standard_normal((len(X), 4))
    theta[:, 4:] += rng.standard_normal((len(X), 2))
    return Affine().apply(X, theta, SHAPE)


def of_others(X: FloatArray) -> Tangents:
    """The affine tangents of smoothed images, of the next image each."""
    affine = Affine()
    return Tangents(lambda rows: np.roll(affine.tangents(rows, SHAPE), 1, axis=0))


def template_errors(
    rng: np.random.Generator, X: FloatArray, y: IntArray, n_each: int, n_asked: int
) -> dict[str, float]:
    """How often the nearest template is of another digit, by several distances."""
    order = rng.permutation(len(X))
    chosen = np.concatenate([order[y[order] == digit][:n_each] for digit in range(10)])
    asked = order[~np.isin(order, chosen)][:n_asked]
    T, Q = moved(rng, X[chosen]), moved(rng, X[asked])
    seen, looked = Affine().seen(T, SHAPE), Affine().seen(Q, SHAPE)
    both = [Affine(), LocalFilter()]
    tables = {
        "Euclidean": _euclidean(Q, T),
        "Euclidean, smoothed": _euclidean(looked, seen),
        "tangents of others": invariant_distances(looked, of_others(X), SHAPE, Y=seen),
        "tangent distance": invariant_distances(Q, Affine(), SHAPE, Y=T),
        "reconstruction": invariant_distances(Q, both, SHAPE, Y=T, kind="reconstruction"),
    }
    wrong = {name: y[chosen][D.argmin(axis=1)] != y[asked] for name, D in tables.items()}
    return {name: float(np.mean(one)) for name, one in wrong.items()}


def _euclidean(Q: FloatArray, T: FloatArray) -> FloatArray:
    return np.asarray((T**2).sum(axis=1) - 2 * Q @ T.T)


def same_nearby(Z: FloatArray, y: IntArray) -> float:
    """How often most of the five nearest others are of the same class."""
    near = NearestNeighbors(n_neighbors=5).fit(Z).kneighbors(return_distance=False)
    voted = [np.bincount(y[row]).argmax() for row in near]
    return float(np.mean(voted == y))


def mapped(X: FloatArray, transformation: Any = None, shape: tuple[int, int] = SHAPE) -> FloatArray:
    """The map, with what is forgiven."""
    side = None if transformation is None else Invariance(transformation, image_shape=shape)
    return NeighborEmbedding().fit(X, side=side).embedding_


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Errors of templates, accuracy of maps, what is lost where nothing moves."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    data, faces = load("mnist_t10k"), load("olivetti_faces")
    assert data.labels is not None
    assert faces.labels is not None
    X, y = data.X / data.X.max(), np.asarray(data.labels).astype(int)
    people = np.unique(faces.labels, return_inverse=True)[1]
    F = faces.X.reshape(-1, 32, 2, 32, 2).mean(axis=(2, 4)).reshape(len(people), -1)
    F = F / F.max()
    errors: dict[str, list[list[float]]] = {}
    maps: dict[str, list[tuple[float, float]]] = {}
    upright: dict[str, list[float]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        n_asked = 200 if quick else 1000
        few = [template_errors(rng, X, y, n_each, n_asked) for n_each in (10, 30)]
        for name in few[0]:
            errors.setdefault(name, []).append([one[name] for one in few])
        rows = rng.choice(len(X), 400 if quick else 2000, replace=False)
        affine = moved(rng, X[rows])
        shifted = Shift().apply(X[rows], rng.standard_normal((len(rows), 2)), SHAPE)
        found: dict[str, FloatArray] = {}
        for name, forgiven in _FORGIVEN.items():
            both = [mapped(images, forgiven) for images in (affine, shifted)]
            found[name] = both[0]
            maps.setdefault(name, []).append(tuple(same_nearby(Z, y[rows]) for Z in both))
        pixels = tuple(same_nearby(Z, y[rows]) for Z in (affine, shifted))
        maps.setdefault("pixels", []).append(pixels)
        smooth = tuple(same_nearby(Affine().seen(Z, SHAPE), y[rows]) for Z in (affine, shifted))
        maps.setdefault("pixels, smoothed", []).append(smooth)
        some = rng.choice(len(F), 320, replace=False)
        for name, forgiven in (_FORGIVEN | _SHARP).items():
            Z = mapped(F[some], forgiven, FACES)
            upright.setdefault(name, []).append(same_nearby(Z, people[some]))
        upright.setdefault("pixels", []).append(same_nearby(F[some], people[some]))
        if seed == seeds[0]:
            shown = {name: found[name] for name in ("nothing known", "affine")}
            labels = y[rows].astype(str)
            save(comparison(shown, labels=labels, key_title="digit"), output / "affine_digits.png")
    return _tables(errors, maps, upright, seeds)


_FORGIVEN: dict[str, Any] = {
    "nothing known": None,
    "affine": Affine(),
    "shift": Shift(),
    "rotation": Rotation(),
    "shift and rotation": [Shift(), Rotation()],
}
_SHARP = {"rotation, not smoothed": Rotation(smoothing=0)}
_CONTROLS = (
    "Euclidean",
    "Euclidean, smoothed",
    "tangents of others",
    "nothing known",
    "pixels",
    "pixels, smoothed",
)


def _tables(errors: Any, maps: Any, upright: Any, seeds: range) -> list[Table]:
    form = "{mean:.3f} ± {sd:.3f}"
    templates = Table(
        "templates",
        "Error of the nearest of a few templates of each digit",
        {"10 each": form, "30 each": form},
        seeds,
    )
    of_maps = Table(
        "maps",
        "Maps of digits: most of the five nearest are the same digit",
        {"moved digits": form, "shifted digits": form},
        seeds,
    )
    of_faces = Table(
        "faces",
        "Maps of faces that do not move: most of the five nearest are the same person",
        {"same person": form},
        seeds,
    )
    for table, found in ((templates, errors), (of_maps, maps), (of_faces, upright)):
        for name, values in found.items():
            columns = np.atleast_2d(np.asarray(values).T)
            table.add(name, *columns, control=name in _CONTROLS)
    return [templates, of_maps, of_faces]
