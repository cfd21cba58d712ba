"""Where the command line writes: results to the output, everything else beside it."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column
    from rich.text import Text

# Files and pipes have no width; a table of measures is readable in this one.
_WIDTH_OF_A_FILE = 110


# What is written instead where a terminal or a file knows no such sign.
_PLAIN = {
    "·": "-", "…": "...", "×": "x", "–": "-", "—": "-", "−": "-", "‘": "'", "’": "'",
    "↑": "^", "↓": "v", "→": "->", "≤": "<=", "≥": ">=", "½": "1/2", "²": "2", "•": "*",
}  # fmt: skip
_BOX = {"─": "-", "━": "-", "│": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+"}


def write_plainly() -> None:
    """Let the output and the errors take every sign, on terminals that know ASCII alone too."""
    codecs.register_error("plainly", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plainly")


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join((_PLAIN | _BOX).get(sign, "?") for sign in signs), error.end


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


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> None:
    """Write a table; where the screen is too narrow for it, one fact under the other."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=SIMPLE_HEAD, pad_edge=False, header_style="cyan")
    for row in rows:
        table.add_row(*row)
    console = output()
    if _least_width(columns, rows) <= console.width:
        console.print(table)
        return
    for row in rows:
        console.print(row[0], style="bold", overflow="fold")
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell.plain:
                console.print(Text(f"  {column.header}: ", style="cyan") + cell, overflow="fold")


def _least_width(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> int:
    """How wide a table is at least: whole cells where they must not be broken, else short words."""
    width = 0
    for place, column in enumerate(columns):
        cells = [str(column.header), *(row[place].plain for row in rows)]
        pieces = cells if column.no_wrap else [word[:8] for cell in cells for word in cell.split()]
        width += max(map(len, pieces), default=0) + 3
    return width


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
