"""Intrinsic dimension of sets whose dimension is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.quality import intrinsic_dimension
from sidelight.quality.dimension import jackknife_error

LOCAL = ["two_nn", "mle", "correlation"]


@pytest.mark.parametrize("method", LOCAL)
def test_swiss_roll_has_two_dimensions(method):
    rng = np.random.default_rng(0)
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(2000)), 21 * rng.random(2000)
    roll = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    assert float(intrinsic_dimension(roll, method=method)) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("method", LOCAL)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_cube_has_its_dimensions(method, d):
    X = np.random.default_rng(d).random((1500, d))
    # points near the faces see half a neighbourhood, which lowers the estimates as d grows
    assert float(intrinsic_dimension(X, method=method)) == pytest.approx(d, rel=0.1)


@pytest.mark.parametrize("method", [*LOCAL, "pca"])
def test_line_in_fifty_dimensions(method):
    rng = np.random.default_rng(1)
    X = rng.random((800, 1)) @ rng.normal(size=(1, 50)) + 100
    found = intrinsic_dimension(X, method=method)
    assert found.estimate == pytest.approx(1.0, abs=0.1)


def test_pca_counts_the_components_of_95_percent():
    rng = np.random.default_rng(2)
    scores = np.linalg.qr(rng.normal(size=(300, 4)) - 0.0)[0]
    scores -= scores.mean(axis=0)
    scores = np.linalg.qr(scores)[0]
    # parts 60, 30, 6 and 4 per cent of the variance
    X = (scores * np.sqrt([60, 30, 6, 4])) @ np.linalg.qr(rng.normal(size=(6, 4)))[0].T
    assert float(intrinsic_dimension(X, method="pca")) == 3.0


def test_two_nn_by_its_own_formula():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 3))
    distances = np.sort(cdist(X, X), axis=1)
    log_ratio = np.sort(np.log(distances[:, 2] / distances[:, 1]))[:90]
    survival = -np.log(1 - np.arange(1, 91) / 100)
    expected = np.linalg.lstsq(log_ratio[:, None], survival, rcond=None)[0][0]
    assert float(intrinsic_dimension(X)) == pytest.approx(expected, rel=1e-9)


def test_mle_by_its_own_formula():
    X = np.random.default_rng(4).normal(size=(80, 3))
    distances = np.sort(cdist(X, X), axis=1)[:, 1:7]
    inverse = [np.mean([np.log(row[5] / row[j]) for j in range(5)]) for row in distances]
    found = intrinsic_dimension(X, method="mle", n_neighbors=6)
    assert found.estimate == pytest.approx(1 / np.mean(inverse), rel=1e-9)


@pytest.mark.parametrize("method", LOCAL)
def test_spread_is_the_scatter_over_fresh_samples(method):
    rng = np.random.default_rng(5)
    found = [intrinsic_dimension(rng.random((400, 2)), method=method) for _ in range(40)]
    scatter = np.std([one.estimate for one in found], ddof=1)
    spread = np.mean([one.spread for one in found])
    # neighbours share their distances, which the jackknife does not see in full
    assert 0.5 < spread / scatter < 1.6


def test_the_jackknife_of_a_mean_is_its_standard_error_over_ten_groups():
    rows = np.random.default_rng(9).normal(size=(120, 1))
    groups = [rows[g::10].mean() for g in range(10)]
    found = jackknife_error(rows, lambda chosen: float(chosen.mean()))
    assert found == pytest.approx(np.std(groups, ddof=1) / np.sqrt(10), rel=1e-12)


@pytest.mark.parametrize("method", [*LOCAL, "pca"])
def test_duplicates_are_left_out(method):
    X = np.random.default_rng(6).random((300, 2))
    expected = intrinsic_dimension(X, method=method)
    repeated = np.vstack([X, X[:200], X[:50]])
    found = intrinsic_dimension(repeated, method=method)
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-9)
    assert (found.n_duplicates, found.n_samples_used) == (250, 300)


@pytest.mark.parametrize("method", LOCAL)
def test_precomputed_distances_say_the_same(method):
    X = np.random.default_rng(7).random((200, 2))
    X = np.vstack([X, X[:40]])
    expected = intrinsic_dimension(X, method=method)
    found = intrinsic_dimension(cdist(X, X), method=method, metric="precomputed")
    assert found.estimate == pytest.approx(expected.estimate, rel=1e-9)
    assert found.n_duplicates == 40


def test_a_lattice_tells_two_nn_nothing():
    grid = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
    with pytest.raises(ValueError, match=r"regular lattice.*method='mle'"):
        intrinsic_dimension(grid)
    found = intrinsic_dimension(grid, method="mle", n_neighbors=20)
    assert float(found) == pytest.approx(2.0, abs=0.4)


def test_bad_input_is_named():
    X = np.random.default_rng(8).random((20, 2))
    with pytest.raises(ValueError, match="'method' parameter of intrinsic_dimension"):
        intrinsic_dimension(X, method="guess")
    with pytest.raises(ValueError, match=r"at least 4 different rows. Got 2"):
        intrinsic_dimension(np.repeat(X[:2], 10, axis=0))
    with pytest.raises(ValueError, match="'n_neighbors' parameter of intrinsic_dimension"):
        intrinsic_dimension(X, method="mle", n_neighbors=20)
    with pytest.raises(ValueError, match="at least 2 for method='mle'"):
        intrinsic_dimension(X, method="mle", n_neighbors=1)
    with pytest.raises(ValueError, match="'euclidean' for method='pca'"):
        intrinsic_dimension(X, method="pca", metric="cosine")
