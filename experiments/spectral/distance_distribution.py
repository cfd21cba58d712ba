"""How squared distances are spread in real data, against what independent dimensions predict.

The probabilistic slides ("Where is the Mass?" to "1000-D Gaussian"): for p independent dimensions
of unit variance ‖y_i − y_j‖²/p is gamma distributed, G(p/2, p/4), with mean 2 and variance 8/p.
The slides print its variance in real data.  Their digits come out with every dimension brought to
zero mean and unit variance (n − 1), missing values of the yeast data set to zero before that, each
pair counted once and the variance over pairs taken with N − 1.  8/variance is the number of
independent dimensions with that spread.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import gamma

from experiments.record import Claim, Said, Table
from sidelight.core import FloatArray
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


TEXT = [
    Said(
        "slides",
        f"{slide}: interpoint distances",
        f"variance of squared distances against the {predicted} of independent dimensions",
        printed,
        f"{{variances/{name}/measured}}",
        upheld=(f"the variance of {name} is",),
    )
    for slide, name, printed, predicted in (
        ("Oil Data", "oil flow", PRINTED["oil flow"], "0.667"),
        ("Stick Man Data", "stick man", PRINTED["stick man"], "0.0784"),
        ("Microarray Data", "yeast cell cycle", PRINTED["yeast cell cycle"], "0.00129"),
    )
] + [
    Said(
        "slides",
        "Sanity Check; Where does practice depart from our theory?; 1000-D Gaussian",
        "squared distances of 1000 independent dimensions hardly vary, those of a Gaussian near a "
        "plane do (pictures)",
        ours="they vary as those of {variances/independent Gaussian/dimensions of that spread} "
        "and of {variances/Gaussian near a plane/dimensions of that spread} dimensions",
        upheld=("a Gaussian of 1000 dimensions near a plane", "and one of 1000 independent"),
    )
]
CLAIMS = [
    *(
        Claim(
            f"the variance of {name} is the printed one to its digits, difference",
            lambda r, name=name, said=said: abs(
                float(f"{r('variances', name, 'measured'):.3g}") - float(said)
            ),
            most=0.0,
        )
        for name, said in PRINTED.items()
    ),
    Claim(
        "a Gaussian of 1000 dimensions near a plane has the spread of so many dimensions",
        lambda r: r("variances", "Gaussian near a plane", "dimensions of that spread"),
        least=1.5,
        most=2.5,
    ),
    Claim(
        "and one of 1000 independent dimensions of so many",
        lambda r: r("variances", "independent Gaussian", "dimensions of that spread"),
        least=900,
        most=1100,
        form="{:.0f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The variances and the histograms."""
    data = {
        "oil flow": load("oil_flow").X,
        "stick man": load("stick_run1").X,
        "yeast cell cycle": load("spellman_yeast").X,
        **_gaussians(300 if quick else 1000),
    }
    table = Table(
        "variances",
        "Variance of squared distances / p",
        {
            "p": "{:.0f}",
            "predicted": "{:.3g}",
            "measured": "{:.3g}",
            "dimensions of that spread": "{:.1f}",
        },
    )
    for name, Y in data.items():
        p, variance = Y.shape[1], variance_of_squared_distances(Y)
        said = {"measured": PRINTED[name]} if name in PRINTED else {}
        table.add(name, p, 8 / p, variance, 8 / variance, control="Gaussian" in name, text=said)
    _draw(data, output / "distance_distribution.png")
    return [table]
