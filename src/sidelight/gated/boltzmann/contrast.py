"""Contrastive divergence: what a step of learning lowers (5.8), (5.9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from sidelight.gated.boltzmann.conditionals import gibbs, mapping_given, output_given
from sidelight.gated.boltzmann.energy import Folded, fold
from sidelight.gated.premapping import Weights
from sidelight.gated.units import Tensor, Units


@dataclass(frozen=True)
class Contrast:
    """⟨F(y; x)⟩ of the data less that of the ends ỹ of short chains, which are held still.

    Its gradient is ⟨∂S/∂W⟩ under p(z | x, ỹ) at the chains less that at the data: minus (5.9) as
    the chains grow long.  Where chains begin at the data this is contrastive divergence; where they
    go on from their last end, persistent contrastive divergence.  Chains that end in the mean of
    their last outputs leave a bias, and far less noise.

    Parameters
    ----------
    units : Units
        What the outputs are.
    n_steps : int
        Steps of a chain.
    generator : torch.Generator
        Of its draws.
    to_mean : bool
        Whether it ends in the mean of its last outputs.
    folding : callable
        What inputs make of the weights.
    free : Tensor of bool of shape (outputs,), optional
        The outputs that chains move and errors count; the others are held at the data, so that
        what they say of the free ones is as they are.
    """

    units: Units
    n_steps: int
    generator: torch.Generator
    to_mean: bool = False
    folding: Callable[[Weights, Units, Tensor], Folded] = fold
    free: Tensor | None = None

    def __call__(
        self, weights: Weights, x: Tensor, y: Tensor, begin: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The difference, and the ends of the chains."""
        folded = self.folding(weights, self.units, x)
        with torch.no_grad():
            start = y if begin is None else begin
            ends = self._ends(folded, start, y)
        # together, so that the gradient of what an input makes of the weights is formed once
        of_data, of_chains = folded.free_energy(torch.cat([y, ends], 1)).split(
            [y.shape[1], ends.shape[1]], 1
        )
        return of_data.mean() - of_chains.mean(), ends

    def error(self, weights: Weights, x: Tensor, y: Tensor) -> float:
        """Σ_j (y_j − ŷ_j)², the mean of outputs that one step back and forth should keep."""
        with torch.no_grad():
            folded = self.folding(weights, self.units, x)
            back = output_given(folded, mapping_given(folded, y))
            off = (y - back) ** 2
            return float((off if self.free is None else off[..., self.free]).sum(-1).mean())

    def surprise(self, weights: Weights, x: Tensor, y: Tensor) -> float:
        """−log p(y | x, z), z inferred from x and y: what an error that has a bound cannot show."""
        with torch.no_grad():
            folded = self.folding(weights, self.units, x)
            a, b = folded.onto_output(mapping_given(folded, y)), folded.b
            if self.free is not None:
                a, b, y = a[..., self.free], b[..., self.free], y[..., self.free]
            told = self.units.base(y, b) + (a * self.units.statistic(y)).sum(-1)
            return float((self.units.log_sum(a, b) - told).mean())

    def _ends(self, folded: Folded, start: Tensor, y: Tensor) -> Tensor:
        """Where chains end, with outputs that are not free held at the data at every step."""
        if self.free is None:
            return gibbs(folded, start, self.n_steps, self.generator, to_mean=self.to_mean)
        now = start
        for step in range(1, self.n_steps + 1):
            to_mean = self.to_mean and step == self.n_steps
            now = torch.where(self.free, gibbs(folded, now, 1, self.generator, to_mean=to_mean), y)
        return now
