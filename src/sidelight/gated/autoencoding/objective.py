"""Reconstruction: what auto-encoders lower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from sidelight.gated.autoencoding.passes import decoded, encoded, guessed, mean_of, surprise
from sidelight.gated.premapping import Weights
from sidelight.gated.units import Tensor, Units


@dataclass(frozen=True)
class Reconstruction:
    """−log p(y | ŷ), ŷ what an auto-encoder makes of y, of y with noise, or of a guess.

    Parameters
    ----------
    units : Units
        What the outputs are.
    code : {"linear", "tanh"}
        What a code is.
    noise : float
        Of Gaussian outputs the standard deviation of what is added to them, in theirs; else the
        share of outputs that are set to zero.
    from_guess : bool
        Whether codes are those of what is guessed from the inputs.
    generator : torch.Generator
        Of the noise.
    """

    units: Units
    code: str
    noise: float
    from_guess: bool
    generator: torch.Generator

    def loss(self, weights: Weights, batch: tuple[Tensor, Tensor]) -> Tensor:
        """As it is learned, with noise."""
        return self._of(weights, *batch, noise=self.noise)

    def error(self, weights: Weights, batch: tuple[Tensor, Tensor]) -> float:
        """As it is looked at, without."""
        with torch.no_grad():
            return float(self._of(weights, *batch, noise=0.0))

    def _of(self, weights: Weights, x: Tensor, y: Tensor, noise: float) -> Tensor:
        seen = mean_of(self.units, guessed(weights, x)) if self.from_guess else y
        if noise:
            seen = self._with_noise(seen, noise)
        a = decoded(weights, x, encoded(weights, x, seen, self.code))
        return surprise(self.units, a, y)

    def _with_noise(self, y: Tensor, noise: float) -> Tensor:
        like: Any = {"dtype": y.dtype, "device": y.device, "generator": self.generator}
        if self.units.kind == "gaussian":
            return y + noise * torch.randn(y.shape, **like)
        return y * (torch.rand(y.shape, **like) >= noise)
