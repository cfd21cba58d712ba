"""Kernel PCA: the parameter that is also a method, and kernels that are none."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

import sidelight
from sidelight import KernelPCA
from sidelight.core.errors import NotEuclideanWarning
from sidelight.side import Pairs
from tests.comparison import assert_same_map


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


@pytest.mark.parametrize(("lowest", "said"), [(-1e-4, True), (-1e-8, False)])
def test_a_kernel_that_is_a_little_indefinite_is_said_from_a_millionth_on(lowest, said):
    rng = np.random.default_rng(1)
    V = np.linalg.qr(np.column_stack([np.ones(40), rng.standard_normal((40, 3))]))[0][:, 1:]
    K = (V * [1.0, 0.5, lowest]) @ V.T
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        KernelPCA(2, kernel="precomputed").fit((K + K.T) / 2)
    assert any(issubclass(w.category, NotEuclideanWarning) for w in heard) == said


def test_directions_of_rounding_are_none_at_all():
    """Rows on a line have one: of the others even their rounding is left out."""
    for seed in range(10):
        line = np.outer(np.random.default_rng(seed).standard_normal(60), [3.0, -1.0, 0.3])
        for kernel in ("linear", lambda x, y: float(x @ y)):
            kpca = KernelPCA(3, kernel=kernel).fit(line)
            np.testing.assert_array_equal(kpca.eigenvalues_[1:], 0)
            assert not kpca.embedding_[:, 1:].any()
            assert not kpca.transform(line + 1.0)[:, 1:].any()


def test_directions_that_are_small_but_told_are_kept():
    """Of rows a millionth as wide as long the width is an eigenvalue of 1e-12 of the largest."""
    for n in (20, 200):
        X = np.random.default_rng(n).standard_normal((n, 2)) * [1.0, 1e-6]
        singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
        found = KernelPCA(2, kernel="linear").fit(X).eigenvalues_
        np.testing.assert_allclose(found, singular**2, rtol=0.01)


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


@pytest.mark.parametrize("offset", [1e4, 1e6, 1e8])
class TestFarFromTheOrigin:
    """Centring takes off what the distance from the origin adds, digits and all."""

    def test_the_linear_kernel_is_principal_component_analysis(self, X, offset):
        far = X + offset
        expected = KernelPCA(2, kernel="linear").fit(far - far.mean(axis=0)).embedding_
        found = KernelPCA(2, kernel="linear").fit(far).embedding_
        assert_same_map(found, expected, atol=1e-9)

    def test_directions_of_rows_are_compared_as_in_more_digits(self, X, offset):
        far = X + offset
        exact = np.array([[Decimal(float(x)) for x in row] for row in far])
        unit = np.array([row / (row @ row).sqrt() for row in exact])
        turned = ((unit - unit.mean(axis=0)) * 10**9).astype(float)
        values = np.linalg.eigvalsh(turned @ turned.T)[::-1][:2] / 1e18
        found = KernelPCA(2, kernel="cosine").fit(far).eigenvalues_
        np.testing.assert_allclose(found, values, rtol=1e-14 * offset)

    def test_powers_of_inner_products_are_compared_as_in_more_digits(self, X, offset):
        far = X + offset
        exact = np.array([[Fraction(float(x)) for x in row] for row in far])
        K = (exact @ exact.T + 1) ** 2
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        values = np.linalg.eigvalsh(K.astype(float))[::-1][:2]
        found = KernelPCA(2, kernel="polynomial", degree=2, gamma=1.0).fit(far).eigenvalues_
        np.testing.assert_allclose(found, values, rtol=1e-14 * offset)

    @pytest.mark.parametrize("kernel", ["linear", "polynomial", "cosine", "rbf"])
    def test_training_rows_are_placed_where_they_are(self, X, offset, kernel):
        far = X + offset
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kpca = KernelPCA(2, kernel=kernel).fit(far)
        apart = np.abs(kpca.transform(far) - kpca.embedding_).max()
        assert apart < 1e-7 * np.abs(kpca.embedding_).max()


def test_a_polynomial_of_rows_whose_base_changes_its_sign(X):
    """Far rows are compared by differences of powers, and rows on the other side by powers."""
    far = X + 3
    kpca = KernelPCA(2, kernel="polynomial", degree=3, gamma=1.0, coef0=1).fit(far)
    plain = (far @ far.T + 1) ** 3
    given = KernelPCA(2, kernel="precomputed").fit(plain)
    np.testing.assert_allclose(kpca.eigenvalues_, given.eigenvalues_)
    new = -4 * far
    placed = kpca.transform(new) * np.sign(kpca.embedding_[0] * given.embedding_[0])
    np.testing.assert_allclose(placed, given.transform((new @ far.T + 1) ** 3), rtol=1e-6)


def test_a_kernel_that_rounding_has_left_nothing_of_is_named_as_such(X):
    K = (X + 1e9) @ (X + 1e9).T
    with pytest.warns(UserWarning, match=r"says nothing about X.*subtract X\.mean"):
        kpca = KernelPCA(2, kernel="precomputed").fit((K + K.T) / 2)
    np.testing.assert_array_equal(kpca.embedding_, 0)
    np.testing.assert_array_equal(kpca.transform(K), 0)


def test_a_kernel_of_few_digits_is_not_said_to_be_indefinite(X):
    K = (X + 1e6) @ (X + 1e6).T
    with pytest.warns(UserWarning, match="known to few digits") as said:
        KernelPCA(2, kernel="precomputed").fit((K + K.T) / 2)
    assert not any(issubclass(w.category, NotEuclideanWarning) for w in said)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "cosine", "rbf"])
@pytest.mark.parametrize("value", [0.1, 1.0])
def test_rows_that_are_all_the_same_have_no_extent(kernel, value):
    same = np.full((30, 4), value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kpca = KernelPCA(2, kernel=kernel).fit(same)
    np.testing.assert_array_equal(kpca.embedding_, 0)
    np.testing.assert_array_equal(kpca.transform(same), 0)
    np.testing.assert_array_equal(kpca.transform(same[:1]), 0)


@pytest.mark.parametrize("kernel", ["polynomial", "cosine"])
def test_a_model_of_far_rows_is_saved_and_read(X, kernel, tmp_path):
    kpca = KernelPCA(2, kernel=kernel).fit(X + 1e6)
    sidelight.save(kpca, tmp_path / "far.sidelight")
    again = sidelight.load(tmp_path / "far.sidelight")
    np.testing.assert_array_equal(again.transform(X + 1e6), kpca.transform(X + 1e6))


@pytest.mark.parametrize("parameters", [{"degree": 0.5}, {"degree": 2.5}, {"degree": 900}])
def test_a_kernel_that_is_not_finite_is_refused_by_name(parameters):
    """(−2)^½ is no number, and 9^900 too large for one: all rows were placed at the origin."""
    X = 3 * np.random.default_rng(0).standard_normal((40, 3))
    with pytest.raises(ValueError, match="'kernel' parameter of KernelPCA must give finite"):
        KernelPCA(kernel="polynomial", **parameters).fit(X)


def test_new_rows_whose_kernel_is_not_finite_are_refused_by_name():
    X = np.abs(np.random.default_rng(0).standard_normal((40, 3)))

    def root(A, B):
        return np.asarray(A @ B.T) ** 0.5

    model = KernelPCA(kernel=root).fit(X)
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(ValueError, match="'kernel' parameter of KernelPCA must give finite"),
    ):
        model.transform(-X[:3])
