"""Auto-encoders against loops, finite differences, and problems whose optimum is known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sidelight
from sidelight.progress import listening

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch

from sidelight.errors import InterruptedFitWarning, NotEnoughMemoryError
from sidelight.gated import BiasedAutoencoder, GatedAutoencoder
from sidelight.gated.autoencoding import passes
from sidelight.gated.autoencoding.network import first_network
from sidelight.gated.autoencoding.objective import Reconstruction
from sidelight.gated.autoencoding.passes import decoded, encoded, guessed, surprise
from sidelight.gated.units import Binary, Gaussian, Multinomial, Poisson
from tests.gated.turning import turned

BOTH = [GatedAutoencoder, BiasedAutoencoder]


def small_network(seed=0, *, gates=True, units=None, sizes=(3, 2), layers=()):
    """Weights in double precision, none of them zero."""
    rng = np.random.default_rng(seed)
    X, Y = rng.standard_normal((20, 3)), rng.random((20, 4))
    made = first_network(
        X,
        Y,
        Gaussian() if units is None else units,
        sizes,
        rng,
        input_units=Gaussian(),
        gates=gates,
        guesses=True,
        code="tanh",
        layers=layers,
    )
    return {n: torch.tensor(0.5 * rng.standard_normal(w.shape)) for n, w in made.weights.items()}


def test_codes_and_reconstructions_by_loops():
    weights = {name: w.numpy() for name, w in small_network().items()}
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(3), rng.standard_normal(4)
    h = weights["h"].copy()
    for k in range(3):
        for i in range(3):
            h[k] += weights["xh"][i, k] * x[i]
            h[k] += sum(weights["xyh"][i, j, k] * x[i] * y[j] for j in range(4))
        h[k] += sum(weights["yh"][j, k] * y[j] for j in range(4))
    z = np.tanh(np.tanh(h) @ weights["down 0"] + weights["down shift 0"])
    up = np.tanh(z @ weights["up 0"] + weights["up shift 0"])
    a = weights["y"].copy()
    for j in range(4):
        for i in range(3):
            a[j] += weights["xy"][i, j] * x[i]
            a[j] += sum(weights["xhy"][i, k, j] * x[i] * up[k] for k in range(3))
        a[j] += sum(weights["hy"][k, j] * up[k] for k in range(3))
    given = {name: torch.tensor(w) for name, w in weights.items()}
    rows = torch.tensor(x)[None], torch.tensor(y)[None]
    np.testing.assert_allclose(encoded(given, *rows, "tanh")[0], z, rtol=1e-12)
    np.testing.assert_allclose(decoded(given, rows[0], torch.tensor(z)[None])[0], a, rtol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 3, 9), (2, 9, 3), (9, 2, 3)])
def test_what_meets_in_three_ways_is_the_same_whichever_goes_first(sizes):
    rng = np.random.default_rng(0)
    W, x, y = (rng.standard_normal(s) for s in (sizes, (5, sizes[0]), (5, sizes[1])))
    found = passes._gated(*map(torch.tensor, (W, x, y)))
    np.testing.assert_allclose(found, np.einsum("ijk,ni,nj->nk", W, x, y))


@pytest.mark.parametrize("units", [Gaussian(), Binary(), Multinomial(2), Poisson()])
@pytest.mark.parametrize(("gates", "from_guess"), [(True, False), (True, True), (False, True)])
@pytest.mark.parametrize("layers", [(), (5, 3)])
@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_gradients_by_finite_differences(units, gates, from_guess, layers, noise):
    weights = small_network(gates=gates, units=units, layers=layers)
    rng = np.random.default_rng(2)
    x = torch.tensor(rng.standard_normal((5, 3)))
    y = torch.tensor(np.eye(2)[rng.integers(2, size=(5, 2))].reshape(5, 4))

    def loss():
        """With the same noise each time."""
        draws = torch.Generator().manual_seed(0)
        return Reconstruction(units, "tanh", noise, from_guess, draws).loss(weights, (x, y))

    for w in weights.values():
        w.requires_grad_()
    loss().backward()
    for name, w in weights.items():
        at = tuple(0 for _ in w.shape)
        found = []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                w[at] += step
                found.append(loss().item())
                w[at] -= step
        slope = 0.0 if w.grad is None else float(w.grad[at])
        assert slope == pytest.approx((found[0] - found[1]) / 2e-5, rel=1e-4, abs=1e-7), name


def test_what_is_lowered_is_minus_the_log_likelihood():
    rng = np.random.default_rng(0)
    a, y = rng.standard_normal((6, 4)), np.eye(2)[rng.integers(2, size=(6, 2))].reshape(6, 4)
    given = torch.tensor(a), torch.tensor(y)
    squared = 0.5 * ((a - y) ** 2).sum(axis=1).mean() + 2 * np.log(2 * np.pi)
    assert float(surprise(Gaussian(), *given)) == pytest.approx(squared)
    p = 1 / (1 + np.exp(-a))
    entropy = -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum(axis=1).mean()
    assert float(surprise(Binary(), *given)) == pytest.approx(entropy)
    shares = np.exp(a).reshape(6, 2, 2)
    shares /= shares.sum(axis=2, keepdims=True)
    states = -(y * np.log(shares).reshape(6, 4)).sum(axis=1).mean()
    assert float(surprise(Multinomial(2), *given)) == pytest.approx(states)


@pytest.mark.parametrize("Model", BOTH)
def test_linear_and_alone_it_reaches_the_principal_plane(Model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8)) * [5, 4, 3, 2, 1, 1, 0.5, 0.5] + 3
    model = Model(3, code="linear", max_iter=1000).fit(X)
    back = model.inverse_transform(model.transform(X))
    best = (np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[3:] ** 2).sum()
    assert ((X - back) ** 2).sum() == pytest.approx(best, rel=1e-3)


def test_linear_and_biased_it_reaches_the_regression_of_its_rank():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 6))
    Y = X @ rng.standard_normal((6, 5)) + 0.5 * rng.standard_normal((500, 5)) + 1
    x, y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    full = x @ np.linalg.lstsq(x, y, rcond=None)[0]
    V = np.linalg.svd(full, full_matrices=False)[2][:2]
    model = BiasedAutoencoder(2, max_iter=1500).fit(X, Y)
    best = ((y - full @ V.T @ V) ** 2).sum()
    assert ((Y - model.predict(X)) ** 2).sum() == pytest.approx(best, rel=1e-3)
    guess = model.guess(X[:5])
    np.testing.assert_allclose(model.reconstruct(X[:5], guess), model.predict(X[:5]), atol=1e-5)


def transferred(model, kind="gaussian"):
    """How often what is inferred from a pair does the same to another row, and how far it is."""
    X, Y, way = turned(300, 1, kind=kind)
    others = turned(300, 2, kind=kind)[0]
    done = model.apply(model.infer(X, Y), others)
    off = [((done - np.roll(others, w, axis=1)) ** 2).mean(axis=1) for w in (-1, 0, 1)]
    there = np.argmin(off, axis=0) - 1 == way
    return there[X.std(axis=1) > 0].mean()


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("gaussian", {}),
        ("gaussian", {"layers": 20, "code": "linear"}),
        ("gaussian", {"premapping": 10}),
        ("binary", {"output": "binary"}),
    ],
)
def test_codes_say_how_an_item_became_another(kind, more):
    X, Y, _ = turned(2000, 0, kind=kind)
    model = GatedAutoencoder(4, max_iter=500, **more).fit(X, Y)
    assert transferred(model, kind) > 0.9
    assert transferred(GatedAutoencoder(4, max_iter=1, **more).fit(X, Y), kind) < 0.7


def noisy_circle(n, seed, noise=0.3):
    """A circle in ten dimensions, and the same with noise."""
    rng = np.random.default_rng(seed)
    plane = np.linalg.qr(np.random.default_rng(9).standard_normal((10, 2)))[0].T
    angle = rng.uniform(0, 2 * np.pi, n)
    clean = np.sqrt(10) * np.column_stack([np.cos(angle), np.sin(angle)]) @ plane
    return clean, clean + noise * rng.standard_normal(clean.shape)


def test_with_noise_it_brings_rows_back():
    clean, _ = noisy_circle(1000, 0)
    model = GatedAutoencoder(2, layers=30, code="linear", noise=0.5, max_iter=500).fit(clean)
    there, noisy = noisy_circle(300, 1)
    back = model.inverse_transform(model.transform(noisy))
    assert ((back - there) ** 2).sum() < 0.35 * ((noisy - there) ** 2).sum()


@pytest.mark.parametrize("more", [{"noise": 0.5}, {"encodes": "guess"}])
def test_a_guess_is_projected_onto_the_manifold(more):
    """Outputs are clean, inputs the same with noise."""
    model = GatedAutoencoder(2, layers=20, max_iter=400, **more)
    clean, noisy = noisy_circle(1500, 0)
    model.fit(noisy, clean)
    there, given = noisy_circle(300, 1)
    found = model.predict(given)
    assert ((found - there) ** 2).sum() < 0.5 * ((given - there) ** 2).sum()
    if "encodes" not in more:  # the guess is the input
        np.testing.assert_array_equal(found, model.reconstruct(given, given))
        np.testing.assert_array_equal(found, model.predict(given, given))
        twice = model.predict(given, n_steps=2)
        np.testing.assert_allclose(twice, model.reconstruct(given, found), atol=1e-5)


def noisy_states(n, seed, output):
    """Three copies of one of three states, as units can be it, and the same with errors."""
    rng = np.random.default_rng(seed)
    state = np.repeat(rng.integers(3, size=(n, 1)), 3, axis=1)
    seen = np.where(rng.random((n, 3)) < 0.25, rng.integers(3, size=(n, 3)), state)
    size = {"poisson": 4.0, "gaussian": 2.0}.get(output, 1.0)
    return tuple(size * np.eye(3)[s].reshape(n, 9) for s in (state, seen))


@pytest.mark.parametrize("output", ["gaussian", "binary", "multinomial", "poisson"])
@pytest.mark.parametrize("encodes", ["output", "guess"])
def test_guesses_of_all_units_are_projected(output, encodes):
    """The model's own guess is a mean, which is no count: it was refused as one of the user's."""
    more = {"n_states": 3} if output == "multinomial" else {}
    clean, seen = noisy_states(1000, 0, output)
    model = GatedAutoencoder(3, output=output, encodes=encodes, noise=0.3, max_iter=300, **more)
    model.fit(seen, clean)
    there, given = noisy_states(300, 1, output)
    found = model.predict(given)
    assert ((found - there) ** 2).sum() < 0.6 * ((given - there) ** 2).sum()
    np.testing.assert_array_equal(model.predict(given, given), model.reconstruct(given, given))
    if output != "gaussian":
        with pytest.raises(ValueError, match=f"output='{output}'.* expects Y to hold"):
            model.predict(given, given - 0.5)
    with pytest.raises(ValueError, match="'n_steps' argument"):
        model.predict(given, n_steps=0)


class TestManners:
    X, Y, _ = turned(200, 0, kind="gaussian")

    @pytest.mark.parametrize("Model", BOTH)
    def test_same_state_same_weights(self, Model, tmp_path):
        model = Model(3, max_iter=30, layers=(5, 4), premapping=6, random_state=5)
        first = clone(model).fit(self.X, self.Y).predict(self.X)
        np.testing.assert_array_equal(model.fit(self.X, self.Y).predict(self.X), first)
        other = clone(model).set_params(random_state=6).fit(self.X, self.Y).predict(self.X)
        assert not np.array_equal(other, first)
        same = sidelight.load(sidelight.save(model, tmp_path / "m.sidelight"))
        np.testing.assert_array_equal(same.predict(self.X), first)
        assert same.infer(self.X, self.Y).shape == (200, 3)

    def test_it_stands_in_a_pipeline(self):
        line = make_pipeline(StandardScaler(), BiasedAutoencoder(2, max_iter=20))
        line.set_output(transform="pandas")
        assert list(line.fit_transform(self.X).columns) == [
            "biasedautoencoder0",
            "biasedautoencoder1",
        ]
        line = make_pipeline(StandardScaler(), BiasedAutoencoder(2, max_iter=20))
        assert line.fit(self.X, self.Y).predict(self.X).shape == self.Y.shape

    def test_progress_and_interruption(self):
        def stop(progress):
            assert progress.stage == "reconstruction"
            if progress.done == 50:
                raise KeyboardInterrupt

        with listening(stop), pytest.warns(InterruptedFitWarning, match="after 50 batches"):
            model = GatedAutoencoder(3, max_iter=200).fit(self.X, self.Y)
        assert np.isfinite(model.reconstruct(self.X, self.Y)).all()

    def test_divergence_is_said_and_the_best_is_kept(self):
        model = GatedAutoencoder(3, learning_rate=100.0, code="linear", max_iter=200)
        with pytest.warns(ConvergenceWarning, match="diverged after .* learning_rate=100"):
            model.fit(self.X, self.Y)
        assert np.isfinite(model.reconstruct(self.X, self.Y)).all()

    def test_the_judge_ends_what_gets_no_better(self):
        rng = np.random.default_rng(0)
        model = BiasedAutoencoder(
            5, premapping=(50, 20), validation_fraction=0.3, n_iter_no_change=100
        ).fit(self.X, rng.standard_normal(self.Y.shape))
        assert model.n_iter_ == 25 * model.history_.argmin() + 100

    def test_decay_shrinks(self):
        plain, decayed = (
            BiasedAutoencoder(3, max_iter=200, weight_decay=decay).fit(self.X, self.Y)
            for decay in (0.0, 5.0)
        )
        sizes = [np.linalg.norm(m._network.weights["hy"]) for m in (plain, decayed)]
        assert sizes[1] < 0.7 * sizes[0]


class TestRefusals:
    X, Y, _ = turned(20, 0)

    @pytest.mark.parametrize("Model", BOTH)
    @pytest.mark.parametrize(
        ("parameters", "X", "Y", "match"),
        [
            ({}, X, Y[:10], "a row for each of the 20 rows of X. Got 10"),
            ({"output": "binary"}, X, Y - 1, "output='binary'.*Y to hold values between 0 and 1"),
            ({}, X, np.where(Y > 0, np.nan, Y), "NaN"),
            ({"n_components": 0}, X, Y, "'n_components' parameter of"),
            ({"layers": (3, 0)}, X, Y, "'layers' parameter of"),
            ({"code": "relu"}, X, Y, "'code' parameter of"),
            ({"noise": -1}, X, Y, "'noise' parameter of"),
            ({"noise": 1.5, "output": "binary"}, X, Y, "'noise' parameter .* a share, at most 1"),
            ({"premapping": 3}, X, None, "'premapping' parameter .* has no effect on rows"),
            ({"n_iter_no_change": 7}, X, Y, "'n_iter_no_change' parameter .* has no effect"),
        ],
    )
    def test_what_cannot_be_is_named(self, Model, parameters, X, Y, match):
        with pytest.raises(ValueError, match=match):
            Model(**parameters).fit(X, Y)

    def test_pairs_and_rows_are_not_mixed_up(self):
        pairs = GatedAutoencoder(2, max_iter=1).fit(self.X, self.Y[:, :4])
        with pytest.raises(ValueError, match="guess of 4 columns, and inputs have 10"):
            pairs.predict(self.X)
        with pytest.raises(ValueError, match="4 columns it was fitted with. Got 10"):
            pairs.predict(self.X, self.X)
        with pytest.raises(ValueError, match=r"Call apply\(Z, X\)"):
            pairs.inverse_transform([[1.0, 2.0]])
        with pytest.raises(ValueError, match="fitted to pairs"):
            pairs.transform(self.X)
        with pytest.raises(ValueError, match="'n_steps' argument"):
            pairs.reconstruct(self.X, self.Y[:, :4], n_steps=0)
        alone = GatedAutoencoder(2, max_iter=1).fit(self.X)
        with pytest.raises(ValueError, match="rows that stand alone"):
            alone.predict(self.X)
        with pytest.raises(ValueError, match="'encodes' parameter .* has no effect on rows"):
            GatedAutoencoder(encodes="guess").fit(self.X)
        for call in (GatedAutoencoder().predict, BiasedAutoencoder().guess):
            with pytest.raises(NotFittedError):
                call(self.X)

    def test_codes_that_are_no_table_are_refused_by_name(self):
        """A number ended in "tuple index out of range"."""
        model = GatedAutoencoder(2, max_iter=3).fit(self.X)
        for given in (3.0, [[0.0, 0.0], [1.0]], [0.0, 0.0]):
            with pytest.raises(ValueError, match="GatedAutoencoder .*Z"):
                model.inverse_transform(given)

    def test_memory_is_predicted(self):
        wide = np.zeros((2, 40_000))
        with pytest.raises(NotEnoughMemoryError, match="40000 × 40000 × 20 weights"):
            GatedAutoencoder().fit(wide, wide)


def test_guesses_are_of_the_inputs():
    weights = small_network(layers=(2,))
    x = torch.tensor(np.random.default_rng(0).standard_normal((2, 3)))
    by_hand = (x @ weights["map 0"] + weights["shift 0"]) @ weights["xg"] + weights["g"]
    np.testing.assert_allclose(guessed(weights, x), by_hand)
