"""What eigenvectors leave open is fixed by rules: their signs, and bases of shared eigenvalues."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sidelight.core import FloatArray

#: Eigenvalues nearer than this, in units of the largest one, are one: rounding mixes their vectors.
ONE_VALUE = 1e-12
#: Entries nearer than this, in units of the largest one, are alike, and the first of them decides.
_ALIKE = 1e-6
#: Numbers of a narrow table that are compared at once.
_AT_ONCE = 2048
#: Rows whose squares are less than this share of the largest say no direction.
_NOTHING = 1e-24


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Give every column the sign that makes its largest entry positive.

    Entries within a relative 1e-6 of the largest count as equal and the first of them decides,
    so that rounding cannot turn a symmetric vector around.

    Examples
    --------
    >>> import numpy as np
    >>> fix_signs(np.array([[-2.0, 1.0], [1.0, 3.0]]))
    array([[ 2.,  1.],
           [-1.,  3.]])
    """
    return np.asarray(vectors * column_signs(vectors))


def column_signs(
    vectors: FloatArray, centre: FloatArray | float = 0.0, *, alike: float = _ALIKE
) -> FloatArray:
    """Find the sign that the rule gives each column; see :func:`fix_signs`."""
    lowest, highest = column_extremes(vectors)
    high, low = highest - centre, centre - lowest
    signs = np.where(high >= low, 1.0, -1.0)
    largest = np.maximum(high, low)
    for column in np.flatnonzero(np.abs(high - low) <= alike * largest):
        entries = vectors[:, column] - np.broadcast_to(centre, signs.shape)[column]
        first = int(np.argmax(np.abs(entries) >= largest[column] * (1 - alike)))
        signs[column] = 1.0 if entries[first] >= 0 else -1.0
    return signs


def column_extremes(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least and the largest entry of every column.

    Of narrow tables many rows are compared at once, as if they were one: numpy takes rows one by
    one.

    Examples
    --------
    >>> import numpy as np
    >>> column_extremes(np.array([[1.0, 5.0], [3.0, -2.0]]))
    (array([ 1., -2.]), array([3., 5.]))
    """
    n, d = values.shape
    together = _AT_ONCE // max(d, 1)
    if together < 2 or n < 2 * together or not values.flags.c_contiguous:
        return values.min(axis=0), values.max(axis=0)
    whole = n - n % together
    lines = values[:whole].reshape(-1, together * d)
    found = []
    for least in (np.minimum, np.maximum):
        of_lines = least.reduce(lines, axis=0).reshape(together, d)
        found.append(least.reduce(np.concatenate([of_lines, values[whole:]]), axis=0))
    return found[0], found[1]


def fix_shared(
    values: FloatArray,
    vectors: FloatArray,
    n_pairs: int,
    *,
    near: FloatArray | float,
    error: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """Give vectors that share an eigenvalue a basis by a rule; keep the first so many.

    Eigenvalues no farther apart than ``near`` are one; ``error`` is that of the vectors, relative.
    Whatever basis of their space rounding gave: the first new vector is what the space has of the
    axis that it has most of, the next one that of what is left, and so on (a pivoted Cholesky
    factor of the projection V Vᵀ).  Axes that the error cannot tell apart are alike, and the first
    counts.

    Examples
    --------
    >>> import numpy as np
    >>> turned = np.array([[0.6, 0.8], [-0.8, 0.6], [0.0, 0.0]])
    >>> fix_shared(np.array([2.0, 2.0]), turned, 1, near=1e-12)[1].round(12) + 0.0
    array([[1.],
           [0.],
           [0.]])
    """
    kept = vectors[:, :n_pairs].copy()
    for group in shared_values(values, near):
        if group.stop - group.start > 1 and group.start < n_pairs:
            V = vectors[:, group]
            kept[:, group] = V @ settling_turn(V, n_pairs - group.start, error)
    return values[:n_pairs], kept


def shared_values(values: FloatArray, near: FloatArray | float) -> list[slice]:
    """Cut values that are in order where one is farther from the next than ``near``."""
    near = np.broadcast_to(near, values.shape)
    apart = np.abs(np.diff(values)) > np.maximum(near[1:], near[:-1])
    begins = (np.flatnonzero(apart) + 1).tolist()
    return [slice(start, stop) for start, stop in pairwise([0, *begins, len(values)])]


def settling_turn(V: FloatArray, most: int, error: float = 0.0) -> FloatArray:
    """The turn of a basis V to that of the rule of :func:`fix_shared`, its first columns."""
    alike = min(max(_ALIKE, 100 * error), 0.5)  # a row near the origin says no direction
    found: list[FloatArray] = []
    left, n_axes = V.copy(), min(V.shape[1], most)
    nothing = _NOTHING * float(np.square(V).sum(axis=1).max(initial=0.0))
    for _ in range(n_axes):
        shares = np.einsum("ij,ij->i", left, left)
        if shares.max() <= nothing:  # rows say no more: any other directions will do
            rest = np.linalg.qr(np.column_stack([*found, np.eye(V.shape[1])]))[0]
            return np.asarray(np.column_stack([*found, rest[:, len(found) : n_axes]]))
        axis = int(np.argmax(shares >= shares.max() * (1 - alike)))
        found.append(left[axis] / np.linalg.norm(left[axis]))
        left = left - np.outer(left @ found[-1], found[-1])
    return np.column_stack(found)


def reach_of_last(values: FloatArray, doubts: FloatArray, n_pairs: int) -> int:
    """How many of the first pairs there are with those that the last wanted one may share.

    The next value may be that of the last wanted one until it is farther off than it is in doubt.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([3.0, 2.0, 1.999, 1.5])
    >>> reach_of_last(values, np.full(4, 0.01), 2), reach_of_last(values, np.full(4, 1e-9), 2)
    (3, 2)
    """
    beyond = np.abs(values[n_pairs:] - values[n_pairs - 1 : n_pairs]) > doubts[n_pairs:]
    return n_pairs + int(np.argmax(np.append(beyond, True)))
