"""Neighbour embedding: against exact t-SNE, new rows, hostile data, and one map everywhere."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE, trustworthiness

from sidelight import NeighborEmbedding, load, save
from sidelight.core import InterruptedFitWarning, Threads
from sidelight.core.progress import listening
from sidelight.latent.neighbor_embedding.affinities import choices
from sidelight.latent.neighbor_embedding.order import morton_order
from sidelight.neighbors import Neighbors, nearest_neighbors
from sidelight.quality import coranking_curves


@pytest.fixture(scope="module")
def digits():
    data = load_digits()
    return data.data, data.target


@pytest.fixture(scope="module")
def fitted(digits):
    return NeighborEmbedding().fit(digits[0])


def kept(X, Z, k=10):
    """The share of the k nearest neighbours that a map keeps."""
    before, after = (nearest_neighbors(np.asarray(A), k).indices for A in (X, Z))
    return np.mean([len(np.intersect1d(a, b)) / k for a, b in zip(before, after, strict=True)])


class TestAgainstTheExactMethod:
    """scikit-learn's t-SNE, without approximations."""

    def test_it_reaches_the_objective(self):
        """Objectives are those of each one's own P: of all pairs, and of the nearest 119 of 120."""
        X = np.random.default_rng(0).standard_normal((120, 6))
        peer = TSNE(method="exact", perplexity=20, init="pca", max_iter=3000, random_state=0)
        peer.fit(X)
        mine = NeighborEmbedding(
            perplexity=20, n_neighbors=119, repulsion="exact", max_iter=3000
        ).fit(X)
        assert mine.objective_ < 1.005 * peer.kl_divergence_
        assert mine.gradient_norm_ < 1e-4

    def test_the_mesh_reaches_it_as_well(self, digits):
        X = digits[0][:600]
        exact, mesh = (
            NeighborEmbedding(repulsion=way, max_iter=1000).fit(X).objective_
            for way in ("exact", "mesh")
        )
        assert mesh == pytest.approx(exact, rel=0.02)

    def test_a_tree_reaches_it_in_space(self, digits):
        X = digits[0][:400]
        exact, tree = (
            NeighborEmbedding(3, repulsion=way, max_iter=200).fit(X).objective_
            for way in ("exact", "tree")
        )
        assert tree == pytest.approx(exact, rel=0.02)

    @pytest.mark.thorough
    def test_maps_of_digits_are_as_good(self, digits, fitted):
        X, y = digits
        peer = TSNE(random_state=0).fit_transform(X)
        assert coranking_curves(X, fitted.embedding_).auc > coranking_curves(X, peer).auc - 0.005
        near = nearest_neighbors(fitted.embedding_, 1).indices[:, 0]
        theirs = nearest_neighbors(peer.astype(np.float64), 1).indices[:, 0]
        assert np.mean(y[near] == y) > np.mean(y[theirs] == y) - 0.005

    def test_the_objective_falls(self, fitted):
        assert (np.diff(fitted.history_) < 0).all()
        assert fitted.history_[-1] == fitted.objective_
        assert fitted.n_iter_ == 300


class TestDials:
    """What the parameters do to a map."""

    def test_exaggeration_contracts_clusters(self, digits):
        X, y = digits[0][:600], digits[1][:600]

        def tightness(Z):
            inside = np.mean([Z[y == c].var(axis=0).sum() for c in range(10)])
            return inside / Z.var(axis=0).sum()

        plain, strong = (
            tightness(NeighborEmbedding(exaggeration=e).fit_transform(X)) for e in (1.0, 4.0)
        )
        assert strong < 0.8 * plain

    def test_heavier_tails_leave_more_room_between_clusters(self, digits):
        X = digits[0][:300]

        def gaps(dof):
            Z = NeighborEmbedding(degrees_of_freedom=dof).fit_transform(X)
            nearest = nearest_neighbors(Z, 1).distances[:, 0]
            return float(np.median(nearest) / np.sqrt(Z.var(axis=0).sum()))

        assert gaps(0.5) < gaps(1.0) < gaps(np.inf)

    def test_a_large_perplexity_keeps_the_large_shape(self):
        rng = np.random.default_rng(4)
        centres = np.column_stack([np.arange(8) * 6.0, np.zeros((8, 5))])
        X = np.repeat(centres, 40, axis=0) + rng.standard_normal((320, 6))
        along = np.repeat(np.arange(8), 40)

        def order_kept(perplexity):
            model = NeighborEmbedding(perplexity=perplexity, init="random", random_state=1)
            Z = model.fit_transform(X)
            middles = np.array([Z[along == i].mean(axis=0) for i in range(8)])
            ranks = np.argsort(np.argsort(np.linalg.norm(middles - middles[0], axis=1)))
            return np.corrcoef(ranks, np.arange(8))[0, 1]

        assert order_kept([10, 100]) > 0.95

    @pytest.mark.parametrize("d", [1, 3])
    def test_one_and_three_dimensions(self, digits, d):
        X, y = digits[0][:500], digits[1][:500]
        Z = NeighborEmbedding(d, max_iter=300).fit_transform(X)
        near = nearest_neighbors(Z, 1).indices[:, 0]
        assert np.mean(y[near] == y) > (0.75 if d == 1 else 0.93)

    @pytest.mark.parametrize("init", ["spectral", "random"])
    def test_other_starts(self, digits, init):
        X, y = digits[0][:500], digits[1][:500]
        Z = NeighborEmbedding(init=init).fit_transform(X)
        near = nearest_neighbors(Z, 1).indices[:, 0]
        assert np.mean(y[near] == y) > 0.92


class TestNewRows:
    """Where new rows go."""

    def test_among_their_own(self, digits):
        X, y = digits
        model = NeighborEmbedding().fit(X[:1200])
        Z = model.transform(X[1200:])
        near = nearest_neighbors(model.embedding_, 5, queries=Z).indices
        votes = np.array([np.bincount(row, minlength=10).argmax() for row in y[near]])
        assert np.mean(votes == y[1200:]) > 0.94

    def test_a_place_is_where_pulls_and_push_meet(self, digits):
        """Every new row is at a minimum of its own share of the objective, by a grid around it."""
        X = digits[0][:400]
        model = NeighborEmbedding().fit(X[:380])
        rule = model._map.place.rule
        new = rule.among.of_new(X[380:], model._map.place.distinct)
        near = rule.reach.of_new(rule.among, new)
        from sidelight.core import Threads
        from sidelight.latent.neighbor_embedding import choices

        with Threads(1) as pool:
            P = choices(near, rule.perplexities, pool).astype(np.float64)
            Z = model.transform(X[380:])
            here = rule._look(Z, near, P, pool)[0]
            for step in 0.05 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
                beside = rule._look(Z + step, near, P, pool)[0]
                assert (beside > here - 1e-3).mean() > 0.9

    def test_a_model_file_places_them_alike(self, digits, fitted, tmp_path):
        save(fitted, tmp_path / "digits.sidelight")
        again = load(tmp_path / "digits.sidelight")
        new = digits[0][:40] + 0.3
        np.testing.assert_array_equal(again.transform(new), fitted.transform(new))


class TestHostileData:
    """A right answer or a clear error."""

    def test_clusters_at_a_great_distance(self):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.standard_normal((150, 5)), rng.standard_normal((150, 5)) + 1e6])
        Z = NeighborEmbedding().fit_transform(X)
        here, there = Z[:150], Z[150:]
        assert np.isfinite(Z).all()
        assert trustworthiness(X[:150], here, n_neighbors=10) > 0.85
        gap = np.linalg.norm(here.mean(axis=0) - there.mean(axis=0))
        assert gap > here.std(axis=0).max() + there.std(axis=0).max()

    def test_thousands_of_copies(self):
        rng = np.random.default_rng(1)
        X = np.vstack(
            [np.repeat(rng.standard_normal((1, 4)), 3000, axis=0), rng.standard_normal((200, 4))]
        )
        Z = NeighborEmbedding().fit_transform(X)
        assert len(np.unique(Z[:3000], axis=0)) == 1
        assert len(np.unique(Z, axis=0)) == 201

    def test_fewer_rows_than_neighbours(self):
        X = np.random.default_rng(2).standard_normal((5, 3))
        model = NeighborEmbedding().fit(X)
        assert np.isfinite(model.embedding_).all()
        assert model.perplexity_ == [2.0]

    def test_constant_data_are_refused(self):
        with pytest.raises(ValueError, match="NeighborEmbedding.*distinct rows"):
            NeighborEmbedding().fit(np.ones((20, 3)))

    @pytest.mark.parametrize("length", [0.7, 1.0, 1 / 3, 1e5, 1e-5])
    def test_rows_that_are_equally_far_are_chosen_alike(self, length):
        """An empty text is as far from any other by the cosine, and made a map of nothing but NaN.

        The mean of equal squares is not quite their own value; and of more nearest rows than the
        perplexity asks for none can be left out.
        """
        apart = np.array(
            [
                [length] * 30,
                [length] * 20 + [3 * length] * 10,
                [length] * 15 + [3 * length] * 15,
                [0.0] * 18 + [length] * 12,
            ]
        )
        near = Neighbors(np.tile(np.arange(30), (4, 1)), apart)
        with Threads(1) as pool:
            P = choices(near, np.array([15.0]), pool)
        alike = [30, 20, 15, 18]
        expected = [[1 / n] * n + [0.0] * (30 - n) for n in alike]
        np.testing.assert_allclose(P, expected, atol=1e-6)

    @pytest.mark.parametrize("metric", ["cosine", "hamming", "russellrao", "yule"])
    def test_an_empty_row_among_answers(self, metric):
        answers = np.unique(np.random.default_rng(0).random((60, 12)) < 0.4, axis=0)
        assert not answers[0].any()
        model = NeighborEmbedding(metric=metric).fit(answers)
        assert np.isfinite(model.embedding_).all()
        assert np.isfinite(model.objective_)
        np.testing.assert_allclose(model.transform(answers), model.embedding_, atol=1e-9)

    def test_a_perplexity_that_is_too_large(self):
        X = np.random.default_rng(3).standard_normal((20, 3))
        with pytest.raises(ValueError, match="'perplexity'.*NeighborEmbedding.*19.*Got 30"):
            NeighborEmbedding(perplexity=30).fit(X)
        with pytest.raises(ValueError, match="'perplexity'.*less than.*19.*Got 19"):
            NeighborEmbedding(perplexity=19).fit(X)
        with pytest.raises(ValueError, match="'n_neighbors'.*at least the perplexity"):
            NeighborEmbedding(perplexity=10, n_neighbors=5).fit(X)

    @pytest.mark.parametrize("repulsion", ["mesh", "tree"])
    def test_more_than_three_dimensions_have_exact_sums_only(self, repulsion):
        X = np.random.default_rng(4).standard_normal((30, 6))
        with pytest.raises(
            ValueError, match=f"'repulsion'.*'exact'.*'{repulsion}'.*n_components=4"
        ):
            NeighborEmbedding(4, repulsion=repulsion).fit(X)
        assert NeighborEmbedding(4, max_iter=50).fit_transform(X).shape == (30, 4)

    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_hostile_data_in_other_dimensions(self, d):
        rng = np.random.default_rng(6)
        few, cloud = rng.standard_normal((d + 2, 4)), rng.standard_normal((60, 4))
        copies = np.vstack([np.repeat(few[:1], 2000, axis=0), cloud])
        far = np.vstack([cloud, cloud + 1e6])
        for X, n_places in ((few, d + 2), (copies, 61), (far, 120)):
            Z = NeighborEmbedding(d, max_iter=100).fit_transform(X)
            assert np.isfinite(Z).all()
            assert len(np.unique(Z, axis=0)) == n_places
        assert Z[:60, 0].mean() * Z[60:, 0].mean() < 0
        with pytest.raises(ValueError, match="NeighborEmbedding.*distinct rows"):
            NeighborEmbedding(d).fit(np.ones((20, 3)))

    def test_rows_on_a_line_get_a_plane(self):
        X = np.linspace(0, 1, 300)[:, None] * np.ones(4)
        Z = NeighborEmbedding().fit_transform(X)
        assert trustworthiness(X, Z, n_neighbors=5) > 0.98

    def test_a_graph_in_pieces(self):
        from sidelight.neighbors import neighborhood_graph

        rng = np.random.default_rng(5)
        X = np.vstack([rng.standard_normal((80, 3)) + 100 * i for i in range(3)])
        Z = NeighborEmbedding(metric="precomputed").fit_transform(
            neighborhood_graph(X, n_neighbors=12)
        )
        assert kept(X, Z) > 0.45


class TestWorkInProgress:
    """Steps that are reported, stopped and gone on with."""

    def test_maps_on_the_way(self, digits):
        seen = []
        with listening(lambda p: seen.append(p) if p.stage == "neighbour embedding" else None):
            model = NeighborEmbedding(max_iter=100).fit(np.vstack([digits[0][:200], digits[0][:5]]))
        assert seen[0].total == 100
        assert seen[-1].points().shape == (205, 2)
        np.testing.assert_array_equal(seen[-1].points()[:5], seen[-1].points()[200:])
        assert model.n_iter_ == 100

    @pytest.mark.parametrize("few", [20_000, 0], ids=["as given", "in the order of the map"])
    def test_an_interrupted_fit_goes_on_to_the_same_map(self, digits, few, monkeypatch):
        from sidelight.latent.neighbor_embedding.descent import laying_out

        monkeypatch.setattr(laying_out, "_FEW", few)
        X = digits[0][:200]
        model = NeighborEmbedding(max_iter=200, warm_start=True)

        def stop(progress):
            if progress.stage == "neighbour embedding" and progress.done >= 120:
                raise KeyboardInterrupt

        with (
            pytest.warns(InterruptedFitWarning, match="NeighborEmbedding.*of 200 steps"),
            listening(stop),
        ):
            model.fit(X)
        assert model.n_iter_ == 120
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X)
        whole = NeighborEmbedding(max_iter=200).fit(X)
        np.testing.assert_array_equal(model.embedding_, whole.embedding_)


def test_points_along_the_curve_are_near_one_another():
    side = 16
    Y = np.array([(i, j) for i in range(side) for j in range(side)], dtype=float)
    order = morton_order(Y[np.random.default_rng(0).permutation(len(Y))])
    assert sorted(order) == list(range(side**2))
    steps = np.linalg.norm(np.diff(Y[morton_order(Y)], axis=0), axis=1)
    assert steps.mean() < 2.0


def test_rows_in_the_order_of_the_map_give_the_same_map(digits, monkeypatch):
    from sidelight.latent.neighbor_embedding.descent import laying_out

    X = digits[0][:300]
    # in double precision: sums of single ones depend on the order, in their last digits
    model = NeighborEmbedding(max_iter=60, repulsion="exact")
    plain = model.fit_transform(X)
    monkeypatch.setattr(laying_out, "_FEW", 0)
    moved = model.fit_transform(X)
    np.testing.assert_allclose(moved, plain, atol=1e-6 * np.abs(plain).max())


def test_memory_is_foretold_before_it_is_taken(monkeypatch):
    """A graph of 250,000 rows was let through, and ended when a fifth more was asked for."""
    foretold = []
    monkeypatch.setattr(
        "sidelight.latent.neighbor_embedding.neighbor_embedding.require_memory",
        lambda size, **told: foretold.append(size),
    )
    X = np.random.default_rng(0).standard_normal((12_000, 20))
    NeighborEmbedding(max_iter=2).fit(X[:5_000])  # what is compiled is no part of it
    tracemalloc.start()
    NeighborEmbedding(max_iter=2).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.6 * foretold[-1] < peak < foretold[-1]
