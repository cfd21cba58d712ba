"""Maps of handwritten digits by methods that move the points, beside spectral ones.

The latent-factor thesis (section 2.3) describes the Sammon mapping, stochastic neighbour embedding
and unsupervised kernel regression with the spectral methods that they generalise, and says of
local minima that they "are often very good".  It shows no comparison.  Here on scikit-learn's
digits in two dimensions, from the estimator's own start and from random ones.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from experiments.record import Claim, Said, Table
from sidelight import (
    PCA,
    Isomap,
    SammonMapping,
    StochasticNeighborEmbedding,
    UnsupervisedKernelRegression,
)
from sidelight.datasets import digits
from sidelight.plot import comparison, save
from sidelight.quality import coranking_curves, neighbor_label_accuracy, trustworthiness

METHODS: dict[str, Any] = {
    "PCA": PCA(2),
    "Isomap": Isomap(2),
    "Sammon": SammonMapping(2),
    "SNE, wide bandwidth": StochasticNeighborEmbedding(2),
    "SNE, perplexity 20": StochasticNeighborEmbedding(2, perplexity=20),
    "UKR": UnsupervisedKernelRegression(2),
}
#: Another start and what it may do.
FROM_RANDOM: dict[str, Any] = {
    "Sammon": SammonMapping(2, init="random"),
    "SNE, wide bandwidth": StochasticNeighborEmbedding(2, init="random"),
    "SNE, perplexity 20": StochasticNeighborEmbedding(2, perplexity=20, init="random"),
    "UKR": UnsupervisedKernelRegression(2, init="random"),
}


TEXT = [
    Said(
        "latent",
        "section 2.3",
        "local minima are often very good; no figure",
        ours="objective from our start, least and most from random ones: Sammon "
        "{digits/Sammon/objective} ({digits/Sammon/from random starts}), UKR "
        "{digits/UKR/objective} ({digits/UKR/from random starts})",
        upheld=("Sammon: stress from the worst random start",),
        refuted=("UKR: error from the best random start",),
        because="Sammon's minima are all alike, those of kernel regression from random starts are "
        "all worse than that from ours",
        data="8 × 8 digits",
    )
]
CLAIMS = [
    Claim(
        "Sammon: stress from the worst random start over that from its own",
        lambda r: (
            r.draws("digits", "Sammon", "from random starts").max()
            / r("digits", "Sammon", "objective")
        ),
        most=1.05,
        form="{:.3f}",
    ),
    Claim(
        "UKR: error from the best random start over that from its own",
        lambda r: (
            r.draws("digits", "UKR", "from random starts").min() / r("digits", "UKR", "objective")
        ),
        least=1.0,
        form="{:.3f}",
        quick=False,
    ),
    Claim(
        "1-NN accuracy of SNE with a perplexity less that of PCA",
        lambda r: (
            r("digits", "SNE, perplexity 20", "1-NN accuracy") - r("digits", "PCA", "1-NN accuracy")
        ),
        least=0.15,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The quality of each map, and objectives from random starts; the maps."""
    X, labels = digits()
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[: 150 if quick else 600])
    X, labels = X[rows], labels[rows]
    starts = range(2 if quick else 5)
    table = Table(
        "digits",
        f"{len(X)} digits in two dimensions",
        {
            "1-NN accuracy": "{:.3f}",
            "trustworthiness": "{:.3f}",
            "AUC of R_NX": "{:.3f}",
            "CPU s": "{:.1f}",
            "objective": "{:.4f}",
            "from random starts": "{min:.4f} to {max:.4f}",
        },
        starts,
    )
    raw = neighbor_label_accuracy(X, labels).accuracy
    table.add("all 64 dimensions", raw, 1.0, 1.0, None, None, None, control=True)
    maps, scores = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, method in METHODS.items():
            before = time.process_time()
            Z = maps[name] = method.fit_transform(X)
            seconds = time.process_time() - before
            own = neighbor_label_accuracy(Z, labels).accuracy
            scores[name] = f"{own:.2f}"
            moved = name in FROM_RANDOM
            table.add(
                name,
                own,
                trustworthiness(X, Z, n_neighbors=10),
                coranking_curves(X, Z).auc,
                seconds,
                method.objective_ if moved else None,
                _random_starts(name, X, starts) if moved else None,
            )
    figure = comparison(
        maps, labels=labels.astype(str), scores=scores, n_columns=3, key_title="digit"
    )
    save(figure, output / "latent_maps.png")
    return [table]


def _random_starts(name: str, X: Any, starts: range) -> list[float]:
    return [
        float(FROM_RANDOM[name].set_params(random_state=seed).fit(X).objective_) for seed in starts
    ]
