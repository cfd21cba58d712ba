"""``sidelight methods``: what there is, in one table."""

from __future__ import annotations

from sidelight.cli import console


def methods() -> None:
    """List the methods: what each does, what it gives, what it listens to."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from sidelight.registry import MAPS

    listens = any(entry.understands for entry in MAPS)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="cyan")
    table.add_column("method", no_wrap=True)
    table.add_column("estimator", no_wrap=True)
    table.add_column("what it does")
    table.add_column("what it gives", style="dim")
    if listens:
        table.add_column("listens to", style="dim")
    for entry in MAPS:
        cells = [
            Text(entry.command, style="bold"),
            Text(entry.name),
            Text(entry.summary),
            Text(", ".join(entry.gives)),
        ]
        if listens:
            cells.append(Text(", ".join(entry.understands)))
        table.add_row(*cells)
    console.output().print(table)
    console.notes(["Use one with: sidelight embed data.csv --method isomap"])
