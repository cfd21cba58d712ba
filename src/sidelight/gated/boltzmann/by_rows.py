"""What a machine says of rows, a block of them at a time.

Every input makes J × K couplings, of which only so many stand in memory as a block has rows.  Means
and densities are computed in double precision: in single, the last bit of a row would hang on how
many come with it, and on the processor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from sidelight.core import FloatArray, report, row_blocks
from sidelight.gated.boltzmann.conditionals import gibbs, mapping_given, output_given
from sidelight.gated.boltzmann.likelihood import (
    are_few,
    bytes_of_sums,
    expected_output,
    log_likelihood,
    log_normaliser,
)
from sidelight.gated.boltzmann.machine import NOTHING, Machine
from sidelight.gated.rows import array_of
from sidelight.gated.units import Tensor

#: What chains of an input are taken to hold at least, so that no block has more than sixteen.
_ANNEALED = 2e6


def mappings_of(machine: Machine, X: FloatArray, Y: FloatArray) -> FloatArray:
    """p(z_k = 1 | x, y) of every pair (5.5)."""
    found, exact = np.empty((len(Y), machine.n_mappings)), machine.exact
    with torch.no_grad():
        for rows in row_blocks(len(Y), 2 * exact.bytes_of_an_input):
            seen = exact.outputs(Y[rows]).double().unsqueeze(1)
            found[rows] = array_of(mapping_given(exact.folded(X[rows], double=True), seen)[:, 0])
    return found


def hidden_of(machine: Machine, Y: FloatArray) -> FloatArray:
    """p(z_k = 1 | y) of rows that stand alone."""
    found, exact = np.empty((len(Y), machine.n_mappings)), machine.exact
    folded = exact.folded(NOTHING, double=True)
    with torch.no_grad():
        for rows in row_blocks(len(Y), 2 * _bytes_of_a_row(machine)):
            seen = exact.outputs(Y[rows]).double().unsqueeze(0)
            found[rows] = array_of(mapping_given(folded, seen)[0])
    return found


def outputs_of(machine: Machine, Z: Tensor, X: FloatArray) -> FloatArray:
    """E[y | x, z] of every input, by its mapping units (5.6), (5.12)."""
    found, exact = np.empty((len(X), machine.n_outputs)), machine.exact
    with torch.no_grad():
        for rows in row_blocks(len(X), 2 * exact.bytes_of_an_input):
            z = Z[rows].to(exact.device).double().unsqueeze(1)
            y = output_given(exact.folded(X[rows], double=True), z)[:, 0]
            found[rows] = machine.output_scale.back(y)
    return found


def expected_of(machine: Machine, X: FloatArray, draws: torch.Generator) -> FloatArray:
    """E[y | x] of every input."""
    found, exact = np.empty((len(X), machine.n_outputs)), machine.exact
    with torch.no_grad():
        for rows in _blocks_of_sums(machine, len(X)):
            y = expected_output(exact.folded(X[rows], double=True), _afresh(draws))
            found[rows] = machine.output_scale.back(y)
    return found


def draws_of(
    machine: Machine, X: FloatArray, n_samples: int, n_steps: int, draws: torch.Generator
) -> FloatArray:
    """The ends of chains, (inputs, samples, outputs), that begin without mapping units."""
    found = np.empty((len(X), n_samples, machine.n_outputs))
    each = machine.bytes_of_an_input + n_samples * _bytes_of_a_row(machine)
    with torch.no_grad():
        for rows in row_blocks(len(X), each):
            folded = machine.folded(X[rows])
            b = folded.b.expand(-1, n_samples, -1)
            first = folded.units.sample(torch.zeros_like(b), b, draws)
            found[rows] = machine.output_scale.back(gibbs(folded, first, n_steps, draws))
    return found


def bytes_of_draws(machine: Machine, n_inputs: int, n_samples: int) -> float:
    """What they take, with the block that is being drawn."""
    each = machine.bytes_of_an_input + n_samples * _bytes_of_a_row(machine)
    return 8.0 * n_inputs * n_samples * machine.n_outputs + each


def log_densities_of(
    machine: Machine, X: FloatArray, Y: FloatArray, draws: torch.Generator
) -> FloatArray:
    """log p(y | x) of every pair, per unit of the data; of rows that stand alone log p(y)."""
    found, exact = np.empty(len(Y)), machine.exact
    with torch.no_grad():
        if machine.n_inputs:
            for rows in _blocks_of_sums(machine, len(Y)):
                folded = exact.folded(X[rows], double=True)
                log_z = log_normaliser(folded, _afresh(draws), alone=False)
                y = exact.outputs(Y[rows]).double().unsqueeze(1)
                each = log_likelihood(folded, y, log_z)
                found[rows] = array_of(each[:, 0])
        else:
            folded = exact.folded(NOTHING, double=True)
            log_z = log_normaliser(folded, draws, alone=True)
            for rows in row_blocks(len(Y), 2 * _bytes_of_a_row(machine)):
                y = exact.outputs(Y[rows]).double().unsqueeze(0)
                found[rows] = array_of(log_likelihood(folded, y, log_z)[0])
    return np.asarray(found - machine.n_outputs * np.log(machine.output_scale.size))


def _afresh(draws: torch.Generator) -> torch.Generator:
    """A generator that begins where another began: every block is told the same numbers."""
    return torch.Generator(device=draws.device).manual_seed(draws.initial_seed())


def _bytes_of_a_row(machine: Machine) -> float:
    """What a row takes on the way to mapping units and back, where machines are there."""
    return 4.0 * (6 * machine.n_outputs + 3 * machine.n_mappings)


def _blocks_of_sums(machine: Machine, n_inputs: int) -> Iterator[slice]:
    """Inputs whose sums are made together, few enough for progress to be seen; it is told."""
    units, J, K = machine.units, machine.n_outputs, machine.n_mappings
    each, stage = 2 * machine.bytes_of_an_input + bytes_of_sums(units, J, K), "sums over all states"
    if not are_few(units, J, K, alone=False):
        each, stage = max(each, _ANNEALED), "annealed importance sampling"
    for rows in row_blocks(n_inputs, each):
        report(stage, rows.start, n_inputs)
        yield rows
