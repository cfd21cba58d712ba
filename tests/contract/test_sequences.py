"""Rows that follow one another: in every method that listens, heard where the data show it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

import sidelight
from sidelight import Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.registry import MAPS
from sidelight.side import Actions, Condition, Pairs, Relation, Sequence
from tests.fitting import cheap

LISTEN = [entry for entry in MAPS if "Sequence" in entry.understands]
#: Whose maps are no better: mixtures of noisier neighbours, springs that far rows leave slack.
NO_GAIN = {
    "LocallyLinearEmbedding",
    "AcyclicLocallyLinearEmbedding",
    "MaximumEntropyUnfolding",
}
GAIN = [entry for entry in LISTEN if entry.name not in NO_GAIN]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def motion(seed, n=120, noise=0.4):
    """A circle gone round once in six dimensions, with noise; and the angle, in rounds."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.random(n))
    plane = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    X = np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]) @ plane.T
    return X + noise * rng.standard_normal((n, 6)), t


def error(Z, t, apart=3):
    """How far off the rows are that are nearest in a map, those next in the sequence left out."""
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)
    rows = np.arange(len(Z))
    D[np.abs(rows[:, None] - rows) < apart] = np.inf
    near = np.argsort(D, axis=1)[:, :5]
    off = np.abs(t[near] - t[:, None])
    return float(np.minimum(off, 1 - off).mean())


@pytest.fixture(params=LISTEN, ids=lambda entry: entry.name)
def model(request):
    """Every estimator that listens to a Sequence."""
    return cheap(request.param)


def test_enough_methods_listen():
    assert {"Isomap", "LocallyLinearEmbedding", "LaplacianEigenmaps", "NeighborEmbedding"} <= {
        entry.name for entry in LISTEN
    }
    assert {"KernelInformationEmbedding", "GPLVM", "UnsupervisedKernelRegression"} <= {
        entry.name for entry in LISTEN
    }
    graphs = {entry.name for entry in MAPS if entry.needs_graph}
    assert graphs <= {entry.name for entry in LISTEN}
    latent = {entry.name for entry in MAPS if entry.family == "latent"}
    assert latent - {entry.name for entry in LISTEN} == {"ConditionalEmbedding"}


@pytest.mark.parametrize("entry", GAIN, ids=lambda entry: entry.name)
def test_rows_in_order_are_placed_with_less_error(entry):
    gains, n = [], 60 if entry.name == "SemidefiniteEmbedding" else 120
    for seed in range(700, 703):
        X, t = motion(seed, n=n)
        plain, told = (cheap(entry).fit(X, side=side) for side in (None, Sequence()))
        gains.append(1 - error(told.embedding_, t) / error(plain.embedding_, t))
        (heard,) = told.side_report_
        assert heard.place in ("inside", "in the graph")
        assert heard.change.startswith(f"{n - 1} adjacent pairs, at ")
    assert np.mean(gains) > 0.02, np.round(gains, 3)


def test_a_shuffled_order_is_not_used_to_the_bit(model):
    X, _ = motion(710)
    order = np.random.default_rng(0).random(len(X))
    plain = clone(model).fit(X)
    told = model.fit(X, side=Sequence(order=order))
    np.testing.assert_array_equal(told.embedding_, plain.embedding_)
    assert told.side_report_[0].change.startswith("not used: adjacent rows are no nearer")


def test_the_order_of_the_rows_does_not_matter_but_that_of_the_sequence(model):
    X, t = motion(711)
    mixed = np.random.default_rng(1).permutation(len(X))
    here = clone(model).fit(X, side=Sequence())
    there = model.fit(X[mixed], side=Sequence(order=t[mixed]))
    assert there.side_report_ == here.side_report_
    tolerance = 0.05 if "Neighbor" in type(model).__name__ else 1e-3
    gone = error(there.embedding_[np.argsort(mixed)], t) / error(here.embedding_, t)
    assert gone == pytest.approx(1, abs=max(tolerance, 0.05))


def test_episodes_are_not_joined(model, monkeypatch):
    monkeypatch.setattr("sidelight.estimator.graph_embedder.nearer_in", lambda *_: True)
    X, _ = motion(712, n=60)
    one = clone(model).fit(X, side=Sequence(episodes=np.arange(60) // 20))
    assert one.side_report_[0].change.startswith("57 adjacent pairs")
    few = model.fit(X, side=Sequence(episodes=np.maximum(np.arange(60) - 5, 0)))
    assert few.side_report_[0].change == "not used: 5 adjacent pairs of different rows are too few"


def test_training_rows_stay_and_models_are_saved(model, tmp_path):
    X, _ = motion(713, n=60)
    model.fit(X, side=Sequence())
    scale = model.embedding_.std()
    if not type(model).__name__.startswith("KernelInformation"):
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-5 * scale)
    loaded = sidelight.load(sidelight.save(model, tmp_path / "map.sidelight"))
    np.testing.assert_array_equal(loaded.transform(X[:5]), model.transform(X[:5]))


@pytest.mark.parametrize("entry", MAPS, ids=lambda entry: entry.name)
def test_others_refuse_it_and_say_who_listens(entry):
    if "Sequence" in entry.understands:
        return
    X, _ = motion(714, n=40)
    with pytest.raises(ValueError, match=f"{entry.name} does not understand Sequence.*Isomap"):
        entry.load()().fit(X, side=Sequence())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ConditionalEmbedding", "it matches rows across the values of a factor"),
        ("ActionRespectingEmbedding", "by what was done between them, Actions"),
    ],
)
def test_why_it_is_refused(name, reason):
    X, _ = motion(714, n=40)
    with pytest.raises(ValueError, match=f"{name} does not understand Sequence .*: .*{reason}"):
        getattr(sidelight, name)().fit(X, side=Sequence())


class TestAsATerm:
    """What moves points pays for adjacent ones that are far apart, beside its own objective."""

    @pytest.mark.parametrize(
        "method",
        [
            sidelight.StochasticNeighborEmbedding,
            sidelight.SammonMapping,
            sidelight.MultipleRelationalEmbedding,
        ],
    )
    def test_adjacent_rows_come_nearer_and_the_objective_pays_for_it(self, method):
        for seed in (730, 731):
            X, _ = motion(seed, n=60)
            plain, told = method(), method()
            plain.fit(X)
            told.fit(X, side=Sequence())
            moves = [
                np.mean(np.diff(m.embedding_, axis=0) ** 2) / m.embedding_.var()
                for m in (plain, told)
            ]
            assert moves[1] < 0.95 * moves[0]
            assert told.objective_ > plain.objective_

    def test_relations_of_x_alone_are_neighbour_embedding_with_the_same_term(self):
        X, _ = motion(732, n=50)
        sne = sidelight.StochasticNeighborEmbedding().fit(X, side=Sequence())
        alone = sidelight.MultipleRelationalEmbedding().fit(X, side=Sequence())
        assert alone.objective_ == pytest.approx(sne.objective_, rel=1e-5)

    @pytest.mark.parametrize("base", ["information", "spectral"])
    def test_in_every_base(self, base):
        X, _ = motion(733, n=50)
        plain, told = (
            sidelight.MultipleRelationalEmbedding(base=base).fit(X, side=side)
            for side in (None, Sequence())
        )
        moves = [
            np.mean(np.diff(m.embedding_, axis=0) ** 2) / m.embedding_.var() for m in (plain, told)
        ]
        assert moves[1] < moves[0]

    def test_copies_are_one_point_of_a_sammon_map(self):
        X, _ = motion(734, n=40)
        twice = np.repeat(X, 2, axis=0)
        model = sidelight.SammonMapping().fit(twice, side=Sequence())
        assert model.side_report_[0].change.startswith("39 adjacent pairs")
        np.testing.assert_allclose(model.embedding_[::2], model.embedding_[1::2])


class TestInTheGraph:
    def test_isomap_is_that_of_the_graph_with_the_edges(self):
        X, _ = motion(720, n=50)
        told = Isomap(n_neighbors=4).fit(X, side=Sequence())
        D = np.linalg.norm(X[:, None] - X, axis=2)
        nearest = np.argsort(D, axis=1)[:, 1:5]
        W = np.full_like(D, np.inf)
        for i, neighbors in enumerate(nearest):
            W[i, neighbors] = W[neighbors, i] = D[i, neighbors]
        for i in range(49):
            W[i, i + 1] = W[i + 1, i] = D[i, i + 1]
        np.fill_diagonal(W, 0.0)
        for k in range(50):
            W = np.minimum(W, W[:, k, None] + W[None, k])
        S = -0.5 * (W**2 - (W**2).mean(0) - (W**2).mean(1)[:, None] + (W**2).mean())
        values = np.linalg.eigvalsh(S)[::-1][:2]
        np.testing.assert_allclose(told.eigenvalues_, values, rtol=1e-8)

    @pytest.mark.parametrize("method", [Isomap, LocallyLinearEmbedding, LaplacianEigenmaps])
    def test_pieces_that_follow_one_another_hang_together(self, method):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.standard_normal((30, 3)), 40 + rng.standard_normal((30, 3))])
        with pytest.warns(sidelight.errors.DisconnectedGraphWarning):
            method(n_neighbors=5).fit(X)
        rows = np.concatenate([np.argsort(X[:30, 0]), 30 + np.argsort(X[30:, 0])])
        model = method(n_neighbors=5, on_disconnected="error")
        model.fit(X[rows], side=Sequence())
        assert model.side_report_[0].change.startswith("59 adjacent pairs")

    def test_beside_pairs(self):
        X, t = motion(721)
        told = Isomap().fit(X, side=[Sequence(), Pairs.from_labels(t > 0.5, max_pairs=40)])
        assert {heard.kind for heard in told.side_report_} == {"Sequence", "Pairs"}

    def test_a_given_graph_has_no_distances_of_adjacent_rows(self):
        import scipy.sparse as sp

        X, _ = motion(722, n=40)
        D = np.linalg.norm(X[:, None] - X, axis=2)
        graph = sp.csr_array(np.where(np.sort(D, axis=1)[:, [9]] >= D, D, 0.0))
        with pytest.raises(ValueError, match="Isomap cannot listen to a Sequence where a sparse"):
            Isomap(metric="precomputed").fit(sp.csr_array(graph.maximum(graph.T)), side=Sequence())

    @pytest.fixture
    def used(self, monkeypatch):
        """The map does not judge: the order is used."""
        monkeypatch.setattr("sidelight.estimator.graph_embedder.nearer_in", lambda *_: True)

    @pytest.mark.usefixtures("used")
    def test_springs_hold_adjacent_rows(self):
        X, _ = motion(724, n=50)
        model = sidelight.MaximumEntropyUnfolding(n_neighbors=4).fit(X, side=Sequence())
        edges = {tuple(sorted(edge)) for edge in model.edges_.tolist()}
        assert {(i, i + 1) for i in range(49)} <= edges
        with pytest.raises(ValueError, match="'edges' or a Sequence"):
            model.fit(X, side=Sequence(), edges=[(i, i + 1) for i in range(49)])

    @pytest.mark.usefixtures("used")
    def test_unfolding_keeps_adjacent_rows_as_near_as_they_are(self):
        X, _ = motion(725, n=40)
        model = sidelight.SemidefiniteEmbedding(n_neighbors=3).fit(X, side=Sequence())
        edges = {tuple(sorted(edge)) for edge in model.edges_.tolist()}
        assert {(i, i + 1) for i in range(39)} <= edges
        K = model.kernel()
        apart = np.diag(K)[:-1] + np.diag(K)[1:] - 2 * np.diag(K, 1)
        assert (apart <= np.sum(np.diff(X, axis=0) ** 2, axis=1) * (1 + 1e-3)).all()

    @pytest.mark.usefixtures("used")
    def test_the_earlier_of_two_adjacent_rows_is_a_parent_of_the_other(self):
        X, _ = motion(726, n=40)
        given = np.random.default_rng(0).permutation(40)
        model = sidelight.AcyclicLocallyLinearEmbedding(n_neighbors=3, order=given, reg=1e-3)
        model.fit(X, side=Sequence())
        P = model._map.kernel.of_points.precision.toarray()
        assert (np.abs(np.diag(P, 1)) > 1e-12).all()

    @pytest.mark.parametrize("alpha", [0.1, 0.6])
    def test_a_path_of_hybrids_hears_what_each_hears(self, alpha):
        X, _ = motion(727, n=50)
        one = sidelight.HybridEmbedding(alpha=alpha).fit(X, side=Sequence())
        (on_path,) = sidelight.HybridEmbedding().alpha_path(X, [alpha], side=Sequence())
        np.testing.assert_allclose(on_path.embedding_, one.embedding_)
        assert on_path.side_report_ == one.side_report_

    @pytest.mark.usefixtures("used")
    def test_a_fit_that_was_left_goes_on_with_the_order(self):
        """The map that only judges left its own thread, and the next fit could not go on."""
        X, _ = motion(728, n=60)
        model = sidelight.MaximumEntropyUnfolding(max_iter=3, warm_start=True)
        model.fit(X, side=Sequence())
        first = model.objective_
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, side=Sequence())
        assert model.objective_ > first


def test_what_does_not_go_together():
    X, _ = motion(723, n=60)
    alike = Relation.from_values(np.arange(60.0))
    with pytest.raises(ValueError, match="Sequence beside a Relation"):
        sidelight.MultipleRelationalEmbedding().fit(X, side=[Sequence(), alike])
    with pytest.raises(ValueError, match="Sequence beside a Relation"):
        sidelight.MultipleRelationalEmbedding().fit(side=[Sequence(), alike])
    with pytest.raises(ValueError, match="Sequence beside a Condition"):
        sidelight.KernelInformationEmbedding().fit(
            X, side=[Sequence(), Condition(np.arange(60) % 3)]
        )
    with pytest.raises(ValueError, match="does not understand Actions"):
        Isomap().fit(X, side=Actions(["on"] * 59))


@pytest.mark.parametrize("nearer", [True, False])
def test_a_sequence_is_judged_by_the_map_beside_pairs_that_are_used(nearer, monkeypatch):
    """Pairs that did the map good were taken, and the order with them whatever it did."""
    digits, rng = load_digits(), np.random.default_rng(0)
    rows = rng.choice(len(digits.data), 300, replace=False)
    rows = rows[np.argsort(digits.target[rows], kind="stable")]  # kind after kind
    X, kinds = digits.data[rows] / 16, digits.target[rows]
    named = np.where(rng.random(300) < 0.3, kinds, -1)
    pairs, order = Pairs.from_labels(named), Sequence()
    monkeypatch.setattr("sidelight.estimator.graph_embedder.nearer_in", lambda *_: nearer)
    told = Isomap().fit(X, side=[pairs, order])
    said = {heard.kind: heard.change for heard in told.side_report_}
    without = Isomap().fit(X, side=pairs)
    assert without.side_report_[0].place == "in the graph"  # pairs are used there
    assert not without.side_report_[0].change.startswith("not used")
    assert said["Sequence"].startswith("299 adjacent pairs" if nearer else "not used: adjacent")
    assert np.array_equal(told.embedding_, without.embedding_) != nearer
