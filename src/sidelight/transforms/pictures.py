"""Rows of features read as pictures, sampled between their pixels, and their slopes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from sidelight.core import FloatArray, IntArray, as_dense
from sidelight.transforms.transformation import Shape

#: What is seen beyond the edges: the nearest pixel, zero, or the other side of the picture.
BEYOND = ("edge", "zero", "wrap")
_PADDING: dict[str, Any] = {"edge": "edge", "zero": "constant", "wrap": "wrap"}
_FILTERING: dict[str, Any] = {"edge": "nearest", "zero": "constant", "wrap": "wrap"}


def read_pictures(X: Any, image_shape: Shape, *, who: str) -> FloatArray:
    """Rows as pictures, (n, height, width, channels)."""
    rows = read_rows(X, who=who)
    shape = () if image_shape is None else tuple(image_shape)
    if len(shape) not in (2, 3):
        raise ValueError(
            f"{who} transforms images, so 'image_shape' must be (height, width) or (height, width, "
            f"channels). Got {image_shape!r}."
        )
    return _shaped(rows, shape, (*shape, 1)[:3], who=who)


def read_signals(X: Any, image_shape: Shape, *, who: str) -> FloatArray:
    """Rows as signals, a picture one pixel wide: (n, length, 1, channels)."""
    rows = read_rows(X, who=who)
    shape = (rows.shape[1],) if image_shape is None else tuple(image_shape)
    if len(shape) not in (1, 2):
        raise ValueError(
            f"{who} transforms signals, so 'image_shape' must be (length,) or (length, channels), "
            f"or left out. Got {image_shape!r}."
        )
    return _shaped(rows, shape, (shape[0], 1, *shape[1:], 1)[:3], who=who)


def read_rows(X: Any, *, who: str) -> FloatArray:
    """Rows of finite numbers, in floating point."""
    rows = np.atleast_2d(as_dense(X))
    rows = rows if np.issubdtype(rows.dtype, np.floating) else rows.astype(np.float64)
    if rows.ndim != 2:
        raise ValueError(f"{who} takes rows of features, (n, n_features). Got {rows.shape}.")
    if not np.isfinite(rows).all():
        row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ValueError(f"{who} cannot transform row {row}: it has NaN or infinite numbers.")
    return rows


def _shaped(
    rows: FloatArray, given: tuple[int, ...], shape: tuple[int, ...], *, who: str
) -> FloatArray:
    if prod(given) != rows.shape[1]:
        raise ValueError(
            f"The 'image_shape' given to {who} must have as many pixels as X has columns, "
            f"{rows.shape[1]}. Got {given}, which is {prod(given)}."
        )
    return rows.reshape(len(rows), *shape)


def sampled(
    pictures: FloatArray, heights: FloatArray, widths: FloatArray, beyond: str
) -> FloatArray:
    """Pictures at places between their pixels, bilinearly; places (1 or n, height, width)."""
    below, left = np.floor(heights), np.floor(widths)
    down, right = (heights - below)[..., None], (widths - left)[..., None]
    here = np.arange(len(pictures))[:, None, None]
    found = np.zeros((), dtype=pictures.dtype)
    for row, by_row in ((below, 1 - down), (below + 1, down)):
        for column, by_column in ((left, 1 - right), (left + 1, right)):
            r, inside_r = _index(row, pictures.shape[1], beyond)
            c, inside_c = _index(column, pictures.shape[2], beyond)
            inside = (inside_r & inside_c)[..., None]
            found = found + np.where(inside, by_row * by_column, 0.0) * pictures[here, r, c]
    return np.asarray(found, dtype=pictures.dtype)


def _index(at: FloatArray, size: int, beyond: str) -> tuple[IntArray, Any]:
    """Pixel numbers within the picture, and which of them count."""
    whole = at.astype(np.int64)
    if beyond == "wrap":
        return whole % size, np.ones(whole.shape, dtype=bool)
    within = np.clip(whole, 0, size - 1)
    return within, (within == whole) | (beyond == "edge")


def smoothed(pictures: FloatArray, share: float, beyond: str) -> FloatArray:
    """Pictures smoothed by a Gaussian as wide as a share of their shorter side."""
    sides = [size for size in pictures.shape[1:3] if size > 1]
    if share == 0 or not sides:
        return pictures
    widths = [share * min(sides) if size > 1 else 0.0 for size in pictures.shape[1:3]]
    return np.asarray(gaussian_filter(pictures, (0.0, *widths, 0.0), mode=_FILTERING[beyond]))


def slopes(pictures: FloatArray, beyond: str) -> tuple[FloatArray, FloatArray]:
    """∂x/∂row and ∂x/∂column of pictures.

    Central differences are the mean of the two slopes that the bilinear interpolant has at a
    pixel.
    """
    mode = _PADDING[beyond]
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1), (0, 0)), mode=mode)
    by_row = (padded[:, 2:, 1:-1] - padded[:, :-2, 1:-1]) / 2
    by_column = (padded[:, 1:-1, 2:] - padded[:, 1:-1, :-2]) / 2
    return by_row, by_column


def neighbouring(pictures: FloatArray, reach: int, beyond: str) -> FloatArray:
    """The pixels around every pixel, itself among them: (n, (2 reach + 1)², h, w, channels)."""
    mode = _PADDING[beyond]
    padded = np.pad(pictures, ((0, 0), (reach, reach), (reach, reach), (0, 0)), mode=mode)
    h, w = pictures.shape[1:3]
    taps = range(2 * reach + 1)
    return np.stack([padded[:, r : r + h, c : c + w] for r in taps for c in taps], axis=1)
