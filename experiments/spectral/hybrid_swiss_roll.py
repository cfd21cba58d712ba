"""From Isomap to LLE: hybrids of the two on the swiss roll, as α moves.

The informed-embedding thesis (section 2.3, figures 2.1 and 2.2) joins Isomap and LLE, twelve
neighbours each, on 2,000 points of a swiss roll and sees the map move smoothly from one to the
other.  Here the leading directions of B are compared with those of both methods, all axes of
variance one, since LLE's have no other: Procrustes' residual, and what a linear map of them leaves
of the sheet that the roll was made of.

Where L and M have one norm, as the text scales them, little moves until α is within a millionth of
one: what LLE asks of its own map is that much smaller than what it asks of noise.  With
``balance="map"`` both methods ask alike for the last dimension of their own maps, and the map moves
all along α.  A little of LLE takes the holes out of Isomap's map: between the two the sheet is
recovered better than by either.  That was seen on draws 0 to 9; those shown are others.  The price
of a path of α is compared with that of one fit.
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from experiments.record import Claim, Said, Table
from experiments.spectral.swiss_roll_maps import stretched_residual
from sidelight import PCA, HybridEmbedding, Isomap, LocallyLinearEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import swiss_roll
from sidelight.plot import comparison, save
from sidelight.quality import procrustes

N_NEIGHBORS = 12
BY_MAP = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99)
BY_NORM = (0.0, 0.5, 0.9, 0.999, 1 - 1e-5, 1 - 1e-6, 1 - 1e-7, 1 - 1e-8, 1 - 1e-9)
COLUMNS = {
    "to Isomap": "{mean:.3f} ({max:.3f})",
    "to LLE": "{mean:.3f} ({max:.3f})",
    "to the sheet, after a linear map": "{mean:.3f} ({max:.3f})",
}

TEXT = [
    Said(
        "informed",
        "figures 2.1, 2.2; section 2.3",
        "the shape smoothly interpolates between Isomap and LLE as α changes",
        ours="residual to Isomap at α = 0.1, 0.3, 0.9: {map/α = 0.1/to Isomap}, "
        "{map/α = 0.3/to Isomap}, {map/α = 0.9/to Isomap}; to LLE {map/α = 0.1/to LLE}, "
        "{map/α = 0.3/to LLE}, {map/α = 0.9/to LLE}",
        upheld=("balanced by maps, the residual to LLE only falls",),
        refuted=("of one norm, half-way in α is still Isomap",),
        because="L and M of one norm, as the text has them, leave the map Isomap's until α is "
        "close to one (residual {norm/α = 0.5/to Isomap} at 0.5); balanced by their maps it moves "
        "all along",
    )
]
CLAIMS = [
    Claim(
        "at α = 0 it is Isomap: residual, worst draw",
        lambda r: r.draws("map", "α = 0", "to Isomap").max(),
        most=1e-4,
    ),
    Claim(
        "at α = 0.99 it is LLE: residual, worst draw",
        lambda r: r.draws("map", "α = 0.99", "to LLE").max(),
        most=0.05,
    ),
    Claim(
        "balanced by maps, the residual to LLE only falls as α grows: largest rise, all draws",
        lambda r: max(
            np.max(r.draws("map", _name(b), "to LLE") - r.draws("map", _name(a), "to LLE"))
            for a, b in pairwise(BY_MAP)
        ),
        most=1e-3,
    ),
    Claim(
        "of one norm, half-way in α is still Isomap: residual at α = 0.5, worst draw",
        lambda r: r.draws("norm", "α = 0.5", "to Isomap").max(),
        most=0.08,
    ),
    Claim(
        "of one norm, α = 0.999 is nearer to the sheet than Isomap: residual over Isomap's, worst",
        lambda r: np.max(
            r.draws("norm", "α = 0.999", "to the sheet, after a linear map")
            / r.draws("norm", "Isomap", "to the sheet, after a linear map")
        ),
        most=0.9,
        quick=False,
    ),
    Claim(
        "and nearer than LLE: residual over LLE's, worst",
        lambda r: np.max(
            r.draws("norm", "α = 0.999", "to the sheet, after a linear map")
            / r.draws("norm", "LLE", "to the sheet, after a linear map")
        ),
        most=0.9,
        quick=False,
    ),
    Claim(
        "a path of eight α over one fit, seconds, median of draws",
        lambda r: np.median(r.draws("price", "eight α", "over one fit")),
        most=4.0,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Residuals along two paths of α, and what a path costs; pictures of the first draw."""
    n_samples, seeds = (600, range(10, 12)) if quick else (2000, range(10, 20))
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    prices = []
    for seed in seeds:
        sheet = swiss_roll(n_samples, random_state=seed)
        assert sheet.truth is not None
        ends = {
            "Isomap": Isomap(2, n_neighbors=N_NEIGHBORS).fit_transform(sheet.X),
            "LLE": LocallyLinearEmbedding(2, n_neighbors=N_NEIGHBORS).fit_transform(sheet.X),
            "PCA": PCA(2).fit_transform(sheet.X),
        }
        ends = {name: whitened(Z) for name, Z in ends.items()}
        maps = {}
        for balance, alphas in (("map", BY_MAP), ("norm", BY_NORM)):
            asked = HybridEmbedding(
                2, variant="directions", balance=balance, n_neighbors=N_NEIGHBORS
            )
            path = asked.alpha_path(sheet.X, alphas)
            for alpha, model in zip(alphas, path, strict=True):
                Z = whitened(model.embedding_)
                found.setdefault((balance, _name(alpha)), []).append(
                    _measured(Z, ends, sheet.truth)
                )
                if balance == "map":
                    maps[f"α = {alpha:g}"] = procrustes(Z, ends["Isomap"]).aligned
            for name in ("Isomap", "LLE", "PCA"):
                measured = _measured(ends[name], ends, sheet.truth)
                found.setdefault((balance, name), []).append(measured)
        prices.append(_price(sheet.X))
        if seed == seeds[0]:
            maps = {"Isomap (α = 0)": ends["Isomap"], **dict(list(maps.items())[1:])}
            maps["LLE"] = procrustes(ends["LLE"], ends["Isomap"]).aligned
            figure = comparison(maps, color=sheet.truth[:, 0], key_title="arc length", n_columns=3)
            save(figure, output / "hybrid_swiss_roll.png")
    tables = []
    for balance, said in (("map", "balanced by their maps"), ("norm", "of one norm")):
        title = f"Isomap and LLE {said}, n = {n_samples}: Procrustes' residuals, mean (worst)"
        table = Table(balance, title, dict(COLUMNS), seeds)
        for (which, name), values in found.items():
            if which == balance:
                table.add(name, *np.array(values).T, control=name == "PCA")
        tables.append(table)
    price = Table(
        "price",
        f"What a path of α costs, n = {n_samples}",
        {"seconds": "{median:.2f}", "over one fit": "{median:.2f} ({max:.2f})"},
        seeds,
    )
    one, eight = np.array(prices).T
    price.add("one α", one, np.ones(len(one)))
    price.add("eight α", eight, eight / one)
    return [*tables, price]


def whitened(Z: FloatArray) -> FloatArray:
    """The same plane, with axes of variance one."""
    U = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)[0]
    return np.asarray(U * np.sqrt(len(Z)))


def _measured(Z: FloatArray, ends: dict[str, FloatArray], truth: FloatArray) -> tuple[float, ...]:
    to = (procrustes(Z, ends[name]).residual for name in ("Isomap", "LLE"))
    return (*to, stretched_residual(Z, truth))


def _price(X: FloatArray) -> tuple[float, float]:
    """Seconds of one fit in the middle, and of a path of eight."""
    asked = HybridEmbedding(2, alpha=0.3, balance="map", variant="directions", n_neighbors=12)
    begun = time.perf_counter()
    asked.fit(X)
    between = time.perf_counter()
    asked.alpha_path(X, BY_MAP)
    return between - begun, time.perf_counter() - between


def _name(alpha: float) -> str:
    return f"α = {alpha:g}" if alpha < 0.9995 else f"α = 1 − {1 - alpha:.0e}"
