"""Three decisions, none of which sees a label: whether, how far, and whether it was enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidelight.core import FloatArray, IntArray, comparable, evenly_spaced
from sidelight.metric.factor.settings import RemovalSettings
from sidelight.metric.factor.shifts import Shifts
from sidelight.neighbors import nearest_neighbors
from sidelight.solvers import agreement_beyond_chance, agreement_in_codes


def agreement_of_neighbors(Y: FloatArray, phi: FloatArray, settings: RemovalSettings) -> float:
    """By how many standard deviations neighbours agree in the factor more than shuffled ones do.

    The agreement is the mean of ⟨φ_i, φ_j⟩ over neighbours i, j.
    """
    rows = evenly_spaced(len(Y), settings.gate_rows)
    Y, phi = Y[rows], phi[rows]
    near = nearest_neighbors(Y, min(settings.neighbors, len(Y) - 1)).indices
    scaled = phi / np.maximum(np.sqrt(np.mean(phi**2, axis=0)), 1e-300)
    return agreement_beyond_chance(agreement_in_codes(scaled, near), len(Y), settings.shuffles)


def quantisation(shifts: Shifts, Y: FloatArray, phi: FloatArray) -> FloatArray:
    """The logarithm of the squared distance of each row to the nearest prototype, shifted."""
    return np.asarray(np.log(np.maximum(shifts.squared(Y, phi).min(axis=1), 1e-300)))


def tells_as_well(
    stiff: Shifts,
    bent: Shifts,
    Y: FloatArray,
    phi: FloatArray,
    groups: Sequence[IntArray],
    settings: RemovalSettings,
) -> bool:
    """Whether shifts that depend on the kind tell held-out rows as well, and keep their order."""
    loss = quantisation(bent, Y, phi) - quantisation(stiff, Y, phi)
    if loss.mean() > settings.errors * loss.std() / np.sqrt(len(loss)):
        return False
    clean = Y - bent.of(Y, phi)
    return min(_order_kept(Y, clean, group) for group in groups) >= settings.ranks


def separation_of(Y: FloatArray, groups: IntArray) -> float:
    """The distance to the nearest row of another value over that to the nearest of the own."""
    values, counts = np.unique(groups, return_counts=True)
    values = values[counts > 1]
    if len(values) < 2:
        return 1.0
    kept = np.flatnonzero(np.isin(groups, values))
    ratios = []
    for value in values:
        own, others = kept[groups[kept] == value], kept[groups[kept] != value]
        # as many of either: more would be nearer by their number alone
        few = min(len(own) - 1, len(others))
        own, others = (
            rows[evenly_spaced(len(rows), count)] for rows, count in ((own, few + 1), (others, few))
        )
        near = nearest_neighbors(Y[own], 1).distances[:, 0]
        far = nearest_neighbors(Y[others], 1, queries=Y[own]).distances[:, 0]
        ratios.append(np.log(np.maximum(far, 1e-300) / np.maximum(near, 1e-300)))
    return float(np.exp(np.median(np.concatenate(ratios))))


def _order_kept(before: FloatArray, after: FloatArray, groups: IntArray) -> float:
    """The rank correlation of distances among rows of one value, before and after."""
    from scipy.stats import rankdata  # the whole of it takes a while

    order = np.argsort(groups, kind="stable")
    pairs = [
        np.column_stack([order[:-gap], order[gap:]])
        for gap in (1, 2, 3, 5, 8, 13)
        if gap < len(order)
    ]
    both = np.vstack(pairs)
    both = both[groups[both[:, 0]] == groups[both[:, 1]]]
    if len(both) < 3:
        return 1.0
    ranks = [
        rankdata(comparable(np.linalg.norm(Z[both[:, 0]] - Z[both[:, 1]], axis=1)))
        for Z in (before, after)
    ]
    return float(np.asarray(np.corrcoef(ranks))[0, 1])
