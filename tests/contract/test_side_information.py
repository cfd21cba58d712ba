"""Side information: in the same place for every estimator, understood or refused by name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import sidelight
from sidelight import GPLVM, Isomap, KernelInformationEmbedding, NeighborEmbedding
from sidelight.estimator.territory.told_apart import NOT_WORTH_IT
from sidelight.metric import (
    DistanceMetric,
    EquivalenceMetric,
    FactorRemoval,
    MultiAttributeMetric,
)
from sidelight.quality import procrustes
from sidelight.registry import ESTIMATORS, MAPS, entry_for, entry_of
from sidelight.side import Actions, Anchors, Attributes, Condition, Distances, Pairs, Relation
from tests.fitting import cheap, fitted

#: Those that take pairs through a learned metric, or can be set to.
INFORMED = [
    entry
    for entry in MAPS
    if "Pairs" in entry.understands
    and ("Pairs" not in entry.inside or "side_as" in entry.load()().get_params())
]
#: Those that pin rows inside, and those whose finished map is brought to anchors.
ANCHORED = [entry for entry in MAPS if entry.place_of("Anchors") == "inside"]
BROUGHT = [entry for entry in MAPS if entry.place_of("Anchors") == "behind"]
PAIRS = Pairs(similar=[(0, 5), (3, 80), (12, 40)], dissimilar=[(1, 90), (7, 100)])
#: On which half of the sheet some rows lie: enough to be foretold, and so used.
HALVES = Pairs.from_labels(np.random.default_rng(0).random((2, 160))[1] > 0.5, max_pairs=150)
THIRDS = Pairs.from_labels(np.random.default_rng(0).random((2, 160))[1] > 0.3, max_pairs=150)
DISTANCES = Distances([(0, 9), (4, 60), (21, 33)], [1.0, 0.4, 2.0])
#: How far across the sheet some rows lie.
ACROSS = Relation.from_values(np.random.default_rng(0).random((2, 160))[1][:90], np.arange(90))
KINDS = {
    "pairs": (HALVES, EquivalenceMetric),
    "attributes": (Attributes([HALVES, THIRDS]), MultiAttributeMetric),
    "distances": (DISTANCES, DistanceMetric),
}


@pytest.fixture(params=INFORMED, ids=lambda entry: entry.name)
def informed(request):
    """Every estimator that listens to pairs, set to do so through a learned metric."""
    model = cheap(request.param)
    return model.set_params(side_as="metric") if "side_as" in model.get_params() else model


def test_an_estimator_of_the_users_own_understands_what_its_ancestor_does():
    class Mine(Isomap):
        pass

    for entry in ESTIMATORS:
        assert entry.load()()._understands == entry.understands, entry.name
    assert Mine()._understands == entry_for("isomap").understands


@pytest.mark.parametrize("entry", ESTIMATORS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize("given", [PAIRS, [PAIRS, DISTANCES]], ids=["one", "a list"])
def test_what_is_known_is_not_swallowed_as_y(entry, X, method, given):
    message = rf"{entry.name}\.fit.* got Pairs.* as y, which is ignored.*side="
    with pytest.raises(ValueError, match=message):
        getattr(entry.load()(), method)(X, given)
    with pytest.raises(ValueError, match=message):
        getattr(entry.load()(), method)(X, y=given)


def test_a_stream_takes_none_and_says_where_it_goes(X):
    message = r"PCA.partial_fit got Pairs as y, .*partial_fit takes none. Give it to fit\(X, side"
    with pytest.raises(ValueError, match=message):
        sidelight.PCA().partial_fit(X, PAIRS)


def test_labels_as_y_are_ignored_as_ever(X):
    plain = Isomap().fit(X).embedding_
    np.testing.assert_array_equal(Isomap().fit(X, np.arange(len(X))).embedding_, plain)
    np.testing.assert_array_equal(Isomap().fit(X, list("ab" * (len(X) // 2))).embedding_, plain)


@pytest.mark.parametrize("nothing", [None, []])
def test_nothing_known_is_the_plain_method_to_the_bit(informed, X, new, nothing):
    plain = fitted(informed, X)
    given = clone(informed).fit(X, side=nothing)
    np.testing.assert_array_equal(given.embedding_, plain.embedding_)
    np.testing.assert_array_equal(given.transform(new), plain.transform(new))


@pytest.mark.filterwarnings("ignore::sidelight.core.errors.DisconnectedGraphWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_plain_method_on_rows_in_the_learned_metric(informed, X, new, kind):
    side, learner = KINDS[kind]
    given = fitted(informed, X, side)
    metric = learner().fit(X, side=side)
    change = given.side_report_[0].change
    if change.startswith("used by the territories") or change == NOT_WORTH_IT:
        metric = given.side_metrics_[0]  # learned from all rows, or left out since the map loses
    expected = clone(informed).fit(metric.transform(X))
    np.testing.assert_allclose(given.embedding_, expected.embedding_, atol=1e-10)
    np.testing.assert_allclose(
        given.transform(new), expected.transform(metric.transform(new)), atol=1e-10
    )
    np.testing.assert_allclose(given.transform(X), given.embedding_, atol=1e-6)
    back = given.inverse_transform(given.embedding_)
    assert np.mean((back - X) ** 2) < X.var(axis=0).mean()  # in the units of the data
    as_before = np.allclose(given.side_metrics_[0].metric_, np.eye(X.shape[1]))
    assert as_before == (change == NOT_WORTH_IT)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "entry",
    [entry for entry in MAPS if entry.place_of("Relation") == "in front"],
    ids=lambda entry: entry.name,
)
def test_a_relation_is_a_metric_in_front(entry, X, new):
    metric = EquivalenceMetric().fit(X, side=ACROSS)
    assert metric.strength_ > 0
    given = cheap(entry).fit(X, side=ACROSS)
    if given.side_report_[0].change == NOT_WORTH_IT:  # its map shows it without
        metric = given.side_metrics_[0]
    expected = cheap(entry).fit(metric.transform(X))
    np.testing.assert_allclose(given.embedding_, expected.embedding_, atol=1e-10)
    np.testing.assert_allclose(
        given.transform(new), expected.transform(metric.transform(new)), atol=1e-10
    )
    (report,) = given.side_report_
    assert (report.kind, report.place) == ("Relation", "in front")
    assert report.change == metric.report_
    shuffled = np.random.default_rng(3).permutation(90)
    wrong = Relation(ACROSS.similarity[np.ix_(shuffled, shuffled)], ACROSS.index)
    deaf = cheap(entry).fit(X, side=wrong)
    np.testing.assert_array_equal(deaf.embedding_, fitted(cheap(entry), X).embedding_)
    assert deaf.side_report_[0].change.startswith("not used")


@pytest.mark.parametrize("name", ["PCA", "Isomap", "KernelInformationEmbedding", "GPLVM"])
def test_several_relations_are_one_metric_in_front(name, X, new):
    shuffled = np.random.default_rng(3).permutation(90)
    wrong = Relation(ACROSS.similarity[np.ix_(shuffled, shuffled)], ACROSS.index)
    metric = MultiAttributeMetric().fit(X, side=[ACROSS, wrong])
    assert metric.strength_[0] > 0 == metric.strength_[1]
    given = getattr(sidelight, name)().fit(X, side=[ACROSS, wrong])
    expected = getattr(sidelight, name)().fit(metric.transform(X))
    np.testing.assert_allclose(given.embedding_, expected.embedding_, atol=1e-10)
    (report,) = given.side_report_
    assert (report.kind, report.place, report.change) == ("Relation", "in front", metric.report_)
    deaf = getattr(sidelight, name)().fit(X, side=[wrong, wrong])
    np.testing.assert_array_equal(deaf.embedding_, getattr(sidelight, name)().fit(X).embedding_)


def test_two_kinds_at_once(informed, X):
    given = informed.fit(X, side=[DISTANCES, PAIRS])
    assert [type(m).__name__ for m in given.side_metrics_] == [
        "EquivalenceMetric",
        "DistanceMetric",
    ]


def test_what_is_not_understood_is_refused_with_who_does(estimator, X):
    name = type(estimator).__name__
    if "Actions" not in estimator._understands:
        with pytest.raises(ValueError, match=f"{name}.*Actions"):
            estimator.fit(X, side=Actions(["left"] * (len(X) - 1)))
    if "Pairs" not in estimator._understands:
        with pytest.raises(ValueError, match=f"{name}.*Pairs.*Isomap"):
            estimator.fit(X, side=PAIRS)
    assert not hasattr(estimator, "embedding_")


def test_a_learned_metric_needs_feature_vectors(informed, X):
    from scipy.spatial.distance import cdist

    if "metric" not in informed.get_params():
        return
    if "Pairs" in entry_of(type(informed)).in_graph:
        told = informed.set_params(metric="precomputed").fit(cdist(X, X), side=PAIRS)
        assert told.side_report_[0].place == "in the graph"
        return
    with pytest.raises(ValueError, match="metric must be 'euclidean'.*'precomputed'"):
        informed.set_params(metric="precomputed").fit(cdist(X, X), side=PAIRS)


def test_rows_that_are_not_there(informed, X):
    with pytest.raises(ValueError, match="160"):
        informed.fit(X, side=Pairs(similar=[(0, 160)]))
    assert not hasattr(informed, "embedding_")


@pytest.fixture(params=ANCHORED, ids=lambda entry: entry.name)
def anchored(request):
    """Every estimator that listens to anchors."""
    return cheap(request.param)


def begun_at(anchored, plain):
    """An estimator that begins at a plain map, or finds it again by itself, among many optima."""
    again = clone(anchored)
    # one begins small wherever it begins, and the others make the plain map first
    itself = isinstance(again, (NeighborEmbedding, GPLVM, KernelInformationEmbedding))
    return again if itself else again.set_params(init=plain.embedding_)


class TestAnchors:
    INDEX = np.array([3, 50, 90, 120, 150])
    #: In some coordinates, far from the origin and in an unusual unit.
    POSITIONS = 40.0 + 7.0 * np.array([[0, 0], [2, 1], [1, 3], [-2, 2], [0.5, -1.5]])

    def test_anchored_rows_are_exactly_where_they_go(self, anchored, X, new):
        model = anchored.fit(X, side=Anchors(self.INDEX, self.POSITIONS))
        np.testing.assert_array_equal(model.embedding_[self.INDEX], self.POSITIONS)
        np.testing.assert_array_equal(model.transform(X[self.INDEX]), self.POSITIONS)
        # new rows are placed in the same coordinates, near the rows that they are like
        away = np.linalg.norm(model.transform(new) - model.embedding_[: len(new)], axis=1)
        assert np.median(away) < 0.3 * model.embedding_.std()

    def test_anchors_in_other_coordinates_are_the_same_anchors(self, anchored, X):
        turn = np.array([[0.6, 0.8], [0.8, -0.6]])  # a reflection, too
        here = clone(anchored).fit(X, side=Anchors(self.INDEX, self.POSITIONS))
        there = clone(anchored).fit(X, side=Anchors(self.INDEX, 0.01 * self.POSITIONS @ turn - 9.0))
        # so many steps of a descent in float32 are no optimum: it keeps what was rounded elsewhere
        wide = 100 if isinstance(anchored, NeighborEmbedding) else 1
        assert there.objective_ == pytest.approx(here.objective_, rel=wide * 1e-6)
        moved = 0.01 * here.embedding_ @ turn - 9.0
        np.testing.assert_allclose(there.embedding_, moved, atol=wide**0.5 * 1e-3 * moved.std())

    def test_the_places_of_a_plain_map_give_that_map(self, anchored, X):
        plain = fitted(anchored, X)
        nearby = begun_at(anchored, plain)
        given = nearby.fit(X, side=Anchors(self.INDEX, plain.embedding_[self.INDEX]))
        assert given.objective_ == pytest.approx(plain.objective_, rel=1e-6)
        np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=0.01)

    @pytest.mark.parametrize("n_anchors", [1, 2])
    def test_one_or_two_only_move_a_plain_map(self, anchored, X, n_anchors):
        plain = fitted(anchored, X)
        side = Anchors(self.INDEX[:n_anchors], self.POSITIONS[:n_anchors])
        given = begun_at(anchored, plain).fit(X, side=side)
        assert given.objective_ == pytest.approx(plain.objective_, rel=1e-6)
        assert procrustes(given.embedding_, plain.embedding_).residual < 1e-3

    def test_copies_go_with_their_row(self, anchored, X):
        twice = np.vstack([X, X[[3, 50]]])
        model = clone(anchored).fit(twice, side=Anchors(self.INDEX, self.POSITIONS))
        np.testing.assert_array_equal(model.embedding_[[160, 161]], self.POSITIONS[:2])
        torn = Anchors([3, 90, 160], self.POSITIONS[:3])
        with pytest.raises(ValueError, match="rows 3, 160 to different places, .* copies"):
            anchored.fit(twice, side=torn)
        assert not hasattr(anchored, "embedding_")

    @pytest.mark.parametrize(
        ("index", "positions", "match"),
        [
            ([0, 160], [[0.0, 0.0], [1.0, 0.0]], "160"),
            ([0, -1], [[0.0, 0.0], [1.0, 0.0]], "-1"),
            ([0], [[0.0, 0.0, 1.0]], "n_components=2 columns. Got 3"),
            (np.arange(160), np.zeros((160, 2)), "all 160 rows to one place"),
        ],
    )
    def test_what_no_map_can_do_is_refused(self, anchored, X, index, positions, match):
        with pytest.raises(ValueError, match=match):
            anchored.fit(X, side=Anchors(index, positions))
        assert not hasattr(anchored, "embedding_")

    def test_a_file_holds_an_anchored_map(self, anchored, X, new, tmp_path):
        model = anchored.fit(X, side=Anchors(self.INDEX, self.POSITIONS))
        loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
        np.testing.assert_array_equal(loaded.transform(new), model.transform(new))


@pytest.fixture(params=BROUGHT, ids=lambda entry: entry.name)
def brought(request):
    """Every estimator whose finished map is brought to anchors."""
    return cheap(request.param)


TURN = np.array([[0.6, 0.8], [0.8, -0.6]])  # and mirrored


def elsewhere(Z):
    """A map in other coordinates and another unit."""
    return 3.0 * Z @ TURN + [5.0, -7.0]


def bent(Z):
    """A map that is no similarity of another, and does not fold."""
    return elsewhere(Z + 0.15 * Z.std() * np.sin(1.5 * Z[:, ::-1] / Z.std()))


class TestAnchorsBehind:
    INDEX = np.arange(0, 160, 16)

    def test_the_places_of_a_map_elsewhere_give_that_map_of_all_rows(self, brought, X, new):
        plain = fitted(brought, X)
        given = brought.fit(X, side=Anchors(self.INDEX, elsewhere(plain.embedding_)[self.INDEX]))
        scale = plain.embedding_.std()
        np.testing.assert_allclose(
            given.embedding_, elsewhere(plain.embedding_), atol=1e-9 * scale, rtol=1e-10
        )
        np.testing.assert_allclose(
            given.transform(new), elsewhere(plain.transform(new)), atol=1e-9 * scale, rtol=1e-10
        )
        np.testing.assert_allclose(
            given.inverse_transform(elsewhere(plain.embedding_[:9])),
            plain.inverse_transform(plain.embedding_[:9]),
            atol=1e-6,
        )
        (report,) = given.side_report_
        assert (report.kind, report.place) == ("Anchors", "behind")

    def test_anchors_are_met_and_all_rows_come_nearer(self, brought, X, new):
        plain = fitted(brought, X)
        wanted = bent(plain.embedding_)
        given = clone(brought).fit(X, side=Anchors(self.INDEX, wanted[self.INDEX]))
        scale, others = wanted.std(), np.setdiff1d(np.arange(160), self.INDEX)
        np.testing.assert_allclose(
            given.embedding_[self.INDEX], wanted[self.INDEX], atol=1e-9 * scale
        )
        turned = procrustes(plain.embedding_[self.INDEX], wanted[self.INDEX])
        similar = turned.scale * plain.embedding_ @ turned.rotation + turned.translation
        assert np.mean((given.embedding_ - wanted)[others] ** 2) < 0.8 * np.mean(
            (similar - wanted)[others] ** 2
        )
        assert "bent over" in given.side_report_[0].change
        # new rows go the same way, training rows are where they are, and the way back is the same
        np.testing.assert_allclose(
            given.transform(X), given._behind(plain.transform(X)), atol=1e-9 * scale
        )
        np.testing.assert_allclose(given.transform(X), given.embedding_, atol=1e-5 * scale)
        np.testing.assert_allclose(
            given.transform(new), given._behind(plain.transform(new)), atol=1e-9 * scale
        )
        np.testing.assert_allclose(
            given._behind.undo(given.embedding_), plain.embedding_, atol=1e-8 * scale
        )
        np.testing.assert_allclose(
            given.inverse_transform(given.embedding_[:9]),
            plain.inverse_transform(plain.embedding_[:9]),
            atol=1e-5,
        )
        # what the method says is of its own map
        if hasattr(plain, "kernel") and callable(plain.kernel):
            np.testing.assert_array_equal(given.kernel(), plain.kernel())
        for fact in ("eigenvalues_", "objective_"):
            if hasattr(plain, fact):
                np.testing.assert_array_equal(getattr(given, fact), getattr(plain, fact))

    @pytest.mark.parametrize("n_anchors", [1, 2])
    def test_one_moves_a_map_and_two_turn_and_scale_it(self, brought, X, n_anchors):
        plain = fitted(brought, X).embedding_
        index, goal = self.INDEX[:n_anchors], np.array([[5.0, 5.0], [8.0, 1.0]])[:n_anchors]
        Z = brought.fit(X, side=Anchors(index, goal)).embedding_
        np.testing.assert_allclose(Z[index], goal, atol=1e-9)
        found = procrustes(plain, Z)
        assert found.residual < 1e-9
        if n_anchors == 1:
            np.testing.assert_allclose(Z - Z[index], plain - plain[index], atol=1e-9)
        assert np.linalg.det(found.rotation) > 0  # nothing asks for a mirror

    def test_shuffled_anchors_are_met_and_the_others_stay(self, brought, X):
        plain = fitted(brought, X).embedding_
        index = np.arange(0, 160, 20)
        goal = plain[np.random.default_rng(5).permutation(index)]
        with pytest.warns(UserWarning, match="as well in any other order"):
            model = brought.fit(X, side=Anchors(index, goal))
        np.testing.assert_allclose(model.embedding_[index], goal, atol=1e-9)
        away = np.linalg.norm(plain[:, None] - plain[index], axis=2).min(axis=1)
        others = away > 1e-12 * np.abs(plain).max()  # what is in the same place goes along
        assert procrustes(model.embedding_[others], plain[others]).residual < 1e-9
        back = model._behind.undo(model.embedding_)
        np.testing.assert_allclose(back, plain, atol=1e-9 * np.abs(plain).max())

    def test_copies_go_with_their_row(self, brought, X):
        twice = np.vstack([X, X[[16, 32]]])
        plain = clone(brought).fit(twice).embedding_
        goal = bent(plain)[self.INDEX]
        model = clone(brought).fit(twice, side=Anchors(self.INDEX, goal))
        np.testing.assert_allclose(model.embedding_[[160, 161]], goal[1:3], atol=1e-9)
        with pytest.raises(ValueError, match="rows 16, 160 to different places, .* copies"):
            brought.fit(twice, side=Anchors([16, 90, 160], goal[:3]))
        assert not hasattr(brought, "embedding_")

    @pytest.mark.parametrize(
        ("index", "positions", "match"),
        [
            ([0, 160], [[0.0, 0.0], [1.0, 0.0]], "160"),
            ([0, -1], [[0.0, 0.0], [1.0, 0.0]], "-1"),
            ([0], [[0.0, 0.0, 1.0]], "columns.* Got 3"),
            (np.arange(160), np.zeros((160, 2)), "all 160 rows to one place"),
        ],
    )
    def test_what_no_map_can_do_is_refused(self, brought, X, index, positions, match):
        with pytest.raises(ValueError, match=match):
            brought.fit(X, side=Anchors(index, positions))
        assert not hasattr(brought, "embedding_")

    def test_a_file_holds_a_map_that_was_brought(self, brought, X, new, tmp_path):
        plain = fitted(brought, X)
        model = brought.fit(X, side=Anchors(self.INDEX, bent(plain.embedding_)[self.INDEX]))
        loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
        np.testing.assert_array_equal(loaded.embedding_, model.embedding_)
        np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
        Z = model.embedding_[:5]
        np.testing.assert_array_equal(loaded.inverse_transform(Z), model.inverse_transform(Z))
        assert loaded.side_report_ == model.side_report_

    def test_a_refit_forgets_where_the_map_was_brought(self, brought, X, new):
        fresh = fitted(brought, X)
        goal = elsewhere(fresh.embedding_)[self.INDEX]
        again = brought.fit(X, side=Anchors(self.INDEX, goal)).fit(X)
        np.testing.assert_array_equal(again.embedding_, fresh.embedding_)
        np.testing.assert_array_equal(again.transform(new), fresh.transform(new))
        assert again.side_report_ == ()

    def test_with_what_acts_in_front(self, brought, X):
        if "Pairs" not in brought._understands:
            return
        informed = fitted(brought, X, HALVES).embedding_
        side = [HALVES, Anchors(self.INDEX, elsewhere(informed)[self.INDEX])]
        both = brought.fit(X, side=side)
        np.testing.assert_allclose(both.embedding_, elsewhere(informed), rtol=1e-9, atol=1e-9)
        assert {heard.place for heard in both.side_report_} >= {"behind"}


@pytest.mark.parametrize("entry", MAPS, ids=lambda entry: entry.name)
def test_near_another_map_every_map_is_turned_and_scaled_and_not_bent(entry, X, new):
    plain = fitted(cheap(entry), X)
    rows = np.arange(0, 160, 3)
    goal = elsewhere(plain.embedding_)[rows] + np.random.default_rng(6).standard_normal((54, 2))
    previous = np.full((160, 2), np.nan)
    previous[rows] = goal
    given = cheap(entry).fit(X, side=Anchors.near(previous))
    found = procrustes(plain.embedding_[rows], goal)
    expected = found.scale * plain.embedding_ @ found.rotation + found.translation
    np.testing.assert_allclose(given.embedding_, expected, atol=1e-9 * expected.std())
    moved = found.scale * plain.transform(new) @ found.rotation + found.translation
    np.testing.assert_allclose(given.transform(new), moved, atol=1e-9 * expected.std())
    (report,) = given.side_report_
    assert report.place == "behind"
    size = np.sqrt(np.sum(goal.var(axis=0)))
    away = np.sqrt(np.mean(np.sum((expected[rows] - goal) ** 2, axis=1))) / size
    assert report.change == f"turned and scaled, and then off by {away:.3g} of their extent"


REMOVING = [e for e in MAPS if "Condition" in e.understands and "Condition" not in e.inside]


@pytest.fixture(params=REMOVING, ids=lambda entry: entry.name)
def removing(request):
    """Every estimator that takes a known factor out in front."""
    model = cheap(request.param)
    return model.set_params(side_as="metric") if "side_as" in model.get_params() else model


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestConditionInFront:
    BATCH = np.random.default_rng(1).integers(2, size=160)
    NAMED = Condition(np.where(BATCH, "b", "a"))
    DOSE = Condition(np.random.default_rng(2).random(160))

    @pytest.fixture
    def shifted(self, X):
        return X + self.BATCH[:, None] * [1.0, -2.0, 0.5, 0.0, 1.0]

    def test_it_is_the_plain_method_on_rows_without_the_factor(self, removing, shifted):
        removal = FactorRemoval().fit(shifted, side=self.NAMED)
        assert removal.removed_
        clean = removal.transform(shifted, condition=self.NAMED)
        expected = clone(removing).fit(clean)
        given = fitted(removing, shifted, self.NAMED)
        np.testing.assert_allclose(given.embedding_, expected.embedding_, atol=1e-10)
        some = Condition(self.NAMED.values[:9])
        new = shifted[:9] + 0.01
        np.testing.assert_allclose(
            given.transform(new, condition=some),
            expected.transform(removal.transform(new, condition=some)),
            atol=1e-10,
        )
        (report,) = given.side_report_
        assert (report.kind, report.place) == ("Condition", "in front")
        assert report.change == removal.report_
        assert given.side_metrics_ == []
        # the way back leads to rows as they came, at the mean of the factor where it has one
        back = given.inverse_transform(given.embedding_)
        assert np.mean((back - shifted) ** 2) < 1.2 * shifted.var(axis=0).mean()

    def test_a_factor_that_says_nothing_is_the_plain_method_to_the_bit(self, removing, X, new):
        plain = fitted(removing, X)
        given = clone(removing).fit(X, side=self.NAMED)
        np.testing.assert_array_equal(given.embedding_, plain.embedding_)
        np.testing.assert_array_equal(given.transform(new), plain.transform(new))
        assert given.side_report_[0].change.startswith("not taken out")

    def test_new_rows_need_their_values(self, removing, shifted, X):
        name = type(removing).__name__
        given = fitted(removing, shifted, self.NAMED)
        with pytest.raises(ValueError, match=f"{name} cannot place.*condition=Condition"):
            given.transform(shifted[:3])
        with pytest.raises(ValueError, match=f"{name} was fitted without a Condition"):
            fitted(removing, X).transform(X[:3], condition=Condition(["a"] * 3))

    def test_with_others_it_comes_first(self, removing, shifted):
        side = [DISTANCES, HALVES, self.DOSE, self.NAMED]
        given = removing.fit(shifted, side=side)
        assert {heard.kind for heard in given.side_report_} == {"Condition", "Pairs", "Distances"}
        kinds = [type(learned).__name__ for learned in given._front]
        metrics = ["EquivalenceMetric", "DistanceMetric"]
        inside = "Pairs" in entry_for(type(removing).__name__).inside and "side_as" not in vars(
            removing
        )
        assert kinds == ["FactorRemoval", *([] if inside else metrics)]

    def test_a_file_holds_what_is_taken_out(self, removing, shifted, tmp_path):
        model = fitted(removing, shifted, self.NAMED)
        loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
        some = Condition(self.NAMED.values[:5])
        np.testing.assert_array_equal(
            loaded.transform(shifted[:5], condition=some),
            model.transform(shifted[:5], condition=some),
        )
        assert loaded.side_report_ == model.side_report_


def test_the_report_says_where_pairs_act_and_what_they_changed(informed, X):
    used = fitted(informed, X, HALVES).side_report_[0]
    assert (used.kind, used.place) == ("Pairs", "in front")
    assert used.change.startswith(("used at the strength", "used by the territories"))
    few = clone(informed).fit(X, side=PAIRS)
    assert few.side_report_[0].change.startswith("not used")
    np.testing.assert_array_equal(few.embedding_, fitted(informed, X).embedding_)
    assert fitted(informed, X).side_report_ == ()


def test_sparse_rows_are_heard_as_dense_ones_are(informed, X, new):
    import scipy.sparse as sp

    if not informed._takes_sparse:
        return
    few = X[:60]
    side = Pairs(similar=[(0, 5), (3, 40)], dissimilar=[(1, 50)])
    dense = clone(informed).fit(few, side=side)
    sparse = clone(informed).fit(sp.csr_array(few), side=side)
    scale = np.abs(dense.embedding_).max()
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-6 * scale)
    places = dense.transform(new)
    np.testing.assert_allclose(dense.transform(sp.csr_array(new)), places, atol=1e-6 * scale)
    np.testing.assert_allclose(sparse.transform(sp.csr_array(new)), places, atol=1e-6 * scale)


def test_what_no_metric_can_be_learned_from_is_refused_in_the_name_of_the_estimator(informed):
    if "Distances" not in type(informed)()._understands:
        return
    same = np.vstack([np.zeros((5, 3)), np.eye(3), 2 * np.eye(3)])
    with pytest.raises(ValueError, match=f"{type(informed).__name__} cannot learn .* Distances"):
        informed.fit(same, side=Distances([(0, 1), (2, 3)], [1.0, 2.0]))
