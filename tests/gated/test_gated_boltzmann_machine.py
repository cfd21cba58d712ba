"""The estimator: planted truths are learned, and manners are kept."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.neural_network import BernoulliRBM
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import sidelight
from sidelight.errors import InterruptedFitWarning, MissingExtraError, NotEnoughMemoryError
from sidelight.progress import listening

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import GatedBoltzmannMachine
from sidelight.gated.boltzmann import NOTHING, Contrast, arranged, divergence, first_chains
from sidelight.gated.boltzmann.likelihood import Few, annealed, annealed_log_partition
from sidelight.gated.rows import generator_of
from tests.gated.turning import N, turned, turning_machine


@pytest.fixture(scope="module")
def learned():
    return turning_machine()


def ways(predicted, X):
    """Which of the three turns comes nearest."""
    off = [((predicted - np.roll(X, way, axis=1)) ** 2).sum(axis=1) for way in (-1, 0, 1)]
    return np.argmin(off, axis=0) - 1


def transferred(model, kind="binary", seed=1):
    """How often what is inferred from a pair does the same to another row."""
    X, Y, way = turned(400, seed, kind=kind)
    others, _, _ = turned(400, seed + 1, kind=kind)
    there = ways(model.apply(model.infer(X, Y), others), others) == way
    # rows that look alike when turned tell nothing
    return there[X.std(axis=1) > 0].mean()


def test_transformations_are_learned_and_transferred(learned):
    assert transferred(learned) > 0.97
    others = turned(400, 2)[0]
    X, Y, way = turned(400, 1)
    rng = np.random.default_rng(0)
    shuffled = learned.apply(learned.infer(X, Y[rng.permutation(len(Y))]), others)
    assert (ways(shuffled, others) == way).mean() < 0.6  # the control: pairs that are none


def test_flow_says_where_every_input_goes(learned):
    X, Y, way = turned(300, 5)
    expected = (np.arange(N) + way[:, None]) % N
    assert (learned.flow(X, Y) == expected).mean() > 0.97


@pytest.mark.parametrize("more", [{"premapping": 10}, {"premapping": (12,), "n_factors": 30}])
def test_flow_goes_through_a_linear_premapping(more):
    """Features Mᵀx connected by W are inputs connected by M W."""
    X, Y, _ = turned(2000, 0)
    model = GatedBoltzmannMachine(6, max_iter=800, **more).fit(X, Y)
    W, weights = model.basis_flow(), model._machine.weights
    assert W.shape == (6, N, N)
    made = model.filters(X[:20]) - model.filters(np.zeros((20, N)))
    np.testing.assert_allclose(made, np.einsum("ni,kij->njk", X[:20], W), atol=1e-3)
    strength = np.einsum("nk,kij->nij", model.infer(X[:20], Y[:20]), W)
    expected = (strength + weights["map 0"] @ weights["xy"]).argmax(axis=2)
    assert (model.flow(X[:20], Y[:20]) == expected).mean() > 0.99  # but for ties by rounding
    other, became, way = turned(300, 5)
    there = (np.arange(N) + way[:, None]) % N
    assert (model.flow(other, became) == there).mean() > 0.9
    network = GatedBoltzmannMachine(2, premapping=(3, 3), max_iter=1).fit(X, Y)
    for ask in (lambda: network.flow(X, Y), network.basis_flow):
        with pytest.raises(ValueError, match="features that a network makes .* premapping=n"):
            ask()


def test_the_flow_is_that_of_the_units_together(learned):
    """argmax_j Σ_k W_ijk z_k + W_ij, from what each unit does by itself."""
    X, Y, _ = turned(20, 5)
    W, z = learned.basis_flow(), learned.infer(X, Y)
    strength = np.einsum("nk,kij->nij", z, W) + learned._machine.weights["xy"]
    np.testing.assert_array_equal(learned.flow(X, Y), strength.argmax(axis=2))
    made = learned.filters(X + 0.0) - learned.filters(np.zeros_like(X))
    np.testing.assert_allclose(made, np.einsum("ni,kij->njk", X, W), atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("gaussian", {"max_iter": 400}),
        ("poisson", {"input": "gaussian", "max_iter": 400}),
        ("binary", {"n_factors": 30, "max_iter": 800}),
        ("binary", {"premapping": 10, "max_iter": 800}),
        ("binary", {"premapping": (20, 20), "max_iter": 800}),
        ("binary", {"persistent": True, "max_iter": 2000}),
        ("binary", {"n_steps": 3, "chain_ends": "sample", "max_iter": 800}),
    ],
)
def test_transformations_are_learned_by_every_kind(kind, more):
    X, Y, _ = turned(3000, 0, kind=kind)
    model = GatedBoltzmannMachine(6, output=kind, **more).fit(X, Y)
    assert transferred(model, kind) > 0.9


@pytest.mark.parametrize("premapping", [4, (5, 4)])
def test_a_premapping_is_learned_together_with_the_rest(premapping):
    X, Y, _ = turned(200, 0)
    begun, learned = (
        GatedBoltzmannMachine(3, premapping=premapping, max_iter=n).fit(X, Y)._machine.weights
        for n in (1, 100)
    )
    for name in (name for name in begun if name.startswith(("map", "shift"))):
        assert np.abs(learned[name] - begun[name]).max() > 0.05, name


@pytest.mark.parametrize("max_iter", [2000, 4000])
def test_persistent_chains_follow_the_weights_however_long_learning_takes(max_iter):
    """KL(data ‖ model) of all states, 1.39 of even odds; it rose to 4 where chains fell behind."""
    off = []
    for seed in range(4):
        V = (np.random.default_rng(seed).random((1000, 6)) < 0.5).astype(float)
        V[:, 1], V[:, 4] = V[:, 0], 1 - V[:, 2]
        states, counts = np.unique(V, axis=0, return_counts=True)
        share = counts / len(V)
        model = GatedBoltzmannMachine(6, persistent=True, max_iter=max_iter).fit(V)
        off.append(share @ (np.log(share) - model.score_samples(states)))
    # a chain that is behind for a while leaves one draw in eight at 0.2 to 0.3
    assert np.median(off) < 0.15
    assert max(off) < 0.6


def test_chains_that_stand_alone_are_as_many_as_a_batch_and_all_move_at_every_step():
    rng = np.random.default_rng(0)
    V = (rng.random((57, 6)) < 0.5).astype(float)
    model = GatedBoltzmannMachine(3, persistent=True, batch_size=20, max_iter=1).fit(V)
    chains = first_chains(model._machine, V, 20)
    assert chains.shape == (20, 6)
    contrast = Contrast(model._machine.units, 1, generator_of(rng))
    weights = {name: w.requires_grad_() for name, w in model._machine.tensors().items()}
    before, loss = chains.clone(), divergence(contrast, chains, of_rows=False).loss
    for rows in ([0, 1, 2], [3, 4]):
        loss(weights, (*arranged(model._machine, NOTHING, V[rows]), np.array(rows)))
    assert (chains != before).any(axis=1).sum() > 15


def next_or_before(n):
    """Which of four states follows: the next one, or the one before."""
    rng = np.random.default_rng(0)
    state, way = rng.integers(4, size=(n, 3)), rng.integers(2, size=(n, 1)) * 2 - 1
    X, Y = (np.eye(4)[s % 4].reshape(n, -1) for s in (state, state + way))
    return X, Y, (state, way)


def test_states_are_learned():
    X, Y, (state, way) = next_or_before(2000)
    model = GatedBoltzmannMachine(4, output="multinomial", n_states=4, max_iter=400).fit(X, Y)
    mean = model.apply(model.infer(X[:200], Y[:200]), X[200:400])
    np.testing.assert_allclose(mean.reshape(200, 3, 4).sum(axis=2), 1.0, atol=1e-5)
    found = mean.reshape(200, 3, 4).argmax(axis=2)
    assert (found == (state[200:400] + way[:200]) % 4).mean() > 0.95


def test_the_likelihood_of_pairs_is_higher_than_of_others(learned):
    X, Y, _ = turned(200, 7)
    given = learned.score_samples(X, Y)
    assert (given > learned.score_samples(X, Y[::-1])).mean() > 0.95
    # a likelihood sums to one over all outputs
    every = (np.arange(2**N)[:, None] >> np.arange(N) & 1).astype(float)
    total = np.exp(learned.score_samples(np.repeat(X[:1], 2**N, axis=0), every)).sum()
    assert total == pytest.approx(1.0, abs=1e-3)


def test_gaussian_likelihood_is_a_density_of_the_data():
    rng = np.random.default_rng(0)
    X = 5 + 3 * rng.standard_normal((500, 1))
    model = GatedBoltzmannMachine(2, output="gaussian", max_iter=100).fit(X)
    grid = np.linspace(-60, 70, 4001)
    density = np.exp(model.score_samples(grid[:, None]))
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-3)


def test_annealing_is_used_where_there_are_many_units():
    X, Y, _ = turned(500, 0)
    model = GatedBoltzmannMachine(17, max_iter=60).fit(X, Y)
    exact = model.score_samples(X[:5], Y[:5])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sidelight.gated.boltzmann.likelihood.FEW", Few(of_an_input=9))
        annealed = model.score_samples(X[:5], Y[:5])
    assert not np.array_equal(annealed, exact)
    np.testing.assert_allclose(annealed, exact, atol=0.1)


@pytest.mark.parametrize("n_outputs", [7, 21])
def test_twenty_hidden_units_of_rows_are_summed_exactly(n_outputs):
    """Σ_y e^{−F(y)} in double precision; or Σ_z, by halves of z: another order than the machine's.

    Of seven outputs the machine goes through the outputs, of 21 through the units, as many as the
    default has: it annealed.
    """
    rng = np.random.default_rng(0)
    V = (rng.random((60, n_outputs)) < 0.4).astype(float)
    model = GatedBoltzmannMachine(20, max_iter=60).fit(V)
    W, b, c = (model._machine.weights[name].astype(float) for name in ("yz", "y", "z"))

    def states(n):
        return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)

    if n_outputs == 7:
        Y = states(7)[::-1]
        log_z = logsumexp(Y @ b + np.logaddexp(0, Y @ W + c).sum(axis=1))
    else:
        z, told = states(10), np.zeros((1024, 1024))
        upper, lower = b + z @ W[:, 10:].T, z @ W[:, :10].T
        for j in range(n_outputs):
            told += np.logaddexp(0, upper[:, None, j] + lower[:, j])
        log_z = logsumexp(told + (z @ c[10:])[:, None] + z @ c[:10])
    expected = V @ b + np.logaddexp(0, V @ W + c).sum(axis=1) - log_z
    np.testing.assert_allclose(model.score_samples(V), expected, rtol=1e-4)
    np.testing.assert_array_equal(model.score_samples(V), model.score_samples(V, random_state=1))


def test_few_outputs_are_gone_through_where_units_are_many():
    """E[y | x] of the default's twenty units is that of log p(y | x), over all outputs."""
    X, Y, _ = turned(200, 0)
    model = GatedBoltzmannMachine(max_iter=60).fit(X, Y)
    every = (np.arange(2**N)[:, None] >> np.arange(N) & 1).astype(float)
    scores = model.score_samples(np.repeat(X[:2], 2**N, axis=0), np.tile(every, (2, 1)))
    p = np.exp(scores.reshape(2, -1))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-4)
    np.testing.assert_allclose(model.predict(X[:2]), p @ every, atol=1e-4)
    np.testing.assert_array_equal(model.predict(X[:2]), model.predict(X[:2], random_state=1))


def test_long_sums_say_how_far_they_are():
    X, Y, _ = turned(200, 0, kind="gaussian")
    model = GatedBoltzmannMachine(3, output="gaussian", max_iter=5).fit(X, Y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sidelight.gated.boltzmann.likelihood.FEW", Few(of_an_input=2))
        for function in (annealed, annealed_log_partition):
            patch.setattr(function, "__kwdefaults__", {"n_chains": 2, "n_steps": 2})
        for ask in (lambda: model.predict(X[:40]), lambda: model.score_samples(X[:40], Y[:40])):
            seen = []
            with listening(seen.append):
                ask()
            assert [p.done for p in seen] == [0, 16, 32]
            assert {(p.stage, p.total) for p in seen} == {("annealed importance sampling", 40)}


def test_filters_are_the_weights_of_the_machine_that_an_input_makes(learned):
    """z = σ(ŴᵀY + what does not hang on y), so that differences of log odds are Ŵ."""
    X, Y, _ = turned(3, 11)
    filters = learned.filters(X)
    for j in range(N):
        on, off = Y.copy(), Y.copy()
        on[:, j], off[:, j] = 1.0, 0.0
        odds = [np.log(z / (1 - z)) for z in (learned.infer(X, on), learned.infer(X, off))]
        np.testing.assert_allclose(odds[0] - odds[1], filters[:, j], rtol=0.02, atol=0.02)


def test_distances_forgive_what_was_learned(learned):
    X, Y, _ = turned(40, 21)
    D = learned.distances(X, Y)
    plain = np.linalg.norm(X[:, None] - Y[None], axis=2)
    turns = np.stack([np.roll(X, way, axis=1) for way in (-1, 0, 1)])

    def found(table):  # some rows are turns of one another
        return (turns[:, table.argmin(axis=0)] == Y).all(axis=2).any(axis=0).mean()

    assert found(D) > 0.9
    assert found(plain) < 0.7
    # by its definition, pair by pair
    for i, j in ((0, 0), (3, 17)):
        z = learned.infer(X[i : i + 1], Y[j : j + 1])
        gap = Y[j] - learned.apply(z, X[i : i + 1])[0]
        assert D[i, j] == pytest.approx(np.linalg.norm(gap), abs=1e-5)
        decided = learned.apply((z > 0.5) * 1.0, X[i : i + 1])[0] > 0.5
        likeliest = learned.distances(X[i : i + 1], Y[j : j + 1], kind="likeliest")
        assert likeliest[0, 0] == pytest.approx(np.linalg.norm(Y[j] - decided), abs=1e-5)
    both = learned.distances(X, Y, symmetric=True)
    np.testing.assert_allclose(both, (D + learned.distances(Y, X).T) / 2, atol=1e-6)
    alone = learned.distances(X, symmetric=True)
    np.testing.assert_allclose(alone, alone.T)


def test_gaussian_distances_are_in_the_units_of_the_data():
    X, Y, _ = turned(1000, 0, kind="gaussian")
    model = GatedBoltzmannMachine(3, output="gaussian", max_iter=60).fit(X, Y)
    z = model.infer(X[:1], Y[:1])
    gap = np.linalg.norm(Y[0] - model.apply(z, X[:1])[0])
    assert model.distances(X[:1], Y[:1])[0, 0] == pytest.approx(gap, rel=1e-5)
    large = GatedBoltzmannMachine(3, output="gaussian", max_iter=60).fit(100 * X, 100 * Y)
    np.testing.assert_allclose(
        large.distances(100 * X[:4], 100 * Y[:4]), 100 * model.distances(X[:4], Y[:4]), rtol=1e-3
    )


class TestAlone:
    """Without inputs: a restricted Boltzmann machine."""

    @pytest.fixture(scope="class")
    @staticmethod
    def rows():
        """Bars: columns of a 3 × 3 picture that are on or off, a little noise."""
        rng = np.random.default_rng(0)
        bars = np.repeat(rng.random((2000, 3)) < 0.5, 3, axis=1)
        return (bars ^ (rng.random(bars.shape) < 0.03)).astype(float)

    @pytest.fixture(scope="class")
    @staticmethod
    def model(rows):
        return GatedBoltzmannMachine(6, max_iter=700, n_steps=5, chain_ends="sample").fit(rows)

    def test_the_density_is_learned(self, model, rows):
        every = (np.arange(512)[:, None] >> np.arange(9) & 1).astype(float)
        p = np.exp(model.score_samples(every))
        assert p.sum() == pytest.approx(1.0, abs=1e-4)
        # of the true distribution: eight bars, each pixel wrong with 0.03
        wrong = every.reshape(-1, 3, 3).sum(axis=2)
        each = 0.5 * (0.03**wrong * 0.97 ** (3 - wrong) + 0.97**wrong * 0.03 ** (3 - wrong))
        truth = each.prod(axis=1)
        lost = float((truth * np.log(truth / p)).sum())
        alone = GatedBoltzmannMachine(1, max_iter=1).fit(rows).score_samples(every)
        assert lost < 0.15
        assert float((truth * (np.log(truth) - alone)).sum()) > 2.0  # pixels by themselves

    def test_samples_come_from_it(self, model):
        drawn = model.sample(n_samples=2000, n_steps=300)
        whole = np.isin(drawn.reshape(-1, 3, 3).sum(axis=2), (0, 3)).mean()
        assert whole > 0.85

    def test_hidden_units_are_those_of_scikit_learn(self, model, rows):
        other = BernoulliRBM(6)
        weights = model._machine.weights
        other.components_ = weights["yz"].T.astype(float)
        other.intercept_hidden_ = weights["z"].astype(float)
        np.testing.assert_allclose(
            model.transform(rows[:50]), other.transform(rows[:50]), atol=1e-5
        )

    def test_it_stands_in_a_pipeline(self, rows):
        line = make_pipeline(MinMaxScaler(), GatedBoltzmannMachine(3, max_iter=50))
        line.set_output(transform="pandas")
        frame = line.fit_transform(rows)
        assert list(frame.columns) == [f"gatedboltzmannmachine{k}" for k in range(3)]

    def test_persistent_chains_go_on_in_a_stream(self, rows, tmp_path):
        """From where the last batch left them, also in a file; those of a fit too."""
        model = GatedBoltzmannMachine(3, persistent=True, batch_size=50, max_iter=5)
        model.fit(rows).partial_fit([rows[:100]] * 5)
        chains = model._chains.copy()
        assert chains.shape == (50, 9)
        assert set(np.unique(chains)) == {0.0, 1.0}
        same = sidelight.load(sidelight.save(model, tmp_path / "m.sidelight"))
        np.testing.assert_array_equal(same._chains, chains)
        moved = [one.partial_fit(rows[:7])._chains for one in (model, same)]
        np.testing.assert_array_equal(*moved)
        assert (moved[0] != chains).any()
        begin = first_chains(model._machine, rows[:7], 50, chains)
        np.testing.assert_array_equal(begin, chains)
        begin += 1.0  # steps of a batch that fails must not move them
        assert chains.max() == 1.0

    def test_pairs_and_rows_are_not_mixed_up(self, model, learned, rows):
        with pytest.raises(ValueError, match="rows that stand alone.*fit\\(X, Y\\)"):
            model.infer(rows, rows)
        with pytest.raises(ValueError, match="fitted to pairs"):
            learned.score_samples(rows[:, :1])
        with pytest.raises(ValueError, match="fitted to pairs"):
            learned.transform(rows)


class TestManners:
    def test_same_state_same_weights(self):
        X, Y, _ = turned(300, 0)
        model = GatedBoltzmannMachine(3, max_iter=30, random_state=5)
        first = clone(model).fit(X, Y).infer(X, Y)
        np.testing.assert_array_equal(model.fit(X, Y).infer(X, Y), first)
        np.testing.assert_array_equal(model.fit(X, Y).infer(X, Y), first)  # refitted
        other = clone(model).set_params(random_state=6).fit(X, Y).infer(X, Y)
        assert not np.array_equal(other, first)

    def test_batches_from_a_generator(self):
        def stream(n):
            for seed in range(n):
                yield turned(100, 1000 + seed)[:2]

        model = GatedBoltzmannMachine(6).partial_fit(stream(600))
        assert model.n_iter_ == 600
        assert transferred(model) > 0.9
        for X, Y in stream(3):
            model.partial_fit(X, Y)
        assert model.n_iter_ == 603

    def test_steps_go_on_between_batches(self):
        """Single batches keep the momentum: the error falls as in one stream."""
        X, Y, _ = turned(100, 0)
        one = GatedBoltzmannMachine(4).partial_fit(iter([(X, Y)] * 101))
        many = GatedBoltzmannMachine(4)
        for _ in range(101):
            many.partial_fit(X, Y)
        assert one.history_[-1] < 0.6 * one.history_[0]
        assert many.history_[-1] < 1.3 * one.history_[-1]
        assert len(many.history_) == 101

    def test_saved_and_loaded(self, tmp_path, learned):
        file = sidelight.save(learned, tmp_path / "turns.sidelight")
        same = sidelight.load(file)
        X, Y, _ = turned(50, 3)
        np.testing.assert_array_equal(same.infer(X, Y), learned.infer(X, Y))
        np.testing.assert_array_equal(same.distances(X, Y), learned.distances(X, Y))
        went_on = [model.partial_fit(X, Y) for model in (same, sidelight.load(file))]
        np.testing.assert_array_equal(went_on[0].infer(X, Y), went_on[1].infer(X, Y))
        assert same.n_iter_ == learned.n_iter_ + 1

    @pytest.mark.parametrize("output", ["gaussian", "multinomial", "poisson"])
    def test_every_kind_of_units_is_saved(self, tmp_path, output):
        X = np.eye(5)[np.arange(50) % 5]
        model = GatedBoltzmannMachine(2, output=output, max_iter=5).fit(X)
        same = sidelight.load(sidelight.save(model, tmp_path / "m.sidelight"))
        np.testing.assert_array_equal(same.transform(X), model.transform(X))

    def test_progress_shows_life_on_the_plateau(self):
        seen = []
        X, Y, _ = turned(300, 0)
        with listening(seen.append):
            GatedBoltzmannMachine(3, max_iter=100).fit(X, Y)
        assert [p.done for p in seen] == list(range(0, 100, 25))
        assert {(p.stage, p.total) for p in seen} == {("contrastive divergence", 100)}
        assert len({p.value for p in seen}) == len(seen)

    def test_an_interrupted_fit_keeps_the_best(self):
        def stop(progress):
            if progress.done == 300:
                raise KeyboardInterrupt

        X, Y, _ = turned(1000, 0)
        with listening(stop), pytest.warns(InterruptedFitWarning, match="after 300 batches"):
            model = GatedBoltzmannMachine(6, max_iter=2000).fit(X, Y)
        assert model.n_iter_ == 300
        begun = GatedBoltzmannMachine(6, max_iter=1).fit(X, Y)
        error = [((Y - m.apply(m.infer(X, Y), X)) ** 2).sum(axis=1).mean() for m in (model, begun)]
        assert error[0] < 0.7 * error[1]

    def test_divergence_is_said_and_the_best_is_kept(self):
        X, Y, _ = turned(500, 0, kind="gaussian")
        model = GatedBoltzmannMachine(6, output="gaussian", learning_rate=30.0, max_iter=300)
        with pytest.warns(ConvergenceWarning, match="diverged after .* learning_rate=30"):
            model.fit(X, Y)
        assert np.isfinite(model.apply(model.infer(X, Y), X)).all()
        assert model.n_iter_ < 300
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            still = GatedBoltzmannMachine(2, output="gaussian", max_iter=60)
            still.fit(np.ones((20, 4)), np.ones((20, 4)))  # nothing changes: nothing diverges
            GatedBoltzmannMachine(6, output="gaussian", max_iter=100).fit(X, Y)

    def test_one_batch_is_said_of_one(self):
        X, Y, _ = turned(50, 0, kind="gaussian")
        model = GatedBoltzmannMachine(3, output="gaussian", learning_rate=1e20, max_iter=1)
        with pytest.warns(ConvergenceWarning, match="diverged after 1 batch with"):
            model.fit(X, Y)

    @pytest.mark.parametrize("where", ["X", "Y"])
    def test_missing_values_are_not_sent_to_models_that_take_no_pairs(self, where):
        X, Y, _ = turned(50, 0)
        holes = np.where(np.arange(50)[:, None] == 3, np.nan, X)
        pair = (holes, Y) if where == "X" else (X, holes)
        with pytest.raises(
            ValueError, match=f"Input {where} contains NaN.*or leave these rows out[.]$"
        ):
            GatedBoltzmannMachine(3).fit(*pair)

    @pytest.mark.parametrize("output", ["binary", "multinomial"])
    def test_divergence_of_bounded_units_is_said_and_the_best_is_kept(self, output):
        """Their errors cannot grow tenfold: nothing was said, and what had blown up was kept."""
        more = {"n_states": 4} if output == "multinomial" else {}
        X, Y, _ = turned(500, 0)
        if output == "multinomial":
            X, Y, _ = next_or_before(500)
        said, kept = 0, []
        for seed in range(6):  # steps that long are chaotic: a draw may recover by itself
            model = GatedBoltzmannMachine(
                6, output=output, learning_rate=100, max_iter=300, random_state=seed, **more
            )
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                model.fit(X, Y)
            messages = [str(one.message) for one in caught]
            if not any(re.search("diverged after .* learning_rate=100;", one) for one in messages):
                continue
            said += 1
            assert model.n_iter_ < 300
            left = ((Y - model.apply(model.infer(X, Y), X)) ** 2).sum(axis=1).mean()
            kept.append(left / model.history_[0])
            assert left < max(model.history_) > 1.1 * model.history_[0]
        assert said >= 4
        assert np.median(kept) < 1.1  # a lucky batch may make worse weights look the best
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            model.set_params(learning_rate="auto").fit(X, Y)

    @pytest.mark.parametrize("output", ["binary", "multinomial"])
    @pytest.mark.parametrize("rate", [1e4, 1e30])
    def test_weights_without_measure_are_divergence_though_errors_do_not_rise(self, output, rate):
        """Half of what they said was right: a log probability of −1e28 went by without a word."""
        more = {"n_states": 4} if output == "multinomial" else {}
        X, Y, _ = turned(200, 0)
        if output == "multinomial":
            X, Y, _ = next_or_before(200)
        for seed in range(3):
            model = GatedBoltzmannMachine(
                4, output=output, learning_rate=rate, max_iter=200, random_state=seed, **more
            )
            with pytest.warns(ConvergenceWarning, match="diverged after"):
                model.fit(X, Y)
            assert model.n_iter_ < 200
            untold = Y.shape[1] * np.log(2) if output == "binary" else len(Y[0]) / 4 * np.log(4)
            assert model.score(X, Y) > -1.1 * untold

    def test_hard_rows_after_easy_ones_are_no_divergence(self):
        """Single rows differ more than a machine that has diverged does from one that has not."""
        rows = np.zeros((200, N))
        rows[1:] = turned(199, 0)[0]
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            model = GatedBoltzmannMachine(3).partial_fit([(row[None], row[None]) for row in rows])
            for row in rows[:50]:
                model.partial_fit(row[None], row[None])
        assert model.n_iter_ == 250

    @pytest.mark.parametrize("kind", ["binary", "gaussian"])
    def test_after_divergence_a_lower_rate_goes_on_from_the_best(self, kind):
        """It went on from the moments of what had blown up."""
        pairs = [turned(100, seed, kind=kind)[:2] for seed in range(10)]
        model = GatedBoltzmannMachine(6, output=kind, learning_rate=100.0)
        with pytest.warns(ConvergenceWarning, match="diverged"):
            model.partial_fit(pairs * 20)
        kept, taken = model._moments, model.n_iter_
        assert kept.n_steps < taken < 200
        plain = GatedBoltzmannMachine(6, output=kind).partial_fit(pairs[:1])._moments
        largest = [max(v.max() for v in moments.second.values()) for moments in (kept, plain)]
        assert largest[0] < 10 * largest[1]
        model.set_params(learning_rate=0.1).partial_fit(pairs * 20)
        assert model.n_iter_ == taken + 200
        assert model.history_[-1] < 0.8 * model.history_[0]

    def test_divergence_is_seen_between_single_batches(self):
        X, Y, _ = turned(100, 0, kind="gaussian")
        model = GatedBoltzmannMachine(6, output="gaussian", learning_rate=30.0)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(20):
                model.partial_fit(X, Y)
        assert any(w.category is ConvergenceWarning for w in said)

    def test_weight_decay_shrinks(self):
        X, Y, _ = turned(500, 0)
        plain, decayed = (
            GatedBoltzmannMachine(3, max_iter=150, weight_decay=decay).fit(X, Y)
            for decay in (0.0, 5.0)
        )
        sizes = [np.linalg.norm(m._machine.weights["xyz"]) for m in (plain, decayed)]
        assert sizes[1] < 0.7 * sizes[0]


def test_the_judge_ends_what_gets_no_better():
    """Few pairs and many units are learned by heart."""
    X, Y, _ = turned(60, 0)
    model = GatedBoltzmannMachine(
        20, max_iter=1500, validation_fraction=0.3, n_iter_no_change=200, random_state=1
    ).fit(X, Y)
    assert model.n_iter_ == 25 * model.history_.argmin() + 200
    assert model.n_iter_ < 1500


class TestRefusals:
    X, Y, _ = turned(20, 0)

    @pytest.mark.parametrize(
        ("parameters", "X", "Y", "match"),
        [
            ({}, X, Y[:10], "a row for each of the 20 rows of X. Got 10"),
            ({}, X * 3, Y, "input='binary'.*X to hold values between 0 and 1.*from 0 to 3"),
            ({}, X, Y - 1, "output='binary'.*Y to hold values between 0 and 1"),
            ({}, X, np.where(Y > 0, np.nan, Y), "NaN"),
            ({}, X, Y[:, 0] + 0.5, "Y to be a table of shape \\(n_samples, n_outputs\\)"),
            ({"output": "poisson"}, X, Y + 0.5, "counts: whole numbers"),
            ({"output": "multinomial", "input": "binary"}, X, Y, "shares that sum to one"),
            ({"output": "multinomial", "n_states": 3}, X, Y, "columns in runs of 3"),
            ({"n_components": 0}, X, Y, "'n_components' parameter of GatedBoltzmannMachine"),
            ({"learning_rate": 0}, X, Y, "'learning_rate' parameter"),
            ({"nu": 2.0}, X, Y, "'nu' parameter .* has no effect with output='binary'"),
            ({"n_states": 2}, X, Y, "'n_states' parameter .* has no effect"),
            (
                {"n_factors": 3},
                X,
                None,
                "'n_factors' parameter .* has no effect on rows that stand",
            ),
            ({"persistent": True, "chain_ends": "mean"}, X, Y, "cannot go on from a mean"),
            ({"premapping": (3, 0)}, X, Y, "'premapping' parameter"),
            ({"validation_fraction": 1.0}, X, Y, "'validation_fraction' parameter"),
            ({"validation_fraction": 0.5}, X[:1], Y[:1], "leaves none to learn from"),
            ({"n_iter_no_change": 7}, X, Y, "'n_iter_no_change' parameter .* has no effect"),
        ],
    )
    def test_what_cannot_be_is_named(self, parameters, X, Y, match):
        with pytest.raises(ValueError, match=match):
            GatedBoltzmannMachine(**parameters).fit(X, Y)

    def test_new_rows_must_be_like_the_old(self, learned):
        X, Y, _ = turned(5, 0)
        with pytest.raises(ValueError, match="features"):
            learned.infer(X[:, :4], Y)
        with pytest.raises(ValueError, match="10 columns it was fitted with. Got 4"):
            learned.infer(X, Y[:, :4])
        with pytest.raises(ValueError, match="6 mapping units of each of 5 rows"):
            learned.apply(np.zeros((2, 6)), X)
        with pytest.raises(ValueError, match="'kind' argument.*Got 'best'"):
            learned.distances(X, kind="best")
        with pytest.raises(NotFittedError):
            GatedBoltzmannMachine().infer(X, Y)

    def test_rows_in_other_units_are_refused_where_nothing_is_known(self):
        """Single precision overflowed, and mapping units were no numbers."""
        X, Y, _ = turned(50, 0, kind="gaussian")
        model = GatedBoltzmannMachine(2, output="gaussian", max_iter=3).fit(X, Y)
        assert np.isfinite(model.infer(1e9 * X, 1e9 * Y)).all()
        for given, name in (((1e40 * X, Y), "X"), ((X, 1e40 * Y), "Y")):
            with pytest.raises(ValueError, match=f"cannot use {name}: an entry is .* times as far"):
                model.infer(*given)
        alone = GatedBoltzmannMachine(2, output="gaussian", max_iter=3).fit(X)
        with pytest.raises(ValueError, match="cannot use X: an entry is"):
            alone.transform(1e40 * X)

    def test_row_numbers_are_whole(self, learned):
        """Halves were rounded down, and the distance of another pair came back."""
        whole = learned.distances(self.X, pairs=([1.0, 2.0], [3.0, 4.0]))
        np.testing.assert_array_equal(whole, learned.distances(self.X, pairs=([1, 2], [3, 4])))
        assert learned.distances(self.X, pairs=([], [])).shape == (0,)
        with pytest.raises(ValueError, match="must be two arrays of row numbers"):
            learned.distances(self.X, pairs=([0.5], [1]))

    def test_streams(self):
        with pytest.raises(ValueError, match="an iterator that gives no batch"):
            GatedBoltzmannMachine().partial_fit(iter([]))
        with pytest.raises(ValueError, match="partial_fit expects batches .* tuple of 3"):
            GatedBoltzmannMachine().partial_fit(iter([(self.X, self.Y, self.Y)]))
        with pytest.raises(ValueError, match="10 columns it was fitted with. Got 3"):
            GatedBoltzmannMachine().partial_fit(iter([(self.X, self.Y), (self.X, self.Y[:, :3])]))
        with pytest.raises(TypeError, match="Batches from an iterator go to partial_fit"):
            GatedBoltzmannMachine().fit(iter([(self.X, self.Y)]))

    @pytest.mark.parametrize("name", ["n_samples", "n_steps"])
    def test_draws_are_counted(self, learned, name):
        with pytest.raises(ValueError, match=f"'{name}' argument of GatedBoltzmannMachine.sample"):
            learned.sample(self.X, **{name: 0})

    def test_parameters_without_effect_in_a_stream(self):
        with pytest.raises(ValueError, match="'persistent' parameter .* no effect in partial_fit"):
            GatedBoltzmannMachine(persistent=True).partial_fit(self.X, self.Y)
        with pytest.raises(ValueError, match="'validation_fraction' parameter .* in partial_fit"):
            GatedBoltzmannMachine(validation_fraction=0.2).partial_fit(self.X, self.Y)

    @pytest.mark.parametrize("name", ["batch_size", "max_iter"])
    def test_what_belongs_to_fit_does_not_change_a_stream(self, name):
        """scikit-learn's checks set these before partial_fit, so that they cannot be refused."""
        set_so = GatedBoltzmannMachine(3, **{name: 7}).partial_fit(self.X, self.Y)
        plain = GatedBoltzmannMachine(3).partial_fit(self.X, self.Y)
        np.testing.assert_array_equal(set_so.infer(self.X, self.Y), plain.infer(self.X, self.Y))

    def test_memory_is_predicted(self):
        X = np.zeros((2, 40_000))
        with pytest.raises(NotEnoughMemoryError, match="40000 × 40000 × 20 three-way weights"):
            GatedBoltzmannMachine().fit(X, X)

    def test_memory_of_a_stream_is_that_of_its_batches(self, monkeypatch):
        """It was predicted by batch_size, which a stream does not have."""
        model, rows = GatedBoltzmannMachine(3), np.zeros((4000, 10))
        monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1MB")
        with pytest.raises(NotEnoughMemoryError, match="GatedBoltzmannMachine .* three-way"):
            model.partial_fit(rows, rows)
        model.partial_fit(rows[:100], rows[:100])
        with pytest.raises(NotEnoughMemoryError, match="GatedBoltzmannMachine .* three-way"):
            model.partial_fit([(rows[:100], rows[:100]), (rows, rows)])
        model.partial_fit(rows[:100], rows[:100])


def test_what_a_scaler_rounds_beyond_one_is_one():
    """MinMaxScaler gives 1 + 2e-16: it was refused as "values from 0 to 1"."""
    X = np.random.default_rng(0).random((40, 6))
    X[0], off = 1.0, np.where(X > 0.5, 2.3e-16, -2.3e-16)
    off[0] = 2.3e-16
    off[X < 0.02] = 0
    plain = GatedBoltzmannMachine(2, max_iter=5).fit(X)
    beyond = GatedBoltzmannMachine(2, max_iter=5).fit(X + off)
    assert (X + off).max() > 1
    np.testing.assert_allclose(beyond.transform(X + off), plain.transform(X), atol=1e-5)
    with pytest.raises(ValueError, match="between 0 and 1. Got values from .* to 1.00001"):
        GatedBoltzmannMachine(2).fit(X + 1e-5)


def test_numbers_whose_squares_overflow_are_refused_before_numpy_warns(recwarn):
    X = np.random.default_rng(0).random((20, 3))
    for given in ((1e200 * X,), (1e200 * X, X), (X, 1e200 * X)):
        with pytest.raises(ValueError, match="GatedBoltzmannMachine cannot use [XY]: its entries"):
            GatedBoltzmannMachine(2, output="gaussian", max_iter=1).fit(*given)
    assert not recwarn.list


def test_without_torch_the_message_says_what_to_install(monkeypatch):
    import sidelight.gated

    monkeypatch.setattr(sidelight.gated, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "sidelight\[gated\]"'):
        _ = sidelight.gated.GatedBoltzmannMachine
    with pytest.raises(AttributeError, match="no attribute 'Gated'"):
        _ = sidelight.gated.Gated


def test_the_room_is_entered_without_torch():
    probe = "import sys, sidelight.gated; print('torch' in sys.modules, dir(sidelight.gated))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"False {sorted(sidelight.gated.__all__)}"
