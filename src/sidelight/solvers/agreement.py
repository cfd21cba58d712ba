"""Whether what is said of rows shows among neighbours: do they agree more than by chance?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sidelight.core import FloatArray, IntArray


def agreement_beyond_chance(
    agreement: Callable[[IntArray], float], n_rows: int, shuffles: int
) -> float:
    """By how many standard deviations rows agree better than with one another's values.

    ``agreement`` is told, for each row, whose value is taken for its own.

    Examples
    --------
    >>> import numpy as np
    >>> values, near = np.arange(100) // 50, np.arange(100)[:, None] // 10 * 10
    >>> same = lambda whose: float(np.mean(values[whose][near] == values[whose][:, None]))
    >>> agreement_beyond_chance(same, 100, 50) > 4
    True
    """
    rng = np.random.default_rng(0)
    by_chance = [agreement(rng.permutation(n_rows)) for _ in range(shuffles)]
    excess = agreement(np.arange(n_rows)) - float(np.mean(by_chance))
    return excess / max(float(np.std(by_chance)), 1e-300)


def agreement_in_codes(codes: FloatArray, near: IntArray) -> Callable[[IntArray], float]:
    """The mean of ⟨c_i, c_j⟩ over the neighbours j of every row i."""

    def agreement(whose: IntArray) -> float:
        said = codes[whose]
        return float(np.einsum("ij,ikj->", said, said[near])) / near.size

    return agreement


def association_in_codes(codes: FloatArray, near: IntArray) -> Callable[[IntArray], float]:
    """‖(1/nk) Σ c_i c_jᵀ‖_F^⅔ over neighbours j of i, c whitened: any rule among values.

    Its trace is the agreement, which misses rules such as that neighbours are never alike.  Of
    chance the squared norm is χ², whose cube root is nearly normal.
    """
    left, lengths, _ = np.linalg.svd(codes - codes.mean(axis=0), full_matrices=False)
    white = left[:, lengths > 1e-9 * lengths[0]] * np.sqrt(len(codes))

    def association(whose: IntArray) -> float:
        said = white[whose]
        together = said.T @ said[near].sum(axis=1) / near.size
        return float(np.sum(together**2) ** (1 / 3))

    return association
