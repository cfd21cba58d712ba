"""Maps of handwritten digits by methods that move the points, beside spectral ones.

The latent-factor thesis (section 2.3) describes the Sammon mapping, stochastic neighbour embedding
and unsupervised kernel regression with the spectral methods that they generalise, and says of
local minima that they "are often very good".  It shows no comparison.

Measured (600 of scikit-learn's digits, two dimensions): unsupervised kernel regression keeps them
apart best (leave-one-out 1-NN accuracy 0.968, trustworthiness 0.974, AUC of R_NX 0.492), then
stochastic neighbour embedding with a perplexity of 20 (0.928, 0.950, 0.455); with one wide
bandwidth (0.793) it is level with Isomap (0.785), and the Sammon mapping (0.593) is closer to
PCA (0.543).  Local minima are harmless for the Sammon mapping (stress 0.1162 from every one of
five random starts and from PCA) and mild for neighbour embedding (1.1867 from PCA, 1.1874 to 1.2650
at random); kernel regression depends on its start (1.424 against 1.581 to 1.679).
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from experiments._common import print_table, start
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
    "Sammon": SammonMapping(2, start="random"),
    "SNE, wide bandwidth": StochasticNeighborEmbedding(2, start="random"),
    "SNE, perplexity 20": StochasticNeighborEmbedding(2, perplexity=20, start="random"),
    "UKR": UnsupervisedKernelRegression(2, start="random"),
}


def main(output: Path, *, quick: bool = False) -> None:
    """Print the quality of each map, and of those from random starts, and draw the maps."""
    X, labels = digits()
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[: 150 if quick else 600])
    X, labels = X[rows], labels[rows]
    table, maps, scores = [], {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, method in METHODS.items():
            before = time.process_time()
            Z = maps[name] = method.fit_transform(X)
            seconds = time.process_time() - before
            own = neighbor_label_accuracy(Z, labels)
            scores[name] = f"{own.accuracy:.2f}"
            table.append(
                [
                    name,
                    f"{own.accuracy:.3f}",
                    f"{trustworthiness(X, Z, n_neighbors=10):.3f}",
                    f"{coranking_curves(X, Z).auc:.3f}",
                    f"{seconds:.1f}",
                    _random_starts(name, X, method, 2 if quick else 5),
                ]
            )
    print_table(
        [
            "method",
            "1-NN accuracy",
            "trustworthiness",
            "AUC of R_NX",
            "CPU s",
            "objective; from random starts",
        ],
        table,
        title=f"{len(X)} digits in two dimensions",
    )
    figure = comparison(
        maps, labels=labels.astype(str), scores=scores, n_columns=3, key_title="digit"
    )
    save(figure, output / "latent_maps.png")


def _random_starts(name: str, X: Any, method: Any, n_starts: int) -> str:
    if name not in FROM_RANDOM:
        return ""
    found = [
        FROM_RANDOM[name].set_params(random_state=seed).fit(X).objective_
        for seed in range(n_starts)
    ]
    return f"{method.objective_:.4f}; {min(found):.4f} to {max(found):.4f}"


if __name__ == "__main__":
    start(main)
