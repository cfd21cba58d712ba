"""Every spectral and unfolding map of three data sets, scored by the likelihood of the data.

The probabilistic slides ("Motion Capture: Model Scores", "Robot Navigation: Model Scores") score
maps by the GP-LVM log likelihood, after Harmeling (2007): the higher, the better a smooth function
of the map explains the data.  They show maximum entropy unfolding (MEU) and its relatives on the
run of a stick man, which has a start and a cycle, and on the WiFi strengths along a robot's square
path, which closes a loop.  The scores are drawn there as bars, without numbers, and nothing is said
of who is first; what is said is under the maps: on the run "models capture either the cyclic
structure or the structure associated with the start of the run or both parts", on the robot's path
"models show loop closure but smooth the trace to different degrees".

Measured beside the scores:

* *turns* of the run's last 35 frames about their middle, the cycle;
* *start*: how far the first frame is from the nearest of those, over the spread of the map;
* *closure*: how far apart frames are in the map that were taken at one place, to a twentieth of the
  path's extent, and a third of the time apart, over the distance of any two; the control is the
  same of the signals themselves;
* *roughness*: the length of the trace over that of its running mean over nine frames.

On oil flow, where the graph falls into pieces, MEU is first with a map that spends the plane on the
gaps between them.  Acyclic LLE is likelier than MEU under its own model and its map is no better;
the orders of its points are shown below it.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning

from experiments.record import Claim, Said, Table
from experiments.spectral.motion_maps import turning
from sidelight import (
    PCA,
    AcyclicLocallyLinearEmbedding,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    MaximumEntropyUnfolding,
    SemidefiniteEmbedding,
)
from sidelight.core import DisconnectedGraphWarning, FloatArray
from sidelight.datasets import load
from sidelight.plot import comparison, save
from sidelight.plot.style import (
    FAINT,
    HAIRLINE,
    INK,
    NEGATIVE,
    PALETTE,
    SMALL_SIZE,
    TEXT_SIZE,
    density_map,
    new_figure,
    style_axes,
    style_legend,
)
from sidelight.quality import gplvm_score, procrustes

UNFOLDING = ("SDE", "MEU", "MEU, free", "acyclic LLE")
FLOWS = np.array(["homogeneous", "annular", "stratified"])
ORDERS = ("principal", "outward", "spread", "nearest")


#: The maps that the slides show.
SHOWN = ("LEM", "LLE", "Isomap", "SDE", "MEU", "acyclic LLE")
#: The frames of the run that are its cycle, from the last.
CYCLE = 35


def of_the_run(Z: FloatArray) -> tuple[float, float]:
    """How often the cycle turns about its middle, and how far the start is from it."""
    cycle = Z[-CYCLE:]
    spread = float(np.sqrt(Z.var(axis=0).sum()))
    return turning(cycle)[0], float(np.linalg.norm(cycle - Z[0], axis=1).min()) / spread


def of_the_path(Z: FloatArray, truth: FloatArray) -> tuple[float, float]:
    """How far apart frames of one place are, over the distance of any two, and the roughness."""
    apart, true = pdist(Z), pdist(truth)
    i, j = np.triu_indices(len(Z), 1)
    again = (j - i >= len(Z) / 3) & (true <= true.max() / 20)
    smooth = np.column_stack([np.convolve(z, np.ones(9) / 9, mode="valid") for z in Z.T])
    trace, mean = (
        float(np.linalg.norm(np.diff(way, axis=0), axis=1).mean()) for way in (Z, smooth)
    )
    return float(apart[again].mean() / apart.mean()), trace / mean


def methods(k: int) -> dict[str, Any]:
    """The maps that are compared, with k neighbours where there are any."""
    return {
        "PCA": PCA(2),
        "kernel PCA": KernelPCA(2),
        "Isomap": Isomap(2, n_neighbors=k),
        "LEM": LaplacianEigenmaps(2, n_neighbors=k),
        "LLE": LocallyLinearEmbedding(2, n_neighbors=k),
        "SDE": SemidefiniteEmbedding(2, n_neighbors=k, tol=1e-3),
        "MEU": MaximumEntropyUnfolding(2, n_neighbors=k),
        "MEU, free": MaximumEntropyUnfolding(2, n_neighbors=k, signs="free"),
        "acyclic LLE": AcyclicLocallyLinearEmbedding(2, n_neighbors=k),
    }


def fit(model: Any, X: FloatArray) -> str:
    """Fit, and give the warnings in a word."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(X)
    words = []
    if any(issubclass(w.category, DisconnectedGraphWarning) for w in said):
        words.append("joined")
    if any(issubclass(w.category, ConvergenceWarning) for w in said):
        words.append("no optimum")
    return ", ".join(words)


def _draw_mattress(ax: Any, model: MaximumEntropyUnfolding, Z: FloatArray) -> None:
    """Draw the springs over a map: the stronger, the darker and wider; those that push, orange."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    held = np.flatnonzero(model.springs_)
    strength = np.abs(model.springs_[held])
    rank = np.argsort(np.argsort(strength)) / max(len(held) - 1, 1)
    order = np.argsort(rank)
    colours = density_map()(0.15 + 0.85 * rank)
    colours[model.springs_[held] < 0] = to_rgba(NEGATIVE)
    lines = LineCollection(
        list(Z[model.edges_[held]][order]),
        colors=colours[order],
        linewidths=0.4 + 1.8 * rank[order],
        zorder=0,
    )
    ax.add_collection(lines)


def _draw_bars(tables: dict[str, dict[str, float]], path: Path) -> None:
    """Draw the scores of every data set, the best on top."""
    figure = new_figure(3.7 * len(tables), 3.2)
    axes = figure.subplots(1, len(tables), squeeze=False)[0]
    for ax, (title, scores) in zip(axes, tables.items(), strict=True):
        names = sorted(scores, key=scores.__getitem__)
        values = np.array([scores[name] for name in names])
        colours = [PALETTE[1] if name in UNFOLDING else PALETTE[0] for name in names]
        ax.hlines(np.arange(len(names)), values.min(), values, color=HAIRLINE, linewidth=1.0)
        ax.scatter(values, np.arange(len(names)), c=colours, s=34, zorder=3)
        ax.set_yticks(np.arange(len(names)), names, fontsize=TEXT_SIZE, color=INK)
        ax.set_title(title, loc="left", fontsize=TEXT_SIZE + 1, color=INK)
        for place, value in enumerate(values):
            ax.annotate(
                f"{value:,.0f}".replace("-", "−"),
                (value, place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=SMALL_SIZE,
                color=FAINT,
            )
        style_axes(ax, x_label="GP-LVM log likelihood")
        ax.tick_params(axis="y", length=0)
        ax.margins(x=0.22)
        ax.locator_params(axis="x", nbins=4)
    kinds = ((PALETTE[1], "kernel learned"), (PALETTE[0], "kernel prescribed"))
    keys = [axes[0].scatter([], [], c=colour, s=34, label=words) for colour, words in kinds]
    legend = figure.legend(handles=keys, loc="outside upper right", ncols=2, fontsize=SMALL_SIZE)
    style_legend(legend)
    save(figure, path)


def _scores(title: str) -> str:
    names = ("Isomap", "SDE", "MEU", "LEM", "LLE", "acyclic LLE", "PCA")
    return ", ".join(f"{name} {{{title}/{name}/GP-LVM score}}" for name in names)


TEXT = [
    Said(
        "slides",
        "Motion Capture: Model Scores",
        "model scores of the spectral approaches (bars, no numbers)",
        ours=f"stick man: {_scores('stick man')}",
    ),
    Said(
        "slides",
        "Laplacian Eigenmaps and LLE; Isomap and MVU (motion capture)",
        "models capture either the cyclic structure or the start of the run or both",
        ours="turns of the cycle and distance of the start: "
        + ", ".join(
            f"{name} {{stick man/{name}/turns}} and {{stick man/{name}/start}}" for name in SHOWN
        ),
        upheld=("every map of the run shows its cycle or its start",),
    ),
    Said(
        "slides",
        "Robot Navigation: Model Scores",
        "model scores of the spectral approaches (bars, no numbers)",
        ours=f"robot: {_scores('robot')}",
    ),
    Said(
        "slides",
        "Robot Navigation Example; Laplacian Eigenmaps and LLE; Isomap and MVU (robot)",
        "models show loop closure but smooth the trace to different degrees",
        ours="distance of frames of one place over that of any two, and roughness: "
        + ", ".join(
            f"{name} {{robot/{name}/closure}} and {{robot/{name}/roughness}}" for name in SHOWN
        )
        + "; signals {robot/signals themselves/closure}",
        upheld=("every map of the robot's path closes the loop", "roughest trace over"),
    ),
    Said("slides", "MVU on Stick Man", "a map", ours="{stick man/SDE/GP-LVM score} (its score)"),
]
CLAIMS = [
    Claim(
        "every map of the run shows its cycle or its start: turns, or distance, the least of maps",
        lambda r: min(
            max(r("stick man", name, "turns"), r("stick man", name, "start")) for name in SHOWN
        ),
        least=1,
        form="{:.2f}",
    ),
    Claim(
        "every map of the robot's path closes the loop: distance of frames of one place over that "
        "of any two, the most of maps",
        lambda r: max(r("robot", name, "closure") for name in SHOWN),
        most=0.5,
        form="{:.2f}",
    ),
    Claim(
        "roughest trace over the smoothest",
        lambda r: (
            max(r("robot", name, "roughness") for name in SHOWN)
            / min(r("robot", name, "roughness") for name in SHOWN)
        ),
        least=1.5,
        form="{:.1f}",
    ),
    Claim(
        "MEU is not first on the stick man: score of Isomap less that of MEU",
        lambda r: r("stick man", "Isomap", "GP-LVM score") - r("stick man", "MEU", "GP-LVM score"),
        least=200,
        form="{:.0f}",
    ),
    Claim(
        "MEU is before PCA on the stick man: difference of scores",
        lambda r: r("stick man", "MEU", "GP-LVM score") - r("stick man", "PCA", "GP-LVM score"),
        least=200,
        form="{:.0f}",
    ),
    Claim(
        "MEU is before PCA on the robot: difference of scores",
        lambda r: r("robot", "MEU", "GP-LVM score") - r("robot", "PCA", "GP-LVM score"),
        least=200,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "MEU is not first on the robot: score of SDE less that of MEU",
        lambda r: r("robot", "SDE", "GP-LVM score") - r("robot", "MEU", "GP-LVM score"),
        least=50,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "robot: residual of SDE to the true path",
        lambda r: r("robot", "SDE", "Procrustes"),
        most=0.35,
        form="{:.3f}",
    ),
    Claim(
        "acyclic LLE is likelier than MEU under its own model, stick man: difference",
        lambda r: (
            r("stick man", "acyclic LLE", "own likelihood")
            - r("stick man", "MEU", "own likelihood")
        ),
        least=1000,
        form="{:.0f}",
    ),
]


MEASURED = {"stick man": ("turns", "start"), "robot": ("closure", "roughness")}


def _measured(title: str, Z: FloatArray, truth: FloatArray | None) -> tuple[float, ...]:
    if title == "stick man":
        return of_the_run(Z)
    return () if truth is None else of_the_path(Z, truth)


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The scores; they and the maps drawn."""
    robot = load("robot_wireless")
    oil = load("oil_flow")
    n_oil = 400
    sets: dict[str, tuple[FloatArray, int, dict[str, Any]]] = {
        "stick man": (load("stick_run1").X, 6, {"color": np.arange(55), "key_title": "frame"}),
        "robot": (robot.X, 7, {"color": np.arange(len(robot.X)), "key_title": "step"}),
        "oil flow": (oil.X[:n_oil], 7, {"labels": FLOWS[oil.labels[:n_oil]]}),
    }
    if quick:
        del sets["oil flow"]
    tables, drawn = [], {}
    for title, (X, k, colours) in sets.items():
        truth = robot.truth if title == "robot" else None
        models = methods(k) | {
            f"acyclic LLE, order {order}": AcyclicLocallyLinearEmbedding(
                2, n_neighbors=k, order=order
            )
            for order in ORDERS
        }
        table = Table(
            title,
            f"{title}: {len(X)} × {X.shape[1]}, k = {k}",
            {"GP-LVM score": "{:.0f}", "own likelihood": "{:.0f}", "Procrustes": "{:.3f}"}
            | dict.fromkeys(MEASURED.get(title, ()), "{:.2f}")
            | {"said": "{}"},
        )
        maps, scores = {}, {}
        for name, model in models.items():
            said = fit(model, X)
            Z = model.embedding_
            score = gplvm_score(X, Z)
            off = None if truth is None else procrustes(Z, truth).residual
            own = getattr(model, "log_likelihood_", None)
            table.add(name, score, own, off, *_measured(title, Z, truth), said)
            if "order" not in name:
                maps[name], scores[name] = Z, score
        if truth is not None:
            closed = of_the_path(X, truth)
            table.add("signals themselves", None, None, None, *closed, "", control=True)
        tables.append(table)
        drawn[f"{title}, k = {k}"] = scores
        figure = comparison(
            maps, scores={name: f"{v:.0f}" for name, v in scores.items()}, n_columns=5, **colours
        )
        for ax, (name, Z) in zip(figure.axes, maps.items(), strict=False):
            if name.startswith("MEU"):
                _draw_mattress(ax, models[name], Z)
            elif title != "oil flow":
                ax.plot(*Z.T, color=HAIRLINE, linewidth=0.8, zorder=0)
        save(figure, output / f"likelihood_of_maps_{title.replace(' ', '_')}.png")
    _draw_bars(drawn, output / "likelihood_of_maps.png")
    return tables
