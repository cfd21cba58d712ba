"""Handwritten digits, as many as wanted: smooth random deformations of the 10,000 of MNIST.

Row ``i`` shows image ``i % 10,000``.  The first 10,000 rows are the images as they are; every
other one is moved by a displacement field of its own, a sum of cubic B-splines on a coarse grid
with random coefficients, read off between the pixels.  The first rows are the same for any number
of rows, so that a small set is the beginning of a large one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.linalg
from scipy.interpolate import BSpline

from benchmarks.row import Array
from sidelight.core import FloatArray, over_bands
from sidelight.core.compiler import njit
from sidelight.datasets import load

_SIDE = 28
#: Control points of a displacement field along each side.
_CONTROLS = 6
#: Pixels, the standard deviation of a displacement at the corners.  Where 1.0 costs 0.05 of the
#: accuracy by the nearest other image, 0.7 costs 0.03 and still mixes the copies of images.
_STRENGTH = 0.7
#: Images that are deformed together.
_BLOCK = 10_000


@dataclass(frozen=True)
class DeformedDigits:
    """Pixels from 0 to 1 (or principal components), and the digits they show."""

    X: FloatArray
    y: Array


def deformed_digits(
    n: int, n_components: int | None = None, *, seed: int = 0, strength: float = _STRENGTH
) -> DeformedDigits:
    """Make n digits in float32, as 784 pixels or in their first principal components.

    The principal axes are those of the 10,000 images as they are.

    Examples
    --------
    >>> digits = deformed_digits(12_000, 50)  # doctest: +SKIP
    >>> digits.X.shape, digits.y.shape  # doctest: +SKIP
    ((12000, 50), (12000,))
    """
    images, labels = _mnist()
    X = np.empty((n, images.shape[1] if n_components is None else n_components), np.float32)
    for block, first in enumerate(range(0, n, _BLOCK)):
        pixels = images[: min(_BLOCK, n - first)]
        if block > 0:
            pixels = _deform(pixels, np.random.default_rng((seed, block)), strength)
        if n_components is None:
            X[first : first + _BLOCK] = pixels
        else:
            mean, axes = _principal_axes()
            X[first : first + _BLOCK] = (pixels - mean) @ axes[:, :n_components]
    return DeformedDigits(X, labels[np.arange(n) % len(labels)])


@cache
def _mnist() -> tuple[FloatArray, Array]:
    digits = load("mnist_t10k")
    return digits.X.astype(np.float32), np.asarray(digits.labels)


@cache
def _principal_axes() -> tuple[FloatArray, FloatArray]:
    images = _mnist()[0].astype(np.float64)
    mean = images.mean(axis=0)
    axes = scipy.linalg.eigh((images - mean).T @ (images - mean))[1][:, ::-1]
    return mean.astype(np.float32), axes.astype(np.float32)


def _deform(images: FloatArray, generator: np.random.Generator, strength: float) -> FloatArray:
    """Move what is on the images, each by a field of its own."""
    # all of a block, so that the first rows do not depend on how many are asked for
    controls = generator.standard_normal((_BLOCK, 2, _CONTROLS**2), dtype=np.float32)
    shifts = strength * controls[: len(images)] @ _splines().T
    moved = np.empty_like(images)
    over_bands(lambda first, last: _read(images, shifts, moved, first, last), len(images))
    return moved


@cache
def _splines() -> FloatArray:
    """Values at the pixels (rows) of cubic B-splines on a grid (columns), at most one."""
    places = np.linspace(0.0, _CONTROLS - 3.0, _SIDE)
    knots = np.arange(-3.0, _CONTROLS + 1.0)
    along = BSpline.design_matrix(places.clip(0.0, _CONTROLS - 3.0 - 1e-9), knots, 3).toarray()
    splines = np.kron(along, along)
    return np.asarray(splines / np.sqrt(np.square(splines).sum(axis=1)).max(), np.float32)


@njit(cache=True, nogil=True)
def _read(
    images: FloatArray, shifts: FloatArray, moved: FloatArray, first: int, last: int
) -> None:  # pragma: no cover
    """Read the images beside their pixels, weighting the four pixels around; beyond is black."""
    for i in range(first, last):
        image = images[i]
        for row in range(_SIDE):
            for column in range(_SIDE):
                pixel = row * _SIDE + column
                y = row + shifts[i, 0, pixel]
                x = column + shifts[i, 1, pixel]
                top, left = int(np.floor(y)), int(np.floor(x))
                total = np.float32(0.0)
                for r in range(max(top, 0), min(top + 2, _SIDE)):
                    for c in range(max(left, 0), min(left + 2, _SIDE)):
                        weight = (1.0 - abs(y - r)) * (1.0 - abs(x - c))
                        total += np.float32(weight) * image[r * _SIDE + c]
                moved[i, pixel] = total
