"""How long a user waits for the command line, start of the interpreter included."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.data import nothing
from benchmarks.row import OURS, Array, Contender, Limit, Problem, Row, no_answer

#: Columns of the table whose first picture is waited for.
_COLUMNS = 50


def groups(n: int) -> Problem:
    """Ten groups of rows in fifty dimensions."""
    rng = np.random.default_rng(0)
    X = 3.0 * rng.normal(size=(10, _COLUMNS))[rng.integers(10, size=n)]
    return Problem(X + rng.normal(size=(n, _COLUMNS)))


def ask_for_help(problem: Problem) -> Array:
    """Start the command line and let it say what it can do."""
    command = [sys.executable, "-m", "sidelight", "--help"]
    subprocess.run(command, env=as_users_have_it(), check=True, stdout=subprocess.DEVNULL)
    return np.zeros(1)


def as_users_have_it() -> dict[str, str]:
    """The environment, where an installed package has its bytecode beside it."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def written(problem: Problem) -> TemporaryDirectory[str]:
    """The table as a file of text, in a folder that is there as long as this is held."""
    folder = TemporaryDirectory(prefix="sidelight-")
    names = ",".join(f"column {i}" for i in range(problem.X.shape[1]))
    np.savetxt(Path(folder.name) / "data.csv", problem.X, "%.6g", ",", header=names, comments="")
    return folder


def first_picture(problem: Problem, folder: TemporaryDirectory[str], *, cold: bool) -> Array:
    """From a file of text to a picture of it; cold with nothing compiled and no font known yet."""
    place = Path(folder.name)
    caches = {"NUMBA_CACHE_DIR": place / "compiled", "MPLCONFIGDIR": place / "fonts"}
    environment = as_users_have_it() | ({k: str(v) for k, v in caches.items()} if cold else {})
    command = [sys.executable, "-m", "sidelight", "embed", "data.csv", "--picture", "map.png"]
    subprocess.run(command, cwd=place, env=environment, check=True, capture_output=True)
    if (place / "map.png").stat().st_size < 1_000:
        raise ValueError("There is no picture.")
    return np.zeros(1)


def _pictured(cold: bool, limit: float) -> Row:
    return Row(
        name=f"first-picture-{'cold' if cold else 'warm'}/groups",
        work=f"First picture of a csv file, 2,000 × 50, {'nothing compiled' if cold else 'again'}",
        data=groups,
        size=2_000,
        small=200,
        warm=200,
        contenders={OURS: Contender(partial(first_picture, cold=cold), prepare=written)},
        compare=no_answer,
        tolerance=0.0,
        limit=Limit(seconds=limit),
        clock="wall",
    )


STARTING = (
    Row(
        name="help/-",
        work="sidelight --help",
        data=nothing,
        size=1,
        small=1,
        warm=1,  # reads the files once, so that the disk is not measured
        contenders={OURS: Contender(ask_for_help)},
        compare=no_answer,
        tolerance=0.0,
        limit=Limit(seconds=0.3),
        clock="wall",
    ),
    _pictured(cold=False, limit=4.5),
    _pictured(cold=True, limit=12.0),
)
