"""From matches to a map: when a refined map takes the place of a spectral one."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.conditioning import map as making
from sidelight.latent.conditioning.map import (
    _alike,
    _best_end,
    _of_all_values,
    _Start,
    map_without_factor,
)
from sidelight.latent.conditioning.matches import match_items
from sidelight.latent.conditioning.prediction import Prediction
from sidelight.latent.density import KnownFactor
from sidelight.latent.information import Path
from sidelight.latent.information.conditional import ConditionalMap
from sidelight.side import Condition


@pytest.mark.parametrize(
    ("share", "careful", "moved"),
    [(0.85, True, False), (0.6, True, True), (0.97, False, True), (1.03, False, False)],
)
def test_a_map_of_few_dimensions_is_moved_where_it_predicts_clearly_better(share, careful, moved):
    """A map that chases noise predicts better, too."""
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, 5))
    factor = KnownFactor.of(Condition(np.repeat(["a", "b"], 20)), who="test")
    matching = match_items(Y, factor, temperatures=(0.2,))[0]
    path = Path(np.full(1, np.nan), np.ones(1))
    end = ConditionalMap(rng.normal(size=(40, 2)), lambda Z: 0.0, path, np.zeros(1), 7, False)
    end_points = _alike(end.points, matching)
    judge = Prediction.of(Y, matching.rivals)
    error = judge.error(end_points)
    start = _Start(rng.normal(size=(40, 2)), error / share)
    found = _best_end(start, [end], matching, judge, careful=careful)
    np.testing.assert_array_equal(found.points, end_points if moved else start.points)
    assert len(found.history) == (1 if moved else 0)


@pytest.mark.parametrize("n_features", [80, 12])
def test_items_are_judged_by_all_that_is_known_of_them_without_the_means_of_classes(
    monkeypatch, n_features
):
    """Thirty leading axes stood for all columns: another judge, and no better one."""

    class SeenError(Exception):
        pass

    def judged_by(matchings, scores, *given):
        raise SeenError(scores)

    monkeypatch.setattr(making, "_judges", judged_by)
    Y = np.random.default_rng(0).normal(size=(50, n_features)) * np.linspace(2, 1, n_features)
    labels = np.repeat(["a", "b"], 25)
    factor = KnownFactor.of(Condition(labels), who="test")
    with pytest.raises(SeenError) as seen:
        map_without_factor(Y, factor, 2, alpha=1.0, penalty=None, max_iter=1, tol=0.1, who="test")
    left = Y.copy()
    for label in "ab":
        left[labels == label] -= left[labels == label].mean(axis=0)
    scores = seen.value.args[0]
    assert scores.shape[1] <= 50  # a turn of them
    np.testing.assert_allclose(scores @ scores.T, left @ left.T, atol=1e-9)


@pytest.mark.parametrize(("share", "kept"), [(1.0, 3), (0.01, 3), (1e-4, 2)])
def test_vectors_that_say_nothing_of_one_value_are_of_others(share, kept):
    """Items of the second value hardly differ in the last vector; a hundredth is not hardly."""
    rng = np.random.default_rng(0)
    M = np.repeat(np.eye(2), 30, axis=0)
    vectors = rng.standard_normal((60, 3))
    vectors[30:, 2] *= share
    assert _of_all_values(vectors, M, 2).shape == (60, kept)
    assert _of_all_values(vectors, M, 3).shape == (60, 3)  # unless too few are left
