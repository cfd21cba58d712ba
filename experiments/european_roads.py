"""The map of Europe redrawn from road distances by classical scaling.

The probabilistic slides ("Example: Road Distances with Classical MDS", "Beware Negative
Eigenvalues"): a map drawn from the road distances between 48 cities looks like Europe, and some
eigenvalues of the similarity matrix are negative, so that no points in any Euclidean space have
these distances.

Measured: RESULTS.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import print_table, start
from sidelight import ClassicalMDS
from sidelight.arrays import FloatArray
from sidelight.datasets import load
from sidelight.plot import eigenvalues, save, scatter
from sidelight.plot.style import FAINT, HAIRLINE, INK, SMALL_SIZE
from sidelight.quality import procrustes, shepard_correlation

EARTH_RADIUS = 6371.0


def plane_of(latitude: FloatArray, longitude: FloatArray) -> FloatArray:
    """Project on the plane in km: distances and directions from the cities' middle are true."""
    phi, lam = np.radians(latitude), np.radians(longitude)
    phi0, lam0 = phi.mean(), lam.mean()
    cosine = np.sin(phi0) * np.sin(phi) + np.cos(phi0) * np.cos(phi) * np.cos(lam - lam0)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    stretch = EARTH_RADIUS * np.where(angle > 0, angle / np.where(angle > 0, np.sin(angle), 1), 1)
    east = stretch * np.cos(phi) * np.sin(lam - lam0)
    north = stretch * (
        np.cos(phi0) * np.sin(phi) - np.sin(phi0) * np.cos(phi) * np.cos(lam - lam0)
    )
    return np.column_stack([east, north])


def main(output: Path, *, quick: bool = False) -> None:
    """Print the residual and save the map and the spectrum."""
    roads = load("europe_roads")
    assert roads.truth is not None
    places = plane_of(roads.truth[:, 0], roads.truth[:, 1])
    cities = roads.extras["city"].tolist()
    model = ClassicalMDS(2, metric="precomputed").fit(roads.X)
    spectrum = np.linalg.eigvalsh(model.kernel())
    matched = procrustes(model.embedding_, places)
    off = np.linalg.norm(matched.aligned - places, axis=1)
    worst = np.argsort(-off)[:3]
    rows = [
        ["cities", f"{len(cities)}"],
        ["negative eigenvalues", f"{(spectrum < -1e-9 * spectrum.max()).sum()}"],
        ["their share of Σ|λ|", f"{-spectrum[spectrum < 0].sum() / np.abs(spectrum).sum():.3f}"],
        ["share of Σ λ⁺ in the map", f"{model.eigenvalues_.sum() / spectrum.clip(0).sum():.3f}"],
        ["road and map distances, rank corr.", _correlation(roads.X, model.embedding_)],
        ["Procrustes residual", f"{matched.residual:.3f}"],
        ["root mean square displacement", f"{np.sqrt(np.mean(off**2)):.0f} km"],
        ["median displacement", f"{np.median(off):.0f} km"],
        ["scale, map to land", f"{matched.scale:.3f}"],
        ["farthest from their place", ", ".join(f"{cities[i]} {off[i]:.0f} km" for i in worst)],
    ]
    print_table(["classical scaling of the roads", ""], rows)

    ax = scatter(matched.aligned, point_size=16, alpha=1.0, axis_names=("km east", "km north"))
    for found, place in zip(matched.aligned, places, strict=True):
        ax.plot(*zip(found, place, strict=True), color=HAIRLINE, linewidth=0.8, zorder=1)
    ax.scatter(*places.T, s=10, facecolor="white", edgecolor=FAINT, linewidth=0.8, zorder=2)
    _write_names(ax, matched.aligned, places, cities)
    ax.set_title(
        "● from road distances   ○ where they are", loc="left", fontsize=SMALL_SIZE, color=INK
    )
    save(ax, output / "european_roads_map.png")
    save(eigenvalues(spectrum, n_kept=2), output / "european_roads_eigenvalues.png")


def _correlation(distances: FloatArray, Z: FloatArray) -> str:
    return f"{shepard_correlation(distances, Z, metric='precomputed'):.3f}"


def _write_names(ax: object, found: FloatArray, places: FloatArray, names: list[str]) -> None:
    """Write each name on the side of its point where fewest others are."""
    others = np.vstack([found, places])
    for point, name in zip(found, names, strict=True):
        reach = 26.0 * len(name) + 60.0
        near = others - point
        level = np.abs(near[:, 1]) < 55.0
        right = int((level & (near[:, 0] > 1) & (near[:, 0] < reach)).sum())
        left = int((level & (near[:, 0] < -1) & (near[:, 0] > -reach)).sum())
        on_the_right = right <= left
        ax.annotate(  # type: ignore[attr-defined]
            name,
            point,
            xytext=(4 if on_the_right else -4, 0),
            textcoords="offset points",
            ha="left" if on_the_right else "right",
            va="center",
            fontsize=7,
            color=INK,
        )


if __name__ == "__main__":
    start(main)
