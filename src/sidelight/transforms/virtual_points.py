"""Virtual points: the data grown by their transformed copies (fig. 2.4c)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.transforms.own import transformation_of
from sidelight.transforms.pictures import read_rows
from sidelight.transforms.transformation import Shape


@dataclass(frozen=True, eq=False)
class VirtualPoints:
    """Rows and their transformed copies, each knowing where it came from.

    Parameters
    ----------
    rows : ndarray of shape (n × (m + 1), n_features)
        The rows themselves first, then all of them under the first parameters, and so on.
    source : ndarray of shape (n × (m + 1),)
        The row of X that each came from.
    theta : ndarray of shape (n × (m + 1), q)
        By which parameters; at rest for the rows themselves.
    """

    rows: FloatArray
    source: IntArray
    theta: FloatArray


def virtual_points(
    X: Any, transformation: Any, parameters: Any, image_shape: Shape = None
) -> VirtualPoints:
    """Grow the data by copies, one of each row for each row of ``parameters``.

    Parameters
    ----------
    X : array of shape (n, n_features)
        The items.
    transformation : transformation, function or list of them
        What can be done to them.
    parameters : array of shape (m, q)
        What is done.
    image_shape : tuple of int, optional
        What a row holds.

    Returns
    -------
    VirtualPoints
        The rows and their copies.

    Examples
    --------
    >>> from sidelight.transforms import Gain
    >>> grown = virtual_points([[1.0, 2.0]], Gain(), [[0.5], [2.0]])
    >>> grown.rows.tolist(), grown.source.tolist()
    ([[1.0, 2.0], [0.5, 1.0], [2.0, 4.0]], [0, 0, 0])
    """
    rows, change = read_rows(X, who="virtual_points"), transformation_of(transformation)
    rest = change.identity()
    given = np.asarray(parameters, dtype=np.float64)
    given = given.reshape(-1, len(rest)) if given.ndim < 2 else given
    if given.ndim != 2 or given.shape[1] != len(rest):
        raise ValueError(
            f"The 'parameters' of virtual_points must have shape (m, {len(rest)}). "
            f"Got {given.shape}."
        )
    copies = [change.apply(rows, theta, image_shape) for theta in given]
    return VirtualPoints(
        np.concatenate([rows, *copies]),
        np.tile(np.arange(len(rows)), len(given) + 1),
        np.repeat(np.vstack([rest, given]), len(rows), axis=0),
    )
