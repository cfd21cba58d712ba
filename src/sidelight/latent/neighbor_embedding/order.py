"""Points in the order of a curve that fills space: those near in the map are near in memory.

The bits of a point's coordinates, taken in turns, are its place on the Z-order curve [1]_.

References
----------
.. [1] G. Morton (1966), "A computer oriented geodetic data base and a new technique in file
   sequencing".
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray

#: Bits of a coordinate.
_BITS = 16


def morton_order(Y: FloatArray) -> IntArray:
    """Order points along the Z-order curve; ties by index.

    Examples
    --------
    >>> import numpy as np
    >>> morton_order(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]))
    array([2, 3, 0, 1])
    """
    return np.argsort(morton_codes(Y), kind="stable")


def morton_codes(Y: FloatArray) -> IntArray:
    """Places of points on the curve that fills the box around them."""
    from sidelight.latent.neighbor_embedding._order_compiled import interleave

    low, extent = Y.min(axis=0), np.ptp(Y, axis=0)
    cells = (Y - low) / np.where(extent > 0, extent, 1.0) * (2**_BITS - 1)
    codes = np.empty(len(Y), dtype=np.uint64)
    interleave(cells, _BITS, codes)
    return codes


def reordered(graph: sp.csr_array, order: IntArray) -> sp.csr_array:
    """The graph of points in another order."""
    from sidelight.latent.neighbor_embedding._order_compiled import reorder

    rank = np.empty(len(order), dtype=graph.indices.dtype)
    rank[order] = np.arange(len(order), dtype=rank.dtype)
    indptr = np.zeros_like(graph.indptr)
    np.cumsum(np.diff(graph.indptr)[order], out=indptr[1:])
    indices, data = np.empty_like(graph.indices), np.empty_like(graph.data)
    reorder(graph.indptr, graph.indices, graph.data, order, rank, indptr, indices, data)
    return sp.csr_array((data, indices, indptr), shape=graph.shape)
