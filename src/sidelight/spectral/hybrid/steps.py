"""Items made of others by one step of a bilinear transformation, and how far that step is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, require_memory, row_blocks


@dataclass(frozen=True)
class Steps:
    """Steps from sources to targets.

    Parameters
    ----------
    items : ndarray of shape (m, p)
        x̃ = x + A δ, what the sources become.
    lengths : ndarray of shape (m,)
        ‖δ‖.
    moves : ndarray of shape (m,)
        ‖A δ‖.
    errors : ndarray of shape (m,)
        ‖target − x̃‖.
    """

    items: FloatArray
    lengths: FloatArray
    moves: FloatArray
    errors: FloatArray


@dataclass(frozen=True)
class Stepping:
    """Rows, and what one step of a transformation makes of each.

    T(x, ω + δ) = x + A δ, A = design(x); δ minimises ‖y − x − A δ‖² + λ ‖δ‖² for a target y.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The sources.
    transformation : Bilinear, optional
        T; without one rows stay what they are.
    image_shape : tuple of int, optional
        Of the images that rows hold.
    reg : float
        λ relative to the mean of the diagonal of AᵀA.
    who : str
        The estimator, for messages.
    """

    rows: FloatArray
    transformation: Any
    image_shape: tuple[int, ...] | None
    reg: float
    who: str

    @cached_property
    def _turned(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Eigenvalues of AᵀA, λ, and Aᵀ turned to its axes, (n, q, p)."""
        n, p = self.rows.shape
        if self.transformation is None:
            return np.zeros((n, 0)), np.ones((n, 1)), np.zeros((n, 0, p))
        q = len(self.transformation.identity())
        require_memory(
            16.0 * n * q * p,
            what=f"{q} ways to change each of {n} rows",
            who=self.who,
            instead="Take smaller images, a smaller filter, or fit a sample and transform().",
        )
        A = np.asarray(self.transformation.design(self.rows, self.image_shape), dtype=np.float64)
        A = np.ascontiguousarray(np.swapaxes(A, 1, 2))
        values, vectors = np.linalg.eigh(A @ np.swapaxes(A, 1, 2))
        values = np.maximum(values, 0.0)
        ridge = self.reg * values.mean(axis=1, keepdims=True)
        ridge = np.where(ridge > 0, ridge, 1.0)  # an empty image changes into nothing
        return values, ridge, np.swapaxes(vectors, 1, 2) @ A

    def errors(self, targets: FloatArray | None = None) -> FloatArray:
        """How well every row becomes every target, (n_targets, n); its own self infinitely badly.

        With b = Vᵀ Aᵀ (y − x) the squared error is ‖y − x‖² − Σ b² (Λ + 2λ)/(Λ + λ)².
        """
        to = self.rows if targets is None else np.asarray(targets, dtype=np.float64)
        middle = self.rows.mean(axis=0)  # large numbers would drown what differs
        x, y = self.rows - middle, to - middle
        values, ridge, turned = self._turned
        gain = np.sqrt(values + 2 * ridge) / (values + ridge)
        found = np.empty((len(y), len(x)))
        for block in row_blocks(len(x), 8.0 * max(1, turned.shape[1]) * len(y)):
            U = turned[block] * gain[block][:, :, None]
            own = np.matmul(U, x[block][:, :, None])  # (rows, q, 1)
            onto = (U.reshape(-1, U.shape[2]) @ y.T).reshape(*U.shape[:2], len(y)) - own
            apart = _squares(y)[:, None] + _squares(x[block]) - 2 * y @ x[block].T
            found[:, block] = apart - np.einsum("rqm,rqm->mr", onto, onto)
        found = np.sqrt(np.maximum(found, 0.0))
        if targets is None:
            np.fill_diagonal(found, np.inf)
        return found

    def steps(self, sources: IntArray, targets: FloatArray) -> Steps:
        """The best step of each source towards its target."""
        values, ridge, turned = self._turned
        m, p = targets.shape
        items, lengths, moves = np.empty((m, p)), np.empty(m), np.empty(m)
        for block in row_blocks(m, 16.0 * (turned.shape[1] + 1) * p):
            j = sources[block]
            b = np.matmul(turned[j], (targets[block] - self.rows[j])[:, :, None])[..., 0]
            delta = b / (values[j] + ridge[j])
            items[block] = self.rows[j] + np.matmul(delta[:, None, :], turned[j])[:, 0]
            lengths[block] = np.linalg.norm(delta, axis=1)
            moves[block] = np.sqrt(np.einsum("mq,mq->m", delta**2, values[j]))
        return Steps(items, lengths, moves, np.linalg.norm(targets - items, axis=1))


def best_sources(errors: FloatArray, k: int) -> IntArray:
    """The k sources that become each target best, (n_targets, k).

    Errors are differences of large sums, so that those of a ten-millionth of the largest are
    rounding: of sources that are as good the first is taken.
    """
    largest = errors.max(axis=1, keepdims=True, where=np.isfinite(errors), initial=0.0)
    parts = np.round(errors / np.where(largest > 0, largest, 1.0), 7)
    return np.argsort(parts, axis=1, kind="stable")[:, :k]


def _squares(x: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", x, x))
