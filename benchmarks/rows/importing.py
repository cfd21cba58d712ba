"""How long an import takes, start of the interpreter included."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np

from benchmarks.data import nothing
from benchmarks.row import OURS, Array, Contender, Limit, Problem, Row, no_answer


def import_module(problem: Problem, module: str) -> Array:
    """Start an interpreter that imports a module."""
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return np.zeros(1)


IMPORTING = (
    Row(
        name="import/-",
        work="import",
        data=nothing,
        size=1,
        small=1,
        warm=1,  # reads the files once, so that the disk is not measured
        contenders={
            OURS: Contender(partial(import_module, module="sidelight")),
            "sklearn": Contender(partial(import_module, module="sklearn")),
            "sklearn.manifold": Contender(partial(import_module, module="sklearn.manifold")),
        },
        compare=no_answer,
        tolerance=0.0,
        limit=Limit(seconds=0.06),
        clock="wall",
    ),
)
