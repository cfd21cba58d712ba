"""Counts of any size: learning begins at their mean, and ends no worse than it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import GatedBoltzmannMachine, GatedExpertField
from sidelight.gated.boltzmann import first_machine
from sidelight.gated.units import Poisson, units_of

WAYS = [{}, {"n_factors": 20}, {"premapping": 5}, {"premapping": (8, 5)}]


def counts(size: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counts about ``size``, and what becomes of them: rows are turned to the left or right."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(size * np.exp(0.4 * rng.standard_normal((600, 6)))).astype(float)
    left = rng.random(600) < 0.5
    return X, np.where(left[:, None], np.roll(X, -1, axis=1), np.roll(X, 1, axis=1))


def off_the_mean(Y: np.ndarray) -> float:
    return float(np.abs(Y - Y.mean(axis=0)).mean())


@pytest.mark.parametrize("size", [10, 300, 3000])
@pytest.mark.parametrize("more", WAYS)
def test_learning_begins_at_the_mean_of_counts_and_ends_nearer(more, size):
    X, Y = counts(size)
    model = GatedBoltzmannMachine(5, output="poisson", max_iter=300, **more).fit(X, Y)
    assert model.history_[0] < 1.5 * ((Y - Y.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert np.abs(model.predict(X) - Y).mean() < off_the_mean(Y)
    assert np.abs(model.apply(model.infer(X, Y), X) - Y).mean() < 0.9 * off_the_mean(Y)


@pytest.mark.parametrize("size", [10, 300, 3000])
def test_counts_that_stand_alone_are_kept_by_a_step_back_and_forth(size):
    rng = np.random.default_rng(1)
    kinds = np.exp(0.4 * rng.standard_normal((2, 6)))
    X = rng.poisson(size * kinds[rng.integers(2, size=600)]).astype(float)
    model = GatedBoltzmannMachine(5, output="poisson", max_iter=300).fit(X)
    constant = ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert model.history_[0] < 1.5 * constant
    assert model.history_[-1] < constant


def test_a_field_begins_at_the_mean_of_counts_and_ends_nearer():
    rng = np.random.default_rng(2)
    X = rng.poisson(300 * np.exp(0.4 * rng.standard_normal((20, 24)))).astype(float)
    Y = np.roll(X, 1, axis=1)
    model = GatedExpertField(4, output="poisson", patch_size=5, max_iter=100).fit(X, Y)
    assert np.abs(model.predict(X) - Y).mean() < 0.8 * np.abs(Y - Y.mean()).mean()


@pytest.mark.parametrize("more", [{}, {"n_factors": 20}])
def test_steps_too_long_for_counts_are_told_and_nothing_worse_than_the_mean_is_kept(more):
    X, Y = counts(300)
    model = GatedBoltzmannMachine(5, output="poisson", max_iter=200, learning_rate=10.0, **more)
    with pytest.warns(ConvergenceWarning, match="diverged .* Lower the 'learning_rate'"):
        model.fit(X, Y)
    assert np.abs(model.predict(X) - Y).mean() < 1.05 * off_the_mean(Y)


@pytest.mark.parametrize("kind", ["binary", "gaussian"])
def test_first_weights_of_other_units_are_of_one_size_whatever_the_rows(kind):
    rows = np.random.default_rng(0).random((50, 3)) * (1e6 if kind == "gaussian" else 1.0)
    units = units_of(kind, nu=1.0, n_states=3)
    rng = np.random.default_rng(5)
    made = first_machine(rows, rows, units, 4, np.random.default_rng(5), input_units=units).weights
    for name, shape in (("xyz", (3, 3, 4)), ("yz", (3, 4))):
        expected = (0.01 * rng.standard_normal(shape)).astype(np.float32)
        np.testing.assert_array_equal(made[name], expected)


def test_features_of_counts_are_as_large_and_learn_as_fast_whatever_the_counts_are():
    X = np.random.default_rng(3).poisson(9.0, (200, 6)) + 1.0
    few, many = (
        first_machine(
            size * X,
            X,
            Poisson(),
            4,
            np.random.default_rng(0),
            input_units=Poisson(),
            layers=(5, 4),
        )
        for size in (1.0, 100.0)
    )
    filters = (one.weights["map 0"] for one in (few, many))
    np.testing.assert_allclose(
        *(f * s for f, s in zip(filters, (1.0, 100.0), strict=True)), rtol=1e-5
    )
    for name in ("xyz", "xy", "xz"):
        assert many.rates()[name] == pytest.approx(few.rates()[name])
    assert many.rates()["map 0"] == pytest.approx(few.rates()["map 0"] / 100)
