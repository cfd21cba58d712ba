"""Eigenpairs, dense, sparse and of operators."""

from __future__ import annotations

from sidelight.solvers.eigen.axes import ONE_LENGTH, settled_axes
from sidelight.solvers.eigen.block_lanczos import RitzPairs, largest_ritz_pairs
from sidelight.solvers.eigen.davidson import largest_by_corrections
from sidelight.solvers.eigen.eigenpairs import (
    DENSE_ORDER,
    Eigenpairs,
    largest_eigenpairs,
    negative_eigenvalues,
    smallest_eigenpairs,
    smallest_of_square,
)
from sidelight.solvers.eigen.rules import column_signs, fix_signs
from sidelight.solvers.eigen.sparse_factors import Operator, inverse_of_stiffness

__all__ = [
    "DENSE_ORDER",
    "ONE_LENGTH",
    "Eigenpairs",
    "Operator",
    "RitzPairs",
    "column_signs",
    "fix_signs",
    "inverse_of_stiffness",
    "largest_by_corrections",
    "largest_eigenpairs",
    "largest_ritz_pairs",
    "negative_eigenvalues",
    "settled_axes",
    "smallest_eigenpairs",
    "smallest_of_square",
]
