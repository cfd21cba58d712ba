"""Very many points as shades: a cell has the mean colour of its points, deeper for more."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray

#: From so many points on, a cloud of them would be a blob.
SHADED_FROM = 200_000
#: Cells along the longer side.
_CELLS = 700


def draw_shades(ax: Any, Z: FloatArray, colours: FloatArray) -> None:
    """Draw points in the plane as an image of cells."""
    finite = np.isfinite(Z).all(axis=1)
    image, extent = shades(Z[finite], colours[finite, :3])
    ax.imshow(
        image, extent=extent, origin="lower", interpolation="nearest", aspect="auto", zorder=2
    )
    ax.update_datalim([extent[::2], extent[1::2]])
    ax.autoscale(enable=True)


def shades(Z: FloatArray, colours: FloatArray) -> tuple[FloatArray, tuple[float, ...]]:
    """The cells as (rows, columns, 4), and (left, right, bottom, top).

    Opacity grows with the logarithm of the count, from 0.25 for one point to 1 for the fullest.
    """
    low, high = Z.min(axis=0), Z.max(axis=0)
    margin = 0.02 * float(np.max(high - low)) or 0.5
    low, high = low - margin, high + margin
    cells = np.maximum(np.round(_CELLS * (high - low) / np.max(high - low)).astype(int), 1)
    columns, rows = np.minimum(((Z - low) / (high - low) * cells).astype(int), cells - 1).T
    cell = rows * cells[0] + columns
    count = np.bincount(cell, minlength=cells[0] * cells[1])
    sums = [np.bincount(cell, weights=c, minlength=len(count)) for c in colours.T]
    image = np.zeros((len(count), 4))
    seen = count > 0
    image[seen, :3] = np.column_stack(sums)[seen] / count[seen, None]
    # the fullest hundredth is as deep as it gets: one heap of equal rows must not pale the rest
    most = max(float(np.quantile(count[seen], 0.99)), 2.0)
    depth = np.minimum(np.log(count[seen]) / np.log(most), 1.0)
    image[seen, 3] = 0.25 + 0.75 * depth
    return image.reshape(cells[1], cells[0], 4), (low[0], high[0], low[1], high[1])
