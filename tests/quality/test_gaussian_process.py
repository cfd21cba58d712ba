"""The GP-LVM score: its likelihood, what does not change it, and which map it prefers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sidelight.quality import gplvm_score, quality_report
from sidelight.quality.gaussian_process import fit_map_process

RNG = np.random.default_rng(0)
Z = RNG.uniform(-1, 1, (70, 2))
Y = np.column_stack([np.sin(2 * Z[:, 0]), Z[:, 0] * Z[:, 1], np.cos(3 * Z[:, 1]), Z[:, 1]])
Y = 5 + 3 * (Y + 0.05 * RNG.standard_normal(Y.shape))


def likelihood(Y, Z, signal, length, noise):
    centred = Y - Y.mean(axis=0)
    centred /= np.sqrt(np.mean(centred**2))
    squares = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    C = signal * np.exp(-squares / (2 * length**2)) + noise * np.eye(len(Z))
    return multivariate_normal(cov=C).logpdf(centred.T).sum()


@pytest.mark.parametrize("columns", [4, 90])
def test_it_is_the_likelihood_of_the_process_found(columns):
    data = Y if columns == 4 else np.hstack([Y, RNG.standard_normal((70, columns - 4))])
    found = fit_map_process(data, Z)
    at = (found.signal_variance, found.length_scale, found.noise_variance)
    assert found.log_likelihood == pytest.approx(likelihood(data, Z, *at), rel=1e-9)


def test_no_other_process_is_likelier():
    found = fit_map_process(Y, Z)
    at = np.log([found.signal_variance, found.length_scale, found.noise_variance])
    for step in (0.02, 0.5, 2.0):
        for axis in np.vstack([np.eye(3), -np.eye(3)]):
            assert likelihood(Y, Z, *np.exp(at + step * axis)) < found.log_likelihood


def test_data_without_noise_have_next_to_none():
    """A hundred millionth of the signal at least, below which the kernel is singular."""
    x = np.linspace(-1, 1, 60)[:, None]
    found = fit_map_process(np.hstack([np.sin(2 * x), x**2]), x)
    assert 0.99e-8 <= found.noise_variance / found.signal_variance < 1e-6


def test_turning_moving_and_scaling_change_nothing():
    turn = np.linalg.qr(RNG.standard_normal((2, 2)))[0]
    score = gplvm_score(Y, Z)
    assert gplvm_score(Y, 40 * Z @ turn + 7) == pytest.approx(score, rel=1e-7)
    assert gplvm_score(100 * Y - 3, Z) == pytest.approx(score, rel=1e-7)
    # stretching one axis alone is another map
    assert gplvm_score(Y, Z * [1.0, 9.0]) < score - 1


def test_the_truth_scores_above_a_projection_and_a_projection_above_noise():
    scores = [gplvm_score(Y, M) for M in (Z, Z[:, :1], RNG.standard_normal(Z.shape))]
    assert scores[0] > scores[1] + 100
    assert scores[1] > scores[2] + 20


def test_the_report_has_it_for_few_points():
    assert quality_report(Y, Z).gplvm_score == pytest.approx(gplvm_score(Y, Z))
    many = RNG.standard_normal((501, 3))
    assert quality_report(many, many[:, :2]).gplvm_score is None
    D = np.linalg.norm(Y[:, None] - Y[None], axis=2)
    assert quality_report(D, Z, metric="precomputed").gplvm_score is None


def test_bad_input():
    with pytest.raises(ValueError, match="'Y' argument of gplvm_score must vary"):
        gplvm_score(np.ones((10, 2)), Z[:10])
    with pytest.raises(ValueError, match="same number of rows"):
        gplvm_score(Y, Z[:-1])
    assert np.isfinite(gplvm_score(Y, np.zeros_like(Z)))  # all in one place: all is noise


@pytest.mark.real_data("robot_wireless")
def test_isomap_closes_the_robots_loop_better_than_pca():
    from sidelight import PCA, Isomap
    from sidelight.datasets import load

    X = load("robot_wireless").X
    assert gplvm_score(X, PCA(2).fit_transform(X)) == pytest.approx(-1893.5, abs=1)
    assert gplvm_score(X, Isomap(2, n_neighbors=7).fit_transform(X)) == pytest.approx(
        -1018.8, abs=1
    )
