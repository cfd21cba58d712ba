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


def of_moderate_size(X: Any, *, who: str, name: str = "X", limit: float = LARGEST) -> Any:
    """Refuse numbers whose fourth powers overflow, or vanish; in single precision, double it.

    Those who need no more than squares say so by a limit of their own.

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
    if largest > limit or 0 < largest < 1 / limit:
        raise ValueError(
            f"{who} cannot use {name}: its entries must be between {1 / limit:g} and "
            f"{limit:g} in size, or squared distances are lost. The largest is {largest:.3g}. "
            f"Measure in other units: {name} / {largest:.1g}."
        )
    most = _LARGEST_SINGLE
    single = X.dtype == np.float32 and (largest > most or 0 < largest < 1 / most)
    return X.astype(np.float64) if single else X
