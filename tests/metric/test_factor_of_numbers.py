"""Numbers as a known factor: a curve through them, or each by itself."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import sidelight
from sidelight import FactorRemoval
from sidelight.metric import factor_removal
from sidelight.metric.factor.basis import Basis
from sidelight.side import Condition


def in_batches(seed, n=300, k=12):
    """Three kinds of items, and many batches of which each is shifted its own way."""
    rng = np.random.default_rng(seed)
    kind, batch = rng.integers(3, size=n), rng.integers(k, size=n)
    items = rng.normal(size=(n, 6)) + 4 * rng.normal(size=(3, 6))[kind]
    return items, items + 3 * rng.normal(size=(k, 6))[batch], batch


def told_by_neighbors(Z, batch):
    """How often the five nearest are of the own batch."""
    D = np.linalg.norm(Z[:, None] - Z, axis=2)
    np.fill_diagonal(D, np.inf)
    return np.mean(batch[np.argsort(D, axis=1)[:, :5]] == batch[:, None])


def removal(X, condition):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return FactorRemoval().fit(X, side=condition)


def test_numbered_batches_are_taken_out_as_named_ones_are():
    """A curve of the fifth degree through their numbers left most of twelve batches in."""
    for seed in range(300, 304):
        items, X, batch = in_batches(seed)
        names = [f"{number:02d}" for number in batch]
        numbered, called = Condition(batch), Condition(names)
        by_number, by_name = removal(X, numbered), removal(X, called)
        clean = by_number.transform(X, condition=numbered)
        assert_allclose(clean, by_name.transform(X, condition=called), atol=1e-8)
        assert told_by_neighbors(X, batch) > 0.3
        assert told_by_neighbors(clean, batch) < told_by_neighbors(items, batch) + 0.1
        assert "its numbers are read one by one" in by_number.report_


def test_numbers_are_read_one_by_one_only_where_that_undoes_enough(monkeypatch):
    """More than a half of what the curve through them leaves: here it does, of all it does not."""
    _, X, batch = in_batches(304)
    assert "its numbers are read one by one" in removal(X, Condition(batch)).report_
    monkeypatch.setattr(factor_removal, "SETTINGS", replace(factor_removal.SETTINGS, undone=1.5))
    assert "one by one" not in removal(X, Condition(batch)).report_


def test_batches_that_no_curve_shows_are_seen_one_by_one():
    removed = 0
    for seed in range(310, 315):
        rng = np.random.default_rng([seed, 2])
        _, X, batch = in_batches(seed, n=400, k=16)
        X = X + rng.normal(size=X.shape)
        number = rng.permutation(16)[batch]
        removed += removal(X, Condition(number)).removed_
    assert removed == 5


def test_a_dose_of_many_levels_is_a_curve_still():
    one_by_one = removed = 0
    for seed in range(320, 330):
        rng = np.random.default_rng([seed, 2])
        items, _, _ = in_batches(seed, n=400)
        dose = rng.integers(30, size=400) / 30
        direction = 2 * items.std(axis=0) * rng.normal(size=6)
        model = removal(items + np.sin(2 * dose)[:, None] * direction, Condition(dose))
        removed += model.removed_
        one_by_one += "one by one" in model.report_
    assert removed == 10
    assert one_by_one <= 1


def test_random_numbers_that_come_again_leave_x_as_it_is():
    for seed in range(330, 342):
        items, _, _ = in_batches(seed)
        number = np.random.default_rng([seed, 1]).integers(15, size=300)
        model = removal(items, Condition(number))
        assert not model.removed_
        assert_array_equal(model.transform(items), items)


def test_numbers_between_those_of_the_fit_are_between_them(tmp_path):
    _, X, batch = in_batches(350)
    model = removal(X, Condition(10.0 * batch))
    rows = np.repeat(X[:1], 4, axis=0)
    clean = model.transform(rows, condition=Condition([30.0, 34.0, 40.0, 1e9]))
    said = model._removal.bases[0].columns(Condition([30.0, 34.0, 40.0, 1e9]), who="it")
    assert_allclose(said[1], 0.6 * said[0] + 0.4 * said[2], atol=1e-12)
    last = model.transform(rows[:1], condition=Condition([110.0]))
    assert_allclose(clean[3], last[0])
    loaded = sidelight.load(sidelight.save(model, tmp_path / "removal.sidelight"))
    assert_array_equal(
        loaded.transform(X, condition=Condition(10.0 * batch)),
        model.transform(X, condition=Condition(10.0 * batch)),
    )
    with pytest.raises(ValueError, match="must hold numbers, as it was fitted with. Got names"):
        model.transform(X[:1], condition=Condition(["a"]))


def test_what_hardly_comes_again_has_no_levels():
    def levels(values):
        condition = Condition(values)
        return Basis.of(condition).by_levels(condition)

    assert levels(np.arange(100.0)) is None  # each once
    assert levels(np.repeat(np.arange(25.0), 4)) is None
    assert levels(np.repeat(np.arange(8.0), 10)) is None  # a polynomial tells them apart
    assert levels(np.repeat(list("abcdefghij"), 10)) is None
    found = levels(np.repeat(np.arange(20.0), 5))
    columns = found.columns(Condition(np.arange(20.0)), who="it")
    assert_allclose(columns + found.means, np.eye(20))
