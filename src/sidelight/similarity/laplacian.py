"""Graph Laplacians: the stiffness matrix of a net of springs between neighbours (section 1.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray
from sidelight.similarity.gaussian import gaussian_similarity


def edge_weights(
    distances: FloatArray, *, weights: str = "binary", width: float | None = None
) -> FloatArray:
    """Turn the distances along edges into weights: one, or the heat kernel exp(−d²/2s²).

    Examples
    --------
    >>> import numpy as np
    >>> edge_weights(np.array([0.0, 1.0]), weights="heat", width=1.0).round(4)
    array([1.    , 0.6065])
    """
    if weights == "binary":
        return np.ones_like(distances, dtype=np.float64)
    if width is None:
        raise ValueError("Heat weights need a width.")
    # far edges keep a trace of weight, so that a connected graph stays connected in float64
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        steps = np.nan_to_num(distances / width)
    return gaussian_similarity(np.square(np.minimum(steps, np.sqrt(600.0))), 2.0)


def heat_width(graph: Any) -> float:
    """Choose the width of the heat kernel: the median length of the graph's edges."""
    positive = graph.data[graph.data > 0]
    return float(np.median(positive)) if positive.size else 1.0


def affinity_from_graph(
    graph: Any,
    *,
    weights: str = "binary",
    width: float | None = None,
    multiplicities: IntArray | None = None,
) -> sp.csr_array:
    """Turn a graph of distances into a graph of weights W."""
    data = edge_weights(np.asarray(graph.data), weights=weights, width=width)
    W = sp.csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
    if multiplicities is not None and np.any(multiplicities != 1):
        scale = sp.diags_array(multiplicities.astype(np.float64))
        W = sp.csr_array(scale @ W @ scale)
    return W


def laplacian_of(W: Any) -> tuple[sp.csr_array, FloatArray]:
    """Form the Laplacian L = R − W, R the diagonal of the row sums of W.

    fᵀ L f = ½ Σ_ij W_ij (f_i − f_j)².

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> L, degrees = laplacian_of(sp.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]])))
    >>> L.toarray()
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    return sp.csr_array(sp.diags_array(degrees) - W), degrees
