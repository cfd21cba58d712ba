"""One dimension for each factor that a hundred faces were labelled with.

The latent-factor thesis (section 4.3.2, figure 4.4): of 698 faces, 100 are labelled with their two
pose angles, their light and their "ink", the sum of their pixels; multiple relational embedding in
four dimensions "devotes one dimension to each" and arranges the 598 others accordingly.  The
thesis shows one run.

Measured (ten draws of the labelled faces that played no part in choosing the default bandwidth;
rank correlation on the unlabelled, mean and worst): every factor gets a dimension of its own in
ten draws of ten. At 0.15 of the mean squared distance left–right 0.888 (0.878), up–down 0.877
(0.851), light 0.868 (0.833), ink 0.973 (0.959). A third of it is better for pose and light
(0.902, 0.931, 0.883) and worse for ink (0.940); at the mean squared distance ink is best (0.990)
and up–down suffers (0.747). A factor that is a small part of the variance needs the wide one: the
ink of digits of all kinds, a hundred of 400 labelled, is 0.566 at 0.15 of the mean squared
distance, 0.961 (0.941) at the mean and 0.968 (0.950) at twice that.  ``bandwidth="auto"``
withholds labels and finds this out: narrow in ten draws of the faces (0.889, 0.879, 0.866 and
0.974; worst 0.878, 0.851, 0.837, 0.967) and wide for the digits, 0.969 (0.951).
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning

from experiments._common import print_table, start
from sidelight import MultipleRelationalEmbedding
from sidelight.core.arrays import FloatArray, IntArray
from sidelight.datasets import digits, load
from sidelight.plot import save, scatter
from sidelight.plot.style import FAINT, INK, TEXT_SIZE, new_figure, value_map
from sidelight.side import Relation

FACTORS = ("left–right", "up–down", "light", "ink")
#: Draws that played no part in choosing bandwidths.
SEEDS, DIGIT_SEEDS = range(30, 40), range(40, 50)
#: Bandwidths, as shares of the mean squared distance.
NARROW, DEFAULT, WIDE, WIDEST = 0.05, 0.15, 1.0, 2.0


def told_map(
    X: FloatArray,
    values: FloatArray,
    n_told: int,
    seed: int,
    share: float | None,
    n_components: int,
) -> tuple[MultipleRelationalEmbedding, IntArray]:
    """Fit a map to data and to what is known of a few rows; give it and the other rows.

    ``share`` is the bandwidth's, of the mean squared distance; None leaves it to the estimator.
    """
    rng = np.random.default_rng(seed)
    told = np.sort(rng.permutation(len(X))[:n_told])
    side = [Relation.from_values(column[told], index=told) for column in values.T]
    # the mean squared distance is twice the variance
    bandwidth = "auto" if share is None else share * 2 * float(X.var(axis=0).sum())
    model = MultipleRelationalEmbedding(
        n_components, bandwidth=bandwidth, tol=1e-6, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, side=side)
    return model, np.setdiff1d(np.arange(len(X)), told)


def rank_correlations(
    model: MultipleRelationalEmbedding, values: FloatArray, rows: IntArray
) -> list[float]:
    """How well each relation's own dimension orders rows of which it was told nothing."""
    own = model.relevance_[1:].argmax(axis=1)
    return [
        abs(float(spearmanr(model.embedding_[rows, axis], values[rows, factor]).statistic))
        for factor, axis in enumerate(own)
    ]


def inked_digits(n_samples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Digits printed with more or less ink, and how much there is on each."""
    rng = np.random.default_rng(seed)
    X = digits().X
    X = X[np.sort(rng.permutation(len(X))[:n_samples])]
    X = X * rng.uniform(0.3, 1.0, n_samples)[:, None]
    return X, X.sum(axis=1)[:, None]


def _summary(label: str, found: list[list[float]], distinct: list[bool]) -> list[str]:
    values = np.array(found)
    cells = [f"{column.mean():.3f} ({column.min():.3f})" for column in values.T]
    return [label, f"{sum(distinct)} of {len(distinct)}", *cells]


def _ink_of_digits(share: float | None, *, quick: bool) -> list[str]:
    n_samples = 120 if quick else 400
    found = []
    for seed in list(DIGIT_SEEDS)[: 1 if quick else None]:
        X, ink = inked_digits(n_samples, seed)
        model, rest = told_map(X, ink, n_samples // 4, seed, share, 3)
        found.append(rank_correlations(model, ink, rest))
    return [_in_words(share), *_summary("", found, [True])[2:]]


def _in_words(share: float | None) -> str:
    return "auto" if share is None else f"{share:g} of the mean squared distance"


def main(output: Path, *, quick: bool = False) -> None:
    """Print rank correlations on the unlabelled, and draw one map with what each relation uses."""
    faces = load("isomap_faces")
    assert faces.truth is not None
    rows = np.arange(0, len(faces.X), 4 if quick else 1)
    X, images = faces.X[rows], faces.images[rows]
    values = np.column_stack([faces.truth[rows], X.sum(axis=1)])
    seeds = list(SEEDS)[: 1 if quick else None]
    table, shown = [], None
    for share in (NARROW, DEFAULT, WIDE, None):
        found, distinct = [], []
        for seed in seeds:
            model, rest = told_map(X, values, 60 if quick else 100, seed, share, 4)
            found.append(rank_correlations(model, values, rest))
            distinct.append(len(set(model.relevance_[1:].argmax(axis=1).tolist())) == 4)
            if share == DEFAULT and shown is None:
                shown = model, rest
        table.append(_summary(_in_words(share), found, distinct))
    print_table(
        ["bandwidth", "a dimension each", *FACTORS],
        table,
        title=f"{len(X)} faces, {len(seeds)} draws of the labelled ones: rank correlation on the "
        f"unlabelled, mean (worst)",
    )

    print_table(
        ["bandwidth", "ink"],
        [_ink_of_digits(share, quick=quick) for share in (DEFAULT, WIDE, WIDEST, None)],
        title="Digits printed with more or less ink, a quarter labelled",
    )
    assert shown is not None
    save(_draw(*shown, values, images), output / "relational_faces.png", dpi=150)


def _draw(
    model: MultipleRelationalEmbedding, rest: IntArray, values: FloatArray, images: Any
) -> Any:
    own = model.relevance_[1:].argmax(axis=1)
    figure = new_figure(13.2, 5.2)
    axes = figure.subplots(1, 3, width_ratios=[1, 1, 0.72])
    for ax, (first, second) in zip(axes, ((0, 1), (2, 3)), strict=False):
        scatter(
            model.embedding_[np.ix_(rest, own[[first, second]])],
            color=values[rest, first],
            images=images[rest],
            ax=ax,
            legend="none",
            max_thumbnails=45,
            axis_names=(f"dimension of {FACTORS[first]}", f"dimension of {FACTORS[second]}"),
            title=f"The unlabelled, by {FACTORS[first]} and {FACTORS[second]}",
        )
    ax = axes[2]
    shown = model.relevance_ / model.relevance_.max(axis=1, keepdims=True)
    ax.imshow(shown, cmap=value_map(), vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(model.relevance_):
        light = shown[row, column] > 0.6
        ax.text(
            column,
            row,
            f"{value:.2f}",
            ha="center",
            va="center",
            fontsize=TEXT_SIZE,
            color=INK if light else "white",
        )
    ax.set_yticks(range(5), ["pixels", *FACTORS], fontsize=TEXT_SIZE, color=INK)
    ax.set_xticks(range(4), [f"{axis + 1}" for axis in range(4)], fontsize=TEXT_SIZE, color=FAINT)
    ax.set_xlabel("dimension of the map", fontsize=TEXT_SIZE, color=FAINT)
    ax.set_title(
        "What each relation makes of it, |R|·std(Z)", loc="left", fontsize=TEXT_SIZE + 1, color=INK
    )
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    return figure


if __name__ == "__main__":
    start(main)
