"""Oil flow in two dimensions: how far each spectral method keeps the three classes apart.

The latent-factor thesis (section 3.1, figure 3.3): PCA "is obviously not able to separate the
classes very well using two dimensions".  The probabilistic slides ("Isomap on Oil Data") show an
Isomap map of these data and note that the graph is disconnected.  With its pieces joined by their
shortest connections few neighbours serve better than many; the maps of Laplacian eigenmaps and LLE
spend the plane on the distances between pieces.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import (
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    ProbabilisticPCA,
)
from sidelight.core import DisconnectedGraphWarning
from sidelight.datasets import load
from sidelight.neighbors import component_labels, neighborhood_graph
from sidelight.plot import comparison, save
from sidelight.quality import coranking_curves, neighbor_label_accuracy

NEIGHBORS = (7, 20, 30, 40, 45, 46)
#: Neighbours of the maps; the slides have 45.
COUNTS = (7, 30, 45)
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
    for k in COUNTS:
        found[f"LLE, k = {k}"] = LocallyLinearEmbedding(2, n_neighbors=k)
        found[f"LEM, k = {k}"] = LaplacianEigenmaps(2, n_neighbors=k)
        found[f"Isomap, k = {k}"] = Isomap(2, n_neighbors=k)
    return found


TEXT = [
    Said(
        "latent",
        "figure 3.3",
        "PCA does not separate the classes (KIE: information_maps)",
        ours="{maps/PCA/1-NN errors} one-nearest-neighbour errors of 1000 by PCA",
        upheld=("PCA: one-nearest-neighbour errors",),
    ),
    Said(
        "slides",
        "Isomap on Oil Data",
        "a map; the graph is disconnected",
        ours="{graph/k = 7/pieces} pieces at k = 7, one at k = 46; "
        "Isomap {maps/Isomap, k = 7/1-NN errors} errors of 1000",
        upheld=("the graph is in one piece from k = 46 on",),
    ),
    Said(
        "slides",
        "Laplacian Eigenmaps, LLE on Oil Data",
        "maps with 45 neighbours; no figure is printed",
        ours="errors of 1000: LEM {maps/LEM, k = 45/1-NN errors}, LLE "
        "{maps/LLE, k = 45/1-NN errors}, PCA {maps/PCA/1-NN errors}",
    ),
]
CLAIMS = [
    Claim(
        "PCA: one-nearest-neighbour errors of 1000",
        lambda r: r("maps", "PCA", "1-NN errors"),
        least=162,
        most=162,
        form="{:.0f}",
    ),
    Claim(
        "Isomap with 7 neighbours: errors",
        lambda r: r("maps", "Isomap, k = 7", "1-NN errors"),
        most=40,
        form="{:.0f}",
    ),
    Claim(
        "few neighbours serve better than many: errors of Isomap at k = 30 less those at 7",
        lambda r: (
            r("maps", "Isomap, k = 30", "1-NN errors") - r("maps", "Isomap, k = 7", "1-NN errors")
        ),
        least=100,
        form="{:.0f}",
    ),
    Claim(
        "the graph is in one piece from k = 46 on: pieces at 45 less those at 46",
        lambda r: r("graph", "k = 45", "pieces") - r("graph", "k = 46", "pieces"),
        least=1,
        form="{:.0f}",
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The errors and the pieces of the graph; the maps."""
    X, labels = load("oil_flow")
    graph = Table("graph", "The graph of neighbours", {"pieces": "{:.0f}", "sizes": "{}"})
    for k in NEIGHBORS:
        sizes = np.sort(np.bincount(component_labels(neighborhood_graph(X, n_neighbors=k))))[::-1]
        graph.add(f"k = {k}", len(sizes), " ".join(map(str, sizes)))

    table = Table(
        "maps",
        "Maps of two dimensions, errors of 1000",
        {"1-NN errors": "{:.0f}", "AUC of R_NX": "{:.3f}"},
    )
    maps, scores = {}, {}
    for name, method in methods().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisconnectedGraphWarning)  # said in the first table
            maps[name] = method.fit_transform(X)
        errors = neighbor_label_accuracy(maps[name], labels).n_errors
        scores[name] = f"{errors} errors"
        table.add(name, errors, coranking_curves(X, maps[name]).auc)
    table.add("all 12 dimensions", neighbor_label_accuracy(X, labels).n_errors, 1.0, control=True)
    # probabilistic PCA draws PCA's map again: it is in the table only
    on_graph = [[f"{method}, k = {k}" for method in ("LLE", "LEM", "Isomap")] for k in COUNTS]
    shown = ["PCA", *on_graph[0], "Kernel PCA", *on_graph[1], "MDS", *on_graph[2]]
    figure = comparison(
        {name: maps[name] for name in shown},
        labels=FLOWS[labels],
        scores={name: scores[name] for name in shown},
        n_columns=4,
    )
    save(figure, output / "oil_flow_maps.png")
    return [graph, table]
