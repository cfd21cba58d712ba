"""Whether the difference of two frames is noise."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import f, kstest

from sidelight.unfolding.actions.noisy_places import one_place_probabilities


def frames_of(places, noise, seed, p=60):
    rng = np.random.default_rng(seed)
    waves = np.cos(np.outer(np.arange(max(places) + 1), [0.3, 0.6, 0.9]) + rng.random(3))
    pictures = waves @ rng.standard_normal((3, p))
    return pictures[places] + noise * rng.standard_normal((len(places), p))


def naive(X, i, j):
    """F, with the difference projected on what the other frames span."""
    others = np.delete(X, [i, j], axis=0)
    span = np.linalg.svd(others - others.mean(axis=0), full_matrices=False)[2][:-1]
    difference, q, p = X[i] - X[j], len(others) - 1, X.shape[1]
    inside = float(np.sum((span @ difference) ** 2))
    return inside / q / ((float(difference @ difference) - inside) / (p - q)), q, p - q


def test_it_is_the_f_test_of_the_projected_difference():
    X = frames_of([0, 1, 2, 3, 4, 1, 5, 6], 0.5, 0)
    i, j = np.triu_indices(8, 1)
    found = one_place_probabilities(cdist(X, X), i, j, 60)
    expected = [f.sf(*naive(X, a, b)) for a, b in zip(i, j, strict=True)]
    assert np.allclose(found, expected, rtol=1e-6)


def test_of_one_place_every_probability_is_as_likely_and_of_two_it_is_small():
    same, other = [], []
    for seed in range(300):
        X = frames_of([0, 1, 2, 3, 4, 1, 5, 6, 7, 8], 0.7, seed)
        D = cdist(X, X)
        first, second = one_place_probabilities(D, np.array([1, 0]), np.array([5, 3]), 60)
        same.append(first)
        other.append(second)
    assert kstest(same, "uniform").pvalue > 0.01
    assert np.mean(np.array(other) < 0.05) > 0.8


def test_frames_that_cannot_say_anything_say_nothing():
    X = frames_of([0, 1, 2, 1, 3], 0.5, 0)
    i, j = np.triu_indices(5, 1)
    assert (one_place_probabilities(cdist(X, X), i, j, 5) == 1).all()  # too few numbers
    line = np.outer(np.arange(5.0), np.ones(60))
    assert (one_place_probabilities(cdist(line, line), i, j, 60) == 1).all()  # no noise
