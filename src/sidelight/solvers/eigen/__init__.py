"""Eigenpairs, dense, sparse and of operators."""

from __future__ import annotations

from sidelight.solvers.eigen.eigenpairs import (
    Eigenpairs,
    column_signs,
    fix_signs,
    largest_eigenpairs,
    negative_eigenvalues,
    smallest_eigenpairs,
    smallest_of_square,
)
from sidelight.solvers.eigen.sparse_factors import Operator

__all__ = [
    "Eigenpairs",
    "Operator",
    "column_signs",
    "fix_signs",
    "largest_eigenpairs",
    "negative_eigenvalues",
    "smallest_eigenpairs",
    "smallest_of_square",
]
