"""The models of pairs, which live in their own room, ask for torch and make no map."""

from __future__ import annotations

from sidelight.registry.entry import Entry
from sidelight.registry.estimators import ESTIMATORS

GATED: tuple[Entry, ...] = (
    Entry(
        "GatedBoltzmannMachine",
        "gated",
        "how an item becomes another",
        "sidelight.gated.gated_boltzmann_machine",
        "gbm",
        understands=(),
        gives=("density",),
    ),
    Entry(
        "GatedExpertField",
        "gated",
        "how an image becomes another, patch by patch",
        "sidelight.gated.gated_expert_field",
        "gef",
        understands=(),
    ),
    Entry(
        "GatedAutoencoder",
        "gated",
        "a manifold of outputs, made by inputs",
        "sidelight.gated.gated_autoencoder",
        "gae",
        understands=(),
    ),
    Entry(
        "BiasedAutoencoder",
        "gated",
        "predictions, cleaned up by the manifold of outputs",
        "sidelight.gated.biased_autoencoder",
        "bae",
        understands=(),
    ),
    Entry(
        "Manifield",
        "gated",
        "a patch model all over a sequence or an image",
        "sidelight.gated.manifield",
        "manifield",
        understands=(),
    ),
)
#: What a model file may hold.
SAVED: tuple[Entry, ...] = ESTIMATORS + GATED
