"""FactorRemoval: planted shifts found, decisions with controls, the same for new rows."""

from __future__ import annotations

import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from sidelight import PCA, FactorRemoval
from sidelight.core import shares
from sidelight.metric.factor import removal
from sidelight.metric.factor.basis import Basis, said_by
from sidelight.metric.factor.decisions import (
    agreement_of_neighbors,
    separation_of,
    tells_as_well,
)
from sidelight.metric.factor.settings import SETTINGS
from sidelight.metric.factor.shifts import fit_shifts, regress_within_kinds, starts_of
from sidelight.side import Condition, Pairs


def planted(n=600, seed=0, confounded=False, bend=0.0):
    """Four kinds of items in six features, and two batches that shift them."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(4, size=n)
    batch = rng.integers(2, size=n)
    if confounded:
        batch[kind == 0] = 0  # seen in one batch only
    centres = 6 * rng.normal(size=(4, 6))
    items = centres[kind] + rng.normal(size=(n, 6))
    direction = 3 * rng.normal(size=6)
    size = 1 + bend * centres[kind, :1] / 6
    return items, items + batch[:, None] * size * direction, kind, batch, direction


def named(batch):
    return Condition(np.where(batch, "b", "a"))


def test_scikit_learn_s_checks_pass():
    check_estimator(FactorRemoval())


def test_nothing_known_is_x_to_the_bit():
    X = planted()[1]
    model = FactorRemoval().fit(X)
    assert_array_equal(model.transform(X), X)
    assert (model.removed_, model.strength_) == (False, 0.0)


@pytest.mark.parametrize("confounded", [False, True])
@pytest.mark.parametrize("seed", range(40, 44))
def test_a_shift_is_found_and_taken_out_though_a_kind_is_seen_in_one_batch(seed, confounded):
    _, X, _, batch, direction = planted(seed=seed, confounded=confounded)
    model = FactorRemoval().fit(X, side=named(batch))
    clean = model.transform(X, condition=named(batch))
    gap = (X - clean)[batch == 1][0] - (X - clean)[batch == 0][0]
    assert np.linalg.norm(gap - direction) < 0.1 * np.linalg.norm(direction)
    assert model.removed_
    assert model.separation_ < 1.25
    # what a mean of the batches would take out is the confounding
    means = X[batch == 1].mean(axis=0) - X[batch == 0].mean(axis=0)
    if confounded:
        assert np.linalg.norm(means - direction) > 3 * np.linalg.norm(gap - direction)


@pytest.mark.parametrize("seed", [3, 6, 7])
def test_a_shift_that_depends_on_the_kind_is_followed(seed):
    items, X, _, batch, _ = planted(1200, seed=seed, bend=0.15)

    def error(ridge):
        rest = FactorRemoval(ridge).fit_transform(X, side=named(batch)) - items
        return np.mean((rest - rest.mean(axis=0)) ** 2)

    assert error(30.0) < 0.7 * error(np.inf)
    assert error("auto") < 0.8 * error(np.inf)


def test_of_one_kind_of_items_there_is_one_shift_whatever_ridge_is_asked_for():
    """Nine rows are too few for two kinds: the ridge does nothing, which is said."""
    rng = np.random.default_rng(0)
    values = np.repeat([0.0, 1.0, 2.0], 3)
    X = rng.standard_normal((9, 3)) + 0.2 * values[:, None]
    plain = FactorRemoval(always=True).fit(X, side=Condition(values))
    with pytest.warns(UserWarning, match="'ridge' parameter of FactorRemoval has no effect here"):
        asked = FactorRemoval(0.1, always=True).fit(X, side=Condition(values))
    for model in (plain, asked):
        assert np.isinf(model.ridge_)
        assert "one shift for all" in model.report_
    np.testing.assert_allclose(
        asked.transform(X, condition=Condition(values)),
        plain.transform(X, condition=Condition(values)),
        atol=1e-9,
    )


def test_it_is_followed_by_itself_unless_rows_left_out_are_told_worse():
    _, X, _, batch, _ = planted(1200, seed=6, bend=0.3)
    model = FactorRemoval().fit(X, side=named(batch))
    assert np.isfinite(model.ridge_)
    rng = np.random.default_rng(910)
    X = load_digits(return_X_y=True)[0][rng.choice(1797, 500, replace=False)] / 16
    dose = rng.integers(8, size=500)
    model = FactorRemoval().fit(X + 0.1 * dose[:, None] * rng.random(64), side=Condition(dose))
    assert model.removed_
    assert np.isinf(model.ridge_)


def test_a_shift_for_all_costs_next_to_nothing_where_kinds_may_have_their_own():
    for seed in (6, 7):
        items, X, _, batch, _ = planted(600, seed=seed)
        rest = [
            FactorRemoval(ridge).fit_transform(X, side=named(batch)) - items
            for ridge in ("auto", np.inf)
        ]
        auto, stiff = (np.mean((one - one.mean(axis=0)) ** 2) for one in rest)
        assert auto - stiff < 0.02  # of the items' own variance of one within kinds


@pytest.mark.parametrize(
    "condition",
    [
        lambda rng, n: Condition(rng.integers(3, size=n).astype(str)),
        lambda rng, n: Condition(rng.integers(8, size=n).astype(float)),
        lambda rng, n: Condition(rng.random((n, 2))),
        lambda rng, n: Condition(360 * rng.random(n), period=360),
    ],
    ids=["classes", "levels", "numbers", "angles"],
)
def test_a_random_condition_leaves_x_as_it_is(condition):
    removed = 0
    for seed in range(900, 915):
        X = planted(300, seed)[1]
        model = FactorRemoval().fit(X, side=condition(np.random.default_rng([seed, 1]), 300))
        removed += model.removed_
        if not model.removed_:
            assert_array_equal(model.transform(X), X)
            assert model.report_.startswith("not taken out")
    assert removed == 0


def test_a_dose_of_digits_goes_and_the_digits_stay():
    for seed in (910, 911):
        rng = np.random.default_rng(seed)
        X, y = load_digits(return_X_y=True)
        rows = rng.choice(len(X), 700, replace=False)
        X, y = X[rows] / 16, y[rows]
        dose = rng.integers(8, size=700)
        dosed = X + 0.1 * dose[:, None] * rng.random(64)
        clean = FactorRemoval().fit_transform(dosed, side=Condition(dose.astype(float)))
        order = cdist(clean, clean).argsort(axis=1)
        assert np.mean(y[order[:, 1]] == y) > 0.96
        told = dose[order[:, 1:6]].mean(axis=1)
        assert 1 - np.mean((told - dose) ** 2) / dose.var() < 0.05


def test_what_no_shift_undoes_is_said():
    rng = np.random.default_rng(0)
    batch = rng.integers(2, size=500)
    X = rng.normal(size=(500, 8))
    X[batch == 0, 4:] = 0  # each batch lives in a space of its own
    X[batch == 1, :4] = 0
    X[:, 0] += 3 * batch
    with pytest.warns(UserWarning, match="so that it is left in: .*ConditionalEmbedding"):
        model = FactorRemoval().fit(X, side=named(batch))
    assert model.separation_ > 1.25
    assert model.report_.startswith("not taken out: rows of other values are")
    np.testing.assert_array_equal(model.transform(X), X)
    with pytest.warns(UserWarning, match="does not undo it: rows.*ConditionalEmbedding"):
        model = FactorRemoval(always=True).fit(X, side=named(batch))
    assert model.removed_
    assert "rows of other values are still" in model.report_


def test_what_a_shift_undoes_by_half_is_taken_out_and_the_rest_is_said():
    rng = np.random.default_rng(0)
    batch = rng.integers(2, size=500)
    X = rng.normal(size=(500, 8)) * np.where(batch, 2.5, 1.0)[:, None] + 4.0 * batch[:, None]
    with pytest.warns(UserWarning, match="does not undo it: rows"):
        model = FactorRemoval().fit(X, side=named(batch))
    assert model.removed_
    assert "rows of other values are still" in model.report_


def test_several_conditions_go_together():
    rng = np.random.default_rng(1)
    items, X, _, batch, _ = planted(800, seed=1)
    dose = rng.random(800)
    slope = 4 * rng.normal(size=6)
    X = X + dose[:, None] * slope
    sides = [named(batch), Condition(dose)]
    clean = FactorRemoval().fit_transform(X, side=sides)
    rest = clean - items
    assert np.mean((rest - rest.mean(axis=0)) ** 2) < 0.05 * np.mean((X - items) ** 2)


def test_new_rows_go_as_fitted_ones_each_alone():
    _, X, _, batch, _ = planted(900, seed=5, bend=0.15)
    model = FactorRemoval().fit(X[:600], side=named(batch[:600]))
    together = model.transform(X[600:], condition=named(batch[600:]))
    alone = np.vstack(
        [model.transform(X[i : i + 1], condition=named(batch[i : i + 1])) for i in range(600, 620)]
    )
    assert_allclose(together[:20], alone, rtol=1e-12, atol=1e-12)
    whole = FactorRemoval().fit_transform(X, side=named(batch))[600:]
    assert np.mean((together - whole) ** 2) < 0.02 * X.var()


@pytest.mark.parametrize(("bend", "ridge"), [(0.0, "auto"), (0.15, 100.0)])
def test_the_way_back_puts_the_factor_in_again(bend, ridge):
    _, X, _, batch, direction = planted(seed=6, bend=bend)
    model = FactorRemoval(ridge).fit(X, side=named(batch))
    clean = model.transform(X, condition=named(batch))
    back = model.inverse_transform(clean, condition=named(batch))
    assert np.median(np.abs(back - X)) < 1e-6
    assert_array_equal(model.inverse_transform(clean), clean)  # at the mean of the factor
    other = model.inverse_transform(clean, condition=named(1 - batch))
    moved = np.mean((other - back)[batch == 0], axis=0)
    assert moved @ direction > 0.8 * direction @ direction


def test_plain_values_are_a_condition():
    _, X, _, batch, _ = planted()
    known = named(batch)
    model = FactorRemoval().fit(X, side=known)
    clean = model.transform(X, condition=known)
    assert_array_equal(model.transform(X, condition=known.values), clean)
    assert_array_equal(model.transform(X, condition=known.values.tolist()), clean)
    back = model.inverse_transform(clean, condition=known)
    assert_array_equal(model.inverse_transform(clean, condition=known.values), back)
    with pytest.raises(ValueError, match=r"1 as in fit\. Got Pairs"):
        model.transform(X, condition=Pairs([(0, 1)]))


def test_new_rows_need_their_values():
    _, X, _, batch, _ = planted()
    model = FactorRemoval().fit(X, side=named(batch))
    with pytest.raises(
        ValueError, match=r"transform\(X, condition=Condition\(…\)\), 1 as in fit. Got nothing"
    ):
        model.transform(X)
    with pytest.raises(ValueError, match="one value per row of X, 5. Got 600"):
        model.transform(X[:5], condition=named(batch))
    with pytest.raises(ValueError, match="classes that were fitted. Got 'c'"):
        model.transform(X[:1], condition=Condition(["c"]))
    with pytest.raises(ValueError, match="must hold classes, as it was fitted with. Got numbers"):
        model.transform(X[:1], condition=Condition([1.0]))


def test_what_it_does_not_understand_is_refused():
    X = planted()[1]
    with pytest.raises(ValueError, match="FactorRemoval does not understand Pairs"):
        FactorRemoval().fit(X, side=Pairs(similar=[(0, 1)]))
    with pytest.raises(ValueError, match="as y, which is ignored"):
        FactorRemoval().fit(X, Condition(np.arange(600.0)))
    with pytest.raises(ValueError, match="'ridge' parameter of FactorRemoval"):
        FactorRemoval(0.0).fit(X)


def test_it_stands_in_a_pipeline():
    _, X, _, batch, _ = planted()
    pipe = make_pipeline(FactorRemoval(), PCA(2))
    pipe.fit(X, factorremoval__side=named(batch))
    clean = FactorRemoval().fit_transform(X, side=named(batch))
    assert_allclose(pipe[-1].embedding_, PCA(2).fit(clean).embedding_)


def test_the_same_input_gives_the_same_shift():
    _, X, _, batch, _ = planted(bend=0.15)
    model = FactorRemoval()
    first = model.fit_transform(X, side=named(batch))
    assert_array_equal(clone(model).fit_transform(X, side=named(batch)), first)


class TestParts:
    def test_columns_say_the_values(self):
        classes = Condition(["x", "y", "x", "z"])
        assert_allclose(
            Basis.of(classes).columns(classes, who="it"),
            np.eye(3)[[0, 1, 0, 2]] - [[0.5, 0.25, 0.25]],
        )
        angles = Condition([0.0, 90.0], period=360)
        assert_allclose(
            Basis.of(angles)._columns(angles.values)[1], [0, -1, 0, 1, 0, -1], atol=1e-12
        )
        levels = Condition(np.repeat([0.0, 1.0, 5.0], 10))
        columns = Basis.of(levels).columns(levels, who="it")
        assert np.linalg.matrix_rank(columns) == 2  # three levels are told apart whole
        assert_allclose(columns.mean(axis=0), 0, atol=1e-12)

    def test_numbers_between_fitted_ones_are_between_them(self):
        fitted = Condition(np.arange(101.0))
        basis = Basis.of(fitted)
        between = basis.columns(Condition([50.0, 50.5, 51.0, 1e9]), who="it")
        assert_allclose(between[1, 0], (between[0, 0] + between[2, 0]) / 2)
        assert_allclose(between[3], basis.columns(Condition([100.0]), who="it")[0])

    def test_regression_within_kinds_is_least_squares_with_a_column_for_each_kind(self):
        rng = np.random.default_rng(0)
        R = np.eye(3)[rng.integers(3, size=80)]
        G, Y = rng.normal(size=(80, 4)) + R @ rng.normal(size=(3, 4)), rng.normal(size=(80, 2))
        whole = np.linalg.lstsq(np.hstack([G, R]), Y, rcond=None)[0][:4]
        assert_allclose(regress_within_kinds(G, Y, R, np.full(4, 1e-9)), whole, atol=1e-5)

    def test_memberships_and_shifts_come_to_rest(self):
        _, X, _, batch, _ = planted()
        bases = (Basis.of(named(batch)),)
        phi = said_by(bases, [named(batch)], who="it")
        few = replace(SETTINGS, kinds=30)
        start = starts_of(X, phi, few)[1]
        shifts = fit_shifts(X, phi, start, np.inf, few)
        again = fit_shifts(X, phi, shifts, np.inf, few)
        assert_allclose(again.common, shifts.common, atol=0.05)
        rest = X - phi @ shifts.common
        R = shifts.memberships(X, phi)
        assert_allclose(R.sum(axis=1), 1)
        assert_allclose(R.T @ rest / R.sum(axis=0)[:, None], shifts.prototypes, atol=0.1)

    def test_neighbours_agree_by_chance_as_shuffles_do(self):
        rng = np.random.default_rng(0)
        Y = rng.normal(size=(300, 4))
        scores = [agreement_of_neighbors(Y, rng.normal(size=(300, 2)), SETTINGS) for _ in range(30)]
        assert abs(np.mean(scores)) < 0.6
        assert 0.6 < np.std(scores) < 1.5
        assert agreement_of_neighbors(Y, Y[:, :1], SETTINGS) > 20

    def test_separation_is_one_where_values_mix(self):
        rng = np.random.default_rng(0)
        Y, groups = rng.normal(size=(600, 3)), rng.integers(3, size=600)
        assert separation_of(Y, groups) == pytest.approx(1.0, abs=0.1)
        assert separation_of(Y + 10 * groups[:, None], groups) > 3


def test_no_warning_where_a_shift_is_enough():
    _, X, _, batch, _ = planted()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = FactorRemoval().fit(X, side=named(batch))
    assert model.removed_
    assert "apart" not in model.report_


def test_a_ridge_that_rounding_swallows_is_as_good_as_none():
    """It was a singular matrix."""
    rng = np.random.default_rng(0)
    X, batch = rng.standard_normal((20, 4)), np.arange(20) % 3
    least, little = (
        FactorRemoval(ridge, always=True).fit_transform(X, side=named(batch))
        for ridge in (1e-300, 1e-12)
    )
    assert np.isfinite(least).all()
    np.testing.assert_allclose(least, little, atol=1e-3)


def test_in_a_pipeline_new_rows_are_placed_by_their_own_values():
    """Routed by scikit-learn, to the factor and to a map that takes another out itself."""
    rng = np.random.default_rng(0)
    batch, day = rng.integers(0, 2, (2, 200))
    X = rng.standard_normal((200, 5)) + 6 * np.outer(batch, np.ones(5)) + 6 * np.eye(5)[3 * day]
    old, new = slice(0, 150), slice(150, None)
    with sklearn.config_context(enable_metadata_routing=True):
        removal = FactorRemoval().set_fit_request(side=True).set_transform_request(condition=True)
        last = PCA(2).set_fit_request(side=False).set_transform_request(condition=False)
        pipe = make_pipeline(removal, last)
        pipe.fit(X[old], side=named(batch[old]))
        placed = pipe.transform(X[new], condition=named(batch[new]))
        alone = FactorRemoval().fit(X[old], side=named(batch[old]))
        clean = alone.transform(X[old], condition=named(batch[old]))
        expected = PCA(2).fit(clean).transform(alone.transform(X[new], condition=named(batch[new])))
        assert_allclose(placed, expected, atol=1e-9)
        with pytest.raises(ValueError, match="Got nothing"):
            pipe.transform(X[new])

        # under other names, each step has its own
        removal = FactorRemoval().set_fit_request(side="batch")
        removal.set_transform_request(condition="batch_of")
        last = PCA(2).set_fit_request(side="day").set_transform_request(condition="day_of")
        both = make_pipeline(removal, last)
        both.fit(X[old], batch=named(batch[old]), day=named(day[old]))
        placed = both.transform(X[new], batch_of=named(batch[new]), day_of=named(day[new]))
        expected = (
            PCA(2)
            .fit(clean, side=named(day[old]))
            .transform(
                alone.transform(X[new], condition=named(batch[new])), condition=named(day[new])
            )
        )
        assert_allclose(placed, expected, atol=1e-9)


def test_a_shuffled_condition_beside_a_true_one_stays_in():
    """They were asked about together, so that both were taken out."""
    for seed in range(940, 944):
        _, X, _, batch, _ = planted(300, seed)
        chance = Condition(np.random.default_rng(seed).permutation(batch).astype(str))
        alone = FactorRemoval().fit(X, side=named(batch))
        both = FactorRemoval().fit(X, side=[chance, named(batch)])
        clean = alone.transform(X, condition=named(batch))
        assert_allclose(both.transform(X, condition=[chance, named(batch)]), clean, atol=1e-9)
        other = Condition(np.roll(chance.values, 1))
        assert_allclose(both.transform(X, condition=[other, named(batch)]), clean, atol=1e-9)
        assert_allclose(
            both.inverse_transform(clean, condition=[other, named(batch)]),
            alone.inverse_transform(clean, condition=named(batch)),
            atol=1e-9,
        )
        assert both.reports_[0].startswith("not taken out: neighbours")
        assert both.reports_[1] == alone.report_
        assert f"condition 1: {alone.report_}" in both.report_


def test_a_weak_factor_is_not_hidden_by_one_of_many_classes_that_says_nothing():
    alone, beside = 0, 0
    for seed in range(950, 956):
        rng = np.random.default_rng(seed)
        batch = rng.integers(2, size=400)
        X = rng.normal(size=(400, 4)) + 0.8 * batch[:, None] * np.eye(4)[0]
        chance = Condition(rng.integers(60, size=400).astype(str))
        alone += FactorRemoval().fit(X, side=named(batch)).removed_
        beside += FactorRemoval().fit(X, side=[named(batch), chance]).removed_
    assert alone == beside
    assert alone >= 4


def test_what_lies_apart_in_a_second_column_of_numbers_is_said():
    """Only the first column of a table of numbers was looked at."""
    rng = np.random.default_rng(0)
    second = np.arange(500) % 2
    X = rng.normal(size=(500, 8))
    X[second == 0, 4:] = 0  # each value of the second lives in a space of its own
    X[second == 1, :4] = 0
    X[:, 0] += 3 * second
    first = rng.random(500)
    for table in (np.c_[second, first], np.c_[first, second]):
        with pytest.warns(UserWarning, match="so that it is left in: .*ConditionalEmbedding"):
            model = FactorRemoval().fit(X, side=Condition(table.astype(float)))
        assert not model.removed_
    groups = Basis.of(Condition(table)).groups(Condition(table))
    assert len(groups) == 2
    assert_array_equal(groups[1] == groups[1].max(), second == 1)


def test_a_transform_of_many_rows_takes_little_beside_what_it_gives():
    _, X, _, batch, _ = planted(n=100_000)
    condition = named(batch)
    model = FactorRemoval().fit(X[:600], side=condition.within(np.arange(600)))
    tracemalloc.start()
    try:
        model.transform(X, condition=condition)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 10 * X.nbytes  # where (n, 60) tables of all rows are more


def test_rows_are_the_same_in_any_blocks(monkeypatch):
    _, X, _, batch, _ = planted(bend=0.5)

    def results():
        model = FactorRemoval().fit(X, side=named(batch))
        Z = model.transform(X, condition=named(batch))
        back = model.inverse_transform(Z, condition=named(batch))
        return Z, back, model.separation_, model.strength_

    whole = results()
    monkeypatch.setattr(removal, "even_blocks", lambda n, width: shares(n, 7))
    for one, other in zip(whole, results(), strict=True):
        assert_allclose(one, other, rtol=1e-10, atol=1e-10)


class Told:
    """Shifts of which it is known how far they miss rows, and how far they move them."""

    def __init__(self, losses, moved=0.0):
        self.losses, self.moved = losses, moved

    def squared(self, Y, phi):
        return np.exp(self.losses)[:, None]

    def of(self, Y, phi):
        return self.moved


class TestDecisions:
    """Each by figures on either side of what decides."""

    Y = np.random.default_rng(0).normal(size=(200, 2))
    groups = (np.repeat([0, 1], 100),)
    even = np.zeros(200)

    @pytest.mark.parametrize(("errors", "as_well"), [(-1.0, True), (1.5, True), (2.5, False)])
    def test_rows_left_out_may_be_told_worse_by_two_standard_errors(self, errors, as_well):
        losses = np.linspace(-1, 1, 200)
        losses += errors * losses.std() / np.sqrt(200)
        stiff, bent = Told(self.even), Told(losses)
        found = tells_as_well(stiff, bent, self.Y, self.Y, self.groups, SETTINGS)
        assert found is as_well

    @pytest.mark.parametrize(("moved", "kept"), [(0.05, True), (0.2, False)])
    def test_rows_of_one_value_must_keep_their_order(self, moved, kept):
        """A shift that tears them is not believed, however well it tells rows left out."""
        torn = moved * np.random.default_rng(1).normal(size=self.Y.shape)
        order = [
            spearmanr(pdist(self.Y[rows]), pdist((self.Y - torn)[rows]))[0]
            for rows in (slice(100), slice(100, 200))
        ]
        assert (min(order) > 0.99, min(order) > 0.975) == (kept, kept)
        bent = Told(self.even - 9.0, torn)
        found = tells_as_well(Told(self.even), bent, self.Y, self.Y, self.groups, SETTINGS)
        assert found is kept

    @pytest.mark.parametrize(
        ("after", "taken", "is_said"),
        [(1.2, True, False), (1.3, True, True), (1.9, True, True), (2.1, False, True)],
    )
    def test_a_shift_must_undo_half_of_how_far_values_lie_apart(
        self, monkeypatch, after, taken, is_said
    ):
        """Three to one before: at two to one half of it is left."""

        def separation(self, X, groups, settings, *, without=None):
            return 3.0 if without is None else after

        monkeypatch.setattr(removal.Removal, "separation", separation)
        _, X, _, batch, _ = planted(200)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = FactorRemoval().fit(X, side=named(batch))
        assert model.removed_ is taken
        assert model.separation_ == (after if taken else 3.0)
        assert any("does not undo it" in str(one.message) for one in said) is is_said


def test_the_strength_that_is_said_is_the_part_of_the_spread_that_goes():
    for seed in (40, 41):
        _, X, _, batch, _ = planted(seed=seed)
        model = FactorRemoval().fit(X, side=named(batch))
        moved = X - model.transform(X, condition=named(batch))
        part = np.sqrt(np.sum(moved**2) / np.sum((X - X.mean(axis=0)) ** 2))
        assert model.strength_ == pytest.approx(part)
        assert f", {part:.2f} of the spread of the rows" in model.report_


@pytest.mark.parametrize("parts", [(0.5, 0.5), (0.9, 0.1), (0.8, 0.15, 0.05)])
def test_separation_is_one_where_values_mix_however_many_rows_each_has(parts):
    """Few rows are far from everything by their number alone, and many are near."""
    found = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        groups = rng.choice(len(parts), 600, p=parts)
        found.append(separation_of(rng.normal(size=(600, 3)), groups))
    assert np.mean(found) == pytest.approx(1.0, abs=0.1)


def test_a_factor_that_few_rows_have_is_taken_out_without_a_word():
    for seed in range(3):
        items, _, _, _, direction = planted(600, seed=seed)
        batch = (np.random.default_rng([seed, 7]).random(600) < 0.1).astype(int)
        X = items + batch[:, None] * direction
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = FactorRemoval().fit(X, side=named(batch))
        assert model.removed_
        assert model.separation_ < 1.25
        rest = model.transform(X, condition=named(batch)) - items
        assert np.mean((rest - rest.mean(axis=0)) ** 2) < 0.05 * np.mean((X - items) ** 2)


def test_what_a_number_does_may_turn_back():
    """An effect that is largest in the middle, of which a straight line tells nothing."""
    for seed in range(3):
        items = planted(800, seed=seed)[0]
        rng = np.random.default_rng([seed, 3])
        dose, direction = rng.random(800), 6 * rng.normal(size=6)
        X = items + np.cos(2 * np.pi * dose)[:, None] * direction
        rest = FactorRemoval().fit_transform(X, side=Condition(dose)) - items
        assert np.mean((rest - rest.mean(axis=0)) ** 2) < 0.05 * np.mean((X - items) ** 2)


def test_a_shift_beyond_the_leading_axes_goes_too():
    """A third value moves a narrow column alone, beside more wide ones than there are axes."""
    for seed in range(3):
        _, X, _, batch, _ = planted(seed=seed)
        rng = np.random.default_rng([seed, 5])
        batch = np.where(batch == 0, 2 * rng.integers(2, size=600), batch)
        wide, narrow = rng.normal(size=(600, SETTINGS.axes)), 0.2 * rng.normal(size=(600, 1))
        X = np.hstack([X, wide, narrow + 0.4 * (batch[:, None] == 2)])
        model = FactorRemoval().fit(X, side=Condition(np.array(["a", "b", "c"])[batch]))
        clean = model.transform(X, condition=np.array(["a", "b", "c"])[batch])
        assert model.removed_
        before, after = (Z[batch == 2, -1].mean() - Z[batch == 0, -1].mean() for Z in (X, clean))
        assert abs(after) < 0.1 < 0.3 < before


def test_a_kind_that_is_seen_at_one_value_has_the_shift_that_all_have_in_common():
    _, X, kind, batch, _ = planted(800, seed=6, confounded=True, bend=0.3)
    bases = (Basis.of(named(batch)),)
    phi = said_by(bases, [named(batch)], who="it")
    shifts = fit_shifts(X, phi, starts_of(X, phi, SETTINGS)[1], 30.0, SETTINGS)
    R = shifts.memberships(X, phi)
    alone = (kind == 0) @ R > 0.99 * R.sum(axis=0)
    size = np.linalg.norm(shifts.coordinates, axis=1)
    assert 5 < alone.sum() < len(alone) / 2
    assert size[alone].max() < 0.02 * np.median(size[~alone])
