"""Linear constraints on the squared distances of a kernel, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class PairConstraints:
    """Constraints Σ_p A_qp D_p ≤ b_q (or = b_q) on squared distances D_p between two points.

    Parameters
    ----------
    pairs : ndarray of shape (m, 2)
        The pairs p = (i, j).
    combine : sparse array of shape (q, m)
        A.
    bounds : ndarray of shape (q,)
        b.
    equal : ndarray of bool of shape (q,)
        Which constraints are equalities.
    softness : ndarray of shape (q,)
        By how much each gives way under a tension of one; 0 for those that do not.

    Examples
    --------
    Two points at least one apart.

    >>> import numpy as np
    >>> apart = PairConstraints.on_pairs([[0, 1]], [1.0], "at_least")
    >>> apart.missed(np.array([[0.0], [0.5]]))
    array([0.75])
    """

    pairs: IntArray
    combine: sp.csr_array
    bounds: FloatArray
    equal: BoolArray
    softness: FloatArray

    def __len__(self) -> int:
        return len(self.bounds)

    @classmethod
    def on_pairs(
        cls, pairs: IntArray, squares: FloatArray, kind: str, *, softness: Any = 0.0
    ) -> PairConstraints:
        """Constrain pairs one by one."""
        pairs = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
        m = len(pairs)
        sign = -1.0 if kind == "at_least" else 1.0
        return cls(
            pairs,
            sp.csr_array(sign * sp.eye_array(m, format="csr")),
            sign * np.asarray(squares, dtype=np.float64),
            np.full(m, kind == "equal"),
            np.broadcast_to(np.asarray(softness, dtype=np.float64), (m,)).copy(),
        )

    @classmethod
    def join(cls, several: Sequence[PairConstraints]) -> PairConstraints:
        """Put several sets of constraints together, naming each pair once."""
        pairs = np.vstack([np.sort(each.pairs, axis=1) for each in several])
        distinct, index = np.unique(pairs, axis=0, return_inverse=True)
        parts, start = [], 0
        for each in several:
            named = index.ravel()[start : start + len(each.pairs)]
            start += len(each.pairs)
            entries = sp.coo_array(each.combine)
            place = (entries.coords[0], named[entries.coords[1]])
            parts.append(
                sp.csr_array((entries.data, place), shape=(len(each.bounds), len(distinct)))
            )
        return cls(
            distinct,
            sp.csr_array(sp.vstack(parts)),
            np.concatenate([each.bounds for each in several]),
            np.concatenate([each.equal for each in several]),
            np.concatenate([each.softness for each in several]),
        )

    def take(self, chosen: IntArray) -> PairConstraints:
        """Keep some of the constraints, and the pairs that they name."""
        A = sp.csr_array(self.combine[chosen])
        named = np.unique(A.indices)
        return PairConstraints(
            self.pairs[named],
            sp.csr_array(A[:, named]),
            self.bounds[chosen],
            self.equal[chosen],
            self.softness[chosen],
        )

    def missed(self, R: FloatArray) -> FloatArray:
        """Measure by how much a layout misses the constraints."""
        spans = R[self.pairs[:, 0]] - R[self.pairs[:, 1]]
        excess = np.asarray(self.combine @ np.einsum("ij,ij->i", spans, spans)) - self.bounds
        return np.asarray(np.where(self.equal, excess, np.maximum(excess, 0.0)))

    def relative_misses(self, R: FloatArray) -> FloatArray:
        """Measure by how much a layout misses the constraints, relative to what they speak of.

        That is the bound, or, where it is zero, the largest of the distances that are compared, and
        at least the mean bound.
        """
        spans = R[self.pairs[:, 0]] - R[self.pairs[:, 1]]
        D = np.einsum("ij,ij->i", spans, spans)
        A = sp.csr_array(self.combine)
        plus, minus = np.asarray(A.maximum(0) @ D), np.asarray((-A).maximum(0) @ D)
        excess = np.asarray(plus - minus - self.bounds)
        missed = np.where(self.equal, np.abs(excess), np.maximum(excess, 0.0))
        given = np.abs(self.bounds)
        mean = float(np.mean(given[given > 0])) if np.any(given > 0) else 1.0
        size = np.where(given > 0, given, np.maximum(np.maximum(plus, minus), mean))
        return np.asarray(missed / size)

    def merged(
        self, node: IntArray, *, negligible: float = 0.0
    ) -> tuple[PairConstraints, IntArray, IntArray]:
        """Let points coincide: a pair of one point with itself has distance zero.

        Gives what is left, which rows that is, and which rows cannot be met; bounds up to
        ``negligible`` are none.
        """
        ends = np.sort(node[self.pairs], axis=1)
        inside = ends[:, 0] == ends[:, 1]
        A = sp.csr_array(self.combine[:, ~inside])
        distinct, index = np.unique(ends[~inside], axis=0, return_inverse=True)
        gather = sp.csr_array(
            (np.ones(len(index.ravel())), (np.arange(len(index.ravel())), index.ravel())),
            shape=(A.shape[1], len(distinct)),
        )
        A = sp.csr_array(A @ gather)
        A.data[np.abs(A.data) < 1e-14] = 0.0
        A.eliminate_zeros()
        empty = np.diff(A.indptr) == 0
        off = np.where(self.equal, np.abs(self.bounds), -self.bounds)
        wrong = (off > negligible) & empty
        kept = np.flatnonzero(~empty)
        whole = PairConstraints(distinct, A, self.bounds, self.equal, self.softness)
        return whole.take(kept), kept, np.flatnonzero(wrong)
