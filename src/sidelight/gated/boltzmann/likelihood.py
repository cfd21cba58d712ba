"""Sums over all states of units, or by annealing: log p(y | x) and E[y | x].

Binary outputs may be gone through instead of mapping units, whichever are fewer: either way what is
left sums in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from sidelight.gated.boltzmann.conditionals import mapping_given, output_given
from sidelight.gated.boltzmann.energy import Folded
from sidelight.gated.units import Tensor, Units, on_alike


@dataclass(frozen=True)
class Few:
    """Units that are few enough for all their states to be gone through.

    Parameters
    ----------
    of_an_input : int
        Where every input has a sum of its own.  Of 100 outputs that of 2¹⁸ states takes 0.4 of the
        time of annealing, and each unit more doubles it.
    alone : int
        Where rows stand alone, which have one sum together: 4 s for 2²² states.
    """

    of_an_input: int = 18
    alone: int = 22


FEW = Few()
#: States that are looked at together, and chains that are annealed.
_STATES, _CHAINS = 4096, 100


def are_few(units: Units, n_outputs: int, n_mappings: int, *, alone: bool) -> bool:
    """Whether the states of mapping units, or of binary outputs, are so few: sums are exact."""
    most = FEW.alone if alone else FEW.of_an_input
    return _gone_through(units, n_outputs, n_mappings) <= most


def log_normaliser(folded: Folded, generator: torch.Generator, *, alone: bool) -> Tensor:
    """log Z(x), exactly where units are few."""
    if _are_few(folded, alone=alone):
        return log_partition(folded)
    return annealed_log_partition(folded, generator)


def log_likelihood(folded: Folded, y: Tensor, log_z: Tensor) -> Tensor:
    """log p(y | x) = −F(y; x) − log Z(x), (inputs, outputs of each)."""
    return -folded.free_energy(y) - log_z.unsqueeze(1)


def expected_output(folded: Folded, generator: torch.Generator) -> Tensor:
    """E[y | x] = Σ_z p(z | x) E[y | x, z], or Σ_y p(y | x) y, exactly where units are few."""
    if not _are_few(folded, alone=False):
        y, log_weights = annealed(folded, generator)
        z = on_alike(mapping_given(folded, y), generator)
        return _weighed(torch.softmax(log_weights, -1), output_given(folded, z))
    log_z, total = log_partition(folded), torch.zeros_like(folded.b[:, 0])
    for states, log_weights in _weighed_states(folded):
        share = torch.exp(log_weights - log_z.unsqueeze(1))
        means = states if _by_outputs(folded) else output_given(folded, states)
        total += _weighed(share, means)
    return total


def bytes_of_sums(units: Units, n_outputs: int, n_mappings: int) -> float:
    """What the sums of an input take beside its machine, in double precision."""
    few = are_few(units, n_outputs, n_mappings, alone=False)
    states = 2 ** _gone_through(units, n_outputs, n_mappings)
    together = min(states, _STATES) if few else _CHAINS
    coupled = 0 if few else 2 * n_outputs * n_mappings
    return 8.0 * (together * (4 * n_outputs + 2 * n_mappings) + coupled)


def all_states(n_units: int, like: Tensor) -> Iterator[Tensor]:
    """The 2ⁿ states of binary units, some at a time, as numbers like others and where those are."""
    bits = torch.arange(n_units, device=like.device)
    for start in range(0, 2**n_units, _STATES):
        numbers = torch.arange(start, min(start + _STATES, 2**n_units), device=like.device)
        yield ((numbers[:, None] >> bits) & 1).to(like.dtype)


def log_partition(folded: Folded) -> Tensor:
    """log Z(x) = log Σ_z Σ_y e^S (5.3), of every input."""
    parts = [torch.logsumexp(log_weights, -1) for _, log_weights in _weighed_states(folded)]
    return torch.logsumexp(torch.stack(parts), 0)


def annealed_log_partition(
    folded: Folded, generator: torch.Generator, *, n_chains: int = _CHAINS, n_steps: int = 1000
) -> Tensor:
    """log Z(x) by annealed importance sampling (Neal 2001; Salakhutdinov and Murray 2008)."""
    _, log_weights = annealed(folded, generator, n_chains=n_chains, n_steps=n_steps)
    known = folded.units.log_sum(torch.zeros_like(folded.b), folded.b)
    known = known + torch.nn.functional.softplus(folded.c).sum(-1)
    return known[:, 0] + torch.logsumexp(log_weights, -1) - math.log(n_chains)


def annealed(
    folded: Folded, generator: torch.Generator, *, n_chains: int = _CHAINS, n_steps: int = 1000
) -> tuple[Tensor, Tensor]:
    """Draws of y, and the logs of what each weighs.

    The couplings β Ŵ go from nothing, where Z is known, to all of them; each step is weighed by
    e^{F_β(y) − F_β'(y)} and then taken by one draw of z and y at β'.  All inputs take the same
    random numbers, so that what is found of one does not hang on which come with it.
    """
    b = folded.b.expand(-1, n_chains, -1)
    y = folded.units.sample_alike(torch.zeros_like(b), b, generator)
    here, log_weights = _tempered(folded, 0.0), torch.zeros_like(y[..., 0])
    for step in range(1, n_steps + 1):
        there = _tempered(folded, step / n_steps)
        log_weights += here.free_energy(y) - there.free_energy(y)
        z = on_alike(mapping_given(there, y), generator)
        y, here = folded.units.sample_alike(there.onto_output(z), there.b, generator), there
    return y, log_weights


def _gone_through(units: Units, n_outputs: int, n_mappings: int) -> int:
    """Units whose states are gone through."""
    return min(n_outputs, n_mappings) if units.kind == "binary" else n_mappings


def _are_few(folded: Folded, *, alone: bool) -> bool:
    J, K = folded.b.shape[-1], folded.c.shape[-1]
    return are_few(folded.units, J, K, alone=alone)


def _by_outputs(folded: Folded) -> bool:
    """Whether outputs are gone through, and not mapping units."""
    return folded.units.kind == "binary" and bool(folded.b.shape[-1] < folded.c.shape[-1])


def _weighed_states(folded: Folded) -> Iterator[tuple[Tensor, Tensor]]:
    """All states, some at a time, with log Σ e^S over the units that are not gone through."""
    if _by_outputs(folded):
        for y in all_states(folded.b.shape[-1], folded.b):
            yield y.unsqueeze(0), -folded.free_energy(y.unsqueeze(0))
    else:
        for z in all_states(folded.c.shape[-1], folded.c):
            yield z.unsqueeze(0), folded.log_weight(z.unsqueeze(0))


def _weighed(share: Tensor, y: Tensor) -> Tensor:
    """Σ_s share_s y_s, of every input."""
    return (share.unsqueeze(1) @ y)[:, 0]


def _tempered(folded: Folded, beta: float) -> Folded:
    return replace(folded, coupling=folded.coupling.times(beta))
