"""Neighbours across the values of a known factor that a shift in front does not undo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

import sidelight
from sidelight import FactorRemoval, NeighborEmbedding
from sidelight.core import Threads
from sidelight.estimator import points_of
from sidelight.latent.neighbor_embedding.known import (
    balanced_affinities,
    matches,
    neighbors_across,
)
from sidelight.latent.neighbor_embedding.known.matches import BALANCE, match_across
from sidelight.neighbors import nearest_neighbors
from sidelight.side import Condition

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

DIGITS = load_digits()


def planted(seed, *, missing=None):
    """Digits of two batches, of which the second is duller: no shift undoes that."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(DIGITS.target))[:800]
    X, kind = DIGITS.data[rows] / 16, DIGITS.target[rows]
    batch = rng.integers(2, size=len(rows))
    batch[kind == missing] = 0
    return np.where(batch[:, None] == 1, 0.4 * X + 0.2, X), kind, batch


def named(batch):
    return Condition(np.array(["a", "b"])[batch])


def in_front(X, batch):
    clean = FactorRemoval().fit_transform(X, side=named(batch))
    return points_of(clean, "euclidean", who="test"), nearest_neighbors(clean, 30)


def same_kind_across(Z, kind, batch):
    """How often the nearest of the other batch is of the same kind."""
    D = cdist(Z, Z)
    D[batch[:, None] == batch] = np.inf
    return float(np.mean(kind[D.argmin(axis=1)] == kind))


def purity(Z, kind, which):
    """The share of one kind among the ten nearest of its rows."""
    return float(np.mean(kind[nearest_neighbors(Z, 10).indices[kind == which]] == which))


class TestMatches:
    """Who matches whom, and which values have a kind."""

    @pytest.mark.parametrize("seed", [0, 1])
    def test_a_kind_that_a_value_lacks_is_found_out(self, seed):
        X, kind, batch = planted(seed, missing=2)
        found = match_across(*in_front(X, batch), batch, BALANCE)
        alone = kind == 2
        assert found.accepted[alone].any(axis=1).mean() < 0.05
        assert found.accepted[~alone].any(axis=1).mean() > 0.6
        assert not found.accepted[np.arange(len(X)), batch].any()

    def test_without_the_threshold_it_would_be_mixed_in(self):
        X, kind, batch = planted(0, missing=2)
        found = match_across(*in_front(X, batch), batch, replace(BALANCE, alike=0.01))
        assert found.accepted[kind == 2].any(axis=1).mean() > 0.5

    def test_values_that_few_rows_match_across_are_left_alone(self):
        X, _, batch = planted(0)
        X[batch == 1] = 1.4 - X[batch == 1]  # black on white: rows match, if any, other digits
        assert not match_across(*in_front(X, batch), batch, BALANCE).accepted.any()

    def test_where_values_are_mixed_already_nothing_is_done(self):
        X, _, batch = planted(5)
        X = np.where(batch[:, None] == 1, (X - 0.2) / 0.4, X)
        points, near = in_front(X, batch)
        assert not match_across(points, near, batch, BALANCE).accepted.any()
        assert match_across(points, near, batch, replace(BALANCE, beyond=-2.0)).accepted.any()


def naive_lists(X, values, k, settings=BALANCE):
    """Whom each row finds in the other of two values, row by row; empty where it does not look."""
    D, n = cdist(X, X), len(X)
    np.fill_diagonal(D, np.inf)
    homes = [np.flatnonzero(values == v) for v in (0, 1)]
    nearest = [[h[np.argsort(D[i, h], kind="stable")] for h in homes] for i in range(n)]
    first = [[set(one[: settings.matches]) for one in row] for row in nearest]
    met = [[[j for j in first[i][v] if i in first[j][values[i]]] for v in (0, 1)] for i in range(n)]
    lists = []
    for i in range(n):
        own, other = values[i], 1 - values[i]
        around = [i, *nearest[i][own][: settings.around]]
        often = [sum(len(met[j][v]) for j in around) for v in (own, other)]
        fewer = np.clip(len(homes[other]) / len(homes[own]), settings.smaller, 1.0)
        if often[1] < settings.alike * fewer * often[0] or not often[1]:
            lists.append([])
            continue
        shift = np.mean([X[m] - X[j] for j in around for m in met[j][other]], axis=0)
        far = np.linalg.norm(X[homes[other]] - X[i] - shift, axis=1)
        share = int(np.ceil(k * len(homes[other]) / n))
        lists.append(homes[other][np.argsort(far, kind="stable")[:share]].tolist())
    return lists


class TestLists:
    """Whom a row chooses among."""

    def test_they_are_those_of_the_naive_search(self):
        X, _, batch = planted(3, missing=1)
        points, near = in_front(X, batch)
        expected = naive_lists(points.rows, batch, 30)
        found = neighbors_across(points, near, batch)
        across = [[] for _ in X]
        for one in found.portions:
            for row, indices in zip(one.rows, one.near.indices, strict=True):
                if batch[indices[0]] != batch[row] and one.share < 1:
                    across[row] = indices.tolist()
        # places are rounded, so that of two that are as far either may come first
        same = [set(a) == set(b) for a, b in zip(across, expected, strict=True)]
        assert np.mean(same) > 0.99
        assert [bool(a) for a in across] == [bool(b) for b in expected]

    def test_shares_are_those_of_the_values_and_those_who_keep_their_own_keep_all(self):
        X, kind, batch = planted(3, missing=1)
        points, near = in_front(X, batch)
        found = neighbors_across(points, near, batch)
        total = np.zeros(len(X))
        for one in found.portions:
            total[one.rows] += one.share
        np.testing.assert_allclose(total, 1.0, atol=1e-8)
        kept = found.portions[0]
        assert np.isin(np.flatnonzero(kind == 1), kept.rows).mean() > 0.95
        np.testing.assert_array_equal(kept.near.indices, near.indices[kept.rows])
        with Threads(1) as pool:
            P = balanced_affinities(found, np.array([15.0]), pool)
        assert P.mass == pytest.approx(1.0, abs=1e-5)
        assert abs(P.graph - P.graph.T).max() < 1e-7
        # of what matched rows choose and are chosen for, the other value has its part
        acting = found.accepted.any(axis=1)
        part = P.graph[acting][:, batch == 1].sum() / P.graph[acting].sum()
        assert part == pytest.approx(np.mean(batch[acting] == 1), abs=0.15)


class TestMaps:
    """What becomes of maps."""

    @pytest.mark.parametrize("seed", [0, 1])
    def test_copies_that_no_shift_joins_are_joined(self, seed):
        X, kind, batch = planted(seed)
        model = NeighborEmbedding().fit(X, side=named(batch))
        front = NeighborEmbedding().fit_transform(in_front(X, batch)[0].rows)
        own = [
            np.mean(batch[nearest_neighbors(Z, 10).indices] == batch[:, None])
            for Z in (front, model.embedding_)
        ]
        assert own[0] > 0.9
        assert own[1] < 0.7
        assert same_kind_across(front, kind, batch) < 0.9
        assert same_kind_across(model.embedding_, kind, batch) > 0.93
        (report,) = model.side_report_
        assert report.place == "in front"
        assert "rows find neighbours across values" in report.change

    def test_a_kind_that_a_value_lacks_is_not_mixed_in(self):
        X, kind, batch = planted(1, missing=3)
        model = NeighborEmbedding().fit(X, side=named(batch))
        front = NeighborEmbedding().fit_transform(in_front(X, batch)[0].rows)
        assert "keep their own" in model.side_report_[0].change
        assert purity(model.embedding_, kind, 3) >= purity(front, kind, 3) - 0.02

    def test_a_shuffled_condition_changes_nothing_to_the_bit(self):
        X, _, batch = planted(0)
        plain = NeighborEmbedding(max_iter=50).fit_transform(X)
        for seed in range(4):
            side = named(np.random.default_rng(seed).permutation(batch))
            given = NeighborEmbedding(max_iter=50).fit(X, side=side)
            np.testing.assert_array_equal(given.embedding_, plain)
            assert "in the graph" not in given.side_report_[0].change

    def test_new_rows_training_rows_and_files(self, tmp_path):
        X, kind, batch = planted(0)
        model = NeighborEmbedding().fit(X, side=named(batch))
        Z = model.embedding_
        np.testing.assert_array_equal(model.transform(X, condition=named(batch)), Z)
        new = model.transform(X + 0.01, condition=named(batch))
        assert np.mean(kind[cdist(new, Z).argmin(axis=1)] == kind) > 0.93
        loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
        np.testing.assert_array_equal(loaded.transform(X + 0.01, condition=named(batch)), new)
        assert loaded.side_report_ == model.side_report_

    def test_numbers_of_few_values_are_values_and_angles_are_not(self):
        X, _, batch = planted(0)
        told = NeighborEmbedding(max_iter=20).fit(X, side=Condition(batch.astype(float)))
        assert "rows find neighbours across values" in told.side_report_[0].change
        angles = Condition(90.0 * batch, period=360)
        told = NeighborEmbedding(max_iter=20).fit(X, side=angles)
        assert "in the graph" not in told.side_report_[0].change

    def test_too_many_rows_are_not_matched_and_it_is_said(self):
        X, _, batch = planted(0)
        found = neighbors_across(*in_front(X, batch), batch, replace(BALANCE, work=1.0))
        assert not found.portions
        assert "too many" in found.said


class TestDecisions:
    """Each by figures on either side of what decides."""

    @pytest.mark.parametrize(
        ("share", "mixed", "order", "believed"),
        [
            (0.55, 0.0, 0.65, True),
            (0.45, 0.0, 0.65, False),  # fewer than half of the rows match
            (0.55, 0.25, 0.65, True),
            (0.55, 0.35, 0.65, False),  # little more than are neighbours already
            (0.55, 0.0, 0.55, False),  # far apart in one value, near in the other
        ],
    )
    def test_which_matches_are_believed(self, monkeypatch, share, mixed, order, believed):
        monkeypatch.setattr(matches, "mixture", lambda near, one, other: mixed)
        monkeypatch.setattr(matches, "_order_agrees", lambda points, matched, settings: order)
        values = np.repeat([0, 1], 100)
        there = np.zeros((200, 2), dtype=bool)
        matched = np.arange(200) % 100 < 100 * share
        there[np.arange(200)[matched], 1 - values[matched]] = True
        pairs = sp.csr_array(np.tile(np.eye(100), (2, 2)))
        found = matches._values_to_balance(None, None, pairs, values, there, BALANCE)
        np.testing.assert_array_equal(found, there if believed else np.zeros_like(there))

    @pytest.mark.parametrize(
        ("n_there", "matched", "has_it"),
        [
            (200, 4, False),  # of ten at home, and of a value as large
            (200, 6, True),
            (30, 3, False),  # few rows cannot match all of many
            (30, 4, True),
            (20, 10, False),  # too few to speak for a kind
            (21, 10, True),
        ],
    )
    def test_how_often_rows_must_match_where_their_kind_is(self, n_there, matched, has_it):
        n = 200 + n_there
        values = np.repeat([0, 1], [200, n_there])
        row, home, away = np.arange(200), np.arange(10), 200 + np.arange(matched)
        pairs = np.zeros((n, n))
        pairs[np.ix_(row, home)] = 1.0
        pairs[np.ix_(row, away)] = 1.0
        found = matches.kinds_there(sp.csr_array(pairs), sp.eye_array(n).tocsr(), values, BALANCE)
        assert found[:200, 1].all() == found[:200, 1].any() == has_it
        assert not found[:200, 0].any()
