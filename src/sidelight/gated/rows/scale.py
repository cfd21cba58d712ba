"""Rows as a model sees them, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from sidelight.core import FloatArray, row_blocks
from sidelight.gated.rows.device import PROCESSOR, in_double
from sidelight.gated.units import Tensor, Units

#: Rows that are shorter hold nothing, and are taken to be of length one; entries that are further
#: from the mean than so many sizes are refused: what gates multiplies three of them, and single
#: precision ends at 3e38.
_SHORTEST, _FURTHEST = 1e-3, 1e10


@dataclass(frozen=True)
class Scale:
    """Rows as a model sees them: (v − centre)/size.

    Inputs are centred whatever they are.  With W_jk and W_k among the weights this is the same
    model, but what all inputs share does not stand between mapping units that are to part.

    Parameters
    ----------
    centre : ndarray of shape (n_columns,)
        The means of the columns.
    size : float
        The root of their mean variance: one for all, so that what columns share is kept.
    length : float
        The root mean square length of a row as it is then seen.
    """

    centre: FloatArray
    size: float
    length: float = 1.0

    @classmethod
    def of_inputs(cls, rows: FloatArray, units: Units | None) -> Scale:
        """That of inputs, which are centred whatever they are."""
        real = units is not None and units.kind == "gaussian"
        return cls.of(rows, centred=True, scaled=real)

    @classmethod
    def of_outputs(cls, rows: FloatArray, units: Units) -> Scale:
        """That of outputs, of which real ones alone may be changed."""
        real = units.kind == "gaussian"
        return cls.of(rows, centred=real, scaled=real)

    @classmethod
    def of(cls, rows: FloatArray, *, centred: bool, scaled: bool) -> Scale:
        """The scale of some rows, as far as it is asked for."""
        centre = _means(rows) if centred else np.zeros(rows.shape[1])
        squares = _squares(rows, centre)
        size = float(np.sqrt(squares / rows.shape[1])) if scaled and rows.size else 1.0
        size = size if size > 0 else 1.0
        length = float(np.sqrt(squares)) / size
        return cls(centre, size, length if length > _SHORTEST else 1.0)

    def __call__(self, rows: FloatArray, device: torch.device = PROCESSOR) -> Tensor:
        """Rows as the model sees them, where it computes."""
        if self.size == 1.0 and not self.centre.any():
            return torch.from_numpy(rows.astype(np.float32, order="C")).to(device)
        seen = np.empty(rows.shape, dtype=np.float32)
        for part in _parts(rows):
            np.divide(rows[part] - self.centre, self.size, out=seen[part], casting="same_kind")
        return torch.from_numpy(seen).to(device)

    def mean_seen(self, rows: FloatArray) -> FloatArray:
        """The mean of rows as the model sees them."""
        return np.asarray((rows.mean(axis=0) - self.centre) / self.size)

    def refuse_far(self, rows: FloatArray, *, who: str, name: str) -> None:
        """Refuse rows that are so far from those of the fit that numbers end."""
        far = float(np.abs(rows - self.centre).max(initial=0.0)) / self.size
        if far > _FURTHEST:
            raise ValueError(
                f"{who} cannot use {name}: an entry is {far:.1g} times as far from the mean of the "
                f"fit as entries there are, and beyond {_FURTHEST:.0e} nothing is known. Is it in "
                f"the units of the fit?"
            )

    def back(self, rows: Tensor) -> FloatArray:
        """What the model sees, as rows."""
        return np.asarray(in_double(rows) * self.size + self.centre)


def _means(rows: FloatArray) -> FloatArray:
    """The means of columns; those of one value are that value, without what a sum rounds."""
    if not len(rows):
        return np.zeros(rows.shape[1])
    same = (rows == rows[0]).all(axis=0)
    return np.asarray(np.where(same, rows[0], rows.mean(axis=0)))


def _squares(rows: FloatArray, centre: FloatArray) -> float:
    """The mean square length of a row, seen from the centre."""
    total = 0.0
    for part in _parts(rows):
        off = (rows[part] - centre).ravel()
        total += float(off @ off)
    return total / max(len(rows), 1)


def _parts(rows: FloatArray) -> list[slice]:
    """Rows in parts that stay in the processor's own memory while they are worked on."""
    return row_blocks(len(rows), 8.0 * rows.shape[1], budget=2.5e5)
