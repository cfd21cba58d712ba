"""Latent points that tell as much as possible about the data."""

from __future__ import annotations

from sidelight.latent.information.path import START_SPREAD, Path, find_onset, first_penalty
from sidelight.latent.information.penalties import Penalty

__all__ = ["START_SPREAD", "Path", "Penalty", "find_onset", "first_penalty"]
