"""Likelihoods of Gaussian processes against naive ones, the bound, and jitter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sidelight.gaussian_process.covariance import COVARIANCES, ExponentiatedQuadratic
from sidelight.gaussian_process.factorisation import factorise
from sidelight.gaussian_process.inducing import inducing_bound
from sidelight.gaussian_process.likelihood import cheaper_from_the_whole, exact_likelihood
from sidelight.gaussian_process.observed import ObservedTable

RNG = np.random.default_rng(0)
Z = RNG.standard_normal((14, 2))
LOGS = np.log([1.3, 0.8, 0.2])
K = ExponentiatedQuadratic()(LOGS, Z, Z)
NOISE = 0.15


def holes(p, share):
    Y = RNG.standard_normal((14, p))
    Y[RNG.random(Y.shape) < share] = np.nan
    return Y


TABLES = {
    "complete": holes(5, 0.0),
    "more columns than rows": holes(40, 0.0),
    "half is missing": holes(4, 0.5),
    "many patterns": holes(300, 0.08),
}


def naive(Y):
    """Every column by itself, on the rows where it is observed."""
    total = 0.0
    for y in Y.T:
        seen = ~np.isnan(y)
        C = K[np.ix_(seen, seen)] + NOISE * np.eye(seen.sum())
        total += multivariate_normal(cov=C).logpdf(y[seen])
    return total


def test_the_covariance_is_the_formula():
    for i, j in ((0, 0), (1, 7), (3, 2)):
        expected = 1.3 * np.exp(-np.sum((Z[i] - Z[j]) ** 2) / (2 * 0.8**2)) + 0.2
        assert K[i, j] == pytest.approx(expected, rel=1e-12)


@pytest.fixture(params=[True, False], ids=["from the whole", "by pattern"])
def way(request, monkeypatch):
    """Leave out what is missing in both ways."""
    monkeypatch.setattr(
        "sidelight.gaussian_process.likelihood.cheaper_from_the_whole", lambda table: request.param
    )


@pytest.mark.parametrize("name", TABLES)
def test_the_likelihood_is_that_of_every_column_by_itself(name, way):
    Y = TABLES[name]
    found = exact_likelihood(K, NOISE, ObservedTable.of(Y))
    assert found.value == pytest.approx(naive(Y), rel=1e-10)
    assert found.jitter == 0


def test_the_cheaper_way_to_leave_out_entries_is_chosen():
    assert cheaper_from_the_whole(ObservedTable.of(TABLES["many patterns"]))
    assert not cheaper_from_the_whole(ObservedTable.of(TABLES["complete"]))
    half = np.where(RNG.random((400, 6)) < 0.5, np.nan, 1.0)
    assert not cheaper_from_the_whole(ObservedTable.of(half))


@pytest.mark.parametrize("name", TABLES)
def test_its_slope_in_the_kernel(name, way):
    table = ObservedTable.of(TABLES[name])
    found = exact_likelihood(K, NOISE, table)
    change = RNG.standard_normal(K.shape)
    change += change.T
    h = 1e-6
    up, down = (exact_likelihood(K + s * h * change, NOISE, table).value for s in (1, -1))
    assert np.sum(found.slope * change) == pytest.approx((up - down) / (2 * h), rel=1e-6)
    up, down = (exact_likelihood(K, NOISE + s * h, table).value for s in (1, -1))
    assert found.noise_slope == pytest.approx((up - down) / (2 * h), rel=1e-6)


def bound(U, Y):
    k = ExponentiatedQuadratic()
    return inducing_bound(
        k(LOGS, U, U), k(LOGS, U, Z), k.diagonal(LOGS, Z), NOISE, ObservedTable.of(Y)
    ).value


@pytest.mark.parametrize("name", TABLES)
def test_the_bound_is_below_and_touches_with_every_point_inducing(name):
    Y = TABLES[name]
    exact = naive(Y)
    values = [bound(Z[:m], Y) for m in (2, 5, 9)]
    assert values[0] < values[1] < values[2] < exact
    assert bound(Z, Y) == pytest.approx(exact, rel=1e-6)


def test_the_bound_is_the_formula():
    Y, U = TABLES["complete"], Z[:4] + 0.1
    k = ExponentiatedQuadratic()
    cross = k(LOGS, Z, U)
    Q = cross @ np.linalg.solve(k(LOGS, U, U), cross.T)
    density = multivariate_normal(cov=Q + NOISE * np.eye(14))
    expected = density.logpdf(Y.T).sum() - 5 / (2 * NOISE) * np.trace(K - Q)
    assert bound(U, Y) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", COVARIANCES)
def test_what_flows_back_through_a_covariance(name):
    k = COVARIANCES[name]
    logs = k.start() + 0.1
    A, B, slope = (RNG.standard_normal(shape) for shape in ((5, 3), (4, 3), (5, 4)))
    flow = k.pull_back(logs, A, B, k(logs, A, B), slope)
    for part, gradient in ((A, flow.left), (B, flow.right), (logs, flow.parameters)):
        numeric = np.empty_like(part)
        for index in np.ndindex(part.shape):
            before = part[index]
            ends = []
            for shift in (1e-6, -1e-6):
                part[index] = before + shift
                ends.append(np.sum(slope * k(logs, A, B)))
            part[index] = before
            numeric[index] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(gradient, numeric, atol=1e-7)
    diagonal = np.diagonal(k(logs, A, A))
    np.testing.assert_allclose(k.diagonal(logs, A), diagonal, rtol=1e-12)


def test_jitter_is_as_small_as_will_do_and_recorded():
    line = np.linspace(0, 1, 60)[:, None]
    smooth = ExponentiatedQuadratic()(np.log([1.0, 1.0, 1e-3]), line, line)
    found = factorise(smooth)  # of rank about ten
    assert 0 < found.jitter <= 1e-10
    rebuilt = found.lower @ found.lower.T
    np.testing.assert_allclose(rebuilt, smooth + found.jitter * np.eye(60), atol=1e-13)
    assert factorise(smooth + 1e-3 * np.eye(60)).jitter == 0


@pytest.mark.parametrize("lacks", [1e-9, 1e-5, 3e-2])
def test_jitter_grows_by_tens_until_it_will_do(lacks):
    found = factorise(np.diag([1.0, 1.0, -lacks]))
    assert lacks < found.jitter <= 10 * lacks


def test_no_kernel_at_all_is_refused():
    with pytest.raises(ValueError, match="order 3 is not positive definite"):
        factorise(np.diag([1.0, -5.0, 1.0]))
