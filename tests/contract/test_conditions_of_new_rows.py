"""Every method that takes a condition for new rows: its values go to the rows that they name."""

from __future__ import annotations

import warnings
from inspect import signature

import numpy as np
import pandas as pd
import pytest

from sidelight.estimator.conditions import removals_of
from sidelight.registry import ESTIMATORS
from sidelight.side import Condition
from tests.fitting import cheap

N, M = 64, 9
_RNG = np.random.default_rng(3)
BATCH = np.where(_RNG.integers(2, size=N), "b", "a")
X = _RNG.standard_normal((N, 4)) * [3.0, 2.0, 0.3, 0.3] + 4.0 * (BATCH == "b")[:, None]
KNOWN = Condition(BATCH)
ROWS = pd.DataFrame(X[:M] + 0.01, index=[f"row {i}" for i in range(M)])
VALUES = pd.Series(BATCH[:M], index=ROWS.index)

#: What takes a place of the map first, instead of a row.
_OF_PLACES = ("inverse_transform",)
CASES = [
    pytest.param(entry, method, id=f"{entry.name}.{method}")
    for entry in ESTIMATORS
    if "Condition" in entry.understands
    for method in dir(entry.load())
    if not method.startswith(("_", "set_"))
    and callable(getattr(entry.load(), method))
    and "condition" in signature(getattr(entry.load(), method)).parameters
]
_FITTED = {}


def fitted(entry):
    if entry.name not in _FITTED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _FITTED[entry.name] = cheap(entry).fit(X, side=KNOWN)
    return _FITTED[entry.name]


def rows_for(model, method):
    """Rows with labels, or places of the map with theirs."""
    if method in _OF_PLACES and hasattr(model, "embedding_"):
        return pd.DataFrame(model.embedding_[:M], index=ROWS.index)
    return ROWS.set_axis(getattr(model, "feature_names_in_", ROWS.columns), axis=1)


def asked(model, method, condition):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names of columns
        found = getattr(model, method)(rows_for(model, method), condition=condition)
    return np.hstack([np.ravel(part) for part in (found if isinstance(found, tuple) else (found,))])


@pytest.mark.parametrize(("entry", "method"), CASES)
def test_labels_say_which_row_a_value_is_of(entry, method):
    model, other = fitted(entry), VALUES.sample(frac=1.0, random_state=1)
    assert not np.array_equal(other, VALUES)
    if method in ("score", "score_samples") and not removals_of(model):
        with pytest.raises(ValueError, match="without a Condition that is taken out in front"):
            asked(model, method, Condition(other))
        return
    expected = asked(model, method, Condition(VALUES.to_numpy()))
    for shuffled in (Condition(other), [Condition(other)], other):
        np.testing.assert_array_equal(asked(model, method, shuffled), expected)
    if method == "impute":  # rows in front of which something acts are complete, and stay
        np.testing.assert_array_equal(expected, ROWS.to_numpy().ravel())
        return
    # whose value it is matters
    in_order = asked(model, method, Condition(other.to_numpy()))
    assert np.abs(in_order - expected).max() > 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize(("entry", "method"), CASES)
def test_a_row_that_no_label_names_is_refused(entry, method):
    with pytest.raises(ValueError, match="none for the rows 'row 0' of X"):
        asked(fitted(entry), method, Condition(VALUES.iloc[1:]))


def test_all_methods_of_new_rows_are_here():
    found = {case.id for case in CASES}
    expected = {
        "GPLVM.transform",
        "GPLVM.impute",
        "GPLVM.score_samples",
        "ProbabilisticPCA.posterior",
        "ProbabilisticPCA.impute",
        "ProbabilisticPCA.score_samples",
        "KernelInformationEmbedding.transform",
        "ConditionalEmbedding.render",
        "ConditionalEmbedding.inverse_transform",
        "FactorRemoval.transform",
        "PCA.transform",
    }
    assert expected <= found
