"""Missing entries: what a GP-LVM, probabilistic PCA and nearest neighbours make of them.

A Gaussian process gives each column by itself a density, so that what is missing of a column is
left out of its likelihood.  Entries of the oil data are hidden at random and filled in; the yeast
data (77 arrays, 6,178 genes) have missing entries of their own, and a tenth of those observed are
hidden beside them.  With nearly whole rows there are close ones to copy from, and neighbours are
better than any model; with half of the entries hidden they are not.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import KNNImputer

from experiments.record import Claim, Record, Said, Table
from sidelight import GPLVM, ProbabilisticPCA
from sidelight.core import BoolArray, FloatArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import INK, PALETTE, TEXT_SIZE, new_figure, style_axes, style_legend

Fill = Callable[[FloatArray], FloatArray]


def mean_of_columns(X: FloatArray) -> FloatArray:
    """Fill in with the mean of what is observed of a column."""
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def neighbours(k: int) -> Fill:
    """Fill in with the mean of the k rows that are nearest in what both observe."""
    return lambda X: np.asarray(KNNImputer(n_neighbors=k).fit_transform(X))


def linear(q: int) -> Fill:
    """Fill in by probabilistic PCA of q dimensions."""
    return lambda X: ProbabilisticPCA(q).fit(X).impute(X)


def process(q: int, max_iter: int, n_inducing: int | None) -> Fill:
    """Fill in by a GP-LVM of q dimensions."""

    def fill(X: FloatArray) -> FloatArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return GPLVM(q, n_inducing=n_inducing, max_iter=max_iter).fit(X).impute(X)

    return fill


def error(fill: Fill, X: FloatArray, hidden: BoolArray) -> tuple[float, float]:
    """Root mean squared error of the hidden entries, and CPU seconds."""
    begun = time.process_time()
    filled = fill(np.where(hidden, np.nan, X))
    seconds = time.process_time() - begun
    return float(np.sqrt(np.mean((filled - X)[hidden] ** 2))), seconds


def draw(errors: dict[str, dict[str, float]], path: Path) -> None:
    """Bars: one group for each table, relative to the mean of columns."""
    figure = new_figure(9.6, 4.2)
    ax = figure.subplots()
    methods = list(next(iter(errors.values())))
    width = 0.8 / len(methods)
    for number, method in enumerate(methods):
        heights = [found[method] / found["mean of columns"] for found in errors.values()]
        places = np.arange(len(errors)) + (number - (len(methods) - 1) / 2) * width
        ax.bar(places, heights, width * 0.9, color=PALETTE[number], label=method)
    style_axes(ax)
    ax.set_xticks(np.arange(len(errors)), list(errors), color=INK, fontsize=TEXT_SIZE)
    ax.set_ylabel("error / error of the mean", color=INK, fontsize=TEXT_SIZE)
    style_legend(ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5)))
    save(figure, path)


TEXT = [
    Said(
        "slides",
        "the GP-LVM, independent across features",
        "a feature's missing entries leave its likelihood; no figure is printed",
        ours="half of oil hidden, r.m.s. error: GP-LVM {errors/GP-LVM, 6 dimensions/oil, 50% "
        "hidden}, mean of columns {errors/mean of columns/oil, 50% hidden}",
    )
]
CLAIMS = [
    Claim(
        "half of oil hidden: error of the GP-LVM of 2 dimensions over that of the column means",
        lambda r: _ratio(r, "GP-LVM, 2 dimensions", "mean of columns", "oil, 50% hidden"),
        most=0.9,
    ),
    Claim(
        "half of oil hidden: error of the GP-LVM of 6 dimensions over that of five neighbours",
        lambda r: _ratio(r, "GP-LVM, 6 dimensions", "5 neighbours", "oil, 50% hidden"),
        most=0.85,
        quick=False,
    ),
    Claim(
        "a tenth of oil hidden: error of five neighbours over that of the GP-LVM of 6 dimensions",
        lambda r: _ratio(r, "5 neighbours", "GP-LVM, 6 dimensions", "oil, 10% hidden"),
        most=0.95,
        quick=False,
    ),
]


def _ratio(r: Record, one: str, other: str, column: str) -> float:
    return r("errors", one, column) / r("errors", other, column)


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The errors, and bars."""
    oil, yeast = load("oil_flow").X, load("spellman_yeast").X
    if quick:
        oil, yeast = oil[::8], yeast[:, ::40]
    random = np.random.default_rng(0)
    tables = {
        f"oil, {share:.0%} hidden": (oil, random.random(oil.shape) < share) for share in (0.1, 0.5)
    }
    for _, hidden in tables.values():
        hidden[hidden.all(axis=1), 0] = False  # every row keeps an entry
    seen = ~np.isnan(yeast)
    hidden = seen & (random.random(yeast.shape) < 0.1)
    enough = (seen & ~hidden).sum(axis=0) >= 2  # genes seen at least twice
    tables["yeast, 10% hidden"] = (yeast[:, enough], hidden[:, enough])
    steps = 15 if quick else 100
    errors: dict[str, dict[str, float]] = {}
    times: dict[str, float] = {}
    for name, (X, hidden) in tables.items():
        inducing = 50 if len(X) > 500 else None
        methods = {
            "mean of columns": mean_of_columns,
            "5 neighbours": neighbours(5),
            "20 neighbours": neighbours(20),
            "PPCA, 2 dimensions": linear(2),
            "PPCA, 6 dimensions": linear(6),
            "GP-LVM, 2 dimensions": process(2, steps, inducing),
            "GP-LVM, 6 dimensions": process(6, steps, inducing),
        }
        errors[name] = {}
        for method, fill in methods.items():
            errors[name][method], seconds = error(fill, X, hidden)
            times[method] = max(seconds, times.get(method, 0.0))
    table = Table(
        "errors",
        "Root mean squared error of the hidden entries",
        dict.fromkeys(errors, "{:.4f}") | {"CPU s, most": "{:.1f}"},
        [0],
    )
    for method, seconds in times.items():
        cells = [found[method] for found in errors.values()]
        table.add(method, *cells, seconds, control=method == "mean of columns")
    draw(errors, output / "missing_values.png")
    return [table]
