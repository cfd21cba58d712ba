"""Where models compute: on the device that is asked for, wholly, and to the same end."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch
from sklearn.base import clone

from sidelight.gated import (
    BiasedAutoencoder,
    GatedAutoencoder,
    GatedBoltzmannMachine,
    GatedExpertField,
    Manifield,
)
from sidelight.gated.rows import device_of
from tests.gated.fake_gpu import GPU, OffDeviceError, fake_gpu
from tests.gated.turning import turned

X, Y, _ = turned(40, 0)
REAL, COUNTS = turned(40, 0, kind="gaussian")[:2], turned(40, 0, kind="poisson")[:2]
STATES = tuple(np.eye(5)[np.arange(80) * by % 5].reshape(40, 10) for by in (1, 2))
IMAGE = np.random.default_rng(0).random((9, 11))
FEW = {"max_iter": 30, "batch_size": 16}


def by_pairs(model, pairs):
    """All that a machine of pairs says."""
    model.fit(*pairs)
    z = model.infer(*pairs)
    yield from (model.history_, z, model.apply(z, pairs[0]), model.predict(pairs[0][:3]))
    yield model.sample(pairs[0][:3], 2, n_steps=3)
    yield from (model.score_samples(*(side[:3] for side in pairs)), model.filters(pairs[0]))
    for kind in ("mean", "likeliest"):
        yield model.distances(*pairs, kind=kind, symmetric=True)
    yield model.distances(*pairs, pairs=([0, 3, 3], [1, 2, 4]))
    if model.premapping is None:
        yield from (model.flow(*pairs), model.basis_flow())
    if not model.persistent:
        yield model.partial_fit(*pairs).infer(*pairs)  # from the moments that fit has left


def alone(model, rows):
    model.fit(rows)
    yield from (model.history_, model.transform(rows), model.score_samples(rows[:3]))
    yield model.sample(n_samples=3, n_steps=3)


def by_codes(model, pairs):
    z = model.fit(*pairs).infer(*pairs)
    yield from (model.history_, z, model.apply(z, pairs[0]), model.predict(pairs[0]))
    yield model.reconstruct(*pairs, n_steps=2)
    codes = model.set_params(**({"encodes": "output"} if hasattr(model, "encodes") else {}))
    z = codes.set_params(premapping=None).fit(pairs[0]).transform(pairs[0])
    yield from (z, codes.inverse_transform(z))


def by_images(model, images):
    model.fit(images, 1 - images, validation=(images[:7], 1 - images[:7]))
    z = model.infer(images, 1 - images)
    yield from (model.history_, z, model.apply(z, images), model.predict(images))


def by_patches(model, images):
    yield model.fit(images, 1 - images).predict(images)


#: Everything that computes: every kind of units, of weights, of chains and of noise.
WORK = {
    "binary": (by_pairs, GatedBoltzmannMachine(3, **FEW), (X, Y)),
    "gaussian": (by_pairs, GatedBoltzmannMachine(3, output="gaussian", **FEW), REAL),
    "poisson": (by_pairs, GatedBoltzmannMachine(3, output="poisson", **FEW), COUNTS),
    "states": (
        by_pairs,
        GatedBoltzmannMachine(3, output="multinomial", n_states=5, **FEW),
        STATES,
    ),
    "factored": (by_pairs, GatedBoltzmannMachine(3, n_factors=4, n_steps=2, **FEW), (X, Y)),
    "premapped": (by_pairs, GatedBoltzmannMachine(3, premapping=(5, 4), **FEW), (X, Y)),
    "drawn": (by_pairs, GatedBoltzmannMachine(3, chain_ends="sample", **FEW), (X, Y)),
    "chains": (by_pairs, GatedBoltzmannMachine(3, persistent=True, **FEW), (X, Y)),
    "annealed": (by_pairs, GatedBoltzmannMachine(17, **FEW), (X, Y)),
    "alone": (alone, GatedBoltzmannMachine(3, validation_fraction=0.2, **FEW), X),
    "chains alone": (alone, GatedBoltzmannMachine(3, persistent=True, **FEW), X),
    "gated codes": (
        by_codes,
        GatedAutoencoder(3, layers=4, noise=0.1, premapping=4, encodes="guess", **FEW),
        REAL,
    ),
    "biased codes": (
        by_codes,
        BiasedAutoencoder(3, output="binary", noise=0.1, validation_fraction=0.2, **FEW),
        (X, Y),
    ),
    "field": (by_images, GatedExpertField(2, patch_size=3, max_iter=30, batch_size=2), IMAGE),
    "manifield": (by_patches, Manifield(BiasedAutoencoder(2, **FEW), patch_size=(3, 2)), IMAGE),
}


def at(model, device):
    """A model that computes on a device; a manifield does where its patch model does."""
    name = "model__device" if isinstance(model, Manifield) else "device"
    return clone(model).set_params(**{name: device})


@pytest.mark.parametrize("name", WORK)
def test_all_is_computed_on_the_device_and_comes_to_the_same(name, monkeypatch):
    work, model, given = WORK[name]
    expected = list(work(at(model, "cpu"), given))
    with fake_gpu(monkeypatch) as there:
        found = list(work(at(model, "auto"), given))
        assert there.computed > 100
    for ours, theirs in zip(found, expected, strict=True):
        assert type(ours) is np.ndarray
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_the_fake_keeps_what_is_on_both_apart(monkeypatch):
    """What the test above stands on."""
    with fake_gpu(monkeypatch) as there:
        here, beyond = torch.ones(3), torch.ones(3, device="cuda")
        assert (here.device, beyond.device) == (torch.device("cpu"), GPU)
        for meet in (
            lambda: beyond + here,
            lambda: beyond[torch.tensor([0, 1])],
            lambda: beyond.numpy(),
            lambda: torch.bernoulli(beyond, generator=torch.Generator()),
            lambda: torch.randn(3, device="cuda", generator=torch.Generator()),
        ):
            with pytest.raises(OffDeviceError):
                meet()
        assert ((beyond * 2).cpu() + here).numpy().tolist() == [3.0] * 3
        drawn = torch.randn(3, device="cuda", generator=torch.Generator("cuda").manual_seed(0))
        assert there.holds(drawn)


def test_the_processor_is_taken_where_it_is_named(monkeypatch):
    with fake_gpu(monkeypatch) as there:
        GatedBoltzmannMachine(3, device="cpu", **FEW).fit(X, Y).predict(X)
        assert not there.computed


def test_a_graphics_processor_without_double_precision_is_taken_only_by_its_name(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.mps, "device_count", lambda: 1)
    assert device_of(GatedBoltzmannMachine()) == torch.device("cpu")
    assert device_of(GatedBoltzmannMachine(device="mps")) == torch.device("mps")


MODELS = [GatedBoltzmannMachine, GatedExpertField, GatedAutoencoder, BiasedAutoencoder]


@pytest.mark.parametrize("Model", MODELS)
@pytest.mark.parametrize("device", ["cuda", "cpu:1", "gpu", "meta", "", None, 0])
def test_a_device_that_is_not_here_is_refused_by_name(Model, device, monkeypatch):
    for kind in ("cuda", "xpu", "mps"):
        monkeypatch.setattr(getattr(torch, kind), "device_count", lambda: 0)
    match = (
        rf"^The 'device' parameter of {Model.__name__} must be 'auto' or the name of a device that "
        rf"torch has here \('cpu'\). Got {device!r} instead.$"
    )
    with pytest.raises(ValueError, match=match):
        Model(device=device).fit(IMAGE, IMAGE)
    learned = Model(max_iter=1).fit(IMAGE, IMAGE).set_params(device=device)
    with pytest.raises(ValueError, match=match):
        learned.infer(IMAGE, IMAGE)


def test_the_refusal_says_what_is_here(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ValueError, match=r"torch has here \('cpu', 'cuda'\). Got 'cuda:2'"):
        GatedBoltzmannMachine(device="cuda:2").fit(X, Y)


@pytest.mark.parametrize("name", ["binary", "gated codes", "field"])
def test_what_was_learned_on_a_device_is_read_where_there_is_none(name, monkeypatch, tmp_path):
    _, model, given = WORK[name]
    given = (given, 1 - given) if isinstance(given, np.ndarray) else given
    with monkeypatch.context() as patched, fake_gpu(patched):
        learned = at(model, "cuda").fit(*given)
        expected = learned.infer(*given)
        path = sidelight.save(learned, tmp_path / "model.sidelight")
    read = sidelight.load(path)
    assert read.device == "cuda"
    with pytest.raises(ValueError, match="'device' parameter of .* Got 'cuda' instead"):
        read.infer(*given)
    again = read.set_params(device="auto").infer(*given)
    np.testing.assert_allclose(again, expected, rtol=1e-5, atol=1e-6)
