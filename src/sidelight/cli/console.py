"""Where the command line writes: results to the output, everything else beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Files and pipes have no width; a table of measures is readable in this one.
_WIDTH_OF_A_FILE = 110


def output() -> Console:
    """Give the console for results."""
    return _console(error=False)


def errors() -> Console:
    """Give the console for progress, notes, warnings and errors."""
    return _console(error=True)


def notes(lines: Iterable[str], *, quiet: bool = False) -> None:
    """Tell what was done that the user did not ask for in so many words."""
    for line in () if quiet else lines:
        _hanging(errors(), "·", line, "dim", "dim")


def warnings(lines: Iterable[str]) -> None:
    """Tell what may be wrong with the result."""
    for line in lines:
        _hanging(errors(), "!", line, "bold yellow", "yellow")


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Write a few facts under each other, their names on the left."""
    for name, fact in pairs:
        _hanging(output(), f"{name:<8}", fact, "cyan", "")


def _hanging(console: Console, mark: str, line: str, mark_style: str, style: str) -> None:
    """Write a line after a mark; on a screen the rest of a long one hangs below its beginning."""
    from rich.table import Table
    from rich.text import Text

    if not console.is_terminal:
        console.print(f" {mark} {line}".rstrip(), soft_wrap=True)
        return
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style=mark_style, no_wrap=True)
    grid.add_column(style=style, overflow="fold")
    grid.add_row(Text(f" {mark}"), Text(line))
    console.print(grid)


def _console(*, error: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    screen = hasattr(stream, "isatty") and stream.isatty()
    return Console(
        stderr=error, highlight=False, width=None if screen else _WIDTH_OF_A_FILE, markup=False
    )
