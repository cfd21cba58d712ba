"""Curves and sheets whose own coordinates are known."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, RandomSource, random_numbers
from sidelight.datasets.dataset import Dataset
from sidelight.datasets.descriptions import DESCRIPTIONS
from sidelight.datasets.validation import require_count, require_scale


def swiss_roll(
    n_samples: int = 1000,
    *,
    noise: float = 0.0,
    height: float = 21.0,
    random_state: RandomSource = None,
) -> Dataset:
    """Draw points from a rolled-up sheet, uniformly on the sheet.

    The roll is x(t, v) = (t cos t, v, t sin t) for t in [1.5π, 4.5π] and v in [0, height].  Its
    isometric coordinates are v and the arc length

        s(t) = ½ (t √(1 + t²) + asinh t) − s(1.5π),

    not the angle t: unrolled flat, the sheet is the rectangle of (s, v).

    Parameters
    ----------
    n_samples : int
        How many points.
    noise : float
        Standard deviation of Gaussian noise added to every coordinate.
    height : float
        The height of the sheet.
    random_state : int, Generator, RandomState or None
        Makes the draw repeatable.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 3), ``truth`` the arc length and the height; the angle is in
        ``extras["angle"]``.

    Raises
    ------
    ValueError
        If a number is out of range.

    References
    ----------
    J. B. Tenenbaum, V. de Silva, J. C. Langford, "A global geometric framework for nonlinear
    dimensionality reduction", Science 290, 2000.

    Examples
    --------
    >>> from sidelight.datasets import swiss_roll
    >>> X, truth = swiss_roll(500, random_state=0)
    >>> round(float(truth[:, 0].max()), 1)
    89.3
    """
    require_count("swiss_roll", "n_samples", n_samples)
    require_scale("swiss_roll", "noise", noise, positive=False)
    require_scale("swiss_roll", "height", height)
    random = random_numbers(random_state)
    first, last = 1.5 * np.pi, 4.5 * np.pi
    start = _spiral_length(np.array(first))
    length = random.uniform(0.0, float(_spiral_length(np.array(last)) - start), n_samples)
    v = random.uniform(0.0, height, n_samples)
    t = _spiral_angle(length + start)
    X = np.column_stack([t * np.cos(t), v, t * np.sin(t)])
    return Dataset(
        X=X + noise * random.standard_normal(X.shape),
        truth=np.column_stack([length, v]),
        name="swiss_roll",
        description=DESCRIPTIONS["swiss_roll"],
        feature_names=("x", "y", "z"),
        truth_names=("arc length", "height"),
        extras={"angle": t},
    )


def s_curve(
    n_samples: int = 1000,
    *,
    noise: float = 0.0,
    width: float = 2.0,
    random_state: RandomSource = None,
) -> Dataset:
    """Draw points from a sheet bent into an S, uniformly on the sheet.

    The sheet is x(s, v) = (sin t, v, sign(t)(cos t − 1)) with t = s − 1.5π, for s in [0, 3π] and
    v in [0, width].  It is made of two arcs of unit circles, so that s is the arc length.

    Parameters
    ----------
    n_samples : int
        How many points.
    noise : float
        Standard deviation of Gaussian noise added to every coordinate.
    width : float
        The width of the sheet; its length is 3π.
    random_state : int, Generator, RandomState or None
        Makes the draw repeatable.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 3), ``truth`` the arc length and the width.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> from sidelight.datasets import s_curve
    >>> X, truth = s_curve(500, random_state=0)
    >>> round(float(truth[:, 0].max()), 1)
    9.4
    """
    require_count("s_curve", "n_samples", n_samples)
    require_scale("s_curve", "noise", noise, positive=False)
    require_scale("s_curve", "width", width)
    random = random_numbers(random_state)
    length = random.uniform(0.0, 3.0 * np.pi, n_samples)
    v = random.uniform(0.0, width, n_samples)
    curve = _letter_s(length)
    X = np.column_stack([curve[:, 0], v, curve[:, 1]])
    return Dataset(
        X=X + noise * random.standard_normal(X.shape),
        truth=np.column_stack([length, v]),
        name="s_curve",
        description=DESCRIPTIONS["s_curve"],
        feature_names=("x", "y", "z"),
        truth_names=("arc length", "width"),
    )


def noisy_s(
    n_samples: int = 300,
    *,
    noise: float = 0.2,
    random_state: RandomSource = None,
) -> Dataset:
    """Draw noisy points around a letter S in the plane.

    The curve is (sin t, sign(t)(cos t − 1)) for t in [−1.5π, 1.5π], at unit speed; each point is
    drawn uniformly along it and moved by isotropic Gaussian noise.  Noise reduction is measured
    against the clean points, in ``extras["clean"]``.

    Parameters
    ----------
    n_samples : int
        How many points.
    noise : float
        Standard deviation of the noise in each coordinate; the arcs have radius one.
    random_state : int, Generator, RandomState or None
        Makes the draw repeatable.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 2), ``truth`` the arc length of the clean point, and the clean
        points themselves in ``extras["clean"]``.

    Raises
    ------
    ValueError
        If a number is out of range.

    Notes
    -----
    The source of this set shows it in a figure (Memisevic 2007, Fig. 3.2: 300 points for training,
    300 for testing, kernel bandwidth ½) and does not state its equation or the noise; both are
    choices made here.

    References
    ----------
    R. Memisevic, "Non-linear latent factor models for revealing structure in high-dimensional
    data", PhD thesis, University of Toronto, 2007.

    Examples
    --------
    >>> from sidelight.datasets import noisy_s
    >>> sample = noisy_s(300, noise=0.1, random_state=0)
    >>> round(float((sample.X - sample.extras["clean"]).std()), 2)
    0.1
    """
    require_count("noisy_s", "n_samples", n_samples)
    require_scale("noisy_s", "noise", noise, positive=False)
    random = random_numbers(random_state)
    length = random.uniform(0.0, 3.0 * np.pi, n_samples)
    clean = _letter_s(length)
    return Dataset(
        X=clean + noise * random.standard_normal(clean.shape),
        truth=length[:, None],
        name="noisy_s",
        description=DESCRIPTIONS["noisy_s"],
        feature_names=("x", "y"),
        truth_names=("arc length",),
        extras={"clean": clean},
    )


def _letter_s(length: FloatArray) -> FloatArray:
    t = length - 1.5 * np.pi
    return np.column_stack([np.sin(t), np.sign(t) * (np.cos(t) - 1.0)])


def _spiral_length(t: FloatArray) -> FloatArray:
    """Arc length of the spiral (t cos t, t sin t) from the origin."""
    length: FloatArray = 0.5 * (t * np.sqrt(1.0 + t * t) + np.arcsinh(t))
    return length


def _spiral_angle(length: FloatArray) -> FloatArray:
    """Invert :func:`_spiral_length`: convex in t, hence Newton from above converges."""
    t: FloatArray = np.sqrt(2.0 * length)
    for _ in range(8):
        t = t - (_spiral_length(t) - length) / np.sqrt(1.0 + t * t)
    return t
