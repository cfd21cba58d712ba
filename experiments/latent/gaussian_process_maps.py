"""Oil flow by Gaussian process latent variable models: the map over how sure the model is of it.

The probabilistic slides end with the GP-LVM, every feature a smooth random function of the map.
Here it starts from PCA and takes at most 200 steps, exactly, with inducing points, and with places
tied to the rows by a back constraint.  Rows it has not seen are placed where they are likeliest;
counted is how often the nearest training row in the map has another label.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from experiments.record import Claim, Said, Table
from sidelight import GPLVM, PCA
from sidelight.core import FloatArray, IntArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import INK, PALETTE, TEXT_SIZE, new_figure, style_axes, style_legend
from sidelight.quality import neighbor_label_accuracy

FLOWS = ("homogeneous", "annular", "stratified")


def forms(max_iter: int) -> dict[str, GPLVM]:
    """The exact model, with inducing points, and with places tied to the rows."""
    steps: Any = {"max_iter": max_iter}
    return {
        "exact": GPLVM(2, n_inducing=None, **steps),
        "100 inducing points": GPLVM(2, n_inducing=100, **steps),
        "50 inducing points": GPLVM(2, n_inducing=50, **steps),
        "50 inducing, back constraint": GPLVM(2, n_inducing=50, back_constraint="rbf", **steps),
    }


def held_out_errors(model: GPLVM, labels: IntArray, X: FloatArray, truth: IntArray) -> int:
    """New rows whose nearest training row in the map has another label."""
    places = model.transform(X)
    squares = np.sum((places[:, None] - model.embedding_[None]) ** 2, axis=2)
    return int(np.sum(labels[np.argmin(squares, axis=1)] != truth))


def draw(models: dict[str, GPLVM], labels: IntArray, path: Path) -> None:
    """Every map over the precision of the data predicted there."""
    figure = new_figure(9.6, 9.0)
    for ax, (name, model) in zip(figure.subplots(2, 2).ravel(), models.items(), strict=True):
        Z = model.embedding_
        low, high = Z.min(axis=0) - 0.3, Z.max(axis=0) + 0.3
        sides = [np.linspace(a, b, 150) for a, b in zip(low, high, strict=True)]
        grid = np.stack(np.meshgrid(*sides), axis=-1)
        sure = np.log(model.precision(grid.reshape(-1, 2))).reshape(grid.shape[:2])
        ax.imshow(
            sure,
            extent=(low[0], high[0], low[1], high[1]),
            origin="lower",
            cmap="Greys_r",
            aspect="equal",
            interpolation="bilinear",
            vmin=2 * sure.min() - sure.max(),  # black would swallow the points
        )
        for number, flow in enumerate(FLOWS):
            ax.scatter(
                *Z[labels == number].T,
                s=9,
                color=PALETTE[sorted(FLOWS).index(flow)],
                label=flow,
                lw=0,
            )
        errors = neighbor_label_accuracy(Z, labels).n_errors
        style_axes(ax)
        ax.set_title(f"{name}: {errors} errors", color=INK, fontsize=TEXT_SIZE + 1)
        ax.set_xticks([])
        ax.set_yticks([])
    handles, names = figure.axes[0].get_legend_handles_labels()
    title = "lighter: the model is surer of the data there"
    style_legend(
        figure.legend(
            handles, names, loc="outside lower center", ncols=3, title=title, markerscale=2
        )
    )
    save(figure, path)


TEXT = [
    Said(
        "slides",
        "Non-Linear Latent Variable Model; Gaussian process latent variable models",
        "every feature a smooth random function of the map; no figure is printed",
        ours="one-nearest-neighbour errors: exact {oil/exact/1-NN errors}, "
        "PCA {oil/PCA/1-NN errors} of 1000",
    )
]
CLAIMS = [
    Claim(
        "errors of the exact model over those of PCA",
        lambda r: r("oil", "exact", "1-NN errors") / r("oil", "PCA", "1-NN errors"),
        most=0.5,
        form="{:.2f}",
    ),
    Claim(
        "errors of the worst form over those of PCA",
        lambda r: (
            max(float(row.values[0]) for row in r.table("oil").rows[2:])
            / r("oil", "PCA", "1-NN errors")
        ),
        most=0.2,
        form="{:.2f}",
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The errors; the maps."""
    data = load("oil_flow")
    X, labels = data
    new, truth = data.extras["X_test"], data.extras["y_test"]
    if quick:
        X, labels, new, truth = X[::4], labels[::4], new[::10], truth[::10]
    models = {}
    table = Table(
        "oil",
        f"Oil flow, {len(X)} rows and {len(new)} new ones, two dimensions",
        {
            "1-NN errors": "{:.0f}",
            "of new rows": "{:.0f}",
            "log likelihood": "{:.0f}",
            "CPU ms a step": "{:.1f}",
            "ms a new row": "{:.1f}",
        },
    )
    raw = neighbor_label_accuracy(X, labels).n_errors
    table.add("all 12 dimensions", raw, None, None, None, None, control=True)
    plain = neighbor_label_accuracy(PCA(2).fit_transform(X), labels).n_errors
    table.add("PCA", plain, None, None, None, None, control=True)
    for name, model in forms(30 if quick else 200).items():
        begun = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # as many steps for all
            models[name] = model.fit(X)
        seconds = time.process_time() - begun
        begun = time.process_time()
        missed = held_out_errors(model, labels, new, truth)
        placing = (time.process_time() - begun) / len(new)
        table.add(
            name,
            neighbor_label_accuracy(model.embedding_, labels).n_errors,
            missed,
            model.log_likelihood_,
            1e3 * seconds / model.n_iter_,
            1e3 * placing,
        )
    draw(models, labels, output / "gaussian_process_maps.png")
    return [table]
