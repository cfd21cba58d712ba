"""Kernel regressions judged by items that were left out: Σ_i ‖y_i − Σ_{j≠i} w_ij y_j‖²."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sidelight.core import is_sparse
from sidelight.solvers import best_of


def best_predicting(
    widths: Iterable[float], weights_of: Callable[[float], Any], items: Any, left_out: Any
) -> float:
    """Choose the width with whose weights items are best predicted from all others.

    ``weights_of`` gives no item a share in its own prediction.

    Examples
    --------
    On a line the two beside an item predict it best.

    >>> import numpy as np
    >>> line = np.arange(9.0)[:, None]
    >>> apart = np.abs(line - line.T)
    >>> def nearest(k):
    ...     near = (0 < apart) & (apart <= k)
    ...     return near / near.sum(axis=1, keepdims=True)
    >>> best_predicting([4.0, 2.0, 1.0], nearest, line, line)
    1.0
    """
    return best_of(widths, lambda width: prediction_error(weights_of(width) @ items, left_out))


def prediction_error(predicted: Any, items: Any) -> float:
    """Σ ‖y − ŷ‖², dense or sparse."""
    difference = predicted - items
    if is_sparse(difference):
        return float(difference.multiply(difference).sum())
    return float(np.sum(difference**2))
