"""How many dimensions rows left out ask for, where it is known how many there are.

The latent-factor thesis (section 2.2.1): the number of latent variables may be chosen by
cross-validation.  ``n_components="cv"`` takes the fewest under which rows left out are likeliest,
within a standard error, of models that are densities.

* *Flat* data have so many directions in ten columns, and noise.  Asked are PCA (which is judged as
  a Gaussian density), ProbabilisticPCA, and beside them PCA's ``"auto"``, the directions that stand
  out of white noise.
* *Curved* data are functions of so many coordinates: a line, a sheet and a block, bent in every
  coordinate, turned into ten columns, with noise.  Asked are GPLVM and ProbabilisticPCA, which
  knows straight ones alone.
* Unsupervised kernel regression has no density.  Its judge would be how well rows left out are
  given back on the way to the map and back, by the same rule; a row is then seen whole, and more
  dimensions give it back better than there are.  This is why ``"cv"`` is not offered there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.record import Claim, Record, Said, Table
from sidelight import GPLVM, PCA, ProbabilisticPCA, UnsupervisedKernelRegression
from sidelight.core import FloatArray
from sidelight.plot import save
from sidelight.plot.style import PALETTE, new_figure, style_axes, style_legend

SEEDS = range(40, 43)
N_COLUMNS, NOISE = 10, 0.05
FLAT = {1: "one direction", 2: "two directions", 4: "four directions"}
CURVED = {1: "a line", 2: "a sheet", 3: "a block"}
#: The most dimensions that unsupervised kernel regression is asked for.
MOST = 6


def flat(q: int, seed: int, n: int) -> FloatArray:
    """So many directions, and noise."""
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.standard_normal((N_COLUMNS, q)))[0]
    return 1.5 * rng.standard_normal((n, q)) @ directions.T + 0.3 * rng.standard_normal(
        (n, N_COLUMNS)
    )


def curved(q: int, seed: int, n: int) -> FloatArray:
    """Functions of so many coordinates, and noise."""
    rng = np.random.default_rng(seed)
    S = rng.uniform(-1.2, 1.2, (n, q))
    bent = np.hstack([S, np.sin(2 * S), np.cos(2 * S)])
    turn = np.linalg.qr(rng.standard_normal((N_COLUMNS, 3 * q)))[0]
    return np.asarray(bent @ turn.T + NOISE * rng.standard_normal((n, N_COLUMNS)))


def by_the_way_back(X: FloatArray) -> tuple[int, FloatArray]:
    """The dimensions of kernel regression that give rows left out back, and the errors."""
    parts = np.random.default_rng(0).permutation(len(X)) % 3
    errors = []
    for q in range(1, MOST + 1):
        squares = np.empty(len(X))
        for part in range(3):
            held = parts == part
            model = UnsupervisedKernelRegression(q, max_iter=200).fit(X[~held])
            back = model.inverse_transform(model.transform(X[held]))
            squares[held] = np.sum((X[held] - back) ** 2, axis=1)
        errors.append(squares)
    best = int(np.argmin([each.mean() for each in errors]))
    short = [each - errors[best] for each in errors[: best + 1]]
    near = [each.mean() <= each.std() / np.sqrt(len(X)) for each in short]
    return 1 + near.index(True), np.array([each.mean() for each in errors])


def likeliest(X: FloatArray) -> tuple[int, FloatArray]:
    """The dimensions of the GP-LVM, and the scores."""
    model = GPLVM("cv", max_iter=60).fit(X)
    assert model.cv_scores_ is not None
    return model.n_components_, model.cv_scores_


def _off(record: Record, key: str, names: dict[int, str], column: str) -> float:
    """The share of draws in which another number was chosen than there is."""
    wrong = [
        np.mean(record.draws(key, name, column) != q)
        for q, name in names.items()
        if name in [row.name for row in record.table(key).rows]
    ]
    return float(np.mean(wrong))


TEXT = [
    Said(
        "latent",
        "section 2.2.1, number of dimensions",
        "it may be chosen by cross-validation; no figure is printed",
        ours="of a line, a sheet and a block rows left out ask for {curved/a line/GPLVM}, "
        "{curved/a sheet/GPLVM} and {curved/a block/GPLVM} dimensions of a GP-LVM; the way back of "
        "kernel regression for {curved/a line/UKR, by the way back}, {curved/a sheet/UKR, by the "
        "way back} and {curved/a block/UKR, by the way back}",
        upheld=("GPLVM: share of draws", "ProbabilisticPCA: share of draws"),
    ),
]
CLAIMS = [
    Claim(
        "ProbabilisticPCA: share of draws of flat data in which another number is chosen",
        lambda r: _off(r, "flat", FLAT, "ProbabilisticPCA"),
        most=0.25,
        form="{:.2f}",
    ),
    Claim(
        "PCA: share of draws of flat data in which another number is chosen",
        lambda r: _off(r, "flat", FLAT, "PCA"),
        most=0.25,
        form="{:.2f}",
    ),
    Claim(
        "GPLVM: share of draws of curved data in which another number is chosen",
        lambda r: _off(r, "curved", CURVED, "GPLVM"),
        most=0.34,
        form="{:.2f}",
    ),
    Claim(
        "a model of straight directions takes more than a sheet has, by so many",
        lambda r: r("curved", CURVED[2], "ProbabilisticPCA") - 2,
        least=1,
        form="{:.1f}",
    ),
    Claim(
        "the way back of kernel regression takes more than a sheet has, by so many",
        lambda r: r("curved", CURVED[2], "UKR, by the way back") - 2,
        least=1,
        form="{:.1f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The numbers that are chosen; scores by the number of dimensions drawn."""
    warnings.simplefilter("ignore")
    seeds = SEEDS[:2] if quick else SEEDS
    form, n = "{mean:.1f} ({min:.0f} to {max:.0f})", 45 if quick else 60
    straight: dict[str, Callable[[FloatArray], int]] = {
        "PCA": lambda X: PCA("cv").fit(X).n_components_,
        "ProbabilisticPCA": lambda X: ProbabilisticPCA("cv").fit(X).n_components_,
        'PCA, "auto"': lambda X: PCA("auto").fit(X).n_components_,
    }
    plain = Table(
        "flat",
        f"Directions that are chosen, mean (least to most); {n} rows",
        dict.fromkeys(straight, form),
        seeds,
    )
    for q, name in FLAT.items():
        drawn = [flat(q, seed, n) for seed in seeds]
        plain.add(name, *([choose(X) for X in drawn] for choose in straight.values()))
    bent = Table(
        "curved",
        f"Dimensions that are chosen, mean (least to most); {n} rows",
        dict.fromkeys(("GPLVM", "ProbabilisticPCA", "UKR, by the way back"), form),
        seeds,
    )
    shown: list[tuple[FloatArray, FloatArray]] = []
    for q, name in CURVED.items():
        if quick and q != 2:
            continue
        drawn = [curved(q, seed, n) for seed in seeds]
        asked = [(likeliest(X), by_the_way_back(X)) for X in drawn]
        gaussian = [ProbabilisticPCA("cv").fit(X).n_components_ for X in drawn]
        bent.add(name, [g[0] for g, _ in asked], gaussian, [u[0] for _, u in asked])
        if q == 2:
            shown = [(g[1], u[1]) for g, u in asked]
    _draw(shown, output)
    return [plain, bent]


def _draw(shown: list[tuple[FloatArray, FloatArray]], output: Path) -> None:
    """What judges a sheet: likelihood has a best number, the way back takes what it can get."""
    figure = new_figure(8.0, 3.4)
    titles = ("GP-LVM: log density", "kernel regression: error")
    for side, (ax, title) in enumerate(zip(figure.subplots(1, 2), titles, strict=True)):
        for draw, pair in enumerate(shown):
            values = pair[side]
            ax.plot(
                np.arange(1, len(values) + 1),
                values,
                "o-",
                color=PALETTE[draw % len(PALETTE)],
                markersize=4,
                linewidth=1.2,
                label=f"draw {draw + 1}",
            )
        style_axes(ax, title=f"{title} of rows left out", x_label="dimensions of the map")
        ax.set_xticks(np.arange(1, max(len(pair[side]) for pair in shown) + 1))
    style_legend(figure.axes[1].legend(loc="upper right"))
    save(figure, output / "dimensions_left_out.png")
