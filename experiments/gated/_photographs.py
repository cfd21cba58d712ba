"""Photographs that come with scikit-learn and scikit-image, grey, turned; how far two differ."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray

#: Seven that are in the packages themselves: none is fetched.
NAMES = ("china", "flower", "astronaut", "camera", "chelsea", "coffee", "rocket")
#: An image turned and mirrored has so many forms.
WAYS = range(8)
_GREY = (0.299, 0.587, 0.114)


def photographs(names: tuple[str, ...] = NAMES, *, multiple: int = 32) -> dict[str, FloatArray]:
    """Between 0 and 1, heights and widths cut to multiples."""
    from skimage import data
    from sklearn.datasets import load_sample_image

    found = {}
    for name in names:
        bundled = name in ("china", "flower")
        pixels = load_sample_image(f"{name}.jpg") if bundled else getattr(data, name)()
        grey = np.asarray(pixels, dtype=np.float64) / 255.0
        grey = grey @ _GREY if grey.ndim == 3 else grey
        height, width = (side // multiple * multiple for side in grey.shape)
        found[name] = grey[:height, :width]
    return found


def turned(images: FloatArray, way: int) -> FloatArray:
    """Turned by quarters, and mirrored first in the second four ways."""
    sides = images.swapaxes(-2, -1) if way >= 4 else images
    return np.rot90(sides, way % 4, axes=(-2, -1))


def turned_back(images: FloatArray, way: int) -> FloatArray:
    """The contrary."""
    sides = np.rot90(images, -(way % 4), axes=(-2, -1))
    return sides.swapaxes(-2, -1) if way >= 4 else sides


def psnr(found: FloatArray, truth: FloatArray) -> float:
    """Peak signal to noise, −10 log₁₀ of the mean squared difference, in dB."""
    return float(-10.0 * np.log10(((found - truth) ** 2).mean()))
