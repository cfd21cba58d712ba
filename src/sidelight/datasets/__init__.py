"""Data to learn from: generated, bundled with scikit-learn, or real files in a local folder.

Every generator and loader returns a :class:`Dataset`.  The real sets are read from the folder
named by the environment variable ``SIDELIGHT_DATA``.
"""

from __future__ import annotations

from sidelight.datasets.catalogue import Availability, available, load
from sidelight.datasets.dataset import Dataset
from sidelight.datasets.files import folder
from sidelight.datasets.handwritten import digits, rotated_digits, shifted_digits
from sidelight.datasets.manifolds import noisy_s, s_curve, swiss_roll
from sidelight.datasets.pictures import picture, texture
from sidelight.datasets.rotations import rotated_image
from sidelight.datasets.walks import image_walk, trajectory

__all__ = [
    "Availability",
    "Dataset",
    "available",
    "digits",
    "folder",
    "image_walk",
    "load",
    "noisy_s",
    "picture",
    "rotated_digits",
    "rotated_image",
    "s_curve",
    "shifted_digits",
    "swiss_roll",
    "texture",
    "trajectory",
]
