"""Compiled steps of few points in a plane: many in one go, each as ``Swarm`` would make it."""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding._pairs_compiled import advance, pull, total
from sidelight.latent.neighbor_embedding.repulsion._all_pairs_compiled import (
    around_zero,
    push_through,
    room_for,
)


@njit(cache=True, nogil=True)
def make_steps(graph, Y, velocity, fixed, lengths, bounds):  # type: ignore[no-untyped-def]
    """Move points by all pairs in single precision, ν = 1.

    ``graph``: indptr, indices and weights; ``lengths``: of each step by what pulls and, times Z, by
    what pushes, and the momentum; ``bounds``: the least Z and the longest step.
    """
    n = len(Y)
    indptr, indices, weights = graph
    least, longest = bounds
    places, given, got = room_for(n)
    pulls, values, slopes = np.empty_like(Y), np.empty(n), np.empty_like(Y)
    for step in range(len(lengths)):
        pull(indptr, indices, weights, Y, 1.0, 0, n, pulls)
        push_through(around_zero(Y), places, given, got, values, slopes)
        by_slope = lengths[step, 1] / max(total(values), least)
        pace = (lengths[step, 0], by_slope, lengths[step, 2], longest)
        advance(Y, pulls, slopes, pace, fixed, velocity, 0, n)
