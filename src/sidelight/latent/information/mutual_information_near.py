"""The same objective with kernels of finite support: only neighbouring pairs are visited."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from sidelight.core import Call, FloatArray
from sidelight.latent.density import DataKernel, QuarticKernel
from sidelight.latent.information.mutual_information import (
    FLOOR,
    PIECES,
    THREADS_FROM,
    AllPairs,
    run_pieces,
)
from sidelight.neighbors import radius_neighbors


@dataclass(frozen=True)
class NearPairs:
    """Data of which only neighbours are compared, and the sums of quartic kernels over them.

    Parameters
    ----------
    Y : ndarray of shape (n, p)
        The data.
    data_kernel : QuarticKernel
        k of the data.
    n_threads : int
        Threads; the result is the same to the bit for any number.
    who : str
        Who asks, for messages.
    """

    Y: FloatArray
    data_kernel: QuarticKernel
    n_threads: int
    who: str

    def kernel(self, bandwidth: float) -> sp.csr_array:
        """Compute K_ab of all pairs within reach."""
        reach = float(np.sqrt(self.data_kernel.reach * bandwidth))
        graph = radius_neighbors(self.Y, reach, n_jobs=self.n_threads, who=self.who)
        values = self.data_kernel.values(graph.data**2, bandwidth)
        return sp.csr_array((values, graph.indices, graph.indptr), shape=graph.shape)

    def information(
        self, Z: FloatArray, K: sp.csr_array, *, leave_one_out: bool = False
    ) -> tuple[float, FloatArray]:
        """Compute Σ_a log P_a − log Q_a and its gradient."""
        own = FLOOR if leave_one_out else 1.0
        joint, pulls = self._joint(np.ascontiguousarray(Z), K, own)
        latent, pushes = self._latent(Z, own)
        return float(np.sum(np.log(joint) - np.log(latent))), 2 * (pulls - pushes)

    def _joint(self, Z: FloatArray, K: sp.csr_array, own: float) -> tuple[FloatArray, FloatArray]:
        from sidelight.latent.information._quartic_sums_compiled import edge_forces, edge_sums

        edges, n = (K.indptr, K.indices, K.data), len(Z)
        ends = np.linspace(0, n, min(PIECES, n) + 1).astype(int).tolist()
        pieces = list(pairwise(ends))
        joint, forces = np.empty(n), np.zeros(Z.shape)
        self._run([(edge_sums, (*edges, Z, a, b, joint)) for a, b in pieces])
        joint += own
        self._run([(edge_forces, (*edges, Z, 1 / joint, a, b, forces)) for a, b in pieces])
        return joint, forces

    def _latent(self, Z: FloatArray, own: float) -> tuple[FloatArray, FloatArray]:
        from sidelight.latent.information._quartic_sums_compiled import window_forces, window_sums

        n = len(Z)
        order_of_columns = np.argsort(-Z.std(axis=0), kind="stable")
        order = np.argsort(Z[:, order_of_columns[0]], kind="stable")
        columns = np.ascontiguousarray(Z[np.ix_(order, order_of_columns)].T)
        ends = np.searchsorted(columns[0], columns[0] + np.sqrt(2.0))
        # as many pairs in each piece
        pairs = np.concatenate([[0], np.cumsum(ends - np.arange(n))])
        cuts = np.searchsorted(pairs, np.linspace(0, pairs[-1], PIECES + 1)[1:-1])
        cuts = np.unique(np.concatenate([[0], cuts, [n]])).tolist()
        pieces = list(pairwise(cuts))
        sums = np.zeros((len(pieces), n))
        self._run(
            [(window_sums, (columns, ends, a, b, sums[i])) for i, (a, b) in enumerate(pieces)]
        )
        latent = sums.sum(axis=0) + own
        forces = np.zeros((len(pieces), *columns.shape))
        self._run(
            [
                (window_forces, (columns, ends, 1 / latent, a, b, forces[i]))
                for i, (a, b) in enumerate(pieces)
            ]
        )
        back, in_place = np.empty(n), np.empty(Z.shape)
        back[order] = latent
        in_place[np.ix_(order, order_of_columns)] = forces.sum(axis=0).T
        return back, in_place

    def _run(self, calls: list[Call]) -> None:
        run_pieces(calls, self.n_threads if len(self.Y) >= THREADS_FROM else 1)


def pairs_of(
    Y: FloatArray, data_kernel: DataKernel, *, n_threads: int, who: str
) -> AllPairs | NearPairs:
    """Choose what visits the pairs that a kernel needs."""
    if isinstance(data_kernel, QuarticKernel):
        return NearPairs(Y, data_kernel, n_threads, who)
    return AllPairs.of(Y, data_kernel, n_threads=n_threads, who=who)
