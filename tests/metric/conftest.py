"""A second solver: semidefinite programs by a general interior-point method."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest


def minimise_over_metrics(order, objective, *constraints):
    """Minimise a function of A ⪰ 0 with cvxpy and Clarabel; return A and the minimum."""
    A = cp.Variable((order, order), PSD=True)
    problem = cp.Problem(cp.Minimize(objective(A)), [constraint(A) for constraint in constraints])
    problem.solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11, max_iter=500
    )
    return np.asarray(A.value), float(problem.value)


@pytest.fixture
def semidefinite_solver():
    return minimise_over_metrics
