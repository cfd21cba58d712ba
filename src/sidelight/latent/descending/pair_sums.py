"""Sums over all pairs of latent points, a band of rows to a thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from sidelight.neighbors.inputs import count_threads

#: Rows of one piece of work; fewer points than two pieces are done at once.
_BAND = 256


def over_bands(work: Callable[[int, int], None], n: int) -> None:
    """Do the work for every row, in bands of rows that no two threads share.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.zeros(4)
    >>> def square(first, last):
    ...     squares[first:last] = np.arange(first, last) ** 2
    >>> over_bands(square, 4)
    >>> squares
    array([0., 1., 4., 9.])
    """
    if n < 2 * _BAND:
        work(0, n)
        return
    bands = [(first, min(first + _BAND, n)) for first in range(0, n, _BAND)]
    with ThreadPoolExecutor(count_threads(-1, who="sidelight")) as threads:
        list(threads.map(lambda band: work(*band), bands))
