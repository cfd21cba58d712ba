"""White noise and the singular values that are beneath it."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers import shrink_noise
from sidelight.solvers.white_noise import median_of_noise


@pytest.mark.parametrize(("n", "p"), [(300, 300), (150, 600), (600, 150)])
def test_median_of_pure_noise(n, p):
    noise = np.random.default_rng(0).standard_normal((n, p))
    squared = np.linalg.svd(noise, compute_uv=False) ** 2 / max(n, p)
    assert median_of_noise(min(n, p) / max(n, p)) == pytest.approx(np.median(squared), rel=0.02)
    left = np.linalg.norm(shrink_noise(noise) - noise.mean(axis=0))
    assert left < 0.05 * np.linalg.norm(noise)


def test_no_other_factors_for_the_same_directions_are_better():
    """Along its singular vectors, no common factor brings the estimate nearer to the truth."""
    rng = np.random.default_rng(1)
    truth = rng.standard_normal((120, 4)) @ rng.standard_normal((4, 300))
    truth -= truth.mean(axis=0)
    noisy = truth + 3 * rng.standard_normal(truth.shape)
    U, lengths, V = np.linalg.svd(noisy - noisy.mean(axis=0), full_matrices=False)
    best = np.diag(U.T @ truth @ V.T)[:4]  # the projection on each pair of directions
    shrunk = np.diag(U.T @ (shrink_noise(noisy) - noisy.mean(axis=0)) @ V.T)
    np.testing.assert_allclose(shrunk[:4], best, rtol=0.05)
    assert shrunk[4:].max() < 0.3 * lengths[4]


def test_tables_without_noise_stay():
    rng = np.random.default_rng(2)
    low_rank = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 40))
    np.testing.assert_array_equal(shrink_noise(low_rank), low_rank)
    np.testing.assert_array_equal(shrink_noise(np.ones((4, 3))), np.ones((4, 3)))
    assert shrink_noise(np.ones((1, 3))).tolist() == [[1, 1, 1]]


def test_a_singular_value_is_shrunk_by_the_angles_of_its_vectors():
    """What x became under noise is y; the least error is at x cos α cos β, α and β the angles."""
    rng = np.random.default_rng(6)
    n, p = 41, 100
    beta, x = (n - 1) / p, 2.0
    y = np.sqrt((x + 1 / x) * (x + beta / x))
    cosines = (x**4 - beta) / np.sqrt((x**4 + beta * x**2) * (x**4 + x**2))
    lengths = np.full(n - 1, np.sqrt(median_of_noise(beta)))  # all noise but the first
    lengths[0] = y
    U = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, n - 1))]))[0][:, 1:]
    V = np.linalg.qr(rng.normal(size=(p, n - 1)))[0]
    found = np.linalg.svd(shrink_noise((U * lengths) @ V.T), compute_uv=False)
    np.testing.assert_allclose(found, [x * cosines] + [0] * (n - 1), atol=1e-8)
