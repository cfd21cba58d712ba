"""The same map on every processor: each estimator, with the arithmetic of other processors."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from tempfile import TemporaryDirectory
from unittest.mock import patch
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris, load_wine

from sidelight import (
    GPLVM,
    AcyclicLocallyLinearEmbedding,
    HybridEmbedding,
    Isomap,
    KernelInformationEmbedding,
    KernelPCA,
    LaplacianEigenmaps,
    LocallyLinearEmbedding,
    LocalTangentSpaceEmbedding,
    MultipleRelationalEmbedding,
    NeighborEmbedding,
    SemidefiniteEmbedding,
    UnsupervisedKernelRegression,
)
from sidelight.neighbors import arrows_to, nearest_neighbors
from sidelight.registry import MAPS
from sidelight.side import Anchors, Condition, Distances, Pairs, Relation, Sequence
from tools.portable import NEEDS, environment, rooms_that_compute, why_not

#: Relative to the map's size.
TOLERANCE = 1e-6
#: Maps of these have the same bits everywhere.
TO_THE_BIT = ("NeighborEmbedding",)
#: Data without noise have no maximum, as the notes of GPLVM say; how a ring is turned is told.
IN_A_VALLEY = {"GPLVM of a ring": 1e-3}

_PROGRAM = """
import sys
import numpy as np
from tests.contract.test_every_processor import every_map
np.savez(sys.argv[1], **every_map())
"""


def data():
    """A noisy bent sheet, and a cloud of many columns."""
    rng = np.random.default_rng(7)
    t, h = 3 * rng.random(110), 2 * rng.random(110)
    sheet = np.column_stack([np.cos(t), np.sin(t), h, t / 2, h * t / 4])
    yield "sheet", sheet + 0.02 * rng.standard_normal(sheet.shape)
    yield "cloud", rng.standard_normal((70, 20)) * np.geomspace(3, 0.3, 20)


def told_of_digits():
    """The labels of a tenth of the first rows."""
    labels = np.full(1200, -1)
    labels[::10] = load_digits().target[:1200:10]
    return labels


@cache
def every_map():
    """The map of each estimator of the registry, with its own defaults."""
    maps = {}
    with catch_warnings():
        simplefilter("ignore")
        for name, X in data():
            for entry in MAPS:
                maps[f"{entry.name} {name}"] = entry.load()().fit_transform(X)
        digits = load_digits().data
        for name, known in (("told", Pairs.from_labels(told_of_digits())), ("digits", None)):
            model = NeighborEmbedding(max_iter=200).fit(digits[:1200], side=known)
            maps[f"NeighborEmbedding {name}"] = model.embedding_
            maps[f"NeighborEmbedding {name}, new rows"] = model.transform(digits[1200:1300])
        maps |= dict(other_repulsions(digits))
        maps |= dict(other_rows(digits[:300]))
        maps |= dict(told_otherwise(digits[:400], load_digits().target[:400]))
        maps |= dict(as_of_many_rows(digits[:500]))
        held_out = KernelInformationEmbedding(validation_fraction=0.2)
        maps["held-out rows"] = held_out.fit_transform(digits[:200])
        maps |= dict(maps_that_moved(digits[300:400], load_digits().target[300:400]))
        maps |= dict(regular_rows())
        maps |= dict(left_out(digits))
    return maps


def other_repulsions(digits):
    """Maps by the mesh, by the tree, and of more rows than have a table of all pairs."""
    by_mesh = NeighborEmbedding(repulsion="mesh", max_iter=60)
    yield "NeighborEmbedding by a mesh", by_mesh.fit_transform(digits[:600])
    by_tree = NeighborEmbedding(3, repulsion="tree", max_iter=30)
    yield "NeighborEmbedding by a tree", by_tree.fit_transform(digits[:400])
    noise = np.random.default_rng(5).normal(0, 1, (3, *digits.shape))
    many = (digits + noise).reshape(-1, digits.shape[1])
    model = NeighborEmbedding(max_iter=20).fit(many)
    yield "NeighborEmbedding of more rows", model.embedding_
    yield "NeighborEmbedding of more rows, new ones", model.transform(many[:50] + 0.5)


def other_rows(X):
    """Maps of angles, of a table, of a graph, with other tails, and from another start."""
    new = load_digits().data[300:330]
    yield from both_of("angles", NeighborEmbedding(metric="cosine", max_iter=60), X, new)
    table = NeighborEmbedding(metric="precomputed", max_iter=60)
    yield from both_of("table", table, cdist(X, X), cdist(new, X))
    graph, block = arrows_to(nearest_neighbors(X, 12)), sp.csr_array(cdist(new, X))
    yield from both_of("graph", table, graph, block)
    for tails in (0.5, np.inf):
        model = NeighborEmbedding(degrees_of_freedom=tails, max_iter=60)
        yield from both_of(f"tails {tails}", model, X, new)


def both_of(name, model, X, new, side=None):
    """A map, and new rows in it."""
    model.fit(X, side=side)
    yield f"NeighborEmbedding {name}", model.embedding_
    yield f"NeighborEmbedding {name}, new rows", model.transform(new)


def told_otherwise(X, y):
    """Maps that were told of places, distances and an order."""
    new = load_digits().data[400:430]
    rows = np.arange(0, 400, 40)
    angle = y[rows] * 0.6
    circle = 7 * np.column_stack([np.cos(angle), np.sin(angle)])
    pairs = np.column_stack([np.arange(0, 60, 2), np.arange(1, 61, 2)])
    kinds = {
        "anchors": Anchors(rows, circle),
        "one anchor": Anchors([3], [[5.0, 2.0]]),
        "distances": Distances(pairs, 1.0 + (y[pairs[:, 0]] != y[pairs[:, 1]])),
        "an order": Sequence(order=np.argsort(X @ np.arange(64.0), kind="stable")),
    }
    for name, side in kinds.items():
        yield from both_of(name, NeighborEmbedding(max_iter=60), X, new, side)
    both = [kinds["anchors"], kinds["distances"]]
    yield from both_of("both", NeighborEmbedding(max_iter=60), X, new, both)
    batch = np.arange(400) % 2
    shifted = X + 4.0 * batch[:, None] * np.linspace(-1, 1, 64)
    model = NeighborEmbedding(max_iter=60).fit(shifted, side=Condition(batch.astype(str)))
    yield "NeighborEmbedding without a factor", model.embedding_


def as_of_many_rows(X):
    """Maps whose rows are sorted on their way, and whose mesh is made of several parts."""
    few = "latent.neighbor_embedding.descent.laying_out._FEW"
    part = "repulsion.field._PART"
    with (
        patch(f"sidelight.{few}", 100),
        patch(f"sidelight.latent.neighbor_embedding.{part}", 128),
    ):
        model = NeighborEmbedding(repulsion="mesh", max_iter=60)
        yield "NeighborEmbedding in another order", model.fit_transform(X)


def maps_that_moved(X, y):
    """Maps that were other ones on other processors: saddles, and ties of rounded numbers."""
    by_class = KernelInformationEmbedding().fit(X, side=Condition((y % 3).astype(str)))
    yield "information beside classes", by_class.embedding_
    wine, kinds = load_wine(return_X_y=True)
    wine, rows = (wine - wine.mean(axis=0)) / wine.std(axis=0), np.arange(0, len(wine), 4)
    alike = Relation((kinds[rows, None] == kinds[rows]).astype(float), rows)
    yield "classes as a relation", MultipleRelationalEmbedding(2).fit(wine, side=alike).embedding_
    flowers = load_iris().data
    for method in (AcyclicLocallyLinearEmbedding(), LocalTangentSpaceEmbedding()):
        yield f"{type(method).__name__} of flowers", method.fit_transform(flowers)


def ring(n):
    """Points on a circle, equally far apart."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def regular_rows():
    """Maps that symmetry leaves open: eigenvalues are shared, axes as long, points as far."""
    for method in (Isomap, KernelPCA, LaplacianEigenmaps, LocallyLinearEmbedding):
        for n_components in (2, 3):  # all of a shared eigenvalue's vectors, and one of two
            of_many = method(n_components).fit_transform(ring(700))
            yield f"{method.__name__}({n_components}) of a long ring", of_many
    yield "HybridEmbedding of a long ring", HybridEmbedding().fit_transform(ring(700))
    for method in (GPLVM, KernelInformationEmbedding, SemidefiniteEmbedding):
        yield f"{method.__name__} of a ring", method().fit_transform(ring(48))
    yield "regression of a ring", UnsupervisedKernelRegression().fit_transform(ring(48))
    grid = 0.1 * np.argwhere(np.ones((30, 20)))
    yield "Isomap by landmarks of a grid", Isomap(n_landmarks=60).fit_transform(grid)
    for shape in ((8, 8), (15, 15), (12, 9), (5, 5, 5)):  # of several that mirror each other
        lattice = 0.1 * np.argwhere(np.ones(shape))
        model = KernelInformationEmbedding().fit(lattice)
        yield f"information of a lattice {shape}", model.embedding_
        yield f"what is told of a lattice {shape}", np.array([model.bandwidth_, model.alpha_])
    for n_components in (2, 3):
        in_tangents = LocalTangentSpaceEmbedding(n_components).fit_transform(ring(700))
        yield f"LocalTangentSpaceEmbedding({n_components}) of a long ring", in_tangents


def left_out(digits):
    """Maps of which each row is told by one other: a choice with very many optima."""
    for told in ({"leave_one_out": True}, {"bandwidth": "learned"}):
        for first in range(0, 360, 120):
            Z = KernelInformationEmbedding(**told).fit_transform(digits[first : first + 120])
            yield f"information {told} of rows from {first}", Z


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kernel", "n_threads"), [("Prescott", 2), *((kernel, 1) for kernel in NEEDS)]
)
def test_every_map_is_the_same(kernel, n_threads):
    reason = why_not(kernel)
    if reason is not None:
        pytest.skip(reason)
    here = every_map()
    with TemporaryDirectory() as folder:
        file = f"{folder}/maps.npz"
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, file],
            env=environment(kernel, n_threads),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        there = dict(np.load(file))
    assert set(there) == set(here)
    bits = [name for name in here if name.split()[0] in TO_THE_BIT]
    assert not [name for name in bits if not np.array_equal(here[name], there[name])]
    moved = {
        name: float(np.abs(there[name] - Z).max() / np.abs(Z).max()) for name, Z in here.items()
    }
    assert not {name: gap for name, gap in moved.items() if gap > IN_A_VALLEY.get(name, TOLERANCE)}


def test_the_tests_of_other_processors_are_all_that_compute():
    computing = rooms_that_compute()
    assert {"tests/contract", "tests/test_embedding.py", "tests/test_readme.py"} <= set(computing)
    assert not {"tests/plot", "tests/test_architecture.py"} & set(computing)
