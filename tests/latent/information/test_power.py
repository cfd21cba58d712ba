"""A map of given power: the constraint tr(C_Z) ≤ r."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.spatial.distance import cdist

from sidelight import KernelInformationEmbedding
from sidelight.datasets import noisy_s
from sidelight.side import Condition

X = noisy_s(50, noise=0.1, random_state=4).X


def told(Z, h):
    """Î(Y; Z) as printed (3.14), from tables."""
    K, L = np.exp(-(cdist(X, X) ** 2) / h), np.exp(-(cdist(Z, Z) ** 2))
    P, Q, R = (K * L).sum(axis=1), L.sum(axis=1), K.sum(axis=1)
    return float(np.log(len(X)) + np.mean(np.log(P / (Q * R))))


@pytest.mark.parametrize("power", [0.5, 3.0])
def test_the_power_is_met_and_the_slope_is_the_multiplier(power):
    model = KernelInformationEmbedding(2, power=power).fit(X)
    Z, h, n = model.embedding_, model.bandwidth_, len(X)
    assert np.trace(Z.T @ Z) / n == pytest.approx(power, rel=1e-4)
    assert told(Z, h) == pytest.approx(model.mutual_information_, abs=1e-5)
    slope = approx_fprime(Z.ravel(), lambda z: told(z.reshape(Z.shape), h), 1e-6)
    expected = 2 * model.alpha_ / n * Z.ravel()
    np.testing.assert_allclose(slope, expected, atol=0.02 * np.abs(expected).max())


def test_no_map_of_this_power_nearby_tells_more():
    model = KernelInformationEmbedding(1, power=2.0).fit(X)
    Z, h, n = model.embedding_, model.bandwidth_, len(X)

    def lost(u):
        return -told((u * np.sqrt(2.0 * n) / np.linalg.norm(u)).reshape(Z.shape), h)

    rng = np.random.default_rng(0)
    for _ in range(3):
        start = Z.ravel() + 0.1 * rng.standard_normal(Z.size)
        best = minimize(lost, start, method="L-BFGS-B").fun
        assert -best <= model.mutual_information_ + 1e-3


def test_more_power_tells_more_at_a_lower_price():
    few, many = (KernelInformationEmbedding(1, power=r).fit(X) for r in (0.3, 6.0))
    assert many.mutual_information_ > few.mutual_information_
    assert many.alpha_ < few.alpha_
    assert few.path_["alpha"][-1] == few.alpha_


def test_it_is_the_penalised_map_of_its_multiplier():
    model = KernelInformationEmbedding(1, power=1.5).fit(X)
    again = KernelInformationEmbedding(1, alpha=model.alpha_).fit(X)
    np.testing.assert_allclose(again.embedding_, model.embedding_, atol=1e-2)


@pytest.mark.parametrize(
    ("parameters", "given", "match"),
    [
        ({"alpha": 0.1}, {}, "'alpha', another 'penalty'"),
        ({"penalty": "l4"}, {}, "in the place of a penalty"),
        ({"bandwidth": "learned"}, {}, "in the place of a penalty"),
        ({"validation_fraction": 0.2}, {}, "With power=1 .* 'validation_fraction'"),
        ({}, {"side": Condition(np.arange(50) % 2)}, "'power' parameter .* Condition"),
    ],
)
def test_what_does_not_go_with_it(parameters, given, match):
    with pytest.raises(ValueError, match=match):
        KernelInformationEmbedding(1, power=1.0, **parameters).fit(X, **given)
