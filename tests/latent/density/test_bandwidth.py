"""The leave-one-out bandwidth: against brute force, with the normaliser that depends on h."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.density.bandwidth import (
    leave_one_out_bandwidth,
    leave_one_out_likelihood,
    regression_reach,
)
from sidelight.latent.density.kernels import kernel_for

RNG = np.random.default_rng(2)


def brute_force(Y, kernel, grid):
    best, best_h = -np.inf, 0.0
    for h in grid:
        total = 0.0
        for a in range(len(Y)):
            others = np.delete(Y, a, axis=0)
            density = kernel.values(kernel.dissimilarities(Y[a : a + 1], others), h).mean()
            total += np.log(density + 1e-300) - kernel.log_normaliser(h)
        if total > best:
            best, best_h = total, h
    return best_h


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
@pytest.mark.parametrize("p", [1, 3])
def test_it_is_the_best_of_a_fine_grid(kernel, p):
    Y = RNG.normal(size=(60, p))
    k = kernel_for(kernel, Y)
    grid = np.geomspace(0.01, 20, 400)
    assert leave_one_out_bandwidth(Y, k) == pytest.approx(brute_force(Y, k, grid), rel=0.03)


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_the_likelihood_is_the_mean_over_the_other_items(kernel):
    """Eq. (3.20) with N − 1: each item's density is an estimate from the N − 1 others."""
    Y = RNG.normal(size=(12, 2))
    k = kernel_for(kernel, Y)
    D = k.dissimilarities(Y, Y)
    np.fill_diagonal(D, np.inf)
    logs = []
    for a in range(12):
        others = k.values(np.delete(D[a], a), 9.0)
        logs.append(np.log(others.mean()) - k.log_normaliser(9.0))
    assert leave_one_out_likelihood(D, k, 9.0) == pytest.approx(np.mean(logs), rel=1e-12)


def test_discrete_data():
    truth = RNG.integers(0, 2, size=(8, 12))
    Y = np.abs(truth[RNG.integers(0, 8, 200)] - (RNG.random((200, 12)) < 0.05)).astype(float)
    k = kernel_for("discrete", Y)
    # copies are counted once, or the best h would be nought
    distinct = np.unique(Y, axis=0)
    grid = np.geomspace(0.05, 5, 300)
    assert leave_one_out_bandwidth(Y, k) == pytest.approx(brute_force(distinct, k, grid), rel=0.03)


def test_a_normaliser_of_one_dimension_would_be_far_too_wide():
    """The trap: dropping the normaliser's dependence on h in p dimensions."""
    Y = RNG.normal(size=(200, 8))
    right = leave_one_out_bandwidth(Y, kernel_for("gaussian", Y))
    wrong = leave_one_out_bandwidth(Y, kernel_for("gaussian", Y[:, :1]).__class__(1))
    assert wrong > 3 * right


def test_scale_is_the_mean_squared_distance():
    Y = RNG.normal(size=(50, 4))
    D = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    assert kernel_for("gaussian", Y).spread(Y) == pytest.approx(D.mean())
    codes = RNG.integers(0, 3, size=(50, 5)).astype(float)
    k = kernel_for("discrete", codes)
    assert k.spread(codes) == pytest.approx(k.dissimilarities(codes, codes).mean())


def test_the_reach_of_a_factor_predicts_items_best():
    rng = np.random.default_rng(5)
    x, Z = rng.uniform(0, 6, 60), rng.normal(size=(60, 1))
    Y = np.column_stack([np.sin(3 * x), np.cos(3 * x)]) + Z
    gaps = (x[:, None] - x) ** 2

    def left_out(reach):
        error = 0.0
        for a in range(60):
            weights = np.exp(-((Z[a] - Z) ** 2).sum(axis=1) - gaps[a] / reach)
            weights[a] = 0.0
            error += np.sum((Y[a] - weights @ Y / weights.sum()) ** 2)
        return error

    found = regression_reach(Y, Z, gaps, 1.0)
    assert found == min(4.0 ** np.arange(-5, 3), key=left_out)
    assert found < 0.2  # much narrower than a turn of the curve, 2π/3
