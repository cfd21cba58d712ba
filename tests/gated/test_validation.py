"""Pairs of the user that judge: the best on them is kept, and learning ends where nothing helps."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

pytest.importorskip("torch", reason="the gated models stand on torch")

from sidelight.gated import (
    BiasedAutoencoder,
    GatedAutoencoder,
    GatedBoltzmannMachine,
    GatedExpertField,
    Manifield,
)
from tests.gated.turning import turned

X, Y, _ = turned(60, 0)
OTHERS = turned(40, 1)[:2]
IMAGES = np.random.default_rng(0).random((2, 12, 12))


def ends_after_patience(model):
    return model.n_iter_ == 25 * model.history_.argmin() + model.n_iter_no_change


def test_the_best_machine_on_the_pairs_given_is_kept():
    """Few pairs and many units are learned by heart; the error on others is that of the history."""
    model = GatedBoltzmannMachine(20, max_iter=600, n_iter_no_change=100)
    model.fit(X, Y, validation=OTHERS)
    there, became = OTHERS
    left = (became - model.apply(model.infer(there, became), there)) ** 2
    assert left.sum(axis=1).mean() == pytest.approx(model.history_.min(), rel=1e-4)
    assert ends_after_patience(model)


@pytest.mark.parametrize("Model", [GatedAutoencoder, BiasedAutoencoder])
def test_an_auto_encoder_ends_where_the_pairs_given_say_so(Model):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 60, 8))
    model = Model(5, max_iter=1500, n_iter_no_change=100)
    model.fit(x, y, validation=(x[::2], rng.standard_normal((30, 8))))
    assert ends_after_patience(model)
    assert model.n_iter_ < 1500


@pytest.mark.parametrize("Model", [GatedBoltzmannMachine, GatedAutoencoder])
def test_rows_that_stand_alone_are_judged_by_rows(Model):
    """The judges are the rows kept by a fraction, given by hand: the same first error."""
    model = Model(3, max_iter=1)
    judged = model.fit(X, validation=X).history_[0]
    every = Model(3, max_iter=1, batch_size=len(X)).fit(X).history_[0]
    assert judged == pytest.approx(every, rel=1e-5)
    assert model.fit(X, validation=X[:5]).history_[0] != pytest.approx(every, rel=1e-5)


def test_a_field_ends_where_the_images_given_say_so():
    """What becomes of the others is nothing that can be learned."""
    rng = np.random.default_rng(0)
    model = GatedExpertField(
        4, patch_size=3, batch_size=3, learning_rate=0.1, max_iter=600, n_iter_no_change=50
    )
    first, second = IMAGES
    model.fit(first, 1 - first, validation=(second, rng.random((12, 12))))
    assert ends_after_patience(model)
    assert model.n_iter_ < 600


def test_a_manifield_hands_its_patches_on():
    first, second = IMAGES
    field = Manifield(BiasedAutoencoder(3, n_iter_no_change=50), patch_size=(3, 3))
    field.fit(first, 1 - first, validation=(second, first))
    assert ends_after_patience(field.model_)
    alone = Manifield(BiasedAutoencoder(3, n_iter_no_change=50, max_iter=60), patch_size=(3, 3))
    assert alone.fit(first, validation=second).model_.n_iter_ == 60


def test_what_cannot_judge_is_named():
    first, second = IMAGES
    model = GatedBoltzmannMachine(3, max_iter=1)
    for given in (X, (X, Y, Y), (X, None)):
        with pytest.raises(ValueError, match=r"'validation' argument .* a tuple \(X, Y\)"):
            model.fit(X, Y, validation=given)
    with pytest.raises(ValueError, match="'validation' argument .* rows, without Y"):
        model.fit(X, validation=(X, Y))
    with pytest.raises(ValueError, match="features"):
        model.fit(X, Y, validation=(X[:, :3], Y))
    with pytest.raises(ValueError, match="'validation_fraction' .* no effect with validation="):
        GatedBoltzmannMachine(3, validation_fraction=0.1).fit(X, Y, validation=OTHERS)
    with pytest.raises(ValueError, match=r"'validation' argument .* a tuple \(X, Y\)"):
        GatedExpertField(2, patch_size=3).fit(first, second, validation=first)
    with pytest.raises(ValueError, match="'n_iter_no_change' .* without validation= in fit"):
        GatedExpertField(2, patch_size=3, n_iter_no_change=7).fit(first, second)
    ridge = Manifield(Ridge(), patch_size=(3, 3))
    with pytest.raises(ValueError, match="judged while they learn, and Ridge cannot"):
        ridge.fit(first, second, validation=(first, second))
    with pytest.raises(ValueError, match=r"'validation' argument .* a tuple \(X, Y\)"):
        Manifield(patch_size=(3, 3)).fit(first, second, validation=first)
