"""The objective's gradient in every variable, by finite differences, in every form."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sidelight.gaussian_process.covariance import COVARIANCES
from sidelight.gaussian_process.observed import ObservedTable
from sidelight.latent.gplvm.back_constraint import BackConstraint, first_weights
from sidelight.latent.gplvm.objective import GPLVMObjective
from sidelight.latent.gplvm.process import settled

FORMS = list(itertools.product(("rbf", "linear"), (0, 3), (None, "rbf", "linear"), (0.0, 0.2)))


@pytest.mark.parametrize(("kernel", "n_inducing", "back", "missing"), FORMS)
def test_the_gradient_is_that_of_the_value(kernel, n_inducing, back, missing):
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((9, 4))
    constraint = BackConstraint.of(back, Y) if back else None
    features = constraint.features(Y) if constraint else None
    holes = np.where(rng.random(Y.shape) < missing, np.nan, Y)
    objective = GPLVMObjective(
        ObservedTable.of(holes),
        COVARIANCES[kernel],
        2,
        prior=2.0,
        n_inducing=n_inducing,
        features=features,
    )
    free = 0.7 * rng.standard_normal((9 if features is None else features.shape[1], 2))
    x = objective.pack(free, rng.standard_normal((3, 2)) if n_inducing else None)
    x = x + 0.3 * rng.standard_normal(len(x))
    _, gradient = objective(x)
    h = 1e-5
    numeric = [
        (objective(x + h * e)[0] - objective(x - h * e)[0]) / (2 * h) for e in np.eye(len(x))
    ]
    # three inducing points of a linear kernel in the plane meet the jitter
    tolerance = 1e-4 if kernel == "linear" and n_inducing else 1e-6
    np.testing.assert_allclose(gradient, numeric, atol=tolerance * np.abs(gradient).max())


def test_only_the_map_in_length_scales_matters():
    rng = np.random.default_rng(1)
    table = ObservedTable.of(rng.standard_normal((9, 4)))
    objective = GPLVMObjective(table, COVARIANCES["rbf"], 2, prior=2.0)
    x = objective.pack(rng.standard_normal((9, 2)), None)
    wider = x.copy()
    wider[:18] *= 5
    wider[19] += np.log(5) / objective.unit
    assert objective(wider)[0] == pytest.approx(objective(x)[0], rel=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("size", [-3e5, -1080.0, 1080.0, 3e5])  # of three a logarithm is one
def test_a_step_beyond_the_floating_point_numbers_is_too_long(kernel, size):
    """A line search that tried one ended the fit: the kernel matrix was infinite."""
    rng = np.random.default_rng(4)
    table = ObservedTable.of(rng.standard_normal((9, 4)))
    objective = GPLVMObjective(table, COVARIANCES[kernel], 2, prior=2.0)
    x = objective.pack(rng.standard_normal((9, 2)), None)
    x[-1] = size
    value, slope = objective(x)
    assert value == np.inf
    assert np.isfinite(slope).all()


def test_first_weights_start_at_the_map():
    rng = np.random.default_rng(2)
    Y = rng.standard_normal((30, 3))
    Z = np.column_stack([Y[:, 0] + 2, Y[:, 1] - Y[:, 2]])
    features = BackConstraint.of("linear", Y).features(Y)
    np.testing.assert_allclose(features @ first_weights(features, Z), Z, atol=1e-3)


@pytest.mark.parametrize("touched", [1 + 1e-12, 1 - 1e-12])
@pytest.mark.parametrize("sign", [1, -1])
def test_rounding_does_not_turn_a_symmetric_map_around(touched, sign):
    """Its two ends are as far out, and the first of them is on the positive side."""
    t = np.linspace(-1, 1, 9)
    Z = sign * np.column_stack([t, 0.3 * t**2])
    Z[-1] *= touched
    Y = np.column_stack([Z, Z[:, 0] ** 2])
    objective = GPLVMObjective(ObservedTable.of(Y), COVARIANCES["rbf"], 2, prior=2.0)
    found, _ = settled(objective, objective.vector_of(Z), Y)
    assert found.Z[0, 0] > 0 > found.Z[-1, 0]
