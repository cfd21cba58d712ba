"""The data of the benchmarks: made from a seed, or real; the same every time."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy.linalg
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.metrics import pairwise_distances

from benchmarks.deformed_digits import deformed_digits
from benchmarks.row import Array, Problem
from sidelight.datasets import load


def _scale_gamma(X: Array) -> float:
    return float(1.0 / (X.shape[1] * X.var()))


def swiss_roll(n: int, draw: int = 0) -> Problem:
    """Make scikit-learn's Swiss roll; the truth is arc length × height."""
    X, angle = make_swiss_roll(n, random_state=draw)
    arc_length = (angle * np.sqrt(1 + angle**2) + np.arcsinh(angle)) / 2
    truth = np.column_stack([arc_length, X[:, 1]])
    return Problem(X, truth=truth, gamma=_scale_gamma(X))


@cache
def _mnist() -> Array:
    return load("mnist_t10k").X


@cache
def _mnist_components() -> Array:
    centred = _mnist() - _mnist().mean(axis=0)
    _, directions = scipy.linalg.eigh(centred.T @ centred, subset_by_index=(784 - 30, 783))
    return np.ascontiguousarray(centred @ directions[:, ::-1])


def mnist_30(n: int) -> Problem:
    """Take the first MNIST test images, in their 30 principal components."""
    X = _mnist_components()[:n].copy()
    return Problem(X, gamma=_scale_gamma(X))


def mnist_pixels(n: int) -> Problem:
    """Take MNIST test images; beyond 10,000 rows the same ones again, with noise."""
    return Problem(_noisy_copies(_mnist(), n))


def mnist_pixels_single(n: int) -> Problem:
    """Take the pixels in float32."""
    return Problem(_noisy_copies(_mnist().astype(np.float32), n))


def _noisy_copies(images: Array, n: int) -> Array:
    X = images[np.arange(n) % len(images)]
    copies = X[len(images) :]
    noise = np.random.default_rng(0).standard_normal(copies.shape, dtype=np.float32)
    copies += 0.1 * noise.astype(X.dtype, copy=False)
    return X


def oil_flow(n: int) -> Problem:
    """Take rows of the oil flow, 1,000 at most."""
    return Problem(load("oil_flow").X[:n])


def digits(n: int) -> Problem:
    """Take scikit-learn's 8 × 8 digits, 1,797 at most."""
    X = load_digits().data[:n]
    return Problem(X, gamma=_scale_gamma(X))


def labelled_digits(n: int) -> Problem:
    """Take the 8 × 8 digits with what they show."""
    X, labels = load_digits(return_X_y=True)
    return Problem(X[:n], labels=labels[:n])


def cells(n: int) -> Problem:
    """Take single blood cells by the logarithms of 765 genes' counts, 700 at most."""
    found = load("pbmc68k_reduced")
    return Problem(found.X[:n], labels=np.asarray(found.labels)[:n])


def digits_50(n: int) -> Problem:
    """Take handwritten digits, beyond 10,000 deformed, in 50 components."""
    found = deformed_digits(n, 50)
    return Problem(found.X, labels=found.y)


def digits_784(n: int) -> Problem:
    """Take such digits by their pixels."""
    found = deformed_digits(n)
    return Problem(found.X, labels=found.y)


def low_rank(n: int) -> Problem:
    """Make rows of 784 features: 60 directions of falling variance, and noise."""
    return Problem(_low_rank(n, np.float64))


def low_rank_single(n: int) -> Problem:
    """Make such rows in float32."""
    return Problem(_low_rank(n, np.float32))


def _low_rank(n: int, dtype: type[np.float32] | type[np.float64]) -> Array:
    rng = np.random.default_rng(0)
    spread = 10.0 / np.arange(1, 61)
    loadings = np.linalg.qr(rng.standard_normal((784, 60)))[0] * spread
    X: Array = 0.02 * rng.standard_normal((n, 784), dtype=dtype)
    X += rng.standard_normal((n, 60), dtype=dtype) @ loadings.T.astype(dtype)
    return X


def city_block_roll(n: int) -> Problem:
    """Make a table of city-block distances in the Swiss roll: not Euclidean."""
    return Problem(pairwise_distances(swiss_roll(n).X, metric="cityblock"))


def mnist_distances(n: int) -> Problem:
    """Make the table of Euclidean distances between MNIST images."""
    return Problem(pairwise_distances(mnist_30(n).X))


def nothing(n: int) -> Problem:
    """Make nothing, for work without data."""
    return Problem(np.zeros((n, 1)))
