"""The estimate of mutual information between data and latent points, and its gradient.

With P_a = Σ_b k(z_a, z_b) K_ab and Q_a = Σ_b k(z_a, z_b), K_ab = k(y_a, y_b), the part of N·Î(Y; Z)
that depends on Z is Σ_a log P_a − log Q_a (latent-factor thesis, eq. 3.14).  Sums over b with or
without b = a: the latter is the leave-one-out form of section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sidelight.core import Call, FloatArray, IntArray, Threads, require_memory
from sidelight.latent.density import JUDGED, PER_PAIR, DataKernel

#: Pieces of work, whatever the number of threads: each has sums of its own, added in order.
PIECES = 16
#: Below this many points one thread is faster than two, and one piece than several.
THREADS_FROM = 400
#: A point without any neighbour in the leave-one-out form has this much of one.
FLOOR = 1e-300


@dataclass(frozen=True)
class AllPairs:
    """Dissimilarities of all pairs of data, and the sums of Gaussian kernels over them.

    Parameters
    ----------
    squared : ndarray of shape (n (n − 1) / 2,)
        Packed dissimilarities (squared distances) in ``unit``, rounded to single precision: that
        keeps what the unit of the data, a turn of them and the processor change out of the map.
    n : int
        Points.
    n_threads : int
        Threads; the result is the same to the bit for any number.
    unit : float
        The data's own scale.
    """

    squared: FloatArray
    n: int
    n_threads: int = 1
    unit: float = 1.0

    @classmethod
    def of(
        cls, Y: FloatArray, data_kernel: DataKernel, *, n_threads: int = 1, who: str
    ) -> AllPairs:
        """Compare all pairs of rows."""
        n = len(Y)
        require_memory(
            max(4.0 * n * n, PER_PAIR * min(n, JUDGED) ** 2),
            what=f"the kernel values of {n} × {n} pairs",
            who=who,
            instead="Use kernel='quartic', which keeps neighbouring pairs only, or fewer rows.",
        )
        squared = np.empty(n * (n - 1) // 2, dtype=np.float32)
        unit = data_kernel.spread(Y) or 1.0
        for block in row_pieces(n, max(n * n // 8_000_000, 1)):
            # rows of a block against all later ones, through the block's own small table
            first, last = int(block[0]), int(block[1])
            table = data_kernel.dissimilarities(Y[first:last], Y[first:])
            for i in range(last - first):
                a = first + i
                begin = a * n - a * (a + 1) // 2
                squared[begin : begin + n - a - 1] = table[i, i + 1 :] / unit
        return cls(squared, n, n_threads, unit)

    def kernel(self, bandwidth: float) -> FloatArray:
        """Compute K_ab = exp(−d_ab / h) of all pairs, d squared distances or counts."""
        from sidelight.latent.information._gaussian_sums_compiled import packed_kernel

        h = float(bandwidth) / self.unit
        K = np.empty_like(self.squared)
        n_pieces = len(self._pieces)
        ends = np.linspace(0, len(K), n_pieces + 1).astype(int)
        self._run(
            [
                (packed_kernel, (self.squared, h, int(ends[i]), int(ends[i + 1]), K))
                for i in range(n_pieces)
            ]
        )
        return K

    def information(
        self, Z: FloatArray, K: FloatArray, *, leave_one_out: bool = False
    ) -> tuple[float, FloatArray]:
        """Compute Σ_a log P_a − log Q_a and its gradient."""
        from sidelight.latent.information import _gaussian_sums_compiled as in_any_order
        from sidelight.latent.information import _one_order_compiled as in_one_order

        over: Any = in_one_order if leave_one_out else in_any_order
        n, columns = self.n, np.ascontiguousarray(Z.T, dtype=np.float64)
        pieces = self._pieces
        sums = np.zeros((len(pieces), 2, n))
        self._run(
            [
                (over.pair_sums, (columns, K, first, last, *sums[i]))
                for i, (first, last) in enumerate(pieces)
            ]
        )
        joint, latent = sums.sum(axis=0) + (FLOOR if leave_one_out else 1.0)
        forces = np.zeros((len(pieces), *columns.shape))
        self._run(
            [
                (over.pair_forces, (columns, K, 1 / joint, 1 / latent, first, last, forces[i]))
                for i, (first, last) in enumerate(pieces)
            ]
        )
        value = float(np.sum(over.log_ratios(joint, latent)))
        return value, np.ascontiguousarray(2 * forces.sum(axis=0).T)

    @cached_property
    def _pieces(self) -> list[list[int]]:
        pieces: list[list[int]] = row_pieces(self.n, PIECES if self._is_large else 1).tolist()
        return pieces

    @property
    def _is_large(self) -> bool:
        return self.n >= THREADS_FROM

    def _run(self, calls: list[Call]) -> None:
        run_pieces(calls, self.n_threads if self._is_large else 1)


def run_pieces(calls: list[Call], n_threads: int) -> None:
    """Run compiled functions that do not meet, in threads."""
    with Threads(n_threads) as threads:
        threads.run(calls)


def row_pieces(n: int, n_pieces: int) -> IntArray:
    """Divide the rows of a triangle into ranges with about as many pairs each."""
    share = np.linspace(0, 1, min(n_pieces, n) + 1)
    ends = np.round(n * (1 - np.sqrt(1 - share))).astype(int)
    ends[-1] = n
    ranges = np.column_stack([ends[:-1], ends[1:]])
    return np.asarray(ranges[ranges[:, 0] < ranges[:, 1]])
