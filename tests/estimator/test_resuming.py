"""Fits that are interrupted and gone on with: ``warm_start`` means the same in all methods."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import sidelight
from sidelight import (
    GPLVM,
    KernelInformationEmbedding,
    MultipleRelationalEmbedding,
    SammonMapping,
    StochasticNeighborEmbedding,
    UnsupervisedKernelRegression,
)
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.fingerprints import fingerprint
from sidelight.core.progress import listening
from sidelight.datasets import noisy_s
from sidelight.side import Condition, Distances, Relation

X, TRUTH = noisy_s(80, random_state=0)
X = np.column_stack([X, np.sin(3 * TRUTH), np.cos(2 * TRUTH)])
TOLD = Relation.from_values(TRUTH[:25, 0], index=np.arange(25))

#: Estimator, what it is told besides X, the stage to stop in, and after how much of it.
CASES = [
    (StochasticNeighborEmbedding(2), None, "stochastic neighbour embedding", 15),
    (SammonMapping(2), None, "Sammon mapping", 15),
    (UnsupervisedKernelRegression(1), None, "unsupervised kernel regression", 15),
    (GPLVM(1, tol=1e-8, max_iter=2000), None, "moving latent points", 60),
    (GPLVM(1, n_inducing=12, tol=1e-8, max_iter=2000), None, "moving latent points", 60),
    (GPLVM(1, back_constraint="linear", tol=1e-8), None, "moving latent points", 30),
    (MultipleRelationalEmbedding(2), TOLD, "multiple relational embedding", 40),
    (MultipleRelationalEmbedding(2), None, "multiple relational embedding", 15),
    (
        KernelInformationEmbedding(1, bandwidth=0.5, alpha=0.01, n_steps=12, tol=1e-12),
        None,
        "the unfolding of latent points: steps of the path",
        10,
    ),
]


def make(case, **options):
    return case[0].__class__(**case[0].get_params() | options)


def stop_in(stage, after, times=1):
    """A listener that interrupts when a stage has done so much, for the nth time."""
    seen = []

    def stop(progress):
        if progress.stage == stage and progress.done == after:
            seen.append(after)
            if len(seen) == times:
                raise KeyboardInterrupt

    return stop


def interrupted(case, times=1, **options):
    model, (_, side, stage, after) = make(case, **options), case
    with listening(stop_in(stage, after, times)), pytest.warns(InterruptedFitWarning):
        model.fit(X, side=side)
    return model


def in_sight_of_its_end(case, whole):
    """The same case, stopped so late that one optimum is left to go to.

    The likelihood of a GP-LVM has several: left halfway, it may go on to another one.
    """
    late = isinstance(case[0], GPLVM)
    return (*case[:3], 3 * whole.n_iter_ // 4) if late else case


every_method = pytest.mark.parametrize("case", CASES, ids=lambda case: type(case[0]).__name__)


@every_method
def test_an_interrupted_fit_is_gone_on_with(case):
    """It begins with the objective that it was left with, and ends in the same optimum.

    How many steps that takes is no matter of where it begins: curvature is learned anew.
    """
    whole = make(case).fit(X, side=case[1])
    model = interrupted(in_sight_of_its_end(case, whole))
    left, way = model.objective_, abs(whole.history_[0] - whole.objective_)
    assert abs(left - whole.objective_) > 1e-6 * way
    model.set_params(warm_start=True).fit(X, side=case[1])
    if isinstance(model, KernelInformationEmbedding):  # at the step of its path where it was left
        assert model.path_["bandwidth"][0] < 0.5 * whole.path_["bandwidth"][0]
    else:
        assert model.history_[0] == pytest.approx(left, abs=1e-5 * way)  # a GP-LVM is centred
    assert model.objective_ == pytest.approx(whole.objective_, abs=1e-6 * way)


@every_method
def test_it_goes_on_exactly_where_it_was_left_also_from_a_file(case, tmp_path):
    left = interrupted(case, warm_start=True)
    loaded = sidelight.load(sidelight.save(left, tmp_path / "left.sidelight"))
    np.testing.assert_array_equal(loaded.embedding_, left.embedding_)
    there, here = (model.fit(X, side=case[1]) for model in (loaded, left))
    np.testing.assert_array_equal(there.embedding_, here.embedding_)
    assert there.n_iter_ == here.n_iter_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@every_method
def test_other_data_and_other_dimensions_start_afresh_and_say_so(case):
    short = {"max_iter": case[3] + 1}
    left = interrupted(case, warm_start=True, **short)
    other = X + 0.01 * np.sin(np.arange(X.size)).reshape(X.shape)
    with pytest.warns(UserWarning, match="one to other data .* It starts afresh"):
        left.fit(other, side=case[1])
    fresh = make(case, **short).fit(other, side=case[1])
    np.testing.assert_array_equal(left.embedding_, fresh.embedding_)

    left = interrupted(case, warm_start=True, **short)
    with pytest.warns(UserWarning, match=r"it had \d+ variables, and now there are \d+. It starts"):
        left.set_params(n_components=3).fit(X, side=case[1])
    assert left.embedding_.shape == (80, 3)


@every_method
def test_without_warm_start_and_after_a_whole_fit_nothing_is_gone_on_with(case):
    whole = make(case, warm_start=True).fit(X, side=case[1])
    first = whole.embedding_
    np.testing.assert_array_equal(whole.fit(X, side=case[1]).embedding_, first)
    again = interrupted(case).fit(X, side=case[1])
    np.testing.assert_array_equal(again.embedding_, first)


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: type(case[0]).__name__)
def test_more_iterations_may_be_asked_for(case):
    whole = make(case).fit(X)
    model = make(case, max_iter=15, warm_start=True)
    with pytest.warns(ConvergenceWarning, match="after max_iter=15"):
        model.fit(X)
    half = model.objective_
    model.set_params(max_iter=500).fit(X)
    assert model.history_[0] == pytest.approx(half, rel=1e-12)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert model.n_iter_ < whole.n_iter_


def test_other_side_information_starts_afresh():
    left = interrupted(CASES[0], warm_start=True)
    known = Distances([(0, 5), (3, 9), (20, 40)], [1.0, 2.0, 1.5])
    with pytest.warns(UserWarning, match="other side information. It starts afresh"):
        left.fit(X, side=known)


class TestStartsOfRelations:
    """Multiple relational embedding goes on in the start where it was left."""

    CASE = (MultipleRelationalEmbedding(2, n_restarts=3), TOLD, CASES[6][2], 5)

    @pytest.mark.parametrize("times", [1, 2, 3])
    def test_starts_that_were_tried_are_not_tried_again(self, times):
        whole = make(self.CASE).fit(X, side=TOLD)
        left = interrupted(self.CASE, times, warm_start=True)
        assert len(left.starts_) == times
        np.testing.assert_array_equal(left.starts_[:-1], whole.starts_[: times - 1])
        descents = []

        def count(progress):
            if progress.stage == self.CASE[2] and progress.done == 1:
                descents.append(progress)

        with listening(count):
            left.fit(X, side=TOLD)
        assert len(descents) == 4 - (times - 1) + 1  # those that are left, and the best once more
        np.testing.assert_array_equal(left.starts_[: times - 1], whole.starts_[: times - 1])
        assert left.objective_ == pytest.approx(whole.objective_, rel=1e-6)

    def test_the_bandwidth_is_not_searched_again(self):
        left = interrupted(self.CASE, warm_start=True)
        found, stages = left.bandwidth_, set()
        with listening(lambda progress: stages.add(progress.stage)):
            left.fit(X, side=TOLD)
        assert stages == {self.CASE[2]}
        assert left.bandwidth_ == found

    def test_twice(self):
        left = interrupted(self.CASE, warm_start=True)
        for _ in range(2):
            stop = stop_in(self.CASE[2], 3)
            with listening(stop), pytest.warns(InterruptedFitWarning):
                left.fit(X, side=TOLD)
        whole = make(self.CASE).fit(X, side=TOLD)
        left.fit(X, side=TOLD)
        assert len(left.starts_) == 4
        assert left.objective_ == pytest.approx(whole.objective_, rel=1e-6)


def test_a_map_without_a_factor_is_not_gone_on_with():
    left = interrupted(CASES[-1], warm_start=True).set_params(n_steps=25)
    factor = Condition(np.where(X[:, 0] > 0, "right", "left"))
    with pytest.raises(ValueError, match="'warm_start' parameter .* with a Condition"):
        left.fit(X, side=factor)
    left.set_params(warm_start=False).fit(X, side=factor)
    fresh = make(CASES[-1], n_steps=25).fit(X, side=factor)
    np.testing.assert_array_equal(left.embedding_, fresh.embedding_)


def test_a_fingerprint_tells_content_apart_and_nothing_else():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((6, 3))
    same = [
        [table, np.asfortranarray(table)],
        [sp.csr_array(table), sp.csc_array(table).tocsr()],
        [Condition(["a", "b", "a"]), Condition(np.array(["a", "b", "a"]))],
        [{"x": 1, "y": [2, None]}, {"y": [2, None], "x": 1}],
    ]
    for one, other in same:
        assert fingerprint(one) == fingerprint(other)
    changed = table.copy()
    changed[2, 1] = np.nextafter(changed[2, 1], 9.0)
    others = [table, changed, table[:5], table.reshape(3, 6), table.astype(np.float32)]
    others += [sp.csr_array(table), Condition(["a", "b", "b"]), Condition(["a", "b", "a"]), "a"]
    others += [[table, table], [[table], table], {"x": 1}, {"x": 2}, None]
    assert len({fingerprint(value) for value in others}) == len(others)
