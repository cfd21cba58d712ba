"""Draws of a Gaussian field, given its precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray


def field_from_noise(precision: sp.csr_array, noise: FloatArray) -> FloatArray:
    """Make draws of N(0, P⁻¹) of white noise w, a column each: P⁻¹ Q L D^½ w, P = Q L D Lᵀ Qᵀ.

    Examples
    --------
    Two nodes, each tied to the ground alone.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> P = sp.csr_array([[4.0, 0.0], [0.0, 0.25]])
    >>> field_from_noise(P, np.ones((2, 1))).ravel().tolist()
    [0.5, 2.0]
    """
    factor: Any = splu(
        sp.csc_array(precision),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    pivots = factor.U.diagonal()
    if not (pivots > 0).all():
        raise np.linalg.LinAlgError("The precision of the field is not positive to rounding.")
    ordered = np.empty_like(noise)
    ordered[factor.perm_r] = noise  # each node its own noise, in any ordering
    root = factor.L @ (np.sqrt(pivots)[:, None] * ordered)
    return np.asarray(factor.solve(np.ascontiguousarray(root[factor.perm_r])))
