"""Kernel PCA: the parameter that is also a method, and kernels that are none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sidelight import KernelPCA
from sidelight.core.errors import NotEuclideanWarning
from sidelight.side import Pairs


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 4))


def test_kernel_is_a_parameter_and_a_method(X):
    kpca = KernelPCA(2, kernel="rbf", gamma=0.2).fit(X)
    assert kpca.kernel == "rbf"
    assert kpca.get_params()["kernel"] == "rbf"
    assert clone(kpca).set_params(kernel="cosine").kernel == "cosine"
    K = kpca.kernel()
    np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-10)
    values = np.linalg.eigvalsh(K)[::-1][:2]
    np.testing.assert_allclose(values, kpca.eigenvalues_)


def test_a_kernel_of_the_users(X):
    ours = KernelPCA(2, kernel=lambda x, y: float((x @ y + 1) ** 2)).fit(X)
    named = KernelPCA(2, kernel="polynomial", degree=2, gamma=1.0, coef0=1).fit(X)
    np.testing.assert_allclose(ours.embedding_, named.embedding_, atol=1e-8)
    assert ours.kernel(np.ones(2), np.ones(2)) == 9.0


def test_an_indefinite_kernel_is_said_and_its_negative_part_left_out(X):
    K = X @ X.T - 5 * np.eye(50)
    with pytest.warns(NotEuclideanWarning, match="not positive semidefinite.*smallest"):
        kpca = KernelPCA(6, kernel="precomputed").fit(K)
    assert np.isfinite(kpca.embedding_).all()
    np.testing.assert_array_equal(kpca.embedding_[:, 4:], 0)
    assert (kpca.eigenvalues_[:4] > 0).all()


def test_a_kernel_that_is_not_symmetric_names_the_worst_pair(X):
    K = X @ X.T
    K[3, 7] += 2
    with pytest.raises(ValueError, match=r"KernelPCA expects X to be symmetric.*X\[3, 7\]"):
        KernelPCA(2, kernel="precomputed").fit(K)


def test_single_precision_storage(X):
    double = KernelPCA(2, kernel="rbf", gamma=0.2, dtype="float64").fit(X)
    single = KernelPCA(2, kernel="rbf", gamma=0.2, dtype="float32").fit(X)
    np.testing.assert_allclose(single.embedding_, double.embedding_, atol=1e-5)


def test_a_metric_in_front_of_a_given_kernel_is_refused_by_the_name_of_the_parameter(X):
    """The error spoke of a metric, which kernel PCA has not."""
    model = KernelPCA(kernel="precomputed")
    with pytest.raises(ValueError, match="KernelPCA .*kernel must not be 'precomputed'"):
        model.fit(X @ X.T, side=Pairs(similar=[(0, 1)]))
