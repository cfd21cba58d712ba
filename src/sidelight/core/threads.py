"""Threads: how many there are, and work that is shared among them.

Work is cut in the same way for any number of threads, and no two calls write to one place, so
that their number does not show in a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from math import prod
from numbers import Integral
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from joblib import cpu_count  # type: ignore[import-untyped]

#: A function and its arguments.
Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]

#: Rows of a band; fewer points than two bands are done at once.
_BAND = 256


def count_threads(n_jobs: Any, *, who: str) -> int:
    """Turn ``n_jobs`` into a number of threads; None is all that the process may use."""
    is_count = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool | np.bool_)
    if n_jobs is not None and (not is_count or n_jobs == 0):
        raise ValueError(
            f"The 'n_jobs' parameter of {who} must be None or an int other than 0. "
            f"Got {n_jobs!r} instead. Use -1 for all cores."
        )
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    # not effective_n_jobs, which counts processes: a worker of a pool may start threads
    return max(1, _cores() + 1 + (-1 if n_jobs is None else int(n_jobs)))


@cache
def _cores() -> int:
    """The cores of this process: files of the system are read for it, and once is enough."""
    return int(cpu_count())


class Threads:
    """A few threads for calls that do not meet.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     threads.run([(pow, (2, 3)), (pow, (3, 2))])
    [8, 9]
    """

    def __init__(self, n_threads: int) -> None:
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, calls: Sequence[Call], advance: Callable[[int], None] | None = None) -> list[Any]:
        """Make the calls, and say in the calling thread how many are done.

        That thread is one of them: it makes the first call, then those that no other has begun,
        from the last on, so that little is waited for where calls are short.
        """
        advance = advance or (lambda n_done: None)
        results: dict[int, Any] = {}
        running: dict[int, Future[Any]] = {}
        if self._pool is None or len(calls) < 2:
            own: Iterable[int] = range(len(calls))
        else:
            handed_over = (self._pool.submit(function, *given) for function, given in calls[1:])
            running = dict(enumerate(handed_over, start=1))
            own = (0, *reversed(running))
        for place in own:
            if place not in running or running[place].cancel():
                function, given = calls[place]
                results[place] = function(*given)
                advance(len(results))
        for place in running.keys() - results.keys():
            results[place] = running[place].result()
            advance(len(results))
        return [results[place] for place in range(len(calls))]


def over_bands(work: Callable[[int, int], None], n: int) -> None:
    """Do the work for every row, in bands of rows that no two threads share.

    Examples
    --------
    >>> squares = np.zeros(4)
    >>> def square(first, last):
    ...     squares[first:last] = np.arange(first, last) ** 2
    >>> over_bands(square, 4)
    >>> squares
    array([0., 1., 4., 9.])
    """
    bands = [(first, min(first + _BAND, n)) for first in range(0, n, _BAND)]
    if n < 2 * _BAND:
        bands = [(0, n)]
    with Threads(count_threads(None, who="sidelight")) as threads:
        threads.run([(work, band) for band in bands])


#: Up to this size a second thread of BLAS gains nothing worth having.
_FEW_ROWS, _FEW_COLUMNS = 2000, 1000
_blas_lock = Lock()
_blas_blocks: list[Any] = []  # those under way: the first one limits, the last one restores


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS and LAPACK work in one thread, where a second one does not pay.

    Thin products are bound by memory, and threads that wait for each other at every one of them
    burn the processor.  They also round in the same way then on every machine of a kind.
    """
    with _blas_lock:
        limit = _blas_blocks[0] if _blas_blocks else _blas().limit(limits=1, user_api="blas")
        _blas_blocks.append(limit)
    try:
        yield
    finally:
        with _blas_lock:
            _blas_blocks.pop()
            if not _blas_blocks:
                limit.restore_original_limits()


def blas_threads_that_pay(X: Any) -> AbstractContextManager[None]:
    """One thread of BLAS for work with matrices of few rows, and as many as there are otherwise.

    Threads that wait for each other do so at full speed.  Where another process has one of two
    cores, a hundred small factorisations then take fifty times as long as in one thread; where all
    cores are free, they take about as long.
    """
    shape = _shape(X)
    few = len(shape) > 1 and shape[0] <= _FEW_ROWS and prod(shape[1:]) <= _FEW_COLUMNS
    return one_blas_thread() if few else nullcontext()


def _shape(X: Any) -> tuple[int, ...]:
    """The shape of a table, of images, or of a list of rows."""
    if isinstance(X, (list, tuple)) and X and hasattr(X[0], "__len__"):
        return (len(X), *getattr(X[0], "shape", (len(X[0]),)))
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return shape


@cache
def _blas() -> Any:
    """The libraries of linear algebra, looked for once."""
    import scipy.linalg  # noqa: F401  (it brings one of its own)
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
