"""Models of how things change: pairs of items in, mapping units that tell one change from another.

They stand on torch, which is an extra and is loaded with the first of them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sidelight.core import MissingExtraError

if TYPE_CHECKING:
    from sidelight.gated.biased_autoencoder import BiasedAutoencoder
    from sidelight.gated.gated_autoencoder import GatedAutoencoder
    from sidelight.gated.gated_boltzmann_machine import GatedBoltzmannMachine
    from sidelight.gated.gated_expert_field import GatedExpertField
    from sidelight.gated.manifield import Manifield

_HOMES = {
    "BiasedAutoencoder": "sidelight.gated.biased_autoencoder",
    "GatedAutoencoder": "sidelight.gated.gated_autoencoder",
    "GatedBoltzmannMachine": "sidelight.gated.gated_boltzmann_machine",
    "GatedExpertField": "sidelight.gated.gated_expert_field",
    "Manifield": "sidelight.gated.manifield",
}

__all__ = [
    "BiasedAutoencoder",
    "GatedAutoencoder",
    "GatedBoltzmannMachine",
    "GatedExpertField",
    "Manifield",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sidelight.gated' has no attribute {name!r}")
    if find_spec("torch") is None:
        raise MissingExtraError("torch", "gated", f"sidelight.gated.{name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
