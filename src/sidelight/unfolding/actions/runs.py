"""The variance within runs: what action respecting embedding maximises."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.core.arrays import FloatArray, IntArray


def run_scatter(nodes: IntArray, transitions: IntArray, kinds: IntArray) -> FloatArray:
    """Give the matrix C whose ⟨C, K⟩ is the scatter within maximal runs of one action.

    A run is a stretch of a walk along which one action is repeated.  With H_r the matrix that
    centres the rows of run r,

        ⟨C, K⟩ = Σ_r tr(H_r K_r) = Σ_r Σ_{i ∈ r} ‖z_i − z̄_r‖².

    Examples
    --------
    Two steps on and one aside: runs of three frames and of two.

    >>> import numpy as np
    >>> walk = np.array([[0, 1], [1, 2], [2, 3]])
    >>> C = run_scatter(np.arange(4), walk, np.array([0, 0, 1]))
    >>> z = np.array([0.0, 1.0, 2.0, 5.0])
    >>> float((z @ C @ z).round(6)) == 2.0 + 4.5
    True
    """
    new = np.ones(len(kinds), dtype=bool)
    new[1:] = (np.diff(kinds) != 0) | (transitions[1:, 0] != transitions[:-1, 1])
    run = np.cumsum(new) - 1
    rows = np.concatenate([transitions[new, 0], transitions[:, 1]])
    runs = np.concatenate([np.arange(int(run[-1]) + 1), run])
    n = int(nodes.max()) + 1
    counts = sp.csr_array((np.ones(len(rows)), (runs, nodes[rows])), shape=(int(run[-1]) + 1, n))
    lengths = np.asarray(counts.sum(axis=1))
    within = (counts.T @ sp.diags_array(1.0 / lengths) @ counts).toarray()
    return np.asarray(np.diag(np.asarray(counts.sum(axis=0))) - within)
