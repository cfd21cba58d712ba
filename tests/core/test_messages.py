"""Errors of tables: who asked, what was expected, what came, and what to do."""

from __future__ import annotations

import re

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
    "five dimensions": (
        np.ones((4, 3, 2, 1, 1)),
        r"dim 5, shape \(4, 3, 2, 1, 1\).*X.reshape\(len\(X\), -1\)",
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


def test_one_of_a_thing_is_said_of_one():
    """Wherever a number stands before a noun, one rule writes both."""
    from sidelight.side import Actions, Anchors, Condition, Distances, Sequence

    assert repr(Condition([1.0])) == "Condition(1 row, 1 number each)"
    assert repr(Condition(["a"])) == "Condition(1 row, 1 class)"
    assert repr(Distances([(0, 1)], [2.0])) == "Distances(1 pair, from 2 to 2)"
    assert repr(Anchors([0], [[1.0]])) == "Anchors(1 row in 1 dimension)"
    assert repr(Actions(["left"])) == "Actions(1 transition of 1 action)"
    assert repr(Sequence(episodes=[0])) == "Sequence(1 row, 1 episode)"


#: A number before a noun that stands for several, whatever the number is.
_ALWAYS_SEVERAL = re.compile(
    r"(?<![\d.])1 (rows|values|columns|numbers|samples|dimensions|cells|names|further rows)\b"
)


def test_nobody_is_told_of_1_rows(tmp_path):
    """Messages about one row, one column, one value: what newcomers with small files meet."""
    from typer.testing import CliRunner

    from sidelight.cli.application import application

    files = {
        "ragged.csv": "a,b\n1\n2\n3,4\n",
        "one_row.csv": "a,b\n1,2\n",
        "one_column.csv": "a\n1\n2\n3\n4\n5\n",
        "one_gap.csv": "a,b\n1,2\n3,\n5,6\n4,2\n",
        "twice.csv": "a,a,b\n1,2,3\n3,4,5\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        for options in ([], ["-m", "pca", "-d", "1"], ["-m", "pca", "--missing", "drop-rows"]):
            out = ["-o", str(tmp_path / "map.csv")]
            done = CliRunner().invoke(application, ["embed", str(tmp_path / name), *options, *out])
            told = " ".join((done.stdout + done.stderr).split())
            assert not _ALWAYS_SEVERAL.search(told), told
            assert "(s)" not in told
