"""Numbers whose squares can still be squared."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sidelight.core.arrays import is_sparse

#: Fourth powers of larger numbers overflow, and those of the inverse vanish.
LARGEST = 1e70
#: The same of numbers in single precision.
_LARGEST_SINGLE = 1e9


def of_moderate_size(X: Any, *, who: str, name: str = "X") -> Any:
    """Refuse numbers whose fourth powers overflow, or vanish; in single precision, double it.

    Examples
    --------
    >>> import numpy as np
    >>> of_moderate_size(np.float32([[1e12]]), who="PCA").dtype
    dtype('float64')
    """
    entries = X.data if is_sparse(X) else X
    if not entries.size:
        return X
    # not abs(X).max(), which would make a copy; holes are no numbers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of nothing but holes
        largest = max(float(np.nanmax(entries)), -float(np.nanmin(entries)))
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        raise ValueError(
            f"{who} cannot use {name}: its entries must be between {1 / LARGEST:g} and "
            f"{LARGEST:g} in size, or squared distances are lost. The largest is {largest:.3g}. "
            f"Measure in other units: {name} / {largest:.1g}."
        )
    limit = _LARGEST_SINGLE
    single = X.dtype == np.float32 and (largest > limit or 0 < largest < 1 / limit)
    return X.astype(np.float64) if single else X
