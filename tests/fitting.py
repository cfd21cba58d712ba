"""Fits that many tests begin with, made once: each test gets a copy of its own."""

from __future__ import annotations

import warnings
from copy import deepcopy
from hashlib import sha256
from typing import Any

import numpy as np
from sklearn.base import clone

_MADE: dict[tuple[Any, ...], tuple[Any, list[warnings.WarningMessage], Any]] = {}


#: A semidefinite program with fewer neighbours has fewer constraints.
_FEW_NEIGHBORS = {"SemidefiniteEmbedding": 5, "ActionRespectingEmbedding": 5}


def cheap(entry: Any) -> Any:
    """An estimator of the registry for tests of what is around it: a fit takes little time."""
    estimator = entry.load()()
    if entry.name in _FEW_NEIGHBORS:
        estimator.set_params(n_neighbors=_FEW_NEIGHBORS[entry.name])
    return estimator


def fitted(estimator: Any, X: np.ndarray, side: Any = None) -> Any:
    """A clone of an estimator, fitted; what it warned of is said again each time.

    For fits that a test starts from, not for those that it is about.
    """
    settings = sorted(estimator.get_params().items())
    rows = sha256(np.ascontiguousarray(X).tobytes()).hexdigest()
    key = (type(estimator), repr(settings), rows, X.shape, X.dtype.str, id(side))
    if key not in _MADE:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            made = clone(estimator).fit(X, side=side)
        _MADE[key] = (made, said, side)  # what is known is kept, and so its identity
    made, said, _ = _MADE[key]
    for warning in said:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return deepcopy(made)
