"""Rows are taken block by block: the same is said of them, and no block holds them all."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight.core
from sidelight.errors import NotEnoughMemoryError

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import BiasedAutoencoder, GatedAutoencoder, GatedBoltzmannMachine, Manifield
from sidelight.gated.boltzmann import Machine, likelihood
from tests.gated.turning import turned

X, Y, _ = turned(20, 0)
ROOMS = ("boltzmann.by_rows", "boltzmann.views", "boltzmann.learning", "autoencoding.network")


@pytest.fixture
def in_threes(monkeypatch):
    """Blocks of three rows; how many there were."""
    seen = []

    def few(n_rows, bytes_per_row):
        seen.append(sidelight.core.row_blocks(n_rows, 1.0, budget=3.0))
        return seen[-1]

    def begin():
        for room in ROOMS:
            monkeypatch.setattr(f"sidelight.gated.{room}.row_blocks", few)
        return seen

    return begin


MACHINES = {
    "full": GatedBoltzmannMachine(3, max_iter=60),
    "factored": GatedBoltzmannMachine(3, n_factors=5, max_iter=60),
    "real": GatedBoltzmannMachine(3, output="gaussian", premapping=4, max_iter=60),
}
ASKED = {
    "infer": lambda m: m.infer(X, Y),
    "apply": lambda m: m.apply(np.eye(3)[np.arange(20) % 3], X),
    "predict": lambda m: m.predict(X),
    "score_samples": lambda m: m.score_samples(X, Y),
    "filters": lambda m: m.filters(X),
    "flow": lambda m: m.flow(X, Y) if m.premapping is None else m.infer(X, Y),
}
#: What is computed in double precision; the others are the weights that were learned.
DOUBLE = ("infer", "apply", "predict", "score_samples")


@pytest.mark.parametrize("kind", MACHINES)
def test_a_machine_says_of_blocks_what_it_says_of_all_rows(kind, in_threes):
    model = MACHINES[kind].fit(X, Y)
    whole = {name: ask(model) for name, ask in ASKED.items()}
    seen = in_threes()
    for name, ask in ASKED.items():
        seen.clear()
        near = {"rtol": 1e-10, "atol": 1e-12} if name in DOUBLE else {"rtol": 1e-5, "atol": 1e-6}
        np.testing.assert_allclose(ask(model), whole[name], **near, err_msg=name)
        assert seen, name
        assert all(len(blocks) == 7 for blocks in seen), name


@pytest.mark.parametrize("output", ["binary", "gaussian", "multinomial", "poisson"])
def test_what_is_annealed_of_a_row_does_not_hang_on_who_comes_with_it(output, monkeypatch):
    """Draws were shared: E[y | x] of a row moved by 7e-4, and log p by 0.014, with the others."""
    monkeypatch.setattr(likelihood, "FEW", likelihood.Few(0, 0))
    monkeypatch.setattr(likelihood, "_CHAINS", 10)
    rng = np.random.default_rng(0)
    inputs = rng.random((6, 5))
    told = {
        "binary": 1.0 * (rng.random((6, 6)) > 0.5),
        "gaussian": rng.normal(size=(6, 6)),
        "multinomial": np.tile(np.eye(3), (2, 2)),
        "poisson": rng.poisson(2.0, size=(6, 6)) * 1.0,
    }[output]
    more = {"n_states": 3} if output == "multinomial" else {}
    model = GatedBoltzmannMachine(4, output=output, input="gaussian", max_iter=30, **more)
    model.fit(inputs, told)
    mean, score = model.predict(inputs), model.score_samples(inputs, told)
    for rows in ([4], [5, 0, 4], list(range(6))[::-1]):
        np.testing.assert_allclose(model.predict(inputs[rows]), mean[rows], rtol=1e-9)
        found = model.score_samples(inputs[rows], told[rows])
        np.testing.assert_allclose(found, score[rows], rtol=1e-9)
    assert not np.allclose(model.predict(inputs, random_state=1), mean, rtol=1e-9)


def test_rows_that_stand_alone_come_in_blocks_too(in_threes):
    model = GatedBoltzmannMachine(3, max_iter=60).fit(X)
    asked = (model.transform, model.score_samples)
    whole = [ask(X) for ask in asked]
    seen = in_threes()
    for ask, expected in zip(asked, whole, strict=True):
        np.testing.assert_allclose(ask(X), expected, rtol=1e-5)
    assert [len(blocks) for blocks in seen] == [7, 7]


@pytest.mark.parametrize(
    "model",
    [GatedAutoencoder(3, max_iter=20), BiasedAutoencoder(3, layers=4, max_iter=20)],
    ids=lambda model: type(model).__name__,
)
def test_a_network_says_of_blocks_what_it_says_of_all_rows(model, in_threes):
    pairs, alone = model.fit(X, Y), type(model)(3, max_iter=20).fit(X)

    def asked():
        z, code = pairs.infer(X, Y), alone.transform(X)
        yield from (z, pairs.apply(z, X), pairs.predict(X), code, alone.inverse_transform(code))

    whole, seen = list(asked()), in_threes()
    for found, expected in zip(asked(), whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert seen
    assert all(len(blocks) == 7 for blocks in seen)


@pytest.mark.parametrize("Model", [GatedBoltzmannMachine, GatedAutoencoder])
@pytest.mark.parametrize("outputs", [Y, None], ids=["pairs", "alone"])
def test_what_is_kept_judges_in_blocks_as_it_does_whole(Model, outputs, in_threes):
    model = Model(3, max_iter=60, validation_fraction=0.4)
    whole, seen = model.fit(X, outputs).history_, in_threes()
    np.testing.assert_allclose(model.fit(X, outputs).history_, whole, rtol=1e-4)
    assert [slice(0, 3), slice(3, 6), slice(6, 8)] in seen


def test_no_more_machines_stand_in_memory_than_a_block_has_room_for(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.random((4000, 60))
    model = GatedBoltzmannMachine(40, max_iter=1).fit(rows[:50], rows[:50])
    at_once, taken, folded = [], [], Machine.folded

    def counted(machine, x, *, double=False):
        at_once.append(len(x))
        taken.append(len(x) * (8 if double else 4) * 60 * 40)
        return folded(machine, x, double=double)

    monkeypatch.setattr(Machine, "folded", counted)
    z = model.infer(rows, rows)
    model.apply(z, rows)
    model.sample(rows, n_steps=1)
    assert sum(at_once) == 3 * len(rows)
    assert max(taken) < 3.2e7


def test_draws_of_many_inputs_are_draws_of_each(in_threes):
    """Blocks draw after one another: other draws, the same distribution."""
    model = MACHINES["full"].fit(X, Y)
    in_threes()
    drawn = model.sample(X, 300, n_steps=200)
    assert drawn.shape == (20, 300, 10)
    np.testing.assert_allclose(drawn.mean(axis=1), model.predict(X), atol=0.2)


def test_what_cannot_be_cut_is_predicted_and_refused(monkeypatch):
    model = GatedBoltzmannMachine(3, max_iter=1).fit(X, Y)
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1KB")
    with pytest.raises(NotEnoughMemoryError, match="10 × 3 filters of each of 20 inputs"):
        model.filters(X)
    with pytest.raises(NotEnoughMemoryError, match="5 draws of 10 outputs for each of 20 inputs"):
        model.sample(X, 5)
    with pytest.raises(NotEnoughMemoryError, match="3 tables of 10 × 10 connections"):
        model.basis_flow()


@pytest.mark.parametrize(("shape", "patch"), [((40,), 4), ((12, 9), (3, 2))])
def test_a_manifield_goes_over_its_input_in_bands(monkeypatch, shape, patch):
    rng = np.random.default_rng(0)
    x, y = rng.random(shape), rng.random(shape)
    field = Manifield(BiasedAutoencoder(2, max_iter=10), patch_size=patch).fit(x, y)
    whole = field.predict(x)
    at_once, predict = [], field.model_.predict
    monkeypatch.setattr(field.model_, "predict", lambda p: at_once.append(len(p)) or predict(p))
    monkeypatch.setattr(
        "sidelight.gated.patches.row_blocks",
        lambda n, each: sidelight.core.row_blocks(n, 1.0, budget=3.0),
    )
    np.testing.assert_allclose(field.predict(x), whole, rtol=1e-5)
    across = 1 if len(shape) == 1 else 8
    assert max(at_once) == 3 * across
