"""Two views of one head, turned in the plane: which view it is, and by how much it is turned.

The informed-embedding thesis (section 2.7, figures 2.13 and 2.14) has a teapot from two angles,
each view turned in the plane in nine steps through 180 degrees.  Laplacian eigenmaps (LEM) are said
to find the turn and to lay both views on one another; the hybrid with distances that forgive local
filters (tangent correction), or rotations (reconstruction), finds two loops.

Here: two poses of the synthetic head, cut to a disc and turned in nine steps.  *view*: the share of
images whose nearest in the map is of the same view; *turn*: the share of images whose nearest of
their own view is turned one step further or less.  Controls: pixels, which tell both (what a map
loses is its own), and the hybrid without the invariance.

Rotations go along the tangents of smoothed images, by the default width, about one pixel, and by
one of three: near the rim a turn of 20 degrees is a way of more than five.  Two, three and five
pixels were compared on the draws shown and on 200 to 239, and all tell the views better than the
default; on draws 300 to 339 the one shown does so too.

Of the text's two forms the one by rotations is confirmed.  The tangent correction orders the turns
without fault and does not tell these views apart: a step of 20 degrees is farther than filters of
3 × 3 reach, and their angles forgive the pose more than the turn.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from experiments.record import Claim, Said, Table
from sidelight import HybridEmbedding, LaplacianEigenmaps, LocalTangentSpaceEmbedding
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.side import Invariance
from sidelight.transforms import LocalFilter, Rotation

STEPS, SIDE = 9, 32
DIMENSIONS = (2, 3)


def turned_views(seed: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Two poses that differ, nine turns of each: images, view, turn."""
    faces = load("isomap_faces")
    assert faces.truth is not None
    rng, left_right = np.random.default_rng(seed), faces.truth[:, 0]
    first = int(rng.integers(len(faces.X)))
    others = np.flatnonzero(np.abs(left_right - left_right[first]) > left_right.std())
    views = faces.X[[first, int(rng.choice(others))]]
    r, c = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    disc = (r**2 + c**2 < (SIDE / 2 - 0.5) ** 2).ravel()
    turns = np.arange(STEPS) * 180.0 / STEPS
    X = np.vstack(
        [Rotation().apply(np.tile(v, (STEPS, 1)), turns[:, None], (SIDE, SIDE)) for v in views]
    )
    return X * disc, np.repeat([0, 1], STEPS), np.tile(np.arange(STEPS), 2)


def _hybrid(d: int, alpha: float) -> HybridEmbedding:
    return HybridEmbedding(d, alpha=alpha, distance="mds", locality="laplacian", n_neighbors=3)


def _methods(d: int) -> dict[str, tuple[Any, Any]]:
    shape = (SIDE, SIDE)
    return {
        "LEM(3)": (LaplacianEigenmaps(d, n_neighbors=3), None),
        "LEM(5)": (LaplacianEigenmaps(d, n_neighbors=5), None),
        "nothing forgiven (3, 0.2)": (_hybrid(d, 0.2), None),
        "TC-LEM(3, 0.2), filters": (
            _hybrid(d, 0.2),
            Invariance(LocalFilter(), image_shape=shape, distance="correction"),
        ),
        "TC-LEM(3, 0.15), rotations": (
            _hybrid(d, 0.15),
            Invariance(Rotation(), image_shape=shape, distance="reconstruction"),
        ),
        "TC-LEM(3, 0.15), smoother rotations": (
            _hybrid(d, 0.15),
            Invariance(Rotation(smoothing=0.1), image_shape=shape, distance="reconstruction"),
        ),
        "LTSE(2)": (
            LocalTangentSpaceEmbedding(
                d, transformation=LocalFilter(), image_shape=shape, n_neighbors=2
            ),
            None,
        ),
    }


def _measured(Z: FloatArray, view: IntArray, turn: IntArray) -> tuple[float, float]:
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    same = float(np.mean(view[D.argmin(axis=1)] == view))
    D[view[:, None] != view] = np.inf
    return same, float(np.mean(np.abs(turn[D.argmin(axis=1)] - turn) == 1))


TEXT = [
    Said(
        "informed",
        "figures 2.13, 2.14",
        "LEM fails to distinguish the two views, TC-LEM finds both the view and the turn",
        ours="view and turn in 2 dimensions: LEM(5) {views/LEM(5)/view, 2} and "
        "{views/LEM(5)/turn, 2}, TC-LEM(3, 0.2) {views/TC-LEM(3, 0.2), filters/view, 2} and "
        "{views/TC-LEM(3, 0.2), filters/turn, 2}, by rotations "
        "{views/TC-LEM(3, 0.15), rotations/view, 2} and "
        "{views/TC-LEM(3, 0.15), rotations/turn, 2}, of smoother images "
        "{views/TC-LEM(3, 0.15), smoother rotations/view, 2} and "
        "{views/TC-LEM(3, 0.15), smoother rotations/turn, 2}",
        upheld=(
            "in 2 dimensions TC-LEM(3, 0.15) by rotations tells the view",
            "in 2 dimensions TC-LEM(3, 0.2) with filters tells the turn",
        ),
        refuted=("and not the view, less than where nothing is forgiven",),
        because="the angles between filters of 3 × 3 forgive the pose more than a turn of 20 "
        "degrees; rotations do not",
        data="a rendered head instead of the teapot",
    )
]
CLAIMS = [
    Claim(
        "in 2 dimensions TC-LEM(3, 0.15) by rotations tells the view: mean",
        lambda r: r.draws("views", "TC-LEM(3, 0.15), rotations", "view, 2").mean(),
        least=0.75,
    ),
    Claim(
        "and the turn: mean",
        lambda r: r.draws("views", "TC-LEM(3, 0.15), rotations", "turn, 2").mean(),
        least=0.85,
    ),
    Claim(
        "by smoother rotations it tells the view: mean",
        lambda r: r.draws("views", "TC-LEM(3, 0.15), smoother rotations", "view, 2").mean(),
        least=0.95,
    ),
    Claim(
        "and the turn: mean",
        lambda r: r.draws("views", "TC-LEM(3, 0.15), smoother rotations", "turn, 2").mean(),
        least=0.85,
    ),
    Claim(
        "in 2 dimensions TC-LEM(3, 0.2) with filters tells the turn: mean",
        lambda r: r.draws("views", "TC-LEM(3, 0.2), filters", "turn, 2").mean(),
        least=0.95,
    ),
    Claim(
        "and not the view, less than where nothing is forgiven: mean difference",
        lambda r: (
            r.draws("views", "TC-LEM(3, 0.2), filters", "view, 2").mean()
            - r.draws("views", "nothing forgiven (3, 0.2)", "view, 2").mean()
        ),
        most=0.0,
        quick=False,
    ),
    Claim(
        "in 2 dimensions LTSE(2) tells the view: mean",
        lambda r: r.draws("views", "LTSE(2)", "view, 2").mean(),
        least=0.75,
    ),
    Claim(
        "and the turn: mean",
        lambda r: r.draws("views", "LTSE(2)", "turn, 2").mean(),
        least=0.85,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Views and turns in maps of two and three dimensions; the first draw as a picture."""
    seeds = range(100, 115) if quick else range(100, 140)
    columns = {
        f"{what}, {d}": "{mean:.2f} ± {sd:.2f}" for d in DIMENSIONS for what in ("view", "turn")
    }
    table = Table("views", "two views of a head, nine turns of each", columns, seeds)
    found: dict[str, list[list[float]]] = {}
    for seed in seeds:
        X, view, turn = turned_views(seed)
        found.setdefault("pixels", []).append([*_measured(X, view, turn)] * len(DIMENSIONS))
        rows: dict[str, list[float]] = {}
        maps = {}
        for d in DIMENSIONS:
            for name, (method, side) in _methods(d).items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of graphs that are joined
                    Z = method.fit_transform(X, side=side)
                maps.setdefault(name, Z)
                rows.setdefault(name, []).extend(_measured(Z, view, turn))
        for name, values in rows.items():
            found.setdefault(name, []).append(values)
        if seed == seeds[0]:
            labels = np.array(["first view", "second view"])[view]
            save(comparison(maps, labels=labels, n_columns=3), output / "two_views.png")
    for name, measured in found.items():
        table.add(name, *np.array(measured).T, control=name.startswith(("pixels", "nothing")))
    return [table]
