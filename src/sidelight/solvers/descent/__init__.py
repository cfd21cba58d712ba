"""Descent on smooth functions, along paths and from several starts."""

from __future__ import annotations

from sidelight.solvers.descent.continuation import Continuation, follow
from sidelight.solvers.descent.gliding import Pace
from sidelight.solvers.descent.quasi_newton import Descent, Objective, minimise
from sidelight.solvers.descent.restarts import Restarts, best_of_starts
from sidelight.solvers.descent.rowwise import lowest_rows, minimise_rows

__all__ = [
    "Continuation",
    "Descent",
    "Objective",
    "Pace",
    "Restarts",
    "best_of_starts",
    "follow",
    "lowest_rows",
    "minimise",
    "minimise_rows",
]
