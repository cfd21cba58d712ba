"""The locality side of a hybrid: a sparse stiffness L, and what holds new points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray
from sidelight.estimator import Barycentric, Neighborhood, StiffnessKernel
from sidelight.similarity import affinity_from_graph, laplacian_of
from sidelight.spectral.laplacian_eigenmaps import Harmonic
from sidelight.spectral.locally_linear_embedding import mixture_stiffness

#: What LLE adds to its local Gram matrices by default.
_REG = 1e-3


def stiffness_of(method: str, near: Neighborhood, on_disconnected: str) -> StiffnessKernel:
    """N^{−½} L N^{−½}: (I − W)ᵀ(I − W) of mixtures, or the Laplacian of the graph of neighbours."""
    if method == "lle":
        return mixture_stiffness(near, reg=_REG, on_disconnected=on_disconnected)[0]
    L, _ = laplacian_of(affinity_from_graph(near.graph, multiplicities=near.counts))
    root = np.sqrt(near.counts)
    scale = sp.diags_array(1 / root)
    return StiffnessKernel(sp.csr_array(scale @ L @ scale), root)


def holding(method: str, near: Neighborhood, places: FloatArray) -> Any:
    """The rule that gives the middle of the neighbours of a new point, as L sees it."""
    if method == "lle":
        return Barycentric(near.points.known_alone(), near.reach, places, reg=_REG)
    still = np.zeros(places.shape[1])
    return Harmonic(near.points, near.reach, places, still, near.counts, "binary", None, True)
