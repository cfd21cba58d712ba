"""The command line: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import benchmarks
from benchmarks.judgement import disagreements, judge
from benchmarks.report import (
    HEADER,
    Result,
    aligned,
    as_json,
    cells,
    is_of_today,
    measured_before,
)
from benchmarks.row import Row
from benchmarks.rows import ROWS, choose_rows
from benchmarks.runner import Runner
from sidelight.datasets.files import why_missing


def main() -> int:
    """Run the rows asked for, print the table, and say by the exit code whether answers agree."""
    parser = _parser()
    options = parser.parse_args()
    if options.list:
        print(aligned([("row", "work"), *((row.name, row.work) for row in ROWS)]))
        return 0
    if options.resume and options.json is None:
        parser.error("--resume goes on with the file that --json names: give it.")
    try:
        rows = _runnable(choose_rows(options.rows))
    except ValueError as error:
        parser.error(str(error))
    runner = Runner(small=options.small, repeats=options.repeats)
    kept = {} if options.json is None else measured_before(options.json, small=options.small)
    if options.resume:
        rows = [row for row in rows if row.name not in kept or not is_of_today(kept[row.name])]
    results, complaints = [], []
    lines: list[tuple[str, ...]] = [HEADER]
    for row in rows:
        runs = runner(row)
        result = Result(row, runner.size(row), runs, judge(runs, row.goals))
        results.append(result)
        new = cells(result, judged=not options.small)
        lines += new
        print(
            f"{len(results)}/{len(rows)}",
            *(cell for cell in new[0] if cell),
            file=sys.stderr,
        )
        complaints += [f"{result.row.name}: {text}" for text in disagreements(result.runs)]
        if options.json is not None:  # after every row, so that an interrupted run is not lost
            options.json.parent.mkdir(parents=True, exist_ok=True)
            report = as_json(results, kept, small=options.small, repeats=options.repeats)
            options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    print(aligned(lines))
    print("Times are CPU seconds of one call on one core (median); compilation is not counted.")
    for complaint in complaints:
        print(f"DISAGREEMENT: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


def _runnable(rows: list[Row]) -> list[Row]:
    """Leave out rows whose real data are missing, loudly."""
    kept = []
    for row in rows:
        reason = None if row.real_data is None else why_missing(row.real_data)
        if reason is None:
            kept.append(row)
        else:
            print(f"NOT RUN: {row.name}. {reason}", file=sys.stderr)
    return kept


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=benchmarks.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--small", action="store_true", help="tiny sizes, no goals: do answers agree?"
    )
    parser.add_argument(
        "--rows",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only these rows, or rows that fit a pattern: 'lle-*'",
    )
    parser.add_argument(
        "--repeats", type=int, default=3, metavar="N", help="runs of contenders not slow (3)"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="PATH",
        help="write every figure to a file, beside those that it has",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="leave out the rows of that file that this machine measured with these versions",
    )
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())
