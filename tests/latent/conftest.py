"""What the tests of latent methods share: finite differences, and naive objectives."""

from __future__ import annotations

import numpy as np
import pytest


def _assert_gradient(function, Z, *, step=1e-6, rtol=1e-6):
    """Compare a gradient with central differences along every coordinate."""
    _, gradient = function(Z)
    expected = np.zeros_like(Z)
    for place in np.ndindex(Z.shape):
        nudge = np.zeros_like(Z)
        nudge[place] = step
        expected[place] = (function(Z + nudge)[0] - function(Z - nudge)[0]) / (2 * step)
    np.testing.assert_allclose(gradient, expected, atol=rtol * np.abs(expected).max())


@pytest.fixture
def assert_gradient():
    return _assert_gradient


def _naive_mismatch(P, Y, *, picks_itself=True):
    """Eq. (4.2) and (4.4), a loop over items."""
    total = 0.0
    for i in range(len(Y)):
        e = np.exp(-((Y[i] - Y) ** 2).sum(axis=1))
        if not picks_itself:
            e[i] = 0.0
        q = e / e.sum()
        some = P[i] > 0
        total += np.sum(P[i, some] * np.log(P[i, some] / q[some]))
    return total / len(Y)


@pytest.fixture
def naive_mismatch():
    return _naive_mismatch
