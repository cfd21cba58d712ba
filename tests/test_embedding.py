"""The one door: what it chooses, why, and that it is the method itself."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight
from sidelight import Isomap, ProbabilisticPCA, embed
from sidelight.embedding import choose_method
from sidelight.side import Anchors, Condition, Distances, Pairs


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((80, 5))


def test_it_is_the_method_itself(X):
    result = embed(X, method="isomap", n_neighbors=9, n_components=3)
    np.testing.assert_array_equal(result.points, Isomap(3, n_neighbors=9).fit(X).embedding_)
    assert result.model.n_neighbors == 9
    assert result.why == "Isomap: you asked for it."


def test_the_choice_and_its_reason(X):
    assert embed(X).why.startswith("Isomap: it follows curved data.")
    pairs, distances = Pairs(similar=[(0, 1), (2, 3)]), Distances([(4, 5)], [1.0])
    informed = embed(X, side=pairs)
    assert "listens to Pairs" in informed.why
    together = embed(X, side=[pairs, distances])
    assert together.why.startswith("SemidefiniteEmbedding: it takes Distances and Pairs as constr")
    assert choose_method(5000, kinds=["Distances", "Pairs"]).entry.name == "Isomap"
    assert choose_method(100, kinds=["Actions", "Distances"]).entry.name == "SemidefiniteEmbedding"
    table = choose_method(100, kinds=["Pairs"], distances=True)  # no metric is learned from a table
    assert table.entry.name == "SemidefiniteEmbedding"
    assert len(informed.model.side_metrics_) == 1
    holes = X.copy()
    holes[3, 2] = np.nan
    result = embed(holes)
    assert isinstance(result.model, ProbabilisticPCA)
    assert "missing" in result.why
    table = np.abs(X[:, :1] - X[:, :1].T)
    assert "table of distances" in embed(table, metric="precomputed").why
    many = np.random.default_rng(1).random((4100, 2))
    large = embed(many)
    assert large.model.n_landmarks == 1000
    assert "landmarks" in large.why


def test_none_known_is_the_plain_method_to_the_bit(X):
    for side in (None, []):
        np.testing.assert_array_equal(embed(X, side=side).points, embed(X).points)


def test_quality_plot_and_save(X, tmp_path):
    result = embed(X, method="pca")
    report = result.quality(n_neighbors=5)
    from sidelight.quality import quality_report

    assert report == quality_report(X, result.points, n_neighbors=5)
    assert result.plot(color=X[:, 0]).collections
    result.save(tmp_path / "map.sidelight")
    loaded = sidelight.load(tmp_path / "map.sidelight")
    np.testing.assert_array_equal(loaded.transform(X), result.model.transform(X))


def test_anchors_choose_a_method_that_keeps_them(X):
    anchors = Anchors([0, 5, 9], [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    result = embed(X, side=anchors)
    assert result.why == (
        "SammonMapping: it keeps distances, with the anchored rows where they go."
    )
    np.testing.assert_array_equal(result.points[[0, 5, 9]], anchors.positions)
    both = embed(X, side=[anchors, Pairs(similar=[(0, 1), (2, 3)])])
    assert type(both.model).__name__ == "SammonMapping"
    assert len(both.model.side_metrics_) == 1


def test_what_it_refuses(X):
    with pytest.raises(ValueError, match="no method 'tsne'"):
        embed(X, method="tsne")
    with pytest.raises(ValueError, match="Isomap has no parameter 'perplexity'.*n_neighbors"):
        embed(X, method="isomap", perplexity=30)
    with pytest.raises(ValueError, match="DistanceMetric makes no map"):
        embed(X, method="DistanceMetric")
    side = [Anchors([0], [[0.0, 0.0]]), Condition(np.arange(len(X)) % 2)]
    with pytest.raises(ValueError, match="No one method listens to Anchors and Condition together"):
        embed(X, side=side)
    with pytest.raises(ValueError, match="PCA .*Pairs.*Isomap"):
        embed(X, method="pca", side=Pairs(similar=[(0, 1)]))
