"""Kernels of a few bumps, of random waves, and of bumps all across space."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import PCA, KernelPCA
from sidelight.similarity import BasisKernel, InfiniteBasisKernel, RandomBasisKernel

Y = np.random.default_rng(0).standard_normal((12, 2))


def test_a_few_bumps_are_explicit_features():
    centres = np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    kernel = BasisKernel(centres, length_scale=0.7)
    features = np.exp(-((Y[:, None] - centres) ** 2).sum(axis=2) / 0.49) / np.sqrt(3)
    np.testing.assert_allclose(kernel(Y, Y[:5]), features @ features[:5].T, atol=1e-15)
    by_kernel = KernelPCA(2, kernel=kernel).fit(Y)
    by_features = PCA(2).fit(kernel.features(Y))
    signs = np.sign(np.sum(by_kernel.embedding_ * by_features.embedding_, axis=0))
    np.testing.assert_allclose(by_kernel.embedding_, by_features.embedding_ * signs, atol=1e-9)


def test_the_expected_squared_distance_of_random_functions_is_that_of_the_kernel():
    kernel = BasisKernel(np.linspace(-2, 2, 9)[:, None])
    rows = np.array([[-1.0], [0.4]])
    rng = np.random.default_rng(1)
    drawn = kernel.features(rows) @ rng.standard_normal((9, 40_000))
    K = kernel(rows, rows)
    expected = K[0, 0] + K[1, 1] - 2 * K[0, 1]
    found = (drawn[0] - drawn[1]) ** 2
    assert abs(found.mean() - expected) < 4 * found.std() / 200


def test_ever_more_bumps_become_the_infinite_basis():
    rows, limit = np.linspace(-1, 1, 7)[:, None], InfiniteBasisKernel(length_scale=0.6)
    misses = []
    for m in (10, 20, 40):
        spacing = 12 / m
        K = BasisKernel(-6 + spacing * (np.arange(m) + 0.3)[:, None], 0.6)(rows, rows)
        K *= m * spacing / np.sqrt(np.pi * 0.36 / 2)  # a sum over centres, as an integral
        misses.append(np.abs(K - limit(rows, rows)).max())
    assert misses[0] > 0.1 > misses[1] > 0.01 > misses[2]
    assert misses[2] < 1e-6
    np.testing.assert_allclose(limit(rows[:1], rows[-1:]), np.exp(-4 / 0.72), rtol=1e-12)


def test_away_from_the_bumps_everything_is_in_one_place_but_not_with_all_of_them():
    far = np.array([[30.0], [60.0]])
    few, all_of_them = BasisKernel(np.array([[0.0]])), InfiniteBasisKernel()
    for kernel, expected in ((few, 0.0), (all_of_them, 2.0)):
        K = kernel(far, far)
        assert K[0, 0] + K[1, 1] - 2 * K[0, 1] == pytest.approx(expected, abs=1e-12)


def test_random_waves_converge_as_one_over_the_root_of_their_number():
    limit = InfiniteBasisKernel(length_scale=1.3)(Y, Y)
    missed = []
    for m in (100, 10_000):
        draws = [
            RandomBasisKernel.drawn(m, 2, length_scale=1.3, random_state=seed)(Y, Y) - limit
            for seed in range(5)
        ]
        missed.append(np.sqrt(np.mean(np.square(draws))))
    assert missed[0] / missed[1] == pytest.approx(10, rel=0.35)
    assert missed[1] < 0.02


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BasisKernel([1.0, 2.0]), "'centres' argument of BasisKernel"),
        (lambda: BasisKernel([[1.0]], length_scale=0.0), "'length_scale' argument of BasisKernel"),
        (lambda: InfiniteBasisKernel(-1.0), "'length_scale' argument of InfiniteBasisKernel"),
        (lambda: RandomBasisKernel.drawn(0, 2), "'m' argument of RandomBasisKernel.drawn"),
        (lambda: InfiniteBasisKernel()([1.0], [[2.0]]), "table of finite numbers"),
    ],
)
def test_what_is_no_kernel_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
