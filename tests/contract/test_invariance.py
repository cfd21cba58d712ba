"""Invariance: every method by distances is the method on the table of forgiving distances."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight
from sidelight import Isomap, LocallyLinearEmbedding, NeighborEmbedding
from sidelight.estimator.points import Invariant, points_of
from sidelight.estimator.points import invariant as members
from sidelight.neighbors import Neighbors
from sidelight.registry import MAPS
from sidelight.side import Anchors, Condition, Invariance, Pairs
from sidelight.transforms import Affine, InvariantDistance, LocalFilter, Shift, invariant_distances

SHAPE = (9, 9)
LISTENING = [entry for entry in MAPS if "Invariance" in entry.understands]
FORGIVEN = Invariance(Shift(), image_shape=SHAPE)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def blobs(n, seed):
    """Round and long blobs somewhere in the picture, of several sizes."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:9, :9]
    y, x = rng.uniform(3, 5, (2, n, 1, 1))
    tall, wide = rng.uniform(0.8, 2.2, (2, n, 1, 1))
    return np.exp(-(((rows - y) / tall) ** 2) - ((columns - x) / wide) ** 2).reshape(n, -1)


@pytest.fixture(scope="module")
def X():
    return blobs(120, 0)


@pytest.fixture(scope="module")
def new():
    return blobs(12, 1)


@pytest.fixture(params=LISTENING, ids=lambda entry: entry.name)
def make(request):
    """The estimator with what does not depend on how X is read."""
    more = {"NeighborEmbedding": {"init": "spectral"}}.get(request.param.name, {})
    return lambda **parameters: request.param.load()(**more, **parameters)


def test_who_listens():
    assert [entry.name for entry in LISTENING] == [
        "ClassicalMDS",
        "Isomap",
        "LocallyLinearEmbedding",
        "LaplacianEigenmaps",
        "HybridEmbedding",
        "SemidefiniteEmbedding",
        "MaximumEntropyUnfolding",
        "NeighborEmbedding",
        "StochasticNeighborEmbedding",
        "MultipleRelationalEmbedding",
        "SammonMapping",
    ]


def test_it_is_the_plain_method_on_the_table(make, X, new):
    given = make().fit(X, side=FORGIVEN)
    D = invariant_distances(X, Shift(), SHAPE)
    if type(given).__name__ == "HybridEmbedding":  # which forgives in the distances it keeps alone
        table = make(distance_metric="precomputed").fit(X, distances=D)
        np.testing.assert_allclose(given.embedding_, table.embedding_, atol=1e-8)
        return
    table = make(metric="precomputed").fit(D)
    if type(given).__name__ == "MaximumEntropyUnfolding":  # which counts the features
        assert np.corrcoef(given.embedding_[:, 0], table.embedding_[:, 0])[0, 1] ** 2 > 0.9
    else:
        np.testing.assert_allclose(given.embedding_, table.embedding_, atol=1e-8)
        block = invariant_distances(new, Shift(), SHAPE, Y=X)
        np.testing.assert_allclose(given.transform(new), table.transform(block), atol=1e-6)
    plain = make().fit(X)
    assert not np.allclose(plain.embedding_, given.embedding_)


@pytest.mark.parametrize("distance", ["auto", "correction", "reconstruction"])
def test_rows_are_placed_kept_and_found_again(make, X, new, distance, tmp_path):
    side = Invariance(Shift(), image_shape=SHAPE, distance=distance)
    model = make().fit(X, side=side)
    unit = model.embedding_.std()
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9 * unit)
    places = model.transform(new)
    np.testing.assert_allclose(model.transform(new[3:4])[0], places[3], atol=1e-6 * unit)
    sidelight.save(model, tmp_path / "model.sidelight")
    loaded = sidelight.load(tmp_path / "model.sidelight")
    np.testing.assert_array_equal(loaded.transform(new), places)
    back = model.inverse_transform(model.embedding_)
    assert np.mean((back - X) ** 2) < X.var(axis=0).mean()
    (report,) = model.side_report_
    assert (report.kind, report.place) == ("Invariance", "in the distances")
    kind = "tangent" if distance == "auto" else distance
    assert report.change.startswith(f"compared by the {kind} distance, which forgives Shift")


def test_refitting_without_it_is_the_plain_method(make, X):
    plain = make().fit(X).embedding_
    np.testing.assert_array_equal(make().fit(X, side=FORGIVEN).fit(X).embedding_, plain)


def test_together_with_anchors(make, X):
    positions = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    model = make().fit(X, side=[FORGIVEN, Anchors([0, 5, 9], positions)])
    np.testing.assert_allclose(model.embedding_[[0, 5, 9]], positions, atol=1e-6)
    assert {report.kind for report in model.side_report_} == {"Invariance", "Anchors"}


class TestRefusals:
    def test_another_metric(self, make, X):
        with pytest.raises(ValueError, match="distance of its own.*metric='cosine'"):
            make(metric="cosine").fit(X, side=FORGIVEN)
        D = invariant_distances(X, Shift(), SHAPE)
        with pytest.raises(ValueError, match="metric='precomputed'"):
            make(metric="precomputed").fit(D, side=FORGIVEN)

    def test_what_would_act_in_front(self, make, X):
        with pytest.raises(ValueError, match="Condition together with an Invariance"):
            make().fit(X, side=[FORGIVEN, Condition(np.arange(len(X)) % 2)])

    def test_another_shape(self, make, X):
        with pytest.raises(ValueError, match=r"X has columns, 81. Got \(8, 9\), which is 72"):
            make().fit(X, side=Invariance(Shift(), image_shape=(8, 9)))

    def test_more_tangents_than_pixels(self, make, X):
        with pytest.raises(ValueError, match="25 tangents in rows of 9 features"):
            make().fit(X[:, :9], side=Invariance(LocalFilter(5), image_shape=(3, 3)))

    def test_constant_images(self, make):
        X = np.repeat(np.arange(20.0)[:, None], 81, axis=1)
        with pytest.raises(ValueError, match="changes no row"):
            make().fit(X, side=FORGIVEN)

    def test_functions_are_not_kept(self, X, tmp_path):
        model = Isomap().fit(X, side=Invariance(np.fliplr, image_shape=SHAPE))
        with pytest.raises(TypeError, match=r"Step.*function 'fliplr'.*never code"):
            sidelight.save(model, tmp_path / "model.sidelight")


def test_pairs_act_inside_where_a_method_has_them_inside(X):
    side = [FORGIVEN, Pairs(similar=[(0, 1), (2, 3)])]
    reports = NeighborEmbedding().fit(X, side=side).side_report_
    assert {(r.kind, r.place) for r in reports} == {
        ("Invariance", "in the distances"),
        ("Pairs", "inside"),
    }


def test_the_door_chooses_a_method_that_listens(X):
    found = sidelight.embed(X, side=FORGIVEN)
    assert type(found.model).__name__ == "NeighborEmbedding"
    assert "compared up to what the Invariance forgives" in found.why
    five = sidelight.embed(X, side=FORGIVEN, n_components=5)
    assert type(five.model).__name__ == "Isomap"
    with pytest.raises(ValueError, match="No one method listens to Condition and Invariance"):
        sidelight.embed(X, side=[FORGIVEN, Condition(np.arange(len(X)) % 2)])


class TestManyRows:
    """Beyond the size where all distances are computed."""

    @pytest.fixture
    def few(self, X):
        return Invariant.of(X, FORGIVEN.measure(), who="Isomap")

    @pytest.fixture
    def many(self, X, monkeypatch):
        monkeypatch.setattr(members, "WHOLE", 20)
        monkeypatch.setattr(members, "_LEAST", 30)
        return Invariant.of(X, FORGIVEN.measure(), who="Isomap")

    def test_neighbours_are_found_among_candidates(self, few, many, monkeypatch):
        found = many.nearest(6)
        monkeypatch.setattr(members, "WHOLE", 10_000)
        wanted = few.nearest(6)
        assert wanted.exact
        assert not found.exact
        assert "_all_pairs" not in vars(many)
        share = np.mean(
            [
                len(np.intersect1d(a, b)) / 6
                for a, b in zip(found.indices, wanted.indices, strict=True)
            ]
        )
        assert share > 0.95
        assert many.recall(found) == pytest.approx(share, abs=0.02)

    def test_no_candidates_left_out_is_exact(self, few, many, monkeypatch):
        monkeypatch.setattr(members, "_LEAST", 119)
        found = many.nearest(6)
        new = many.nearest(6, many.take(np.arange(5)))
        monkeypatch.setattr(members, "WHOLE", 10_000)
        wanted = few.nearest(6)
        assert np.array_equal(found.indices, wanted.indices)
        np.testing.assert_allclose(found.distances, wanted.distances, atol=1e-7)
        assert np.array_equal(new.indices[:, 0], np.arange(5))
        assert (new.distances[:, 0] == 0).all()
        assert many.recall(found) == 1.0

    def test_pairs_blocks_and_grams_are_those_of_the_table(self, few, many, monkeypatch):
        rng = np.random.default_rng(0)
        left, right = rng.integers(0, 120, (2, 50))
        near = Neighbors(rng.integers(0, 120, (10, 4)), np.empty(0))
        at = np.arange(10)
        some = np.array([4, 7, 100])
        got = many.lengths(left, right), many.block(slice(3, 9), some), many.grams(near, at=at)
        assert "_all_pairs" not in vars(many)
        monkeypatch.setattr(members, "WHOLE", 10_000)
        D = few.table()
        table = points_of(D, "precomputed", who="Isomap")
        np.testing.assert_allclose(got[0], D[left, right], atol=1e-7)
        np.testing.assert_allclose(got[1], D[3:9][:, some], atol=1e-7)
        np.testing.assert_allclose(got[2], table.grams(near, at=at), atol=1e-6)

    @pytest.mark.parametrize("Method", [Isomap, LocallyLinearEmbedding, NeighborEmbedding])
    def test_methods_work_from_candidates(self, X, new, many, Method):
        model = Method().fit(X, side=FORGIVEN)
        assert 0.9 < model.neighbors_recall_ <= 1.0
        assert np.isfinite(model.transform(new)).all()
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)

    def test_pieces_are_joined_by_forgiving_lengths(self, many):
        import scipy.sparse as sp

        graph = sp.csr_array((120, 120))
        joined, joins = many.connect(graph)
        lengths = np.asarray(joined[joins[:, 0], joins[:, 1]]).ravel()
        np.testing.assert_allclose(lengths, many.lengths(*joins.T))


def test_paths_of_a_reconstruction_are_taken_along(X):
    measure = InvariantDistance(Affine(), SHAPE, "reconstruction")
    points = Invariant.of(X, measure, who="Isomap")
    some = np.arange(0, 120, 3)
    assert np.array_equal(points.take(some).table(), points.table()[np.ix_(some, some)])
