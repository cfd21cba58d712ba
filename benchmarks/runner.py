"""Run the contenders of a row in turns, each time in a fresh process on one core.

Processor time is that of one thread.  Beside it stands the time on the wall of a second process
with the default number of threads, which is what users have.

The small run is about agreement, not time, and stays in this process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.judgement import Runs
from benchmarks.measure import Measurement, measure
from benchmarks.row import OURS, Array, Problem, Row

#: A run that takes longer is given up, in seconds on the wall.
TIME_LIMIT = 900

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
        "LOKY_MAX_CPU_COUNT",
    ),
    "1",
)


@dataclass(frozen=True)
class Draw:
    """A problem, and the file that it was written to."""

    problem: Problem
    file: Path


@dataclass
class Runner:
    """Runs rows, and remembers slow runs that several rows share.

    Parameters
    ----------
    small : bool
        Take the small sizes, once, in this process, and solve nothing beforehand.
    repeats : int
        Runs of each contender that is not slow.
    """

    small: bool = False
    repeats: int = 3
    _shared: dict[tuple[Any, ...], Measurement[Array]] = field(default_factory=dict)

    def __call__(self, row: Row) -> dict[str, Runs]:
        """Run all contenders of a row and compare their answers with ours.

        Parameters
        ----------
        row : Row
            The row.

        Returns
        -------
        dict of str to Runs
            By contender, with the differences filled in.
        """
        runs = {
            name: Runs(
                tolerance=row.tolerance_for(name, small=self.small), must_agree=contender.must_agree
            )
            for name, contender in row.contenders.items()
        }
        answers: dict[str, Array] = {}
        with tempfile.TemporaryDirectory() as folder:
            draws = [self._draw(row, draw, Path(folder)) for draw in range(row.draws)]
            for turn in range(self._turns(row)):
                draw = draws[turn % row.draws]
                for name, contender in row.contenders.items():
                    if runs[name].failure or (turn and contender.slow):
                        continue
                    answer = self._run(row, name, draw, runs[name])
                    if answer is not None:
                        answers[name] = answer
        if OURS in answers:
            for name in answers.keys() - {OURS}:
                problem = draws[0].problem
                runs[name].difference = row.compare(problem, answers[OURS], answers[name])
        return runs

    def _draw(self, row: Row, draw: int, folder: Path) -> Draw:
        """A row's problem, written once for the processes of all contenders."""
        found = Draw(row.problem(self.size(row), draw), folder / f"{draw}.npz")
        if not self.small:
            found.problem.write(found.file)
        return found

    def _run(self, row: Row, name: str, draw: Draw, runs: Runs) -> Array | None:
        """Run a contender once and note what it took, or why it gave no answer."""
        contender = row.contenders[name]
        if contender.package and find_spec(contender.package) is None:
            runs.failure, runs.must_agree = f"{contender.package} is not installed", False
            return None
        try:
            if self.small:
                measured = self._here(row, name, draw.problem)
            else:
                measured = self._apart(row, name, draw.file)
                if row.clock == "cpu" and not contender.slow:
                    runs.wall.append(self._as_users_run_it(row, name, draw.file))
        except Exception as error:  # a peer may fail in any way, and the others run on
            runs.failure = _reason(error)
            return None
        runs.seconds.append(measured.seconds)
        runs.megabytes.append(measured.megabytes)
        if name == OURS and row.certificate is not None:
            gap = row.certificate(draw.problem, measured.answer)
            runs.difference = max(runs.difference or 0.0, gap)
        return measured.answer

    def size(self, row: Row) -> int:
        """Say how many rows of data a row runs on."""
        return row.small if self.small else row.size

    def _turns(self, row: Row) -> int:
        if self.small:
            return 1
        return row.draws if row.draws > 1 else self.repeats

    def _here(self, row: Row, name: str, problem: Problem) -> Measurement[Array]:
        with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
            return measure(row.contenders[name].ready(problem), clock=row.clock)

    def _as_users_run_it(self, row: Row, name: str, problem: Path) -> float:
        return run_worker(row.name, name, problem, row.warm, all_threads=True).seconds

    def _apart(self, row: Row, name: str, problem: Path) -> Measurement[Array]:
        contender = row.contenders[name]
        key = (contender.run, row.data, row.size, row.all_threads)
        if key not in self._shared:
            measured = run_worker(row.name, name, problem, row.warm, all_threads=row.all_threads)
            if not contender.slow:
                return measured
            self._shared[key] = measured
        return self._shared[key]


def run_worker(
    row: str, contender: str, problem: Path, warm: int, *, all_threads: bool = False
) -> Measurement[Array]:
    """Measure one run of a contender in a fresh process: on one core, or as users run it.

    Parameters
    ----------
    row, contender : str
        By name.
    problem : Path
        The file that the problem was written to.
    warm : int
        Rows of the problem solved beforehand (0: none).
    all_threads : bool
        Leave the number of threads at its default, and measure time on the wall.

    Returns
    -------
    Measurement
        The answer, the time and the memory.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.worker", row, contender]
        subprocess.run(
            [*command, str(problem), str(warm), "all" if all_threads else "one", folder],
            check=True,
            env=_free_threads() if all_threads else os.environ | ONE_THREAD,
            cwd=Path(__file__).parents[1],
            timeout=TIME_LIMIT,
            capture_output=True,
            text=True,
        )
        figures = json.loads((Path(folder) / "measured.json").read_text())
        answer = np.load(Path(folder) / "answer.npy", allow_pickle=False)
    return Measurement(answer, **figures)


def _free_threads() -> dict[str, str]:
    """The environment without limits on threads."""
    return {name: value for name, value in os.environ.items() if name not in ONE_THREAD}


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"gave no answer within {TIME_LIMIT} s"
    if isinstance(error, subprocess.CalledProcessError):
        lines = (error.stderr or "").strip().splitlines()
        return lines[-1] if lines else f"ended with code {error.returncode}"
    return f"{type(error).__name__}: {error}"
