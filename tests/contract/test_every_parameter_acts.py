"""Every parameter of a constructor changes something, or is refused by name, in each mode."""

from __future__ import annotations

import inspect
import re
import warnings
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import PCA
from sidelight.neighbors import arrows_to, nearest_neighbors
from sidelight.registry import MAPS
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    Sequence,
)
from sidelight.transforms import Baseline, Gain

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.thorough]

#: Parameters that say how a result is found, not which: other tests hold their results together.
HOW = {"neighbors", "n_jobs", "random_state", "warm_start", "on_disconnected"}
#: Another admitted value of every parameter.
OTHER = {
    "alpha": 0.3,
    "back_constraint": "linear",
    "balance": "map",
    "basis": "process",
    "bandwidth": 2.0,
    "coef0": 3.0,
    "common_neighbors": True,
    "constraint": "equal",
    "continuation": "penalty",
    "data_weight": 0.3,
    "degree": 2,
    "degrees_of_freedom": 0.5,
    "diagonal": "free",
    "dissimilar_beyond": 3.0,
    "distance": "mds",
    "distance_metric": "cityblock",
    "dtype": "float32",
    "early_exaggeration": 4.0,
    "exaggeration": 3.0,
    "form": "dual",
    "gamma": 5.0,
    "image_shape": (2, 2),  # refused without a transformation
    "init": "random",
    "leave_one_out": None,  # the other one
    "locality": "laplacian",
    "max_iter": 1,
    "merge": 0.5,
    "method": "dual",
    "metric": "cityblock",
    "n_components": 3,
    "n_inducing": 10,
    "n_landmarks": 20,
    "n_neighbors": 6,
    "n_restarts": 3,
    "n_steps": 9,
    "noise": 0.3,
    "normalized": False,
    "objective": "variance",
    "order": "outward",
    "penalty": 0.1,
    "perplexity": 8.0,
    "preimage": "smoother",
    "prior": 0.5,
    "radius": 0.9,
    "reg": 0.5,
    "repulsion": "mesh",
    "ridge": 0.1,
    "side_as": "metric",
    "signs": "free",
    "similar_within": 0.1,
    "power": 2.0,
    "slack": 0.1,
    "steps": "data",
    "tol": 0.5,
    "transformation": Gain(),
    "validation_fraction": 0.2,
    "variant": "directions",
    "weights": "heat",
    "width": 0.3,
    "window": 2,
}
OWN = {
    ("KernelPCA", "kernel"): "cosine",
    ("GPLVM", "kernel"): "linear",
    ("UnsupervisedKernelRegression", "kernel"): "linear",
    ("KernelInformationEmbedding", "kernel"): "quartic",
    ("KernelInformationEmbedding", "penalty"): "l4",
    ("ConditionalEmbedding", "penalty"): "l4",
    ("MultipleRelationalEmbedding", "weights"): [0.3],
    ("MultipleRelationalEmbedding", "base"): "spectral",
    ("MultipleRelationalEmbedding", "transformations"): "full",
}


def sheet():
    rng = np.random.default_rng(6)
    t, h = 3 * rng.random(50), 2 * rng.random(50)
    flat = np.column_stack([np.cos(t), np.sin(t), h, t / 2])
    return flat + 0.05 * rng.standard_normal(flat.shape)


def said(model, X):
    """All that a fitted estimator shows, as one list of arrays."""
    shown = [model.embedding_, model.transform(1.01 * X[:6])]
    with suppress(ValueError):  # a table without items has no way back
        shown.append(model.inverse_transform(model.embedding_[:6] + 0.01))
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and isinstance(value, (int, float, np.ndarray)):
            shown.append(np.asarray(value))
    return shown


def same(one, other):
    return len(one) == len(other) and all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        for a, b in zip(one, other, strict=True)
    )


def told_of(X):
    """What may be known of 50 rows, by kind."""
    rows = np.arange(len(X))
    similar, dissimilar = [(0, 1), (2, 3), (4, 5), (9, 12)], [(0, 9), (3, 40)]
    measured = np.array([(0, 7), (3, 21), (12, 40), (8, 33)])
    lengths = np.linalg.norm(X[measured[:, 0]] - X[measured[:, 1]], axis=1)
    return {
        "Pairs": Pairs(similar=similar, dissimilar=dissimilar),
        "Attributes": Attributes(
            [Pairs.from_labels(X[:, j] > np.median(X[:, j]), max_pairs=60) for j in (0, 2)]
        ),
        "Distances": Distances(measured, 0.9 * lengths),
        "Condition": Condition(rows % 3),
        "Relation": Relation.from_values(X[:, 0]),
        "Anchors": Anchors(rows[::9], X[::9, [3, 2]]),
        "Invariance": Invariance(Baseline(degree=0)),
        "Sequence": Sequence(),
        "Actions": Actions(
            [("east", "north", "west", "south")[i // 4 % 4] for i in rows[:-1]], certain=True
        ),
    }


#: Methods that ask of a graph the distances among neighbours, too: of how many.
OF_WIDER_GRAPHS = {"lle": 40, "hybrid": 40}


def modes(entry):
    X = sheet()
    if entry.name == "ProbabilisticPCA":  # complete rows have a closed form, without steps
        X = np.where(np.arange(X.size).reshape(X.shape) % 11 == 0, np.nan, X)
        yield "holes", {}, X, None
    elif entry.name != "ActionRespectingEmbedding":
        yield "features", {}, X, None
    if entry.takes_distances and entry.name != "ActionRespectingEmbedding":
        yield "a table", {"metric": "precomputed"}, cdist(X, X), None
    if entry.name == "KernelPCA":
        yield "a kernel", {"kernel": "precomputed"}, X @ X.T, None
    if entry.takes_graph:
        wider = OF_WIDER_GRAPHS.get(entry.command)
        graph = arrows_to(nearest_neighbors(X, wider or 12))
        parameters = {"metric": "precomputed"} | ({"n_neighbors": 7} if wider else {})
        yield "a graph", parameters, graph, None
    kinds = told_of(sheet())
    # a walk is known by its actions, and a metric in front needs complete rows
    own = {"sde": set(kinds) - {"Actions"}, "are": {"Actions"}, "ppca": {"Anchors"}}
    for kind, value in kinds.items():
        if kind in entry.understands and kind in own.get(entry.command, kinds):
            rows = X[np.argsort(X[:, 3])] if kind == "Sequence" else X
            # identical frames are the same in any metric; how long steps are is not
            yield kind, {"steps": "data"} if entry.command == "are" else {}, rows, value


@cache
def plain_in_each_mode(entry):
    """Each mode, and what an estimator with its own defaults shows in it."""
    return [
        (*mode, said(entry.load()(**mode[1]).fit(mode[2], side=mode[3]), mode[2]))
        for mode in modes(entry)
    ]


def tried(entry, parameters, data, side):
    """A fitted estimator and what it warned of; none, and why, where it is refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = entry.load()(**parameters).fit(data, side=side)
        except ValueError as error:
            return None, str(error)
    return model, " ".join(str(warning.message) for warning in caught)


#: Small problems are solved beyond any tolerance.
BEYOND = {("SemidefiniteEmbedding", "tol"), ("ActionRespectingEmbedding", "tol")}
CASES = [
    (entry, name)
    for entry in MAPS
    for name in inspect.signature(entry.load()).parameters
    if name not in HOW and (entry.name, name) not in BEYOND
]


@pytest.mark.parametrize(("entry", "name"), CASES, ids=lambda v: getattr(v, "name", v))
def test_it_changes_something_or_is_refused(entry, name):
    default = inspect.signature(entry.load()).parameters[name].default
    value = OWN.get((entry.name, name), OTHER.get(name))
    value = (not default) if isinstance(default, bool) else value
    assert value is not None, f"another value of {name!r} is missing in this test"
    for mode, parameters, data, side, plain in plain_in_each_mode(entry):
        if name in parameters and name != "n_neighbors":
            continue
        if name == "side_as" and not isinstance(side, Pairs | Distances):  # which waits for them
            continue
        changed, told = tried(entry, {**parameters, name: value}, data, side)
        if changed is None:
            # by name, unless it acts on what is known until that contradicts itself
            named = re.search(rf"\b{name}\b|contradict one another", told)
            assert named, f"{name}={value!r} with {mode}: {told}"
            continue
        acts = not same(plain, said(changed, data))
        assert acts or f"'{name}'" in told or f"{name}=" in told, (
            f"{name}={value!r} of {entry.name} does nothing with {mode}, unsaid. Told: {told!r}"
        )


SEARCHERS = [e for e in MAPS if "neighbors" in inspect.signature(e.load()).parameters]


def modes_without_a_search(entry):
    """Fits in which nobody looks for the n nearest."""
    X = sheet()
    if "radius" in inspect.signature(entry.load()).parameters:
        yield {"radius": 0.9}, X, {}
        yield {"radius": 0.9, "metric": "precomputed"}, cdist(X, X), {}
    if entry.takes_graph and entry.command not in OF_WIDER_GRAPHS:
        yield {"metric": "precomputed"}, arrows_to(nearest_neighbors(X, 12)), {}
    if "Invariance" in entry.understands and entry.command != "hybrid":  # in its distances alone
        yield {}, X, {"side": Invariance(Baseline(degree=0))}
    if "edges" in inspect.signature(entry.load().fit).parameters:
        yield {}, X, {"edges": np.column_stack([np.arange(49), np.arange(1, 50)])}


@pytest.mark.parametrize("value", ["kd_tree", "blocked", "approximate"])
@pytest.mark.parametrize("entry", SEARCHERS, ids=lambda entry: entry.name)
def test_a_way_of_searching_is_refused_where_nothing_is_searched_for(entry, value):
    for parameters, data, told in modes_without_a_search(entry):
        model = entry.load()(**parameters, neighbors=value)
        with pytest.raises(ValueError, match=f"'neighbors' parameter of {entry.name}.*'{value}'"):
            model.fit(data, **told)


def test_sparse_rows_have_no_scatter_matrix():
    X = sp.csr_array(sheet())
    with pytest.raises(ValueError, match="'method' parameter of PCA must be .*sparse X.*'direct'"):
        PCA(2, method="direct").fit(X)
    assert PCA(2, method="direct").fit(X, side=told_of(sheet())["Pairs"]).embedding_.shape[1] == 2
