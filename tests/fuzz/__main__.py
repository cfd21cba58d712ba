"""``python -m tests.fuzz --cases 10000 --seed 0``: hostile use, by the thousand.

``python -m tests.fuzz --case 123 --seed 0`` runs one case again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.cases import FAULT, Outcome, draw_case, run_case
from tests.fuzz.running import run_cases


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run this one alone")
    parser.add_argument("--only", default="", help="an estimator, by its class name")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path, help="write every outcome to this file")
    given = parser.parse_args()
    if given.case is not None:
        print(draw_case(given.seed, given.case, given.only))
        outcome = run_case(given.seed, given.case, given.only)
        print(f"{outcome.verdict}: {outcome.stage} {outcome.what}")
        return int(outcome.verdict == FAULT)
    started, outcomes = time.monotonic(), []
    numbers = list(range(given.first, given.first + given.cases))
    for outcome in run_cases(numbers, given.seed, given.jobs, given.only):
        outcomes.append(outcome)
        if outcome.verdict == FAULT:
            print(f"{reproduction(outcome, given.seed, given.only)}  # {outcome.described}")
            print(f"    {outcome.stage}: {outcome.what}", flush=True)
    seconds = time.monotonic() - started
    counts = Counter(outcome.verdict for outcome in outcomes)
    for cause, number in Counter(map(cause_of, filter(_is_fault, outcomes))).most_common():
        print(f"{number:5d}  {cause}")
    print(
        f"{len(outcomes)} cases in {seconds:.0f} s "
        f"({sum(outcome.seconds for outcome in outcomes):.0f} s of work): "
        + ", ".join(f"{v} {k}" for k, v in counts.items())
    )
    if given.json:
        given.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes]))
    return int(counts[FAULT] > 0)


def reproduction(outcome: Outcome, seed: int, only: str = "") -> str:
    """The command that runs a case again."""
    among = f" --only {only}" if only else ""
    return f"python -m tests.fuzz --seed {seed} --case {outcome.number}{among}"


def cause_of(outcome: Outcome) -> str:
    """What went wrong, without the figures of the case."""
    words = re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?(?!\d*\])", "#", outcome.what)
    return f"{outcome.estimator} · {outcome.stage} · {words[:170]}"


def _is_fault(outcome: Outcome) -> bool:
    return outcome.verdict == FAULT


if __name__ == "__main__":
    sys.exit(main())
