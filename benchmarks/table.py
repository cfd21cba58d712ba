"""The results as a Markdown table: ``python -m benchmarks.table output/benchmarks.json``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.row import OURS

#: Work of which the time is that on the wall, start of the interpreter included.
_WAITED_FOR = ("import", "sidelight --help", "First picture")
_HEADER = ("work", "data", "sidelight", "best peer", "times faster", "goal", "memory", "version")


def markdown(report: dict[str, Any]) -> str:
    """Write a report as a Markdown table with a line on how it was measured.

    Parameters
    ----------
    report : dict
        As read from the JSON file.

    Returns
    -------
    str
        Lines of Markdown, each ended.
    """
    lines = [_line(_HEADER), _line(["---"] * 2 + ["---:"] * 6)]
    for row in report["rows"]:
        ours = row["contenders"][OURS]
        if row.get("limit"):
            lines.append(_line(_beside_limit(row, ours)))
        for verdict in row["verdicts"]:
            peer = row["contenders"][verdict["over"]]
            lines.append(
                _line(
                    [
                        row["work"],
                        row["data"].replace("_", " "),
                        f"{ours['median']:.3g} s{_wall(ours)}",
                        f"{verdict['over']} {peer['median']:.3g} s{_wall(peer)}",
                        f"**{verdict['ratio']:.3g}**",
                        _goal(verdict),
                        _memory(verdict),
                        row["measured"]["versions"]["sidelight"],
                    ]
                )
            )
        lines += [_line(_differs(row, ours, name)) for name in _unlike(row)]
    waits = [row["work"] for row in report["rows"] if row["work"].startswith(_WAITED_FOR)]
    waited = f" ({'; '.join(waits)}: on the wall)" if waits else ""
    note = (
        f"Seconds of processor time of one call on one core{waited}, the median of runs in turns "
        f"(slow peers run once), with equal answers checked in the same run; compilation is not "
        f"counted. In brackets, where it was measured: on the wall, with the default number of "
        f"threads. {' '.join(_occasions(report['rows']))}"
    )
    return "\n".join([*lines, "", note, ""])


def _occasions(rows: list[dict[str, Any]]) -> list[str]:
    """When rows were measured, on what and with what, newest first."""
    found = {}
    for measured in (row["measured"] for row in rows):
        packages = ", ".join(f"{name} {number}" for name, number in measured["versions"].items())
        runs = "one run" if measured["repeats"] == 1 else f"{measured['repeats']} runs"
        found[f"{measured['processor']}, {runs}, {packages}."] = measured["date"]
    newest = sorted(found.items(), key=lambda item: item[1], reverse=True)
    return [f"{date}: {what}" for what, date in newest]


def _wall(runs: dict[str, Any]) -> str:
    seconds = runs.get("wall") or []
    return f" ({median(seconds):.3g} s)" if seconds else ""


def _beside_limit(row: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """The cells of work that no peer can do."""
    seconds = f"{ours['median']:.3g} s{_wall(ours)}"
    if row["draws"] > 1:
        seconds += f" (worst of {row['draws']} draws {ours['most']:.3g} s)"
    return [
        row["work"],
        row["data"].replace("_", " "),
        seconds,
        "",
        "",
        row["limit"]["written"] + (" ✓" if row["within_limit"] else " ✗"),
        f"{max(ours['megabytes']):.0f} MB",
        row["measured"]["versions"]["sidelight"],
    ]


def _unlike(row: dict[str, Any]) -> list[str]:
    """The peers whose answer is not ours, or whose map is better, where it should not be."""
    peers = ((name, runs) for name, runs in row["contenders"].items() if name != OURS)
    return [
        name
        for name, runs in peers
        if runs["must_agree"] and runs["difference"] is not None and not runs["agrees"]
    ]


def _differs(row: dict[str, Any], ours: dict[str, Any], name: str) -> list[str]:
    """The cells of a peer that does not count, and why."""
    peer = row["contenders"][name]
    return [
        row["work"],
        row["data"].replace("_", " "),
        f"{ours['median']:.3g} s{_wall(ours)}",
        f"{name} {peer['median']:.3g} s{_wall(peer)}",
        f"{peer['median'] / ours['median']:.3g}",
        f"answers differ by {peer['difference']:.2g}, {peer['tolerance']:g} allowed ✗",
        "",
        row["measured"]["versions"]["sidelight"],
    ]


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _goal(verdict: dict[str, Any]) -> str:
    if verdict["goal"] is None:
        return ""
    goal = f"≥ {verdict['goal']:g}"
    if verdict["memory_goal"] is not None:
        goal += f", memory ≤ {verdict['memory_goal']:g}"
    return goal + (" ✓" if verdict["met"] else " ✗")


def _memory(verdict: dict[str, Any]) -> str:
    ratio, goal = verdict["memory_ratio"], verdict["memory_goal"]
    return "" if ratio is None or goal is None else f"{ratio:.2g}×"


def main() -> int:
    """Print the table of the file named on the command line."""
    if len(sys.argv) != 2:
        print("Usage: python -m benchmarks.table FILE.json", file=sys.stderr)
        return 2
    print(markdown(json.loads(Path(sys.argv[1]).read_text())), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
