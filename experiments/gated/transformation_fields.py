"""Digits and parts of photographs that move: where every pixel goes, read from what was learned.

The thesis on latent factors (section 5.4.1, figures 5.4 to 5.6) learns from patches that are
shifted and turned, and from neighbouring frames of broadcast video, and draws the transformation
fields of mapping units and the flow that is inferred from a pair.  It gives no figure.

*Digits*: the 8 × 8 digits of scikit-learn on 12 × 12 pixels, shifted by a pixel in one of nine
directions or turned by 20 or 40 degrees either way.  *Panning*: parts of 12 × 12 pixels of
photographs, cut at places up to two pixels apart each way, as a camera pans: the broadcasts are not
public, and here the motion is known.  As in the text machines see principal axes (40 of digits, 60
of photographs); they have 40 mapping units.  E[y | x, z] is linear in x, and its strongest entry,
brought back to pixels, says where a pixel goes.

Measured on digits and photographs that nobody learned from, for pixels of ink and for pixels of the
middle (the text leaves out a frame, too): the share of arrows that end in the pixel where the
motion takes theirs, or (turns end between pixels) next to it, and how far they end from there.
Controls: arrows that stay, the outputs of other pairs, and the motion whose picture fits best, by
one who knows the candidates.  Nothing was tuned.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.gated._photographs import NAMES, photographs
from experiments.record import Claim, Said, Table
from sidelight import PCA, gated
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import digits
from sidelight.plot import basis_flow_fields, flow_field, save
from sidelight.plot.style import INK, TEXT_SIZE, new_figure
from sidelight.transforms import Affine

FIRST_SEED, N_DRAWS = 200, 3
SIDE, N_UNITS, FRAME = 12, 40, 3
SHAPE = (SIDE, SIDE)

TEXT = [
    Said(
        "latent",
        "figures 5.4 to 5.6; sections 5.4, 5.4.1",
        "transformation fields learned from moved images and from video connect pixels mostly with "
        "nearby ones, and the flow inferred from a pair follows the motion; pictures, no figure",
        ours="arrows that end where their pixel goes: digits {digits/learned/right} (arrows that "
        "stay {digits/no motion/right}), panning photographs {panning/learned/right} "
        "({panning/no motion/right})",
        upheld=("digits: arrows", "panning: arrows"),
        because="arrows of panning photographs end mostly next to the right pixel (in it or next "
        "to it {panning/learned/or next to it}, arrows that stay {panning/no motion/or next to "
        "it}); how near connected pixels are is drawn, not measured",
        data="8 × 8 digits and panning photographs instead of synthetic patches and broadcasts",
    )
]
CLAIMS = [
    Claim(
        "digits: arrows that end where their pixel goes",
        lambda r: float(r.draws("digits", "learned", "right").min()),
        least=0.8,
        quick=False,
    ),
    Claim(
        "panning: arrows that end where their pixel goes",
        lambda r: float(r.draws("panning", "learned", "right").min()),
        least=0.8,
        quick=False,
        because="with one contrast and axes of one length more than half are right, and with "
        "twenty times the pairs four fifths, at twice the error on what is learned from: 20,000 "
        "pairs of five photographs are learned by heart (draw 100)",
    ),
    Claim(
        "digits: distance from there, as a share of that of arrows that stay",
        lambda r: r("digits", "learned", "pixels off") / r("digits", "no motion", "pixels off"),
        most=0.8,
    ),
]


@dataclass(frozen=True)
class Pairs:
    """Images, what became of them, and the motion u ↦ A u + t about the middle of each."""

    X: FloatArray
    Y: FloatArray
    A: FloatArray
    t: FloatArray

    def goals(self) -> FloatArray:
        """Where every pixel goes, (pairs, pixels, 2), as row and column."""
        grid = _grid() - (SIDE - 1) / 2
        return np.einsum("nab,pb->npa", self.A, grid) + self.t[:, None] + (SIDE - 1) / 2


def _grid() -> FloatArray:
    return np.stack(np.divmod(np.arange(SIDE * SIDE), SIDE), axis=1).astype(float)


def motions_of_digits() -> list[tuple[FloatArray, FloatArray]]:
    """Nine shifts, four turns."""
    found = [(np.eye(2), np.array([a, b], float)) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    for angle in np.radians([-40, -20, 20, 40]):
        c, s = np.cos(angle), np.sin(angle)
        found.append((np.array([[c, -s], [s, c]]), np.zeros(2)))
    return found


def moved(
    X: FloatArray, motions: list[tuple[FloatArray, FloatArray]], rng: np.random.Generator
) -> Pairs:
    """Each by a motion of its own."""
    chosen = rng.integers(len(motions), size=len(X))
    A, t = (np.stack(side)[chosen] for side in zip(*motions, strict=True))
    return Pairs(X, _applied(X, A, t), A, t)


def _applied(X: FloatArray, A: FloatArray, t: FloatArray) -> FloatArray:
    theta = np.concatenate([A.reshape(len(A), 4), t], axis=1)
    return Affine(beyond="zero").apply(X, theta, SHAPE)


def digit_pairs(rng: np.random.Generator, rows: IntArray, n: int) -> Pairs:
    """Bundled digits with a margin, moved."""
    pixels = digits().X
    some = pixels[rng.choice(rows, n)].reshape(n, 8, 8) / pixels.max()
    X = np.pad(some, ((0, 0), (2, 2), (2, 2))).reshape(n, -1)
    return moved(X, motions_of_digits(), rng)


def panned_pairs(rng: np.random.Generator, images: list[FloatArray], n: int) -> Pairs:
    """Parts of photographs and what is there when the camera has moved."""
    X, Y, t = [], [], rng.integers(-2, 3, (n, 2))
    for number, (down, right) in zip(rng.integers(len(images), size=n), t, strict=True):
        image = images[number]
        top, left = (int(rng.integers(2, size - SIDE - 1)) for size in image.shape)
        X.append(image[top : top + SIDE, left : left + SIDE].ravel())
        Y.append(image[top - down : top - down + SIDE, left - right : left - right + SIDE].ravel())
    rows = [np.stack(side) for side in (X, Y)]
    rows = [one - rows[0].mean(axis=1, keepdims=True) for one in rows]
    # parts with nothing in them tell nothing
    seen = rows[0].std(axis=1) > 0.05
    A = np.tile(np.eye(2), (int(seen.sum()), 1, 1))
    return Pairs(rows[0][seen], rows[1][seen], A, t[seen].astype(float))


def learned(pairs: Pairs, n_axes: int, n_steps: int, seed: int) -> tuple[Any, Any]:
    """Principal axes, and what leads from inputs to outputs in them."""
    axes = PCA(n_axes).fit(np.vstack([pairs.X, pairs.Y]))
    machine = gated.GatedBoltzmannMachine(
        N_UNITS, output="gaussian", max_iter=n_steps, random_state=seed
    )
    return axes, machine.fit(axes.transform(pairs.X), axes.transform(pairs.Y))


def fields(axes: Any, machine: Any, Z: FloatArray) -> FloatArray:
    """∂E[y | x, z]/∂x in pixels, (pairs, input pixels, output pixels)."""
    n_axes = axes.n_components_
    unit = np.vstack([np.zeros((1, n_axes)), np.eye(n_axes)])
    found = []
    for z in Z:
        says = machine.apply(z[None], unit)
        found.append(axes.components_.T @ (says[1:] - says[0]) @ axes.components_)
    return np.stack(found)


def measured(ends: FloatArray, pairs: Pairs, where: FloatArray) -> tuple[float, float, float]:
    """Arrows that end in the right pixel, or next to it, and how far off they are."""
    off = ends - pairs.goals()
    inside = ((pairs.goals() > -0.5) & (pairs.goals() < SIDE - 0.5)).all(axis=2)
    asked = where & inside
    most = np.abs(off).max(axis=2)[asked]
    far = np.linalg.norm(off, axis=2)[asked]
    return float((most <= 0.5).mean()), float((most <= 1.0).mean()), float(far.mean())


def figures(
    axes: Any, machine: Any, pairs: Pairs, where: FloatArray, candidates: list[Any]
) -> dict[str, tuple[float, float, float]]:
    """Of arrows read from the machine, and of the controls."""
    grid = _grid()

    def of(Y: FloatArray) -> FloatArray:
        Z = machine.infer(axes.transform(pairs.X), axes.transform(Y))
        return np.asarray(grid[fields(axes, machine, Z).argmax(axis=2)])

    inner = ((grid >= FRAME) & (grid < SIDE - FRAME)).all(axis=1)
    gaps = []
    for A, t in candidates:
        n = len(pairs.X)
        made = _applied(pairs.X, np.tile(A, (n, 1, 1)), np.tile(t, (n, 1)))
        gaps.append((((made - pairs.Y) ** 2)[:, inner]).sum(axis=1))
    best = np.argmin(gaps, axis=0)
    A, t = (np.stack(side)[best] for side in zip(*candidates, strict=True))
    known = Pairs(pairs.X, pairs.Y, A, t).goals()
    ends = {
        "learned": of(pairs.Y),
        "no motion": np.tile(grid, (len(pairs.X), 1, 1)),
        "outputs of other pairs": of(np.roll(pairs.Y, 1, axis=0)),
        "read by one who knows": known,
    }
    return {name: measured(one, pairs, where) for name, one in ends.items()}


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Flow of digits and of photographs."""
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else N_DRAWS))
    n_pairs, n_asked = (2000, 60) if quick else (20_000, 300)
    inner = ((_grid() >= FRAME) & (_grid() < SIDE - FRAME)).all(axis=1)
    pans = [(np.eye(2), np.array([a, b], float)) for a in range(-2, 3) for b in range(-2, 3)]
    found: dict[str, dict[str, list[tuple[float, float, float]]]] = {"digits": {}, "panning": {}}
    images = {} if quick else photographs()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(digits().X))
        given = digit_pairs(rng, order[300:], n_pairs), digit_pairs(rng, order[:300], n_asked)
        ink = given[1].X > 0.3
        cases = [("digits", given, 40, 250 if quick else 1500, ink, motions_of_digits())]
        if not quick:
            names = [str(name) for name in rng.permutation(NAMES)]
            parts = [[images[name] for name in some] for some in (names[:5], names[5:])]
            panned = panned_pairs(rng, parts[0], n_pairs), panned_pairs(rng, parts[1], n_asked)
            middle = np.tile(inner, (len(panned[1].X), 1))
            cases.append(("panning", panned, 60, 1500, middle, pans))
        for key, (given, asked), n_axes, n_steps, where, candidates in cases:
            axes, machine = learned(given, n_axes, n_steps, seed)
            for name, one in figures(axes, machine, asked, where, candidates).items():
                found[key].setdefault(name, []).append(one)
            if seed == seeds[0]:
                _draw(axes, machine, asked, where, output, key)
    titles = {
        "digits": "Digits shifted or turned: arrows of pixels of ink",
        "panning": "Panning over photographs: arrows of pixels of the middle",
    }
    columns = dict.fromkeys(("right", "or next to it", "pixels off"), "{mean:.3f} ± {sd:.3f}")
    tables = []
    for key, rows in found.items():
        table = Table(key, titles[key], columns, seeds)
        for name, values in rows.items():
            table.add(name, *np.asarray(values).T, control=name != "learned")
        if rows:
            tables.append(table)
    return tables


def _draw(axes: Any, machine: Any, pairs: Pairs, where: FloatArray, output: Path, key: str) -> None:
    """Pairs with their flow (as figure 5.6), and what single units do (as figure 5.4)."""
    Z = machine.infer(axes.transform(pairs.X[:6]), axes.transform(pairs.Y[:6]))
    flow = fields(axes, machine, Z).argmax(axis=2)
    figure = new_figure(2.0 * 6, 2.0 * 3)
    lines = figure.subplots(3, 6)
    for n in range(6):
        for line, rows in ((0, pairs.X), (1, pairs.Y)):
            lines[line, n].imshow(rows[n].reshape(SHAPE), cmap="gray")
            lines[line, n].set(xticks=[], yticks=[])
        flow_field(flow[n], SHAPE, strength=np.where(where[n], 1.0, 0.1), ax=lines[2, n])
    for line, title in enumerate(("input", "output", "flow")):
        lines[line, 0].set_ylabel(title, fontsize=TEXT_SIZE, color=INK)
    save(figure, output / f"transformation_fields_{key}.png")
    W = np.einsum("ip,kij,jq->kpq", axes.components_, machine.basis_flow(), axes.components_)
    save(basis_flow_fields(W[:20], SHAPE), output / f"transformation_fields_{key}_units.png")
