"""The density of rows under a GP-LVM: against quadrature over the whole map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp

from sidelight import GPLVM


def arc(n, seed, noise=0.1):
    rng = np.random.default_rng(seed)
    t = 2.5 * rng.random(n)
    return np.column_stack([np.cos(t), np.sin(t)]) + noise * rng.standard_normal((n, 2))


def by_brute_force(model, rows, n_nodes=1201):
    """log (1/m) Σ p(y | z) p(z) Δz over a fine grid of the map, one dimension."""
    Z = model.embedding_
    middle, width = Z.mean(), Z.std()
    z = np.linspace(middle - 8 * width, middle + 8 * width, n_nodes)
    prior = -0.5 * ((z - middle) / width) ** 2 - np.log(width * np.sqrt(2 * np.pi))
    mean, std = model.inverse_transform(z[:, None], return_std=True)
    seen = ~np.isnan(rows)
    away = np.where(seen[:, None], (rows[:, None] - mean) / std, 0.0)
    logs = -0.5 * away**2 - np.where(seen[:, None], np.log(std * np.sqrt(2 * np.pi)), 0.0)
    return logsumexp(logs.sum(axis=2) + prior, axis=1) + np.log(z[1] - z[0])


@pytest.mark.parametrize("parameters", [{}, {"prior": None}, {"back_constraint": "rbf"}])
def test_scores_are_those_of_brute_force(parameters):
    model = GPLVM(1, **parameters).fit(arc(60, 0))
    rows = np.vstack([arc(40, 1), 3 * arc(10, 2, noise=0.5)])
    expected = by_brute_force(model, rows)
    near = expected > np.median(expected) - 8
    found = model.score_samples(rows)
    np.testing.assert_allclose(found[near], expected[near], atol=0.05)
    assert (found < expected + 0.2).all()  # what is left out around other places is only lost


def test_the_linear_kernel_too():
    rng = np.random.default_rng(3)
    line = np.outer(rng.standard_normal(50), [2.0, 1.0]) + 0.2 * rng.standard_normal((50, 2))
    model = GPLVM(1, kernel="linear", prior=None).fit(line)
    np.testing.assert_allclose(model.score_samples(line), by_brute_force(model, line), atol=1e-3)


def test_what_is_not_observed_is_left_out():
    model = GPLVM(1).fit(arc(60, 0))
    rows = arc(20, 4)
    rows[:10, 0], rows[10:, 1] = np.nan, np.nan
    np.testing.assert_allclose(model.score_samples(rows), by_brute_force(model, rows), atol=0.35)
    assert model.score_samples([[np.nan, np.nan]])[0] == 0


def test_it_integrates_to_one():
    model = GPLVM(1).fit(arc(60, 0))
    side = np.linspace(-2.2, 2.2, 56)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(grid)).sum() * (side[1] - side[0]) ** 2
    assert total == pytest.approx(1, abs=0.02)


def test_draws_have_the_moments_of_the_density():
    model = GPLVM(1).fit(arc(60, 0))
    side = np.linspace(-2.2, 2.2, 56)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    density = np.exp(by_brute_force(model, grid, 301))
    density /= density.sum()
    mean = density @ grid
    spread = (grid - mean).T @ (density[:, None] * (grid - mean))
    drawn = model.sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(drawn.T), spread, atol=0.03)


def test_a_constant_column_comes_back_and_counts_for_nothing():
    X = arc(40, 5)
    wide = np.column_stack([X, np.full(40, 3.0)])
    model = GPLVM(1).fit(wide)
    assert (model.sample(5, random_state=0)[:, 2] == 3).all()
    np.testing.assert_allclose(model.score_samples(wide), GPLVM(1).fit(X).score_samples(X))


def test_new_rows_are_likelier_than_under_one_gaussian():
    from scipy.stats import multivariate_normal

    X, new = arc(80, 6, noise=0.05), arc(400, 7, noise=0.05)
    one = multivariate_normal(X.mean(axis=0), np.cov(X.T)).logpdf(new).mean()
    assert GPLVM(1).fit(X).score(new) > one + 0.4
