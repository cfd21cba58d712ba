"""Rows that follow one another: in every method that listens, heard where the data show it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

import sidelight
from sidelight import Isomap, LaplacianEigenmaps, LocallyLinearEmbedding
from sidelight.registry import MAPS
from sidelight.side import Actions, Condition, Pairs, Sequence

LISTEN = [entry for entry in MAPS if "Sequence" in entry.understands]
#: Whose maps come out with less error; the mixtures of LLE are no better by noisier neighbours.
GAIN = [entry for entry in LISTEN if entry.name != "LocallyLinearEmbedding"]
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
    return request.param.load()()


def test_enough_methods_listen():
    assert {"Isomap", "LocallyLinearEmbedding", "LaplacianEigenmaps", "NeighborEmbedding"} <= {
        entry.name for entry in LISTEN
    }
    assert {"KernelInformationEmbedding", "GPLVM", "UnsupervisedKernelRegression"} <= {
        entry.name for entry in LISTEN
    }


@pytest.mark.parametrize("entry", GAIN, ids=lambda entry: entry.name)
def test_rows_in_order_are_placed_with_less_error(entry):
    gains = []
    for seed in range(700, 703):
        X, t = motion(seed)
        plain, told = (entry.load()().fit(X, side=side) for side in (None, Sequence()))
        gains.append(1 - error(told.embedding_, t) / error(plain.embedding_, t))
        (heard,) = told.side_report_
        assert heard.place in ("inside", "in the graph")
        assert heard.change.startswith("119 adjacent pairs, at ")
    assert np.mean(gains) > 0.02, np.round(gains, 3)


def test_a_shuffled_order_is_not_used_to_the_bit(model):
    X, _ = motion(710)
    order = np.random.default_rng(0).random(len(X))
    plain = type(model)().fit(X)
    told = model.fit(X, side=Sequence(order=order))
    np.testing.assert_array_equal(told.embedding_, plain.embedding_)
    assert told.side_report_[0].change.startswith("not used: adjacent rows are no nearer")


def test_the_order_of_the_rows_does_not_matter_but_that_of_the_sequence(model):
    X, t = motion(711)
    mixed = np.random.default_rng(1).permutation(len(X))
    here = type(model)().fit(X, side=Sequence())
    there = model.fit(X[mixed], side=Sequence(order=t[mixed]))
    assert there.side_report_ == here.side_report_
    tolerance = 0.05 if "Neighbor" in type(model).__name__ else 1e-3
    gone = error(there.embedding_[np.argsort(mixed)], t) / error(here.embedding_, t)
    assert gone == pytest.approx(1, abs=max(tolerance, 0.05))


def test_episodes_are_not_joined(model):
    X, _ = motion(712, n=60)
    one = type(model)().fit(X, side=Sequence(episodes=np.arange(60) // 20))
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


def test_what_does_not_go_together():
    X, _ = motion(723, n=60)
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
