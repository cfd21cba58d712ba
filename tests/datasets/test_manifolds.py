"""The truth of a manifold is its isometric coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import cdist, pdist
from sklearn.neighbors import NearestNeighbors

from sidelight.datasets import noisy_s, s_curve, swiss_roll


@pytest.mark.parametrize("make", [swiss_roll, s_curve])
def test_near_distances_on_the_sheet_are_distances_of_the_truth(make):
    X, truth = make(4000, random_state=0)
    distance, index = NearestNeighbors(n_neighbors=5).fit(X).kneighbors()
    of_truth = np.linalg.norm(truth[:, None, :] - truth[index], axis=2)
    assert np.abs(distance / of_truth - 1).max() < 0.03


def test_swiss_roll_arc_length_is_the_integral_of_speed():
    roll = swiss_roll(20, random_state=1)
    for t, s in zip(roll.extras["angle"], roll.truth[:, 0], strict=True):
        integral, _ = quad(lambda a: np.sqrt(1 + a * a), 1.5 * np.pi, t)
        assert s == pytest.approx(integral, rel=1e-10)


def test_swiss_roll_is_uniform_along_its_length():
    roll = swiss_roll(20_000, random_state=0)
    total, _ = quad(lambda a: np.sqrt(1 + a * a), 1.5 * np.pi, 4.5 * np.pi)
    counts, _ = np.histogram(roll.truth[:, 0], bins=10, range=(0, total))
    assert counts.sum() == 20_000
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(2000)


def test_height_and_width_are_the_parameters():
    assert swiss_roll(5000, height=3.0, random_state=0).X[:, 1].max() == pytest.approx(3, abs=0.01)
    assert s_curve(5000, width=5.0, random_state=0).X[:, 1].max() == pytest.approx(5, abs=0.01)


def test_noisy_s_without_noise_lies_on_two_unit_circles():
    X, length = noisy_s(200, noise=0.0, random_state=0)
    centre = np.column_stack([np.zeros(200), np.where(length[:, 0] > 1.5 * np.pi, -1.0, 1.0)])
    np.testing.assert_allclose(np.linalg.norm(X - centre, axis=1), 1.0, atol=1e-12)


def test_noisy_s_truth_is_arc_length():
    sample = noisy_s(3000, random_state=0)
    order = np.argsort(sample.truth[:, 0])
    steps = np.linalg.norm(np.diff(sample.extras["clean"][order], axis=0), axis=1)
    span = np.ptp(sample.truth[:, 0])
    assert steps.sum() == pytest.approx(span, rel=1e-4)


@pytest.mark.parametrize("make", [swiss_roll, s_curve, noisy_s])
def test_noise_has_the_standard_deviation_asked_for(make):
    clean = make(4000, noise=0.0, random_state=3).X
    noisy = make(4000, noise=0.5, random_state=3).X
    assert (noisy - clean).std() == pytest.approx(0.5, rel=0.03)


@pytest.mark.parametrize("make", [swiss_roll, s_curve, noisy_s])
def test_the_same_seed_gives_the_same_draw_and_another_seed_another(make):
    np.testing.assert_array_equal(make(30, random_state=5).X, make(30, random_state=5).X)
    assert cdist(make(30, random_state=5).X, make(30, random_state=6).X).min() > 0
    assert pdist(make(30, random_state=5).X).min() > 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: swiss_roll(0), r"'n_samples' parameter of swiss_roll .* Got 0"),
        (lambda: s_curve(10, noise=-1.0), r"'noise' parameter of s_curve .* Got -1.0"),
        (lambda: noisy_s(2.5), r"'n_samples' parameter of noisy_s .* Got 2.5"),
        (lambda: swiss_roll(10, height=0.0), r"'height' parameter of swiss_roll .* Got 0.0"),
        (lambda: s_curve(10, width=np.nan), r"'width' parameter of s_curve .* Got nan"),
    ],
)
def test_numbers_out_of_range_are_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
