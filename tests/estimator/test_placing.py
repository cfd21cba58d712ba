"""New rows on their way to the places of points."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import NeighborEmbedding, load, save
from sidelight.estimator import Features, OfRows
from sidelight.neighbors import each_row


class Counting:
    """A rule that counts the blocks it is given."""

    def __init__(self, by_neighbors):
        self.by_neighbors, self.blocks = by_neighbors, []

    def __call__(self, new):
        self.blocks.append(new.n)
        return new.rows


@pytest.mark.parametrize(("by_neighbors", "n_blocks"), [(True, 1), (False, 8)])
def test_rules_without_a_table_take_new_rows_in_few_blocks_however_many_points(
    by_neighbors, n_blocks
):
    points = Features(np.zeros((200_000, 2)), "euclidean", "test")
    rule, X = Counting(by_neighbors), np.random.default_rng(0).standard_normal((1000, 2))
    np.testing.assert_array_equal(OfRows(points, each_row(points.n), rule)(X), X)
    assert len(rule.blocks) == n_blocks


def test_a_neighbour_embedding_of_a_table_keeps_no_table(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((240, 6)) + 8 * np.repeat(np.eye(3, 6), 80, axis=0)
    X[7] = X[3]  # the same place
    D = np.linalg.norm(X[:, None] - X, axis=2)
    new = np.linalg.norm(X[:30, None] + 0.1 - X, axis=2)
    model = NeighborEmbedding(metric="precomputed", max_iter=100).fit(D)
    np.testing.assert_array_equal(model.transform(D), model.embedding_)
    by_features = NeighborEmbedding(max_iter=100).fit(X)
    np.testing.assert_allclose(model.transform(new), by_features.transform(X[:30] + 0.1), atol=1e-4)
    save(model, tmp_path / "model.sidelight")
    assert (tmp_path / "model.sidelight").stat().st_size < D.nbytes / 10
    again = load(tmp_path / "model.sidelight")
    np.testing.assert_array_equal(again.transform(new), model.transform(new))
