"""A finished map brought to where it is wanted: how it is bent, and when it is not."""

from __future__ import annotations

import re
import warnings
from itertools import permutations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, make_s_curve

from sidelight import (
    GPLVM,
    PCA,
    ClassicalMDS,
    Isomap,
    KernelInformationEmbedding,
    LaplacianEigenmaps,
    MultipleRelationalEmbedding,
    ProbabilisticPCA,
)
from sidelight.estimator.behind import _is_mild, as_well_in_any_order, bring
from sidelight.mapping import Pull, Similarity, Warp
from sidelight.neighbors import neighborhood_graph
from sidelight.quality import procrustes
from sidelight.side import Anchors, Relation

RNG = np.random.default_rng(0)
Z = RNG.standard_normal((200, 2)) * [2.0, 1.0]


def brought(index, positions):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bring(Z, Anchors(index, positions), who="Method")


def kinds(way):
    return [type(step).__name__ for step in way.steps]


def smooth(places):
    return places + 0.25 * np.column_stack([np.sin(places[:, 1]), np.cos(places[:, 0])])


def test_smooth_positions_are_foretold():
    index = np.arange(0, 200, 8)
    way, told = brought(index, smooth(Z)[index])
    assert kinds(way) == ["Similarity", "Warp"]
    off = np.sqrt(np.mean(np.sum((way(Z) - smooth(Z)) ** 2, axis=1)))
    turned = procrustes(Z[index], smooth(Z)[index])
    similar = turned.scale * Z @ turned.rotation + turned.translation
    assert off < 0.5 * np.sqrt(np.mean(np.sum((similar - smooth(Z)) ** 2, axis=1)))
    assert told.startswith("turned and scaled, and then off by 0.")
    assert "bent over" in told


def test_errors_of_anchors_that_foretell_no_others_bend_nothing():
    """Each is off by itself: every warp that comes near them misses those left out by more."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        points = rng.standard_normal((200, 2)) * [2.0, 1.0]
        goal = points[:40] + 0.3 * rng.standard_normal((40, 2))
        way, told = bring(points, Anchors(np.arange(40), goal), who="Method")
        assert kinds(way) == ["Similarity", "Pull"]
        assert told.endswith("; the anchored rows moved alone")


def test_a_warp_is_as_narrow_as_positions_wave():
    """Over four spreads of the map where they bend it slowly, within one where in short waves."""
    index = np.arange(0, 200, 2)
    for waves, wide in ((1.0, True), (4.0, False)):
        radii = []
        for seed in range(4):
            points = np.random.default_rng(seed).standard_normal((200, 2)) * [2.0, 1.0]
            goal = points + 0.15 / waves * np.sin(waves * points[:, ::-1])
            way, told = bring(points, Anchors(index, goal[index]), who="Method")
            assert kinds(way)[1] == "Warp"
            radii.append(float(re.search(r"bent over ([\d.]+) of the map", told)[1]))
        assert np.median(radii) > 3.5 if wide else np.median(radii) < 1.1, radii


def test_the_slope_of_the_whole_way():
    index, turn = np.arange(0, 200, 8), np.array([[0.6, 0.8], [-0.8, 0.6]])
    way, _ = brought(index, 3.0 * smooth(Z)[index] @ turn)
    h, some = 1e-6, Z[1:30]
    axes = h * np.eye(2)
    slopes = np.stack([(way(some + a) - way(some - a)) / (2 * h) for a in axes], axis=2)
    np.testing.assert_allclose(way.jacobian(some), slopes, atol=1e-6)


def test_positions_with_errors_are_met_by_a_warp_that_comes_near_and_then_alone():
    index = np.arange(0, 200, 2)
    goal = smooth(Z)[index] + 0.15 * np.random.default_rng(1).standard_normal((100, 2))
    way, told = brought(index, goal)
    assert kinds(way) == ["Similarity", "Warp", "Pull"]
    np.testing.assert_allclose(way(Z)[index], goal, atol=1e-12)
    assert "moved the rest of the way alone" in told
    others = np.arange(1, 200, 2)
    bent = way(Z)[others]
    off = np.sqrt(np.mean(np.sum((bent - smooth(Z)[others]) ** 2, axis=1)))
    assert off < 0.15 * np.sqrt(2)  # errors are not followed
    np.testing.assert_allclose(way.undo(way(Z)), Z, atol=1e-9)


@pytest.mark.parametrize("index", [[3, 4, 5], [3, 4, 5, 6]])
def test_few_anchors_that_would_fold_the_map_move_alone(index):
    goal = Z[index].copy()
    goal[0], goal[1] = 8 * goal[1] + 20.0, -9 * goal[0]
    way, _ = brought(index, goal)
    np.testing.assert_allclose(way(Z)[index], goal, atol=1e-12)
    others = np.setdiff1d(np.arange(200), index)
    assert procrustes(way(Z)[others], Z[others]).residual < 1e-9 or isinstance(way.steps[1], Warp)
    if isinstance(way.steps[1], Warp):
        slopes = way.steps[1].jacobian(way.steps[0](Z))
        assert np.linalg.det(slopes).min() > 0


def test_no_warp_that_is_used_folds_the_map():
    seen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        index = rng.choice(200, int(rng.integers(3, 30)), replace=False)
        goal = smooth(Z)[index] + 0.3 * rng.random() * rng.standard_normal((len(index), 2))
        way, _ = brought(index, goal)
        np.testing.assert_allclose(way(Z)[index], goal, atol=1e-11)
        np.testing.assert_allclose(way.undo(way(Z)), Z, atol=1e-8)
        seen.add(tuple(kinds(way)))
        for before, step in zip(way.steps, way.steps[1:], strict=False):
            if isinstance(step, Warp):
                grid = np.stack(np.meshgrid(*[np.linspace(-5, 5, 40)] * 2), axis=-1).reshape(-1, 2)
                assert np.linalg.det(step.jacobian(before(grid))).min() > 0
    assert len(seen) > 1


def test_anchors_on_a_line_and_in_one_place():
    line = np.column_stack([np.arange(5.0), 2 * np.arange(5.0)])
    way, _ = brought(np.arange(5), line)
    np.testing.assert_allclose(way(Z)[:5], line, atol=1e-11)
    assert np.linalg.det(way.steps[0].rotation) > 0
    way, _ = brought(np.arange(5), np.ones((5, 2)))
    np.testing.assert_allclose(way(Z)[:5], 1.0, atol=1e-12)
    assert way.steps[0].scale == 1.0  # one place says nothing of the unit


def test_a_map_that_says_nothing_of_the_positions_is_not_shrunk_to_a_point():
    index = np.arange(60)
    goal = Z[np.random.default_rng(3).permutation(60)]
    with pytest.warns(UserWarning, match="Method do not fit its map.*any other order"):
        way, _ = bring(Z, Anchors(index, goal), who="Method")
    assert way.steps[0].scale == pytest.approx(1.0)
    assert kinds(way) == ["Similarity", "Pull"]


def test_true_positions_with_a_few_errors_are_not_doubted():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        index = rng.choice(200, 12, replace=False)
        goal = Z[index].copy()
        goal[0] = rng.standard_normal(2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bring(Z, Anchors(index, goal), who="Method")


@pytest.mark.parametrize("method", [PCA, Isomap, LaplacianEigenmaps])
@pytest.mark.parametrize("n_anchors", [4, 10, 20])
def test_shuffled_anchors_cost_rows_that_are_not_named_next_to_nothing(method, n_anchors):
    def told(places, y, rows):
        D = cdist(places[rows], places)
        D[np.arange(len(rows)), rows] = np.inf
        near = y[np.argsort(D, axis=1)[:, :5]]
        votes = np.array([np.bincount(five, minlength=10).argmax() for five in near])
        return np.mean(votes == y[rows])

    digits, lost = load_digits(), []
    for seed in range(300, 305):
        rng = np.random.default_rng(seed)
        some = rng.choice(len(digits.data), 300, replace=False)
        X, y = digits.data[some], digits.target[some]
        plain = method().fit(X).embedding_
        index = rng.choice(300, n_anchors, replace=False)
        others = np.setdiff1d(np.arange(300), index)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            way, _ = bring(plain, Anchors(index, rng.permutation(plain[index])), who="Method")
        lost.append(told(plain, y, others) - told(way(plain), y, others))
    assert np.mean(lost) <= 0.02, np.round(lost, 3)
    assert max(lost) <= 0.06, np.round(lost, 3)


def test_places_of_an_s_curve_mend_a_map_that_is_bent():
    S, t = make_s_curve(400, noise=0.05, random_state=310)
    truth = np.column_stack([t, S[:, 1]])
    index = np.random.default_rng(310).choice(400, 50, replace=False)
    others = np.setdiff1d(np.arange(400), index)

    def off(places):
        away, spread = (places - truth)[others], (truth - truth.mean(axis=0))[others]
        return np.sqrt(np.sum(away**2) / np.sum(spread**2))

    for method in (LaplacianEigenmaps, PCA):
        near = method().fit(S, side=Anchors(index, truth[index], exact=False))
        bent = method().fit(S, side=Anchors(index, truth[index]))
        assert off(bent.embedding_) < 0.75 * off(near.embedding_)


def test_rows_in_one_place_of_the_map_go_to_the_mean_and_it_is_said():
    places = np.vstack([Z, Z[:1]])
    told = Anchors([0, 5, 200], [[0.0, 0.0], [9.0, 9.0], [1.0, 0.0]])
    with pytest.warns(UserWarning, match="lie in one place of its map.*0, 200.*the mean"):
        way, _ = bring(places, told, who="Method")
    np.testing.assert_allclose(way(places)[[0, 5]], [[0.5, 0.0], [9.0, 9.0]], atol=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_row_without_a_place_cannot_be_anchored():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.standard_normal((40, 2)), [[50.0, 50.0], [50.1, 50.0]]])
    graph = neighborhood_graph(X, n_neighbors=1)
    model = Isomap(metric="precomputed", on_disconnected="largest")
    told = Anchors([0, 41], np.eye(2))
    with pytest.raises(ValueError, match="Isomap name rows that have no place in its map: 41"):
        model.fit(graph, side=told)


def test_copies_in_a_table_of_distances():
    X = np.vstack([Z[:30], Z[:1]])
    model = ClassicalMDS(metric="precomputed")
    with pytest.raises(ValueError, match="rows 0, 30 to different places, .* copies"):
        model.fit(cdist(X, X), side=Anchors([0, 5, 30], np.arange(6.0).reshape(3, 2)))
    goal = 2 * Z[[0, 5, 9]] + 1.0
    places = model.fit(cdist(X, X), side=Anchors([0, 5, 9], goal)).embedding_
    np.testing.assert_allclose(places, 2 * X + 1.0, atol=1e-9)


def test_a_share_of_the_variance_says_how_many_columns_anchors_have():
    X = np.random.default_rng(0).standard_normal((50, 4)) * [9.0, 3.0, 0.1, 0.1]
    model = PCA(0.95).fit(X, side=Anchors([0], [[1.0, 2.0]]))
    np.testing.assert_allclose(model.embedding_[0], [1.0, 2.0])
    with pytest.raises(ValueError, match="as many columns as its map, 2. Got 1"):
        PCA(0.95).fit(X, side=Anchors([0], [[1.0]]))


def test_relations_alone_and_anchors():
    told = Relation.from_values(np.linspace(0, 1, 12))
    goal = Anchors([0, 6, 11], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], exact=True)
    model = MultipleRelationalEmbedding(2, n_restarts=1).fit(None, side=[told, goal])
    np.testing.assert_allclose(model.embedding_[goal.index], goal.positions, atol=1e-9)
    plain = MultipleRelationalEmbedding(2, n_restarts=1).fit(None, side=told)
    np.testing.assert_array_equal(model.view(0), plain.view(0))


class TestDensities:
    """What a map says of chance goes with it: p(z) dz stays."""

    X = np.random.default_rng(4).standard_normal((60, 3)) @ np.diag([3.0, 2.0, 0.3])
    INDEX = np.arange(0, 60, 6)

    def fitted(self, model):
        plain = model.fit(self.X).embedding_
        wanted = 2.0 * plain + 0.2 * plain.std() * np.sin(plain[:, ::-1] / plain.std()) + 5.0
        return model.fit(self.X, side=Anchors(self.INDEX, wanted[self.INDEX]))

    @pytest.mark.parametrize(
        "model", [ProbabilisticPCA(), KernelInformationEmbedding(), GPLVM()], ids=lambda m: type(m)
    )
    def test_a_density_still_integrates_to_one(self, model):
        model = self.fitted(model)
        middle, wide = model.embedding_.mean(axis=0), 8 * model.embedding_.std()
        axis = np.linspace(-wide, wide, 240)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2) + middle
        whole = model.density(grid).sum() * (axis[1] - axis[0]) ** 2
        assert whole == pytest.approx(1.0, abs=0.02)

    def test_how_sure_places_are(self):
        tied = {"back_constraint": "rbf"}  # its rows cannot be held
        plain, model = GPLVM(**tied).fit(self.X), self.fitted(GPLVM(**tied))
        new = self.X[:6] + 0.1
        Z, std = model.transform(new, return_std=True)
        np.testing.assert_array_equal(Z, model.transform(new))
        own, widths = plain.transform(new, return_std=True)
        assert np.all((std > 1.3 * widths) & (std < 3.0 * widths))  # about twice as large a map
        np.testing.assert_allclose(model._behind(own), Z, atol=1e-9)
        np.testing.assert_allclose(model.impute(new), plain.impute(new))

    @pytest.mark.parametrize(
        "model", [ProbabilisticPCA(), KernelInformationEmbedding(penalty="l4")]
    )
    def test_posteriors(self, model):
        own = clone(model).fit(self.X).posterior(self.X[:5])
        mean, spread = self.fitted(model).posterior(self.X[:5])
        np.testing.assert_allclose(model._behind(own[0]), mean, atol=1e-9)
        J = model._behind.jacobian(own[0])
        for i in range(5):
            covariance = own[1][i] if own[1].ndim == 3 else np.diag(own[1][i] ** 2)
            expected = J[i] @ covariance @ J[i].T
            found = spread[i] if own[1].ndim == 3 else spread[i] ** 2
            np.testing.assert_allclose(
                found, expected if own[1].ndim == 3 else np.diag(expected), rtol=1e-9
            )

    def test_what_lies_there_and_items_without_noise(self):
        plain = KernelInformationEmbedding(penalty="l4").fit(self.X)
        model = self.fitted(KernelInformationEmbedding(penalty="l4"))
        np.testing.assert_allclose(model.denoise(self.X[:5]), plain.denoise(self.X[:5]))


def test_pull_is_what_moves_one_row():
    way, _ = brought(np.arange(12), Z[np.random.default_rng(9).permutation(12)])
    pull = way.steps[-1]
    assert isinstance(pull, Pull)
    nearest = np.sort(cdist(way.steps[0](Z[:12]), way.steps[0](Z)), axis=1)[:, 1]
    np.testing.assert_allclose(pull.radii, nearest, rtol=1e-9)


class Stretched:
    """A warp that stretches everywhere as much, along one axis."""

    def __init__(self, times):
        self.times = times

    def jacobian(self, where):
        return np.broadcast_to(np.diag([self.times, 1.0]), (len(where), 2, 2))


@pytest.mark.parametrize(("times", "is_mild"), [(0.05, False), (0.2, True), (8, True), (12, False)])
def test_a_warp_that_stretches_the_map_tenfold_is_not_used(times, is_mild):
    assert _is_mild(Stretched(times), Z) is is_mild


def test_eight_anchors_are_enough_to_be_doubted_and_four_are_not():
    doubted = {4: [], 8: []}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for n, found in doubted.items():
            places, targets = rng.normal(size=(2, n, 2))
            found.append(as_well_in_any_order(places, targets))
            assert not as_well_in_any_order(places, places + 0.05 * targets)
    assert not any(doubted[4])
    assert np.mean(doubted[8]) >= 0.8


def agree_as_well(places, targets):
    """In how many of all orders of the targets a similarity explains them as well, as a share."""
    Z, P = places - places.mean(axis=0), targets - targets.mean(axis=0)
    orders = np.array(list(permutations(range(len(Z)))))
    explained = np.linalg.svd(np.einsum("id,oie->ode", Z, P[orders]), compute_uv=False).sum(axis=1)
    return np.mean(explained >= (1 - 1e-9) * explained[0])


def test_anchors_are_doubted_where_one_order_in_twenty_agrees_as_well():
    doubted = {"three of a hundred": [], "fifteen of a hundred": []}
    for seed in range(120):
        places, errors = np.random.default_rng(seed).standard_normal((2, 5, 2))
        targets = places + 0.8 * errors
        share = agree_as_well(places, targets)
        if 0.02 < share < 0.035:
            doubted["three of a hundred"].append(as_well_in_any_order(places, targets))
        elif 0.09 < share < 0.2:
            doubted["fifteen of a hundred"].append(as_well_in_any_order(places, targets))
    assert min(map(len, doubted.values())) > 10
    assert np.mean(doubted["three of a hundred"]) < 0.25
    assert np.mean(doubted["fifteen of a hundred"]) > 0.85


def test_places_that_a_fold_hides_are_refused_by_the_name_of_the_estimator(monkeypatch):
    X = np.random.default_rng(5).standard_normal((40, 3))
    model = PCA(2).fit(X, side=Anchors([0, 1, 2], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))

    def folded(self, Z):
        raise ValueError("The anchors fold the map where 1 of these places lie.")

    monkeypatch.setattr(Similarity, "undo", folded)
    with pytest.raises(ValueError, match="^PCA has no places of its own for Z. The anchors fold"):
        model.inverse_transform([[0.0, 0.0]])
