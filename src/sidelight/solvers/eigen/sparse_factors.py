"""Sparse factors as operators: the inverse of a matrix, applied to blocks of vectors.

The ordering is minimum degree on the pattern of A + Aᵀ, found to be far better on neighbourhood
graphs than the orderings meant for general matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray

Operator: TypeAlias = Callable[[FloatArray], FloatArray]

#: A sparse factorisation is tried while the widest level of the graph is at most this.
WIDEST_LEVEL = 5000


def _factor(A: Any, diag_pivot_thresh: float) -> Any:
    return splu(
        sp.csc_array(A),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=diag_pivot_thresh,
        panel_size=1,
        options={"SymmetricMode": True},
    )


def inverse_of_symmetric(A: sp.csc_array, shift: float) -> Operator:
    """Factor A + shift·I, with a larger shift whenever a pivot vanishes."""
    n = A.shape[0]
    for _ in range(6):
        try:
            factor = _factor(A + shift * sp.eye_array(n, format="csc"), 0.0)
            if np.all(np.isfinite(factor.solve(np.ones(n)))):
                return lambda block: np.asarray(factor.solve(block))
        except RuntimeError:  # "Factor is exactly singular"
            pass
        shift *= 100
    raise np.linalg.LinAlgError("The matrix could not be factored with any small shift.")


def inverse_of_square(F: sp.csr_array, shift: float) -> Operator | None:
    """Apply the pseudo-inverse of FᵀF through the factors of F, of rank n − 1.

    On what is orthogonal to the null vector of F it is: solve with Fᵀ, take off the left null
    vector, solve with F.
    """
    n = F.shape[0]
    try:
        factor = _factor(F + shift * sp.eye_array(n, format="csr"), 0.01)
    except RuntimeError:  # "Factor is exactly singular"
        return None
    left = np.ones(n)
    for _ in range(2):
        left = factor.solve(left, trans="T")
        left /= np.linalg.norm(left)
    if not np.isfinite(left).all():
        return None

    def apply(block: FloatArray) -> FloatArray:
        middle = factor.solve(np.ascontiguousarray(block), trans="T")
        middle -= np.outer(left, left @ middle)
        return np.asarray(factor.solve(middle))

    return apply


def inverse_of_stiffness(A: Any, *, squared: bool = False) -> Operator | None:
    """Apply the inverse of a stiffness matrix A, or AᵀA, where factors can be had.

    It need not be exact: null vectors make it large, and whoever uses it takes them off.
    """
    if widest_level(A) > WIDEST_LEVEL:
        return None
    size = float(abs(A).sum(axis=1).max())
    return inverse_of_square(A, 1e-12 * size) if squared else inverse_of_symmetric(A, 1e-13 * size)


def widest_level(A: Any) -> int:
    """Measure how wide a graph is: the largest level of a breadth-first search.

    Each level separates what came before from what comes after, so the factor of the matrix has
    a dense block of about that order, and costs about its cube.
    """
    order, _ = breadth_first_order(A, 0, directed=False)
    far = int(order[-1])
    order, predecessors = breadth_first_order(A, far, directed=False)
    # in breadth-first order the parents' positions never decrease: a level ends where the
    # parent's position passes the end of the level before
    position = np.empty(A.shape[0], dtype=np.intp)
    position[order] = np.arange(len(order))
    parent = position[predecessors[order[1:]]]
    start, stop, widest = 0, 1, 1
    while stop < len(order):
        following = 1 + int(np.searchsorted(parent, stop, side="left"))
        start, stop = stop, following
        widest = max(widest, stop - start)
    return widest
