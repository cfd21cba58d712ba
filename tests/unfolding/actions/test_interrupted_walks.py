"""Action respecting embedding that is interrupted: what is kept respects the actions."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.side import Actions
from sidelight.solvers.semidefinite import active_set
from sidelight.unfolding.actions import statement
from tests.interruption import stop_at
from tests.unfolding.walks import fitted, runs, wandering


def test_an_interrupted_fit_keeps_a_kernel_that_respects_the_actions():
    actions = wandering(40, 3, seed=3)
    whole, walk = fitted(actions)
    stop = stop_at("semidefinite program", whole.n_iter_ - 3)
    with (
        listening(stop),
        pytest.warns(InterruptedFitWarning, match="ActionRespectingEmbedding was .* gap of"),
    ):
        early, _ = fitted(actions)
    assert early.violation_ < 1e-6
    K = early.kernel()
    D = np.add.outer(np.diag(K), np.diag(K)) - 2 * K
    assert np.diag(D, 1).max() <= 1.0 + 1e-9
    assert early.objective_ <= whole.dual_bound_
    assert whole.objective_ <= early.dual_bound_
    assert 1e-4 < early.gap_ < 1
    again = early.fit(walk.X, side=Actions(actions))
    np.testing.assert_array_equal(again.embedding_, whole.embedding_)


class TestInterruptedRounds:
    """Of 55 equalities 30 are asked for in the first round, which misses the others by 0.2 %."""

    actions = wandering(40, 3, seed=3)

    @pytest.fixture
    def whole(self, monkeypatch):
        monkeypatch.setattr(statement, "_ALL_UP_TO", 0)
        monkeypatch.setattr(statement, "_anchored", lambda _, equal: np.arange(len(equal)) < 30)
        return fitted(self.actions)[0]

    def stopped(self, step):
        """Stopped in the second round."""
        stop = stop_at("semidefinite program", step, times=2)
        with listening(stop), pytest.warns(InterruptedFitWarning):
            return fitted(self.actions)[0]

    def test_the_first_is_kept_where_the_second_has_nothing_better(self, whole):
        for step in (2, 7):  # before there is a kernel, and when there is one
            early = self.stopped(step)
            assert early.gap_ <= 1e-4
            assert 1e-3 < early.violation_ < 0.01
            assert whole.objective_ <= early.dual_bound_ * (1 + 1e-9)

    def test_the_second_is_kept_where_it_is_better(self, whole):
        seen = []
        with listening(lambda progress: seen.append(progress.done)):
            fitted(self.actions)
        assert whole.n_iter_ == len(seen) == len(whole.history_) > seen[-1]  # of both rounds
        early = self.stopped(seen[-1] - 1)
        assert early.violation_ < 1e-3
        assert 1e-4 < early.gap_ < 2e-3
        assert early.objective_ <= whole.dual_bound_

    def test_a_kernel_that_does_not_respect_the_actions_is_not_kept(self, whole, monkeypatch):
        monkeypatch.setattr(active_set, "_RESPECTED", 1e-3)
        for stop in (
            stop_at("semidefinite program", 2, times=2),
            stop_at("semidefinite program", 11),
        ):
            with listening(stop), pytest.raises(KeyboardInterrupt):
                fitted(self.actions)


def test_an_interrupted_start_leaves_nothing():
    with listening(stop_at("semidefinite program", 2)), pytest.raises(KeyboardInterrupt):
        fitted(runs(("up", 6), ("right", 4)))


def test_a_supposition_that_is_interrupted_leaves_the_map_before_it():
    """A walk round a block: its kernel is there when inverses are looked for."""
    actions = runs(("up", 5), ("right", 4), ("down", 5), ("left", 4))
    for step in (2, 9):
        stop = stop_at("semidefinite program", step, times=2)
        with listening(stop), pytest.warns(InterruptedFitWarning):
            early, _ = fitted(actions, n_components=3)
        assert early.gap_ <= 1e-4
        assert early.inverses_ == {}
    assert len(fitted(actions, n_components=3)[0].inverses_) == 4
