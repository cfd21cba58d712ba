"""One image turned through the full circle: the simplest curved manifold of images."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import map_coordinates

from sidelight.core import ArrayLike, FloatArray
from sidelight.datasets.dataset import Dataset
from sidelight.datasets.validation import require_count


def rotated_image(
    image: ArrayLike, n_rotations: int = 360, *, fill: float | None = None
) -> Dataset:
    """Turn an image through the full circle in equal steps.

    Frame k is the image turned counter-clockwise by 360 k / n_rotations degrees about its
    centre, with bilinear interpolation, in the shape of the original; frame 0 is the image.

    Parameters
    ----------
    image : array-like of shape (rows, columns)
        The picture.  Corners of an image that is not round turn out of the frame: leave a margin
        if they matter.
    n_rotations : int
        How many frames.
    fill : float, optional
        What is seen beyond the border; by default the median of the border's pixels.

    Returns
    -------
    Dataset
        ``X`` of shape (n_rotations, rows · columns), ``truth`` the angle in degrees.

    Raises
    ------
    ValueError
        If the image is not a finite matrix or ``n_rotations`` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.datasets import rotated_image
    >>> frames = rotated_image(np.eye(3), n_rotations=4)
    >>> frames.images[1].round().astype(int).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    picture = np.asarray(image, dtype=float)
    if picture.ndim != 2 or picture.size == 0 or not np.isfinite(picture).all():
        raise ValueError(
            "The 'image' parameter of rotated_image must be a finite matrix of shape "
            f"(rows, columns). Got an array of shape {picture.shape} instead. Convert a colour "
            "image to grey first."
        )
    require_count("rotated_image", "n_rotations", n_rotations)
    background = _border_median(picture) if fill is None else float(fill)
    angles = 360.0 * np.arange(n_rotations) / n_rotations
    frames = np.stack([_turn(picture, angle, background) for angle in angles])
    return Dataset(
        X=frames.reshape(n_rotations, -1),
        truth=angles[:, None],
        name="rotated_image",
        description=f"one image turned {n_rotations} times through the full circle",
        image_shape=(picture.shape[0], picture.shape[1]),
        truth_names=("angle",),
        extras={"image": picture},
    )


def _border_median(image: FloatArray) -> float:
    border = np.concatenate([image[0], image[-1], image[1:-1, 0], image[1:-1, -1]])
    return float(np.median(border))


def _turn(image: FloatArray, degrees: float, fill: float) -> FloatArray:
    """Turn an image counter-clockwise, as it is seen with row 0 on top."""
    centre = (np.array(image.shape) - 1) / 2
    row, column = np.indices(image.shape, dtype=float)
    down, right = row - centre[0], column - centre[1]
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    source = np.stack(
        [centre[0] + cosine * down + sine * right, centre[1] - sine * down + cosine * right]
    )
    turned: FloatArray = map_coordinates(image, source, order=1, mode="grid-constant", cval=fill)
    # weights that sum to one only up to rounding would leave the range of grey values
    return np.clip(turned, min(image.min(), fill), max(image.max(), fill))
