"""log p(y | x): exactly, by going through all states of the mapping units, or by annealing."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from sidelight.gated.boltzmann.conditionals import gibbs
from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.units import Tensor

#: So many mapping units have few enough states to go through.
ENUMERATED = 16
#: States that are looked at together.
_STATES = 4096


def log_likelihood(folded: Folded, y: Tensor, generator: torch.Generator) -> Tensor:
    """log p(y | x) = −F(y; x) − log Z(x), (inputs, outputs of each)."""
    few = folded.c.shape[-1] <= ENUMERATED
    log_z = log_partition(folded) if few else annealed_log_partition(folded, generator)
    return -folded.free_energy(y) - log_z.unsqueeze(1)


def all_states(n_units: int, dtype: torch.dtype) -> Tensor:
    """The 2ⁿ states of binary units."""
    numbers = torch.arange(2**n_units)
    return ((numbers[:, None] >> torch.arange(n_units)) & 1).to(dtype)


def log_partition(folded: Folded) -> Tensor:
    """log Z(x) = log Σ_z Σ_y e^S (5.3), of every input."""
    states = all_states(folded.c.shape[-1], folded.c.dtype)
    parts = [
        torch.logsumexp(folded.log_weight(some.unsqueeze(0)), -1) for some in states.split(_STATES)
    ]
    return torch.logsumexp(torch.stack(parts), 0)


def annealed_log_partition(
    folded: Folded, generator: torch.Generator, *, n_chains: int = 100, n_steps: int = 1000
) -> Tensor:
    """log Z(x) by annealed importance sampling (Neal 2001; Salakhutdinov and Murray 2008).

    The couplings β Ŵ go from nothing, where Z is known, to all of them; each step is weighed by
    e^{F_β(y) − F_β'(y)} and then taken by one draw of z and y at β'.
    """
    b = folded.b.expand(-1, n_chains, -1)
    known = folded.units.log_sum(torch.zeros_like(folded.b), folded.b)
    known = known + torch.nn.functional.softplus(folded.c).sum(-1)
    y = folded.units.sample(torch.zeros_like(b), b, generator)
    here, log_weights = _tempered(folded, 0.0), torch.zeros(y.shape[:2], dtype=y.dtype)
    for step in range(1, n_steps + 1):
        there = _tempered(folded, step / n_steps)
        log_weights += here.free_energy(y) - there.free_energy(y)
        y, here = gibbs(there, y, 1, generator), there
    return known[:, 0] + torch.logsumexp(log_weights, -1) - math.log(n_chains)


def _tempered(folded: Folded, beta: float) -> Folded:
    return replace(folded, coupling=folded.coupling.times(beta))
