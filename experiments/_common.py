"""How an experiment is started by hand and how it prints its table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class Experiment(Protocol):
    """The function ``main`` of an experiment."""

    def __call__(self, output: Path, *, quick: bool = False) -> None:
        """Print the table and save the figures into a folder."""


def start(main: Experiment) -> None:
    """Run an experiment with the options of the command line.

    Parameters
    ----------
    main : callable
        The experiment.
    """
    parser = argparse.ArgumentParser(description=sys.modules[main.__module__].__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--output", type=Path, default=Path("figures"), help="folder for figures")
    parser.add_argument("--quick", action="store_true", help="fewer points, in seconds")
    options = parser.parse_args()
    try:
        main(options.output, quick=options.quick)
    except FileNotFoundError as missing:  # real data: the message says what to do
        sys.exit(str(missing))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, title: str = "") -> None:
    """Print aligned columns: the first to the left, the others to the right.

    Parameters
    ----------
    header : sequence of str
        One name per column.
    rows : sequence of sequences of str
        The cells, as they are written.
    title : str
        A line above.
    """
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    if title:
        print(f"\n{title}")
    for row in (header, ["-" * width for width in widths], *rows):
        first, *others = (
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())
