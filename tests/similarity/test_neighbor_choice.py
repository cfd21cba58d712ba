"""Who picks whom: the definition, and bandwidths from perplexities."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.similarity.neighbor_choice import (
    choice_probabilities,
    normalise_rows,
    perplexity_bandwidths,
    wide_bandwidth,
)


@pytest.fixture
def D():
    X = np.random.default_rng(0).standard_normal((30, 4))
    return np.linalg.norm(X[:, None] - X, axis=-1)


def test_probabilities_against_their_definition(D):
    E = np.exp(-(D**2) / 2.5)
    np.testing.assert_allclose(
        choice_probabilities(D, 2.5), E / E.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_a_very_narrow_bandwidth_picks_the_nearest(D):
    far = D + 50.0
    P = choice_probabilities(far, 1e-3)
    np.testing.assert_array_equal(P.argmax(axis=1), np.arange(30))
    assert np.isfinite(P).all()


@pytest.mark.parametrize("perplexity", [2.0, 7.5, 25.0])
def test_each_row_gets_its_perplexity_whatever_the_units(D, perplexity):
    np.fill_diagonal(D, np.inf)
    for units in (1e-6, 1.0, 1e6):
        P = choice_probabilities(units * D, perplexity_bandwidths(units * D, perplexity))
        entropy = -np.sum(P * np.log(np.where(P > 0, P, 1)), axis=1)
        np.testing.assert_allclose(np.exp(entropy), perplexity, rtol=1e-9)


def test_ties_beyond_the_perplexity_share_equally():
    D = np.array([[1.0, 1.0, 1.0, 1.0, 9.0]])
    P = choice_probabilities(D, perplexity_bandwidths(D, 2.0))
    np.testing.assert_allclose(P, [[0.25, 0.25, 0.25, 0.25, 0]], atol=1e-9)


def test_the_wide_bandwidth_is_a_share_of_the_mean(D):
    off = ~np.eye(30, dtype=bool)
    assert wide_bandwidth(D) == pytest.approx(0.15 * np.mean(D[off] ** 2))
    assert wide_bandwidth(np.zeros((3, 3))) == 1.0


def test_a_row_of_zeros_picks_nobody():
    np.testing.assert_allclose(normalise_rows(np.array([[1.0, 3], [0, 0]])), [[0.25, 0.75], [0, 0]])
