"""The local filter: every pixel from its neighbours, by the same weights everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.transforms.pictures import BEYOND, neighbouring, read_pictures
from sidelight.transforms.transformation import Shape, parameters_of_rows


@dataclass(frozen=True)
class LocalFilter:
    """Each pixel a weighted sum of the size × size pixels around it, x'_u = ωᵀ x_N(u) (§2.4.1).

    Shifts, small turns and changes of light are among them, and it is linear both in the picture
    and in ω, so that the ω that takes one picture to another is a least-squares problem
    (:func:`best_parameters`).  All channels go by the same weights.

    Parameters
    ----------
    size : int
        3, 5 … pixels on a side.
    beyond : {"zero", "edge", "wrap"}
        What is seen beyond the edges.

    Examples
    --------
    >>> import numpy as np
    >>> local = LocalFilter()
    >>> X = np.arange(12.0).reshape(1, 12)
    >>> bool((local.apply(X, local.identity(), image_shape=(3, 4)) == X).all())
    True
    """

    size: int = 3
    beyond: str = "zero"

    def __post_init__(self) -> None:
        whole = isinstance(self.size, (int, np.integer)) and not isinstance(self.size, bool)
        if not whole or self.size < 1 or self.size % 2 == 0:
            raise ValueError(
                f"The 'size' argument of LocalFilter must be an odd int, such as 3 or 5, so that "
                f"there is a pixel in the middle. Got {self.size!r} instead."
            )
        if self.beyond not in BEYOND:
            raise ValueError(
                f"The 'beyond' argument of LocalFilter must be one of {BEYOND}. "
                f"Got {self.beyond!r} instead."
            )

    def identity(self) -> FloatArray:
        """One for the pixel in the middle, zero for the others."""
        omega = np.zeros(self.size**2)
        omega[self.size**2 // 2] = 1.0
        return omega

    def design(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """The pixels around each pixel, (n, n_features, size²): T(x, ω) = design(x) ω."""
        return np.swapaxes(self.tangents(X, image_shape), 1, 2)

    def apply(self, X: Any, theta: Any, image_shape: Shape = None) -> FloatArray:
        """Every row filtered, by one ω or one for each row."""
        taps = self.tangents(X, image_shape)
        omega = parameters_of_rows(self, theta, len(taps), who="LocalFilter")
        return np.asarray(np.matmul(omega[:, None, :], taps)[:, 0], dtype=taps.dtype)

    def tangents(self, X: Any, image_shape: Shape = None) -> FloatArray:
        """∂T/∂ω, the same everywhere: the shifted pictures, (n, size², n_features)."""
        pictures = read_pictures(X, image_shape, who="LocalFilter")
        around = neighbouring(pictures, self.size // 2, self.beyond)
        return around.reshape(len(pictures), self.size**2, -1)
