"""Work that takes a while: a bar while it lasts, its warnings in plain words after it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sidelight.cli import console
from sidelight.core.progress import Progress, listening


@contextmanager
def shown(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show the progress of the work in the block, and then its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", category=PendingDeprecationWarning)
        with _bar(what, quiet=quiet or not console.errors().is_terminal):
            yield
    console.warnings(dict.fromkeys(" ".join(str(w.message).split()) for w in caught))


@contextmanager
def _bar(what: str, *, quiet: bool) -> Iterator[None]:
    if quiet:
        yield
        return
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
