"""Measures of maps, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isnan
from statistics import fmean

from sidelight.cli import console
from sidelight.quality import Judgement, QualityReport

# What a comparison shows: field, heading, whether large is good.
COMPARED = (
    ("trustworthiness", "trust", True),
    ("continuity", "continuity", True),
    ("auc", "R_NX area", True),
    ("shepard_correlation", "Shepard", True),
    ("stress", "stress", False),
    ("label_accuracy", "labels", True),
    ("said_holds", "said holds", True),
    ("factor_left", "factor left", False),
)

#: Areas under R_NX that differ by less are alike.
_ALIKE = 0.01


@dataclass(frozen=True)
class Judged(QualityReport):
    """A report on a map, with how much of what was said holds in it.

    Parameters
    ----------
    said_holds : float or None
        The mean, over the kinds of judgements, of the part that holds; None where none was said.
    factor_left : float or None
        How far neighbours in the map tell known factors; None where there are none.
    """

    said_holds: float | None = None
    factor_left: float | None = None

    @classmethod
    def of(cls, report: QualityReport, judgements: Sequence[Judgement]) -> Judged:
        """A report and judgements in one."""
        measures = {each.name: getattr(report, each.name) for each in fields(report)}
        held, left = (
            [told.held for told in judgements if told.wanted is wanted] for wanted in (True, False)
        )
        return cls(
            **measures,
            said_holds=fmean(held) if held else None,
            factor_left=fmean(left) if left else None,
        )


def show_report(report: QualityReport) -> None:
    """Write one report."""
    from rich.table import Column
    from rich.text import Text

    columns = [
        Column("measure", no_wrap=True),
        Column("value", style="bold", no_wrap=True),
        Column("best", style="dim", justify="center"),
        Column("what it says", style="dim"),
    ]
    console.show_table(columns, [[Text(cell) for cell in line] for line in report._lines()])
    if report.note:
        console.notes([" ".join(report.note.split())])


def show_agreement(judgements: Sequence[Judgement]) -> None:
    """Write how much of what was said holds in a map; nothing where nothing was said of rows."""
    from rich.table import Column
    from rich.text import Text

    if not judgements:
        return
    columns = [
        Column("of what was said", no_wrap=True, justify="right"),
        Column("holds", style="bold", no_wrap=True, justify="right"),
        Column("by chance", style="dim", no_wrap=True, justify="right"),
        Column("what that is", style="dim"),
    ]
    rows = []
    for told in judgements:
        chance = "" if isnan(told.chance) else f"{told.chance:.0%}"
        rows.append([f"{told.n:,}", f"{told.held:.0%}", chance, told.what])
    console.show_table(columns, [[Text(cell) for cell in row] for row in rows])


def show_comparison(
    reports: Mapping[str, QualityReport],
    seconds: Mapping[str, float],
    failures: Mapping[str, str],
    spread: Mapping[str, Mapping[str, float]],
) -> None:
    """Write the measures of several maps, the best of each in bold, with their spread."""
    from rich.table import Column
    from rich.text import Text

    shown = [
        measure
        for measure in COMPARED
        if any(getattr(report, measure[0]) is not None for report in reports.values())
    ]
    columns = [Column("method", no_wrap=True)]
    for _, heading, large in shown:
        heading = f"{heading} {'↑' if large else '↓'}"
        columns.append(Column(heading, justify="right", no_wrap=True))
    columns.append(Column("seconds", justify="right", style="dim"))
    rows = []
    best = _best(reports)
    for method, report in reports.items():
        cells = [Text(method)]
        for name, _, _ in shown:
            value = getattr(report, name)
            style = "bold green" if method in best.get(name, ()) else ""
            apart = spread.get(method, {}).get(name)
            beside = "" if apart is None else f" ± {apart:.4f}"
            cells.append(Text("" if value is None else f"{value:.4f}{beside}", style=style))
        rows.append([*cells, Text(f"{seconds[method]:.2f}")])
    for method in failures:
        failed = "failed" if method not in seconds else "not judged"
        rows.append([Text(method, style="red"), *(Text("–") for _ in shown), Text(failed)])
    console.show_table(columns, rows)
    out = console.output()
    if not out.is_terminal:  # no bold in a file
        for name, heading, _ in shown:
            out.print(f"best {heading}: {', '.join(best[name])}")
    console.warnings(f"{method}: {reason}" for method, reason in failures.items())


def advice(
    reports: Mapping[str, QualityReport],
    cleaned: Mapping[str, QualityReport],
    seconds: Mapping[str, float],
    *,
    told: bool,
    spread: Mapping[str, Mapping[str, float]],
) -> list[str]:
    """What to make of a comparison: by what maps were judged, and which to take.

    Maps that leave a known factor out are compared among themselves, against the data without it
    (``cleaned``): against the data as given they would lose by doing what they were asked for.
    """
    if not told:
        return recommended(reports, seconds, spread)
    by = "All maps are judged against the data as given, those told of something too."
    if not cleaned:
        return [by, *recommended(reports, seconds, spread)]
    areas = ", ".join(f"{method} {report.auc:.3f}" for method, report in cleaned.items())
    others = {method: report for method, report in reports.items() if method not in cleaned}
    return [
        f"{by} What the Condition does is left out of some, which keep fewer of these neighbours "
        f"for it. Against the data without it their areas under R_NX are: {areas}.",
        *(f"With what the Condition does: {line}" for line in recommended(others, seconds, spread)),
        *(f"Without what the Condition does: {line}" for line in recommended(cleaned, seconds)),
    ]


def recommended(
    reports: Mapping[str, QualityReport],
    seconds: Mapping[str, float],
    spread: Mapping[str, Mapping[str, float]] | None = None,
) -> list[str]:
    """Which map to take, and why: the neighbourhoods of all sizes that it keeps, then its time.

    Areas that differ by no more than those of other seeds do are alike.
    """
    if len(reports) < 2:
        return []
    areas = {method: report.auc for method, report in reports.items()}
    top = max(areas.values())
    apart = {method: (spread or {}).get(method, {}).get("auc", 0.0) for method in areas}
    by_chance = apart[max(areas, key=lambda method: areas[method])]
    alike = [m for m, area in areas.items() if area >= top - max(_ALIKE, by_chance, apart[m])]
    chosen = min(alike, key=lambda method: seconds[method])
    others = [method for method in areas if method not in alike]
    why = f"it keeps most of the neighbourhoods (area under R_NX {areas[chosen]:.3f}"
    if len(alike) > 1:
        why = (
            f"of {', '.join(alike)}, which keep as much, it is the fastest ({seconds[chosen]:.1f} s"
        )
    after = max(others, key=lambda method: areas[method], default=None)
    next_best = f"; {after} {areas[after]:.3f})" if after else ")"
    return [f"Take {chosen}: {why}{next_best}."]


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
