"""Products of matrices without rounding: the same bits whatever BLAS does.

Two processors add up a product in different orders and round differently.  Rows of whole numbers
that are not too large have products that need no rounding, in any order.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray

#: Whole numbers up to here are exact in float64.
_BITS = 52


def on_grid(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Round float32 rows so that products between them are exact; with their squared norms."""
    from sidelight.neighbors.search.products._grid_compiled import put_on_grid

    rounded, norms = np.empty_like(rows), np.empty(len(rows), dtype=np.float32)
    nowhere = np.zeros(rows.shape[1], dtype=np.float32)
    put_on_grid(rows, 0, len(rows), nowhere, nowhere, rounded, norms)
    return rounded, norms


def exact_product(A: FloatArray, B: FloatArray) -> FloatArray:
    """Multiply float64 matrices after rounding them to what has an exact product.

    With b bits left for the entries of A, of B and for adding up, rows of A and all of B become
    whole numbers below 2ᵇ of a power of two.
    """
    bits = (_BITS - int(np.ceil(np.log2(A.shape[1])))) // 2
    unit_a = _unit(np.abs(A).max(axis=1, initial=0.0), bits)[:, None]
    unit_b = _unit(np.abs(B).max(axis=0, initial=0.0), bits)
    product: FloatArray = np.rint(A / unit_a) @ np.rint(B / unit_b)
    product *= unit_a
    product *= unit_b
    return product


def _unit(largest: FloatArray, bits: int) -> FloatArray:
    """Find the power of two of which a number is less than so many bits; one for zero."""
    exponents = np.frexp(largest)[1]
    return np.asarray(np.where(largest > 0.0, np.ldexp(1.0, exponents - bits), 1.0))
