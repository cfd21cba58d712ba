"""Each action as a rotation plus a translation of the map, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sidelight.core import FloatArray, IntArray

#: Scatter below this, relative to the largest, leaves a rotation free: three hundredths in length.
_FREE = 1e-3
#: Moves that differ by less than this, relative to their length, are one translation.
_STRAIGHT = 0.05
#: Places nearer than this share of a step are one.
TOLD_APART = 0.25
#: Longest period that is looked for.
_LONGEST_PERIOD = 128


class Transformation(NamedTuple):
    """A rotation plus a translation, z ↦ rotation z + translation.

    Parameters
    ----------
    rotation : ndarray of shape (d, d)
        Orthogonal.
    translation : ndarray of shape (d,)
        Added after it.
    """

    rotation: FloatArray
    translation: FloatArray


@dataclass(frozen=True)
class RigidActions:
    """The transformation of the map that each action is.

    Parameters
    ----------
    rotations : ndarray of shape (n_actions, d, d)
        Orthogonal matrices.
    translations : ndarray of shape (n_actions, d)
        Added after them.
    residuals : ndarray of shape (n_actions,)
        Root of the mean squared distance from where an action leads to where it should.
    """

    rotations: FloatArray
    translations: FloatArray
    residuals: FloatArray

    def apply(self, Z: FloatArray, kinds: IntArray) -> FloatArray:
        """Move places by actions."""
        return moved(Z, self.rotations[kinds], self.translations[kinds])

    def in_dimensions(self, d: int) -> RigidActions:
        """Give the motions in more dimensions: they move nothing along the others."""
        count, rank = self.translations.shape
        rotations, translations = np.tile(np.eye(d), (count, 1, 1)), np.zeros((count, d))
        rotations[:, :rank, :rank], translations[:, :rank] = self.rotations, self.translations
        return RigidActions(rotations, translations, self.residuals)

    def left_over(self, Z: FloatArray) -> FloatArray:
        """Measure how far b after a leads from where it began, at worst: (n_actions, n_actions)."""
        count = len(self.rotations)
        errors = np.empty((count, count))
        for a in range(count):
            there = self.apply(Z, np.full(len(Z), a))
            for b in range(count):
                errors[a, b] = _worst(self.apply(there, np.full(len(Z), b)) - Z)
        return errors

    def inverses(self, Z: FloatArray, tolerance: float) -> IntArray:
        """Recognise the actions that undo others all over the map."""
        errors = self.left_over(Z)
        best = np.argmin(errors, axis=1)
        return np.asarray(np.where(errors[np.arange(len(best)), best] <= tolerance, best, -1))

    def periods(self, Z: FloatArray, tolerance: float) -> IntArray:
        """Recognise the actions that come back to where they began when repeated."""
        periods = np.zeros(len(self.rotations), dtype=np.intp)
        for a in range(len(periods)):
            there = Z
            for times in range(1, _LONGEST_PERIOD + 1):
                there = self.apply(there, np.full(len(Z), a))
                if _worst(there - Z) <= tolerance:
                    periods[a] = times
                    break
        return periods


def moved(Z: FloatArray, matrices: FloatArray, translations: FloatArray) -> FloatArray:
    """Move each place by a matrix and a translation of its own."""
    return np.asarray(np.einsum("mij,mj->mi", matrices, Z) + translations)


def step_length(Z: FloatArray, steps: IntArray) -> float:
    """Measure the median length of a step."""
    moves = Z[steps[:, 1]] - Z[steps[:, 2]]
    return float(np.sqrt(np.median(np.einsum("ij,ij->i", moves, moves))))


def significant_axes(Z: FloatArray, steps: IntArray) -> FloatArray:
    """Leave out the last axes along which no two places are told apart: a quarter of a step.

    An interior point leaves a little of everything in a kernel, and a rotation of such axes into
    others would be one of nothing.
    """
    wide = np.ptp(Z, axis=0) > TOLD_APART * step_length(Z, steps)
    rank = int(np.flatnonzero(wide).max(initial=0)) + 1
    return Z[:, :rank]


def fit_rigid_actions(Z: FloatArray, steps: IntArray, n_actions: int) -> RigidActions:
    """Find the rotation and the translation of each action by Procrustes' method.

        min_{R, t} Σ_s ‖R z_{before(s)} + t − z_{after(s)}‖²  over orthogonal R

    Where the steps leave part of R free (one step, or all of them on a line) R is a proper rotation
    that turns as little as may be: an action that was seen once is a translation, and so is one
    whose moves differ by less than a twentieth of their length.

    Examples
    --------
    A quarter turn.

    >>> import numpy as np
    >>> Z = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> found = fit_rigid_actions(Z, np.array([[0, 0, 1], [0, 1, 2], [0, 2, 3]]), 1)
    >>> found.rotations[0].round(3).tolist(), found.periods(Z, 1e-6).tolist()
    ([[0.0, -1.0], [1.0, 0.0]], [4])
    """
    d = Z.shape[1]
    rotations, translations = np.empty((n_actions, d, d)), np.empty((n_actions, d))
    residuals = np.empty(n_actions)
    for a in range(n_actions):
        mine = steps[steps[:, 0] == a]
        before, after = Z[mine[:, 1]], Z[mine[:, 2]]
        M = (after - after.mean(axis=0)).T @ (before - before.mean(axis=0))
        moves = after - before
        bent = _mean_square(moves - moves.mean(axis=0)) > _STRAIGHT**2 * _mean_square(moves)
        rotations[a] = _rotation(M) if bent else np.eye(d)
        translations[a] = after.mean(axis=0) - rotations[a] @ before.mean(axis=0)
        missed = before @ rotations[a].T + translations[a] - after
        residuals[a] = np.sqrt(_mean_square(missed))
    return RigidActions(rotations, translations, residuals)


def _rotation(M: FloatArray) -> FloatArray:
    """The orthogonal R of largest tr(RᵀM); where M leaves it free, that of largest trace."""
    U, sizes, Vt = np.linalg.svd(M)
    known = int(np.sum(sizes > _FREE * sizes[0])) if sizes[0] > 0 else 0
    if known == len(M):
        return np.asarray(U @ Vt)
    free_U, free_V = U[:, known:], Vt[known:].T
    left, _, right = np.linalg.svd(free_U.T @ free_V)
    R = U[:, :known] @ Vt[:known] + free_U @ left @ right @ free_V.T
    if np.linalg.det(R) < 0:
        left[:, -1] *= -1
        R = U[:, :known] @ Vt[:known] + free_U @ left @ right @ free_V.T
    return np.asarray(R)


def _mean_square(moves: FloatArray) -> float:
    return float(np.mean(np.einsum("ij,ij->i", moves, moves)))


def _worst(moves: FloatArray) -> float:
    return float(np.sqrt(np.einsum("ij,ij->i", moves, moves).max()))
