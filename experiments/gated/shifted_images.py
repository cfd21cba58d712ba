"""Random images and what a shift makes of them: the shift inferred, seen, and done to others.

The thesis on latent factors (section 5.2.4, figures 5.2 and 5.3) shifts random 10 × 10 images, a
tenth of the pixels on, by one pixel in one of nine directions, new pixels random, and learns from
batches of 100 pairs made on the fly with 20 mapping units; then it shifts the two halves of an
image independently in five directions and learns with 10 units, fewer than there are combinations.

Measured on fresh pairs: how often what is inferred from a pair does the same shift to another image
(of the candidate shifts the one whose picture is nearest to what comes of it), and how many of the
input pixels that stay inside are sent where the shift sends them (the max-flow field).  Controls:
the same with the outputs of other pairs, and the shift read from the pair by someone who knows the
candidates, which is as well as can be done: some pairs fit several.  The learning rate was chosen
on draws 100 and 101.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments.gated._random_images import SIDE, Shifts, Warps, flat, images
from experiments.record import Claim, Said, Table
from sidelight import gated
from sidelight.core import FloatArray
from sidelight.plot import flow_field

FIRST_SEED, N_DRAWS = 200, 3
BATCH = 100
NINE = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
FIVE = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)]

TEXT = [
    Said(
        "latent",
        "figures 5.2, 5.3; section 5.2.4",
        "a gated Boltzmann machine infers shifts of random images, transfers them to others, and "
        "finds a factorial code for halves that move independently",
        ours="transferred right {nine/learned/transferred}, both halves "
        "{halves/learned/transferred}",
        upheld=("nine shifts: transferred right", "halves: both transferred right"),
    )
]
CLAIMS = [
    Claim(
        "nine shifts: transferred right",
        lambda r: float(r.draws("nine", "learned", "transferred").min()),
        least=0.99,
    ),
    Claim(
        "nine shifts: pixels sent where they go",
        lambda r: float(r.draws("nine", "learned", "flow").min()),
        least=0.97,
    ),
    Claim(
        "halves: both transferred right",
        lambda r: float(r.draws("halves", "learned", "transferred").min()),
        least=0.95,
        quick=False,
    ),
]


def learned(
    motions: Shifts | Warps, n_units: int, n_batches: int, seed: int
) -> gated.GatedBoltzmannMachine:
    """A machine after so many batches, each seen once."""
    rng = np.random.default_rng(seed)

    def batches() -> Iterator[tuple[FloatArray, FloatArray]]:
        for _ in range(n_batches):
            yield motions.draw(rng, BATCH)[:2]

    return gated.GatedBoltzmannMachine(n_units, random_state=seed).partial_fit(batches())


def measured(
    model: gated.GatedBoltzmannMachine, motions: Shifts | Warps, seed: int, n: int = 2000
) -> dict[str, tuple[float, float | None]]:
    """Transferred, and flow, of fresh pairs; with other outputs; read by one who knows."""
    rng = np.random.default_rng([seed, 1])
    X, Y, chosen = motions.draw(rng, n)
    others = flat(images(rng, n))

    def of(outputs: FloatArray) -> tuple[float, float]:
        done = motions.read(others, model.apply(model.infer(X, outputs), others))
        sent = motions.sent(model.flow(X[:500], outputs[:500]), chosen[:500])
        return float((done == chosen).all(axis=1).mean()), sent

    known = float((motions.read(X, Y) == chosen).all(axis=1).mean())
    return {
        "learned": of(Y),
        "outputs of other pairs": of(np.roll(Y, 1, axis=0)),
        "read by one who knows": (known, None),
    }


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Nine shifts of whole images, and five of each half."""
    return [
        table_of(key, title, motions, n_units, n_batches, output, quick=quick)
        for key, title, motions, n_units, n_batches in (
            ("nine", "Nine shifts, 20 mapping units", Shifts(NINE, 1), 20, 1200 if quick else 2000),
            ("halves", "Halves, five each, 10 units", Shifts(FIVE, 2), 10, 300 if quick else 4000),
        )
    ]


def table_of(
    key: str,
    title: str,
    motions: Shifts | Warps,
    n_units: int,
    n_batches: int,
    output: Path,
    *,
    quick: bool,
) -> Table:
    """What machines make of some motions, and a picture of the first of them."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else N_DRAWS))
    found: dict[str, list[tuple[float, float | None]]] = {}
    for seed in seeds:
        model = learned(motions, n_units, n_batches, seed)
        for name, figures in measured(model, motions, seed).items():
            found.setdefault(name, []).append(figures)
        if seed == seeds[0]:
            _draw(model, motions, output / f"images_{key}.png")
    form = "{mean:.3f} ± {sd:.3f}"
    table = Table(key, title, {"transferred": form, "flow": form}, seeds)
    for name, values in found.items():
        moved, sent = zip(*values, strict=True)
        flow = None if sent[0] is None else list(sent)
        table.add(name, list(moved), flow, control=name != "learned")
    return table


def _draw(model: gated.GatedBoltzmannMachine, motions: Shifts | Warps, path: Path) -> None:
    """Input, output, where pixels go, another image, what comes of it (as figure 5.2)."""
    from matplotlib.figure import Figure

    rng = np.random.default_rng(0)
    X, Y, _ = motions.draw(rng, 6)
    others = flat(images(rng, 6))
    done, flow = model.apply(model.infer(X, Y), others), model.flow(X, Y)
    figure = Figure(figsize=(9, 11), layout="constrained")
    axes = figure.subplots(6, 5)
    for column_title, axis in zip(
        ("input", "output", "flow", "another", "the same done to it"), axes[0], strict=True
    ):
        axis.set_title(column_title)
    for n, line in enumerate(axes):
        for axis, picture in zip(line[[0, 1, 3, 4]], (X, Y, others, done), strict=True):
            axis.imshow(picture[n].reshape(SIDE, SIDE), cmap="gray", vmin=0, vmax=1)
        flow_field(flow[n], (SIDE, SIDE), ax=line[2])
        for axis in line:
            axis.set(xticks=[], yticks=[])
    figure.savefig(path, dpi=100)
