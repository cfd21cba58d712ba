"""How many components there are: rules with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.datasets import swiss_roll
from sidelight.quality import intrinsic_dimension
from sidelight.quality.components import (
    components_above_noise,
    components_by_likelihood,
    components_of_missing,
)
from sidelight.quality.dimension import levina_bickel


def planted(n, p, d, noise, seed=0):
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.standard_normal((p, d)))[0]
    return rng.standard_normal((n, d)) @ directions.T * 3 + noise * rng.standard_normal((n, p))


def eigenvalues(X):
    return np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize(("n", "p"), [(400, 20), (60, 20), (30, 100)])
@pytest.mark.parametrize("d", [1, 3, 6])
def test_planted_directions_are_counted(n, p, d, noise):
    X = planted(n, p, d, noise)
    assert components_above_noise(eigenvalues(X), n, p) == d
    assert components_by_likelihood(eigenvalues(X), n, p) == d


def test_the_threshold_for_a_square_matrix_is_that_of_its_title():
    # 4/√3 times the noise, which the median of the quarter circle law, √0.6528, turns into 2.858
    values = np.sort(np.r_[np.full(9, 1.0), 2.85, 2.87] ** 2)[::-1]
    assert components_above_noise(values, 12, 11) == 1


def test_the_penalised_likelihood_is_that_of_the_density():
    from sidelight import ProbabilisticPCA

    X = planted(80, 8, 2, 0.7)
    scores = []
    for q in range(1, 5):
        likelihood = ProbabilisticPCA(q).fit(X).log_likelihood_
        parameters = 8 * q - q * (q - 1) / 2 + 8 + 1
        scores.append(likelihood - parameters / 2 * np.log(80))
    assert components_by_likelihood(eigenvalues(X), 80, 8) == 1 + int(np.argmax(scores)) == 2


def test_each_parameter_costs_half_the_logarithm_of_the_rows():
    """Over draws whose last directions are hardly more than noise, written out."""
    n, p, chosen = 79, 8, []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, p)) * [3.0, 2.0, 1.7, 1.5, 1.4, 1.0, 1.0, 1.0]
        values, scores = eigenvalues(X), []
        for q in range(1, p):
            rest = values[q:].mean()
            likelihood = -n / 2 * (np.log(values[:q]).sum() + (p - q) * np.log(rest))
            parameters = p * q - q * (q - 1) / 2 + p + 1
            scores.append(likelihood - parameters / 2 * np.log(n))
        chosen.append(components_by_likelihood(values, 80, p))
        assert chosen[-1] == 1 + int(np.argmax(scores))
    assert len(set(chosen)) >= 4


def test_many_directions_are_found_where_entries_are_missing():
    X = planted(150, 12, 6, 0.2)
    X[np.random.default_rng(2).random(X.shape) < 0.05] = np.nan
    assert components_of_missing(X) == 6


def test_missing_entries_do_not_hide_the_number():
    X = planted(120, 10, 3, 0.3)
    X[np.random.default_rng(1).random(X.shape) < 0.15] = np.nan
    X[5] = np.nan
    assert components_of_missing(X) == 3


def test_the_estimate_is_that_of_the_measure():
    X = swiss_roll(300, random_state=0).X
    expected = float(intrinsic_dimension(X, method="mle", n_neighbors=20))
    from sidelight.neighbors import nearest_neighbors

    assert levina_bickel(nearest_neighbors(X, 20).distances) == pytest.approx(expected, rel=1e-12)
    # a ten-line reference
    T = np.sort(cdist(X, X), axis=1)[:, 1:21]
    assert expected == pytest.approx(1 / np.mean(np.log(T[:, -1:] / T[:, :-1])), rel=1e-9)
