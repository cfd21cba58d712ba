"""Hostile use ends in a right map or a clear error; and the fuzz suite would see otherwise."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sidelight import PCA
from tests.fuzz.__main__ import reproduction
from tests.fuzz.cases import CLEAR_ERROR, FAULT, RIGHT, draw_case, run_case


def _spoiled_fit(spoil):
    honest = PCA.fit

    def fit(self, X, y=None, *, side=None):
        return spoil(honest, self, X, y, side)

    return fit


def _changes_x(honest, model, X, y, side):
    honest(model, X, y, side=side)
    if isinstance(X, np.ndarray) and X.flags.writeable and X.dtype == np.float64:
        X[0, 0] += 1.0
    return model


def _has_no_words(honest, model, X, y, side):
    try:
        return honest(model, X, y, side=side)
    except ValueError as error:
        raise ValueError("bad input") from error


def _trips(honest, model, X, y, side):
    return honest(model, X.shape and X, y, side=side)


def _warns(honest, model, X, y, side):
    warnings.warn("invalid value encountered in divide", RuntimeWarning, stacklevel=2)
    return honest(model, X, y, side=side)


def _has_holes(honest, model, X, y, side):
    honest(model, X, y, side=side).embedding_[0] = np.nan
    return model


def _collapses(honest, model, X, y, side):
    honest(model, X, y, side=side).embedding_[:] = 0.0
    return model


def _depends_on_the_hour(honest, model, X, y, side):
    honest(model, X, y, side=side).embedding_ += np.random.default_rng().random()
    return model


def _takes_anything(honest, model, X, y, side):
    try:
        return honest(model, X, y, side=None)
    except ValueError:
        return honest(model, np.arange(12.0).reshape(4, 3) ** 2, y)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_changes_x, "X was changed"),
        (_has_no_words, "does not name the estimator"),
        (_trips, "AttributeError"),
        (_warns, "RuntimeWarning"),
        (_has_holes, "not finite"),
        (_collapses, "in one place"),
        (_depends_on_the_hour, "fitted again"),
        (_takes_anything, "accepted what is wrong"),
    ],
)
def test_a_fault_that_is_put_in_is_found(monkeypatch, spoil, words):
    monkeypatch.setattr(PCA, "fit", _spoiled_fit(spoil))
    outcomes = [run_case(0, number, only="PCA") for number in range(60)]
    found = [outcome for outcome in outcomes if outcome.verdict == FAULT and words in outcome.what]
    assert found
    command = reproduction(found[0], 0, "PCA").split()
    assert command[command.index("--case") + 1] == str(found[0].number)
    again = run_case(0, found[0].number, only="PCA")
    assert words in again.what


def test_a_case_is_drawn_again_by_its_seed_and_number():
    for number in range(40):
        once, again = draw_case(3, number), draw_case(3, number)
        assert str(once) == str(again)
        assert once.rng.random() == again.rng.random()
    assert len({str(draw_case(3, number)) for number in range(40)}) > 35


def test_maps_and_refusals_are_both_drawn():
    verdicts = [run_case(1, number, only="ClassicalMDS").verdict for number in range(80)]
    assert verdicts.count(RIGHT) > 10
    assert verdicts.count(CLEAR_ERROR) > 10


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_no_case_is_a_fault(first):
    """A sample of ``make fuzz``, which runs ten thousand."""
    outcomes = [run_case(0, number) for number in range(first, first + 50)]
    faults = [outcome for outcome in outcomes if outcome.verdict == FAULT]
    told = [f"{reproduction(one, 0)}  # {one.described}: {one.what}" for one in faults]
    assert not faults, "\n".join(told)
