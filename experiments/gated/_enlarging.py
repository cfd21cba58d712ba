"""Images at a quarter of their size and enlarged again, in blocks, in patches, and turned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from experiments.gated._photographs import WAYS, turned, turned_back
from sidelight.core import FloatArray

TIMES, SMALL = 4, 8
LARGE = TIMES * SMALL


def resized(image: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Bicubic, smoothed first where it gets smaller."""
    from PIL import Image

    picture = Image.fromarray(image.astype(np.float32))
    return np.asarray(picture.resize(shape[::-1], Image.Resampling.BICUBIC), dtype=np.float64)


def smaller(image: FloatArray) -> FloatArray:
    """At a quarter of its size."""
    return resized(image, (image.shape[0] // TIMES, image.shape[1] // TIMES))


def larger(image: FloatArray) -> FloatArray:
    """Enlarged again, without knowing anything."""
    return resized(image, (image.shape[0] * TIMES, image.shape[1] * TIMES))


def all_larger(small: FloatArray) -> FloatArray:
    """Square patches, each enlarged by itself: a linear map of their pixels."""
    side = small.shape[-1]
    of_one = np.stack([larger(one.reshape(side, side)) for one in np.eye(side * side)])
    return np.asarray(np.tensordot(small.reshape(len(small), -1), of_one, axes=1))


def in_blocks(image: FloatArray) -> FloatArray:
    """The 4 × 4 pixels that lie in each small one, as its channels."""
    height, width = image.shape[0] // TIMES, image.shape[1] // TIMES
    blocks = image.reshape(height, TIMES, width, TIMES).transpose(0, 2, 1, 3)
    return blocks.reshape(height, width, TIMES**2)


def from_blocks(blocks: FloatArray) -> FloatArray:
    """And back."""
    height, width = blocks.shape[:2]
    laid = blocks.reshape(height, width, TIMES, TIMES).transpose(0, 2, 1, 3)
    return laid.reshape(height * TIMES, width * TIMES)


def patches(image: FloatArray, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Small patches at random places, and the large ones that they were made from."""
    small = smaller(image)
    rows, columns = (rng.integers(0, side - SMALL + 1, n) for side in small.shape)
    seen = sliding_window_view(small, (SMALL, SMALL))[rows, columns]
    return seen, sliding_window_view(image, (LARGE, LARGE))[TIMES * rows, TIMES * columns]


def in_eight_ways(enlarge: Callable[[FloatArray], FloatArray], images: FloatArray) -> FloatArray:
    """The mean of what is made of images turned and mirrored, each turned back."""
    made = [turned_back(enlarge(turned(images, way)), way) for way in WAYS]
    return np.asarray(np.mean(made, axis=0))


def lessons(images: list[FloatArray], reductions: tuple[float, ...]) -> list[FloatArray]:
    """Each at several sizes, turned and mirrored: edges of more kinds than it has."""
    found = []
    for image in images:
        for part in reductions:
            height, width = (int(side * part) // TIMES * TIMES for side in image.shape)
            less = image if part == 1 else resized(image, (height, width))
            found += [np.ascontiguousarray(turned(less, way)) for way in WAYS]
    return found
