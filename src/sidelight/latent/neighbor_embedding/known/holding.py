"""Known distances held: tied rows go to where they fit, and the map settles around them.

The divergence outweighs springs that leave it room to descend.  So rows first go where springs pull
them, together with their neighbours; those that are tied then go to the nearest places at which the
distances fit best, and the map settles while the distances are held.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra

from sidelight.core import FloatArray, IntArray, for_walks, warn
from sidelight.latent.neighbor_embedding.descent import Layout, Moving, Pace, Springs, lay_out
from sidelight.latent.neighbor_embedding.divergence import Divergence
from sidelight.latent.neighbor_embedding.start import rounded
from sidelight.quality import procrustes
from sidelight.solvers.eigen import largest_eigenpairs

#: Distances that all fit as well as this need no other beginning; another one is to miss by so
#: much less of it, in squares.
_FIT, _BETTER = 0.02, 0.8
#: Rows that are tied together are begun anew by classical scaling up to so many.
_SCALED = 500
#: Distances that are missed by more than this share of themselves are worth a warning.
_WORTH_SAYING = 0.1


def hold_distances(
    divergence: Divergence, found: Layout, pace: Pace, springs: Springs, **told: Any
) -> tuple[Layout, float]:
    """Settle a map with known distances held, in their unit; give the kernel's unit too."""
    begin = Moving.at_rest(rounded(realised(springs, found.Y)))
    settled = replace(found, Y=begin.Y)
    if found.left is None:  # an interrupted map settles when it goes on
        rigid = replace(springs, rigid=True)
        settled = settled_after(
            found, lay_out(divergence, begin, pace.settling(), springs=rigid, **told)
        )
    Y = settled.Y.copy()
    springs.hold(Y, done=True)
    unit = 1.0 / max(springs.unit(Y), 1e-300)
    return replace(settled, Y=unit * Y), unit


def settled_after(first: Layout, settled: Layout) -> Layout:
    """A map that settled around what is known, with the steps of the one before.

    Where the settling was interrupted, it begins again when the fit goes on, and what was before
    it does not.
    """
    facts = {**settled.facts, "n_iter_": first.facts["n_iter_"]}
    n_iter: Any = first.facts["n_iter_"]
    again = None if settled.left is None else replace(Moving.at_rest(first.Y), step=n_iter)
    return Layout(settled.Y, facts, again)


def realised(springs: Springs, Y: FloatArray) -> FloatArray:
    """The map with tied rows where their distances fit best, as near to where they are as may be.

    Rows in a plane block each other's way: where the nearest places do not fit, those are tried
    that classical scaling gives to the rows tied together, and taken if they fit better.
    """
    u = springs.unit(Y)
    near = Y.copy()
    springs.hold(near, u=u)
    if springs.misses(near).max() < _FIT:
        return near
    far = _scaled(springs, Y, u)
    springs.hold(far, u=u)
    misses = [float(np.sum(springs.misses(Z) ** 2)) for Z in (near, far)]
    return far if misses[1] < _BETTER * misses[0] else near


def _scaled(springs: Springs, Y: FloatArray, u: float) -> FloatArray:
    """Rows that are tied together, laid out by classical scaling and turned to where they were.

    Distances that are not known are those of the map, as far as known ones let them be.
    """
    n, Z = len(Y), Y.copy()
    graph = sp.csr_array((u * springs.lengths, (springs.left, springs.right)), shape=(n, n))
    _, piece = connected_components(graph, directed=False)
    for which in np.flatnonzero(np.bincount(piece) > 2):
        rows: IntArray = np.flatnonzero(piece == which)
        if len(rows) > _SCALED:
            continue
        own = Y[rows]
        D = np.sqrt(((own[:, None] - own[None]) ** 2).sum(axis=2))
        part = graph[rows][:, rows]
        D = np.minimum(D, dijkstra(for_walks(part), directed=False))
        i, j = part.nonzero()
        D[i, j] = D[j, i] = part.tocoo().data
        K = -0.5 * (D**2 - (D**2).mean(axis=0) - (D**2).mean(axis=1)[:, None] + (D**2).mean())
        pairs = largest_eigenpairs((K + K.T) / 2, min(Y.shape[1], len(K)))
        laid = pairs.vectors * np.sqrt(np.maximum(pairs.values, 0.0))
        laid = np.pad(laid, ((0, 0), (0, Y.shape[1] - laid.shape[1])))
        Z[rows] = laid @ procrustes(laid, own).rotation + own.mean(axis=0)
    return rounded(Z)


def say_how_far(
    report: dict[str, str], springs: Springs | None, Y: FloatArray, *, pinned: bool, who: str
) -> dict[str, str]:
    """Add to what was made of distances how far off they are in the map; warn if that is much."""
    if springs is None:
        return report
    off = springs.misses(Y)
    many = int(np.count_nonzero(off > _WORTH_SAYING))
    if many:
        why = (
            "beside anchors, which are kept exactly, distances pull and are not held. To have them "
            "held leave the anchors out"
            if pinned
            else f"together with the others no map of {Y.shape[1]} dimensions has them. What fits "
            f"them best is kept; correct what is wrong, or raise n_components"
        )
        warn(
            f"{many} of {len(off)} known distances are missed by more than {_WORTH_SAYING:.0%} in "
            f"the map of {who}, by {off.max():.0%} at most: {why}."
        )
    said = f"off by {off.max():.1%} at most, half of them by {np.median(off):.1%} or less"
    return {**report, "Distances": f"{report['Distances']}, {said}"}
