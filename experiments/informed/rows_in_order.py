"""Frames of a motion in their order: what a Sequence gains, and that a shuffled one costs nothing.

A point goes once round a circle, or along an S, at random times; it is seen in six dimensions with
noise.  In a map, how far along the way are the five nearest rows from a row, its four next in the
sequence left out?  Gains are counted from the same map without the order.  The controls are the
order shuffled among the rows, and raw data: the nearest rows in the six dimensions themselves.

Of graph methods the map is the judge of an order, too: LLE, whose maps change much with a few more
neighbours, takes it where adjacent rows come out nearer for it.  That and the weights of the term
(``AdjacentSettings``) were chosen on draws 100 to 112.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import sidelight
from experiments.record import Claim, Record, Said, Table
from sidelight.core import FloatArray
from sidelight.plot import comparison, save
from sidelight.side import Sequence

METHODS = (
    "Isomap",
    "LocallyLinearEmbedding",
    "LaplacianEigenmaps",
    "NeighborEmbedding",
    "HybridEmbedding",
    "MaximumEntropyUnfolding",
    "AcyclicLocallyLinearEmbedding",
    "StochasticNeighborEmbedding",
    "SammonMapping",
    "UnsupervisedKernelRegression",
    "GPLVM",
    "KernelInformationEmbedding",
)
FIRST_SEED, N_DRAWS, N_ROWS = 810, 4, 100
NOISES = (0.15, 0.4)
NEXT = 3


def motion(way: str, noise: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Frames with noise, and how far along the way each is."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.random(N_ROWS))
    if way == "circle":
        plane = np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)])
    else:
        angle = 3 * np.pi * (t - 0.5)
        plane = np.column_stack([np.sin(angle), np.sign(angle) * (np.cos(angle) - 1)])
    axes = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    return plane @ axes.T + noise * rng.standard_normal((N_ROWS, 6)), t


def off(Z: FloatArray, t: FloatArray, way: str) -> float:
    """How far along the way the nearest rows are, those next in the sequence left out."""
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)
    rows = np.arange(len(Z))
    D[np.abs(rows[:, None] - rows) < NEXT] = np.inf
    near = np.argsort(D, axis=1, kind="stable")[:, :5]
    away = np.abs(t[near] - t[:, None])
    return float((np.minimum(away, 1 - away) if way == "circle" else away).mean())


def gains(method: str, way: str, noise: float, seed: int) -> tuple[float, float, float, float]:
    """The error without the order, what the order and the shuffled one take off, and raw data's."""
    X, t = motion(way, noise, seed)
    mixed = Sequence(order=np.random.default_rng(seed + 5000).random(len(X)))
    plain, told, control = (
        off(getattr(sidelight, method)().fit_transform(X, side=side), t, way)
        for side in (None, Sequence(), mixed)
    )
    return plain, 1 - told / plain, 1 - control / plain, off(X, t, way)


def _columns(record: Record, column: str) -> list[FloatArray]:
    return [record.draws("order", row.name, column) for row in record.table("order").rows]


TEXT = [
    Said(
        "latent",
        "section 3.1.5, sequences",
        "adjacent frames near one another: proposed, and not tried; no figure",
        ours="share of the error of near rows that the order takes off, noise 0.4, circle and S: "
        "KIE {order/KernelInformationEmbedding, circle, 0.4/gain} and "
        "{order/KernelInformationEmbedding, S, 0.4/gain}, Isomap {order/Isomap, circle, 0.4/gain} "
        "and {order/Isomap, S, 0.4/gain}",
    )
]
CLAIMS = [
    Claim(
        "a shuffled order changes nothing: largest change of the error",
        lambda r: max(float(np.abs(each).max()) for each in _columns(r, "shuffled")),
        most=0.0,
    ),
    Claim(
        "kernel information embedding, noise 0.4: least that the order takes off, of both ways",
        lambda r: min(
            float(r.draws("order", f"KernelInformationEmbedding, {way}, 0.4", "gain").mean())
            for way in ("circle", "S")
        ),
        least=0.05,
        quick=False,
    ),
    Claim(
        "neighbour embedding: least that the order takes off on average",
        lambda r: min(
            float(r.draws("order", row.name, "gain").mean())
            for row in r.table("order").rows
            if row.name.startswith("NeighborEmbedding")
        ),
        least=0.0,
    ),
    Claim(
        "the most that a true order costs on average, whichever the method",
        lambda r: max(float(-each.mean()) for each in _columns(r, "gain")),
        most=0.15,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Errors and gains of every method, and maps of one draw."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (2 if quick else N_DRAWS))
    form = "{mean:+.2f} ({min:+.2f})"
    table = Table(
        "order",
        "How far along the way near rows are, and the share that an order takes off: mean (worst)",
        {"nothing known": "{mean:.3f}", "gain": form, "shuffled": form, "raw data": "{mean:.3f}"},
        seeds,
    )
    for method in METHODS[2:4] if quick else METHODS:
        for way in ("circle", "S"):
            for noise in NOISES[1:] if quick else NOISES:
                figures = [gains(method, way, noise, seed) for seed in seeds]
                table.add(f"{method}, {way}, {noise}", *np.array(figures).T)
    X, t = motion("S", NOISES[1], FIRST_SEED)
    method = sidelight.NeighborEmbedding if quick else sidelight.KernelInformationEmbedding
    maps = {
        name: method().fit_transform(X, side=side)
        for name, side in (("nothing known", None), ("in order", Sequence()))
    }
    save(comparison(maps, color=t), output / "rows_in_order.png")
    return [table]
