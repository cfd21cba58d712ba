"""Every model that is a density: rows are drawn from it, and scored by it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sidelight.registry import MAPS
from sidelight.side import Condition, Pairs
from tests.fitting import fitted

DENSITIES = [entry for entry in MAPS if "density" in entry.gives]


@pytest.fixture(params=DENSITIES, ids=lambda entry: entry.name)
def entry(request):
    return request.param


@pytest.fixture
def model(entry, X):
    return fitted(entry.load()(), X)


def test_those_that_say_so_can_and_no_others():
    able = {e.name for e in MAPS if hasattr(e.load(), "sample")}
    assert (
        able
        == {e.name for e in DENSITIES}
        == {e.name for e in MAPS if hasattr(e.load(), "score_samples")}
    )
    assert len(able) >= 6


def test_draws_are_rows_of_the_data_and_the_seed_tells_which(model, X):
    drawn = model.sample(7, random_state=3)
    assert drawn.shape == (7, X.shape[1])
    assert model.sample(random_state=3).shape == (1, X.shape[1])
    np.testing.assert_array_equal(drawn, model.sample(7, random_state=3))
    np.testing.assert_array_equal(drawn, model.sample(7, random_state=np.random.default_rng(3)))
    assert np.abs(drawn - model.sample(7, random_state=4)).min() > 0


def test_draws_are_where_the_data_are_in_their_units(entry, X):
    """Means and spreads of the columns, whatever their unit."""
    unit, shift = 40.0, np.array([5.0, -3.0, 0.0, 1000.0, 2.0])
    drawn = entry.load()().fit(unit * X + shift).sample(4000, random_state=0)
    middle = np.abs(drawn.mean(axis=0) - (unit * X + shift).mean(axis=0))
    assert (middle < 0.2 * unit * X.std(axis=0)).all()
    assert 0.8 < drawn.var(axis=0).sum() / (unit**2 * X.var(axis=0).sum()) < 1.25


def test_likely_rows_beat_far_ones_and_rows_whose_columns_are_shuffled(model, X, new):
    rng = np.random.default_rng(2)
    shuffled = np.column_stack([rng.permutation(column) for column in X.T])
    like = np.median(model.score_samples(new))
    assert np.median(model.score_samples(shuffled)) < like
    far = model.score_samples(new + 10 * X.std(axis=0))
    assert (far < model.score_samples(new).min()).all()


def test_the_mean_score_of_draws_is_minus_the_entropy(model):
    """−E log p over draws is the entropy, which no other density of these rows goes below."""
    first, second = (model.score(model.sample(200, random_state=seed)) for seed in (0, 1))
    assert first == pytest.approx(second, abs=0.5)
    noise = np.random.default_rng(2).standard_normal((200, 5))
    assert model.score(model.sample(200, random_state=0) + 0.1 * noise) < first - 0.2


def test_each_row_is_scored_by_itself(model, new):
    new = new[:6]
    together = model.score_samples(new)
    alone = np.concatenate([model.score_samples(row[None]) for row in new])
    np.testing.assert_allclose(alone, together, atol=1e-7)
    assert model.score(new) == pytest.approx(together.mean())


def test_a_unit_is_a_factor_of_the_density(entry, X, new):
    """log p of rows in another unit differs by p log c: it is a density of data, not of the map."""
    plain = fitted(entry.load()(), X).score_samples(new)
    scaled = entry.load()().fit(8 * X).score_samples(8 * new)
    np.testing.assert_allclose(scaled, plain - X.shape[1] * np.log(8), atol=1e-3)


def test_before_a_fit_and_with_other_arguments_it_is_refused(entry, X):
    name, estimator = entry.name, entry.load()()
    with pytest.raises(NotFittedError):
        estimator.sample()
    with pytest.raises(NotFittedError):
        estimator.score_samples(X)
    model = fitted(estimator, X)
    for wrong in (0, 1.5, "all"):
        with pytest.raises(ValueError, match=f"'n_samples' argument of {name}.sample.*{wrong}"):
            model.sample(wrong)
    with pytest.raises(ValueError, match="'random_state'"):
        model.sample(2, random_state="zero")
    with pytest.raises(ValueError, match="features"):
        model.score_samples(X[:, :3])


def test_a_table_of_distances_has_no_density_of_rows(entry, X):
    if not entry.takes_distances:
        return
    model = entry.load()(metric="precomputed").fit(cdist(X, X), items=X)
    with pytest.raises(ValueError, match=f"{entry.name}.sample needs a field of feature vectors"):
        model.sample()


def test_a_learned_metric_in_front_is_undone(entry, X):
    """Draws are rows as they came, and are scored as such."""
    rng = np.random.default_rng(0)
    wide = np.column_stack([X, 3 * rng.standard_normal((len(X), 2))])
    near = np.argsort(cdist(X, X), axis=1)[:, 1]
    pairs = Pairs(similar=np.column_stack([np.arange(len(X)), near]))
    model = clone(entry.load()()).fit(wide, side=pairs)
    drawn = model.sample(500, random_state=0)
    assert drawn.shape == (500, 7)
    ratio = drawn.std(axis=0) / wide.std(axis=0)
    assert (ratio > 0.5).all()
    assert (ratio < 3).all()
    assert np.median(model.score_samples(wide)) > np.median(model.score_samples(wide + 30))


def test_the_mean_score_hears_a_condition_as_each_score_does(entry, X):
    """``score`` took none, so that rows with a known factor could not be scored together."""
    if entry.place_of("Condition") == "inside":  # rows are scored as they are
        return
    values = np.where(np.arange(len(X)) % 2, "a", "b")
    known = Condition(values)
    model = fitted(entry.load()(), X + 2.0 * (values == "a")[:, None], side=known)
    scores = model.score_samples(X, condition=known)
    assert model.score(X, condition=known) == pytest.approx(scores.mean())


def test_a_saved_model_draws_and_scores_alike(model, new, tmp_path):
    from sidelight import load, save

    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_allclose(again.sample(5, random_state=1), model.sample(5, random_state=1))
    np.testing.assert_allclose(again.score_samples(new), model.score_samples(new))
