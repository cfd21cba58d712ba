"""Procrustes: how near a map comes to the truth once it is turned, scaled and moved onto it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import ArrayLike, FloatArray
from sidelight.quality.inputs import as_points, check_same_length

#: Directions with a smaller part of the cross-covariance are rounding.
_UNDETERMINED = 1e-9


@dataclass(frozen=True)
class ProcrustesResult:
    """The best match of a map with a truth.

    Parameters
    ----------
    residual : float
        sqrt( Σ_i ‖truth_i − aligned_i‖² / Σ_i ‖truth_i − mean‖² ), a part of the truth's spread.
    disparity : float
        Its square; with scaling and reflection allowed it is the disparity of scipy's procrustes.
    rotation : ndarray of shape (p, p)
        The orthogonal matrix Q.
    scale : float
        The factor s.
    translation : ndarray of shape (p,)
        The shift t.
    aligned : ndarray of shape (n_samples, p)
        ``scale * Z @ rotation + translation``, in the truth's coordinates; p is the larger number
        of columns, the narrower table being padded with zeros.
    """

    residual: float
    disparity: float
    rotation: FloatArray
    scale: float
    translation: FloatArray
    aligned: FloatArray


def procrustes(
    Z: ArrayLike, truth: ArrayLike, *, scaling: bool = True, reflection: bool = True
) -> ProcrustesResult:
    """Turn, scale and move a map onto the truth, and say what is left.

    Solves

        min over s, Q, t   Σ_i ‖truth_i − (s z_i Q + t)‖²,   QᵀQ = I, s ≥ 0,

    by the singular value decomposition of the cross-covariance (Schönemann 1966, Gower 1975).
    Only the map is changed: the residual is in units of the truth's own spread.  Directions that
    the points say nothing of (two points in a plane, points on a line) are turned as little as
    possible, and not mirrored.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        The map.
    truth : array-like of shape (n_samples, n_dimensions)
        Where the points should be.  The narrower of the two is padded with columns of zeros.
    scaling : bool
        Whether the map may be scaled; if not, s = 1.
    reflection : bool
        Whether the map may be mirrored; if not, det Q = 1.

    Returns
    -------
    ProcrustesResult
        The residual, the transformation and the transformed map.

    Raises
    ------
    ValueError
        If either table is not finite, their lengths differ, or all points of the truth coincide.

    References
    ----------
    P. H. Schönemann (1966). A generalized solution of the orthogonal Procrustes problem.
    Psychometrika 31.

    J. C. Gower (1975). Generalized Procrustes analysis. Psychometrika 40.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import procrustes
    >>> truth = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    >>> turned = 5 * truth @ [[0.0, 1.0], [-1.0, 0.0]] + [1.0, 2.0]
    >>> found = procrustes(turned, truth)
    >>> print(f"{found.residual:.3f} {found.scale:.3f}")
    0.000 0.200
    """
    who = "procrustes"
    source: FloatArray = as_points(Z, name="Z", who=who, min_samples=2).astype(np.float64)
    target: FloatArray = as_points(truth, name="truth", who=who, min_samples=2).astype(np.float64)
    check_same_length(len(source), len(target), names=("Z", "truth"), who=who)
    n_columns = max(source.shape[1], target.shape[1])
    source, target = _pad(source, n_columns), _pad(target, n_columns)

    source_mean, target_mean = source.mean(axis=0), target.mean(axis=0)
    source_centred, target_centred = source - source_mean, target - target_mean
    total = float(np.sum(target_centred**2))
    if total <= (np.finfo(float).eps * np.abs(target).max()) ** 2 * target.size:
        raise ValueError(
            "The 'truth' argument of procrustes must hold at least two different points."
        )
    left, values, right = np.linalg.svd(source_centred.T @ target_centred)
    left, right, free = _settled(left, values, right)
    if (free or not reflection) and np.linalg.det(left) * np.linalg.det(right) < 0:
        left[:, -1] *= -1
        values[-1] *= -1
    rotation = left @ right
    spread = float(np.sum(source_centred**2))
    scale = 1.0
    if scaling:
        scale = max(0.0, float(values.sum())) / spread if spread > 0 else 0.0
    translation = target_mean - scale * source_mean @ rotation
    # from the residuals themselves: 1 − (Σ values)² would lose half the digits of a good match
    remainder = target_centred - scale * source_centred @ rotation
    disparity = float(np.sum(remainder**2)) / total
    return ProcrustesResult(
        residual=float(np.sqrt(disparity)),
        disparity=disparity,
        rotation=rotation,
        scale=scale,
        translation=translation,
        aligned=target - remainder,
    )


def _settled(
    left: FloatArray, values: FloatArray, right: FloatArray
) -> tuple[FloatArray, FloatArray, bool]:
    """Turn what is not determined as little as possible: max tr Q over its free directions."""
    known = int(np.count_nonzero(values > _UNDETERMINED * values[0]))
    if known == len(values):
        return left, right, False
    turn, _, back = np.linalg.svd(right[known:] @ left[:, known:])
    # the last direction is the one that loses least where one has to be mirrored
    left = np.hstack([left[:, :known], left[:, known:] @ back.T])
    return left, np.vstack([right[:known], turn.T @ right[known:]]), True


def _pad(points: FloatArray, n_columns: int) -> FloatArray:
    return np.pad(points, ((0, 0), (0, n_columns - points.shape[1])))
