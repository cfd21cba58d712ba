"""One protocol for progress: stages report, whoever listens is told.

A long fit calls :func:`report`; a bar on the command line, a stream in a page or a notebook
listens with :func:`listening`.  No estimator needs a parameter for it.

Examples
--------
>>> from sidelight.core.progress import Progress, listening, report
>>> seen = []
>>> with listening(seen.append):
...     report("shortest paths", 3, 10)
>>> seen
[Progress(stage='shortest paths', done=3, total=10, value=None, points=None)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Progress:
    """How far a stage has come.

    Parameters
    ----------
    stage : str
        What is being done, in words for the user.
    done : int
        Steps finished.
    total : int or None
        Steps in all, where that is known.
    value : float or None
        The objective, for iterative stages.
    points : callable or None
        Gives the map so far, a row of X each, for stages that have one.
    """

    stage: str
    done: int
    total: int | None = None
    value: float | None = None
    points: Callable[[], Any] | None = None


Listener: TypeAlias = Callable[[Progress], None]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("sidelight_listeners", default=())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of all progress made inside the block.

    Parameters
    ----------
    listener : callable
        Called with a :class:`Progress`.  It may raise ``KeyboardInterrupt`` to stop the fit.
    """
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


def report(
    stage: str,
    done: int,
    total: int | None = None,
    value: float | None = None,
    points: Callable[[], Any] | None = None,
) -> None:
    """Tell every listener how far a stage has come."""
    listeners = _listeners.get()
    if listeners:
        progress = Progress(stage, done, total, value, points)
        for listener in listeners:
            listener(progress)
