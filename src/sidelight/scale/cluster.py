"""Who does the work: this process, as many as are asked for, or a cluster that is already there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from sidelight.core import MissingExtraError


@contextmanager
def at_work(workers: int = 1, scheduler: str | None = None) -> Iterator[Any]:
    """Give a Dask client of so many processes of this machine, or of a scheduler; None for one."""
    if scheduler is None and workers == 1:
        yield None
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError("distributed", "scale", "More than one worker") from None
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout="20s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"No Dask scheduler answers at {scheduler!r}: {error or type(error).__name__}. "
                f"Start one with 'dask scheduler', and workers with 'dask worker ADDRESS'."
            ) from error
        with client:
            yield client
        return
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs="CRITICAL",  # what fails is told here, and not by the workers too
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def everywhere(client: Any, value: Any) -> Any:
    """A value on every worker, sent once, under a name of its own.

    Named by what it holds, it would share the name of an equal value that was sent before; word
    that nobody needs that one any more may arrive after this one was sent, and takes it away.
    """
    return client.scatter(value, broadcast=True, hash=False)


def in_order(
    client: Any, function: Callable[..., Any], items: Iterable[Any], shared: Any
) -> Iterator[Any]:
    """``function(item, shared)`` for each item, in their order; a few are under way at a time.

    What is shared is sent to each worker once.
    """
    if client is None:
        for item in items:
            yield function(item, shared)
        return
    sent = everywhere(client, shared)
    most = 2 * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(client.submit(function, item, sent, pure=False))
        if len(waiting) >= most:
            yield _result(waiting.popleft())
    while waiting:
        yield _result(waiting.popleft())


def _result(future: Any) -> Any:
    """What a worker found, where it is still there to tell."""
    from distributed import KilledWorker

    try:
        return future.result()
    except (CancelledError, KilledWorker) as error:
        raise ConnectionError(
            f"The Dask workers, or their scheduler, went away before all was done: {error} Start "
            f"them again, with more memory if that was short; what is written by then is whole."
        ) from error
