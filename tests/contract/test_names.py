"""Every estimator: the same map by number and by label, of all rows and of some."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from sidelight.registry import ESTIMATORS
from sidelight.side import Anchors, Attributes, Condition, Distances, Pairs, Relation

N = 48
SHEET = np.random.default_rng(3).standard_normal((N, 4)) * [3.0, 2.0, 0.3, 0.3]
X = SHEET + 4.0 * (np.arange(N) % 2)[:, None]
NAMES = np.array([f"row {place}" for place in np.random.default_rng(4).permutation(N)])
FRAME = pd.DataFrame(X, index=NAMES, columns=list("abcd"))
ENDS = np.random.default_rng(5).permutation(N)[:24].reshape(-1, 2)
BATCH = np.where(np.arange(N) % 2, "b", "a")


LIKE, UNLIKE, ANCHORED = ENDS[::2], ENDS[1::2], ENDS[:4].ravel()
ALIKE = np.exp(-np.abs(X[ENDS.ravel(), None, 0] - X[None, ENDS.ravel(), 0]))


def said(kind, rows, names):
    """Knowledge of a kind about some rows of X, by their places among them or by label."""
    place = {int(row): i for i, row in enumerate(rows)}

    def known(numbers):
        return np.array([all(int(i) in place for i in np.ravel(row)) for row in numbers])

    def called(numbers):
        numbers = numbers[known(numbers)]
        flat = [place[int(i)] for i in np.ravel(numbers)]
        found = NAMES[rows][flat] if names else np.array(flat)
        return found.reshape(np.shape(numbers))

    lengths = np.linalg.norm(X[ENDS[:, 0]] - X[ENDS[:, 1]], axis=1)
    some = np.flatnonzero(known(ENDS.ravel()))
    some = some[np.argsort([place[int(row)] for row in ENDS.ravel()[some]])]
    batch = pd.Series(BATCH[rows], NAMES[rows]) if names else BATCH[rows]
    return {
        "Pairs": lambda: Pairs(called(LIKE), called(UNLIKE)),
        "Attributes": lambda: Attributes([Pairs(called(LIKE)), Pairs(dissimilar=called(UNLIKE))]),
        "Distances": lambda: Distances(called(ENDS), lengths[known(ENDS)]),
        "Anchors": lambda: Anchors(called(ANCHORED), X[ANCHORED[known(ANCHORED)], :2]),
        "Relation": lambda: Relation(ALIKE[np.ix_(some, some)], called(ENDS.ravel()[some])),
        "Condition": lambda: Condition(batch),
    }[kind]()


CASES = [
    pytest.param(entry, kind, id=f"{entry.name} {kind}")
    for entry in ESTIMATORS
    for kind in entry.understands
    # they name no rows: they speak of all in their order
    if kind not in ("Actions", "Invariance", "Sequence")
    # one method is enough for a kind that goes through the same metric as all do
    and (kind in ("Pairs", "Condition") or kind in entry.inside or entry.family == "metric")
]


def fitted(entry, X, side):
    model = entry.load()()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, side=side)
    if hasattr(model, "embedding_"):
        return np.asarray(model.embedding_)
    learned = ("metric_", "support_", "strength_")
    return next(getattr(model, name) for name in learned if hasattr(model, name))


@pytest.mark.parametrize(("entry", "kind"), CASES)
def test_by_label_and_by_number_are_the_same_to_the_bit(entry, kind):
    rows = np.arange(N)
    by_number, by_label = (said(kind, rows, names) for names in (False, True))
    np.testing.assert_array_equal(fitted(entry, FRAME, by_label), fitted(entry, FRAME, by_number))


@pytest.mark.parametrize(("entry", "kind"), CASES)
def test_what_is_known_within_some_rows_is_what_would_be_said_of_them(entry, kind):
    rows = np.random.default_rng(6).permutation(N)[:36]
    within = said(kind, np.arange(N), False).within(rows)
    afresh = said(kind, rows, False)
    np.testing.assert_array_equal(fitted(entry, X[rows], within), fitted(entry, X[rows], afresh))
