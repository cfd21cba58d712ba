"""Latent points that tell as much as possible about the data."""

from __future__ import annotations

from sidelight.latent.information.axes import on_axes, warn_if_collapsed
from sidelight.latent.information.kernel_information_embedding import KernelInformationEmbedding
from sidelight.latent.information.mutual_information import AllPairs
from sidelight.latent.information.path import Path
from sidelight.latent.information.penalties import PENALTIES, Penalty, penalty_for

__all__ = [
    "PENALTIES",
    "AllPairs",
    "KernelInformationEmbedding",
    "Path",
    "Penalty",
    "on_axes",
    "penalty_for",
    "warn_if_collapsed",
]
