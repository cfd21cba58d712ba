"""When the order of rows is believed, and what is said of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from sidelight.estimator import points_of
from sidelight.estimator.in_order import in_order
from sidelight.side import Sequence


def heard(X, sequence=None):
    points = points_of(X, "euclidean", who="test")
    return in_order(sequence or Sequence(), points, points.distinct())


def test_how_near_adjacent_rows_are_is_said_beside_any_two():
    for seed in range(3):
        X = np.cumsum(np.random.default_rng(seed).standard_normal((200, 3)), axis=0)
        share = np.linalg.norm(np.diff(X, axis=0), axis=1).mean() / pdist(X).mean()
        said = re.fullmatch(
            r"199 adjacent pairs, at (\d+)% of the distance of others", heard(X).said
        )
        assert int(said[1]) == pytest.approx(100 * share, abs=1)


@pytest.mark.parametrize(("n_rows", "is_heard"), [(8, False), (9, True)])
def test_fewer_than_eight_adjacent_pairs_say_nothing(n_rows, is_heard):
    found = heard(np.arange(float(n_rows))[:, None] ** 2)
    assert ("too few" not in found.said) == is_heard
    copies = np.repeat(np.arange(8.0)[:, None], 3, axis=0)  # which are adjacent to themselves
    assert "7 adjacent pairs of different rows are too few" in heard(copies).said


@pytest.mark.parametrize(("errors", "is_believed"), [(3.0, False), (5.0, True)])
def test_an_order_is_believed_where_it_shows_by_four_standard_errors(errors, is_believed):
    """Rows in any order, drawn together along it until they are nearer by so many."""
    agree = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, n = rng.standard_normal((400, 5)), 400
        slow = np.column_stack([np.sin(np.arange(n) / 20 + k) for k in range(5)])
        for strength in np.linspace(0, 2, 81):
            Y = X + strength * slow
            gap = pdist(Y).mean() - np.linalg.norm(np.diff(Y, axis=0), axis=1).mean()
            if gap > errors * pdist(Y).std() / np.sqrt(n - 1):
                break
        agree.append((len(heard(Y).pairs) > 0) == is_believed)
    assert np.mean(agree) >= 0.75
