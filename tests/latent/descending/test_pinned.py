"""Pinned points: the gradient, the conditions of optimality, and a position found by search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone

from sidelight import SammonMapping, StochasticNeighborEmbedding, UnsupervisedKernelRegression
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import noisy_s
from sidelight.latent.descending.pinned import Pins
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.regression.reconstruction import GaussianReconstruction
from sidelight.latent.sammon_mapping import SammonStress
from sidelight.side import Anchors
from sidelight.similarity.neighbor_choice import choice_probabilities

X, TRUTH = noisy_s(60, random_state=0)
X = np.column_stack([X, np.sin(3 * TRUTH), np.cos(2 * TRUTH)])
D = np.linalg.norm(X[:, None] - X, axis=2)
INDEX = np.array([4, 17, 33, 50])
POSITIONS = np.array([[0.0, 0.0], [30.0, 5.0], [10.0, 40.0], [55.0, 20.0]])


def stress_of(model):
    return SammonStress(D, np.ones(60))


def mismatch_of(model):
    return NeighborMismatch(choice_probabilities(D, model.bandwidth_))


def error_of(model):
    rows = X - X.mean(axis=0)
    variance = np.sum(rows**2) / 60
    return GaussianReconstruction(rows, leave_one_out=True, penalty=model.penalty * variance)


#: Estimator, and its objective as a function of the points in its own unit.
CASES = [
    (SammonMapping(2), stress_of),
    (StochasticNeighborEmbedding(2), mismatch_of),
    (UnsupervisedKernelRegression(2, penalty=0.01), error_of),
]
every_method = pytest.mark.parametrize("case", CASES, ids=lambda case: type(case[0]).__name__)


@pytest.mark.parametrize("rows", [[], [3], [0, 2, 5]])
def test_the_gradient(rows, assert_gradient):
    rng = np.random.default_rng(1)
    A = np.linalg.norm(rng.standard_normal((8, 3))[:, None] - rng.standard_normal((8, 3)), axis=2)
    stress = SammonStress(A + A.T + 1 - np.eye(8), np.ones(8))
    pins = Pins((8, 2), np.array(rows, dtype=int), 5 * rng.standard_normal((len(rows), 2)))
    x = 0.5 * rng.standard_normal(pins.n_variables)
    assert pins.n_variables == 2 * (8 - len(rows)) + (len(rows) > 1)
    objective = pins.objective(stress, times=3.0)
    value, gradient = objective(x)
    assert value == pytest.approx(3 * stress(pins.points(x))[0])
    n_free = 2 * (8 - len(rows))
    assert_gradient(
        lambda free: (
            objective(np.append(free, x[n_free:]))[0],
            objective(np.append(free, x[n_free:]))[1][:n_free],
        ),
        x[:n_free],
        rtol=1e-5,
    )
    assert not gradient[n_free:].any()  # the scale stays as it is


@every_method
def test_nothing_pulls_at_free_rows_and_pins_have_the_size_of_the_plain_map(case):
    model = case[0].fit(X, side=Anchors(INDEX, POSITIONS))
    Z = (model.embedding_ - model.embedding_.mean(axis=0)) / model.unit_
    value, gradient = case[1](model)(Z)
    assert value == pytest.approx(model.objective_, rel=1e-9)
    free = np.setdiff1d(np.arange(60), INDEX)
    held = np.abs(gradient[INDEX]).max()
    assert np.abs(gradient[free]).max() < 1e-3 * held  # only the pins hold anything
    plain = clone(case[0]).fit(X).embedding_[INDEX]
    assert POSITIONS.std(axis=0).max() > 10 * plain.std()  # in units of its own
    size = np.sqrt(POSITIONS.var(axis=0).sum() / plain.var(axis=0).sum())
    assert model.unit_ == pytest.approx(size, rel=1e-4)


@every_method
def test_the_only_free_row_is_where_a_search_finds_it(case):
    plain = case[0].fit(X)
    rest = np.arange(1, 60)
    # a map that is bent a little, so that the last row has to find a place of its own
    bent = 12.0 * (plain.embedding_ + 0.1 * np.sin(3 * plain.embedding_[:, ::-1]))
    model = case[0].fit(X, side=Anchors(rest, bent[rest]))
    function = case[1](model)

    def at(place):
        return function(np.vstack([place, bent[rest]]) / model.unit_)[0]

    search = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-15}}
    rough = [minimize(at, place, **search) for place in bent[::10]]
    best = minimize(at, min(rough, key=lambda found: found.fun).x, **search)
    assert model.objective_ <= best.fun + 1e-9
    np.testing.assert_allclose(model.embedding_[0], best.x, atol=1e-2)
    assert model.unit_ == pytest.approx(12.0, rel=0.1)


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: type(case[0]).__name__)
def test_true_positions_in_another_unit_are_understood(case):
    """The data are in the plane: nothing has to be bent, and the unit is found."""
    places = np.random.default_rng(2).standard_normal((50, 2))
    index = np.array([0, 7, 21])
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    known = 250.0 * places @ turn + 1000.0
    model = case[0].fit(places, side=Anchors(index, known[index]))
    np.testing.assert_allclose(model.embedding_, known, atol=0.5)
    assert model.objective_ < 1e-6


@pytest.mark.parametrize("case", CASES[:2], ids=lambda case: type(case[0]).__name__)
def test_an_interrupted_fit_with_anchors_is_gone_on_with(case):
    def stop(progress):
        if progress.done == 10 and not progress.stage.endswith("without anchors"):
            raise KeyboardInterrupt

    side = Anchors(INDEX, POSITIONS)
    whole = case[0].fit(X, side=side).objective_
    model = clone(case[0]).set_params(warm_start=True)
    with listening(stop), pytest.warns(InterruptedFitWarning):
        model.fit(X, side=side)
    np.testing.assert_array_equal(model.embedding_[INDEX], POSITIONS)
    assert model.objective_ > whole
    model.fit(X, side=side)
    assert model.objective_ == pytest.approx(whole, rel=1e-6)


@every_method
def test_an_interruption_before_anything_is_pinned_keeps_the_anchors_all_the_same(case):
    def stop(progress):
        if progress.done == 8 and progress.stage.endswith("without anchors"):
            raise KeyboardInterrupt

    model, side = clone(case[0]).set_params(warm_start=True), Anchors(INDEX, POSITIONS)
    with listening(stop), pytest.warns(InterruptedFitWarning, match="without anchors"):
        model.fit(X, side=side)
    np.testing.assert_array_equal(model.embedding_[INDEX], POSITIONS)
    assert model.n_iter_ == 0
    left, unit = model.objective_, model.unit_
    model.fit(X, side=side)
    assert model.history_[0] == pytest.approx(left, rel=1e-12)
    assert model.objective_ < left
    assert model.unit_ == unit


def test_a_table_of_distances_takes_anchors_too():
    side = Anchors(INDEX, POSITIONS)
    by_rows = SammonMapping(2).fit(X, side=side)
    by_table = SammonMapping(2, metric="precomputed").fit(D, side=side)
    np.testing.assert_allclose(by_table.embedding_, by_rows.embedding_, atol=1e-3)
    new = by_table.transform(D[:3] + 1e-9)
    np.testing.assert_allclose(new, by_table.embedding_[:3], atol=1e-2)


@every_method
def test_anchors_that_contradict_the_data_are_kept_all_the_same(case):
    wrong = np.random.default_rng(3).standard_normal((12, 2))
    index = np.arange(0, 60, 5)
    model = case[0].fit(X, side=Anchors(index, wrong))
    np.testing.assert_array_equal(model.embedding_[index], wrong)
    assert np.isfinite(model.embedding_).all()
    assert model.objective_ > case[0].fit(X).objective_


def test_a_linear_regression_cannot_keep_anchors():
    linear = UnsupervisedKernelRegression(2, kernel="linear")
    with pytest.raises(ValueError, match="kernel='linear' cannot keep Anchors"):
        linear.fit(X, side=Anchors(INDEX, POSITIONS))


def test_a_regression_goes_back_to_data_from_the_anchors_coordinates():
    # the two descents may end in different optima: in other units they round differently
    for positions in (POSITIONS, POSITIONS / 50 - 3):
        model = UnsupervisedKernelRegression(2).fit(X, side=Anchors(INDEX, positions))
        back = model.inverse_transform(model.embedding_)
        assert np.mean((back - X) ** 2) < 0.1 * X.var()
