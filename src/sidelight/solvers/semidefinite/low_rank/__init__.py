"""The unfolding in a low-rank factor of the kernel."""

from __future__ import annotations

from sidelight.solvers.semidefinite.low_rank.path_following import unfold_low_rank
from sidelight.solvers.semidefinite.low_rank.solver import refuse_low_rank, solve_low_rank
from sidelight.solvers.semidefinite.low_rank.start import unfolded_start

__all__ = [
    "refuse_low_rank",
    "solve_low_rank",
    "unfold_low_rank",
    "unfolded_start",
]
