"""The estimate of mutual information: against naive sums, finite differences and Gaussians."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from sidelight.latent.density.kernels import DiscreteKernel, kernel_for
from sidelight.latent.information.mutual_information_near import pairs_of

RNG = np.random.default_rng(0)
Y = RNG.normal(size=(90, 3))
Z = RNG.normal(size=(90, 2))
H = 0.7


def naive_information(Z, Y, h, *, quartic, leave_one_out):
    """The printed formula, with full tables."""
    y = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    z = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    K, k = np.exp(-y / h), np.exp(-z)
    if quartic:
        K, k = np.maximum(1 - y / (2 * h), 0) ** 2, np.maximum(1 - z / 2, 0) ** 2
    if leave_one_out:
        np.fill_diagonal(k, 0)
    return np.sum(np.log((K * k).sum(axis=1)) - np.log(k.sum(axis=1)))


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_value_is_the_naive_sum_and_gradient_its_derivative(kernel, leave_one_out):
    pairs = pairs_of(Y, kernel_for(kernel, Y), n_threads=1, who="test")
    h = 3.0 if kernel == "quartic" else H  # leave-one-out needs a neighbour within reach
    points = 0.4 * Z if kernel == "quartic" else Z
    K = pairs.kernel(h)
    value, gradient = pairs.information(points, K, leave_one_out=leave_one_out)
    expected = naive_information(
        points, Y, h, quartic=kernel == "quartic", leave_one_out=leave_one_out
    )
    assert value == pytest.approx(expected, abs=1e-5)  # kernel values in single precision

    def of(x):
        return pairs.information(x.reshape(points.shape), K, leave_one_out=leave_one_out)

    error = check_grad(lambda x: of(x)[0], lambda x: of(x)[1].ravel(), points.ravel())
    assert error < 1e-5 * np.linalg.norm(gradient)


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_the_number_of_threads_does_not_show(kernel):
    many, points = RNG.normal(size=(701, 3)), RNG.normal(size=(701, 3))
    results = []
    for n_threads in (1, 2, 5):
        pairs = pairs_of(many, kernel_for(kernel, many), n_threads=n_threads, who="test")
        results.append(pairs.information(points, pairs.kernel(0.5)))
    for value, gradient in results[1:]:
        assert value == results[0][0]
        np.testing.assert_array_equal(gradient, results[0][1])


def test_estimate_agrees_with_gaussians():
    """For Gaussian data the estimate tends to cross-entropies with variances enlarged by h/2."""
    n, rho, h = 3000, 0.9, 0.1
    covariance = 4 * np.array([[1, rho], [rho, 1]])
    both = np.random.default_rng(1).multivariate_normal([0, 0], covariance, n)

    def cross_entropy(S, widths):
        wide = S + np.diag(np.asarray(widths) / 2)
        return 0.5 * np.log(np.linalg.det(2 * np.pi * wide)) + 0.5 * np.trace(
            S @ np.linalg.inv(wide)
        )

    limit = (
        cross_entropy(covariance[:1, :1], [h])
        + cross_entropy(covariance[1:, 1:], [1.0])
        - cross_entropy(covariance, [h, 1.0])
    )
    pairs = pairs_of(both[:, :1], kernel_for("gaussian", both[:, :1]), n_threads=1, who="test")
    K = pairs.kernel(h)
    gained = pairs.information(both[:, 1:], K, leave_one_out=True)[0]
    base = pairs.information(np.zeros((n, 1)), K, leave_one_out=True)[0]
    assert (gained - base) / n == pytest.approx(limit, abs=0.03)
    exact = -0.5 * np.log(1 - rho**2)  # without the kernels' own width
    assert 0.5 < limit < exact


def test_packed_table_holds_every_pair():
    pairs = pairs_of(Y, kernel_for("gaussian", Y), n_threads=1, who="test")
    upper = np.triu_indices(len(Y), 1)
    expected = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)[upper]
    np.testing.assert_allclose(pairs.unit * pairs.squared, expected, rtol=1e-6)
    np.testing.assert_allclose(pairs.kernel(H), np.exp(-expected / H), rtol=1e-5, atol=1e-30)


def test_compiled_exponential():
    from sidelight.latent.information._gaussian_sums_compiled import exp_minus

    x = np.concatenate([np.linspace(0, 3, 200), np.linspace(3, 700, 200)])
    np.testing.assert_allclose([exp_minus(v) for v in x], np.exp(-x), rtol=1e-15)
    assert exp_minus(1e9) < 1e-300


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_normalisers_are_integrals(kernel, p):
    h = 0.6
    k = kernel_for(kernel, np.zeros((2, p)))
    radius = np.linspace(0, 8, 40001)
    sphere = 2 * np.pi ** (p / 2) / {1: np.sqrt(np.pi), 2: 1.0, 3: np.sqrt(np.pi) / 2}[p]
    integral = np.trapezoid(k.values(radius**2, h) * sphere * radius ** (p - 1), radius)
    assert np.exp(k.log_normaliser(h)) == pytest.approx(integral, rel=1e-5)


def test_discrete_normaliser_is_a_sum_over_all_codes_and_the_limit_is_equality():
    kernel, h = DiscreteKernel((2, 3)), 0.8
    codes = np.array([[a, b] for a in range(2) for b in range(3)], dtype=float)
    D = kernel.dissimilarities(codes[:1], codes)
    assert D.tolist() == [[0, 1, 1, 1, 2, 2]]
    assert np.exp(kernel.log_normaliser(h)) == pytest.approx(kernel.values(D, h).sum())
    np.testing.assert_allclose(kernel.values(D, 1e-3), [[1, 0, 0, 0, 0, 0]])
