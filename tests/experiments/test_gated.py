"""Photographs enlarged and moved: what the experiments stand on."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from experiments.gated._enlarging import (
    LARGE,
    TIMES,
    all_larger,
    from_blocks,
    in_blocks,
    in_eight_ways,
    larger,
    lessons,
    patches,
    smaller,
)
from experiments.gated._patch_models import BeyondLinear
from experiments.gated._photographs import WAYS, turned, turned_back

pytest.importorskip("PIL", reason="images are resized by pillow")


def photograph(seed: int = 0, side: int = 64) -> np.ndarray:
    return np.random.default_rng(seed).random((side, side + 32))


def test_patches_are_the_small_ones_of_the_large_ones() -> None:
    image = photograph()
    seen, truth = patches(image, 30, np.random.default_rng(1))
    inner = np.stack([smaller(one) for one in truth])[:, 3:-3, 3:-3]
    assert truth.shape == (30, LARGE, LARGE)
    # away from the border, where a patch alone does not know what lies beside it
    assert np.allclose(inner, seen[:, 3:-3, 3:-3], atol=1e-6)


def test_patches_are_enlarged_each_by_itself() -> None:
    small = np.random.default_rng(0).random((3, 8, 8))
    assert np.allclose(all_larger(small), [larger(one) for one in small], atol=1e-6)


def test_blocks_are_pixels_of_their_place() -> None:
    image = photograph()
    blocks = in_blocks(image)
    assert np.array_equal(blocks[2, 3], image[8:12, 12:16].ravel())
    assert np.array_equal(from_blocks(blocks), image)


def test_eight_ways_are_eight_and_lead_back() -> None:
    images = np.random.default_rng(0).random((2, 5, 5))
    ways = [turned(images, way) for way in WAYS]
    assert len({one.tobytes() for one in ways}) == 8
    for way, one in zip(WAYS, ways, strict=True):
        assert np.array_equal(turned_back(one, way), images)


def test_the_mean_of_eight_ways_turns_with_its_image() -> None:
    image = photograph()

    def lopsided(image: np.ndarray) -> np.ndarray:
        return image * np.arange(image.shape[1]) ** 2

    made = in_eight_ways(lopsided, image)
    assert not np.allclose(turned(lopsided(image), 1), lopsided(turned(image, 1)))
    for way in WAYS:
        assert np.allclose(turned(made, way), in_eight_ways(lopsided, turned(image, way)))


def test_lessons_are_the_images_turned_at_every_size() -> None:
    found = lessons([photograph(0), photograph(1)], (1.0, 0.7))
    assert len(found) == 2 * 2 * 8
    assert all(side % TIMES == 0 for image in found for side in image.shape)
    assert {image.shape for image in found} == {(64, 96), (96, 64), (44, 64), (64, 44)}


@pytest.mark.parametrize("n_axes", [1, 3])
def test_beyond_a_linear_map_is_what_the_model_learns_of_what_is_left(n_axes: int) -> None:
    """Squares, that no linear map gives, by a linear model of rows that have them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6)) @ rng.standard_normal((6, 6))
    X -= X.mean(axis=0)
    Y = X @ rng.standard_normal((6, 4)) + (X**2)[:, :3] @ rng.standard_normal((3, 4))

    class OfSquares(LinearRegression):
        def fit(self, X: np.ndarray, Y: np.ndarray) -> OfSquares:
            assert np.allclose(X.T @ X / len(X), np.eye(6), atol=1e-4)
            return super().fit(self.with_squares(X), Y)

        def predict(self, X: np.ndarray) -> np.ndarray:
            return super().predict(self.with_squares(X))

        def with_squares(self, X: np.ndarray) -> np.ndarray:
            return np.hstack([X, (X[:, :, None] * X[:, None]).reshape(len(X), -1)])

    model = BeyondLinear(OfSquares(), n_axes).fit(X, Y)
    left = Y - Ridge(0.1, fit_intercept=False).fit(X, Y).predict(X)
    axes = np.linalg.svd(left, full_matrices=False)[2]
    unseen = left - left @ axes[:n_axes].T @ axes[:n_axes]
    assert np.allclose(Y - model.predict(X), unseen, atol=1e-3 * left.std())
    assert (n_axes == 3) == bool(np.abs(unseen).max() < 0.01 * left.std())


@pytest.fixture(scope="module")
def fields() -> Any:
    pytest.importorskip("torch", reason="the gated models stand on torch")
    return importlib.import_module("experiments.gated.transformation_fields")


def test_panned_parts_are_the_photograph_moved(fields: Any) -> None:
    """Where goals say that a pixel goes is the pixel of the input, in one contrast."""
    images = [photograph(0), np.full((40, 40), 0.5), photograph(1)]
    pairs = fields.panned_pairs(np.random.default_rng(0), images, 60)
    assert 30 <= len(pairs.X) < 60  # those of the second have nothing in them
    assert np.allclose(pairs.X.std(axis=1), 1)
    assert np.allclose(pairs.X.mean(axis=1), 0)
    goals = pairs.goals().round().astype(int)
    inside = ((goals >= 0) & (goals < fields.SIDE)).all(axis=2)
    numbers = goals[..., 0] * fields.SIDE + goals[..., 1]
    there = np.take_along_axis(pairs.Y, np.where(inside, numbers, 0), axis=1)
    assert np.allclose(there[inside], pairs.X[inside])
    assert {tuple(t) for t in np.abs(pairs.t)} >= {(0, 2), (2, 2), (1, 0)}


def test_stretched_axes_are_of_one_length(fields: Any) -> None:
    rows = np.random.default_rng(0).standard_normal((300, 5)) * [5, 4, 3, 2, 1]
    rows -= rows.mean(axis=0)
    plain, stretched = (fields.Axes.of(rows, 3, stretched=s) for s in (False, True))
    assert np.allclose(np.cov(stretched(rows).T), np.eye(3))
    assert np.allclose(plain(rows), stretched(rows) * stretched.lengths)
    assert np.allclose(plain.components @ plain.components.T, np.eye(3))


def test_machines_learn_in_passing_every_batch_of_their_course(fields: Any) -> None:
    course = fields.Course(6, ((0.03, 100), (0.01, 50)))
    rng = np.random.default_rng(0)
    axes, machine = fields.learned_in_passing([photograph()], rng, 0, course)
    assert machine.n_iter_ == 150
    assert machine.learning_rate == 0.01
    assert axes.components.shape == (6, fields.SIDE**2)
