"""What the objective of several relations leaves open is fixed by a rule."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.descending import principal_turn
from sidelight.solvers.eigen import ONE_LENGTH, column_signs, largest_eigenpairs, settled_axes


def settled(Z: FloatArray, R: FloatArray, *, data_first: bool) -> tuple[FloatArray, FloatArray]:
    """Fix the middle, the signs, the order and the units of the dimensions."""
    if len(R) == 1:
        return principal_turn(Z), np.ones(R.shape)
    unit = np.maximum(np.abs(R).max(axis=0), 1e-300)
    points, scales = (Z - Z.mean(axis=0)) * unit, np.abs(R) / unit
    order = _order(scales * points.std(axis=0), data_first)
    points = points[:, order]
    return points * column_signs(points), scales[:, order]


def settled_full(
    Z: FloatArray, R: FloatArray, *, data_first: bool
) -> tuple[FloatArray, FloatArray]:
    """Fix the coordinates in which matrices R_c are given, and each matrix.

    E is the same for Z Bᵀ with R_c B⁻¹, B any invertible matrix, and for O R_c, O any rotation.
    Coordinates are uncorrelated, and each relation in turn has the direction, out of those that are
    left, that it makes most of; what remains has those that the data (or the first relation) make
    most of.  Units as of diagonal ones; R_c is the symmetric root of R_cᵀR_c.
    """
    points = Z - Z.mean(axis=0)
    turn = settled_axes(points)
    axes = points @ turn
    sizes = np.maximum(np.sqrt(np.mean(axes**2, axis=0)), 1e-300)
    axes = axes / sizes  # of unit variance
    made = R @ (turn * sizes)  # of those, what R makes
    squares = np.einsum("cij,cik->cjk", made, made)
    directions = _directions(squares, data_first)
    squares = directions.T @ squares @ directions
    unit = np.sqrt(np.maximum(np.einsum("cii->ci", squares).max(axis=0), 1e-300))
    points, squares = (axes @ directions) * unit, squares / np.outer(unit, unit)
    signs = column_signs(points)
    roots = np.array([_root(A) for A in squares * np.outer(signs, signs)])
    return points * signs, roots


def _directions(squares: FloatArray, data_first: bool) -> FloatArray:
    """Orthogonal directions: each relation's own in turn, then those of the data."""
    d = squares.shape[1]
    left: FloatArray = np.eye(d)
    found: list[FloatArray] = []
    for A in squares[1:] if data_first else squares:
        if len(found) == d:
            break
        best = largest_eigenpairs(left.T @ A @ left, 1, who="axes").vectors
        found.append(left @ best[:, 0])
        left = _complement(np.column_stack(found))
    if len(found) < d:
        rest = largest_eigenpairs(left.T @ squares[0] @ left, left.shape[1], who="axes").vectors
        found += list((left @ rest).T)
    return np.column_stack(found)


def _complement(vectors: FloatArray) -> FloatArray:
    """An orthonormal basis of what is orthogonal to orthonormal vectors."""
    return np.linalg.svd(vectors, full_matrices=True)[0][:, vectors.shape[1] :]


def _root(A: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(A)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _order(relevance: FloatArray, data_first: bool) -> list[int]:
    """Give each relation in turn the dimension it makes most of; the rest by the data.

    Of dimensions that it makes as much of, the first.
    """
    relevance = np.round(relevance / max(float(relevance.max()), 1e-300) / ONE_LENGTH)
    told = relevance[1:] if data_first else relevance
    order: list[int] = []
    left = set(range(relevance.shape[1]))
    for row in told:
        if left:
            best = max(sorted(left), key=lambda axis, row=row: float(row[axis]))  # type: ignore[misc]
            order.append(best)
            left.remove(best)
    return order + sorted(left, key=lambda axis: -float(relevance[0, axis]))
