"""Following a path of objectives: the end, the judge, interruption and going on."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.solvers.descent.continuation import follow

OPTIONS = {"max_iter": 50, "final_max_iter": 200, "tol": 1e-14, "stage": "wells", "who": "test"}


def bowls(step):
    """The minimum of step s is at s."""
    return lambda x: (float(((x - step) ** 2).sum()), 2 * (x - step))


def double_well(step):
    """A deep well at −1 and a shallow one at 1, smoothed away at first."""
    smooth = 3.0 * (1 - step / 5)

    def value(x):
        return float((x**4 / 4 - x**2 / 2 + 0.1 * x + smooth * x**2 / 2).sum()), (
            x**3 - x + 0.1 + smooth * x
        )

    return value


def test_the_path_leads_to_the_deep_well_and_a_single_descent_does_not():
    start = np.array([0.9])
    alone = follow(lambda _: double_well(5), 1, start, **OPTIONS)
    path = follow(double_well, 6, start, **OPTIONS)
    assert alone.x[0] > 0
    assert path.x[0] < 0
    assert path.value < alone.value
    deep = np.roots([1, 0, -1, 0.1]).real.min()
    assert path.x[0] == pytest.approx(deep, abs=1e-6)


def test_a_judge_keeps_the_best_step_and_ends_the_path():
    path = follow(bowls, 30, np.zeros(2), judge=lambda s, x: abs(x[0] - 4), patience=3, **OPTIONS)
    assert path.step == 4
    np.testing.assert_allclose(path.x, 4, atol=1e-6)
    assert len(path.values) == len(path.errors) == 4 + 3 + 1 + 0
    assert not path.interrupted


def test_an_interrupted_path_keeps_what_it_has_and_can_go_on():
    def stop(progress):
        if progress.stage.endswith("steps of the path") and progress.done == 3:
            raise KeyboardInterrupt

    with listening(stop), pytest.warns(InterruptedFitWarning, match="step 3 of 6"):
        path = follow(bowls, 6, np.zeros(2), **OPTIONS)
    assert (path.step, path.interrupted) == (2, True)
    np.testing.assert_allclose(path.x, 2, atol=1e-6)
    rest = follow(bowls, 6, path.x, first=path.step, **OPTIONS)
    np.testing.assert_allclose(rest.x, 5, atol=1e-6)
    assert len(rest.values) == 4
    assert not rest.interrupted


def test_an_interruption_inside_a_step():
    def stop(progress):
        if progress.stage == "wells":
            raise KeyboardInterrupt

    with listening(stop), pytest.warns(InterruptedFitWarning):
        path = follow(bowls, 6, np.full(2, -1.0), **OPTIONS)
    assert path.step == 0
    assert path.interrupted
    assert path.value < bowls(0)(np.full(2, -1.0))[0]


def test_a_path_without_steps():
    with pytest.raises(ValueError, match="at least one step"):
        follow(bowls, 3, np.zeros(1), first=3, **OPTIONS)
