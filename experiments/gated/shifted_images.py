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

from experiments.record import Claim, Said, Table
from sidelight import gated
from sidelight.core import FloatArray, IntArray
from sidelight.plot import flow_field

FIRST_SEED, N_DRAWS = 200, 3
SIDE, ON, BATCH = 10, 0.1, 100
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


class Shifts:
    """Bands of an image, each shifted by one of several directions."""

    def __init__(self, directions: list[tuple[int, int]], n_bands: int) -> None:
        self.directions, self.n_bands = directions, n_bands

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Images, what became of them, and the directions, a column a band."""
        X = images(rng, n)
        chosen = rng.integers(len(self.directions), size=(n, self.n_bands))
        # what comes in at an edge is new
        candidates = self.candidates(X, (rng.random((n, SIDE + 2, SIDE + 2)) < ON) * 1.0)
        rows = np.arange(n)
        bands = [candidates[b][chosen[:, b], rows] for b in range(self.n_bands)]
        return flat(X), flat(np.concatenate(bands, axis=1)), chosen

    def candidates(self, X: FloatArray, edges: FloatArray | float) -> list[FloatArray]:
        """Every band by every direction: (directions, images, height, width)."""
        height, found = SIDE // self.n_bands, []
        for band in range(self.n_bands):
            around = np.broadcast_to(edges, (len(X), SIDE + 2, SIDE + 2))[:, : height + 2].copy()
            around[:, 1:-1, 1:-1] = X[:, band * height : (band + 1) * height]
            moved = [
                around[:, 1 - down : 1 - down + height, 1 - right : 1 - right + SIDE]
                for down, right in self.directions
            ]
            found.append(np.stack(moved))
        return found

    def read(self, X: FloatArray, outputs: FloatArray) -> IntArray:
        """The directions that explain outputs best, pixels from outside being on by chance."""
        seen = np.where(square(X) > 0, 0.98, 0.02)
        parts = np.split(square(outputs), self.n_bands, axis=1)
        scores = [
            (part * np.log(q) + (1 - part) * np.log(1 - q)).sum(axis=(2, 3))
            for part, q in zip(parts, self.candidates(seen, ON), strict=True)
        ]
        return np.stack([score.argmax(axis=0) for score in scores], axis=1)

    def flow(self, chosen: IntArray) -> IntArray:
        """Where every input pixel goes, −1 where it leaves its band."""
        down, right = np.asarray(self.directions)[chosen].transpose(2, 0, 1)
        height = SIDE // self.n_bands
        row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
        band = row // height
        to_row, to_column = row + down[:, band], column + right[:, band]
        inside = (to_row // height == band) & (to_column >= 0) & (to_column < SIDE)
        return np.where(inside & (to_row >= 0), to_row * SIDE + to_column, -1)


def images(rng: np.random.Generator, n: int) -> FloatArray:
    """Random pixels."""
    return (rng.random((n, SIDE, SIDE)) < ON) * 1.0


def flat(X: FloatArray) -> FloatArray:
    """Images as rows."""
    return X.reshape(len(X), -1)


def square(X: FloatArray) -> FloatArray:
    """Rows as images."""
    return X.reshape(-1, SIDE, SIDE)


def learned(shifts: Shifts, n_units: int, n_batches: int, seed: int) -> gated.GatedBoltzmannMachine:
    """A machine after so many batches, each seen once."""
    rng = np.random.default_rng(seed)

    def batches() -> Iterator[tuple[FloatArray, FloatArray]]:
        for _ in range(n_batches):
            yield shifts.draw(rng, BATCH)[:2]

    return gated.GatedBoltzmannMachine(n_units, random_state=seed).partial_fit(batches())


def measured(
    model: gated.GatedBoltzmannMachine, shifts: Shifts, seed: int, n: int = 2000
) -> dict[str, tuple[float, float | None]]:
    """Transferred, and flow, of fresh pairs; with other outputs; read by one who knows."""
    rng = np.random.default_rng([seed, 1])
    X, Y, chosen = shifts.draw(rng, n)
    others, goal = flat(images(rng, n)), shifts.flow(chosen)

    def of(outputs: FloatArray) -> tuple[float, float]:
        done = shifts.read(others, model.apply(model.infer(X, outputs), others))
        sent = model.flow(X[:500], outputs[:500]) == goal[:500]
        return float((done == chosen).all(axis=1).mean()), float(sent[goal[:500] >= 0].mean())

    known = float((shifts.read(X, Y) == chosen).all(axis=1).mean())
    return {
        "learned": of(Y),
        "outputs of other pairs": of(np.roll(Y, 1, axis=0)),
        "read by one who knows": (known, None),
    }


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Nine shifts of whole images, and five of each half."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else N_DRAWS))
    form = "{mean:.3f} ± {sd:.3f}"
    tables = []
    for key, title, shifts, n_units, n_batches in (
        ("nine", "Nine shifts, 20 mapping units", Shifts(NINE, 1), 20, 1200 if quick else 2000),
        ("halves", "Halves, five each, 10 units", Shifts(FIVE, 2), 10, 600 if quick else 4000),
    ):
        found: dict[str, list[tuple[float, float | None]]] = {}
        for seed in seeds:
            model = learned(shifts, n_units, n_batches, seed)
            for name, figures in measured(model, shifts, seed).items():
                found.setdefault(name, []).append(figures)
            if seed == seeds[0]:
                _draw(model, shifts, output / f"shifted_images_{key}.png")
        table = Table(key, title, {"transferred": form, "flow": form}, seeds)
        for name, values in found.items():
            moved, sent = zip(*values, strict=True)
            flow = None if sent[0] is None else list(sent)
            table.add(name, list(moved), flow, control=name != "learned")
        tables.append(table)
    return tables


def _draw(model: gated.GatedBoltzmannMachine, shifts: Shifts, path: Path) -> None:
    """Input, output, where pixels go, another image, what comes of it (as figure 5.2)."""
    from matplotlib.figure import Figure

    rng = np.random.default_rng(0)
    X, Y, _ = shifts.draw(rng, 6)
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
