"""The map without a factor, how well things are read off it, and knowledge that is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from sidelight import ConditionalEmbedding, KernelInformationEmbedding
from sidelight.core import FloatArray, IntArray

N_DRAWS = 10
#: Draws that no change of the method was judged by.  Once one is, take others for what is shown.
FIRST_SEED = 7300


def fit(
    X: FloatArray, side: Any = None, conditioning: str = "matching", n_components: int = 2
) -> FloatArray:
    """The map."""
    estimator = ConditionalEmbedding if conditioning == "matching" else KernelInformationEmbedding
    model = estimator(n_components, tol=1e-7)
    return model.fit(X, side=side).embedding_


def with_noise(X: FloatArray, noise: float, seed: int) -> FloatArray:
    """Pictures with white noise."""
    return np.asarray(X + noise * np.random.default_rng(seed).standard_normal(X.shape))


def angle_error(Z: FloatArray, angle: FloatArray, which: IntArray) -> float:
    """Degrees, after one offset per digit and one direction for all."""
    centred = Z - Z.mean(axis=0)
    found, true = np.arctan2(centred[:, 1], centred[:, 0]), np.radians(angle)
    errors = []
    for direction in (1, -1):
        off = np.exp(1j * (found - direction * true))
        turned = [off[which == c] / off[which == c].mean() for c in np.unique(which)]
        errors.append(np.degrees(np.abs(np.angle(np.concatenate(turned)))).mean())
    return float(min(errors))


def same_class_nearby(Z: FloatArray, which: IntArray, apart: Any = None) -> float:
    """How often the nearest other item (among those apart) is of the same class."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    if apart is not None:
        D[~apart] = np.inf
    return float(np.mean(which[D.argmin(axis=1)] == which))


def readable(Z: FloatArray, target: FloatArray) -> float:
    """Cross-validated R² of a prediction from ten neighbours in the map."""
    target = target.reshape(len(Z), -1)
    guess = cross_val_predict(KNeighborsRegressor(10), Z, target, cv=5).reshape(target.shape)
    return float(1 - np.sum((target - guess) ** 2) / np.sum((target - target.mean(axis=0)) ** 2))


def guessed_evenly(Z: FloatArray, labels: Any) -> float:
    """Cross-validated accuracy of the majority of five neighbours, each class counting alike."""
    guess = cross_val_predict(KNeighborsClassifier(5), Z, labels, cv=5)
    return float(balanced_accuracy_score(labels, guess))


def guessed(Z: FloatArray, labels: Any) -> float:
    """Cross-validated accuracy of the majority of five neighbours."""
    return float(np.mean(cross_val_predict(KNeighborsClassifier(5), Z, labels, cv=5) == labels))


def within_types(target: FloatArray, types: Any) -> FloatArray:
    """What is left of columns when the means of the types are taken away."""
    left = target.reshape(len(types), -1).astype(float)
    for kind in np.unique(types):
        left[types == kind] -= left[types == kind].mean(axis=0)
    return left


def shuffled(values: Any, seed: int) -> Any:
    """The same values, each on another row: knowledge that says nothing."""
    return np.random.default_rng([seed, 1]).permutation(values)
