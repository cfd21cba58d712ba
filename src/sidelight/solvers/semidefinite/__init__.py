"""Kernels of largest variance under linear constraints, certified."""

from __future__ import annotations

from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.door import solve
from sidelight.solvers.semidefinite.program import (
    KernelProgram,
    Objective,
    Variance,
    VarianceWithin,
)
from sidelight.solvers.semidefinite.reduce import essential
from sidelight.solvers.semidefinite.result import (
    SemidefiniteResult,
    principal_axes,
    warn_of_the_end,
)

__all__ = [
    "KernelProgram",
    "Objective",
    "PairConstraints",
    "SemidefiniteResult",
    "Variance",
    "VarianceWithin",
    "essential",
    "principal_axes",
    "solve",
    "warn_of_the_end",
]
