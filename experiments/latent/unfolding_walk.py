"""A walk that unfolds step by step, as the penalty of its map shrinks.

The latent-factor thesis (section 3.1.5, figure 3.6) shows the map of a walk cycle by kernel
information embedding (KIE) along the steps of its path, over the density of the map: from one blob
to a loop, "how it is becoming more complex as training progresses".

Each step starts from the map of the last.  Of every step: the
spread of the map; the effective number of frames that the density tells apart (n over the mean of
the kernels' row sums, each at most one); the turns about the middle of the map and the share of
steps in time that go on.  The path ends at the penalty of the text (λ of its figure 3.5); *as it
comes* is the map where nothing is said of penalties.  A first run went on to a fiftieth, where the
loop is torn into strands that fill a disc; another took every second frame, in which the next frame
is no nearer than that of another stride, so that a curve was not known for one.  The controls are
the first two principal components, and the last map with its frames in shuffled order.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from experiments.record import Claim, Said, Table
from experiments.spectral.motion_maps import WALK, turning
from sidelight import PCA, KernelInformationEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import HAIRLINE, INK, PALETTE, SMALL_SIZE, new_figure

N_STEPS, N_SHOWN = 16, 8
PENALTY = 0.05


Step = tuple[float, KernelInformationEmbedding]


def steps_of(X: FloatArray, n_steps: int) -> tuple[list[Step], KernelInformationEmbedding]:
    """The penalty and the map of every step, and the map as it comes."""
    chosen = KernelInformationEmbedding(2).fit(X)
    path = KernelInformationEmbedding(2, alpha=PENALTY, n_steps=n_steps, tol=1e-6).fit(X).path_
    found: list[Step] = []
    for h, alpha in zip(path["bandwidth"], path["alpha"], strict=True):
        options: dict[str, Any] = {"continuation": "penalty", "n_steps": 1}
        if found:
            options = {"continuation": "none", "init": found[-1][1].embedding_}
        model = KernelInformationEmbedding(2, bandwidth=h, alpha=alpha, tol=1e-6, **options)
        found.append((float(alpha), model.fit(X)))
    return found, chosen


def told_apart(Z: FloatArray) -> float:
    """n² / Σ exp(−‖z_i − z_j‖²): one where all points are one, n where all are apart."""
    return float(len(Z) ** 2 / np.exp(-cdist(Z, Z, "sqeuclidean")).sum())


TEXT = [
    Said(
        "latent",
        "figure 3.6",
        "a walk unfolds from a point to a loop, and the density of the map becomes more complex (a "
        "picture)",
        ours="frames told apart {steps/first/told apart} at first, {steps/last/told apart} in the "
        "end; steps that go on: {steps/as it comes/steps onward, %} % as it comes, "
        "{steps/last/steps onward, %} % in the end",
        upheld=(
            "told apart in the end over at first",
            "the loop in the end goes on",
        ),
        data=WALK,
    )
]
CLAIMS = [
    Claim(
        "told apart in the end over at first",
        lambda r: r("steps", "last", "told apart") / r("steps", "first", "told apart"),
        least=2.5,
        form="{:.1f}",
    ),
    Claim(
        "along the path what is told apart never falls: the largest fall, as a share",
        lambda r: r("steps", "largest fall", "told apart"),
        most=0.05,
        form="{:.2f}",
    ),
    Claim(
        "the loop in the end goes on in so many of its steps, %",
        lambda r: r("steps", "last", "steps onward, %"),
        least=80,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "the loop as it comes goes on in so many of its steps, %",
        lambda r: r("steps", "as it comes", "steps onward, %"),
        least=80,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "and with its frames shuffled, %",
        lambda r: r("steps", "last, frames shuffled", "steps onward, %"),
        most=70,
        form="{:.0f}",
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """What the steps show; the maps over their densities."""
    warnings.simplefilter("ignore")
    X = load("cmu35_walk").X[:: 8 if quick else 1]
    found, chosen = steps_of(X, 5 if quick else N_STEPS)
    apart = np.array([told_apart(model.embedding_) for _, model in found])
    table = Table(
        "steps",
        f"{len(X)} frames of a walk, along {len(found)} steps",
        {
            "penalty": "{:.2g}",
            "spread": "{:.2f}",
            "told apart": "{:.1f}",
            "turns": "{:.2f}",
            "steps onward, %": "{:.0f}",
        },
    )
    for name, place in (("first", 0), ("half-way", len(found) // 2), ("last", -1)):
        alpha, model = found[place]
        table.add(name, alpha, *_measured(model.embedding_))
    table.add("as it comes", None, *_measured(chosen.embedding_))
    fall = float(np.max(1 - apart[1:] / apart[:-1], initial=0.0))
    table.add("largest fall", None, None, max(fall, 0.0), None, None)
    Z = found[-1][1].embedding_
    dealt = np.random.default_rng(0).permutation(Z)
    table.add("last, frames shuffled", None, *_measured(dealt), control=True)
    linear = _measured(PCA(2).fit_transform(X))
    table.add("PCA", None, linear[0], None, *linear[2:], control=True)
    save(_draw(found), output / "unfolding_walk.png")
    return [table]


def _measured(Z: FloatArray) -> tuple[float, float, float, float]:
    around, onward = turning(Z)
    return float(np.sqrt(Z.var(axis=0).sum())), told_apart(Z), around, 100 * onward


def _draw(found: list[Step]) -> Any:
    figure = new_figure(12.0, 6.2)
    shown = np.unique(np.linspace(0, len(found) - 1, N_SHOWN).astype(int))
    grid = figure.subplots(2, N_SHOWN // 2).ravel()
    for ax in grid[len(shown) :]:
        ax.set_axis_off()
    for ax, step in zip(grid, shown, strict=False):
        alpha, model = found[step]
        Z = model.embedding_
        low, high = Z.min(axis=0) - 2.0, Z.max(axis=0) + 2.0
        x, y = (np.linspace(low[i], high[i], 80) for i in (0, 1))
        places = np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
        shade = np.sqrt(model.density(places).reshape(len(y), len(x)))
        ax.pcolormesh(x, y, shade, cmap="Greys", vmax=2 * shade.max(), rasterized=True)
        ax.plot(*Z.T, color=HAIRLINE, linewidth=0.8)
        ax.scatter(*Z.T, s=6, color=PALETTE[0], linewidths=0)
        ax.set(xticks=[], yticks=[], aspect="equal")
        ax.set_title(f"step {step + 1}, λ = {alpha:.2g}", fontsize=SMALL_SIZE, color=INK)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return figure
