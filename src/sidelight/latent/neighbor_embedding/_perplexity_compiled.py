"""Compiled loop from distances to choices with a given perplexity."""

from __future__ import annotations

import math

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding._tail_compiled import decay, logarithm

_STEPS = 100
#: Where β is sought, in units of the mean square, and how far that is widened where rows list those
#: of other clusters, however far these are; of more equally near rows than are wanted none is left
#: out by any β.  β² is a number still.
_USUAL, _WIDER, _WIDEST = 2.0**40, 2.0**40, 2.0**480
#: Squared distances that differ by no more than this part of themselves are equal but for rounding.
_EQUAL = 1e-12


@njit(cache=True, nogil=True)
def choose(indptr, distances, perplexities, first, last, sums):  # type: ignore[no-untyped-def]
    """Turn the distances of rows into choices P_j|i with given perplexities, added up in ``sums``.

    Row i lists the neighbours ``indptr[i] : indptr[i + 1]``.  The entropy of a row falls steadily
    with β in P ∝ e^{−β d²}.  Absent neighbours are infinitely far, and rows with fewer than the
    perplexity, or whose neighbours are all equally far, choose evenly.
    """
    n_scales, longest = len(perplexities), 0
    for i in range(first, last):
        longest = max(longest, indptr[i + 1] - indptr[i])
    all_s, all_e = np.empty(longest), np.empty(longest)
    for i in range(first, last):
        begin = indptr[i]
        n_listed = indptr[i + 1] - begin
        s, e = all_s[:n_listed], all_e[:n_listed]
        nearest, n_near, mean = math.inf, 0, 0.0
        for j in range(n_listed):
            if distances[begin + j] < math.inf:
                nearest = min(nearest, distances[begin + j] ** 2)
                mean += distances[begin + j] ** 2
                n_near += 1
            sums[begin + j] = 0.0
        if n_near == 0:
            continue
        mean = mean / n_near - nearest
        if mean <= _EQUAL * nearest:
            mean = 0.0
        for j in range(n_listed):
            s[j] = 0.0 if mean <= 0.0 else (distances[begin + j] ** 2 - nearest) / mean
            if distances[begin + j] == math.inf:
                s[j] = math.inf
        for scale in range(n_scales):
            beta = 0.0
            if mean > 0.0 and perplexities[scale] < n_near:
                beta = _beta(s, logarithm(perplexities[scale]))
            total = 0.0
            for j in range(n_listed):
                e[j] = decay(beta * s[j]) if s[j] < math.inf else 0.0
                total += e[j]
            for j in range(n_listed):
                sums[begin + j] += e[j] / total / n_scales


@njit(cache=True, nogil=True)
def _beta(s, wanted):  # type: ignore[no-untyped-def]
    """The β at which H = log Σ e^{−βs} + β⟨s⟩ is as wanted, by Newton's steps for log β.

    dH/dlog β = −β² Var s.  Where a step would leave what is known to hold it, that is halved.
    """
    low, high, beta = 1.0 / _USUAL, _USUAL, 1.0
    bounded = False
    for _ in range(_STEPS):
        total, first, second = 0.0, 0.0, 0.0
        for j in range(len(s)):
            if s[j] < math.inf:
                e = decay(beta * s[j])
                total += e
                first += e * s[j]
                second += e * s[j] * s[j]
        mean = first / total
        excess = logarithm(total) + beta * mean - wanted
        if excess > 0.0:
            low = beta
            if not bounded and 0.5 * high < beta and high < _WIDEST:
                high *= _WIDER
        else:
            high, bounded = beta, True
        step = excess / max(beta * beta * (second / total - mean * mean), 1e-300)
        factor = decay(-step) if step < 0.0 else 1.0 / max(decay(step), 1e-300)
        before, beta = beta, beta * factor
        if not low <= beta <= high:
            beta = math.sqrt(low * high)
        if abs(beta - before) <= 1e-10 * before:
            break
    return beta
