"""Fields of gated experts: a loop over patches, images of any size, what cannot be."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sidelight

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sidelight.gated import GatedExpertField
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.energy import fold
from sidelight.gated.boltzmann.sites import Sites, fold_field
from sidelight.gated.units import Binary, Gaussian

SITES, K = Sites((4, 3), (2, 2)), 3
IN, OUT = 2, 1  # channels


def small_weights(seed=0):
    rng = np.random.default_rng(seed)
    i, j = 4 * IN, 4 * OUT
    shapes = {"xyz": (i, j, K), "xy": (i, j), "xz": (i, K), "yz": (j, K), "y": (j,), "z": (K,)}
    return {name: torch.tensor(rng.standard_normal(shape)) for name, shape in shapes.items()}


def patches_by_hand(image):
    """(channels, height, width) with zeros around, patch by patch."""
    wide = np.pad(image, ((0, 0), (1, 1), (1, 1)))
    return [wide[:, a : a + 2, b : b + 2].ravel() for a in range(5) for b in range(4)]


@pytest.mark.parametrize("units", [Binary(), Gaussian(0.7)])
def test_the_field_is_a_loop_over_patches(units):
    """The score, what outputs are told, and the gradient: sums over sites."""
    weights, rng = small_weights(), np.random.default_rng(1)
    x, y = rng.standard_normal((IN, 4, 3)), rng.random((OUT, 4, 3))
    z = rng.integers(2, size=(20, K)).astype(float)
    field = fold_field(weights, units, torch.tensor(x).reshape(1, -1), SITES)
    told, b = np.zeros((OUT, 6, 5)), np.zeros((OUT, 6, 5))
    met = 0.0
    for s, (xs, ys) in enumerate(zip(patches_by_hand(x), patches_by_hand(y), strict=True)):
        alone = fold(weights, units, torch.tensor(xs)[None])
        a, c = divmod(s, 4)
        says = alone.onto_output(torch.tensor(z[s])[None, None]).numpy().reshape(OUT, 2, 2)
        told[:, a : a + 2, c : c + 2] += says
        b[:, a : a + 2, c : c + 2] += alone.b.numpy().reshape(OUT, 2, 2)
        met += float(alone.onto_mapping(torch.tensor(ys)[None, None])[0, 0] @ torch.tensor(z[s]))
        np.testing.assert_allclose(
            field.onto_mapping(torch.tensor(y).reshape(1, 1, -1)).reshape(20, K)[s],
            alone.onto_mapping(torch.tensor(ys)[None, None])[0, 0],
        )
    rows = torch.tensor(y).reshape(1, 1, -1), torch.tensor(z).reshape(1, 1, -1)
    inside = (slice(None), slice(1, -1), slice(1, -1))
    np.testing.assert_allclose(field.onto_output(rows[1]).reshape(OUT, 4, 3), told[inside])
    np.testing.assert_allclose(field.b.reshape(OUT, 4, 3), b[inside])
    by_hand = float(units.base(rows[0], torch.tensor(b[inside]).reshape(1, 1, -1))) + met
    assert float(field.score(*rows)) == pytest.approx(by_hand)


def test_gradients_of_the_free_energy_by_finite_differences():
    weights, rng = small_weights(), np.random.default_rng(1)
    x, y = torch.tensor(rng.standard_normal((2, 24))), torch.tensor(rng.random((2, 1, 12)))

    def energy():
        return fold_field(weights, Binary(), x, SITES).free_energy(y).mean()

    for w in weights.values():
        w.requires_grad_()
    energy().backward()
    for name, w in weights.items():
        at, found = tuple(0 for _ in w.shape), []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                w[at] += step
                found.append(float(energy()))
                w[at] -= step
        assert float(w.grad[at]) == pytest.approx((found[0] - found[1]) / 2e-5, rel=1e-4), name


def test_a_patch_of_one_pixel_is_a_machine_at_every_pixel():
    sites, rng = Sites((3, 5), (1, 1)), np.random.default_rng(0)
    shapes = {"xyz": (1, 1, K), "xy": (1, 1), "xz": (1, K), "yz": (1, K), "y": (1,), "z": (K,)}
    weights = {name: torch.tensor(rng.standard_normal(shape)) for name, shape in shapes.items()}
    x, y = torch.tensor(rng.random((1, 15))), torch.tensor(rng.random((1, 1, 15)))
    whole = fold_field(weights, Binary(), x, sites).free_energy(y)
    each = fold(weights, Binary(), x.T).free_energy(y.reshape(15, 1, 1))
    assert float(whole) == pytest.approx(float(each.sum()))
    taken = fold_field(weights, Binary(), x.repeat(2, 1), sites).take(torch.tensor([1]))
    torch.testing.assert_close(taken.free_energy(y), whole)
    contrast = Contrast(Binary(), 1, torch.Generator(), folding=lambda *a: fold_field(*a, sites))
    assert np.isfinite(contrast.error(weights, x, y))


@pytest.mark.parametrize("units", [Binary(), Gaussian(0.7)])
def test_a_crop_says_of_its_free_pixels_what_the_whole_image_does(units):
    """What other free pixels would cost, and what they are told: nothing is cut off at an edge."""
    weights, rng = small_weights(), np.random.default_rng(2)
    x, y = rng.standard_normal((IN, 9, 8)), rng.random((OUT, 9, 8))
    whole, crop = Sites((9, 8), (2, 2)), Sites((5, 4), (2, 2), cropped=True)
    assert crop.shape == (4, 3)
    free = crop.free(OUT).reshape(OUT, 5, 4)
    assert free.sum() == 6
    for top, left in ((0, 0), (3, 2), (4, 4)):
        there = (slice(None), slice(top, top + 5), slice(left, left + 4))
        other = y.copy()
        other[there] = np.where(free, rng.random((OUT, 5, 4)), y[there])
        found = []
        for sites, part in ((whole, slice(None)), (crop, there)):
            rows = [torch.tensor(one[part].copy()).reshape(1, -1) for one in (x, y, other)]
            field = fold_field(weights, units, rows[0], sites)
            costs = [float(field.free_energy(one.unsqueeze(1))) for one in rows[1:]]
            z = torch.sigmoid(field.onto_mapping(rows[1].unsqueeze(1)))
            told = units.mean(field.onto_output(z), field.b).reshape(OUT, *sites.place)
            found.append((costs[1] - costs[0], told[there] if sites is whole else told))
        assert found[0][0] == pytest.approx(found[1][0], rel=1e-9)
        torch.testing.assert_close(found[0][1][free], found[1][1][free])


def test_chains_hold_what_is_not_free_at_the_data():
    crop, rng = Sites((5, 4), (2, 2), cropped=True), np.random.default_rng(0)
    x = torch.tensor(rng.standard_normal((3, IN * 20)))
    y = torch.tensor(rng.integers(2, size=(3, 1, OUT * 20)).astype(float))
    free = crop.free(OUT)
    folding = partial(fold_field, sites=crop)
    for n_steps, to_mean in ((1, True), (4, False)):
        contrast = Contrast(Binary(), n_steps, torch.Generator(), to_mean, folding, free)
        ends = contrast(small_weights(), x, y)[1]
        torch.testing.assert_close(ends[..., ~free], y[..., ~free])
        assert not torch.equal(ends[..., free], y[..., free])
    # and errors count of free pixels alone
    everywhere = Contrast(Binary(), 1, torch.Generator(), True, folding)
    assert contrast.error(small_weights(), x, y) < everywhere.error(small_weights(), x, y)


def test_crops_go_to_the_edges_of_an_image_and_show_nothing_beyond():
    X, Y = np.full((7, 9, 1), 2.0), np.full((7, 9, 1), 3.0)
    model = GatedExpertField(2, patch_size=2, batch_size=40, output="poisson", input="poisson")
    model.patch_size_ = (2, 2)
    machine = model._first([X], [Y], np.random.default_rng(0))
    sites = Sites((8, 8), (2, 2), cropped=True)
    crops = model._crops(machine, [X], [Y], sites, np.random.default_rng(0), 1)
    outputs = next(crops)[1].reshape(40, 8, 8)
    shown = outputs != 0
    assert shown[:, 1:-1, 1:-1].all()  # what is free is of the image
    assert not shown[:, 0].any(axis=-1).all()
    assert shown[:, 1:-1, 0].any()
    assert not shown[:, 1:-1, 0].all()


def pair(shape, seed, way):
    """A random picture and the same one pixel to the side."""
    rng = np.random.default_rng(seed)
    X = (rng.random(shape) < 0.3) * 1.0
    return X, np.roll(X, way, axis=1)


@pytest.fixture(scope="module")
def field():
    pairs = [pair((40, 40), 5 + way, way) for way in (-1, 1)]
    X, Y = zip(*pairs, strict=True)
    # with more mapping units than it takes, they hold the picture itself
    model = GatedExpertField(
        1, patch_size=5, output="binary", max_iter=600, learning_rate=0.1, batch_size=5
    )
    return model.fit(list(X), list(Y))


def test_what_was_done_to_an_image_is_done_to_another(field):
    inner, right, wrong = (slice(2, -2), slice(2, -2)), [], []
    for way in (-1, 1):
        for draw in range(10):  # one picture of so few pixels says little
            X, Y = pair((12, 20), 10 + way + 100 * draw, way)
            other, goal = pair((12, 20), 20 + way + 100 * draw, way)
            done = field.apply(field.infer(X, Y), other)[inner] > 0.5
            right.append((done == (goal > 0.5)[inner]).mean())
            wrong.append((done == (np.roll(other, -way, axis=1) > 0.5)[inner]).mean())
    # over five draws of what is learned the mean was 0.81 to 0.97
    assert np.mean(right) > 0.8
    assert np.mean(wrong) < np.mean(right) - 0.15


def test_a_filter_is_learned_and_done_to_images_of_any_size():
    """The negative, of three channels."""
    rng = np.random.default_rng(0)
    image = rng.random((30, 30, 3))
    model = GatedExpertField(3, patch_size=2, batch_size=5, max_iter=200).fit(image, 1 - image)
    for shape in ((9, 14, 3), (20, 6, 3)):
        other = rng.random(shape)
        done = model.predict(other)
        assert done.shape == shape
        assert np.corrcoef(done.ravel(), 1 - other.ravel())[0, 1] > 0.9
    several = model.predict([other, image])
    np.testing.assert_allclose(several[0], done, atol=1e-5)


def test_a_stack_of_grey_images_is_not_read_as_one(field):
    X = np.stack([pair((9, 9), seed, 1)[0] for seed in range(6)])
    with pytest.raises(ValueError, match=r"X of shape \(6, 9, 9\) holds 6 images.* list\(X\)"):
        field.predict(X)
    stacked = field.predict(X[..., None])
    np.testing.assert_allclose(stacked[..., 0], field.predict(list(X)), atol=1e-6)
    Z = field.infer(X[..., None], X[..., None])
    assert field.apply(Z, X[..., None]).shape == (6, 9, 9, 1)


def test_an_image_of_as_many_channels_as_were_learned_is_one():
    X = np.random.default_rng(0).random((6, 9, 8))
    model = GatedExpertField(1, patch_size=2, batch_size=2, max_iter=2).fit([X], [X[..., 0]])
    np.testing.assert_array_equal(model.predict(X), model.predict([X])[0])


def test_saved_and_the_same_again(field, tmp_path):
    X, Y = pair((9, 9), 5, 1)
    same = sidelight.load(sidelight.save(field, tmp_path / "field.sidelight"))
    np.testing.assert_array_equal(same.infer(X, Y), field.infer(X, Y))
    small = GatedExpertField(2, patch_size=3, output="binary", max_iter=10)
    first = small.fit(X, Y).infer(X, Y)
    np.testing.assert_array_equal(clone(small).fit(X, Y).infer(X, Y), first)
    assert first.shape == (11, 11, 2)


class TestRefusals:
    X, Y = pair((9, 9), 0, 1)

    @pytest.mark.parametrize(
        ("parameters", "X", "Y", "match"),
        [
            ({}, X, Y[:8], r"heights and widths of X, \[\(9, 9\)\]. Got \[\(8, 9\)\]"),
            ({}, X, np.where(Y > 0, np.nan, Y), "contains NaN"),
            ({"output": "binary"}, X, Y + 1, "output='binary'.*Y to hold values between 0 and 1"),
            ({"patch_size": 10}, X, Y, r"patches of \(10, 10\)"),
            ({"patch_size": (3,)}, X, Y, "'patch_size' parameter of GatedExpertField"),
            ({"output": "binary", "nu": 2.0}, X, Y, "'nu' parameter .* has no effect"),
            ({}, X[0], Y[0], "images of shape"),
            ({}, X + 1j * Y, Y, "X to hold images of numbers. Got complex ones"),
            ({}, X, 1e200 * Y, "GatedExpertField cannot use Y: its entries"),
            ({}, np.zeros((9, 9, 0)), Y, "X to have a channel at least"),
        ],
    )
    def test_what_cannot_be_is_named(self, parameters, X, Y, match):
        with pytest.raises(ValueError, match=match):
            GatedExpertField(**parameters).fit(X, Y)

    def test_new_images_must_be_like_the_old(self, field):
        with pytest.raises(ValueError, match="1 channels of X. Got 3"):
            field.predict(np.zeros((5, 5, 3)))
        with pytest.raises(ValueError, match=r"Z of shape \(13, 13, 1\)"):
            field.apply(np.zeros((3, 3, 4)), self.X)
        with pytest.raises(ValueError, match="heights and widths of X"):
            field.infer(self.X, self.Y[:5])
        with pytest.raises(ValueError, match="'n_steps' argument of GatedExpertField.predict"):
            field.predict(self.X, n_steps=-1)
        with pytest.raises(NotFittedError):
            GatedExpertField().predict(self.X)

    def test_mapping_units_that_are_no_numbers_are_refused(self, field):
        """They came back as pictures that hold none either."""
        Z = field.infer(self.X, self.Y)
        Z[3, 4] = np.nan
        with pytest.raises(ValueError, match="Z to be finite"):
            field.apply(Z, self.X)
        for given in ([[[0.5], [0.5, 0.5]]], "many"):
            with pytest.raises(ValueError, match=r"Z of shape \(13, 13, 1\).*to hold numbers"):
                field.apply(given, self.X)

    def test_divergence_is_said(self):
        rng = np.random.default_rng(0)
        image = rng.random((20, 20))
        model = GatedExpertField(3, patch_size=3, learning_rate=30.0, max_iter=200)
        with pytest.warns(ConvergenceWarning, match="diverged after .* learning_rate=30"):
            model.fit(image, 1 - image)
        assert np.isfinite(model.predict(image)).all()

    def test_weights_that_overflow_between_two_looks_are_divergence(self):
        """torch said "Expected p_in >= 0 && p_in <= 1 to be true", and the fit was lost."""
        image = np.random.default_rng(0).random((20, 20))
        model = GatedExpertField(3, patch_size=3, learning_rate=1e20, max_iter=200)
        with pytest.warns(ConvergenceWarning, match="diverged after .* learning_rate=1e[+]20"):
            model.fit(image, 1 - image)
        assert np.isfinite(model.predict(image)).all()

    def test_images_in_other_units_are_refused_where_nothing_is_known(self):
        X, Y = np.random.default_rng(0).random((2, 9, 9))
        model = GatedExpertField(2, patch_size=3, max_iter=3).fit(X, Y)
        with pytest.raises(ValueError, match="GatedExpertField cannot use X: an entry is"):
            model.predict(1e30 * X)
        with pytest.raises(ValueError, match="GatedExpertField cannot use Y: an entry is"):
            model.infer(X, 1e30 * Y)
