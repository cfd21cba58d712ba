"""The springs of a known field, estimated from more and more features of the same few points.

The probabilistic slides ("Blessing of Dimensionality"): the field is independent across features,
so that maximum likelihood is consistent as the number of features p grows at a fixed number of
points n.  Here a graph of neighbours gets springs at random, each feature is a draw from the field
that they make, and maximum entropy unfolding estimates the springs on the same graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from experiments.record import Claim, Said, Table
from sidelight import MaximumEntropyUnfolding
from sidelight.core import FloatArray
from sidelight.neighbors import neighborhood_graph
from sidelight.plot import save
from sidelight.plot.style import HAIRLINE, PALETTE, new_axes, style_axes, style_legend
from sidelight.similarity import laplacian_of

GAMMA = 0.05
SAMPLES = (10, 30, 100, 300, 1000, 3000, 10000)


def springs_of_a_sheet(n: int, rng: np.random.Generator) -> sp.csr_array:
    """Springs of random strength between neighbours in a square, as a symmetric matrix."""
    graph = sp.csr_array(sp.triu(neighborhood_graph(rng.random((n, 2)), n_neighbors=5), 1))
    graph.data = np.exp(0.5 * rng.standard_normal(len(graph.data)))
    return sp.csr_array(graph + graph.T)


def errors(n: int, p: int, seed: int) -> tuple[float, float]:
    """The relative error of the springs and of the covariance, ‖·‖ of the difference."""
    rng = np.random.default_rng(seed)
    W = springs_of_a_sheet(n, rng)
    P = laplacian_of(W)[0].toarray() + GAMMA * np.eye(n)
    Y: FloatArray = scipy.linalg.solve_triangular(
        np.linalg.cholesky(P).T, rng.standard_normal((n, p))
    )
    upper = sp.coo_array(sp.triu(W, 1))
    edges = np.column_stack(upper.coords)
    model = MaximumEntropyUnfolding(2, gamma=GAMMA).fit(Y, edges=edges)
    K, true = model.covariance(), np.linalg.inv(P)
    J = np.eye(n) - 1 / n
    return (
        float(np.linalg.norm(model.springs_ - upper.data) / np.linalg.norm(upper.data)),
        float(np.linalg.norm(J @ (K - true) @ J) / np.linalg.norm(J @ true @ J)),
    )


TEXT = [
    Said(
        "slides",
        "Blessing of Dimensionality",
        "maximum likelihood is consistent as the number of features grows",
        ours="the error of the springs falls as p to the power {powers/springs/power}",
        upheld=("the error of the springs falls", "error of the springs with the most"),
        data="drawn from a model",
    )
]
CLAIMS = [
    Claim(
        "the error of the springs falls as p to the power",
        lambda r: r("powers", "springs", "power"),
        least=-0.75,
        most=-0.35,
    ),
    Claim(
        "error of the springs with the most features over that with the fewest",
        lambda r: (
            float(np.mean(r.table("errors").rows[-1].values[0]))
            / float(np.mean(r.table("errors").rows[0].values[0]))
        ),
        most=0.3,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The errors for each number of features, and their curves."""
    n, seeds = (40, (0, 1)) if quick else (100, (0, 1, 2, 3, 4))
    counts = SAMPLES[:4] if quick else SAMPLES
    found = np.array([[errors(n, p, seed) for p in counts] for seed in seeds])
    table = Table(
        "errors",
        f"Relative error of the estimates, {n} points, mean ± sd",
        dict.fromkeys(("springs", "covariance"), "{mean:.3f} ± {sd:.3f}"),
        seeds,
    )
    for place, p in enumerate(counts):
        table.add(f"p = {p}", *found[:, place].T)
    slope = np.polyfit(np.log(counts[1:]), np.log(found[:, 1:].mean(axis=0)), 1)[0]
    powers = Table("powers", "The error falls as this power of p", {"power": "{:.2f}"})
    for name, power in zip(("springs", "covariance"), slope, strict=True):
        powers.add(name, power)

    ax = new_axes(6.0, 3.8)
    for kind, name in enumerate(("springs", "covariance")):
        mean = found[:, :, kind].mean(axis=0)
        for curve in found[:, :, kind]:
            ax.plot(counts, curve, color=PALETTE[kind], linewidth=0.5, alpha=0.5)
        ax.plot(counts, mean, "o-", color=PALETTE[kind], markersize=4, label=name)
    guide = found[:, -1, 0].mean() * np.sqrt(counts[-1] / np.array(counts))
    ax.plot(counts, guide, color=HAIRLINE, linewidth=1.0, linestyle="--", label="1/√p", zorder=0)
    ax.set_xscale("log")
    ax.set_yscale("log")
    style_axes(ax, x_label=f"features p, of {n} points", y_label="relative error")
    style_legend(ax.legend(loc="upper right"))
    save(ax, output / "blessing_of_dimensionality.png")
    return [table, powers]
