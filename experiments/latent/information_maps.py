"""Maps with the most information: an S-shaped sheet, oil flow with its density, a walk.

The latent-factor thesis (section 3.1).  Figure 3.1: 2,000 points of an S-shaped sheet, with an L4
penalty that aligns the map with its axes.  Figure 3.3: oil flow, with the density of the map.
Figures 3.5 and 3.6: a walk is a loop.  The walk stays a loop with the bandwidth and the penalty
that are chosen for a curve; an eighth of that bandwidth tears it.

Section 3.1.5: half of the entries of the walk's 59 channels are removed and filled in with the
nearest entry in time; the text then projects whole frames onto the map of the result, f(g(y)), in
ten dimensions, and looks at the pictures.  Counted here are the error of the entries that were
removed, and the *glitches* of whole frames: the size of their second differences in time, over that
of the walk itself.  Besides, what is known of a frame tells the rest by regression in the map.
Straight lines in time, which no map knows of, are the control.
Five draws, of 1,000 points of the sheet, so that it runs in minutes.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np

from experiments.record import Claim, Said, Table
from experiments.spectral.motion_maps import WALK, turning
from sidelight import PCA, KernelInformationEmbedding, ProbabilisticPCA
from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.datasets import load, s_curve
from sidelight.plot import save, scatter
from sidelight.plot.style import HAIRLINE, new_figure
from sidelight.quality import neighbor_label_accuracy

N_DRAWS = 5
N_ROUNDS = 3
FLOWS = np.array(["homogeneous", "annular", "stratified"])


def explained(Z: FloatArray, truth: FloatArray) -> tuple[float, float]:
    """R² of both parameters of the sheet with one axis of the map each."""
    squared = np.corrcoef(Z.T, truth.T)[:2, 2:] ** 2
    straight, crossed = (squared[0, 0], squared[1, 1]), (squared[0, 1], squared[1, 0])
    return max(straight, crossed, key=min)


def sheets(
    n: int, draws: int
) -> tuple[list[tuple[float, float, float]], tuple[FloatArray, FloatArray]]:
    """R² of both parameters and CPU seconds, draw by draw; the map of the first and its truth."""
    found, first = [], None
    for seed in range(draws):
        sheet = s_curve(n, width=5.0, random_state=seed)
        assert sheet.truth is not None
        begun = time.process_time()
        model = KernelInformationEmbedding(penalty="l4", bandwidth=3.0, alpha=0.003, tol=1e-7).fit(
            sheet.X
        )
        took = time.process_time() - begun
        found.append((*explained(model.embedding_, sheet.truth), took))
        first = first or (model.embedding_, sheet.truth)
    assert first is not None
    return found, first


def nearest_entries(X: FloatArray, known: BoolArray) -> FloatArray:
    """Fill every gap with the nearest known entry of its channel."""
    frames = np.arange(len(X))
    filled = X.copy()
    for j in range(X.shape[1]):
        there = frames[known[:, j]]
        nearest = there[np.abs(frames[:, None] - there).argmin(axis=1)]
        filled[:, j] = X[nearest, j]
    return filled


def glitches(X: FloatArray) -> float:
    """How far frames are from the middle of those before and after, r.m.s."""
    return float(np.sqrt(np.mean(np.diff(X, n=2, axis=0) ** 2)))


def fill_in(X: FloatArray, known: BoolArray, rounds: int) -> dict[str, tuple[float, float]]:
    """R.m.s. error of the entries that were removed, and glitches, by ways to fill them in."""
    removed, own = ~known, glitches(X)
    frames = np.arange(len(X))
    between = np.column_stack(
        [
            np.interp(frames, frames[there], column[there])
            for column, there in zip(X.T, known.T, strict=True)
        ]
    )
    nearest = nearest_entries(X, known)
    holed = np.where(known, X, np.nan)
    gaussian = ProbabilisticPCA(10, tol=1e-6).fit(holed).impute(holed)
    model = ten_dimensions(nearest)
    return {
        name: (float(np.sqrt(np.mean((filled - X)[removed] ** 2))), glitches(filled) / own)
        for name, filled in (
            ("nearest in time", nearest),
            ("linear in time", between),
            ("probabilistic PCA, 10 components", gaussian),
            ("KIE, whole frames projected", model.denoise(nearest)),
            ("KIE, regression in the map", model.impute(holed)),
            ("KIE, rounds from nearest in time", fill_and_fit(nearest, holed, rounds)),
            ("KIE, rounds from linear in time", fill_and_fit(between, holed, rounds)),
        )
    }


def ten_dimensions(X: FloatArray) -> KernelInformationEmbedding:
    """A map with room for what differs between strides."""
    width = 2 * X.var(axis=0).sum() / 8
    model = KernelInformationEmbedding(10, bandwidth=width, alpha=3e-4, n_steps=15, tol=1e-5)
    return model.fit(X)


def fill_and_fit(filled: FloatArray, holed: FloatArray, rounds: int) -> FloatArray:
    """Map what was filled in, fill in by the map, and so on."""
    for _ in range(rounds):
        filled = ten_dimensions(filled).impute(holed)
    return filled


TEXT = [
    Said(
        "latent",
        "figure 3.1; sections 3.1, 3.1.2",
        "an S-shaped sheet, aligned with the axes by an L4 penalty",
        ours="R² of length and width with an axis each, mean and worst: "
        "{sheet/R² of the length/value}, {sheet/R² of the width/value}",
        upheld=("least R² of a parameter of the sheet",),
        data="1,000 points of 2,000",
    ),
    Said(
        "latent",
        "figure 3.3, KIE",
        "KIE separates the classes of oil flow",
        ours="{oil/KIE/1-NN errors} errors, PCA {oil/PCA/1-NN errors}",
        upheld=("errors of KIE on oil",),
    ),
    Said(
        "latent",
        "figure 3.5, KIE",
        "a walk cycle is a closed curve",
        ours="{walk/as it comes/turns} turns, {walk/as it comes/steps onward, %} % of the steps "
        "go on",
        upheld=("the walk goes on",),
        data=WALK,
    ),
    Said(
        "latent",
        "section 3.1.5, motion capture",
        "half of the entries removed, filled in with the nearest in time, and whole frames "
        "projected onto the map: it removes artifacts and over-smooths a little",
        ours="r.m.s. error {filled/KIE, whole frames projected/error} from {filled/nearest in "
        "time/error}, glitches {filled/KIE, whole frames projected/glitches} from {filled/nearest "
        "in time/glitches}; what is known of a frame regressed in the map: error {filled/KIE, "
        "regression in the map/error}; straight lines in time: {filled/linear in time/error}",
        upheld=(
            "whole frames projected: glitches",
            "whole frames projected: error",
            "filled in by regression in the map",
        ),
        because="the projection smooths, and the error grows: whole frames lose more of the walk "
        "than was wrong with them; regression in the map is nearer than what it began with, and "
        "straight lines in time are nearer still ({filled/linear in time/error})",
        data=WALK,
    ),
]
CLAIMS = [
    Claim(
        "least R² of a parameter of the sheet in any draw",
        lambda r: min(
            r.draws("sheet", f"R² of the {name}", "value").min() for name in ("length", "width")
        ),
        least=0.95,
    ),
    Claim(
        "errors of KIE on oil over those of PCA",
        lambda r: r("oil", "KIE", "1-NN errors") / r("oil", "PCA", "1-NN errors"),
        most=0.4,
        form="{:.2f}",
    ),
    Claim(
        "the walk goes on in so many steps, %",
        lambda r: r("walk", "as it comes", "steps onward, %"),
        least=80,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "whole frames projected: glitches over those of the nearest in time",
        lambda r: (
            r("filled", "KIE, whole frames projected", "glitches")
            / r("filled", "nearest in time", "glitches")
        ),
        most=0.7,
        quick=False,
    ),
    Claim(
        "whole frames projected: error over that of the nearest in time",
        lambda r: (
            r("filled", "KIE, whole frames projected", "error")
            / r("filled", "nearest in time", "error")
        ),
        most=1.0,
        quick=False,
        because="what differs between strides is smoothed away with the rest",
    ),
    Claim(
        "straight lines in time: error over that of regression in the map",
        lambda r: (
            r("filled", "linear in time", "error")
            / r("filled", "KIE, regression in the map", "error")
        ),
        most=1.0,
        quick=False,
    ),
    Claim(
        "filled in by regression in the map: error over that of the nearest in time",
        lambda r: (
            r("filled", "KIE, regression in the map", "error")
            / r("filled", "nearest in time", "error")
        ),
        most=0.97,
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """What was measured; the maps over their densities."""
    warnings.simplefilter("ignore")
    seeds = range(2 if quick else N_DRAWS)
    measured, shown = sheets(400 if quick else 1000, len(seeds))
    found = np.array(measured)
    sheet = Table(
        "sheet",
        "S-shaped sheet, L4: mean (least to most)",
        {"value": "{mean:.3f} ({min:.3f} to {max:.3f})"},
        seeds,
    )
    for name, values in zip(("R² of the length", "R² of the width", "CPU s"), found.T, strict=True):
        sheet.add(name, values)

    X, flow = load("oil_flow")
    X, flow = X[:: 5 if quick else 1], flow[:: 5 if quick else 1]
    begun = time.process_time()
    oil = KernelInformationEmbedding(tol=1e-7).fit(X)
    took = time.process_time() - begun
    in_oil = Table("oil", f"Oil flow, {len(X)} rows", {"1-NN errors": "{:.0f}", "CPU s": "{:.1f}"})
    in_oil.add("all 12 dimensions", neighbor_label_accuracy(X, flow).n_errors, None, control=True)
    plain = neighbor_label_accuracy(PCA(2).fit_transform(X), flow).n_errors
    in_oil.add("PCA", plain, None, control=True)
    in_oil.add("KIE", neighbor_label_accuracy(oil.embedding_, flow).n_errors, took)

    walk = load("cmu35_walk").X[:: 4 if quick else 1]
    narrow = 2 * walk.var(axis=0).sum() / 8
    steps = Table("walk", "The walk", {"turns": "{:.2f}", "steps onward, %": "{:.0f}"})
    for name, options in (
        ("as it comes", {}),
        ("an eighth of that bandwidth", {"bandwidth": narrow, "alpha": 0.1}),
        ("and of a small penalty", {"bandwidth": narrow, "alpha": 1e-3}),
    ):
        turns, onward = turning(KernelInformationEmbedding(**options).fit_transform(walk))
        steps.add(name, turns, 100 * onward)
    loop = KernelInformationEmbedding().fit(walk)
    seeds = range(1 if quick else N_DRAWS)
    errors: dict[str, list[tuple[float, float]]] = {}
    for seed in seeds:
        known = np.random.default_rng(seed).random(walk.shape) < 0.5
        for name, value in fill_in(walk, known, 1 if quick else N_ROUNDS).items():
            errors.setdefault(name, []).append(value)
    filled = Table(
        "filled",
        "Half of the walk filled in: r.m.s. error, and glitches beside those of the walk",
        {"error": "{mean:.2f} ± {sd:.2f}", "glitches": "{mean:.1f}"},
        seeds,
    )
    for name, off in errors.items():
        filled.add(name, *np.array(off).T, control=not name.startswith("KIE"))
    draw_sheet(*shown, output)
    draw(oil, flow, loop, output)
    return [sheet, in_oil, steps, filled]


def draw_sheet(Z: FloatArray, truth: FloatArray, output: Path) -> None:
    """The map of the sheet, coloured by its length and by its width."""
    figure = new_figure(8.4, 3.8)
    names = ("along the S", "across it")
    for ax, name, values in zip(figure.subplots(1, 2), names, truth.T, strict=True):
        scatter(Z, color=values, ax=ax, title=name, key_title=name)
    save(figure, output / "information_maps_sheet.png")


def draw(
    oil: KernelInformationEmbedding, flow: IntArray, walk: KernelInformationEmbedding, output: Path
) -> None:
    """The maps over their densities."""
    figure = new_figure(10.5, 4.6)
    left, right = figure.subplots(1, 2)
    for ax, model in ((left, oil), (right, walk)):
        Z = model.embedding_
        low, high = Z.min(axis=0) - 2.5, Z.max(axis=0) + 2.5
        x, y = (np.linspace(low[i], high[i], 160) for i in (0, 1))
        grid = np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
        density = model.density(grid).reshape(len(y), len(x))
        shade = np.sqrt(density)
        # pale greys alone, so that the points stay visible
        ax.pcolormesh(x, y, shade, cmap="Greys", vmax=2 * shade.max(), rasterized=True)
    scatter(oil.embedding_, labels=FLOWS[flow], ax=left, title="oil flow")
    frames = np.arange(len(walk.embedding_))
    scatter(walk.embedding_, color=frames, ax=right, title="walk", key_title="frame")
    right.plot(*walk.embedding_.T, color=HAIRLINE, linewidth=0.8, zorder=0.5)
    save(figure, output / "information_maps.png")
