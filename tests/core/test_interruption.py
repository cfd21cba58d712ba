"""Ctrl-C: what is there is kept, where nothing is it goes on, and no later fit suffers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.interruption import Interruption, deferred_interruption, whole_or_nothing
from sidelight.solvers.descent.continuation import follow
from sidelight.solvers.descent.quasi_newton import minimise
from sidelight.solvers.descent.restarts import best_of_starts

OPTIONS = {"max_iter": 50, "tol": 1e-9, "stage": "bowl", "who": "test"}


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """Work that a shell starts in the background is born deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def bowl(x):
    return float(x @ x), 2 * x


def interrupted_at(call):
    """The bowl, with Ctrl-C while its value is computed for the nth time."""
    calls = []

    def value_and_gradient(x):
        calls.append(x)
        if len(calls) == call:
            press_ctrl_c()
        return bowl(x)

    return value_and_gradient


def test_the_interruption_that_goes_on_is_the_one_that_came():
    came = KeyboardInterrupt("by hand")
    with Interruption() as interruption:
        raise came
    assert interruption
    with pytest.raises(KeyboardInterrupt) as went_on:
        interruption.go_on()
    assert went_on.value is came


def test_other_errors_pass_and_quiet_work_was_not_interrupted():
    with pytest.raises(ValueError, match="wrong"), Interruption() as interruption:
        raise ValueError("wrong")
    assert not interruption
    with Interruption() as interruption:
        pass
    assert not interruption


def test_where_half_is_no_use_nothing_is_kept():
    with pytest.raises(KeyboardInterrupt), whole_or_nothing():
        minimise(interrupted_at(3), np.ones(2), **OPTIONS)
    with pytest.warns(InterruptedFitWarning):
        assert minimise(interrupted_at(3), np.ones(2), **OPTIONS).interrupted


def test_before_the_first_value_there_is_nothing_to_keep():
    with pytest.raises(KeyboardInterrupt):
        minimise(interrupted_at(1), np.ones(2), **OPTIONS)


def test_a_second_start_without_a_value_does_not_lose_the_first():
    objective = interrupted_at(0)
    first = best_of_starts(objective, [np.ones(2)], rough=1e-3, **OPTIONS)
    stopped = interrupted_at(first.best.n_evaluations + 1)
    starts = [np.ones(2), np.full(2, 2.0)]
    with pytest.warns(InterruptedFitWarning, match="after 1 of 2 starts"):
        found = best_of_starts(stopped, starts, rough=1e-9, **OPTIONS | {"max_iter": 2})
    assert found.best.interrupted
    np.testing.assert_allclose(found.best.x, first.best.x, atol=1e-6)
    assert found.pause.number == 1
    np.testing.assert_array_equal(found.pause.x, starts[1])


@pytest.mark.parametrize("where", ["objective", "value", "judge"])
def test_a_path_keeps_the_steps_before_the_one_without_a_value(where):
    def objective_at(step):
        if step == 2 and where == "objective":
            press_ctrl_c()
        return interrupted_at(1) if step == 2 and where == "value" else bowl

    def judge(step, x):
        if step == 2 and where == "judge":
            press_ctrl_c()
        return 5.0 - step

    options = OPTIONS | {"final_max_iter": 50, "judge": judge}
    with pytest.warns(InterruptedFitWarning, match="after step 2 of 5"):
        path = follow(objective_at, 5, np.ones(2), **options)
    assert (path.step, len(path.values), path.interrupted) == (1, 2, True)


def test_ctrl_c_waits_for_a_block_that_must_be_whole():
    done = []

    def work():
        with deferred_interruption():
            press_ctrl_c()
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_defers_nothing_and_fails_nothing():
    done = []

    def work():
        with deferred_interruption():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


#: Ctrl-C when a module is about to be imported, or when a progress report says so; then once more.
PROBE = """
import os, signal, sys, warnings
import numpy as np
from sidelight import SammonMapping
from sidelight.core.progress import listening
from sidelight.core.errors import InterruptedFitWarning

X, moment, pressed = np.random.default_rng(0).random((40, 4)), sys.argv[1], []

def press():
    if not pressed:
        pressed.append(True)
        os.kill(os.getpid(), signal.SIGINT)

def when_imported(event, arguments):
    if event == "import" and arguments[0] == moment:
        press()

def when_reported(progress):
    if moment == "a step":
        press()

sys.addaudithook(when_imported)
with warnings.catch_warnings(record=True) as said, listening(when_reported):
    warnings.simplefilter("always")
    try:
        SammonMapping().fit(X)
        print("kept", [one.category.__name__ for one in said])
    except KeyboardInterrupt:
        print("stopped")
assert pressed
print(SammonMapping().fit(X).embedding_.shape)
"""


@pytest.mark.parametrize(
    ("moment", "outcome"),
    [
        pytest.param("numba", "stopped", marks=pytest.mark.thorough),
        pytest.param("llvmlite.binding", "stopped", marks=pytest.mark.thorough),
        pytest.param("numba.core.types", "stopped", marks=pytest.mark.thorough),
        ("numba.cpython.randomimpl", "stopped"),  # of what the first compilation loads
        ("a step", "kept ['InterruptedFitWarning']"),
    ],
)
def test_ctrl_c_in_a_first_fit_breaks_no_later_one(moment, outcome):
    done = subprocess.run(
        [sys.executable, "-c", PROBE, moment], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == [outcome, "(40, 2)"]
