"""``sidelight methods``: what there is, in one table."""

from __future__ import annotations

from sidelight.cli import console


def methods() -> None:
    """List the methods: what each does, what it gives, what it listens to."""
    from rich.table import Column
    from rich.text import Text

    from sidelight.registry import MAPS

    listens = any(entry.understands for entry in MAPS)
    columns = [
        Column("method", no_wrap=True),
        Column("estimator", no_wrap=True),
        Column("what it does"),
        Column("what it gives", style="dim"),
    ]
    if listens:
        columns.append(Column("listens to", style="dim"))
    rows = []
    for entry in MAPS:
        cells = [
            Text(entry.command, style="bold"),
            Text(entry.name),
            Text(entry.summary),
            Text(", ".join(entry.gives)),
        ]
        if listens:
            cells.append(Text(", ".join(entry.understands)))
        rows.append(cells)
    console.show_table(columns, rows)
    console.notes(["Use one with: sidelight embed data.csv --method isomap"])
