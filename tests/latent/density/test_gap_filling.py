"""Rows of which entries are missing: their place in the map, and what is filled in."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import KernelInformationEmbedding, ProbabilisticPCA
from sidelight.datasets import noisy_s, s_curve
from sidelight.latent.density.gap_filling import fill_gaps
from sidelight.latent.density.joint import JointDensity
from sidelight.latent.density.kernels import kernel_for

RNG = np.random.default_rng(4)
SHEET = s_curve(300, random_state=0).X


@pytest.fixture(scope="module")
def model():
    return KernelInformationEmbedding(2, bandwidth=0.5, alpha=0.003, tol=1e-7).fit(SHEET)


def test_missing_entries_are_integrated_out():
    """E[z | y_1] of the joint density of (y_1, y_2, z), by quadrature over y_2."""
    items, points = RNG.normal(size=(25, 2)), RNG.normal(size=(25, 1))
    grid = np.linspace(-9, 9, 3001)
    density = JointDensity(items, points, np.arange(2), kernel_for("gaussian", items), 0.4)
    at = np.array([[0.3, np.nan]])
    inside = np.exp(-((grid[:, None] - items[:, 1]) ** 2) / 0.4)
    weights = np.exp(-((0.3 - items[:, 0]) ** 2) / 0.4) * np.trapezoid(inside, grid, axis=0)
    mean, std = density.expected_points(at)
    expected = weights @ points[:, 0] / weights.sum()
    assert mean[0, 0] == pytest.approx(expected, rel=1e-6)
    second = weights @ (points[:, 0] ** 2 + 0.5) / weights.sum()
    assert std[0, 0] == pytest.approx(np.sqrt(second - expected**2), rel=1e-6)


def test_missing_codes_are_summed_out():
    items = np.array([[0.0, 5.0], [0.0, 7.0], [1.0, 7.0]])
    points = np.array([[0.0], [1.0], [9.0]])
    density = JointDensity(items, points, np.arange(2), kernel_for("discrete", items), 0.5)
    w = np.exp(-np.array([1.0, 0.0, 0.0]) / 0.5)
    mean = density.expected_points(np.array([[np.nan, 7.0]]))[0]
    assert mean[0, 0] == pytest.approx(w @ points[:, 0] / w.sum())
    assert density.recognise(np.array([[np.nan, 5.0], [np.nan, np.nan]])).tolist() == [0, -1]


def test_nothing_missing_is_the_plain_mapping(model):
    new = s_curve(40, random_state=1).X
    np.testing.assert_array_equal(model.impute(new), new)
    np.testing.assert_array_equal(model.posterior(new)[0], model.transform(new))
    # and next to nothing known is next to the plain mapping of a row that lacks it
    wide = np.hstack([SHEET, 1e-9 * RNG.random((300, 1))])
    same = KernelInformationEmbedding(2, bandwidth=0.5, alpha=0.003, tol=1e-7).fit(wide)
    holed = np.hstack([new, np.full((40, 1), np.nan)])
    whole = np.hstack([new, np.zeros((40, 1))])
    np.testing.assert_allclose(same.posterior(holed)[0], same.transform(whole), atol=1e-6)


def test_regression_is_the_conditional_mean_of_the_neighbours_gaussian():
    """Against the formula in the space of the columns, row by row."""
    items, rows = RNG.normal(size=(30, 6)), RNG.normal(size=(5, 6))
    rows[RNG.random(rows.shape) < 0.4] = np.nan
    neighbors = np.array([RNG.permutation(30)[:9] for _ in rows])
    squared = np.sort(RNG.random((5, 9)), axis=1)
    filled = fill_gaps(rows, items, neighbors, squared)
    for row, near, d, result in zip(rows, neighbors, squared, filled, strict=True):
        w = np.exp(-2 * d / d[-1])
        w /= w.sum()
        mean = w @ items[near]
        C = (w[:, None] * (items[near] - mean)).T @ (items[near] - mean)
        known = ~np.isnan(row)
        inverse = np.linalg.inv(
            C[np.ix_(known, known)] + 0.01 * np.trace(C) / 6 * np.eye(known.sum())
        )
        expected = mean[~known] + C[np.ix_(~known, known)] @ inverse @ (row - mean)[known]
        np.testing.assert_allclose(result[~known], expected, rtol=1e-8)
        np.testing.assert_array_equal(result[known], row[known])


def test_entries_of_a_plane_are_found_to_first_order(model):
    """Where the items lie on a plane, regression is exact and a mean is not."""
    plane = RNG.random((400, 2)) @ np.array([[1.0, 0, 1, 2], [0, 1.0, 1, -1]])
    flat = KernelInformationEmbedding(2, bandwidth=0.3, tol=1e-6).fit(plane)
    new = RNG.uniform(0.1, 0.9, (30, 2)) @ np.array([[1.0, 0, 1, 2], [0, 1.0, 1, -1]])
    holed = new.copy()
    holed[:, 3] = np.nan
    assert np.abs(flat.impute(holed) - new).max() < 0.02
    assert np.abs(flat.denoise(holed) - new).max() > 0.1


def test_gaps_of_a_loop_are_filled_better_than_by_a_plane():
    def loop(t):
        return np.column_stack([f(k * t) / k for k in (1, 2, 3) for f in (np.cos, np.sin)])

    items, new = (loop(2 * np.pi * RNG.random(n)) for n in (150, 60))
    holed = new.copy()
    holed[:, [2, 5]] = np.nan  # what is left tells the place on the loop
    missing = np.isnan(holed)
    error = np.mean((KernelInformationEmbedding(2).fit(items).impute(holed) - new)[missing] ** 2)
    plane = ProbabilisticPCA(2).fit(items).impute(holed)
    assert error < 0.1 * np.mean((plane - new)[missing] ** 2)


def test_codes_are_filled_in_with_codes():
    codes = (np.sort(RNG.random(100))[:, None] > np.linspace(0.05, 0.95, 12)).astype(float)
    model = KernelInformationEmbedding(1, kernel="discrete").fit(codes)
    holed = codes.copy()
    holed[RNG.random(codes.shape) < 0.2] = np.nan
    filled = model.impute(holed)
    assert set(np.unique(filled)) == {0.0, 1.0}
    missing = np.isnan(holed)
    usual = np.broadcast_to(np.round(np.nanmean(holed, axis=0)), codes.shape)
    wrong, wrong_usually = (np.mean((codes != F)[missing]) for F in (filled, usual))
    assert wrong < 0.6 * wrong_usually


def test_what_cannot_be_filled_in(model):
    hole = np.full((1, 3), np.nan)
    hole[0, 0] = 0.1
    with pytest.raises(
        ValueError, match="'n_neighbors' argument of KernelInformationEmbedding.imp"
    ):
        model.impute(hole, n_neighbors=0)
    with pytest.raises(ValueError, match="contains NaN"):
        model.transform(hole)
    X = noisy_s(60, random_state=0).X
    quartic = KernelInformationEmbedding(1, kernel="quartic", n_steps=4).fit(X)
    with pytest.raises(ValueError, match="kernel='gaussian' or 'discrete' only"):
        quartic.impute([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="infinity"):
        model.impute([[np.inf, 0.0, 0.0]])
