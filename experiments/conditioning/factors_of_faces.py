"""Pose, light or size left out of the map, and what is left: rendered faces, and blobs.

The latent-factor thesis (section 3.2.2) conditions on what is known of an image.  Here the number
is a pose angle or the light of a rendered face, or the size of a blob, never the same twice; how
well every factor can be read off the map (cross-validated R² of ten neighbours; below zero is worse
than the mean).  The controls are the pixels, the map with nothing known, and shuffled values.
Every fourth face and five draws of 150 blobs, so that it runs in minutes.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from experiments.conditioning._measures import (
    FIRST_SEED,
    fit,
    readable,
    shuffled,
    with_noise,
)
from experiments.record import Claim, Said, Table
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.side import Condition

FACTORS = ("left–right", "up–down", "light")
N_DRAWS, N_BLOBS = 5, 150

TEXT = [
    Said(
        "latent",
        "section 3.2.2, numbers",
        "what is known is left out of the map, what is not remains; no figure for numbers",
        ours="R² of the light {faces/light known/light} when it is known, "
        "{faces/light shuffled/light} when shuffled, {faces/nothing known/light} plain",
        upheld=("faces: largest R² of a factor that is known", "faces: least R² of a factor"),
        because="with the light known the left–right pose remains by "
        "{faces/light known/left–right}, and by {faces/nothing known/left–right} plain",
        data="rendered faces and blobs",
    )
]
CLAIMS = [
    Claim(
        "faces: largest R² of a factor that is known",
        lambda r: max(r("faces", f"{name} known", name) for name in FACTORS),
        most=0.3,
    ),
    Claim(
        "faces: least R² of a factor that is not known while another is",
        lambda r: min(
            r("faces", f"{known} known", name)
            for known in FACTORS
            for name in FACTORS
            if name != known
        ),
        least=0.7,
        quick=False,
        because="with the light known two dimensions are few for both poses: the left–right one is "
        "read off less well than where nothing is known",
    ),
    Claim(
        "blobs: R² of the size when it is known, worst draw",
        lambda r: r.draws("blobs", "size known", "size").max(),
        most=0.3,
    ),
    Claim(
        "blobs: R² of the place when the size is known, worst draw",
        lambda r: r.draws("blobs", "size known", "place").min(),
        least=0.8,
    ),
    Claim(
        "blobs: R² of the size when it is shuffled, mean",
        lambda r: r("blobs", "size shuffled", "size"),
        least=0.3,
    ),
]


def draw_blobs(
    seed: int, n: int = 300, side: int = 16
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pictures of a blob, its place and its size."""
    rng = np.random.default_rng(seed)
    place, size = rng.uniform(4, 12, (n, 2)), rng.uniform(1, 3, n)
    pixels = np.indices((side, side)).reshape(2, -1).T
    squared = ((pixels[None] - place[:, None]) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * size[:, None] ** 2)), place, size


def faces(every: int, *, quick: bool) -> tuple[Table, dict[str, FloatArray], FloatArray]:
    """Pose or light left out of the map of faces; the maps, and the pose."""
    data = load("isomap_faces")
    assert data.truth is not None
    X, truth = data.X[::every].astype(float), data.truth[::every]
    maps = {"pixels": X, "nothing known": fit(X)}
    for name, column in zip(FACTORS, truth.T, strict=True):
        maps[f"{name} known"] = fit(X, Condition(column))
        if not quick:
            maps[f"{name} shuffled"] = fit(X, Condition(shuffled(column, FIRST_SEED)))
    title = f"R² of the factors of {len(X)} faces, read off the map"
    table = Table("faces", title, dict.fromkeys(FACTORS, "{:.2f}"))
    for name, Z in maps.items():
        measures = (readable(Z, column) for column in truth.T)
        table.add(name, *measures, control=not name.endswith(" known") or "nothing" in name)
    return table, maps, truth[:, 0]


def blobs(seeds: range, *, quick: bool) -> Table:
    """The size left out of the map of blobs of random place."""
    table = Table(
        "blobs",
        "R² of place and size of blobs, read off the map, mean ± sd",
        dict.fromkeys(("place", "size"), "{mean:.2f} ± {sd:.2f}"),
        seeds,
    )
    for noise in (0.0,) if quick else (0.0, 0.2):
        found: dict[str, list[tuple[float, float]]] = {}
        for seed in seeds:
            clean, place, size = draw_blobs(seed, N_BLOBS)
            X = with_noise(clean, noise, seed) if noise else clean
            maps = {
                "pixels": X,
                "nothing known": fit(X),
                "size shuffled": fit(X, Condition(shuffled(size, seed))),
                "size known": fit(X, Condition(size)),
            }
            for name, Z in maps.items():
                found.setdefault(name, []).append((readable(Z, place), readable(Z, size)))
        for name, values in found.items():
            words = f"{name}, noise {noise}" if noise else name
            table.add(words, *np.array(values).T, control=name != "size known")
    return table


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The tables; maps of the faces."""
    warnings.simplefilter("ignore")
    table, maps, turn = faces(8 if quick else 4, quick=quick)
    names = ("nothing known", "left–right known", "light known")
    figure = comparison({name: maps[name] for name in names}, color=turn, key_title="left–right")
    save(figure, output / "factors_of_faces.png")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    return [table, blobs(seeds, quick=quick)]
