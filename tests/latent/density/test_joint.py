"""Both mappings are the regression functions of the joint density: against quadrature."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.density.joint import JointDensity
from sidelight.latent.density.kernels import kernel_for

RNG = np.random.default_rng(3)
ITEMS = RNG.normal(size=(25, 1))
POINTS = 2 * RNG.normal(size=(25, 1))
GRID = np.linspace(-12, 12, 6001)


def density(kernel):
    return JointDensity(ITEMS, POINTS, np.array([0]), kernel_for(kernel, ITEMS), 0.4)


def joint_on_grid(model, kernel, *, y=None, z=None):
    """p̂(y, z) along the other variable."""
    k = kernel_for(kernel, ITEMS)
    fixed, values, centres, h = (
        (y, GRID, POINTS, 1.0) if z is None else (z, GRID, ITEMS, model.bandwidth)
    )
    own, own_h = (ITEMS, model.bandwidth) if z is None else (POINTS, 1.0)
    weights = k.values((fixed - own[:, 0]) ** 2, own_h)
    return (weights * k.values((values[:, None] - centres[:, 0]) ** 2, h)).sum(axis=1)


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_conditional_means_and_deviations(kernel):
    model = density(kernel)
    for at in (-0.3, 0.5):
        for moments, p in (
            (model.expected_points(np.array([[at]])), joint_on_grid(model, kernel, y=at)),
            (model.expected_items(np.array([[at]])), joint_on_grid(model, kernel, z=at)),
        ):
            mean = np.trapezoid(GRID * p, GRID) / np.trapezoid(p, GRID)
            variance = np.trapezoid((GRID - mean) ** 2 * p, GRID) / np.trapezoid(p, GRID)
            assert moments[0][0, 0] == pytest.approx(mean, abs=1e-6)
            assert moments[1][0, 0] == pytest.approx(np.sqrt(variance), rel=1e-4)


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_density_is_the_marginal_and_integrates_to_one(kernel):
    model = density(kernel)
    p = model.density(GRID[:, None])
    assert np.trapezoid(p, GRID) == pytest.approx(1, abs=1e-6)


def test_far_from_everything_the_nearest_item_decides():
    for kernel in ("gaussian", "quartic"):
        model = density(kernel)
        nearest = np.argmax(ITEMS[:, 0])
        np.testing.assert_allclose(
            model.expected_points(np.array([[1e3]]))[0], POINTS[[nearest]], atol=1e-9
        )


def test_codes_come_back_as_codes():
    items = np.array([[0.0, 5.0], [0.0, 7.0], [1.0, 7.0]])
    points = np.array([[0.0], [0.1], [9.0]])
    model = JointDensity(items, points, np.array([0, 1]), kernel_for("discrete", items), 0.5)
    np.testing.assert_array_equal(model.expected_items(np.array([[9.0], [0.1]]))[0][0], [1, 7])
    assert model.recognise(np.array([[0.0, 7.0], [1.0, 5.0]])).tolist() == [1, -1]
