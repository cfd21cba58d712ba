"""A bandwidth that is learned along with the map."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from sidelight import KernelInformationEmbedding
from sidelight.datasets import noisy_s
from sidelight.latent.information.ends.learned_bandwidth import likeliest_bandwidth
from sidelight.side import Condition


def naive_likelihood(Y, Z, h):
    """Item by item, each left out of its own density, whose integral is one."""
    total = 0.0
    for a in range(len(Y)):
        others = [b for b in range(len(Y)) if b != a]
        weights = np.array([np.exp(-np.sum((Z[a] - Z[b]) ** 2)) for b in others])
        heights = np.array([np.exp(-np.sum((Y[a] - Y[b]) ** 2) / h) for b in others])
        volume = (np.pi * h) ** (Y.shape[1] / 2)
        total += np.log(weights @ heights / weights.sum() / volume)
    return total / len(Y)


def told_likelihood(Y, Z, h):
    """The same for all items at once."""
    near, D = (cdist(rows, rows, "sqeuclidean") for rows in (Z, Y))
    np.fill_diagonal(near, np.inf)
    told = logsumexp(-near - D / h, axis=1) - logsumexp(-near, axis=1)
    return np.mean(told) - Y.shape[1] * np.log(np.pi * h) / 2


@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_and_its_largest_value(seed):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((25, 2))
    Y = np.hstack([Z, Z**2 / 3]) + 0.3 * rng.standard_normal((25, 4))
    for h in (0.5, 1.0, 5.0):
        assert told_likelihood(Y, Z, h) == pytest.approx(naive_likelihood(Y, Z, h))
    found = likeliest_bandwidth(Y, Z, 1.0)
    assert likeliest_bandwidth(Y, Z, 50.0) == pytest.approx(found, rel=1e-4)
    best = max(np.geomspace(found / 30, 30 * found, 2001), key=lambda h: told_likelihood(Y, Z, h))
    assert best == pytest.approx(found, rel=0.01)


def test_a_map_and_a_bandwidth_that_are_likeliest_together():
    X = noisy_s(90, noise=0.1, random_state=5).X
    model = KernelInformationEmbedding(1, bandwidth="learned").fit(X)
    h, Z = model.bandwidth_, model.embedding_
    # in the bandwidth: no other is likelier for this map
    assert likeliest_bandwidth(X, Z, h) == pytest.approx(h, rel=2e-3)
    # in the map: the penalised likelihood has no slope
    penalty = model.alpha_

    def objective(z):
        return len(X) * told_likelihood(X, z.reshape(Z.shape), h) - penalty * np.sum(z**2)

    rng = np.random.default_rng(0)
    for _ in range(5):
        way = rng.standard_normal(Z.shape)
        way /= np.linalg.norm(way)
        rise = (objective(Z + 1e-4 * way) - objective(Z - 1e-4 * way)) / 2e-4
        assert abs(rise) < 0.01 * len(X) ** 0.5
    other = KernelInformationEmbedding(1, bandwidth="leave_one_out").fit(X)
    assert told_likelihood(X, Z, h) > told_likelihood(X, other.embedding_, other.bandwidth_)
    assert len(model.path_["bandwidth"]) == model.n_steps_ > 25
    assert model.path_["bandwidth"][-1] == h


def test_the_unit_of_the_data_does_not_matter():
    X = noisy_s(60, noise=0.1, random_state=6).X
    one, other = (KernelInformationEmbedding(1, bandwidth="learned").fit(u * X) for u in (1, 7.0))
    assert other.bandwidth_ == pytest.approx(49 * one.bandwidth_, rel=1e-4)
    np.testing.assert_allclose(other.embedding_, one.embedding_, atol=1e-3)


@pytest.mark.parametrize(
    ("parameters", "given", "match"),
    [
        ({"kernel": "quartic"}, {}, "needs kernel='gaussian'"),
        ({"leave_one_out": True}, {}, "nor of 'leave_one_out'"),
        ({"validation_fraction": 0.2}, {}, "'validation_fraction'"),
        ({}, {"validation": np.zeros((3, 2))}, "'validation'"),
        ({}, {"side": Condition(np.arange(40) % 2)}, "no place beside a Condition"),
    ],
)
def test_what_does_not_go_with_it(parameters, given, match):
    X = noisy_s(40, random_state=0).X
    with pytest.raises(ValueError, match=match):
        KernelInformationEmbedding(1, bandwidth="learned", **parameters).fit(X, **given)
