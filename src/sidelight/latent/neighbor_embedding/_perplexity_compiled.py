"""Compiled loop from distances to choices with a given perplexity."""

from __future__ import annotations

import math

from sidelight.core.compiler import njit
from sidelight.latent.neighbor_embedding._tail_compiled import decay

_STEPS = 100


@njit(cache=True, nogil=True)
def choose(distances, perplexities, first, last, sums):  # type: ignore[no-untyped-def]
    """Turn the distances of rows into choices P_j|i with given perplexities, added up in ``sums``.

    The entropy of a row falls steadily with β in P ∝ e^{−β d²}; log β is bisected.  Absent
    neighbours are infinitely far, and rows with fewer than the perplexity choose evenly.
    """
    n_listed = distances.shape[1]
    for i in range(first, last):
        nearest, n_near, mean = math.inf, 0, 0.0
        for j in range(n_listed):
            if distances[i, j] < math.inf:
                nearest = min(nearest, distances[i, j] ** 2)
                mean += distances[i, j] ** 2
                n_near += 1
            sums[i, j] = 0.0
        if n_near == 0:
            continue
        mean = mean / n_near - nearest
        for scale in range(len(perplexities)):
            beta = 0.0
            if mean > 0.0 and perplexities[scale] < n_near:
                low, high = 2.0**-40, 2.0**40
                for _ in range(_STEPS):
                    beta = math.sqrt(low * high)
                    total, energy = 0.0, 0.0
                    for j in range(n_listed):
                        if distances[i, j] < math.inf:
                            s = beta * ((distances[i, j] ** 2 - nearest) / mean)
                            e = decay(s)
                            total += e
                            energy += s * e
                    # of e^H = Σ e^{−s} · e^{mean of s}
                    if total > perplexities[scale] * decay(energy / total):
                        low = beta
                    else:
                        high = beta
                    if high <= low * (1.0 + 1e-9):
                        break
            total = 0.0
            for j in range(n_listed):
                if distances[i, j] < math.inf:
                    s = 0.0 if mean == 0.0 else (distances[i, j] ** 2 - nearest) / mean
                    total += decay(beta * s)
            for j in range(n_listed):
                if distances[i, j] < math.inf:
                    s = 0.0 if mean == 0.0 else (distances[i, j] ** 2 - nearest) / mean
                    sums[i, j] += decay(beta * s) / total / len(perplexities)
