"""Measures of maps, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidelight.cli import console
from sidelight.quality import QualityReport

# What a comparison shows: field, heading, whether large is good.
COMPARED = (
    ("trustworthiness", "trust", True),
    ("continuity", "continuity", True),
    ("auc", "R_NX area", True),
    ("shepard_correlation", "Shepard", True),
    ("stress", "stress", False),
    ("label_accuracy", "labels", True),
)


def show_report(report: QualityReport) -> None:
    """Write one report."""
    from rich.text import Text

    table = _table()
    table.add_column("measure", no_wrap=True)
    table.add_column("value", style="bold", no_wrap=True)
    table.add_column("best", style="dim", justify="center")
    table.add_column("what it says", style="dim")
    for line in report._lines():
        table.add_row(*map(Text, line))
    console.output().print(table)
    if report.note:
        console.notes([report.note])


def show_comparison(
    reports: Mapping[str, QualityReport], seconds: Mapping[str, float], failures: Mapping[str, str]
) -> None:
    """Write the measures of several maps, the best of each in bold."""
    from rich.text import Text

    table = _table()
    table.add_column("method", no_wrap=True)
    shown = [
        measure
        for measure in COMPARED
        if any(getattr(report, measure[0]) is not None for report in reports.values())
    ]
    for _, heading, large in shown:
        table.add_column(f"{heading} {'↑' if large else '↓'}", justify="right", no_wrap=True)
    table.add_column("seconds", justify="right", style="dim")
    best = _best(reports)
    for method, report in reports.items():
        cells = [Text(method)]
        for name, _, _ in shown:
            value = getattr(report, name)
            style = "bold green" if method in best.get(name, ()) else ""
            cells.append(Text("" if value is None else f"{value:.4f}", style=style))
        table.add_row(*cells, Text(f"{seconds[method]:.2f}"))
    for method in failures:
        table.add_row(Text(method, style="red"), *(Text("–") for _ in shown), Text("failed"))
    out = console.output()
    out.print(table)
    if not out.is_terminal:  # no bold in a file
        for name, heading, _ in shown:
            out.print(f"best {heading}: {', '.join(best[name])}")
    console.warnings(f"{method}: {reason}" for method, reason in failures.items())


def _best(reports: Mapping[str, QualityReport]) -> dict[str, list[str]]:
    best: dict[str, list[str]] = {}
    for name, _, large in COMPARED:
        values = {
            method: round(float(value), 4)
            for method, report in reports.items()
            if (value := getattr(report, name)) is not None
        }
        if values:
            top = max(values.values()) if large else min(values.values())
            best[name] = [method for method, value in values.items() if value == top]
    return best


def _table() -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, header_style="cyan")
