"""Oil flow in two dimensions: how far each spectral method keeps the three classes apart.

The latent-factor thesis (section 3.1, figure 3.3): PCA "is obviously not able to separate the
classes very well using two dimensions".  The probabilistic slides ("Isomap on Oil Data") show an
Isomap map of these data and note that the graph is disconnected.

Measured: PCA makes 162 one-nearest-neighbour errors in 1000 (all 12 dimensions: 2).  The graph is
in 8 pieces for k = 7 to 20, in 4 at k = 30, and connected only from k = 46 on; all but one of the
pieces hold stratified flow alone.  With the pieces joined by their shortest connections few
neighbours serve better than many: at k = 7 Isomap makes 22 errors, Laplacian eigenmaps 27, LLE
96; at k = 30 they make 190, 134 and 184.  The maps of Laplacian
eigenmaps and LLE spend the plane on the distances between pieces.  A Gaussian kernel PCA (270) is
worse than PCA.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from experiments._common import print_table, start
from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    ProbabilisticPCA,
)
from sidelight.core.errors import DisconnectedGraphWarning
from sidelight.datasets import load
from sidelight.neighbors import component_labels, neighborhood_graph
from sidelight.plot import comparison, save
from sidelight.quality import coranking_curves, neighbor_label_accuracy

NEIGHBORS = (7, 20, 30, 40, 45, 46)
# the classes in their order; the first has two dimensions, as two shares of a mixture should have
FLOWS = np.array(["homogeneous", "annular", "stratified"])


def methods() -> dict[str, Any]:
    """Every method, those on a graph with few and with many neighbours."""
    found: dict[str, Any] = {
        "PCA": PCA(2),
        "Probabilistic PCA": ProbabilisticPCA(2),
        "MDS": ClassicalMDS(2),
        "Kernel PCA": KernelPCA(2),
    }
    for k in (7, 30):
        found[f"LLE, k = {k}"] = LocallyLinearEmbedding(2, n_neighbors=k)
        found[f"LEM, k = {k}"] = LaplacianEigenmaps(2, n_neighbors=k)
        found[f"Isomap, k = {k}"] = Isomap(2, n_neighbors=k)
    return found


def main(output: Path, *, quick: bool = False) -> None:
    """Print the errors and the pieces of the graph, and save the maps."""
    X, labels = load("oil_flow")
    pieces = []
    for k in NEIGHBORS:
        sizes = np.sort(np.bincount(component_labels(neighborhood_graph(X, n_neighbors=k))))[::-1]
        pieces.append([f"{k}", f"{len(sizes)}", " ".join(map(str, sizes))])
    print_table(["neighbours k", "pieces", "sizes"], pieces, title="The graph of neighbours")

    maps, rows = {}, []
    for name, method in methods().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisconnectedGraphWarning)  # said in the table above
            maps[name] = method.fit_transform(X)
        errors = neighbor_label_accuracy(maps[name], labels).n_errors
        rows.append([name, f"{errors}", f"{coranking_curves(X, maps[name]).auc:.3f}"])
    raw = neighbor_label_accuracy(X, labels).n_errors
    rows.append(["all 12 dimensions", f"{raw}", "1.000"])
    print_table(
        ["method", "1-NN errors of 1000", "AUC of R_NX"], rows, title="Maps of two dimensions"
    )
    # MDS and probabilistic PCA draw PCA's map again: they are in the table only
    on_graph = [[f"{method}, k = {k}" for method in ("LLE", "LEM", "Isomap")] for k in (7, 30)]
    shown = ["PCA", *on_graph[0], "Kernel PCA", *on_graph[1]]
    figure = comparison(
        {name: maps[name] for name in shown},
        labels=FLOWS[labels],
        scores={row[0]: f"{row[1]} errors" for row in rows if row[0] in shown},
        n_columns=4,
    )
    save(figure, output / "oil_flow_maps.png")


if __name__ == "__main__":
    start(main)
