"""Maximum variance unfolding by general solvers of convex problems, through cvxpy.

The kernel is a matrix variable, as in the text.  The dual, over the tension of each edge, was tried
too: Clarabel takes as long for it (69 against 71 CPU s at n = 100), and SCS a third longer (5.0
against 3.9 s at n = 50).  Tolerances are the solvers' defaults.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.row import Array
from sidelight.neighbors import neighborhood_graph


def unfold_by_cvxpy(X: Array, n_neighbors: int, solver: str, **options: Any) -> float:
    """Solve max tr K over K ⪰ 0, Σ K = 0, K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖² for neighbours.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The data; their graph must be connected.
    n_neighbors : int
        Of each row; an edge joins two of which either is a neighbour of the other.
    solver : str
        As cvxpy names it.
    **options : object
        Given to the solver.

    Returns
    -------
    float
        The value that the solver reports.
    """
    import cvxpy

    n = len(X)
    upper = sp.coo_array(sp.triu(neighborhood_graph(X, n_neighbors=n_neighbors), 1))
    i, j = upper.coords
    K = cvxpy.Variable((n, n), PSD=True)
    diagonal = cvxpy.diag(K)
    within = diagonal[i] - 2 * K[i, j] + diagonal[j] <= np.asarray(upper.data) ** 2
    problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(K)), [cvxpy.sum(K) == 0, within])
    return float(problem.solve(solver=solver, **options))
