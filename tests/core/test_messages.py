"""Errors of tables: who asked, what was expected, what came, and what to do."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import PCA, Isomap
from sidelight.metric import EquivalenceMetric

SAID = {
    "one dimension": (
        np.arange(5.0),
        r"Isomap expects X to be a table of shape \(n_samples, n_features\). Got an array of "
        r"dimension 1, shape \(5,\). Reshape your data: X.reshape",
    ),
    "three dimensions": (
        np.ones((4, 3, 2)),
        r"dim 3, shape \(4, 3, 2\).*X.reshape\(len\(X\), -1\)",
    ),
    "a number": (3.0, "Isomap expects X to be a table.*Got a single value, 3.0"),
    "nothing": (None, "Isomap expects X to be a table.*Got nothing"),
    "text": ([["a", "b"], ["c", "d"]], "Isomap expects X to hold numbers.*such as 'a'.*encode"),
    "complex": (
        np.ones((4, 2)) * 1j,
        "Isomap expects X to hold real numbers. Complex data not supp",
    ),
    "infinity": ([[1.0, np.inf], [2.0, 3.0]], "Isomap expects X to hold finite numbers"),
    "missing": ([[1.0, np.nan], [2.0, 3.0]], "NaN. Isomap does not accept.*ProbabilisticPCA"),
    "no rows": (np.empty((0, 3)), r"Isomap expects X to have at least 2 rows.*shape=\(0, 3\)"),
    "no columns": (np.empty((5, 0)), r"Isomap expects X to have columns.*0 feature\(s\)"),
    "ragged": ([[1.0, 2.0], [3.0]], "Isomap expects the rows of X to be equally long"),
}


@pytest.mark.parametrize("what", SAID)
def test_what_is_wrong_with_the_data(what):
    table, words = SAID[what]
    with pytest.raises(ValueError, match=words):
        Isomap().fit(table)


def test_other_tables_and_other_methods_say_the_same():
    X = np.random.default_rng(0).standard_normal((20, 3))
    model = PCA(2).fit(X)
    with pytest.raises(ValueError, match="PCA expects Z.*n_components.*dimension 1.*Z.reshape"):
        model.inverse_transform(model.embedding_[0])
    with pytest.raises(ValueError, match="2 features, but PCA.*the columns that it was fitted on"):
        model.transform(X[:, :2])
    distances = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    with pytest.raises(ValueError, match="Isomap expects items to hold numbers.*'x'"):
        Isomap(metric="precomputed").fit(distances, items=[["x"]] * 4)
    with pytest.raises(ValueError, match="EquivalenceMetric expects X to be a table"):
        EquivalenceMetric().fit(X[:, 0])
