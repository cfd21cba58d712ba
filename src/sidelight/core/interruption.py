"""Interruption: what a stopped piece of work has come to is kept, or the interruption goes on.

Only the user interrupts (Ctrl-C, or a listener that raises ``KeyboardInterrupt``); the program
passes on what came and raises none of its own.
"""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, NoReturn

from sidelight.core.errors import InterruptedFitWarning

_whole_or_nothing: ContextVar[bool] = ContextVar("sidelight_whole_or_nothing", default=False)


class Interruption:
    """Work that may be stopped; true if it was.

    Examples
    --------
    >>> best = 0
    >>> with Interruption() as interruption:
    ...     best = 1
    ...     raise KeyboardInterrupt  # as Ctrl-C does
    >>> bool(interruption), best
    (True, 1)
    """

    _error: KeyboardInterrupt | None = None

    def __enter__(self) -> Interruption:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if not isinstance(error, KeyboardInterrupt) or _whole_or_nothing.get():
            return False
        self._error = error
        return True

    def __bool__(self) -> bool:
        return self._error is not None

    def go_on(self) -> NoReturn:
        """Pass the user's interruption on: there is nothing to keep."""
        assert self._error is not None
        raise self._error

    @staticmethod
    def warn(kept: str, *, stacklevel: int) -> None:
        """Say what was interrupted, and what is kept."""
        warnings.warn(kept, InterruptedFitWarning, stacklevel=stacklevel + 1)


@contextmanager
def whole_or_nothing() -> Iterator[None]:
    """Let interruptions pass through solvers that would keep the best: half of this is no use."""
    token = _whole_or_nothing.set(True)
    try:
        yield
    finally:
        _whole_or_nothing.reset(token)


@contextmanager
def deferred_interruption() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done.

    Other threads than the main one are never interrupted, and a handler that is not Python's own
    affair (ignored, or set by another program) stays as it is.
    """
    handler: Any = None
    if threading.current_thread() is threading.main_thread():
        handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])
