"""Auto-encoders whose weights or biases are functions of inputs: network, objective, manners."""

from __future__ import annotations

from sidelight.gated.autoencoding.conditional import PARAMETERS, ConditionalAutoencoder

__all__ = ["PARAMETERS", "ConditionalAutoencoder"]
