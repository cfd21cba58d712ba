"""Manifields: a loop over sites, sequences and images of any length, what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight

pytest.importorskip("torch", reason="the gated models stand on torch")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from sidelight.gated import BiasedAutoencoder, GatedAutoencoder, Manifield
from sidelight.gated.patches import cut, mean_of_patches


def sine(n, seed, noise=0.3):
    rng = np.random.default_rng(seed)
    clean = np.sin(np.arange(n) / 4 + rng.random())
    return clean + noise * rng.standard_normal(n), clean


@pytest.fixture(scope="module")
def field():
    return Manifield(BiasedAutoencoder(2, max_iter=500), patch_size=7).fit(*sine(300, 0))


@pytest.mark.parametrize(("place", "patch"), [((9,), (4,)), ((6, 7), (3, 2)), ((3, 3), (3, 3))])
def test_patches_are_cut_and_laid(place, patch):
    rng = np.random.default_rng(0)
    signal = rng.standard_normal((*place, 2))
    patches = cut(signal, patch)
    last = signal[tuple(slice(-size, None) for size in patch)]
    np.testing.assert_array_equal(patches[-1], last.ravel())
    chosen = np.array([0, len(patches) - 1])
    np.testing.assert_array_equal(cut(signal, patch, chosen), patches[chosen])
    for bytes_per_patch in (1.0, 1e9):  # all at once, or a row of sites at a time
        back = mean_of_patches(signal, patch, lambda some: some, bytes_per_patch)
        np.testing.assert_allclose(back, signal)


def test_the_mean_of_what_every_site_says(field):
    """The same by a loop over sites and places."""
    x, _ = sine(20, 5)
    says = [[] for _ in x]
    for site in range(len(x) - 6):
        for place, value in enumerate(field.model_.predict(x[None, site : site + 7])[0]):
            says[site + place].append(value)
    np.testing.assert_allclose(field.predict(x), [np.mean(each) for each in says], atol=1e-5)


def test_images_by_a_loop_over_sites():
    rng = np.random.default_rng(0)
    X, Y = rng.random((12, 10, 3)), rng.random((12, 10, 2))
    field = Manifield(GatedAutoencoder(2, encodes="guess", max_iter=20), patch_size=(3, 2))
    field.fit(X, Y)
    new = rng.random((6, 7, 3))
    total, covered = np.zeros((6, 7, 2)), np.zeros((6, 7, 1))
    for i in range(4):
        for j in range(6):
            patch = field.model_.predict(new[i : i + 3, j : j + 2].reshape(1, -1))
            total[i : i + 3, j : j + 2] += patch.reshape(3, 2, 2)
            covered[i : i + 3, j : j + 2] += 1
    np.testing.assert_allclose(field.predict(new), total / covered, atol=1e-5)


def test_noise_goes_at_any_length(field):
    for n in (50, 400):
        seen, clean = sine(n, n)
        assert ((field.predict(seen) - clean) ** 2).mean() < 0.4 * ((seen - clean) ** 2).mean()
    several = field.predict([sine(50, 1)[0], sine(60, 2)[0]])
    assert [len(one) for one in several] == [50, 60]
    np.testing.assert_allclose(several[0], field.predict(sine(50, 1)[0]), atol=1e-6)
    assert field.predict(sine(50, 1)[0][:, None]).shape == (50, 1)


def test_several_images_are_a_list_or_an_array_of_four_dimensions():
    rng = np.random.default_rng(0)
    X, Y = rng.random((5, 9, 8)), rng.random((5, 9, 8))
    field = Manifield(BiasedAutoencoder(2, max_iter=10), patch_size=(3, 3))
    listed = field.fit(list(X), list(Y)).predict(list(X))
    assert [one.shape for one in listed] == [(9, 8)] * 5
    stacked = field.fit(X[..., None], Y[..., None]).predict(X[..., None])
    np.testing.assert_array_equal(stacked[..., 0], listed)
    one = field.fit([X], [Y]).predict([X])[0]  # said to be one, of eight channels
    assert one.shape == X.shape
    np.testing.assert_array_equal(field.predict(X), one)  # of eight, as it was fitted
    colours = field.fit(X[..., :3], Y[..., :3]).predict(X[..., :3])  # one, by its three colours
    assert colours.shape == (5, 9, 3)


def test_several_sequences_are_learned_from():
    pairs = [sine(n, n) for n in (60, 80, 100)]
    X, Y = zip(*pairs, strict=True)
    field = Manifield(BiasedAutoencoder(2, max_iter=10), patch_size=7).fit(X, list(Y))
    few = clone(field).set_params(max_patches=50).fit(X, list(Y))
    assert few.predict(X[0]).shape == (60,)


def test_alone_it_cleans_what_it_learned_clean():
    _, clean = sine(400, 0)
    model = GatedAutoencoder(2, code="linear", noise=0.5, max_iter=500)
    field = Manifield(model, patch_size=9).fit(clean)
    seen, there = sine(200, 3)
    assert ((field.predict(seen) - there) ** 2).mean() < 0.5 * ((seen - there) ** 2).mean()


def test_counts_are_cleaned_by_what_is_guessed():
    """A patch model's own guess of counts is a mean, and was refused as no count."""
    rng = np.random.default_rng(0)
    rate = 5.0 + 4.0 * np.sin(np.arange(400) / 4)
    seen, wanted = (rng.poisson(rate).astype(float) for _ in range(2))
    patches = GatedAutoencoder(2, output="poisson", encodes="guess", max_iter=300)
    field = Manifield(patches, patch_size=7).fit(seen[:200], wanted[:200])
    found = field.predict(seen[200:])
    assert ((found - rate[200:]) ** 2).mean() < 0.5 * ((seen - rate)[200:] ** 2).mean()


def test_saved_and_loaded(field, tmp_path):
    same = sidelight.load(sidelight.save(field, tmp_path / "field.sidelight"))
    x, _ = sine(40, 1)
    np.testing.assert_array_equal(same.predict(x), field.predict(x))


class TestRefusals:
    x, y = sine(30, 0)

    @pytest.mark.parametrize(
        ("parameters", "X", "Y", "match"),
        [
            ({}, x, y[:20], r"places of X, \[\(30,\)\]. Got \[\(20,\)\]"),
            ({}, np.where(x > 0, np.nan, x), y, "contains NaN"),
            ({}, x[:5], y[:5], r"patches of \(7,\), and X holds a sequence of \(5,\)"),
            ({}, np.zeros((3, 3, 3, 3)), None, r"sequences of shape.* shape \(3, 3, 3, 3\)"),
            (
                {"patch_size": (3, 3)},
                np.zeros((5, 9, 9)),
                None,
                r"5 images of 9 × 9 pixels or one of 5 × 9 with 9 channels. Give list\(X\)",
            ),
            ({"patch_size": (3, 3)}, np.zeros((2, 2, 9, 9, 3)), None, r"shape \(2, 2, 9, 9, 3\)"),
            ({}, [], None, "no sequence or image in X"),
            ({}, ["a"], None, "sequences of numbers"),
            ({}, x + 1j * y, y, "X to hold sequences of numbers. Got complex ones"),
            ({}, x, 1e200 * y, "Manifield cannot use Y: its entries"),
            ({}, [np.zeros((9, 1)), np.zeros((9, 2))], None, "as many channels"),
            ({"patch_size": (3, 3)}, x, y, "images of shape"),
            ({"patch_size": 0}, x, y, "'patch_size' parameter of Manifield"),
            ({"model": "best"}, x, y, "'model' parameter of Manifield"),
            ({"model": BiasedAutoencoder}, x, y, "'model' parameter of Manifield"),
            ({"model": Ridge()}, x, None, "Ridge has no transform and no inverse_transform"),
        ],
    )
    def test_what_cannot_be_is_named(self, parameters, X, Y, match):
        with pytest.raises(ValueError, match=match):
            Manifield(**parameters).fit(X, Y)

    def test_new_signals_must_be_like_the_old(self, field):
        with pytest.raises(ValueError, match="fitted with 1 channels. Got 2"):
            field.predict(np.zeros((20, 2)))
        with pytest.raises(NotFittedError):
            Manifield().predict(self.x)
