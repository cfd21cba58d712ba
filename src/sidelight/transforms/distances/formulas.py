"""The distances that forgive a transformation, from the products of two tangent spaces."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.transforms.distances.frames import Products


def tangent_distance(pair: Products) -> FloatArray:
    """min ‖(x_i + U_iᵀα) − (x_j + U_jᵀβ)‖, both items moved along their tangents (Simard 1998).

    With u = U_i d, v = U_j d, C = U_i U_jᵀ and w = v − Cᵀu its square is
    ‖d‖² − ‖u‖² − wᵀ(I − CᵀC)⁻¹w.
    """
    u, C = pair.left, pair.across
    assert C is not None
    w = pair.right - np.matmul(u[..., None, :], C)[..., 0, :]
    S = np.eye(u.shape[-1]) - np.matmul(C.swapaxes(-1, -2), C)
    gained = np.einsum("...k,...k->...", w, np.linalg.solve(S, w[..., None])[..., 0])
    return _root(pair.squared - _squares(u) - gained)


def one_step_error(pair: Products) -> FloatArray:
    """min ‖(x_i + U_iᵀα) − x_j‖: how well the left item becomes the right one in one step (§2.6).

    ‖d‖² − ‖U_i d‖²; of a bilinear transformation this is min ‖T(x_i, ω) − x_j‖ itself, for x_i
    lies in the span of its own tangents.
    """
    return _root(pair.squared - _squares(pair.left))


def mean_one_step_error(pair: Products) -> FloatArray:
    """The mean of the errors of both ways."""
    back = _root(pair.squared - _squares(pair.right))
    return np.asarray((one_step_error(pair) + back) / 2)


def squared_sine(pair: Products) -> FloatArray:
    """sin² of the smallest principal angle: one less the largest eigenvalue of CᵀC (§2.5)."""
    C = pair.across
    assert C is not None
    largest = np.linalg.eigvalsh(np.matmul(C.swapaxes(-1, -2), C))[..., -1]
    return np.clip(1.0 - largest, 0.0, 1.0)


def _squares(x: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...k,...k->...", x, x))


def _root(squares: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
