"""A symmetric matrix of which only the upper half is stored, as panels of rows.

Panel b holds the rows of block b from its own diagonal to the right.  A product with a block of
vectors reads each panel once, for the panel itself and for its mirror image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray

#: Rows of a panel: small enough that what is finished entry by entry stays in the cache.
PANEL_ROWS = 128


@dataclass(frozen=True)
class SymmetricPanels:
    """A symmetric matrix, stored by half.

    Parameters
    ----------
    panels : list of ndarray
        Panel b has shape (rows of block b, n − first row of block b).
    n : int
        The order.
    """

    panels: list[FloatArray]
    n: int

    @classmethod
    def filled(
        cls, fill: Callable[[slice, slice], FloatArray], n: int, dtype: Any
    ) -> SymmetricPanels:
        """Compute a matrix panel by panel."""
        blocks = _blocks(n)
        panels = [
            np.ascontiguousarray(fill(rows, slice(rows.start, n)), dtype=dtype) for rows in blocks
        ]
        return cls(panels, n)

    @property
    def dtype(self) -> Any:
        """What the panels are stored in."""
        return self.panels[0].dtype

    def __len__(self) -> int:
        return self.n

    def __matmul__(self, block: FloatArray) -> FloatArray:
        """Multiply by a vector or a block of vectors; sums over panels are in float64."""
        single = block.astype(self.dtype, copy=False)
        image = np.zeros(block.shape)
        for rows, panel in self._numbered():
            image[rows] += panel @ single[rows.start :]
            beyond = panel[:, rows.stop - rows.start :]
            image[rows.stop :] += beyond.T @ single[rows]
        return image

    def row_sums(self) -> FloatArray:
        """Sum every row."""
        sums = np.zeros(self.n)
        for rows, panel in self._numbered():
            sums[rows] += panel.sum(axis=1)
            sums[rows.stop :] += panel[:, rows.stop - rows.start :].sum(axis=0)
        return sums

    def written_out(self) -> FloatArray:
        """The whole matrix, in double precision."""
        whole = np.empty((self.n, self.n))
        for rows, panel in self._numbered():
            whole[rows, rows.start :] = panel
            whole[rows.stop :, rows] = panel[:, rows.stop - rows.start :].T
        return whole

    def diagonal(self) -> FloatArray:
        """The entries (i, i)."""
        return np.concatenate([np.diagonal(panel) for panel in self.panels])

    def _numbered(self) -> Iterator[tuple[slice, FloatArray]]:
        return zip(_blocks(self.n), self.panels, strict=True)


def _blocks(n: int) -> list[slice]:
    return [slice(start, min(start + PANEL_ROWS, n)) for start in range(0, n, PANEL_ROWS)]
