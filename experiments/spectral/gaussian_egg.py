"""The Gaussian egg: where the mass of a Gaussian is, as its dimensions grow.

The probabilistic slides ("The Gaussian Egg", "Where is the Mass?"): for y ~ N(0, I) in p dimensions
‖y‖²/p is gamma distributed, G(p/2, p/2).  Of the density the yolk is more than a twentieth within
one standard deviation of the mean, by ‖y‖/√p, the green is within a twentieth of it on both sides,
the white is beyond; the slides print
the three shares for one, two and three dimensions and draw them over p.  Beside the exact shares
stand those of 2,000 rows that are drawn from the density, and those of real data with every
dimension brought to zero mean and unit variance, whose dimensions are not independent.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import gamma

from experiments.record import Claim, Said, Table
from sidelight import ProbabilisticPCA
from sidelight.core import FloatArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import PALETTE, new_figure, style_axes, style_legend

SHARES = ("yolk", "green", "white")
PRINTED = {1: ("65.8", "4.8", "29.4"), 2: ("59.4", "7.4", "33.2"), 3: ("56.1", "9.2", "34.7")}
DIMENSIONS = (1, 2, 3, 10, 100, 1000)
DATA = {"oil flow": "oil_flow", "stick man": "stick_run1", "yeast cell cycle": "spellman_yeast"}


def shares(p: int | FloatArray) -> FloatArray:
    """Per cent of the density within 0.95, between 0.95 and 1.05, beyond 1.05."""
    inner, outer = (
        gamma.cdf(edge**2, np.divide(p, 2), scale=np.divide(2, p)) for edge in (0.95, 1.05)
    )
    return 100 * np.array([inner, outer - inner, 1 - outer])


def counted(Y: FloatArray) -> FloatArray:
    """Per cent of rows, by their mean square."""
    root = np.sqrt(np.mean(Y**2, axis=1))
    inner, outer = np.mean(root < 0.95), np.mean(root < 1.05)
    return 100 * np.array([inner, outer - inner, 1 - outer])


def drawn(p: int, seed: int, n_rows: int) -> FloatArray:
    """Rows from the density of probabilistic PCA, fitted to white rows and made white again."""
    random = np.random.default_rng(seed)
    model = ProbabilisticPCA(1).fit(random.standard_normal((2000 + 4 * p, p)))
    Y = model.sample(n_rows, random_state=seed)
    return (Y - model.mean_) / np.sqrt((model.components_**2).sum(axis=0) + model.noise_variance_)


def standardised(Y: FloatArray) -> FloatArray:
    """Every dimension of zero mean and unit variance, what is missing at the mean."""
    Y = np.nan_to_num(Y, nan=0.0)
    spread = Y.std(axis=0, ddof=1)
    return (Y - Y.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


TEXT = [
    *(
        Said(
            "slides",
            f"The Gaussian Egg, {p} dimension{'s' * (p > 1)}",
            "per cent of the density within 0.95, from there to 1.05, and beyond",
            " / ".join(PRINTED[p]),
            " / ".join(f"{{exact/p = {p}/{share}}}" for share in SHARES),
            upheld=("the printed shares are right",),
        )
        for p in PRINTED
    ),
    Said(
        "slides",
        "Where is the Mass?",
        "the shares over p (a picture): all mass goes to the shell",
        ours="in the shell {exact/p = 10/green} % at p = 10, {exact/p = 100/green} % at 100, "
        "{exact/p = 1000/green} % at 1000",
        upheld=("in 1000 dimensions all but so many",),
    ),
]
CLAIMS = [
    Claim(
        "the printed shares are right to their digits, largest difference",
        lambda r: max(
            abs(float(f"{r('exact', f'p = {p}', share):.1f}") - float(said))
            for p, figures in PRINTED.items()
            for share, said in zip(SHARES, figures, strict=True)
        ),
        most=0.1001,
    ),
    Claim(
        "in 1000 dimensions all but so many per cent are in the shell",
        lambda r: 100 - r("exact", "p = 1000", "green"),
        most=3.0,
    ),
    Claim(
        "rows drawn from the density are spread so: largest difference of their shares, %",
        lambda r: max(
            abs(r("drawn", f"p = {p}", share) - r("exact", f"p = {p}", share))
            for p in DIMENSIONS[:5]
            for share in SHARES
        ),
        most=3.0,
        form="{:.1f}",
    ),
    Claim(
        "real rows of 6178 dimensions are not: per cent of yeast in the shell, 100 predicted",
        lambda r: r("real", "yeast cell cycle", "green"),
        most=40.0,
        form="{:.0f}",
    ),
]


def _draw(path: Path) -> None:
    figure = new_figure(7.2, 4.0)
    ax = figure.subplots()
    p = np.unique(np.round(np.geomspace(1, 2000, 200))).astype(float)
    lines = shares(p)
    names = ("within 0.95", "0.95 to 1.05", "beyond 1.05")
    for line, name, colour in zip(lines, names, (PALETTE[1], PALETTE[2], PALETTE[0]), strict=True):
        ax.plot(p, line, color=colour, linewidth=1.8, label=f"{name} deviations")
    ax.set_xscale("log")
    ax.set_ylim(0, 100)
    style_axes(ax, x_label="dimensions p", y_label="% of the density")
    style_legend(ax.legend(loc="upper left"))
    save(figure, path)


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The shares: exact, of drawn rows, of real data; the curve over p."""
    columns = dict.fromkeys(SHARES, "{:.1f}")
    spread = dict.fromkeys(SHARES, "{mean:.1f} ± {sd:.1f}")
    seeds = range(3 if quick else 10)
    exact = Table("exact", "Per cent of a Gaussian's density", columns)
    for p in DIMENSIONS:
        said = dict(zip(SHARES, PRINTED.get(p, ()), strict=False))
        exact.add(f"p = {p}", *shares(p), text=said)
    sampled = Table("drawn", "Per cent of 2,000 rows drawn from it", spread, seeds)
    for p in DIMENSIONS[:5] if quick else DIMENSIONS:
        found = np.array([counted(drawn(p, seed, 2000)) for seed in seeds])
        sampled.add(f"p = {p}", *(list(column) for column in found.T))
    real = Table(
        "real",
        "Per cent of the rows of real data, every dimension of unit variance",
        {"p": "{:.0f}", **columns, "shell, if independent": "{:.1f}"},
    )
    for name, file in DATA.items():
        Y = standardised(load(file).X)
        real.add(name, Y.shape[1], *counted(Y), shares(Y.shape[1])[1])
    _draw(output / "gaussian_egg.png")
    return [exact, sampled, real]
