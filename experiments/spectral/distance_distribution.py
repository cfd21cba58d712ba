"""How squared distances are spread in real data, against what independent dimensions predict.

The probabilistic slides ("Where is the Mass?" to "1000-D Gaussian"): for p independent dimensions
of unit variance ‖y_i − y_j‖²/p is gamma distributed, G(p/2, p/4), with mean 2 and variance 8/p.
The slides print its variance in real data: oil flow 1.98 against 0.667, stick man 1.09 against
0.0784, yeast cell cycle 0.694 against 0.00129.

Measured: 1.98, 1.09 and 0.694, the printed digits, with every dimension brought to zero mean and
unit variance (n − 1), missing values of the yeast data set to zero before that, each pair counted
once and the variance over pairs taken with N − 1.  Missing values set to the gene's mean give
0.693; one common scale for all dimensions gives 1.98, 1.92 and 0.71.  The claim holds: 8/variance,
the number of independent dimensions with that spread, is 4.0 of 12, 7.3 of 102 and 11.5 of 6178;
a Gaussian of 1000 dimensions near a plane (noise of variance 0.01) has 2.0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import gamma

from experiments._common import print_table, start
from sidelight.core.arrays import FloatArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import INK, PALETTE, few_ticks, new_figure, style_axes, style_legend

PRINTED = {"oil flow": "1.98", "stick man": "1.09", "yeast cell cycle": "0.694"}


def squared_distances(Y: FloatArray) -> FloatArray:
    """‖y_i − y_j‖²/p over all pairs, every dimension of zero mean and unit variance."""
    filled = np.nan_to_num(Y, nan=0.0)
    spread = filled.std(axis=0, ddof=1)
    standardised = (filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    distances: FloatArray = pdist(standardised, "sqeuclidean") / Y.shape[1]
    return distances


def variance_of_squared_distances(Y: FloatArray) -> float:
    """The figure that the slides print."""
    return float(squared_distances(Y).var(ddof=1))


def _gaussians(n_samples: int) -> dict[str, FloatArray]:
    random = np.random.default_rng(0)
    independent = random.standard_normal((n_samples, 1000))
    plane = random.standard_normal((n_samples, 2)) @ random.standard_normal((2, 1000))
    noisy_plane = plane + 0.1 * random.standard_normal((n_samples, 1000))
    return {"independent Gaussian": independent, "Gaussian near a plane": noisy_plane}


def _draw(data: dict[str, FloatArray], path: Path) -> None:
    figure = new_figure(9.6, 5.2)
    axes = figure.subplots(2, 3).ravel()
    for ax, (name, Y) in zip(axes, data.items(), strict=False):
        p, distances = Y.shape[1], squared_distances(Y)
        ax.hist(
            distances, bins=60, density=True, color=PALETTE[0], alpha=0.55, label="pairs, measured"
        )
        # a prediction much narrower than the data would dwarf it: its peak is cut off
        predicted = gamma(p / 2, scale=4 / p)
        tallest = 1.25 * float(np.histogram(distances, bins=60, density=True)[0].max())
        where = np.unique(
            np.concatenate(
                [
                    np.linspace(0, distances.max(), 400),
                    predicted.ppf(np.linspace(0.0001, 0.9999, 400)),
                ]
            )
        )
        ax.plot(where, predicted.pdf(where), color=PALETTE[2], linewidth=1.4, label="predicted")
        ax.set_ylim(0, tallest)
        ax.set_xlim(0, max(float(np.quantile(distances, 0.9995)), 4.0))
        style_axes(ax, x_label="squared distance / p")
        ax.set_title(f"{name}, p = {p}", loc="left", fontsize=10, color=INK)
        few_ticks(ax, 4)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    axes[-1].axis("off")
    style_legend(axes[-1].legend(*axes[0].get_legend_handles_labels(), loc="upper left"))
    save(figure, path)


def main(output: Path, *, quick: bool = False) -> None:
    """Print the variances and save the histograms."""
    data = {
        "oil flow": load("oil_flow").X,
        "stick man": load("stick_run1").X,
        "yeast cell cycle": load("spellman_yeast").X,
        **_gaussians(200 if quick else 1000),
    }
    rows = []
    for name, Y in data.items():
        variance = variance_of_squared_distances(Y)
        rows.append(
            [
                name,
                f"{Y.shape[1]}",
                f"{8 / Y.shape[1]:.3g}",
                f"{variance:.3g}",
                PRINTED.get(name, ""),
                f"{8 / variance:.1f}",
            ]
        )
    header = ["data", "p", "predicted", "measured", "printed", "dimensions of that spread"]
    print_table(header, rows, title="Variance of squared distances / p")
    _draw(data, output / "distance_distribution.png")


if __name__ == "__main__":
    start(main)
