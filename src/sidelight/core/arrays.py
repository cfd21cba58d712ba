"""Names for the array types that pass between the stages."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
ComplexArray: TypeAlias = npt.NDArray[np.complexfloating[Any, Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
SparseMatrix: TypeAlias = sp.csr_array
ArrayLike: TypeAlias = npt.ArrayLike


def is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse array or matrix (without narrowing its type)."""
    return bool(sp.issparse(X))
