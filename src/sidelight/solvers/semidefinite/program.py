"""A problem about a kernel, as a value: what is maximised, and what is asked of its distances.

    max_K,ξ ⟨C, K⟩ − Σ_q ξ_q² / 2s_q
    over  K ⪰ 0,  Σ_j K_ij = 0,  Σ_p A_qp D_p ≤ b_q + ξ_q  (or = b_q + ξ_q),

D_p = K_ii − 2K_ij + K_jj the squared distance of the pair p = (i, j), ξ_q = 0 where s_q = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.solvers.semidefinite.constraints import PairConstraints


class Objective(Protocol):
    """A variance that is to be large."""

    def matrix(self) -> FloatArray:
        """Give C, (n, n): the variance is ⟨C, K⟩."""
        ...

    def merged(self, node: IntArray) -> Objective:
        """Count points that coincide as one."""
        ...


@dataclass(frozen=True)
class Variance:
    """The variance of all points, Σ_i c_i ‖z_i − z̄‖²: tr K of the rows, where c counts them.

    Examples
    --------
    >>> import numpy as np
    >>> Variance(np.ones(2)).matrix()
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    mass: FloatArray

    def matrix(self) -> FloatArray:
        """Give C = diag(c) − c cᵀ / Σ c."""
        return np.asarray(np.diag(self.mass) - np.outer(self.mass, self.mass) / self.mass.sum())

    def merged(self, node: IntArray) -> Variance:
        """Add up the masses of points that coincide."""
        return Variance(np.bincount(node, weights=self.mass).astype(np.float64))


@dataclass(frozen=True)
class VarianceWithin:
    """The variance within groups of points, Σ_r Σ_{i ∈ r} ‖z_i − z̄_r‖².

    ``groups`` says how often each point occurs in each group, (n_groups, n).

    Examples
    --------
    Two groups on a line: three points and two.

    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> C = VarianceWithin(sp.csr_array([[1, 1, 1, 0], [0, 0, 1, 1]])).matrix()
    >>> z = np.array([0.0, 1.0, 2.0, 5.0])
    >>> float((z @ C @ z).round(6)) == 2.0 + 4.5
    True
    """

    groups: sp.csr_array

    def matrix(self) -> FloatArray:
        """Give C = Σ_r diag(g_r) − g_r g_rᵀ / Σ g_r."""
        sizes = np.asarray(self.groups.sum(axis=1), dtype=np.float64)
        within = (self.groups.T @ sp.diags_array(1.0 / sizes) @ self.groups).toarray()
        return np.asarray(np.diag(np.asarray(self.groups.sum(axis=0), dtype=np.float64)) - within)

    def merged(self, node: IntArray) -> VarianceWithin:
        """Add up the columns of points that coincide."""
        n = len(node)
        gather = sp.csr_array((np.ones(n), (np.arange(n), node)), shape=(n, int(node.max()) + 1))
        return VarianceWithin(sp.csr_array(self.groups @ gather))


@dataclass(frozen=True)
class KernelProgram:
    """A kernel on n points: the variance to maximise and the constraints to meet.

    ``first`` marks the constraints that are worth beginning with, where many follow from few; the
    others are checked, and asked for where they are missed.  None leaves that to the solver.

    Examples
    --------
    A square with sides of one.

    >>> square = KernelProgram.unfolding([[0, 1], [1, 2], [2, 3], [3, 0]], [1.0, 1.0, 1.0, 1.0], 4)
    >>> len(square.constraints), square.constraints.bounds.tolist()
    (4, [1.0, 1.0, 1.0, 1.0])
    """

    n: int
    objective: Objective
    constraints: PairConstraints
    first: BoolArray | None = None

    @classmethod
    def unfolding(
        cls,
        edges: object,
        lengths: object,
        n: int,
        *,
        mass: FloatArray | None = None,
        constraint: str = "at_most",
        softness: FloatArray | float = 0.0,
        beside: PairConstraints | None = None,
        who: str = "unfolding",
    ) -> KernelProgram:
        """State the unfolding of a graph: its edges at most, or exactly, as long as they are.

        max_K Σ_i c_i K_ii  over  K ⪰ 0, Σ_ij c_i c_j K_ij = 0, D_ij ≤ d_ij² (or = d_ij²)

        and over further constraints.  With a softness s equalities may be missed.
        """
        pairs, d, c = _checked(edges, lengths, n, mass, who)
        soft = softness if constraint == "equal" else 0.0
        along = PairConstraints.on_pairs(pairs, d**2, constraint, softness=soft)
        if beside is not None and len(beside):
            along = PairConstraints.join([along, beside])
        return cls(n, Variance(c), along)

    def take(self, chosen: IntArray) -> KernelProgram:
        """Ask for some of the constraints only."""
        first = None if self.first is None else self.first[chosen]
        return replace(self, constraints=self.constraints.take(chosen), first=first)


def _checked(
    edges: object, lengths: object, n: int, mass: FloatArray | None, who: str
) -> tuple[IntArray, FloatArray, FloatArray]:
    pairs = np.asarray(edges, dtype=np.intp).reshape(-1, 2)
    d = np.asarray(lengths, dtype=np.float64)
    c = np.ones(n) if mass is None else np.asarray(mass, dtype=np.float64)
    if d.shape != (len(pairs),) or not np.all(np.isfinite(d)) or np.any(d < 0):
        raise ValueError(
            f"The 'lengths' of {who} must be finite, at least 0, and one per edge, {len(pairs)}. "
            f"Got an array of shape {d.shape} with the smallest {d.min(initial=np.inf):g}."
        )
    if np.any(pairs < 0) or np.any(pairs >= n) or np.any(pairs[:, 0] == pairs[:, 1]):
        raise ValueError(
            f"The 'edges' of {who} must join two different nodes out of 0 … {n - 1}. "
            f"Got nodes from {pairs.min()} to {pairs.max()}; leave loops out."
        )
    if c.shape != (n,) or not np.all(c > 0):
        raise ValueError(
            f"The 'mass' of {who} must be positive, one per node, {n}. Got shape {c.shape}."
        )
    return pairs, d, c
