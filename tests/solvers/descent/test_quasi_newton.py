"""Descent: known minima, the record of the way, and what interrupts it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.solvers.descent.quasi_newton import minimise


def rosenbrock(x):
    a, b = x[:-1], x[1:]
    value = float(np.sum(100 * (b - a**2) ** 2 + (1 - a) ** 2))
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1:] += 200 * (b - a**2)
    return value, gradient


def run(objective, start, **more):
    options = {"max_iter": 500, "tol": 1e-14, "stage": "valley", "who": "test"} | more
    return minimise(objective, np.asarray(start, dtype=float), **options)


#: The library's steps, and those that have the same bits on every processor.
both_kinds = pytest.mark.parametrize("reproducible", [False, True])


@both_kinds
def test_a_curved_valley_is_followed_to_its_end(reproducible):
    found = run(rosenbrock, np.full(10, -1.0), reproducible=reproducible)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-5)
    assert found.converged
    assert found.value == rosenbrock(found.x)[0]
    assert len(found.history) == found.n_iter + 1
    assert found.history[0] == rosenbrock(np.full(10, -1.0))[0]
    assert (np.diff(found.history) <= 0).all()


@both_kinds
def test_walls_shorten_the_step(reproducible):
    """Outside x > 0 the function is not defined; the minimum is at 0.001, close to the wall."""

    def barrier(x):
        if x[0] <= 0:
            return np.nan, np.full_like(x, np.nan)
        slope = np.concatenate([[1 - 1e-3 / x[0]], 2 * x[1:]])
        return float(x[0] - 1e-3 * np.log(x[0]) + (x[1:] ** 2).sum()), slope

    found = run(barrier, [5.0, 3.0, 1.0], reproducible=reproducible)
    np.testing.assert_allclose(found.x, [1e-3, 0, 0], atol=1e-7)


def test_a_start_outside_is_refused():
    with pytest.raises(ValueError, match="test cannot start: its objective is nan"):
        run(lambda x: (float("nan"), x), [1.0])


@both_kinds
def test_too_few_iterations_are_said_and_gone_on_from(reproducible):
    with pytest.warns(ConvergenceWarning, match="test stopped valley after max_iter=5.*Raise"):
        short = run(rosenbrock, np.full(6, -1.0), max_iter=5, reproducible=reproducible)
    assert short.n_iter == 5
    assert not short.converged
    resumed = run(rosenbrock, short.x)
    assert resumed.history[0] == short.value
    np.testing.assert_allclose(resumed.x, 1.0, atol=1e-5)


def test_an_interruption_keeps_the_best_and_says_so():
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.done == 7:
            raise KeyboardInterrupt

    with (
        listening(stop),
        pytest.warns(InterruptedFitWarning, match="test was interrupted after 7 iterations"),
    ):
        found = run(rosenbrock, np.full(6, -1.0))
    assert found.value == seen[-1].value == min(p.value for p in seen)
    assert rosenbrock(found.x)[0] == found.value
    assert not found.converged
    assert [p.done for p in seen] == list(range(1, 8))
    assert {(p.stage, p.total) for p in seen} == {("valley", 500)}


def test_patience_waits_for_more_than_one_small_step():
    def valley(x):
        a, b = x
        gradient = np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])
        return float((1 - a) ** 2 + 100 * (b - a * a) ** 2), gradient

    def fit(patience, tol):
        return minimise(
            valley,
            np.array([-1.2, 1.0]),
            max_iter=200,
            tol=tol,
            stage="valley",
            who="test",
            patience=patience,
        )

    hasty, patient = fit(1, 0.05), fit(5, 0.05)
    assert hasty.converged
    assert patient.converged
    assert patient.n_iter > hasty.n_iter
    assert patient.history[-6] - patient.history[-1] <= 5 * 0.05
