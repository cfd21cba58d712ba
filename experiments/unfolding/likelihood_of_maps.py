"""Every spectral and unfolding map of three data sets, scored by the likelihood of the data.

The probabilistic slides ("Motion Capture: Model Scores", "Robot Navigation: Model Scores") score
maps by the GP-LVM log likelihood, after Harmeling (2007): the higher, the better a smooth function
of the map explains the data.  They show maximum entropy unfolding (MEU) and its relatives on the
run of a stick man, which has a start and a cycle, and on the WiFi strengths along a robot's square
path, which closes a loop.  The slides print no numbers.

Measured (k = 6, 7, 7): "MEU first" holds on neither of the slides' sets.  Stick man: Isomap −2283,
SDE −2729, MEU −3062, kernel PCA −3573, MEU of free signs −3593, LEM −3671, PCA −3804, acyclic LLE
−3809, LLE −7544.  Robot: SDE −971, Isomap −1019, MEU −1125 (free) and −1134, LEM −1391, acyclic
LLE −1634, PCA −1893, LLE −4680; SDE is also nearest to the true path (Procrustes residual 0.244;
Isomap 0.423, MEU 0.438, PCA 0.522).  On 400 rows of oil flow MEU is first: −1500, before LEM −1589,
MEU free −1656, SDE −1893 and Isomap −1911; that map spends the plane on the gaps between the
pieces of the graph, as LEM's does, and is not the one to look at.  MEU keeps both the start and
the cycle of the run, and closes the robot's loop.

Acyclic LLE is likelier than MEU under its own model (11219 against 5509 on the stick man) and its
map is no better: the order that is likeliest there takes the farthest point next, which makes
PCA's map.  By the nearest point next the score is −2864, third of all.  On the robot the best
order is the farthest next (−1460, Procrustes 0.476), and the likeliest goes outward (−1634).
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from experiments._common import print_table, start
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
from sidelight.core.arrays import FloatArray
from sidelight.core.errors import DisconnectedGraphWarning
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


def main(output: Path, *, quick: bool = False) -> None:
    """Print the scores, and save them with the maps."""
    robot = load("robot_wireless")
    oil = load("oil_flow")
    n_oil = 120 if quick else 400
    sets: dict[str, tuple[FloatArray, int, dict[str, Any]]] = {
        "stick man": (load("stick_run1").X, 6, {"color": np.arange(55), "key_title": "frame"}),
        "robot": (robot.X, 7, {"color": np.arange(len(robot.X)), "key_title": "step"}),
        "oil flow": (oil.X[:n_oil], 7, {"labels": FLOWS[oil.labels[:n_oil]]}),
    }
    tables: dict[str, dict[str, float]] = {}
    for title, (X, k, colours) in sets.items():
        rows, maps, scores, models = [], {}, {}, methods(k)
        for name, model in models.items():
            said = fit(model, X)
            maps[name] = model.embedding_
            scores[name] = gplvm_score(X, maps[name])
            likelihood = getattr(model, "log_likelihood_", None)
            row = [name, f"{scores[name]:.0f}", "" if likelihood is None else f"{likelihood:.0f}"]
            if title == "robot":
                row.append(f"{procrustes(maps[name], robot.truth).residual:.3f}")
            rows.append([*row, said])
        for order in ORDERS:
            model = AcyclicLocallyLinearEmbedding(2, n_neighbors=k, order=order)
            fit(model, X)
            score = gplvm_score(X, model.embedding_)
            row = [f"  order {order}", f"{score:.0f}", f"{model.log_likelihood_:.0f}"]
            if title == "robot":
                row.append(f"{procrustes(model.embedding_, robot.truth).residual:.3f}")
            rows.append([*row, ""])
        header = ["method", "GP-LVM score", "own likelihood"]
        header += ["Procrustes"] if title == "robot" else []
        print_table([*header, "said"], rows, title=f"{title}: {len(X)} × {X.shape[1]}, k = {k}")
        tables[f"{title}, k = {k}"] = scores
        figure = comparison(
            maps, scores={name: f"{v:.0f}" for name, v in scores.items()}, n_columns=5, **colours
        )
        for ax, (name, Z) in zip(figure.axes, maps.items(), strict=False):
            if name.startswith("MEU"):
                _draw_mattress(ax, models[name], Z)
            elif title != "oil flow":
                ax.plot(*Z.T, color=HAIRLINE, linewidth=0.8, zorder=0)
        save(figure, output / f"likelihood_of_maps_{title.replace(' ', '_')}.png")
    _draw_bars(tables, output / "likelihood_of_maps.png")


if __name__ == "__main__":
    start(main)
