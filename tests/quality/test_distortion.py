"""Stress, rank correlation and residual variance by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr

from sidelight.quality import residual_variance, shepard_correlation, stress

# distances 3, 4, 5 in the data and 3, 4, 7 in the map
ANGLE = np.array([[0.0, 3.0], [0.0, 0.0], [4.0, 0.0]])
LINE = np.array([[-3.0], [0.0], [4.0]])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("raw", 4.0),
        ("normalised", np.sqrt(4 / 50)),
        ("kruskal", np.sqrt(4 / 74)),
        ("sammon", (4 / 5) / 12),
    ],
)
def test_stress_by_hand(kind, expected):
    assert stress(ANGLE, LINE, kind=kind, scaled=False) == pytest.approx(expected)


def test_scaled_stress_by_hand():
    # α = 60/74 and Σ (δ − α d)² = 50 − 60²/74
    assert stress(ANGLE, LINE, kind="raw") == pytest.approx(50 - 3600 / 74)
    assert stress(ANGLE, LINE) == pytest.approx(np.sqrt(1 - 3600 / 74 / 50))
    assert stress(ANGLE, LINE, kind="kruskal") == pytest.approx(np.sqrt(1 - 3600 / 74 / 50))
    # Sammon: α = Σ d / Σ d²/δ = 14 / (3 + 4 + 49/5)
    scale = 14 / 16.8
    residual = (3 - 3 * scale) ** 2 / 3 + (4 - 4 * scale) ** 2 / 4 + (5 - 7 * scale) ** 2 / 5
    assert stress(ANGLE, LINE, kind="sammon") == pytest.approx(residual / 12)


@pytest.mark.parametrize("kind", ["raw", "normalised", "kruskal", "sammon"])
def test_no_other_scale_has_less_stress(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    Z = X[:, :2] * 3.0
    found = stress(X, Z, kind=kind)
    best = minimize_scalar(
        lambda scale: stress(X, scale * Z, kind=kind, scaled=False), bounds=(0.01, 5.0)
    )
    assert found == pytest.approx(best.fun, rel=1e-6)
    assert found < stress(X, Z, kind=kind, scaled=False)


@pytest.mark.parametrize("kind", ["raw", "normalised", "sammon"])
def test_turning_and_scaling_the_map_changes_nothing(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 4))
    Z = X[:, :2]
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    assert stress(X, 7 * Z @ turn - 3, kind=kind) == pytest.approx(stress(X, Z, kind=kind))
    isometric = np.hstack([X, np.zeros((50, 1))]) * 5
    assert stress(X, isometric, kind=kind) < 1e-12


def test_duplicates_carry_no_weight_in_sammons_stress():
    X = np.vstack([ANGLE, ANGLE[:1]])
    Z = np.vstack([LINE, LINE[:1]])
    # pairs: 3, 4, 5 and again 3, 5 from the copy of the first point, and one pair with δ = 0
    expected = (2 * 4 / 5) / (12 + 3 + 5)
    assert stress(X, Z, kind="sammon", scaled=False) == pytest.approx(expected)


def test_a_map_that_is_one_point():
    assert stress(ANGLE, np.zeros((3, 2))) == pytest.approx(1.0)
    assert residual_variance(ANGLE, np.zeros((3, 2))) == 1.0
    assert shepard_correlation(ANGLE, np.zeros((3, 2))) == 0.0


def test_data_that_are_one_point():
    with pytest.raises(ValueError, match="all distances in the 'X' argument are zero"):
        stress(np.ones((4, 2)), np.eye(4))


def test_unknown_kind():
    with pytest.raises(ValueError, match=r"'kind' parameter of stress .* Got 'worst'"):
        stress(ANGLE, LINE, kind="worst")


def test_many_columns_take_the_product_and_agree_with_scipy():
    rng = np.random.default_rng(2)
    X = 1e3 + rng.normal(size=(70, 50))
    X[1] = X[0] + 1e-9
    Z = rng.normal(size=(70, 3))
    delta, d = pdist(X), pdist(Z)
    expected = np.sqrt(1 - (delta @ d) ** 2 / (delta @ delta) / (d @ d))
    assert stress(X, Z) == pytest.approx(expected, rel=1e-9)
    weighted = np.sum((delta - d) ** 2 / delta) / delta.sum()
    # the pair at 1e-9 carries most of the sum: its distance must be right in itself
    assert stress(X, Z, kind="sammon", scaled=False) == pytest.approx(weighted, rel=1e-6)


def test_shepard_correlation_agrees_with_scipy():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (60, 3)).astype(float)
    Z = X[:, :2] + 0.2 * rng.normal(size=(60, 2))
    expected = spearmanr(pdist(X), pdist(Z)).statistic
    assert 0.5 < expected < 0.95
    assert shepard_correlation(X, Z) == pytest.approx(expected, abs=1e-12)


def test_shepard_correlation_sees_order_alone():
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(30, 2))
    table = squareform(pdist(Z)) ** 3
    assert shepard_correlation(table, Z, metric="precomputed") == pytest.approx(1.0)


def test_residual_variance_agrees_with_numpy():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4))
    Z = X[:, :2]
    expected = 1 - np.corrcoef(pdist(X), pdist(Z))[0, 1] ** 2
    assert residual_variance(X, Z) == pytest.approx(expected, rel=1e-10)
    table = squareform(pdist(X))
    assert residual_variance(table, Z, metric="precomputed") == pytest.approx(expected, rel=1e-10)
    # a linear relation with an offset explains everything
    shifted = np.where(np.eye(60), 0, 2 * squareform(pdist(Z)) + 1)
    assert residual_variance(shifted, Z, metric="precomputed") < 1e-12


def test_pairs_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1KB")
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(MemoryError, match=r"shepard_correlation would need .* quality_report"):
        shepard_correlation(X, X)
