"""The nearest of other objects, when it is known which object is which.

The latent-factor thesis (section 3.2.2, figure 3.9): of five objects turned to 30 angles each, the
images of the first are shown with their nearest image among each of the others, in a map that was
told the object, in the data, and in a plain map.  Told the object, the map "captures the remaining
degree of freedom very cleanly"; the data do so for one object of four; the plain map "fails
entirely to capture any of the structure".

Here five different handwritten digits at 30 angles take the place of the objects.  Measured is by
how much the angle of the nearest differs from that of the image asked about, one offset for each
object (where an object's angles begin is a convention): nothing known of the angle is 90°.  The
controls are the pixels, the plain map, and a map that was told shuffled objects.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from experiments.conditioning._measures import FIRST_SEED, fit, shuffled
from experiments.conditioning.known_factor_removed import draw_turned
from experiments.record import Claim, Said, Table
from sidelight.core import FloatArray, IntArray
from sidelight.plot import save
from sidelight.plot.style import INK, SMALL_SIZE, new_figure
from sidelight.side import Condition

N_OBJECTS, N_ANGLES = 5, 30
N_DRAWS = 6
WAYS = ("object known", "pixels", "nothing known", "object shuffled")


def nearest_of_others(Z: FloatArray, which: IntArray) -> IntArray:
    """The row nearest to each of the first object's, among every other object: (n, others)."""
    D = cdist(Z[which == 0], Z)
    others = [np.flatnonzero(which == c) for c in np.unique(which)[1:]]
    return np.column_stack([rows[D[:, rows].argmin(axis=1)] for rows in others])


def angles_off(nearest: IntArray, angle: FloatArray, which: IntArray) -> FloatArray:
    """By how many degrees the nearest are turned otherwise, one offset for each object."""
    off = np.exp(1j * np.radians(angle[nearest] - angle[which == 0][:, None]))
    middle = off.mean(axis=0)
    return np.asarray(np.degrees(np.abs(np.angle(off * np.conj(middle)))).mean(axis=0))


def maps_of(
    X: FloatArray, which: IntArray, seed: int, ways: tuple[str, ...]
) -> dict[str, FloatArray]:
    """What is compared."""
    names = which.astype(str)
    conditions = {
        "object known": Condition(names),
        "nothing known": None,
        "object shuffled": Condition(shuffled(names, seed)),
    }
    return {way: X if way == "pixels" else fit(X, conditions[way]) for way in ways}


TEXT = [
    Said(
        "latent",
        "figure 3.9",
        "nearest neighbours among other objects show the same angle where the object is known, the "
        "data do so for one of four objects, the plain map for none (a picture)",
        ours="degrees off: object known {angles/object known/off, °}, pixels "
        "{angles/pixels/off, °}, nothing known {angles/nothing known/off, °}, shuffled "
        "{angles/object shuffled/off, °}",
        upheld=(
            "object known: median",
            "nothing known less object known",
            "pixels less object known",
        ),
        because="the plain map fails as said and the one that is told does not, but the pixels of "
        "digits find the angle without a map",
        data="turned digits instead of COIL's objects",
    )
]
CLAIMS = [
    Claim(
        "object known: median over draws of the mean angle off, degrees",
        lambda r: np.median(r.draws("angles", "object known", "off, °")),
        most=15,
        form="{:.1f}",
    ),
    Claim(
        "nothing known less object known: mean difference, degrees",
        lambda r: r("angles", "nothing known", "off, °") - r("angles", "object known", "off, °"),
        least=15,
        form="{:.1f}",
    ),
    Claim(
        "pixels less object known: mean difference, degrees",
        lambda r: r("angles", "pixels", "off, °") - r("angles", "object known", "off, °"),
        least=10,
        form="{:.1f}",
        quick=False,
        because="digits of one size at one angle are alike in their pixels too",
    ),
    Claim(
        "shuffled objects tell nothing: by how much they are better than nothing known, degrees",
        lambda r: r("angles", "nothing known", "off, °") - r("angles", "object shuffled", "off, °"),
        most=10,
        form="{:.1f}",
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The angles; the nearest of the first draw."""
    warnings.simplefilter("ignore")
    n_objects, n_angles = (4, 24) if quick else (N_OBJECTS, N_ANGLES)
    # every second draw is of one kind of digit, which fewer angles serve: that of the quick form
    first, n_draws = (FIRST_SEED + 1, 1) if quick else (FIRST_SEED, N_DRAWS)
    seeds = range(first, first + 2 * n_draws, 2)
    ways = WAYS[:3] if quick else WAYS
    found: dict[str, list[FloatArray]] = {way: [] for way in ways}
    shown: dict[str, IntArray] = {}
    for seed in seeds:
        X, angle, which = draw_turned(seed, n_objects, n_angles)
        for way, Z in maps_of(X, which, seed, ways).items():
            nearest = nearest_of_others(Z, which)
            found[way].append(angles_off(nearest, angle, which))
            if seed == seeds[0]:
                shown[way] = nearest
        if seed == seeds[0]:
            save(_draw(X, which, shown), output / "neighbours_across_objects.png")
    table = Table(
        "angles",
        f"{n_objects} objects, {n_angles} angles: how far the nearest of another object is turned "
        "away, mean (worst draw), and for the best object",
        {"off, °": "{mean:.1f} ({max:.1f})", "best object": "{mean:.1f}"},
        seeds,
    )
    for way, offs in found.items():
        each = np.array(offs)
        table.add(way, each.mean(axis=1), each.min(axis=1), control=way != "object known")
    return [table]


def _draw(X: FloatArray, which: IntArray, nearest: dict[str, IntArray]) -> Any:
    """Images of the first object, and below each the nearest of the others, by every way."""
    side = int(np.sqrt(X.shape[1]))
    own = np.flatnonzero(which == 0)
    columns = np.linspace(0, len(own) - 1, 10).astype(int)
    figure = new_figure(9.6, 5.4)
    grid = figure.subplots(2, 2).ravel()
    for ax in grid[len(nearest) :]:
        ax.set_axis_off()
    for ax, (way, rows) in zip(grid, nearest.items(), strict=False):
        lines = [own[columns], *rows[columns].T]
        picture = np.block([[X[row].reshape(side, side) for row in line] for line in lines])
        ax.imshow(picture, cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
        ax.axhline(side - 0.5, color=INK, linewidth=0.8)
        ax.set_title(way, loc="left", fontsize=SMALL_SIZE + 1, color=INK)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return figure
