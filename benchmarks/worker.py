"""One measured run of one contender, in a process of its own.

``python -m benchmarks.worker ROW CONTENDER PROBLEM WARM THREADS FOLDER`` leaves ``answer.npy`` and
``measured.json`` in the folder.  PROBLEM is a file that the problem was written to; WARM is the
size of the problem solved before the clock starts, 0 for none; THREADS is "one", or "all" for the
default number of them and time on the wall.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

from benchmarks.measure import measure
from benchmarks.row import Problem
from benchmarks.rows import find_row


def main() -> None:
    """Run the contender named on the command line."""
    name, contender, problem, warm, threads, folder = sys.argv[1:]
    alone = threads == "one"
    # on one core, libraries that count cores start one thread
    if alone and hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
    warnings.simplefilter("ignore")
    row = find_row(name)
    ready = row.contenders[contender].ready
    if int(warm):
        ready(row.problem(int(warm)))()
    call = ready(Problem.read(Path(problem)))
    measured = measure(call, clock=row.clock if alone else "wall")
    np.save(Path(folder) / "answer.npy", measured.answer, allow_pickle=False)
    figures = {"seconds": measured.seconds, "megabytes": measured.megabytes}
    (Path(folder) / "measured.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
