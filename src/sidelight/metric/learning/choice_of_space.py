"""Choose the space in which to learn: exact where that is affordable, spanned by rows beyond."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.linalg

from sidelight.core import FloatArray, IntArray, NotEuclideanWarning
from sidelight.metric.learning.pair_graph import spanning_forest
from sidelight.metric.learning.space import FeatureSpace, KernelSpace, Space, SpannedSpace
from sidelight.similarity import Kernel, kernel_matrix, require_finite_kernel

#: Up to this many features a metric is learned on all of them.
MOST_FEATURES = 1024
#: Up to this many rows their span is taken whole; beyond, they are represented by a draw.
BACKGROUND_ROWS = 500
#: Directions in which the background is represented.
BACKGROUND_WIDTH = 128
#: Differences of pairs that are spanned exactly; more of them are sketched by random mixtures.
MOST_DIFFERENCES = 1024
#: Rows that a kernel is expanded in.
MOST_KERNEL_ROWS = 1500
#: Eigenvalues of a kernel below this fraction of the largest are rounding.
KERNEL_RANK = 1e-11


def draw_background(n_samples: int, rng: np.random.Generator) -> IntArray:
    """Draw rows that stand for all of them."""
    if n_samples <= BACKGROUND_ROWS:
        return np.arange(n_samples)
    return np.sort(rng.choice(n_samples, size=BACKGROUND_ROWS, replace=False))


def open_features(
    X: FloatArray, pairs: IntArray, background: IntArray, rng: np.random.Generator, *, exact: bool
) -> Space:
    """Choose between all features and the span of the pairs' differences and the background.

    The optimum of every metric that is learned from pairs is a multiple of I outside the span of
    their differences and of the rows, so nothing is lost where that span is taken whole.
    """
    n, p = X.shape
    if len(background) == n and 2 * n <= p:
        return SpannedSpace(np.linalg.qr((X - X.mean(axis=0)).T)[0])
    if p <= MOST_FEATURES:
        return FeatureSpace(p)
    forest = spanning_forest(pairs)
    differences = X[forest[:, 0]] - X[forest[:, 1]]
    if len(differences) > MOST_DIFFERENCES and not exact:
        differences = rng.standard_normal((MOST_DIFFERENCES, len(differences))) @ differences
    rows = X[background] - X[background].mean(axis=0)
    if len(rows) > BACKGROUND_WIDTH:  # a range finder with one power iteration
        mixtures = rng.standard_normal((BACKGROUND_WIDTH, len(rows))) @ rows
        rows = (mixtures @ rows.T) @ rows
        rows = rows / max(float(np.abs(rows).max()), np.finfo(float).tiny)
    if len(differences) + len(rows) >= p:
        return FeatureSpace(p)
    return SpannedSpace(np.linalg.qr(np.vstack([differences, rows]).T)[0])


def open_kernel(
    X: FloatArray, kernel: Kernel | None, named: IntArray, rng: np.random.Generator, *, who: str
) -> tuple[KernelSpace, FloatArray]:
    """Span a kernel's feature space by the named rows and a draw of the others."""
    n = X.shape[0]
    if n <= MOST_KERNEL_ROWS:
        chosen = np.arange(n)
    else:
        named = rng.permutation(named)[: MOST_KERNEL_ROWS - BACKGROUND_ROWS]
        others = np.setdiff1d(np.arange(n), named)
        drawn = rng.choice(others, size=MOST_KERNEL_ROWS - len(named), replace=False)
        chosen = np.sort(np.concatenate([named, drawn]))
    rows: Any = chosen if kernel is None else X[chosen]
    K = X[np.ix_(chosen, chosen)] if kernel is None else kernel_matrix(kernel, X[chosen])
    require_finite_kernel(K, who=who)
    values, vectors = scipy.linalg.eigh((K + K.T) / 2, check_finite=False)
    largest = max(float(values[-1]), 0.0)
    if values[0] < -1e-6 * largest:
        warnings.warn(
            f"The kernel of {who} is not positive semidefinite: its smallest eigenvalue is "
            f"{values[0]:.2g}, its largest {largest:.2g}. The negative part is dropped.",
            NotEuclideanWarning,
            stacklevel=4,
        )
    keep = values > KERNEL_RANK * largest
    values, vectors = values[keep], vectors[:, keep]
    space = KernelSpace(kernel, rows, np.asarray(vectors / np.sqrt(values)))
    return space, np.asarray(vectors * np.sqrt(values))
