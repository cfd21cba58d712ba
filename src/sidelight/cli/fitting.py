"""Work that takes a while: a bar or a line now and then, and its warnings in words after it."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from sidelight.cli import console
from sidelight.cli.loading import load_scikit_learn
from sidelight.core import Progress, listening

load_scikit_learn()  # before anything else does

# A pipe or a file gets a line no more often than this.
_SECONDS_BETWEEN_LINES = 10.0
_GLYPH = re.compile(r"Glyph (\d+) .*missing from")
_MOST_SIGNS = 10
# Before that the pace of a stage says little.
_SOON = 0.5


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
        if not quiet:
            bars.enter_context(_bar(what) if console.errors().is_terminal else _lines(what))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", category=PendingDeprecationWarning)
        try:
            with bars:
                yield begin
        finally:
            console.warnings(_in_words([" ".join(str(w.message).split()) for w in caught]))


def _in_words(warned: Sequence[str]) -> list[str]:
    """Each warning once; those of matplotlib about signs that its font lacks in one.

    Examples
    --------
    >>> _in_words([f"Glyph {ord(sign)} (its name) missing from font(s) X." for sign in "猫犬"])
    ['The font of the picture lacks the signs 犬 猫, and shows boxes. A page (--page) shows them.']
    """
    found = {line: _GLYPH.match(line) for line in warned}
    signs = sorted({chr(int(glyph[1])) for glyph in found.values() if glyph})
    lines = [line for line, glyph in found.items() if glyph is None]
    if signs:
        some = " ".join(signs[:_MOST_SIGNS]) + " …" * (len(signs) > _MOST_SIGNS)
        lacking = f"the {'signs' if len(signs) > 1 else 'sign'} {some}"
        lines.append(
            f"The font of the picture lacks {lacking}, and shows boxes. A page (--page) shows them."
        )
    return lines


class Pace:
    """How long a stage has taken, and how long it may still take at the same pace."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage: tuple[str, int] | None = None
        self._start = clock()

    def left(self, progress: Progress) -> str:
        """The time left in words; nothing where that cannot be told yet."""
        now = self._clock()
        stage, begun = self._stage or ("", 0)
        if self._stage is None or stage != progress.stage or progress.done < begun:
            # what came before the first report of a stage was not part of it
            begun, self._start = progress.done, now
            self._stage = (progress.stage, begun)
        gone, done = now - self._start, progress.done - begun
        if progress.total is None or done <= 0 or gone < _SOON:
            return ""
        return f"about {written_time(gone * (progress.total - progress.done) / done)} left"


def written_time(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> written_time(8.2), written_time(95), written_time(7500)
    ('9 s', '2 min', '2.1 h')
    """
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    return f"{math.ceil(seconds / 60)} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


@contextmanager
def _lines(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Say now and then how far the work has come, where there is no screen to draw a bar on."""
    pace, last = Pace(clock), clock()

    def listener(progress: Progress) -> None:
        nonlocal last
        left = pace.left(progress)
        if clock() - last < _SECONDS_BETWEEN_LINES:
            return
        last = clock()
        total = "" if progress.total is None else f" of {progress.total:,}"
        console.notes([", ".join(filter(None, [f"{what}: {_counted(progress)}{total}", left]))])

    with listening(listener):
        yield


def _counted(progress: Progress) -> str:
    return f"{progress.stage} {progress.done:,}"


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
        TextColumn("{task.fields[left]}", style="dim"),
    ]
    pace = Pace()
    with Bar(*columns, console=console.errors(), transient=True) as bar:
        task = bar.add_task(what, total=None, count="", left="")

        def listener(progress: Progress) -> None:
            total = "" if progress.total is None else f"/{progress.total:,}"
            bar.update(
                task,
                description=f"{what}: {progress.stage}",
                completed=progress.done,
                total=progress.total,
                count=f"{progress.done:,}{total}",
                left=pace.left(progress),
            )

        with listening(listener):
            yield
