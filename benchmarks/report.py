"""The results of a run: as a table for the terminal, as JSON for later."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.judgement import Runs, Verdict
from benchmarks.row import OURS, Limit, Row
from benchmarks.rows import ROWS

HEADER = ("row", "data", "ours", "peers", "ratio", "goal", "met", "memory", "difference")

_PACKAGES = (
    "sidelight",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "tapkee",
    "openTSNE",
    "umap-learn",
    "pacmap",
    "pynndescent",
    "pyamg",
    "cvxpy",
    "clarabel",
    "scs",
)


@dataclass(frozen=True)
class Result:
    """One finished row.

    Parameters
    ----------
    row : Row
        What was asked.
    size : int
        Rows of data.
    runs : dict of str to Runs
        By contender.
    verdicts : list of Verdict
        Beside the goals.
    """

    row: Row
    size: int
    runs: Mapping[str, Runs]
    verdicts: Sequence[Verdict]


def cells(result: Result, *, judged: bool) -> list[tuple[str, ...]]:
    """Write a result as lines of the table: one per verdict, at least one.

    Parameters
    ----------
    result : Result
        The row.
    judged : bool
        Whether goals are shown beside the ratios.

    Returns
    -------
    list of tuple of str
        Cells in the order of ``HEADER``.
    """
    ours = result.runs[OURS]
    peers = {name: run for name, run in result.runs.items() if name != OURS}
    differences = "; ".join(
        f"{name} {run.difference:.1e}" for name, run in peers.items() if run.difference is not None
    )
    if ours.difference is not None:
        differences = "; ".join(filter(None, [f"proven gap {ours.difference:.1e}", differences]))
    work = result.row.name.partition("/")[0]
    start = [work, result.row.data_name, _time(ours)]
    start.append("; ".join(f"{name} {_time(run)}" for name, run in peers.items()))
    lines = []
    if result.row.limit is not None:
        lines.append((*start, *_beside_limit(ours, result.row.limit, judged=judged), differences))
        start, differences = [""] * 4, ""
    verdicts: list[Verdict | None] = [*result.verdicts]
    if not verdicts and not lines:
        verdicts = [None]
    for verdict in verdicts:
        judgement = [""] * 4 if verdict is None else _judgement(verdict, judged=judged)
        lines.append((*start, *judgement, differences))
        start, differences = [""] * 4, ""
    return lines


def _beside_limit(run: Runs, limit: Limit, *, judged: bool) -> list[str]:
    """The cells from the ratio to the memory, of work that is judged by itself."""
    memory = f"{max(run.megabytes):.0f} MB" if run.megabytes else ""
    if not judged:
        return ["", "", "", memory]
    return ["", written(limit), "yes" if run.within(limit) else "NO", memory]


def written(limit: Limit) -> str:
    """Write a limit in a few signs.

    Parameters
    ----------
    limit : Limit
        What the work may take.

    Returns
    -------
    str
        Such as ``"≤ 5 s, each ≤ 10 s, ≤ 1000 MB"``.
    """
    parts = []
    if limit.seconds is not None:
        parts.append(f"≤ {limit.seconds:g} s")
    if limit.worst is not None:
        parts.append(f"each ≤ {limit.worst:g} s")
    if limit.megabytes is not None:
        parts.append(f"≤ {limit.megabytes:g} MB")
    return ", ".join(parts)


def _judgement(verdict: Verdict, *, judged: bool) -> list[str]:
    goal, met, memory = "", "", ""
    if verdict.memory_goal is not None and verdict.memory_ratio is not None:
        memory = f"{verdict.memory_ratio:.2f}×"
    if judged and verdict.goal is not None:
        goal, met = f"≥ {verdict.goal:g}×", "yes" if verdict.met else "NO"
        if verdict.memory_goal is not None:
            goal += f", ≤ {verdict.memory_goal:g}× memory"
    return [f"{verdict.ratio:.2f}× {verdict.over}", goal, met, memory]


def _time(run: Runs) -> str:
    if not run.seconds:
        return f"({run.failure.partition(':')[0]})"
    outside = run.difference is not None and not run.agrees
    wall = f" (wall {median(run.wall):.3g} s)" if run.wall else ""
    off = " (its answer is off: not counted)" if outside else ""
    return f"{median(run.seconds):.3g} s{wall}{off}"


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Align the columns of a table with spaces.

    Parameters
    ----------
    lines : sequence of sequences of str
        The header first.

    Returns
    -------
    str
        One line of text each.
    """
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_json(
    results: Sequence[Result],
    kept: Mapping[str, dict[str, Any]] | None = None,
    *,
    small: bool,
    repeats: int,
) -> dict[str, Any]:
    """Bring results into a form for ``json.dump``: every run, and what each row was measured on.

    Parameters
    ----------
    results : sequence of Result
        The rows.
    kept : dict, optional
        Rows that were measured before, as ``measured_before`` gives them.
    small : bool
        Whether these are the small sizes.
    repeats : int
        Runs of each contender that is not slow.

    Returns
    -------
    dict
        With the keys ``small`` and ``rows``.
    """
    measured = _circumstances() | {"repeats": 1 if small else repeats, "date": _today()}
    new = {result.row.name: _row_as_json(result) | {"measured": measured} for result in results}
    rows = (kept or {}) | new
    order = {row.name: place for place, row in enumerate(ROWS)}
    ordered = sorted(rows.values(), key=lambda row: order.get(row["name"], len(order)))
    return {"small": small, "rows": ordered}


def measured_before(path: Path, *, small: bool = False) -> dict[str, dict[str, Any]]:
    """Rows of an earlier report of these sizes that are still asked for, by name.

    A full run takes hours.  Rows are therefore measured by and by, each one whole and in turns with
    its peers, and each says when, on what and with which versions.
    """
    if not path.exists():
        return {}
    report = json.loads(path.read_text())
    asked = {row.name for row in ROWS} if report["small"] == small else set()
    return {row["name"]: row for row in report["rows"] if row["name"] in asked}


def is_of_today(row: Mapping[str, Any]) -> bool:
    """Whether a row was measured on this processor with these versions: nothing has changed."""
    return all(row["measured"].get(key) == value for key, value in _circumstances().items())


def _circumstances() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "versions": {"python": platform.python_version()} | _versions(),
    }


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _row_as_json(result: Result) -> dict[str, Any]:
    limit = result.row.limit
    return {
        "name": result.row.name,
        "work": result.row.work,
        "data": result.row.data_name,
        "size": result.size,
        "clock": result.row.clock,
        "draws": result.row.draws,
        "limit": None if limit is None else asdict(limit) | {"written": written(limit)},
        "within_limit": None if limit is None else result.runs[OURS].within(limit),
        "contenders": {
            name: asdict(run)
            # the kind of error alone: its text may name a place on this machine
            | {"failure": run.failure.partition(":")[0]}
            | {"agrees": run.agrees or (name == OURS and run.difference is None)}
            | _summary(run.seconds)
            for name, run in result.runs.items()
        },
        "verdicts": [asdict(verdict) | {"met": verdict.met} for verdict in result.verdicts],
    }


def _summary(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    return {"median": median(seconds), "least": min(seconds), "most": max(seconds)}


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
