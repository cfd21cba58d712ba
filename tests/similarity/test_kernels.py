"""Kernels and centring against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from sidelight.similarity.centring import Centring, centre_kernel, kernel_from_distances
from sidelight.similarity.kernels import check_kernel_table, kernel_matrix, resolve_kernel

OPTIONS = {"gamma": 0.3, "degree": 3, "coef0": 1}


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((1100, 5))


@pytest.mark.parametrize("name", ["linear", "rbf", "polynomial", "cosine"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_kernels_agree_with_scikit_learn(X, name, kind):
    ours = kernel_matrix(resolve_kernel(name, kind(X), **OPTIONS), kind(X))
    theirs = pairwise_kernels(X, metric=name, filter_params=True, **OPTIONS)
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(ours, ours.T)


def test_single_precision_is_single_precision_only_in_storage(X):
    kernel = resolve_kernel("rbf", X, **OPTIONS)
    single = kernel_matrix(kernel, X, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernel_matrix(kernel, X), atol=2e-6)


def test_a_function_of_two_rows(X):
    few = X[:7]
    ours = kernel_matrix(resolve_kernel(lambda x, y: float(x @ y) ** 2, few), few)
    np.testing.assert_allclose(ours, (few @ few.T) ** 2)


def test_gamma_scale(X):
    assert resolve_kernel("rbf", X).gamma == pytest.approx(1 / X.var(axis=0).sum())
    assert resolve_kernel("rbf", sp.csr_array(X)).gamma == pytest.approx(1 / X.var(axis=0).sum())
    assert resolve_kernel("rbf", np.ones((3, 2))).gamma == 1.0


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_where_a_column_lies_does_not_change_the_scale(X, container):
    there = X + np.array([1e4, 0, 0, 0, 0])
    gamma = resolve_kernel("rbf", container(there)).gamma
    assert gamma == pytest.approx(resolve_kernel("rbf", X).gamma, rel=1e-9)


def test_centring_is_the_kernel_of_centred_features(X):
    few = X[:40]
    centred = few - few.mean(axis=0)
    np.testing.assert_allclose(centre_kernel(few @ few.T), centred @ centred.T, atol=1e-12)


def test_the_kernel_of_distances_is_that_of_the_points(X):
    few = X[:40]
    centred = few - few.mean(axis=0)
    D = np.linalg.norm(few[:, None] - few[None], axis=2)
    K = kernel_from_distances(D)
    np.testing.assert_allclose(centre_kernel(K), centred @ centred.T, atol=1e-11)
    again = kernel_from_distances(D, out=D)
    assert again is D
    np.testing.assert_array_equal(again, K)


def test_multiplicities_stand_for_copies(X):
    few = X[:6]
    counts = np.array([3, 1, 2, 1, 1, 4])
    copies = np.repeat(np.arange(6), counts)
    K = few @ few.T
    weighted = Centring.of(K, counts)
    whole = centre_kernel(K[np.ix_(copies, copies)])
    np.testing.assert_allclose(weighted.matrix(K)[np.ix_(copies, copies)], whole, atol=1e-12)
    operator = weighted.operator(K)(np.eye(6))
    np.testing.assert_allclose(operator, operator.T, atol=1e-12)
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvalsh(operator))[-5:],
        np.sort(np.linalg.eigvalsh(whole))[-5:],
        atol=1e-10,
    )


def test_a_gaussian_kernel_far_from_the_origin_is_that_of_the_rows_moved_there(X):
    kernel = resolve_kernel("rbf", X)
    there = kernel(X[:5] + 1e6, X + 1e6)
    np.testing.assert_allclose(there, kernel(X[:5], X), atol=1e-8)


@pytest.mark.parametrize("value", [0.1, 1e8 / 3, -7e-9])
def test_rows_that_are_all_the_same_have_a_scale_of_one(value):
    """What their mean is rounded by, the more the more they are, is no variance."""
    for n in (*range(2, 40), 200, 5000):
        for X in (np.full((n, 3), value), sp.csr_array(np.full((n, 3), value))):
            assert resolve_kernel("rbf", X).gamma == 1.0


def test_rows_that_differ_in_their_last_digits_are_the_same():
    X = np.tile([0.3, 5.0], (30, 1))
    X[::2, 0] = 0.1 + 0.2
    assert resolve_kernel("rbf", X).gamma == resolve_kernel("rbf", sp.csr_array(X)).gamma == 1.0


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_scale_is_that_of_the_variances(kind):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 5)) * [1.0, 3.0, 0.1, 1.0, 1.0] * (rng.random((40, 5)) < 0.6)
    for shift in (0.0, 1e8):
        gamma = resolve_kernel("rbf", kind(X + shift)).gamma
        assert gamma == pytest.approx(1 / np.var(X, axis=0).sum(), rel=1e-6)


def test_a_table_of_similarities_is_symmetric_but_for_rounding():
    K = np.array([[1e3, 5.0], [5.0, 2.0]])
    one_side = np.array([[0.0, 1.0], [0.0, 0.0]])
    rounded = K + 5e-6 * one_side
    assert check_kernel_table(rounded, who="here") is rounded
    with pytest.raises(ValueError, match=r"here expects X to be symmetric. Got X\[0, 1\] = 5.0001"):
        check_kernel_table(K + 1e-4 * one_side, who="here")
