"""A face put together from its neighbours: as they are, and each passed through a small filter.

The report on local tangent space embedding (section 7.1, figures 3 and 5) shows a face beside the
best weighted sum of its three nearest neighbours.  Where the faces are centred the sum is good;
"even a minor shift, rotation or rescaling" spoils it (figure 3).  Where each neighbour first passes
through a 3 × 3 filter of its own, "similar images can be much better reconstructed" (figure 5).

Here: Olivetti faces at half resolution, the three nearest among the other photographs, as they are
and moved at random by up to two pixels each way (the one to be reconstructed is not moved).
Measured is the part of a face's variance over its pixels that is left.  The report shows the pixels
that the weights were fitted to; three filters have nine times as many weights as three sums, so
that here the pixels are dealt into halves at random: weights come from one half, the error from the
other.  The controls are as many neighbours as the filters have weights, without filters, and three
faces drawn at random, filtered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from experiments.record import Claim, Said, Table
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import INK, SMALL_SIZE, new_figure
from sidelight.transforms import LocalFilter

SIDE, N_NEIGHBORS, MOST_MOVED = 32, 3, 2
N_WEIGHTS = 9 * N_NEIGHBORS
SEEDS = range(10)
N_FACES = 40


def faces_at_half_size() -> FloatArray:
    """The photographs, four pixels to one."""
    X = load("olivetti_faces").X
    return np.asarray(X.reshape(len(X), SIDE, 2, SIDE, 2).mean(axis=(2, 4)).reshape(len(X), -1))


def moved(X: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Every face moved by up to so many pixels each way, its edge repeated."""
    images = np.pad(X.reshape(-1, SIDE, SIDE), ((0, 0), *[(MOST_MOVED, MOST_MOVED)] * 2), "edge")
    down, right = rng.integers(0, 2 * MOST_MOVED + 1, (2, len(X)))
    rows = [
        image[d : d + SIDE, r : r + SIDE].ravel()
        for image, d, r in zip(images, down, right, strict=True)
    ]
    return np.array(rows)


def plainly(sources: FloatArray) -> FloatArray:
    """The pixels of every source: what a weighted sum is made of, (n_pixels, n_weights)."""
    return sources.T


def filtered(sources: FloatArray) -> FloatArray:
    """The 3 × 3 neighbours of every pixel in every source."""
    taps = LocalFilter(beyond="edge").tangents(sources, (SIDE, SIDE))
    return np.asarray(taps.reshape(-1, SIDE * SIDE).T)


def put_together(face: FloatArray, design: FloatArray, seen: Any) -> tuple[FloatArray, float]:
    """The best weighted sum by some pixels, and what it leaves of the variance of the others."""
    weights, *_ = np.linalg.lstsq(design[seen], face[seen], rcond=None)
    found = design @ weights
    left = np.sum((face - found)[~seen] ** 2)
    return found, float(left / np.sum((face - face.mean())[~seen] ** 2))


Way = tuple[str, int, Callable[[FloatArray], FloatArray]]
WAYS: dict[str, Way] = {
    "sum of three": ("nearest", N_NEIGHBORS, plainly),
    "three, filtered": ("nearest", N_NEIGHBORS, filtered),
    f"sum of {N_WEIGHTS}": ("nearest", N_WEIGHTS, plainly),
    "three at random, filtered": ("random", N_NEIGHBORS, filtered),
}

TEXT = [
    Said(
        "tangent",
        "figure 3; section 7.1",
        "a sum of neighbours reconstructs centred faces fairly well, and moved ones not (one face "
        "of each)",
        ours="part of the variance left: {left/sum of three/centred}, moved "
        "{left/sum of three/moved}",
        upheld=("sum of three: left of moved faces over centred ones",),
        data="Olivetti faces",
    ),
    Said(
        "tangent",
        "figure 5; section 7.1.1",
        "filtered neighbours reconstruct a face much better than a sum of them (one face)",
        ours="part of the variance left, centred and moved: filtered "
        "{left/three, filtered/centred} and {left/three, filtered/moved}, sum of three "
        "{left/sum of three/centred} and {left/sum of three/moved}, sum of 27 "
        "{left/sum of 27/centred} and {left/sum of 27/moved}",
        upheld=(
            "moved: left by filtered neighbours over that by a sum of three",
            "moved: left by three filtered over that by a sum of 27",
        ),
        data="Olivetti faces",
    ),
]
CLAIMS = [
    Claim(
        "sum of three: left of moved faces over centred ones, mean over draws",
        lambda r: r("left", "sum of three", "moved") / r("left", "sum of three", "centred"),
        least=1.3,
        quick=False,
    ),
    Claim(
        "moved: left by filtered neighbours over that by a sum of three, mean over draws",
        lambda r: r("left", "three, filtered", "moved") / r("left", "sum of three", "moved"),
        most=0.7,
        quick=False,
    ),
    Claim(
        "moved: left by three filtered over that by a sum of 27, mean over draws",
        lambda r: r("left", "three, filtered", "moved") / r("left", f"sum of {N_WEIGHTS}", "moved"),
        most=1.0,
        quick=False,
    ),
    Claim(
        "moved: left by faces at random over that by neighbours, filtered, mean over draws",
        lambda r: (
            r("left", "three at random, filtered", "moved") / r("left", "three, filtered", "moved")
        ),
        least=1.3,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """What is left of faces; some of them put together."""
    X = faces_at_half_size()
    seeds = range(2) if quick else SEEDS
    found: dict[str, dict[str, list[float]]] = {name: {} for name in WAYS}
    shown: dict[str, dict[str, FloatArray]] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        asked = rng.choice(len(X), 10 if quick else N_FACES, replace=False)
        for kind, sources in (("centred", X), ("moved", moved(X, rng))):
            D = cdist(X[asked], sources)
            D[np.arange(len(asked)), asked] = np.inf  # not the photograph itself
            nearest = D.argsort(axis=1)
            left: dict[str, list[float]] = {name: [] for name in WAYS}
            for i, one in enumerate(asked):
                seen = rng.random(SIDE * SIDE) < 0.5
                others = np.delete(np.arange(len(X)), one)
                for name, (which, count, design) in WAYS.items():
                    rows = (
                        rng.permutation(others)[:count] if which == "random" else nearest[i, :count]
                    )
                    whole, error = put_together(X[one], design(sources[rows]), seen)
                    left[name].append(error)
                    if seed == seeds[0] and i == 0 and count == N_NEIGHBORS and which == "nearest":
                        line = shown.setdefault(kind, {})
                        for j, row in enumerate(rows):
                            line[f"neighbour {j + 1}"] = sources[row]
                        line[name] = whole
                        line["the face"] = X[one]
            for name, errors in left.items():
                found[name].setdefault(kind, []).append(float(np.mean(errors)))
    table = Table(
        "left",
        "Part of a face's variance that is left on pixels the weights were not fitted to",
        {"centred": "{mean:.3f} ± {sd:.3f}", "moved": "{mean:.3f} ± {sd:.3f}"},
        list(seeds),
    )
    for name, kinds in found.items():
        table.add(
            name,
            kinds["centred"],
            kinds["moved"],
            control=name.startswith(("sum of 27", "three at")),
        )
    save(_draw(shown), output / "reconstructed_faces.png")
    return [table]


def _draw(shown: dict[str, dict[str, FloatArray]]) -> Any:
    names = [
        "neighbour 1",
        "neighbour 2",
        "neighbour 3",
        "sum of three",
        "three, filtered",
        "the face",
    ]
    figure = new_figure(9.6, 3.6)
    grid = figure.subplots(len(shown), len(names))
    for line, (kind, images) in zip(grid, shown.items(), strict=True):
        for ax, name in zip(line, names, strict=True):
            ax.imshow(images[name].reshape(SIDE, SIDE), cmap="gray", vmin=0, vmax=1)
            ax.set(xticks=[], yticks=[])
            ax.set_title(name, fontsize=SMALL_SIZE, color=INK)
            for spine in ax.spines.values():
                spine.set_visible(False)
        line[0].set_ylabel(kind, fontsize=SMALL_SIZE)
    return figure
