"""Work that takes a while: a bar while it lasts, its warnings in plain words after it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from sidelight.cli import console
from sidelight.core import Progress, listening


@contextmanager
def shown(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show the progress of the work in the block, and then its warnings."""
    with working(quiet=quiet) as begin:
        begin(what)
        yield


@contextmanager
def working(*, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Give a function that begins a piece of work with a bar of its own; warnings come at the end.

    What is written before the first piece begins is not disturbed by a bar.
    """
    bars = ExitStack()

    def begin(what: str) -> None:
        bars.close()
        if not quiet and console.errors().is_terminal:
            bars.enter_context(_bar(what))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", category=PendingDeprecationWarning)
        try:
            with bars:
                yield begin
        finally:
            console.warnings(dict.fromkeys(" ".join(str(w.message).split()) for w in caught))


@contextmanager
def _bar(what: str) -> Iterator[None]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns: list[Any] = [
        SpinnerColumn(style="cyan"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[count]}", style="dim"),
        TimeElapsedColumn(),
    ]
    with Bar(*columns, console=console.errors(), transient=True) as bar:
        task = bar.add_task(what, total=None, count="")

        def listener(progress: Progress) -> None:
            total = "" if progress.total is None else f"/{progress.total:,}"
            bar.update(
                task,
                description=f"{what}: {progress.stage}",
                completed=progress.done,
                total=progress.total,
                count=f"{progress.done:,}{total}",
            )

        with listening(listener):
            yield
