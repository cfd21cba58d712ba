"""Leave-one-out nearest-neighbour accuracy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from sidelight.quality import neighbor_label_accuracy, quality_report


def test_by_hand():
    Z = [[0.0], [1.0], [5.0], [6.0], [2.5]]
    found = neighbor_label_accuracy(Z, ["a", "a", "b", "b", "b"])
    assert (float(found), found.n_errors) == (0.8, 1)
    np.testing.assert_array_equal(found.errors, [4])


@pytest.mark.parametrize("k", [1, 3, 5])
def test_agrees_with_scikit_learn(k):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 120)
    Z = rng.normal(size=(120, 2)) + 1.2 * labels[:, None]
    predicted = cross_val_predict(KNeighborsClassifier(k), Z, labels, cv=LeaveOneOut())
    found = neighbor_label_accuracy(Z, labels, n_neighbors=k)
    assert 0 < found.n_errors < 60
    np.testing.assert_array_equal(found.errors, np.flatnonzero(predicted != labels))


def test_equal_votes_go_to_the_nearest():
    # the neighbours of the first point are b at 1 and a at 2
    Z = [[0.0], [1.0], [-2.0], [50.0]]
    assert 0 in neighbor_label_accuracy(Z, ["a", "b", "a", "a"], n_neighbors=2).errors
    assert 0 not in neighbor_label_accuracy(Z, ["b", "b", "a", "a"], n_neighbors=2).errors


def test_a_duplicate_is_a_neighbour_and_the_point_itself_is_not():
    Z = [[0.0], [0.0], [9.0], [9.0]]
    assert neighbor_label_accuracy(Z, [1, 1, 2, 2]).accuracy == 1.0
    assert neighbor_label_accuracy(Z, [1, 2, 1, 2]).accuracy == 0.0


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1, 2, 3], "'Z' and 'labels' .* Got 4 and 3"),
        ([[1, 2]] * 4, "'labels' argument .* shape"),
        ([1.0, np.nan, 2.0, np.nan], "missing values. Got 2, first in row 1"),
        (["a", "b", "c", None], "missing values. Got 1, first in row 3"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(ValueError, match=message):
        neighbor_label_accuracy(np.eye(4), labels)


def test_n_neighbors_out_of_range():
    with pytest.raises(ValueError, match=r"\[1, n_samples\). Got 4 instead"):
        neighbor_label_accuracy(np.eye(4), [0, 1, 0, 1], n_neighbors=4)


@pytest.mark.parametrize("max_samples", [None, 90])
def test_a_report_judges_the_rows_that_have_a_label(max_samples):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(120, 2))
    labels = np.where(Z[:, 0] > 0, "right", "left").astype(object)
    labels[rng.random(120) < 0.6] = None
    known = np.array([label is not None for label in labels])
    report = quality_report(Z, Z, labels=labels, max_samples=max_samples)
    judged = neighbor_label_accuracy(Z[known], labels[known].astype(str))
    if max_samples is None:
        assert report.label_accuracy == pytest.approx(judged.accuracy)
        assert report.label_errors == judged.n_errors
    else:
        error = report.standard_errors["label_accuracy"]
        assert abs(report.label_accuracy - judged.accuracy) < 4 * error
    with pytest.raises(ValueError, match="missing values. Got 119"):
        quality_report(Z, Z, labels=np.array(["a", *[None] * 119]))
