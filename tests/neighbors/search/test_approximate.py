"""Nearly exact neighbours: cells, exact products, descent."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight import Isomap, NeighborEmbedding
from sidelight.core.progress import listening
from sidelight.core.threads import Threads
from sidelight.neighbors import Neighbors, nearest_neighbors, recall_of
from sidelight.neighbors.search.approximate import ApproximateSearch, approximate_nearest
from sidelight.neighbors.search.cells import cells_of
from sidelight.neighbors.search.leading_axes import leading_axes
from sidelight.neighbors.search.products import exact_product, on_grid
from tools.portable import NEEDS, environment, why_not


def sheet(n, p, seed):
    """Points of a curved five-dimensional sheet in p dimensions, with noise."""
    rng = np.random.default_rng(seed)
    Z = rng.random((n, 5))
    X = np.cos(Z @ rng.normal(size=(5, p)) * 2 + rng.random(p) * 6)
    return X + 0.02 * rng.normal(size=(n, p))


def recall(found, exact):
    both = np.sort(np.hstack([found, exact]), axis=1)
    return float((both[:, 1:] == both[:, :-1]).sum() / exact.size)


def assert_right(found, X):
    """What was found is as far as it says, in order, without repetition and without the row."""
    true = np.linalg.norm(X[:, None] - X[found.indices], axis=2)
    rtol = 1e-12 if found.distances.dtype == np.float64 else 1e-6
    np.testing.assert_allclose(found.distances, true, rtol=rtol)
    assert (np.diff(found.distances, axis=1) >= 0).all()
    size = found.indices.shape[1] + 1
    assert all(len({i, *row}) == size for i, row in enumerate(found.indices.tolist()))


@pytest.mark.parametrize("n_features", [8, 30, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nearly_all_neighbours_are_found(n_features, dtype):
    X = sheet(8000, n_features, 0).astype(dtype)
    exact = nearest_neighbors(X, 12)
    found = nearest_neighbors(X, 12, method="approximate")
    assert exact.exact
    assert not found.exact
    assert found.indices.dtype == np.int32
    assert found.distances.dtype == dtype
    assert_right(found, X)
    share = recall(found.indices, exact.indices)
    assert share >= 0.97
    assert recall_of(found, X) == pytest.approx(share, abs=0.01)
    assert recall_of(exact, X) == 1.0


def far_from_all_meeting(X, k, **changed):
    """The share that is found by rows that meet 256 others at first."""
    thin = replace(ApproximateSearch(met=256), **changed)
    found = approximate_nearest(X, k, threads=1, random_state=0, search=thin)
    return recall(found[0], nearest_neighbors(X, k, method="blocked").indices)


def test_neighbours_of_neighbours_find_what_near_cells_do_not_hold():
    X = sheet(8000, 100, 1)
    assert far_from_all_meeting(X, 12) >= 0.77
    assert far_from_all_meeting(X, 12, settled=0.002) >= 0.82


@pytest.mark.parametrize(("n", "p"), [(2500, 100), (2500, 300), (6000, 200), (20_000, 100)])
def test_rows_that_a_few_axes_do_not_tell_apart(n, p):
    """All directions alike: 64 axes of 300 led to a quarter of the neighbours."""
    X = np.random.default_rng(13).normal(size=(n, p))
    assert far_from_all_meeting(X, 15) >= 0.9


def test_rows_that_a_few_axes_do_not_tell_apart_and_that_are_too_many_for_all_pairs():
    X = np.random.default_rng(14).normal(size=(4000, 200))
    exact = nearest_neighbors(X, 15, method="blocked").indices

    def share(search):
        return recall(
            approximate_nearest(X, 15, threads=1, random_state=0, search=search)[0], exact
        )

    thin = ApproximateSearch(met=1024, exact_up_to=0.0)
    assert share(thin) > 3 * share(replace(thin, held=0.0))
    wide = replace(thin, axes=16)
    assert share(wide) > 3 * share(replace(wide, held=0.0))


@pytest.mark.filterwarnings("ignore:The neighbourhood graph of Isomap fell into")
def test_few_of_the_neighbours_are_not_taken_without_a_word(monkeypatch):
    X = np.random.default_rng(15).normal(size=(2500, 120))
    options = {"neighbors": "approximate", "n_neighbors": 10}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Isomap(n_landmarks=50, **options).fit(X).neighbors_recall_ == 1.0
    poor = ApproximateSearch(met=64, rounds=1, held=0.0)
    monkeypatch.setitem(approximate_nearest.__kwdefaults__, "search", poor)
    message = "works with about .* % of the nearest .* Give neighbors='blocked' to find all"
    with pytest.warns(UserWarning, match=f"Isomap {message}"):
        assert Isomap(n_landmarks=50, **options).fit(X).neighbors_recall_ < 0.8
    with pytest.warns(UserWarning, match=f"NeighborEmbedding {message}"):
        NeighborEmbedding(max_iter=2, perplexity=5, **options).fit(X)


def hostile(kind, rng):
    """Rows of 20 features, and how many neighbours are asked for."""
    X = rng.normal(size=(5000, 20))
    if kind == "far apart":
        return X + 1e6 * rng.integers(0, 2, size=(10, 20))[rng.integers(0, 10, size=5000)]
    if kind == "far from zero":
        return X + 1e8
    if kind == "tight clusters":
        return rng.normal(size=(25, 20))[rng.integers(0, 25, size=5000)] + 1e-5 * X
    if kind == "outliers":
        X[::500] *= 1e5
        return X
    if kind == "one large cluster":
        X[:4900] *= 1e-3
        return X
    if kind == "copies by twos":
        return np.vstack([X[:2500], X[:2500]])
    if kind == "copies by thousands":
        return X[np.maximum(rng.integers(0, 5000, size=5000) - 2500, 0)]
    if kind == "on a line":
        return np.outer(rng.random(5000), rng.normal(size=20))
    if kind == "huge":
        return 1e150 * X
    assert kind == "tiny"
    return 1e-150 * X


HOSTILE = (
    "far apart",
    "far from zero",
    "tight clusters",
    "outliers",
    "one large cluster",
    "copies by twos",
    "copies by thousands",
    "on a line",
    "huge",
    "tiny",
)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_rows(kind):
    X = hostile(kind, np.random.default_rng(0))
    found = nearest_neighbors(X, 10, method="approximate")
    assert recall_of(found, X, n_sampled=5000) >= 0.95
    rows = np.arange(0, 5000, 50)
    true = np.linalg.norm((X[rows, None] - X[found.indices[rows]]) / np.abs(X).max(), axis=2)
    np.testing.assert_allclose(
        found.distances[rows], true * np.abs(X).max(), rtol=1e-9, atol=1e-300
    )
    assert (found.indices != np.arange(5000)[:, None]).all()


def test_constant_rows():
    found = nearest_neighbors(np.full((3000, 20), 7.0), 3, method="approximate")
    np.testing.assert_array_equal(found.indices[:4], [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    assert not found.distances.any()
    # and where copies are not taken out before
    indices, distances = approximate_nearest(np.full((3000, 20), 7.0), 3, threads=1, random_state=0)
    assert not distances.any()
    assert (indices != np.arange(3000)[:, None]).all()


def test_few_rows_and_many_neighbours():
    X = sheet(300, 6, 1)
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    for k in (1, 20, 250):
        indices, distances = approximate_nearest(X, k, threads=1, random_state=0)
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(indices, expected)
        np.testing.assert_allclose(distances, np.take_along_axis(D, expected, axis=1))
    # more than a part of the rows cannot be found nearly: they are found
    X = sheet(2100, 20, 1)
    found = nearest_neighbors(X, 2000, method="approximate")
    assert found.exact
    np.testing.assert_array_equal(found.indices, nearest_neighbors(X, 2000).indices)


def test_ties_go_by_index():
    X = np.random.default_rng(2).integers(0, 2, size=(4000, 16)).astype(float)
    X = np.unique(X, axis=0)
    found = nearest_neighbors(X, 8, method="approximate")
    step = np.diff(found.distances, axis=1)
    ascending = np.diff(found.indices, axis=1)
    assert (ascending[step == 0] > 0).all()
    assert (step == 0).mean() > 0.5


def test_cosine():
    X = sheet(4000, 30, 3)
    found = nearest_neighbors(X, 10, metric="cosine", method="approximate")
    exact = nearest_neighbors(X, 10, metric="cosine")
    share = recall(found.indices, exact.indices)
    assert share >= 0.97
    assert recall_of(found, X, metric="cosine") == pytest.approx(share, abs=0.01)


def test_the_automatic_choice_is_exact_where_that_is_affordable(monkeypatch):
    X = sheet(2500, 20, 4)
    assert nearest_neighbors(X, 5).exact
    monkeypatch.setattr("sidelight.neighbors.nearest.AFFORDABLE", 2400**2 * 20)
    assert not nearest_neighbors(X, 5).exact
    assert nearest_neighbors(X, 5, method="blocked").exact
    assert nearest_neighbors(X, 5, queries=X[:2400]).exact
    assert nearest_neighbors(X[:2300], 5).exact


def test_recall_is_the_share_that_was_found():
    X = np.random.default_rng(5).normal(size=(3000, 10))
    exact = nearest_neighbors(X, 10)
    indices, distances = exact.indices.copy(), exact.distances.copy()
    for spoiled in (1, 3, 10):
        # the last ones are replaced by rows that are farther than the tenth
        beyond = nearest_neighbors(X, 10 + spoiled)
        indices[:, 10 - spoiled :] = beyond.indices[:, 10:]
        distances[:, 10 - spoiled :] = beyond.distances[:, 10:]
        found = Neighbors(indices, distances, exact=False)
        assert recall_of(found, X, n_sampled=100) == pytest.approx(1.0 - spoiled / 10)


def test_threads_and_progress():
    X = sheet(6000, 70, 1)
    stages = []
    with listening(lambda progress: stages.append(progress.stage)):
        one = approximate_nearest(X, 5, threads=1, random_state=3)
    for threads in (2, 5):
        many = approximate_nearest(X, 5, threads=threads, random_state=3)
        np.testing.assert_array_equal(one[0], many[0])
        np.testing.assert_array_equal(one[1], many[1])
    assert set(stages) == {
        "cells of near rows",
        "near rows, cell by cell",
        "neighbours of neighbours",
    }


def test_more_rounds_find_more():
    X = np.random.default_rng(6).normal(size=(6000, 12))
    exact = nearest_neighbors(X, 10).indices
    shares = []
    for rounds in (1, 2, 6):
        thin = ApproximateSearch(met=400, rounds=rounds, settled=0.0)
        found = approximate_nearest(X, 10, threads=1, random_state=0, search=thin)
        shares.append(recall(found[0], exact))
    assert shares[0] + 0.02 < shares[1]
    assert shares[1] + 0.02 < shares[2]


def test_memory_is_predicted(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
    with pytest.raises(MemoryError, match=r"Isomap would need .* search for 5 neighbours of 3000"):
        nearest_neighbors(sheet(3000, 20, 0), 5, method="approximate", who="Isomap")


# Cells.


def test_cells_hold_every_row_once_and_give_it_back():
    X = sheet(5000, 11, 7) + 50.0
    with Threads(1) as pool:
        cells = cells_of(X, 60, seed=0, pool=pool)
    np.testing.assert_array_equal(np.sort(cells.order), np.arange(5000))
    sizes = np.diff(cells.starts)
    assert sizes.sum() == 5000
    assert sizes.min() >= 1
    assert sizes.max() <= 120
    np.testing.assert_array_equal(cells.cell_of, np.repeat(np.arange(len(sizes)), sizes))
    back = cells.rows.astype(float) + cells.centres[cells.cell_of]
    assert not back[:, 11:].any()
    scale = np.ptp(X[:, 0]) / np.ptp(back[:, 0])
    np.testing.assert_allclose(back[:, :11] * scale + X.mean(axis=0), X[cells.order], atol=1e-6)


def test_cells_hold_near_rows():
    X = sheet(5000, 11, 8)
    with Threads(1) as pool:
        cells = cells_of(X, 60, seed=0, pool=pool)
    within = np.square(cells.rows).sum(axis=1).mean()
    about = np.square(cells.rows + cells.centres[cells.cell_of]).sum(axis=1).mean()
    # a five-dimensional sheet in about 83 parts: each is about 83^(1/5) times smaller
    assert np.sqrt(within / about) < 0.5


# Products without rounding.


@pytest.mark.parametrize("n_columns", [8, 56, 64])
def test_products_of_rows_on_grids_are_exact(n_columns):
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(400, n_columns)) * 10.0 ** rng.integers(-9, 9, size=(400, 1))
    rows[0] = 0.0
    rounded, norms = on_grid(rows.astype(np.float32))
    wide = rounded.astype(np.longdouble)
    np.testing.assert_array_equal(rounded @ rounded.T, wide @ wide.T)
    np.testing.assert_array_equal(norms, np.square(wide).sum(axis=1))
    gaps = np.linalg.norm(rounded - rows, axis=1)
    lengths = np.linalg.norm(rows, axis=1)
    assert (gaps <= 0.5 * np.sqrt(n_columns) * lengths / 2000.0).all()


def test_products_in_double_precision_are_exact():
    rng = np.random.default_rng(10)
    A, B = (
        rng.normal(size=(50, 784)) * 10.0 ** rng.integers(-9, 9, size=(50, 1)),
        rng.random((784, 20)),
    )
    product = exact_product(A, B)
    shuffled = rng.permutation(784)
    np.testing.assert_array_equal(product, exact_product(A[:, shuffled], B[shuffled]))
    lengths = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=0)
    assert (np.abs(product - A @ B) / lengths).max() < 1e-6


def test_leading_axes_are_the_principal_ones():
    rng = np.random.default_rng(11)
    loadings = np.linalg.qr(rng.normal(size=(90, 12)))[0] * np.linspace(5, 1, 12)
    X = rng.normal(size=(3000, 12)) @ loadings.T + 0.05 * rng.normal(size=(3000, 90)) + 3.0
    leading = leading_axes(X, 12, seed=0)
    Z = leading.along(X)
    _, values, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    assert np.square(Z).sum() == pytest.approx(np.square(values[:12]).sum(), rel=1e-4)
    share = np.square(values[:12]).sum() / np.square(values).sum()
    assert leading.share == pytest.approx(share, rel=1e-4)
    np.testing.assert_allclose(
        cdist(Z[:50], Z[:50]), cdist(X[:50] @ axes[:12].T, X[:50] @ axes[:12].T), rtol=0.01
    )


def test_leading_axes_of_fewer_directions_than_axes():
    rng = np.random.default_rng(12)
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 90))
    leading = leading_axes(X, 10, seed=0)
    assert leading.share == pytest.approx(1.0, abs=1e-6)
    Z = leading.along(X)
    np.testing.assert_allclose(cdist(Z[:50], Z[:50]), cdist(X[:50], X[:50]), rtol=1e-5)


# The same bits on every processor.

_DIGEST = """
import hashlib, sys
import numpy as np
from sidelight.neighbors.search.approximate import approximate_nearest
n, p, threads = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X = rng.normal(size=(40, p))[rng.integers(0, 40, size=n)]  # no products: they would differ
X += rng.normal(size=(n, p)) / np.arange(1, p + 1)
indices, distances = approximate_nearest(X, 10, threads=threads, random_state=0)
print(hashlib.sha256(indices.tobytes() + distances.tobytes()).hexdigest())
"""


def digest(n, p, threads, changed=None):
    done = subprocess.run(
        [sys.executable, "-c", _DIGEST, str(n), str(p), str(threads)],
        env=changed,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@cache
def digest_here(n, p):
    return digest(n, p, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", NEEDS)
def test_the_same_bits_on_every_processor(kernel):
    reason = why_not(kernel)
    if reason is not None:
        pytest.skip(reason)
    assert digest(3000, 70, 2, environment(kernel, 2)) == digest_here(3000, 70)


@pytest.mark.real_data
def test_handwritten_digits():
    with np.load(Path(os.environ["SIDELIGHT_DATA"]) / "mnist_t10k.npz") as data:
        X = data["images"].reshape(10_000, -1)[:6000]
    exact = nearest_neighbors(X, 12, method="blocked")
    found = nearest_neighbors(X, 12, method="approximate")
    assert recall(found.indices, exact.indices) >= 0.97
