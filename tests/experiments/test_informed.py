"""Side information in maps: what the experiments find holds on small draws too."""

from __future__ import annotations

import warnings
from functools import reduce

import numpy as np
import pytest

from experiments.informed import informed_cells, informed_faces, pair_metric_safety
from experiments.informed.pair_metric_safety import (
    Problem,
    draw_pairs,
    gains,
    neighbor_accuracy,
    split_groups,
)
from sidelight.core.errors import DisconnectedGraphWarning
from sidelight.metric import EquivalenceMetric
from sidelight.side import Pairs


def test_nearest_stranger_is_asked_not_the_nearest_photograph() -> None:
    Z = np.array([[0.0], [0.1], [1.0], [1.1]])
    labels, person = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    assert neighbor_accuracy(Z, labels, n_neighbors=1) == 1.0
    assert neighbor_accuracy(Z, labels, n_neighbors=1, groups=person) == 0.0


def test_neighbours_vote_as_scikit_learn_lets_them() -> None:
    from sklearn.model_selection import LeaveOneOut, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    expected = cross_val_score(KNeighborsClassifier(5), X, y, cv=LeaveOneOut()).mean()
    assert neighbor_accuracy(X, y, n_neighbors=5) == pytest.approx(expected)


def test_groups_are_never_split() -> None:
    groups = np.repeat(np.arange(8), 5)
    seen = split_groups(groups, np.random.default_rng(0))
    assert seen.sum() == 20
    assert not set(groups[seen]) & set(groups[~seen])


@pytest.mark.parametrize("kind", pair_metric_safety.KINDS)
def test_drawn_pairs_are_as_many_and_as_wrong_as_said(kind: str) -> None:
    labels = np.arange(300) % 3
    pairs = draw_pairs(labels, kind, 1000, np.random.default_rng(0))
    wrong = np.concatenate(
        [
            labels[pairs.similar[:, 0]] != labels[pairs.similar[:, 1]],
            labels[pairs.dissimilar[:, 0]] == labels[pairs.dissimilar[:, 1]],
        ]
    )
    assert len(wrong) == 1000
    share = {"both, 10 % wrong": 0.1, "both, shuffled": 0.5}.get(kind, 0.0)
    assert wrong.mean() == pytest.approx(share, abs=0.04 if share else 0.0)


def test_gain_is_large_where_noise_hides_the_classes() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(300) % 2
    X = rng.normal(size=(300, 8)) * np.array([0.3, 3, 3, 3, 3, 3, 3, 3])
    X[:, 0] += labels
    problem = Problem(X, labels, np.arange(300))
    found = gains(problem, EquivalenceMetric(), "both", 1000, range(3))
    assert found.min() > 0.15


@pytest.mark.real_data("olivetti_faces")
def test_glasses_of_new_people_are_found_and_the_thesis_form_loses_identity() -> None:
    from sidelight import PCA
    from sidelight.datasets import load

    faces = load("olivetti_faces")
    assert faces.labels is not None
    X = PCA(399).fit_transform(faces.X)  # a turn: no distance changes
    glasses = Problem(X, faces.extras["glasses"].astype(int), faces.labels, strangers=True)
    assert gains(glasses, EquivalenceMetric(), "both", 1000, range(10)).mean() > 0.05
    photographs = Problem(X, faces.labels, np.arange(400))
    assert (
        gains(photographs, EquivalenceMetric(), "both", 1000, range(2)).mean() > 0.1
    )  # 0.16 before rows were left out
    people = Problem(X, faces.labels, faces.labels)
    assert gains(people, EquivalenceMetric(), "both", 10, range(2)).min() > -0.08
    assert gains(people, EquivalenceMetric("thesis"), "both", 10, range(2)).max() < -0.3


@pytest.mark.real_data("olivetti_faces")
def test_informed_maps_show_the_attribute_on_people_never_named() -> None:
    faces = informed_faces.load_faces(3)
    found = informed_faces.measure(faces, range(2), few=True)
    unseen = {setting: (runs[:, 1] - runs[:, 0]).mean(axis=0) for setting, runs in found.items()}
    assert set(informed_faces.METHODS) == {method for _, _, method in unseen}
    for method in informed_faces.METHODS:
        # over both attributes: a single one is too noisy for two draws
        alike = [unseen[a, "all similar pairs", method] for a in ("beard", "glasses")]
        assert np.mean(alike, axis=0)[0] > 0
        assert np.mean(alike, axis=0)[1] > 0.1  # people whose pairs were told
    # of both at once two draws tell too little of a single method
    both = [unseen["both", "all similar pairs", method][0] for method in informed_faces.METHODS]
    assert np.mean(both) > 0


@pytest.mark.real_data("olivetti_faces")
def test_fit_with_side_is_the_metric_followed_by_the_map() -> None:
    faces = informed_faces.load_faces(3)
    rng = np.random.default_rng(0)
    seen = informed_faces.split_people(faces, rng)
    every, _ = informed_faces.told_of(faces.attributes["glasses"], seen, rng)
    pairs = Pairs(similar=every.similar)
    assert seen[pairs.rows].all()
    for name, make in informed_faces.METHODS.items():
        if name == "SDE":  # which takes pairs as constraints
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DisconnectedGraphWarning)
            model = make().fit(faces.X, side=pairs)
            expected = make().fit_transform(
                reduce(lambda X, metric: metric.transform(X), model.side_metrics_, faces.X)
            )
        assert len(model.side_metrics_) == 1
        found = model.embedding_
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.real_data("pbmc68k_reduced")
def test_few_pairs_of_three_cell_types_do_not_harm_the_others() -> None:
    from sidelight.datasets import load

    cells = load("pbmc68k_reduced")
    types = np.unique(cells.labels, return_inverse=True)[1]  # type: ignore[call-overload]
    X = cells.extras["pca"].astype(float)
    found = informed_cells.measure(X, types, (5, 20), range(3))
    for (_, method), runs in found.items():
        gain = (runs[:, 1] - runs[:, 0]).mean(axis=0)
        assert gain[0] > (-0.01 if method == "all dimensions" else -0.04)
    # so few pairs foretell nothing, and are not used; what they gained was gained by shuffled ones
    isomap = np.mean([found[count, "Isomap"] for count in (5, 20)], axis=0)
    assert (isomap[:, 1] - isomap[:, 0]).mean(axis=0)[0] >= 0.0
