"""How the points of a map move: the steps, their pace, and springs that hold some of them."""

from __future__ import annotations

from sidelight.latent.neighbor_embedding.descent.laying_out import (
    Layout,
    Moving,
    Pace,
    Swarm,
    lay_out,
    steady_rate,
)
from sidelight.latent.neighbor_embedding.descent.springs import Springs

__all__ = ["Layout", "Moving", "Pace", "Springs", "Swarm", "lay_out", "steady_rate"]
