"""Pictures to walk over: one that is generated, and those that come with other packages."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from sidelight.core import FloatArray, MissingExtraError, RandomSource, random_numbers
from sidelight.datasets.validation import require_count

_PHOTOGRAPHS = ("china", "flower")
_MATERIALS = ("brick", "grass", "gravel")
PICTURES = ("texture", *_PHOTOGRAPHS, *_MATERIALS)

# luminance of linear red, green and blue (ITU-R BT.709)
_LUMINANCE = (0.2126, 0.7152, 0.0722)


def texture(
    shape: tuple[int, int] = (480, 640),
    *,
    random_state: RandomSource = 0,
) -> FloatArray:
    """Generate a grey picture with structure at every scale.

    White noise is smoothed by Gaussians of width 2, 4, 8, … pixels and the layers, each of unit
    variance, are added with weights that grow with their width, which gives the falling spectrum
    of natural pictures; ranks then spread the grey values evenly over [0, 1].

    Parameters
    ----------
    shape : tuple of int
        The (rows, columns) of the picture.
    random_state : int, Generator, RandomState or None
        Makes the picture repeatable.

    Returns
    -------
    ndarray of shape (rows, columns)
        Grey values in [0, 1].

    Raises
    ------
    ValueError
        If a side is smaller than one pixel.

    Examples
    --------
    >>> from sidelight.datasets import texture
    >>> round(float(texture((100, 200)).mean()), 3)
    0.5
    """
    rows = require_count("texture", "shape", shape[0])
    columns = require_count("texture", "shape", shape[1])
    random = random_numbers(random_state)
    picture = np.zeros((rows, columns))
    width = 2.0
    while width <= max(2.0, min(rows, columns) / 8):
        layer = gaussian_filter(random.standard_normal((rows, columns)), width, mode="wrap")
        spread = layer.std()
        picture += width**0.75 * (layer - layer.mean()) / (spread if spread > 0 else 1.0)
        width *= 2.0
    ranks = np.empty(picture.size)
    ranks[np.argsort(picture, axis=None, kind="stable")] = np.linspace(0.0, 1.0, picture.size)
    return ranks.reshape(rows, columns)


def picture(name: str) -> FloatArray:
    """Load a grey picture by its name.

    Parameters
    ----------
    name : str
        ``"texture"`` (generated, needs nothing), ``"china"`` or ``"flower"`` (photographs that
        come with scikit-learn, 427 × 640), ``"brick"``, ``"grass"`` or ``"gravel"`` (materials
        that come with scikit-image, 512 × 512).

    Returns
    -------
    ndarray of shape (rows, columns)
        Grey values in [0, 1].

    Raises
    ------
    ValueError
        If there is no such picture.
    MissingExtraError
        If the package that reads or holds it is not installed.

    Examples
    --------
    >>> from sidelight.datasets import picture
    >>> picture("texture").shape
    (480, 640)
    """
    if name == "texture":
        return texture()
    if name in _PHOTOGRAPHS:
        try:
            import PIL  # noqa: F401
        except ImportError:
            raise MissingExtraError("pillow", "images", f"The picture {name!r}") from None
        from sklearn.datasets import load_sample_image

        grey: FloatArray = load_sample_image(f"{name}.jpg") @ np.array(_LUMINANCE) / 255.0
        return grey
    if name in _MATERIALS:
        try:
            import skimage.data
        except ImportError:
            raise MissingExtraError("scikit-image", "images", f"The picture {name!r}") from None
        material: FloatArray = getattr(skimage.data, name)() / 255.0
        return material
    raise ValueError(f"There is no picture {name!r}. The pictures are: {', '.join(PICTURES)}.")
