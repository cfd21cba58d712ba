"""Every estimator of the library, what it listens to and what it gives back.

The table in the README, the contract tests, the command line and the lazy names of the package
are all read from here.  Nothing is imported: an entry names its module.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

#: Kinds that bring the finished map to where it is wanted, unless a method has a better place.
BEHIND = ("Anchors",)
#: Kinds that act on feature vectors, whatever the method does with them.
IN_FRONT = ("Condition", "Pairs", "Attributes", "Distances", "Relation")


@dataclass(frozen=True)
class Entry:
    """One estimator: where it lives, what it understands, what it gives.

    Parameters
    ----------
    name : str
        The class name.
    family : str
        The folder: ``"spectral"``, ``"metric"`` …
    summary : str
        What the method does, in a few words.
    module : str
        The module that defines it.
    command : str
        Its short name on the command line.
    understands : tuple of str
        The kinds of side information it takes; by default what any map of feature vectors does.
    gives : tuple of str
        Out of ``"map"``, ``"new points"``, ``"way back"``, ``"density"``.
    needs_graph : bool
        Whether it works from a neighbourhood graph that must hang together.
    takes_distances : bool
        Whether a table of distances will do, ``metric="precomputed"``.
    takes_graph : bool
        Whether a sparse graph of distances will do as well.
    inside : tuple of str
        The kinds that act inside the method: they need no feature vectors, and are kept as it can.
    """

    name: str
    family: str
    summary: str
    module: str
    command: str
    understands: tuple[str, ...] = (*IN_FRONT, *BEHIND)
    gives: tuple[str, ...] = ("map", "new points", "way back")
    needs_graph: bool = False
    takes_distances: bool = False
    takes_graph: bool = False
    inside: tuple[str, ...] = ()

    def place_of(self, kind: str) -> str:
        """Where a kind of side information acts: inside the method, in front of it or behind it."""
        if kind in self.inside:
            return "inside"
        return "behind" if kind in BEHIND else "in front"

    def load(self) -> type[Any]:
        """Import the estimator's class."""
        loaded: type[Any] = getattr(import_module(self.module), self.name)
        return loaded


ESTIMATORS: tuple[Entry, ...] = (
    Entry(
        "PCA",
        "spectral",
        "directions of largest variance",
        "sidelight.spectral.pca",
        "pca",
    ),
    Entry(
        "ProbabilisticPCA",
        "spectral",
        "PCA as a Gaussian density; missing values",
        "sidelight.spectral.probabilistic_pca",
        "ppca",
        gives=("map", "new points", "way back", "density"),
    ),
    Entry(
        "KernelPCA",
        "spectral",
        "PCA in a feature space",
        "sidelight.spectral.kernel_pca",
        "kpca",
    ),
    Entry(
        "ClassicalMDS",
        "spectral",
        "a map from distances",
        "sidelight.spectral.classical_mds",
        "mds",
        takes_distances=True,
    ),
    Entry(
        "Isomap",
        "spectral",
        "a map from distances along the manifold",
        "sidelight.spectral.isomap",
        "isomap",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
    ),
    Entry(
        "LocallyLinearEmbedding",
        "spectral",
        "each point as the same mixture of its neighbours",
        "sidelight.spectral.locally_linear_embedding",
        "lle",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
    ),
    Entry(
        "LaplacianEigenmaps",
        "spectral",
        "neighbours stay close: the smoothest functions on the graph",
        "sidelight.spectral.laplacian_eigenmaps",
        "lem",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
    ),
    Entry(
        "SemidefiniteEmbedding",
        "unfolding",
        "the data pulled apart as far as neighbours allow",
        "sidelight.unfolding.semidefinite.semidefinite_embedding",
        "sde",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
        understands=(*IN_FRONT, "Actions", *BEHIND),
        inside=("Pairs", "Distances", "Actions"),
    ),
    Entry(
        "ActionRespectingEmbedding",
        "unfolding",
        "every action one rigid motion of the map: predict and plan",
        "sidelight.unfolding.actions.action_respecting_embedding",
        "are",
        takes_distances=True,
        understands=(*IN_FRONT, "Actions", *BEHIND),
        inside=("Actions",),
    ),
    Entry(
        "MaximumEntropyUnfolding",
        "unfolding",
        "the most likely springs between neighbours: a Gaussian field",
        "sidelight.unfolding.entropy.maximum_entropy_unfolding",
        "meu",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
    ),
    Entry(
        "AcyclicLocallyLinearEmbedding",
        "unfolding",
        "each point as a mixture of neighbours that come before it",
        "sidelight.unfolding.acyclic.acyclic_locally_linear_embedding",
        "alle",
        needs_graph=True,
        takes_distances=True,
        takes_graph=True,
    ),
    Entry(
        "GPLVM",
        "latent",
        "every feature a smooth random function of the map; missing values",
        "sidelight.latent.gplvm.gplvm",
        "gplvm",
        gives=("map", "new points", "way back", "density"),
    ),
    Entry(
        "NeighborEmbedding",
        "latent",
        "near rows near in a map with heavy tails: t-SNE and its kin, to a million rows",
        "sidelight.latent.neighbor_embedding.neighbor_embedding",
        "ne",
        takes_distances=True,
        takes_graph=True,
        inside=("Pairs", "Distances", "Anchors"),
    ),
    Entry(
        "StochasticNeighborEmbedding",
        "latent",
        "every item picks the same neighbours in the map",
        "sidelight.latent.neighbors.stochastic_neighbor_embedding",
        "sne",
        takes_distances=True,
        inside=("Anchors",),
    ),
    Entry(
        "MultipleRelationalEmbedding",
        "latent",
        "one map for several kinds of similarity",
        "sidelight.latent.relational.multiple_relational_embedding",
        "mre",
        takes_distances=True,
        inside=("Relation",),
    ),
    Entry(
        "UnsupervisedKernelRegression",
        "latent",
        "points from which the items can be told",
        "sidelight.latent.regression.unsupervised_kernel_regression",
        "ukr",
        inside=("Anchors",),
    ),
    Entry(
        "SammonMapping",
        "latent",
        "distances kept, short ones more carefully",
        "sidelight.latent.sammon_mapping",
        "sammon",
        takes_distances=True,
        inside=("Anchors",),
    ),
    Entry(
        "KernelInformationEmbedding",
        "latent",
        "the map that tells most about the data; leaves a known factor out",
        "sidelight.latent.information.kernel_information_embedding",
        "kie",
        inside=("Condition",),
        gives=("map", "new points", "way back", "density"),
    ),
    Entry(
        "EquivalenceMetric",
        "metric",
        "a metric from pairs that belong together or do not",
        "sidelight.metric.equivalence",
        "equivalence",
        understands=("Pairs", "Relation"),
        gives=("new points", "way back"),
    ),
    Entry(
        "MultiAttributeMetric",
        "metric",
        "a metric for several distinctions at once",
        "sidelight.metric.multi_attribute",
        "attributes",
        understands=("Attributes", "Pairs"),
        gives=("new points", "way back"),
    ),
    Entry(
        "DistanceMetric",
        "metric",
        "a metric from known distances",
        "sidelight.metric.distance",
        "distances",
        understands=("Distances",),
        gives=("new points", "way back"),
    ),
    Entry(
        "FactorRemoval",
        "metric",
        "a known factor taken out of the features",
        "sidelight.metric.factor_removal",
        "removal",
        understands=("Condition",),
        gives=("new points", "way back"),
    ),
)

#: The estimators that make a map, which is what the command line's methods are.
MAPS: tuple[Entry, ...] = tuple(entry for entry in ESTIMATORS if "map" in entry.gives)


def understood_by(estimator: type[Any]) -> tuple[str, ...]:
    """The kinds of side information that a class of estimators takes."""
    entry = entry_of(estimator)
    return () if entry is None else entry.understands


def entry_of(estimator: type[Any]) -> Entry | None:
    """The entry of a class of estimators or of its nearest ancestor that has one."""
    entries = {entry.name: entry for entry in ESTIMATORS}
    known = [entries[cls.__name__] for cls in estimator.__mro__ if cls.__name__ in entries]
    return known[0] if known else None


def entry_for(name: str) -> Entry:
    """Find an estimator by its class name or its short name."""
    for entry in ESTIMATORS:
        if name.lower() in (entry.name.lower(), entry.command):
            return entry
    commands = {alias.lower(): e.command for e in MAPS for alias in (e.command, e.name)}
    commands |= dict.fromkeys(("tsne", "t-sne", "umap"), "ne")  # what others call it
    near = get_close_matches(name.lower(), commands, n=1)
    hint = f" Did you mean {commands[near[0]]!r}?" if near else ""
    known = ", ".join(entry.command for entry in MAPS)
    raise ValueError(f"There is no method {name!r}.{hint} The methods are: {known}.")
