"""Compiled loop: a step of walks that meet many groups, of which each row remembers a few."""

from __future__ import annotations

import numpy as np

from sidelight.core.compiler import njit


@njit(cache=True, nogil=True)
def step_on(walk, own, before, restart, first, last, after):  # type: ignore[no-untyped-def]
    """H ← (1 − r) T H + r S for the rows ``first : last``, the largest entries of each alone.

    ``walk`` is T, ``own`` the group of every row, -1 for none, and how many there are; ``before``
    and ``after`` are the groups that rows remember, -1 for none, and their H, the largest first.
    """
    indptr, indices, weights = walk
    groups, values = before
    n_groups, kept = own[1], groups.shape[1]
    met, sums = np.empty(n_groups, dtype=np.int64), np.zeros(n_groups)
    there = np.zeros(n_groups, dtype=np.bool_)
    for i in range(first, last):
        n_met = 0
        for edge in range(indptr[i], indptr[i + 1]):
            j, weight = indices[edge], (1.0 - restart) * weights[edge]
            for slot in range(kept):
                group = groups[j, slot]
                if group < 0:
                    break
                if not there[group]:
                    there[group] = True
                    met[n_met] = group
                    n_met += 1
                sums[group] += weight * values[j, slot]
        group = own[0][i]
        if group >= 0:
            if not there[group]:
                there[group] = True
                met[n_met] = group
                n_met += 1
            sums[group] += restart
        _remember(met, n_met, sums, after[0][i], after[1][i])
        for place in range(n_met):
            sums[met[place]], there[met[place]] = 0.0, False


@njit(cache=True, nogil=True)
def _remember(met, n_met, sums, groups, values):  # type: ignore[no-untyped-def]
    """Keep the groups of the largest sums, the largest first; of equal ones the first group."""
    kept, n = len(groups), 0
    for place in range(n_met):
        group, value = met[place], sums[met[place]]
        if n == kept and not _before(group, value, groups[n - 1], values[n - 1]):
            continue
        n = min(n + 1, kept)
        slot = n - 1
        while slot > 0 and _before(group, value, groups[slot - 1], values[slot - 1]):
            groups[slot], values[slot] = groups[slot - 1], values[slot - 1]
            slot -= 1
        groups[slot], values[slot] = group, value
    for slot in range(n, kept):
        groups[slot], values[slot] = -1, 0.0


@njit(cache=True, nogil=True)
def _before(group, value, other, its):  # type: ignore[no-untyped-def]
    return value > its or (value == its and group < other)
