"""Semidefinite solvers that are stopped: what they keep, what they prove of it, what they say."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.interruption import Interruption
from sidelight.core.progress import listening
from sidelight.solvers.semidefinite import door
from sidelight.solvers.semidefinite.active_set import solve_by_rounds
from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.result import SemidefiniteResult, second_try, worth_keeping
from tests.solvers.semidefinite.programs import mixed, roll, squared, unfold


def stop_after(times, stage=""):
    """A listener that lets so many reports of a stage pass, and stops the fit at the next."""
    seen = []

    def stop(progress):
        if progress.stage.startswith(stage):
            seen.append(progress)
        if len(seen) > times:
            raise KeyboardInterrupt

    return stop


def result(gap, *, interrupted=False):
    R = np.array([[1.0], [-1.0]])
    with Interruption() as stopped:
        if interrupted:
            raise KeyboardInterrupt
    return SemidefiniteResult(
        R, 2.0, 2 + 2 * gap, gap, np.ones(1), 7, False, np.empty((0, 2)), stopped
    )


class TestBounds:
    @pytest.mark.parametrize(
        ("n", "stage", "reports"),
        [(80, "semidefinite program", 12), (80, "semidefinite program", 9), (400, "unfolding", 3)],
    )
    def test_what_is_kept_is_feasible_and_its_bound_holds(self, n, stage, reports):
        edges, d = roll(n)
        whole = unfold(edges, d, n, tol=1e-5)
        with (
            listening(stop_after(reports, stage)),
            pytest.warns(InterruptedFitWarning, match=r"unfold was interrupted.*relative gap of"),
        ):
            early = unfold(edges, d, n, tol=1e-5)
        assert early.interrupted
        assert not early.converged
        assert early.n_iter < whole.n_iter
        assert np.all(squared(early.factor, edges) <= d**2)
        np.testing.assert_allclose(early.factor.sum(axis=0), 0, atol=1e-9 * np.abs(d).sum())
        assert early.objective == pytest.approx(np.sum(early.factor**2), rel=1e-9)
        # the optimum is known to 1e-5, and what was proven early holds of it
        assert early.objective <= whole.objective * (1 + 1e-5)
        assert whole.objective <= early.dual_bound
        assert 1e-5 < early.gap <= 1
        again = unfold(edges, d, n, tol=1e-5)
        np.testing.assert_array_equal(again.factor, whole.factor)

    def test_the_level_that_proves_most_gives_the_bound(self):
        edges, d = roll(400)
        bounds = []
        for reports in range(2, 6):
            with listening(stop_after(reports)):
                bounds.append(unfold_low_rank(edges, d, 400, tol=1e-5).dual_bound)
        assert np.all(np.diff(bounds) <= 0)  # levels do not prove more and more by themselves

    @pytest.mark.parametrize("reports", [0, 4])
    def test_before_there_is_a_kernel_to_keep_the_interrupt_goes_on(self, reports):
        edges, d = roll(80)
        with listening(stop_after(reports)), pytest.raises(KeyboardInterrupt):
            unfold(edges, d, 80)

    @pytest.mark.parametrize(("n", "tol"), [(80, 1e-4), (400, 1e-4)])
    def test_the_interrupt_that_goes_on_is_the_user_s_own(self, n, tol):
        """Whoever stopped the fit may have said why."""
        edges, d = roll(n)
        mine = KeyboardInterrupt("enough")

        def stop(progress):
            raise mine

        with listening(stop), pytest.raises(KeyboardInterrupt) as caught:
            unfold(edges, d, n, tol=tol)
        assert caught.value is mine

    def test_before_the_first_level_there_is_none(self, monkeypatch):
        edges, d = roll(400)
        monkeypatch.setattr(
            "sidelight.solvers.semidefinite.low_rank.path_following.NewtonSystem", raise_interrupt
        )
        with pytest.raises(KeyboardInterrupt):
            unfold(edges, d, 400)


def raise_interrupt(*_, **__):
    raise KeyboardInterrupt


class TestFurtherConstraints:
    def fits(self, n, beside, **options):
        """The interrupted fits that are kept, and the whole one."""
        edges, d = roll(n)
        whole = unfold(edges, d, n, beside=beside, **options)
        kept = []
        for reports in range(30):
            try:
                with warnings.catch_warnings(), listening(stop_after(reports)):
                    warnings.simplefilter("ignore", InterruptedFitWarning)
                    found = unfold(edges, d, n, beside=beside, **options)
            except KeyboardInterrupt:
                assert not kept  # what is worth keeping stays so
                continue
            if not found.interrupted:
                break
            kept.append(found)
        return edges, d, whole, kept

    def test_a_kernel_is_kept_once_it_meets_hard_equalities(self):
        n = 60
        known = PairConstraints.on_pairs([[0, 30], [5, 40]], [25.0, 9.0], "equal")
        edges, d, whole, kept = self.fits(n, known)
        assert kept
        for found in kept:
            assert np.all(np.abs(known.missed(found.factor)) <= 1e-5 * 25)
            assert np.all(squared(found.factor, edges) <= d**2 + 1e-6 * (1 + np.max(d**2)))
            assert found.objective <= whole.objective * (1 + 1e-5)
            assert whole.objective <= found.dual_bound * (1 + 1e-9)

    def test_misses_of_soft_equalities_are_part_of_the_gap(self):
        n = 60
        edges, d = roll(n)
        _, _, whole, kept = self.fits(n, None, constraint="equal", softness=0.01 * d**2)

        def worth(found):
            return (
                found.objective - np.sum((squared(found.factor, edges) - d**2) ** 2 / d**2) / 0.02
            )

        assert len(kept) >= 3
        best = worth(whole)
        for found in kept:
            # bound − value is the gap of the penalised problem
            assert worth(found) <= best * (1 + 1e-6)
            proven = found.dual_bound - found.objective + worth(found)
            assert best <= proven * (1 + 1e-9)

    def test_a_round_that_left_bounds_out_is_not_kept(self, monkeypatch):
        monkeypatch.setattr("sidelight.solvers.semidefinite.active_set._ALL_AT_ONCE", 50)
        n = 60
        edges, d = roll(n)
        along = PairConstraints.on_pairs(edges, d**2, "at_most")
        far = PairConstraints.on_pairs([[0, 30]], [25.0], "equal")
        # the plain unfolding that chooses bounds, and the end of the first of two rounds
        for stage, reports in (("unfolding", 2), ("semidefinite program", 13)):
            with listening(stop_after(reports, stage)), pytest.raises(KeyboardInterrupt):
                solve_by_rounds(mixed(along, far, np.ones(n)))
        with listening(stop_after(27, "semidefinite program")):
            found = solve_by_rounds(mixed(along, far, np.ones(n)))
        assert found.interrupted
        assert np.max(squared(found.factor, edges) / d**2) <= 1 + 1e-5


class TestSecondTry:
    def test_the_first_result_is_there_to_fall_back_on(self):
        first = result(0.01)
        assert second_try(first, lambda: result(0.5)).gap == 0.5
        assert not second_try(first, lambda: result(0.5)).interrupted
        for again in (raise_interrupt, lambda: result(0.5, interrupted=True)):
            found = second_try(first, again)
            assert found.interrupted
            assert found.gap == 0.01
        assert second_try(first, lambda: result(0.001, interrupted=True)).gap == 0.001

    def test_there_is_none_after_an_interrupt(self):
        stopped = result(0.3, interrupted=True)
        assert second_try(stopped, raise_interrupt) is stopped

    def test_a_stopped_second_method_leaves_the_first(self, monkeypatch):
        edges, d = roll(60)
        monkeypatch.setattr(door, "LOW_RANK", replace(door.LOW_RANK, solve=raise_interrupt))
        with pytest.warns(InterruptedFitWarning, match="tol=1e-14"):
            found = unfold(edges, d, 60, tol=1e-14)
        assert found.interrupted
        assert found.gap < 1e-6

    @pytest.mark.parametrize(("gap", "feasible"), [(1.5, True), (np.inf, True), (0.1, False)])
    def test_what_proves_little_is_not_kept(self, gap, feasible):
        assert not worth_keeping(result(gap), feasible=feasible)
        assert worth_keeping(result(0.1), feasible=True)
