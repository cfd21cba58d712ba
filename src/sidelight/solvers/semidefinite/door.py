"""The door to the semidefinite solvers: a program goes to the first that takes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sidelight.core import ContradictionError, FloatArray, IntArray, NotEnoughMemoryError
from sidelight.solvers.semidefinite.active_set import crowded, solve_by_rounds
from sidelight.solvers.semidefinite.low_rank import refuse_low_rank, solve_low_rank
from sidelight.solvers.semidefinite.program import KernelProgram
from sidelight.solvers.semidefinite.reach import require_one_piece
from sidelight.solvers.semidefinite.reduce import merge_points
from sidelight.solvers.semidefinite.result import SemidefiniteResult, second_try, warn_of_the_end

#: Up to so many points and constraints the dense method takes a second or two, whatever the rank of
#: the kernel; the low-rank one may take a tenth of that or, where the rank is high, five times as
#: long.  A crowd of constraints is taken in rounds, where the low-rank method stalls.
_SMALL, _FEW = 300, 1500
#: Up to so many points and constraints the dense method takes over where the low-rank one stalls.
_FALLBACK, _FALLBACK_FEW = 600, 2500


@dataclass(frozen=True)
class Solver:
    """A method, and what it has against a program: a reason, or None where it takes it."""

    name: str
    refuses: Callable[[KernelProgram], str | None]
    solve: Callable[..., SemidefiniteResult]


def _beyond(points: int, constraints: int, program: KernelProgram) -> str | None:
    if program.n <= points and len(program.constraints) <= constraints:
        return None
    return (
        f"it is for {points} points and {constraints} constraints at most, and there are "
        f"{program.n} and {len(program.constraints)}"
    )


def _not_small(program: KernelProgram) -> str | None:
    if program.n <= _SMALL and crowded(program):
        return None
    return _beyond(_SMALL, _FEW, program)


LOW_RANK = Solver("the low-rank method", refuse_low_rank, solve_low_rank)
DENSE = Solver("the dense method", lambda program: None, solve_by_rounds)
SMALL = replace(DENSE, refuses=_not_small)
FALLBACK = replace(DENSE, refuses=partial(_beyond, _FALLBACK, _FALLBACK_FEW))


def choose(program: KernelProgram) -> list[Solver]:
    """List the solvers to try, the second where the first is not sure enough.

    Examples
    --------
    >>> import numpy as np
    >>> n = 400
    >>> chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    >>> [each.name for each in choose(KernelProgram.unfolding(chain, np.ones(n - 1), n))]
    ['the low-rank method', 'the dense method']
    """
    order = [SMALL, LOW_RANK, FALLBACK]
    able = [solver for solver in order if solver.refuses(program) is None]
    if LOW_RANK not in able:
        return [DENSE]
    return able[:2]


def solve(
    program: KernelProgram, *, tol: float = 1e-4, max_iter: int = 500, who: str = "solve"
) -> SemidefiniteResult:
    """Solve a program: a kernel, its value, and a proof of how close to the best that is.

    Points that constraints leave no distance are one point.

    Examples
    --------
    A square with edges of one opens as far as it can: both diagonals cannot grow at once.

    >>> square = KernelProgram.unfolding([[0, 1], [1, 2], [2, 3], [3, 0]], [1.0, 1.0, 1.0, 1.0], 4)
    >>> result = solve(square, tol=1e-6)
    >>> round(result.objective, 5), bool(result.dual_bound >= result.objective)
    (2.0, True)
    """
    constraints = program.constraints
    require_one_piece(program.n, constraints, who)
    merged = merge_points(program, who=who)
    if merged.program.n == 1:
        nothing, none = np.zeros((program.n, 1)), np.zeros(len(constraints))
        return SemidefiniteResult(nothing, 0.0, 0.0, 0.0, none, 0, True, np.empty((0, 2)))
    found: SemidefiniteResult | None = None
    try:
        for solver in choose(merged.program):
            again = partial(solver.solve, merged.program, tol=tol, max_iter=max_iter, who=who)
            other = again() if found is None else second_try(found, again)
            found = other if found is None or other.gap <= found.gap else found
            if found.converged or 0 <= found.gap <= tol:
                found = replace(found, converged=True)
                break
    except ContradictionError as error:
        error.certificate = _spread(error.certificate, merged.kept, len(constraints))
        raise
    except MemoryError as error:
        refused = LOW_RANK.refuses(merged.program)
        if refused is None:
            raise
        raise NotEnoughMemoryError(
            f"{error} {LOW_RANK.name.capitalize()}, which needs no such matrix, does not take "
            f"this problem: {refused}."
        ) from error
    assert found is not None
    warn_of_the_end(found, tol=tol, who=who)
    y = _spread(found.multipliers, merged.kept, len(constraints))
    return replace(found, factor=found.factor[merged.node], multipliers=y)


def _spread(values: FloatArray, places: IntArray, length: int) -> FloatArray:
    out = np.zeros(length)
    out[places] = values
    return out
