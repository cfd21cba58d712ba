"""The map of Europe redrawn from road distances by classical scaling.

The probabilistic slides ("Example: Road Distances with Classical MDS", "Beware Negative
Eigenvalues"): a map drawn from the road distances between 48 cities looks like Europe, and some
eigenvalues of the similarity matrix are negative, so that no points in any Euclidean space have
these distances.  The map is turned, mirrored and scaled onto longitude and latitude (in km, on the
plane that touches the earth in the cities' middle).  It is off most at the ends of long detours,
and where the sea is in the way: Dublin and Edinburgh fall on one place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import ClassicalMDS
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import eigenvalues, save, scatter
from sidelight.plot.style import FAINT, HAIRLINE, INK, SINGLE, new_axes, style_legend
from sidelight.quality import procrustes, shepard_correlation

EARTH_RADIUS = 6371.0
# left, right, bottom, top
Box = tuple[float, float, float, float]


def plane_of(latitude: FloatArray, longitude: FloatArray) -> FloatArray:
    """Project on the plane in km: distances and directions from the cities' middle are true."""
    phi, lam = np.radians(latitude), np.radians(longitude)
    phi0, lam0 = phi.mean(), lam.mean()
    cosine = np.sin(phi0) * np.sin(phi) + np.cos(phi0) * np.cos(phi) * np.cos(lam - lam0)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    stretch = EARTH_RADIUS * np.where(angle > 0, angle / np.where(angle > 0, np.sin(angle), 1), 1)
    east = stretch * np.cos(phi) * np.sin(lam - lam0)
    north = stretch * (np.cos(phi0) * np.sin(phi) - np.sin(phi0) * np.cos(phi) * np.cos(lam - lam0))
    return np.column_stack([east, north])


TEXT = [
    Said(
        "slides",
        "Road Distances with Classical MDS; European Cities Distance Matrices",
        "a map redrawn from road distances; no figure is printed",
        ours="off by {roads/Procrustes residual/value} of the cities' spread, "
        "{roads/median displacement, km/value} km at the median",
        upheld=("the map is off by", "a map of shuffled cities"),
    ),
    Said(
        "slides",
        "Beware Negative Eigenvalues",
        "some eigenvalues are negative",
        ours="{roads/negative eigenvalues/value} of 48, with "
        "{roads/their share of Σ|λ|/value} of Σ|λ|",
        upheld=("negative eigenvalues",),
    ),
]
CLAIMS = [
    Claim(
        "negative eigenvalues",
        lambda r: r("roads", "negative eigenvalues", "value"),
        least=22,
        most=22,
        form="{:.0f}",
    ),
    Claim(
        "the map is off by this part of the cities' spread",
        lambda r: r("roads", "Procrustes residual", "value"),
        most=0.25,
    ),
    Claim(
        "a map of shuffled cities is off by more",
        lambda r: r("roads", "Procrustes residual, cities shuffled", "value"),
        least=0.8,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The residual; the map and the spectrum."""
    roads = load("europe_roads")
    assert roads.truth is not None
    places = plane_of(roads.truth[:, 0], roads.truth[:, 1])
    cities = roads.extras["city"].tolist()
    model = ClassicalMDS(2, metric="precomputed").fit(roads.X)
    spectrum = np.linalg.eigvalsh(model.kernel())
    matched = procrustes(model.embedding_, places)
    off = np.linalg.norm(matched.aligned - places, axis=1)
    worst = np.argsort(-off)[:3]
    table = Table("roads", "Classical scaling of the roads", {"value": "{:.4g}"})
    table.add("cities", len(cities))
    table.add("negative eigenvalues", (spectrum < -1e-9 * spectrum.max()).sum())
    table.add("their share of Σ|λ|", -spectrum[spectrum < 0].sum() / np.abs(spectrum).sum())
    table.add("share of Σ λ⁺ in the map", model.eigenvalues_.sum() / spectrum.clip(0).sum())
    correlation = shepard_correlation(roads.X, model.embedding_, metric="precomputed")
    table.add("road and map distances, rank correlation", correlation)
    table.add("Procrustes residual", matched.residual)
    shuffled = places[np.random.default_rng(0).permutation(len(places))]
    by_chance = procrustes(model.embedding_, shuffled).residual
    table.add("Procrustes residual, cities shuffled", by_chance, control=True)
    table.add("root mean square displacement, km", np.sqrt(np.mean(off**2)))
    table.add("median displacement, km", np.median(off))
    table.add("scale, map to land", matched.scale)
    for i in worst:
        table.add(f"{cities[i]}, km from its place", off[i])

    ax = new_axes(8.6, 6.6)
    scatter(matched.aligned, point_size=18, alpha=1.0, axis_names=("km east", "km north"), ax=ax)
    for found, place in zip(matched.aligned, places, strict=True):
        ax.plot(*zip(found, place, strict=True), color=HAIRLINE, linewidth=0.8, zorder=1)
    open_circles = {"facecolor": "white", "edgecolor": FAINT, "linewidth": 0.8}
    ax.scatter([], [], s=18, color=SINGLE, label="from road distances")
    ax.scatter(*places.T, s=10, **open_circles, zorder=2, label="where they are")
    _write_names(ax, matched.aligned, places, cities)
    key = ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, handletextpad=0.1)
    style_legend(key)
    save(ax, output / "european_roads_map.png")
    save(eigenvalues(spectrum, n_kept=2), output / "european_roads_eigenvalues.png")
    return [table]


def _write_names(ax: Any, found: FloatArray, places: FloatArray, names: list[str]) -> None:
    """Write each name beside its point, on the side where it covers least."""
    taken = [(x, x, y, y) for x, y in np.vstack([found, places])]
    for (x, y), name in zip(found, names, strict=True):
        width, height = 27.0 * len(name), 52.0
        sides = []
        for across, up in ((1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1)):
            left = x + 36 * across + width * (across - 1) / 2
            middle = y + 50 * up
            sides.append((left, left + width, middle - height / 2, middle + height / 2))
        covered = [sum(_overlap(side, other) for other in taken) for side in sides]
        box = sides[int(np.argmin(covered))]
        taken.append(box)
        ax.text(
            (box[0] + box[1]) / 2,
            (box[2] + box[3]) / 2,
            name,
            ha="center",
            va="center",
            fontsize=7,
            color=INK,
        )


def _overlap(one: Box, other: Box) -> bool:
    return one[0] <= other[1] and other[0] <= one[1] and one[2] <= other[3] and other[2] <= one[3]
