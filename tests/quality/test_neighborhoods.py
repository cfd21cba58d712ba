"""Trustworthiness and continuity against a naive reference and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from sidelight.quality import continuity, trustworthiness


def naive_ranks(points):
    """Ranks by (squared distance, index), the point itself left out."""
    n = len(points)
    ranks = np.zeros((n, n), dtype=int)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        others.sort(key=lambda j: (sum((points[i] - points[j]) ** 2), j))
        for rank, j in enumerate(others, start=1):
            ranks[i, j] = rank
    return ranks


def naive_trustworthiness(first, second, k):
    n = len(first)
    data, mapped = naive_ranks(first), naive_ranks(second)
    penalty = sum(
        data[i, j] - k
        for i in range(n)
        for j in range(n)
        if i != j and mapped[i, j] <= k < data[i, j]
    )
    return 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty


@pytest.mark.parametrize("k", [1, 3, 7])
def test_naive_reference_with_ties(k):
    rng = np.random.default_rng(k)
    X = rng.integers(0, 4, (18, 3)).astype(float)
    Z = rng.integers(0, 3, (18, 2)).astype(float)
    expected = naive_trustworthiness(X, Z, k)
    assert expected < 0.95
    assert trustworthiness(X, Z, n_neighbors=k) == pytest.approx(expected, abs=1e-14)
    expected = naive_trustworthiness(Z, X, k)
    assert continuity(X, Z, n_neighbors=k) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("n_features", "k"), [(5, 5), (40, 12)])
def test_agrees_with_scikit_learn(n_features, k):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, n_features))
    Z = X[:, :2] + 0.1 * rng.normal(size=(300, 2))
    expected = sklearn_trustworthiness(X, Z, n_neighbors=k)
    assert trustworthiness(X, Z, n_neighbors=k) == pytest.approx(expected, abs=1e-13)
    # scikit-learn has no continuity, which is trustworthiness the other way round
    expected = sklearn_trustworthiness(Z, X, n_neighbors=k)
    assert continuity(X, Z, n_neighbors=k) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "correlation", "chebyshev"])
def test_metrics_agree_with_scikit_learn(metric):
    rng = np.random.default_rng(1)
    X = rng.random((120, 30)) + 0.1
    Z = X[:, :2]
    expected = sklearn_trustworthiness(X, Z, n_neighbors=6, metric=metric)
    found = trustworthiness(X, Z, n_neighbors=6, metric=metric)
    assert found == pytest.approx(expected, abs=1e-13)


def test_worst_map_has_trustworthiness_zero():
    # the k neighbours in the map are the farthest in the data, from every point
    order = np.array([0, 1, 2, 3])
    data = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]], dtype=float)
    Z = np.array([[0.0], [10.0], [10.1], [0.1]])[order]
    assert trustworthiness(data, Z, n_neighbors=1, metric="precomputed") == pytest.approx(0.0)


def test_near_duplicates_far_from_the_origin_are_told_apart():
    # ‖x‖² + ‖y‖² − 2 x·y has no digit left for distances of 1e-6 around 1e4
    rng = np.random.default_rng(2)
    n = 120
    centres = 1e4 + rng.normal(size=(2, 64))
    place = np.sort(rng.random(n))
    direction = rng.normal(size=64)
    direction /= np.linalg.norm(direction)
    group = np.arange(n) % 2
    X = centres[group] + 1e-4 * place[:, None] * direction
    Z = np.column_stack([100.0 * group, 1e-4 * place])
    assert trustworthiness(X, Z, n_neighbors=3) > 0.9999
    assert continuity(X, Z, n_neighbors=3) > 0.9999


@pytest.mark.parametrize("n_neighbors", [0, 5, 2.0, True, None])
def test_n_neighbors_out_of_range(n_neighbors):
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(
        ValueError, match=r"'n_neighbors' parameter of trustworthiness .* at most 4"
    ):
        trustworthiness(X, X, n_neighbors=n_neighbors)
    with pytest.raises(ValueError, match=r"'n_neighbors' parameter of continuity"):
        continuity(X, X, n_neighbors=n_neighbors)


def test_bad_input_is_named():
    X = np.random.default_rng(0).normal(size=(12, 3))
    hole = X.copy()
    hole[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"'X' argument of trustworthiness .* first in row 4"):
        trustworthiness(hole, X)
    with pytest.raises(ValueError, match=r"'Z' argument of trustworthiness .* first in row 4"):
        trustworthiness(X, hole)
    with pytest.raises(ValueError, match=r"'X' and 'Z' .* Got 12 and 11"):
        trustworthiness(X, X[:-1])
    with pytest.raises(ValueError, match=r"reshape\(-1, 1\)"):
        trustworthiness(X, X[:, 0])
    with pytest.raises(ValueError, match=r"'metric' parameter .* Got 'nonsense'"):
        trustworthiness(X, X, metric="nonsense")
    with pytest.raises(ValueError, match=r"zero row \(row 3\)"):
        trustworthiness(np.where(np.arange(12)[:, None] == 3, 0, X), X, metric="cosine")
    with pytest.raises(ValueError, match="table of real numbers"):
        trustworthiness([["a", "b"]] * 5, X[:5])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D: D[:, :-1], "got shape"),
        (lambda D: -D, "negative entry"),
        (lambda D: D + np.eye(len(D)), "diagonal is not zero"),
        (lambda D: np.triu(D), "differs from its transpose"),
        (lambda D: np.where(D > 1, np.inf, D), "must be finite"),
    ],
)
def test_tables_that_are_no_distances(change, message):
    line = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match=message):
        trustworthiness(change(np.abs(line - line.T)), line, n_neighbors=2, metric="precomputed")
