"""White noise as singular values show it."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers import hard_threshold, noise_level
from sidelight.solvers.white_noise import median_of_noise


@pytest.mark.parametrize("beta", [1.0, 0.5, 0.1])
def test_the_threshold_is_the_published_one(beta):
    """ω(β) = λ(β)/√μ_β, which Gavish and Donoho approximate by a cubic to 0.02."""
    cubic = 0.56 * beta**3 - 0.95 * beta**2 + 1.82 * beta + 1.43
    assert hard_threshold(beta) / np.sqrt(median_of_noise(beta)) == pytest.approx(cubic, abs=0.02)


def test_of_a_square_table_it_is_four_over_the_root_of_three():
    assert hard_threshold(1.0) == pytest.approx(4 / np.sqrt(3))


@pytest.mark.parametrize("shape", [(300, 60), (60, 300), (150, 150)])
def test_the_level_of_noise_beneath_a_signal(shape):
    rng = np.random.default_rng(5)
    signal = 30 * rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1]))
    singular = np.linalg.svd(signal + 0.7 * rng.normal(size=shape), compute_uv=False)
    level = noise_level(singular, min(shape) / max(shape)) / np.sqrt(max(shape))
    assert level == pytest.approx(0.7, rel=0.05)
