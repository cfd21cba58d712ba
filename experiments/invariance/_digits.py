"""Handwritten digits at several places of a wider canvas, and what a map makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from sidelight.core import FloatArray, IntArray
from sidelight.datasets import load

SHIFTS = 9


@dataclass(frozen=True)
class Moved:
    """Images of digits, one example of each, at every place."""

    X: FloatArray
    digit: IntArray
    shift: IntArray
    shape: tuple[int, int]


def moved_digits(digits: Sequence[int], seed: int, step: int = 1) -> Moved:
    """Draw an example of each digit and move it to the right, so many pixels at a time."""
    test = load("mnist_t10k")
    assert test.labels is not None
    rng = np.random.default_rng(seed)
    images = test.X.reshape(-1, 28, 28) / test.X.max()
    rows = [rng.choice(np.flatnonzero(np.asarray(test.labels) == digit)) for digit in digits]
    shape = (28, 28 + step * (SHIFTS - 1))
    X = np.zeros((len(rows), SHIFTS, *shape))
    for shift in range(SHIFTS):
        X[:, shift, :, step * shift : step * shift + 28] = images[rows]
    return Moved(
        X.reshape(-1, shape[0] * shape[1]),
        np.repeat(np.asarray(digits), SHIFTS),
        np.tile(np.arange(SHIFTS), len(rows)),
        shape,
    )


def digit_of_nearest(Z: FloatArray, digit: IntArray) -> float:
    """The share of images whose nearest in the map is of the same digit."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    return float(np.mean(digit[D.argmin(axis=1)] == digit))


def order_of_shifts(Z: FloatArray, moved: Moved) -> float:
    """The rank correlation of shifts with the longest axis of a digit, mean of digits."""
    found = []
    for digit in np.unique(moved.digit):
        own = moved.digit == digit
        around = Z[own] - Z[own].mean(axis=0)
        axis = np.linalg.svd(around, full_matrices=False)[2][0]
        found.append(abs(float(spearmanr(around @ axis, moved.shift[own])[0])))
    return float(np.mean(np.nan_to_num(found)))
