"""The density of rows under a Gaussian field: conditionals of nodes, and rows left out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal

from sidelight import AcyclicLocallyLinearEmbedding, MaximumEntropyUnfolding, load, save
from sidelight.errors import NotEnoughMemoryError
from sidelight.unfolding.field_density import FieldDensity, LeftOut, conditionals

RNG = np.random.default_rng(0)
Y = RNG.standard_normal((9, 3))
ROOT = np.tril(RNG.standard_normal((9, 9))) * (RNG.random((9, 9)) < 0.5) + 2 * np.eye(9)
PRECISION = sp.csr_array(ROOT @ ROOT.T)
K = np.linalg.inv(PRECISION.toarray())
SHARES = np.full(9, 1 / 9)


def given(node, others, mean):
    """Mean and variance of a node given others, from the dense covariance."""
    gain = K[node, others] @ np.linalg.inv(K[np.ix_(others, others)])
    return mean + gain @ (Y[others] - mean), K[node, node] - gain @ K[others, node]


def test_conditionals_are_those_of_the_dense_gaussian():
    mean = np.array([0.3, -1.0, 2.0])
    means, variances = conditionals(Y, mean, PRECISION)
    for node in range(9):
        expected, variance = given(node, np.delete(np.arange(9), node), mean)
        np.testing.assert_allclose(means[node], expected, atol=1e-10)
        assert variances[node] == pytest.approx(variance)


def test_rows_left_out_are_marginalised():
    found = LeftOut.of(Y, SHARES, PRECISION)
    mean = Y.mean(axis=0)
    for i in range(9):
        assert found.squares[i, i] == np.inf
        for j in np.delete(np.arange(9), i):
            centre, variance = given(j, np.delete(np.arange(9), [i, j]), mean)
            assert found.squares[i, j] == pytest.approx(np.sum((Y[i] - centre) ** 2))
            assert found.variances[i, j] == pytest.approx(variance)


def test_no_other_widening_makes_them_likelier():
    found = LeftOut.of(Y, SHARES, PRECISION)
    c = found.widening()
    for other in (0.9 * c, 1.1 * c, 0.3 * c, 3 * c):
        assert found.log_likelihood(other) < found.log_likelihood(c)
    naive = 0.0
    for i in range(9):
        densities = [
            multivariate_normal(mean, c * variance * np.eye(3)).pdf(Y[i])
            for j in range(9)
            if j != i
            for mean, variance in [given(j, np.delete(np.arange(9), [i, j]), Y.mean(axis=0))]
        ]
        naive += np.log(np.sum(densities) / 9) / 9
    assert found.log_likelihood(c) == pytest.approx(naive)


@pytest.fixture(params=[MaximumEntropyUnfolding, AcyclicLocallyLinearEmbedding])
def kind(request):
    return request.param


def bow(n, seed):
    rng = np.random.default_rng(seed)
    t = 3 * rng.random(n)
    return np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * rng.standard_normal((n, 2))


def test_it_integrates_to_one(kind):
    model = kind(1, n_neighbors=6).fit(bow(50, 0))
    side = np.linspace(-2.5, 2.5, 401)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(grid)).sum() * (side[1] - side[0]) ** 2
    assert total == pytest.approx(1, abs=1e-3)


def test_precision_and_covariance_are_of_one_field(kind):
    X = bow(40, 1)
    model = kind(1, n_neighbors=8).fit(X)
    field = model._map.kernel.of_points
    np.testing.assert_allclose(
        np.linalg.inv(field.p * field.precision.toarray()), model.covariance(), atol=1e-6
    )


def test_draws_have_the_moments_of_the_mixture(kind):
    X = np.column_stack([bow(60, 2), np.full(60, 7.0)])
    model = kind(1, n_neighbors=8).fit(X)
    density = model._density_of_rows("sample")
    drawn = model.sample(40_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), density.means.mean(axis=0), atol=0.02)
    spread = np.cov(density.means.T, bias=True) + density.variances.mean() * np.diag([1, 1, 0])
    np.testing.assert_allclose(np.cov(drawn.T), spread, atol=0.02)
    np.testing.assert_array_equal(drawn[:, 2], 7.0)  # a constant column is as it is


def test_new_rows_are_likelier_than_under_one_gaussian(kind):
    X, new = bow(150, 3), bow(400, 4)
    one = multivariate_normal(X.mean(axis=0), np.cov(X.T)).logpdf(new).mean()
    model = kind(1, n_neighbors=5).fit(X)
    assert model.score(new) > one + 0.4
    rows = model._map.place.points.rows
    field = model._map.kernel.of_points
    means, variances = conditionals(rows, rows.mean(axis=0), field.p * field.precision)
    as_fitted = FieldDensity(means, variances, np.full(150, 1 / 150), np.array([True, True]), "")
    assert as_fitted.log_density(new).mean() < model.score(new)  # too narrow for other rows


def test_copies_count(kind):
    X = bow(40, 5)
    density = kind(1, n_neighbors=8).fit(np.vstack([X, X[:10]]))._density_of_rows("sample")
    np.testing.assert_allclose(np.sort(density.shares), np.r_[[0.02] * 30, [0.04] * 10])


def test_acyclic_weights_are_of_the_rows_whatever_finds_neighbours():
    X = bow(50, 6)
    assert np.isfinite(AcyclicLocallyLinearEmbedding(1, metric="cityblock").fit(X).score(X))
    with pytest.raises(ValueError, match="metric='euclidean'"):
        MaximumEntropyUnfolding(1, metric="cityblock").fit(X).score(X)


def test_pieces_have_no_common_field(kind):
    X = np.vstack([bow(40, 7), bow(40, 8) + 30])
    with pytest.warns(UserWarning, match="pieces"):
        model = kind(1, n_neighbors=4, on_disconnected="separate").fit(X)
    with pytest.raises(ValueError, match="on_disconnected='connect'"):
        model.sample()


def test_a_density_is_found_once_and_no_model_file_holds_it(monkeypatch, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = MaximumEntropyUnfolding(2, n_neighbors=6).fit(X)
    found, of = [], LeftOut.of

    def counted(*given):
        found.append(given)
        return of(*given)

    monkeypatch.setattr(LeftOut, "of", counted)
    first = model.score_samples(X[:5])
    np.testing.assert_array_equal(model.score_samples(X[:5]), first)
    model.sample(3)
    assert len(found) == 1
    save(model, tmp_path / "told.sidelight")
    again = load(tmp_path / "told.sidelight")
    np.testing.assert_array_equal(again.score_samples(X[:5]), first)
    assert len(found) == 2
    model.fit(2 * X).score_samples(X[:5])
    assert len(found) == 3


def test_the_memory_of_rows_left_out_is_predicted(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = MaximumEntropyUnfolding(2, n_neighbors=6).fit(X)
    monkeypatch.setattr("sidelight.core.memory.available_memory", lambda: 1000.0)
    with pytest.raises(NotEnoughMemoryError, match=r"score_samples.* 60 × 60 tables"):
        model.score_samples(X[:5])
