"""Ways to bring a map to where it is wanted: a similarity, a smooth warp, a pull on single points.

Each is a value that goes there, back (``undo``), and knows its derivative on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from sidelight.core import FloatArray, IntArray, row_blocks

#: Places so near to a centre, in parts of the centres' extent, are that centre.
_SAME = 1e-9
#: A warp is undone to this, in parts of its radius.
_UNDONE = 1e-13
_UNDO_STEPS = 60
#: What is farther off after them is refused.
_REFUSED = 1e-9


@dataclass(frozen=True)
class Similarity:
    """T(z) = s z Q + t: what changes nothing that a map says.

    Parameters
    ----------
    scale : float
        s.
    rotation : ndarray of shape (d, d)
        Q, orthogonal: a turn, mirrored or not.
    translation : ndarray of shape (d,)
        t.
    """

    scale: float
    rotation: FloatArray
    translation: FloatArray

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Move places."""
        return np.asarray(self.scale * (Z @ self.rotation) + self.translation)

    def undo(self, Z: FloatArray) -> FloatArray:
        """Move places back."""
        return np.asarray((Z - self.translation) @ self.rotation.T / self.scale)

    def jacobian(self, Z: FloatArray) -> FloatArray:
        """∂T/∂z at places, (n, d, d)."""
        J = self.scale * self.rotation.T
        return np.broadcast_to(J, (len(Z), *J.shape))


@dataclass(frozen=True)
class Warp:
    """T(u) = u + Σ_i c_i φ(‖u − u_i‖), with φ(r) = (1 + a) e^{−a}, a = √3 r/ρ (Matérn 3/2).

    The centres u_i move, others with them, and far from them nothing does.

    Parameters
    ----------
    centres : ndarray of shape (m, d)
        u_i.
    targets : ndarray of shape (m, d)
        T(u_i).
    weights : ndarray of shape (m, d)
        c_i.
    radius : float
        ρ.
    noise : float
        λ: how little the centres need be met.
    """

    centres: FloatArray
    targets: FloatArray
    weights: FloatArray
    radius: float
    noise: float = 0.0

    @classmethod
    def to(
        cls, centres: FloatArray, targets: FloatArray, radius: float, noise: float = 0.0
    ) -> Warp:
        """The warp that brings centres to targets, exactly without noise: c = (Φ + λI)⁻¹(p − u)."""
        bumps = _bumps(_distances(centres, centres), radius)
        factor = cho_factor(bumps + noise * np.eye(len(centres)), lower=True)
        weights = np.asarray(cho_solve(factor, targets - centres))
        met = centres + bumps @ weights if noise else targets
        return cls(centres, met, weights, radius, noise)

    def left_out(self) -> float:
        """How far a centre is off where all the others say how it moves: root mean square.

        In closed form c_i / ((Φ + λI)⁻¹)_ii.
        """
        bumps = _bumps(_distances(self.centres, self.centres), self.radius)
        inverse = np.linalg.inv(bumps + self.noise * np.eye(len(bumps)))
        off = self.weights / np.diagonal(inverse)[:, None]
        return float(np.sqrt(np.mean(np.sum(off**2, axis=1))))

    def __call__(self, U: FloatArray) -> FloatArray:
        """Move places; centres exactly."""
        moved = np.empty(U.shape)
        for block, far in self._blocks(U):
            moved[block] = U[block] + _bumps(far, self.radius) @ self.weights
            _snap(moved[block], far, self.centres, self.targets)
        return moved

    def jacobian(self, U: FloatArray) -> FloatArray:
        """∂T/∂u at places, (n, d, d): I − (3/ρ²) Σ_i c_i e^{−a_i} (u − u_i)ᵀ."""
        d = U.shape[1]
        J = np.empty((len(U), d, d))
        moments = np.einsum("mj,mk->mjk", self.weights, self.centres).reshape(len(self.weights), -1)
        for block, far in self._blocks(U):
            fall = (-3.0 / self.radius**2) * np.exp(-np.sqrt(3.0) * far / self.radius)
            pulled = fall @ self.weights
            J[block] = pulled[:, :, None] * U[block, None, :] - (fall @ moments).reshape(-1, d, d)
        return J + np.eye(d)

    def undo(self, V: FloatArray) -> FloatArray:
        """Move places back, by Newton steps that are halved where they would lead away."""
        U, goal = V.copy(), V
        gap = self(U) - goal
        off = np.linalg.norm(gap, axis=1)
        size = float(np.abs(self.targets).max(initial=0.0)) * np.finfo(float).eps * 8
        enough = max(_UNDONE * self.radius, size)
        for _ in range(_UNDO_STEPS):
            rows = np.flatnonzero(off > enough)
            if not len(rows):
                break
            J = self.jacobian(U[rows])
            step = (np.linalg.pinv(J) @ gap[rows, :, None])[:, :, 0]
            part = np.ones(len(rows))
            for _ in range(12):
                there = U[rows] - part[:, None] * step
                left = self(there) - goal[rows]
                worse = np.linalg.norm(left, axis=1) >= off[rows]
                if not worse.any():
                    break
                part[worse] /= 2
            U[rows], gap[rows] = there, left
            off[rows] = np.linalg.norm(left, axis=1)
        folded = (off > _REFUSED * self.radius) | (np.linalg.det(self.jacobian(U)) <= 0)
        if folded.any():
            raise ValueError(
                f"The anchors fold the map where {int(folded.sum())} of these places lie: no "
                f"single place leads there."
            )
        return U

    def _blocks(self, U: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        for block in row_blocks(len(U), 24.0 * len(self.centres), budget=2e8):
            yield block, _distances(U[block], self.centres)


@dataclass(frozen=True)
class Pull:
    """T(u) = u + (p_i − u_i) ψ(‖u − u_i‖/ρ_i), ψ(t) = (1 − t)⁴ (4t + 1) up to t = 1 (Wendland).

    It takes single points out of the map, and what is nearer to one than any other row is.  Where
    a point is put others may lie already, so that on the way back the targets alone are known
    again; everywhere else the map is as it was.

    Parameters
    ----------
    centres : ndarray of shape (m, d)
        u_i.
    targets : ndarray of shape (m, d)
        p_i.
    radii : ndarray of shape (m,)
        ρ_i, no larger than the distance to any other centre.
    """

    centres: FloatArray
    targets: FloatArray
    radii: FloatArray

    def __call__(self, U: FloatArray) -> FloatArray:
        """Move places; centres exactly."""
        moved = np.empty(U.shape)
        for block in row_blocks(len(U), 24.0 * len(self.centres), budget=2e8):
            far = _distances(U[block], self.centres)
            t = np.minimum(far / self.radii, 1.0)
            moved[block] = U[block] + ((1 - t) ** 4 * (4 * t + 1)) @ (self.targets - self.centres)
            _snap(moved[block], far, self.centres, self.targets)
        return moved

    def undo(self, V: FloatArray) -> FloatArray:
        """Targets to their centres; all other places are as they were."""
        U = V.copy()
        for block in row_blocks(len(V), 24.0 * len(self.centres), budget=2e8):
            _snap(U[block], _distances(V[block], self.targets), self.targets, self.centres)
        return U

    def jacobian(self, U: FloatArray) -> FloatArray:
        """The identity, but in the neighbourhood of single points."""
        return np.broadcast_to(np.eye(U.shape[1]), (len(U), U.shape[1], U.shape[1]))


def _bumps(far: FloatArray, radius: float) -> FloatArray:
    a = (np.sqrt(3.0) / radius) * far
    return np.asarray((1 + a) * np.exp(-a))


def _distances(U: FloatArray, centres: FloatArray) -> FloatArray:
    """Distances from their differences: a centre is at distance zero of itself."""
    squares = np.zeros((len(U), len(centres)))
    for one, other in zip(U.T, centres.T, strict=True):
        squares += (one[:, None] - other) ** 2
    return np.sqrt(squares)


def _snap(moved: FloatArray, far: FloatArray, centres: FloatArray, targets: FloatArray) -> None:
    """Put what is at a centre exactly where that goes."""
    at: IntArray = np.argmin(far, axis=1)
    near = far[np.arange(len(far)), at] <= _SAME * np.ptp(centres, axis=0).max()
    moved[near] = targets[at[near]]
