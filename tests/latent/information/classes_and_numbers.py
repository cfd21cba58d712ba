"""Rows in which a class and a number show, beside what is to be found."""

from __future__ import annotations

import numpy as np


def classes_and_numbers(n=60, seed=2):
    """Rows, their classes and their numbers."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["a", "b"])[rng.integers(2, size=n)]
    numbers = rng.uniform(-2, 2, n)
    X = np.column_stack([3.0 * (kinds == "a"), 2.0 * numbers, rng.standard_normal(n)])
    return X, kinds, numbers
