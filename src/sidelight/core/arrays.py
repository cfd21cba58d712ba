"""Names for the array types that pass between the stages, and rows cut into blocks."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
ComplexArray: TypeAlias = npt.NDArray[np.complexfloating[Any, Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ArrayLike: TypeAlias = npt.ArrayLike


def is_sparse(X: Any) -> bool:
    """Tell whether X is a sparse array or matrix (without narrowing its type)."""
    return bool(sp.issparse(X))


def for_walks(graph: Any) -> Any:
    """A sparse graph with indices of 32 bits, which SciPy's shortest paths and trees ask for.

    SciPy makes them so itself from 1.17 on.

    Examples
    --------
    >>> edges = (np.array([0, 1]), np.array([1, 2]))
    >>> for_walks(sp.csr_array((np.ones(2), edges), shape=(3, 3))).indices.dtype
    dtype('int32')
    """
    found = graph.tocsr()
    if found.indices.dtype == np.int32 or max(found.nnz, *found.shape) > np.iinfo(np.int32).max:
        return found
    places = (found.indices.astype(np.int32), found.indptr.astype(np.int32))
    return sp.csr_array((found.data, *places), shape=found.shape)


def row_blocks(n_rows: int, bytes_per_row: float, budget: float = 3.2e7) -> list[slice]:
    """Cut rows into blocks whose temporaries stay within a budget.

    Examples
    --------
    >>> row_blocks(5, 8, budget=16)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, int(budget // max(bytes_per_row, 1.0)))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def shares(n_rows: int, n_shares: int) -> list[slice]:
    """Cut rows into so many blocks, of equal length but for the last.

    Examples
    --------
    >>> shares(5, 2)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return row_blocks(n_rows, 1.0, budget=max(1, -(-n_rows // n_shares)))


def comparable(values: FloatArray) -> FloatArray:
    """Values as parts of the largest, in single precision: equal where rounding alone tells them.

    For what is sorted or compared after sums whose order is the processor's.

    Examples
    --------
    >>> import numpy as np
    >>> bool(np.diff(comparable(np.array([0.1 + 0.2, 0.3])))[0] == 0)
    True
    """
    largest = float(np.abs(values).max(initial=0.0))
    return np.asarray(values / (largest or 1.0)).astype(np.float32)


def as_dense(X: Any) -> FloatArray:
    """Write out a sparse array; leave a dense one as it is."""
    return np.asarray(X.toarray() if is_sparse(X) else X)


def unmasked(X: Any) -> Any:
    """An array whose masked entries are missing, NaN; any other as it is.

    NumPy itself takes what is under the mask for numbers wherever it makes a plain array of one.

    Examples
    --------
    >>> unmasked(np.ma.masked_greater([1, 2, 99], 9))
    array([ 1.,  2., nan])
    """
    if not isinstance(X, np.ma.MaskedArray) or not np.ma.is_masked(X) or X.dtype.kind not in "biuf":
        return X
    numbers: Any = X if X.dtype.kind == "f" else X.astype(np.float64)
    return numbers.filled(np.nan)


def owned(X: Any, given: Any) -> Any:
    """X in memory of its own: what the caller does with his array later changes no model."""
    if is_sparse(X):
        his = getattr(given, "data", None)  # not all formats have one
        shared = isinstance(his, np.ndarray) and np.may_share_memory(X.data, his)
    else:
        shared = hasattr(given, "__array__") and np.may_share_memory(X, np.asarray(given))
    return X.copy() if shared else X
