"""Markdown that directives make: tables, and links to experiments and examples."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from experiments.rooms import rooms

ROOT = Path(__file__).resolve().parents[2]


def table(header: list[str], rows: list[list[str]], *, numbers: bool = False) -> str:
    """A table; with ``numbers`` all columns but the first are set to the right."""
    line = ["---", *(["---:"] if numbers else ["---"]) * (len(header) - 1)]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, line, *cells])


@cache
def experiments() -> dict[str, Path]:
    """The scripts of all experiments by their names."""
    return {
        name: ROOT / "experiments" / room / f"{name}.py"
        for room, names in rooms().items()
        for name in names
    }


def link_to(name: str) -> str:
    """An experiment as a link to its page."""
    return f"[{name}](/experiments/{experiments()[name].parent.name}.md#{name})"
