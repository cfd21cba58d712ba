"""How well a map keeps labels together: leave-one-out nearest-neighbour classification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, BoolArray, IntArray
from sidelight.quality.inputs import check_n_neighbors, check_same_length
from sidelight.quality.pairwise import distance_rows
from sidelight.quality.ranks import neighbor_order


@dataclass(frozen=True)
class LabelAccuracy:
    """How many points have the label of their neighbours; ``float()`` gives the accuracy.

    Parameters
    ----------
    accuracy : float
        The part that has.
    n_errors : int
        How many have not.
    errors : ndarray of shape (n_errors,)
        Which ones, as rows of the map.
    n_neighbors : int
        How many neighbours voted.
    """

    accuracy: float
    n_errors: int
    errors: IntArray
    n_neighbors: int

    def __float__(self) -> float:
        return self.accuracy


def as_label_codes(labels: ArrayLike, n_samples: int, *, who: str, some: bool = False) -> IntArray:
    """Number the labels; those that are missing, where only ``some`` are needed, are −1."""
    values: npt.NDArray[Any] = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(
            f"The 'labels' argument of {who} must be of shape (n_samples,). "
            f"Got shape {values.shape} instead."
        )
    check_same_length(n_samples, values.size, names=("Z", "labels"), who=who)
    # a missing label is the one value that differs from itself
    missing = values != values
    if values.dtype == object:
        missing = missing | np.array([value is None for value in values])
    if some and missing.sum() <= n_samples - 2:
        codes = np.full(n_samples, -1)
        codes[~missing] = np.unique(values[~missing], return_inverse=True)[1]
        return codes
    if missing.any():
        raise ValueError(
            f"The 'labels' argument of {who} must not have missing values. Got "
            f"{int(missing.sum())}, first in row {int(np.argmax(missing))}. Leave these rows out, "
            "or give them a label of their own."
        )
    return np.asarray(np.unique(values, return_inverse=True)[1])


def agrees_with_neighbors(codes: IntArray, rows: IntArray, nearest: IntArray) -> BoolArray:
    """Tell whose label is that of most of their neighbours."""
    voters = codes[nearest]
    votes = (voters[:, :, None] == voters[:, None, :]).sum(axis=2)
    winner = voters[np.arange(rows.size), np.argmax(votes, axis=1)]
    return np.asarray(winner == codes[rows])


def neighbor_label_accuracy(Z: ArrayLike, labels: ArrayLike, n_neighbors: int = 1) -> LabelAccuracy:
    """Classify each point of a map by its nearest neighbours and count how often that is right.

    The accuracy is 1/n Σ_i [y_i = majority of y over the k nearest neighbours of z_i, i left out].

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        The map.
    labels : array-like of shape (n_samples,)
        The label of each point.
    n_neighbors : int
        How many neighbours vote, in [1, n_samples).  When labels have equally many votes, the one
        that has the nearest point wins.

    Returns
    -------
    LabelAccuracy
        The accuracy, the number of errors and where they are.

    Raises
    ------
    ValueError
        If Z is not finite, a label is missing, lengths differ, or ``n_neighbors`` is out of range.

    Examples
    --------
    >>> from sidelight.quality import neighbor_label_accuracy
    >>> found = neighbor_label_accuracy([[0.0], [1.0], [5.0], [6.0], [2.5]], list("aabbb"))
    >>> print(found.accuracy, found.n_errors)
    0.8 1
    """
    who = "neighbor_label_accuracy"
    mapped = distance_rows(Z, "euclidean", name="Z", who=who)
    n = mapped.n_samples
    codes = as_label_codes(labels, n, who=who)
    k = check_n_neighbors(n_neighbors, n, who=who, half=False)
    right = np.empty(n, dtype=np.bool_)
    for block in mapped.blocks(np.arange(n)):
        nearest = neighbor_order(mapped.rows(block), block)[:, :k]
        right[block] = agrees_with_neighbors(codes, block, nearest)
    errors = np.flatnonzero(~right)
    return LabelAccuracy(1.0 - errors.size / n, int(errors.size), errors, k)
