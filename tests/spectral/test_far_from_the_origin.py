"""Linear maps of rows far from the origin: what they say of variance is that of centred rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight import PCA, ProbabilisticPCA

BASE = np.random.default_rng(0).standard_normal((30, 50)) * np.linspace(3.0, 0.2, 50)
OFFSETS = (1e4, 1e6, 1e8)


def share(X):
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return values[:3] / values.sum()


def moved(offset, tall):
    """The rows, and the same brought back: an exact subtraction, so that both are one table."""
    far = (BASE.T if tall else BASE) + offset
    return far, far - offset


@pytest.mark.parametrize("tall", [False, True])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("method", ["direct", "dual", "operator"])
def test_explained_variance_is_that_of_centred_rows(method, offset, tall):
    far, near = moved(offset, tall)
    model = PCA(3, method=method).fit(far)
    np.testing.assert_allclose(model.explained_variance_ratio_, share(near), rtol=1e-6)
    assert PCA(None, method=method).fit(far).explained_variance_ratio_.sum() <= 1 + 1e-6


@pytest.mark.parametrize("offset", OFFSETS)
def test_of_sparse_rows_as_well(offset):
    far, near = moved(offset, True)
    far[:, 0], near[:, 0] = BASE[0], BASE[0]  # and a column that is mostly zeros, stored or not
    far[5:, 0] = near[5:, 0] = 0.0
    model = PCA(3).fit(sp.csr_array(far))
    np.testing.assert_allclose(model.explained_variance_ratio_, share(near), rtol=1e-6)


@pytest.mark.parametrize("tall", [False, True])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_noise_is_that_of_centred_rows(form, offset, tall):
    far, near = moved(offset, tall)
    expected = ProbabilisticPCA(3, form=form).fit(near)
    model = ProbabilisticPCA(3, form=form).fit(far)
    assert model.noise_variance_ == pytest.approx(expected.noise_variance_, rel=1e-6)


def test_rows_that_hardly_differ_far_out_are_told_apart():
    far = 1e8 + np.array([[0.0, 0.0, 0.0], [1e-3, 0.0, 0.0]])
    assert PCA(1, method="dual").fit(far).explained_variance_ratio_ == pytest.approx(1.0)
