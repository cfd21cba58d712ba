"""Several known factors: combinations of classes, or one matched and the others taken out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

import sidelight
from sidelight import ConditionalEmbedding, FactorRemoval
from sidelight.estimator import placed_by, without_factors
from sidelight.latent.conditioning.several import combined
from sidelight.latent.density import KnownFactor
from sidelight.side import Anchors, Condition


def of_two_classes(n=60, seed=5):
    """Places on a curve, moved far by each of two factors."""
    rng = np.random.default_rng(seed)
    place, (kind, day) = rng.uniform(-1, 1, n), rng.integers(2, size=(2, n))
    items = np.column_stack([place, np.sin(2 * place), 4.0 * kind, 4.0 * day])
    names = np.array(["cup", "jug"])[kind], np.array(["one", "two"])[day]
    return items + 0.03 * rng.standard_normal(items.shape), place, names


@cache
def of_class_and_number(seed, n=120):
    """Places that each kind has in an axis of its own, which no shift undoes, and a dose."""
    rng = np.random.default_rng(seed)
    place, dose = rng.uniform(-1, 1, (2, n))
    kind = rng.integers(2, size=n)
    items = np.zeros((n, 5))
    items[:, 0] = 0.7 * place
    items[np.arange(n), 1 + kind] = place + 2.0
    items += np.outer(dose, [0.6, 0.6, 0.6, 1.2, 0.0]) + 0.03 * rng.standard_normal((n, 5))
    kinds = Condition(np.array(["a", "b"])[kind])
    told = ConditionalEmbedding(1, tol=1e-6).fit(items[:100], side=of_rows(kinds, dose, range(100)))
    return items, place, kinds, dose, told


def of_rows(kinds, dose, rows):
    rows = np.asarray(rows)
    return [kinds.within(rows), Condition(dose[rows])]


def told_of(Z, *truths):
    return [abs(spearmanr(Z[:, 0], truth)[0]) for truth in truths]


def test_two_classes_are_one_factor_of_their_combinations():
    items, place, (kind, day) = of_two_classes()
    both = [Condition(kind), Condition(day)]
    one = Condition([f"{a} {b}" for a, b in zip(kind, day, strict=True)])
    apart, together = (ConditionalEmbedding(1).fit(items, side=side) for side in (both, one))
    np.testing.assert_array_equal(apart.embedding_, together.embedding_)
    assert told_of(apart.embedding_, place)[0] > 0.85
    new = items[:9] + 0.02
    some, same = [value.within(np.arange(9)) for value in both], one.within(np.arange(9))
    np.testing.assert_allclose(
        apart.transform(new, condition=some), together.transform(new, condition=same), atol=1e-9
    )
    np.testing.assert_array_equal(apart.transform(new), together.transform(new))
    shown = [
        model.render(items[:9], condition=value)
        for model, value in ((apart, ["jug", "two"]), (together, "jug two"))
    ]
    np.testing.assert_allclose(*shown, atol=1e-9)
    reports = [(heard.kind, heard.place) for heard in apart.side_report_]
    assert reports == 2 * [("Condition", "inside")]


def test_classes_that_do_not_show_are_left_out_and_it_is_said():
    items, _, (kind, _) = of_two_classes()
    other = Condition(np.random.default_rng(0).integers(3, size=60).astype(str))
    with pytest.warns(UserWarning, match="One of the 2 Conditions .* does not show"):
        both = ConditionalEmbedding(1).fit(items, side=[other, Condition(kind)])
    alone = ConditionalEmbedding(1).fit(items, side=Condition(kind))
    np.testing.assert_array_equal(both.embedding_, alone.embedding_)


def test_combinations_of_few_rows_are_refused():
    items, _, (kind, _) = of_two_classes()
    parts = Condition([f"{i}" for i in np.argsort(np.argsort(items[:, 0])) // 6])  # ten of six
    match = r"2 Conditions given to ConditionalEmbedding have \d+ combinations .* 60 rows: too few"
    with pytest.raises(ValueError, match=match):
        ConditionalEmbedding(1).fit(items, side=[Condition(kind), parts])
    names = combined(
        [KnownFactor.of(Condition(list("ab" * 10 + "ba" * 10)), who="test")] * 2, who="test"
    ).names
    assert names == (("a", "a"), ("b", "b"))  # those that come


def test_of_a_class_and_a_number_the_one_that_no_shift_undoes_is_matched():
    left, alone = [], []
    for seed in range(910, 914):
        items, place, kinds, dose, model = of_class_and_number(seed)
        rows = np.arange(100)
        assert [(heard.place, heard.change[:12]) for heard in model.side_report_] == [
            ("in front", "taken out by"),
            ("inside", "Condition(10"),
        ]
        left.append(told_of(model.embedding_, place[rows], dose[rows]))
        if seed > 911:  # two are enough of what is not there
            continue
        other = ConditionalEmbedding(1, tol=1e-6, max_iter=50)
        other.fit(items[rows], side=kinds.within(rows))
        alone.append(told_of(other.embedding_, place[rows], dose[rows]))
    assert np.median(left, axis=0)[0] > 0.9
    assert np.median(left, axis=0)[1] < 0.3
    assert np.median(alone, axis=0)[0] < 0.6  # the dose hides it


def test_the_order_in_which_they_are_given_does_not_matter():
    items, _, kinds, dose, model = of_class_and_number(910)
    first, second = of_rows(kinds, dose, range(100))
    other = ConditionalEmbedding(1, tol=1e-6).fit(items[:100], side=[second, first])
    np.testing.assert_array_equal(other.embedding_, model.embedding_)
    new, told = items[100:], of_rows(kinds, dose, range(100, 120))
    np.testing.assert_array_equal(
        other.transform(new, condition=told[::-1]), model.transform(new, condition=told)
    )


def test_new_rows_are_placed_by_the_values_of_both(tmp_path):
    near = []
    for seed in range(910, 914):
        items, place, kinds, dose, model = of_class_and_number(seed)
        told = of_rows(kinds, dose, range(100))
        placed = model.transform(items[:100], condition=told)
        np.testing.assert_allclose(placed, model.embedding_, atol=1e-9)
        new = of_rows(kinds, dose, range(100, 120))
        there = model.transform(items[100:], condition=new)
        near.append(told_of(there, place[100:])[0])
        np.testing.assert_array_equal(placed_by(model, items[100:], new), there)
    assert np.median(near) > 0.85
    loaded = sidelight.load(sidelight.save(model, tmp_path / "several.sidelight"))
    np.testing.assert_array_equal(loaded.transform(items[100:], condition=new), there)
    removal = FactorRemoval().fit(items[:100], side=told[1])
    np.testing.assert_array_equal(
        without_factors(model, items[:100], told), removal.transform(items[:100], condition=told[1])
    )
    assert np.isfinite(model.score_samples(items[100:], condition=new)).all()
    back = model.inverse_transform(there, condition=new[0])
    assert np.mean((back - items[100:]) ** 2) < items.var(axis=0).mean()


def test_values_of_one_alone_are_not_enough():
    items, _, kinds, dose, model = of_class_and_number(910)
    new = of_rows(kinds, dose, range(100, 120))
    for given, got in ((new[0], "one"), (new[:1], "1"), ([*new, new[0]], "3")):
        with pytest.raises(ValueError, match=f"each of 2 factors, in the order .* Got {got}"):
            model.transform(items[100:], condition=given)
    with pytest.raises(ValueError, match="ConditionalEmbedding cannot place these rows"):
        model.transform(items[100:])


def test_beside_anchors_and_through_the_one_door():
    items, _, kinds, dose, _ = of_class_and_number(911)
    side = [*of_rows(kinds, dose, range(120)), Anchors([0, 9], [[0.0], [5.0]])]
    found = sidelight.embed(items, side=side, method="conditional", n_components=1)
    np.testing.assert_allclose(found.points[[0, 9]], [[0.0], [5.0]], atol=1e-9)
    assert {heard.place for heard in found.model.side_report_} == {"in front", "inside", "behind"}
