"""The learned distance as side information: every method by distances takes it."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

import sidelight
from sidelight import Isomap, LocallyLinearEmbedding, NeighborEmbedding
from sidelight.estimator.points import Invariant
from sidelight.estimator.points import invariant as members
from sidelight.registry import MAPS
from sidelight.side import Invariance
from sidelight.transforms import Shift

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import GatedBoltzmannMachine
from tests.gated.turning import N, turned, turning_machine

LISTENING = [entry for entry in MAPS if "Invariance" in entry.understands]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def families(n_each, seed, n_families=6):
    """Shares in [0, 1] of some rows, each turned by a place or not, a little noise."""
    kinds = np.random.default_rng(5).random((n_families, N)) ** 2
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(n_families), n_each)
    rows = np.array([np.roll(kinds[f], rng.integers(-1, 2)) for f in family])
    return np.clip(rows + 0.05 * rng.standard_normal(rows.shape), 0, 1), family


@pytest.fixture(scope="module")
def machine():
    return turning_machine()


@pytest.fixture(scope="module")
def X():
    return families(8, 0)[0]


@pytest.fixture(scope="module")
def new():
    return families(2, 1)[0]


def table(machine, left, right=None):
    """The definition: the mean of both ways, nothing between equal rows."""
    other = left if right is None else right
    D = np.empty((len(left), len(other)))
    for i, x in enumerate(left):
        for j, y in enumerate(other):
            there, back = (
                np.linalg.norm(b - machine.apply(machine.infer([a], [b]), [a])[0])
                for a, b in ((x, y), (y, x))
            )
            D[i, j] = 0.0 if np.array_equal(x, y) else (there + back) / 2
    return D


def test_the_measure_is_the_mean_of_both_ways(machine, X, new):
    points = Invariant.of(X[:12], Invariance(machine).measure(), who="Isomap")
    np.testing.assert_allclose(points.table(), table(machine, X[:12]), atol=1e-5)
    assert np.array_equal(points.table(), points.table().T)
    seen = points.of_new(new[:5], points.distinct())
    np.testing.assert_allclose(points.table(seen), table(machine, new[:5], X[:12]), atol=1e-5)


@pytest.mark.parametrize("how", ["mean", "likeliest"])
def test_how_it_is_inferred_can_be_said(machine, X, new, how, tmp_path):
    """As in the text: the likeliest mapping units, and the likeliest outputs."""
    side = Invariance(machine, distance=how)
    assert repr(side) == f"Invariance(GatedBoltzmannMachine, distance={how!r})"
    points = Invariant.of(X[:12], side.measure(), who="Isomap")
    D = machine.distances(X[:12], symmetric=True, kind=how)
    np.fill_diagonal(D, 0.0)
    np.testing.assert_allclose(points.table(), D, atol=1e-5)
    plain = Invariant.of(X[:12], Invariance(machine).measure(), who="Isomap").table()
    assert np.allclose(plain, D, atol=1e-5) == (how == "mean")
    model = Isomap(n_neighbors=6).fit(X, side=side)
    same = sidelight.load(sidelight.save(model, tmp_path / "model.sidelight"))
    np.testing.assert_array_equal(same.transform(new), model.transform(new))


@pytest.mark.parametrize("more", [{}, {"n_factors": 8}, {"premapping": 5}])
def test_listed_pairs_are_entries_of_the_table(more):
    X, Y, _ = turned(300, 0)
    model = GatedBoltzmannMachine(4, max_iter=20, **more).fit(X, Y)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 20, 50), rng.integers(0, 30, 50)
    for kind in ("mean", "likeliest"):
        for symmetric in (False, True):
            given = {"kind": kind, "symmetric": symmetric}
            D = model.distances(X[:20], Y[:30], **given)
            d = model.distances(X[:20], Y[:30], pairs=(i, j), **given)
            np.testing.assert_allclose(d, D[i, j], atol=1e-5)


@pytest.mark.parametrize("entry", LISTENING, ids=lambda entry: entry.name)
def test_every_method_by_distances_takes_it(entry, machine, X, new, tmp_path):
    more = {"init": "spectral"} if entry.name == "NeighborEmbedding" else {}
    model = entry.load()(**more).fit(X, side=Invariance(machine))
    (report,) = model.side_report_
    assert (report.kind, report.place) == ("Invariance", "in the distances")
    assert "forgives what GatedBoltzmannMachine has learned" in report.change
    D = Invariant.of(X, Invariance(machine).measure(), who="").table()
    if entry.name == "HybridEmbedding":  # which forgives in the distances it keeps alone
        same = entry.load()(distance_metric="precomputed").fit(X, distances=D)
        np.testing.assert_allclose(model.embedding_, same.embedding_, atol=1e-8)
    elif entry.name != "MaximumEntropyUnfolding":  # which counts the features
        same = entry.load()(metric="precomputed", **more).fit(D)
        np.testing.assert_allclose(model.embedding_, same.embedding_, atol=1e-8)
    unit = model.embedding_.std()
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9 * unit)
    places = model.transform(new)
    np.testing.assert_allclose(model.transform(new[3:4])[0], places[3], atol=1e-3 * unit)
    loaded = sidelight.load(sidelight.save(model, tmp_path / "model.sidelight"))
    np.testing.assert_array_equal(loaded.transform(new), places)


def test_families_come_together_in_the_map(machine):
    """The same rows without it fall apart into their turns."""
    X, family = families(30, 3)

    def same_nearby(Z):
        D = np.linalg.norm(Z[:, None] - Z[None], axis=2)
        np.fill_diagonal(D, np.inf)
        return (family[D.argsort(axis=1)[:, :20]] == family[:, None]).mean()

    forgiving = same_nearby(Isomap(n_neighbors=8).fit(X, side=Invariance(machine)).embedding_)
    plain = same_nearby(Isomap(n_neighbors=8).fit(X).embedding_)
    assert forgiving > 0.8
    assert forgiving > plain + 0.2


def test_a_machine_that_learned_from_pairs_of_others_is_refused(X):
    """Shuffled pairs: what it makes of a row hangs on the row no more."""
    A, B, _ = turned(1000, 0)
    model = GatedBoltzmannMachine(6, max_iter=300)
    confused = model.fit(A, B[np.random.default_rng(0).permutation(len(B))])
    with pytest.raises(ValueError, match=r"Isomap cannot compare rows .* do not agree \(corr"):
        Isomap().fit(X, side=Invariance(confused))


class TestManyRows:
    @pytest.fixture
    def many(self, machine, X, monkeypatch):
        monkeypatch.setattr(members, "WHOLE", 20)
        monkeypatch.setattr(members, "_LEAST", 40)
        return Invariant.of(X, Invariance(machine).measure(), who="Isomap")

    def test_pairs_and_blocks_are_those_of_the_table(self, many, X, machine):
        rng = np.random.default_rng(0)
        left, right = rng.integers(0, len(X), (2, 40))
        got = many.lengths(left, right), many.block(slice(3, 9), np.array([4, 7, 40]))
        assert "_all_pairs" not in vars(many)
        D = Invariance(machine).measure().table(many.frames)
        np.testing.assert_allclose(got[0], D[left, right], atol=1e-5)
        np.testing.assert_allclose(got[1], D[3:9][:, [4, 7, 40]], atol=1e-5)

    @pytest.mark.parametrize("Method", [Isomap, LocallyLinearEmbedding, NeighborEmbedding])
    def test_methods_work_from_candidates(self, X, new, many, machine, Method):
        model = Method().fit(X, side=Invariance(machine))
        assert 0.5 < model.neighbors_recall_ <= 1.0  # turns are far apart by Euclidean distance
        assert np.isfinite(model.transform(new)).all()


def test_fitting_the_machine_again_leaves_the_map_as_it_is(X, new):
    model = GatedBoltzmannMachine(6, max_iter=400).fit(*turned(300, 0)[:2])
    map_ = Isomap().fit(X, side=Invariance(model))
    before = map_.transform(new)
    model.set_params(random_state=1, max_iter=10).fit(*turned(300, 1)[:2])
    np.testing.assert_array_equal(map_.transform(new), before)


def test_it_is_named(machine):
    assert repr(Invariance(machine)) == "Invariance(GatedBoltzmannMachine)"
    assert repr(deepcopy(Invariance(machine))) == "Invariance(GatedBoltzmannMachine)"


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            (lambda m: ([m, Shift()],), "one learned model"),
            (lambda m: (m, (2, 5)), "'image_shape' argument of Invariance has no effect"),
            (
                lambda m: (m, None, "tangent"),
                "'distance' argument of Invariance must be 'auto' or 'mean' or 'likeliest' with a "
                "learned model. Got 'tangent'",
            ),
            (
                lambda m: (Shift(), None, "likeliest"),
                "must be 'auto' or 'tangent'.*Got 'likeliest'",
            ),
        ],
    )
    def test_arguments(self, machine, arguments, match):
        with pytest.raises(ValueError, match=match):
            Invariance(*arguments(machine))

    def test_what_was_not_learned_from_such_items(self, machine, X):
        with pytest.raises(ValueError, match="items of 10 columns. X has 4"):
            Isomap().fit(X[:, :4], side=Invariance(machine))
        with pytest.raises(ValueError, match="not fitted"):
            Isomap().fit(X, side=Invariance(GatedBoltzmannMachine()))
        A, B, _ = turned(50, 0)
        halves = GatedBoltzmannMachine(2, max_iter=1).fit(A, B[:, :5])
        with pytest.raises(ValueError, match="x with 10 columns and y with 5"):
            Isomap().fit(X, side=Invariance(halves))
        with pytest.raises(ValueError, match="X to hold values between 0 and 1"):
            Isomap().fit(X + 1, side=Invariance(machine))

    @pytest.mark.parametrize("pairs", [([0, 1],), ([0, 1], [0]), ([0], [48]), ([-1], [0]), 3])
    def test_pairs(self, machine, X, pairs):
        with pytest.raises(ValueError, match="'pairs' argument of GatedBoltzmannMachine.distances"):
            machine.distances(X, pairs=pairs)
