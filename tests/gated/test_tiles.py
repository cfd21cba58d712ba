"""Fields over large images go tile by tile: the same is said as of the whole, in little memory."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sidelight.errors import NotEnoughMemoryError

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import GatedExpertField
from sidelight.gated.boltzmann import tiles as room

#: Of a tile with its margins, in sites.
SIDE = 24
PLACE = (41, 33)
#: Of real outputs in single precision, over draws of the weights 5e-7 to 5e-6.
ROUNDING = 2e-5


def strong_field(output, patch, channels=(1, 1)):
    """One whose sites tell one another much: couplings as large as they can be without noise."""
    rng = np.random.default_rng(0)
    x, y = (rng.random((*PLACE, n)) for n in channels)
    model = GatedExpertField(3, patch_size=patch, output=output, input="gaussian", max_iter=1)
    model.fit(x, y)
    size = 1.5 / np.prod(patch)
    weights = {
        name: (size * rng.standard_normal(w.shape)).astype(np.float32)
        for name, w in model._machine.weights.items()
    }
    model._machine = replace(model._machine, weights=weights)
    return model, x, y


@pytest.fixture
def in_tiles(monkeypatch):
    """Let tiles be small, from when this is called; how many sites they had."""
    seen, fold_field = [], room.fold_field

    def noted(weights, units, x, sites):
        seen.append(sites.n)
        return fold_field(weights, units, x, sites)

    def begin(model):
        field = room.Field(model._machine, model._patch)
        monkeypatch.setattr(room, "_BUDGET", SIDE**2 * field._bytes_of_a_site)
        monkeypatch.setattr(room, "fold_field", noted)
        return seen

    return begin


FIELDS = {
    "binary": ("binary", (3, 3), (1, 1)),
    "gaussian": ("gaussian", (3, 2), (2, 1)),
    "of colours": ("binary", (2, 4), (1, 3)),
    "of single pixels": ("gaussian", (1, 1), (1, 1)),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_tiles_say_what_the_whole_image_says(kind, in_tiles):
    model, x, y = strong_field(*FIELDS[kind])
    z = model.infer(x, y)
    asked = {
        "infer": lambda: model.infer(x, y),
        "apply": lambda: model.apply(z, x),
        # none, one, all in one round, several rounds
        **{f"predict {n}": lambda n=n: model.predict(x, n_steps=n) for n in (0, 1, 2, 7)},
    }
    whole, seen = {name: ask() for name, ask in asked.items()}, in_tiles(model)
    for name, ask in asked.items():
        seen.clear()
        np.testing.assert_allclose(ask(), whole[name], rtol=0, atol=ROUNDING, err_msg=name)
        assert len(seen) > 3, name
        assert max(seen) <= SIDE**2, name


@pytest.mark.parametrize("kind", ["binary", "gaussian"])
def test_every_step_changes_what_is_said(kind):
    """Else the tiles above could end too early and say the same."""
    model, x, _ = strong_field(*FIELDS[kind])
    said = [model.predict(x, n_steps=n) for n in range(8)]
    assert min(np.abs(a - b).max() for a, b in pairwise(said)) > 50 * ROUNDING


def test_the_memory_of_a_large_image_does_not_grow_with_its_units():
    """4,000,000 pixels: their couplings would take 4 GB, a tile of them a fifteenth."""
    model = GatedExpertField(10, patch_size=5, max_iter=1)
    model.fit(np.eye(20), np.eye(20))
    field = room.Field(model._machine, (5, 5))
    needed = [field.bytes_of((side, side)) for side in (1000, 2000)]
    assert max(needed) < 4e8
    per_pixel = (needed[1] - needed[0]) / 3e6
    assert per_pixel < 40  # the image and its outputs, whatever the units


def test_memory_that_is_not_there_is_refused_before_it_is_taken(monkeypatch):
    model, x, y = strong_field(*FIELDS["binary"])
    z = model.infer(x, y)
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "100KB")
    with pytest.raises(NotEnoughMemoryError, match="the outputs of an image of 41 × 33 pixels"):
        model.predict(x)
    for ask in (lambda: model.infer(x, y), lambda: model.apply(z, x)):
        with pytest.raises(NotEnoughMemoryError, match="the mapping units of an image of 41 × 33"):
            ask()
