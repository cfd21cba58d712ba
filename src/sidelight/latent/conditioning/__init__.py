"""A known factor left out of the map."""

from __future__ import annotations

from sidelight.latent.conditioning.fit import (
    PENALTIES_OF_FORMS,
    fit_conditional,
    refuse_without_effect,
)
from sidelight.latent.density import KnownFactor

__all__ = ["PENALTIES_OF_FORMS", "fit_conditional", "refuse_without_effect"]
