"""The 8 × 8 handwritten digits that come with scikit-learn, as they are and transformed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.ndimage import zoom

from sidelight.core import FloatArray, IntArray, RandomSource, random_numbers
from sidelight.datasets.dataset import Dataset
from sidelight.datasets.descriptions import DESCRIPTIONS
from sidelight.datasets.rotations import rotated_image
from sidelight.datasets.validation import require_count

_SIDE = 8


def digits() -> Dataset:
    """Load the 1797 handwritten digits of 8 × 8 pixels that come with scikit-learn.

    Returns
    -------
    Dataset
        ``X`` of shape (1797, 64) with grey values in [0, 1] (ink is 1), ``labels`` the digits.

    Examples
    --------
    >>> from sidelight.datasets import digits
    >>> X, labels = digits()
    >>> labels[:5].tolist()
    [0, 1, 2, 3, 4]
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset(
        X=bunch.data / 16.0,
        labels=bunch.target,
        name="digits",
        description=DESCRIPTIONS["digits"],
        image_shape=(_SIDE, _SIDE),
        feature_names=tuple(f"pixel {i // _SIDE}, {i % _SIDE}" for i in range(_SIDE * _SIDE)),
    )


def shifted_digits(
    digits: int | Iterable[int] = range(10),
    *,
    canvas: tuple[int, int] = (8, 16),
    n_examples: int = 1,
    random_state: RandomSource = 0,
) -> Dataset:
    """Place digits at every position of a larger empty canvas.

    Parameters
    ----------
    digits : int or iterable of int
        Which digits.
    canvas : tuple of int
        The (rows, columns) of the canvas, at least 8 × 8; (8, 16) gives nine horizontal shifts.
    n_examples : int
        How many handwritten examples of each digit.
    random_state : int, Generator, RandomState or None
        Chooses the examples.

    Returns
    -------
    Dataset
        ``X`` with one row per example and shift, ``labels`` the digit, ``truth`` the shift in
        pixels along each direction in which the canvas leaves room; ``extras["example"]`` numbers
        the handwritten example.

    Raises
    ------
    ValueError
        If the canvas leaves no room or a digit does not exist.

    References
    ----------
    A. Ghodsi, "Nonlinear dimensionality reduction with side information", PhD thesis, University
    of Waterloo, 2005, Figs. 2.6 and 2.7: three and ten digits, nine horizontal shifts of each.

    Examples
    --------
    >>> from sidelight.datasets import shifted_digits
    >>> X, shift, digit = shifted_digits([5, 6, 8])
    >>> X.shape, shift[:9, 0].tolist()
    ((27, 128), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    """
    room = (canvas[0] - _SIDE, canvas[1] - _SIDE)
    if min(room) < 0 or max(room) == 0:
        raise ValueError(
            "The 'canvas' parameter of shifted_digits must be a (rows, columns) of at least "
            f"{_SIDE} × {_SIDE} with more room in one direction. Got {tuple(canvas)} instead."
        )
    images, drawn = _choose("shifted_digits", digits, n_examples, random_state)
    shifts = np.indices((room[0] + 1, room[1] + 1)).reshape(2, -1).T
    frames = np.zeros((len(images), len(shifts), *canvas))
    for position, (down, right) in enumerate(shifts):
        frames[:, position, down : down + _SIDE, right : right + _SIDE] = images
    moving = [axis for axis in (0, 1) if room[axis] > 0]
    return Dataset(
        X=frames.reshape(len(images) * len(shifts), -1),
        truth=np.tile(shifts[:, moving].astype(float), (len(images), 1)),
        labels=np.repeat(drawn, len(shifts)),
        name="shifted_digits",
        description=DESCRIPTIONS["shifted_digits"],
        image_shape=(int(canvas[0]), int(canvas[1])),
        truth_names=tuple(("shift down", "shift right")[axis] for axis in moving),
        extras={"example": np.repeat(np.arange(len(images)), len(shifts))},
    )


def rotated_digits(
    digits: int | Iterable[int] = 6,
    *,
    n_rotations: int = 360,
    size: int = 16,
    n_examples: int = 1,
    random_state: RandomSource = 0,
) -> Dataset:
    """Turn digits through the full circle.

    The 8 × 8 digits are enlarged to ``size`` by cubic interpolation, in the middle of a frame so
    large that no corner leaves it.

    Parameters
    ----------
    digits : int or iterable of int
        Which digits.
    n_rotations : int
        How many angles.
    size : int
        The side of the enlarged digit, at least 8; the frame's side is ⌈√2 size⌉.
    n_examples : int
        How many handwritten examples of each digit.
    random_state : int, Generator, RandomState or None
        Chooses the examples.

    Returns
    -------
    Dataset
        ``X`` with one row per example and angle, ``truth`` the angle in degrees, ``labels`` the
        digit; ``extras["example"]`` numbers the handwritten example.

    Raises
    ------
    ValueError
        If a digit does not exist or ``size`` is below 8.

    Examples
    --------
    >>> from sidelight.datasets import rotated_digits
    >>> X, angle, digit = rotated_digits(6, n_rotations=36)
    >>> X.shape, angle[:3, 0].tolist()
    ((36, 529), [0.0, 10.0, 20.0])
    """
    require_count("rotated_digits", "size", size, least=_SIDE)
    require_count("rotated_digits", "n_rotations", n_rotations)
    images, drawn = _choose("rotated_digits", digits, n_examples, random_state)
    side = int(np.ceil(np.sqrt(2.0) * size))
    margin = (side - size) // 2
    frames, angles = [], []
    for image in images:
        frame = np.zeros((side, side))
        enlarged = np.clip(zoom(image, size / _SIDE, order=3), 0.0, 1.0)
        frame[margin : margin + size, margin : margin + size] = enlarged
        turned = rotated_image(frame, n_rotations, fill=0.0)
        frames.append(turned.X)
        angles.append(turned.truth)
    return Dataset(
        X=np.concatenate(frames),
        truth=np.concatenate([angle for angle in angles if angle is not None]),
        labels=np.repeat(drawn, n_rotations),
        name="rotated_digits",
        description=DESCRIPTIONS["rotated_digits"],
        image_shape=(side, side),
        truth_names=("angle",),
        extras={"example": np.repeat(np.arange(len(images)), n_rotations)},
    )


def _choose(
    who: str,
    wanted: int | Iterable[int],
    n_examples: int,
    random_state: RandomSource,
) -> tuple[FloatArray, IntArray]:
    """Draw ``n_examples`` images of each wanted digit, and say which digit each is."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    names = [wanted] if isinstance(wanted, int | np.integer) else list(wanted)
    if not names or any(name not in range(10) for name in names):
        raise ValueError(
            f"The 'digits' parameter of {who} must name digits from 0 to 9. Got {names} instead."
        )
    random = random_numbers(random_state)
    rows = []
    for name in names:
        members = np.flatnonzero(bunch.target == name)
        if not 1 <= n_examples <= len(members):
            raise ValueError(
                f"The 'n_examples' parameter of {who} must be an int in [1, {len(members)}], the "
                f"number of examples of the digit {name}. Got {n_examples} instead."
            )
        rows.append(random.choice(members, size=n_examples, replace=False))
    chosen = np.concatenate(rows)
    return bunch.images[chosen] / 16.0, bunch.target[chosen]
