"""Pairs that only differ, in the affinities of a neighbour embedding: territories from both ends.

Nobody is said to be similar, so that every row that is named is a group of its own.  With U the
memberships of rows, by walks that end at named ones, and D who is said to differ,

    p_ij ← p_ij (1 − c Σ_gh U_ig U_jh D_gh).

Half of the named rows are held out at a time: c is how much more often the sum tells two of them
apart that are said to differ than two of which nothing is said.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from sidelight.core import FloatArray, IntArray, comparable, evenly_spaced
from sidelight.estimator.territory import (
    Groups,
    Memberships,
    WalkSettings,
    memberships,
    weaken_between,
)

#: Named rows that a row remembers: each alone says little.  Looked at on 400 digits, cells and wine
#: with all pairs of 20 to 100 rows, draws 10 to 12.
_KEPT = 16
#: At most so many rows of each half are asked.
_ASKED = 500


def weakened_between(
    graph: sp.csr_array, groups: Groups, walks: WalkSettings
) -> tuple[sp.csr_array | None, str]:
    """The graph with edges between rows that differ weakened, and in words; None as it was."""
    m = len(groups.rows)
    only = f"the pairs say only who differs, of {m} rows"
    remember = replace(walks, kept=_KEPT)
    gains = told_apart(graph, groups, remember)
    if len(gains) < walks.few:
        return None, (
            f"not used: {only}, too few to tell whether they predict others. Name more rows, or "
            f"say of some who is similar"
        )
    mean, error = float(gains.mean()), float(gains.std()) / np.sqrt(len(gains))
    if mean <= walks.surely * max(error, 1e-12):
        return None, f"not used: {only}, and do not predict one another better than chance"
    weaker = graph.copy()
    weaken_between(weaker, memberships(graph, groups, remember), groups.differ, mean)
    return weaker, (
        f"{only}: edges between the rows around them are weakened ({mean:.0%} of what is known is "
        f"predicted by the rest)"
    )


def told_apart(graph: sp.csr_array, groups: Groups, settings: WalkSettings) -> FloatArray:
    """How much more often those said to differ from a row held out come before others than after.

    Of rows that differ from some and not from all.
    """
    order = np.random.default_rng(0).permutation(len(groups.rows))
    found: list[float] = []
    for first in (0, 1):
        held = np.zeros(len(order), dtype=np.bool_)
        held[order[first::2]] = True
        asked = np.flatnonzero(held)
        asked = asked[evenly_spaced(len(asked), _ASKED)]
        U = _table(memberships(graph, groups.take(~held), settings), groups, asked)
        apart = comparable((U @ groups.differ @ U.T).toarray())
        said = groups.differ[groups.group[asked]][:, groups.group[asked]].toarray() > 0
        others = ~said & ~np.eye(len(asked), dtype=np.bool_)
        for row in np.flatnonzero(said.any(axis=1) & others.any(axis=1)):
            far, near = apart[row, said[row]], apart[row, others[row]]
            found.append(float(np.sign(far[:, None] - near).mean()))
    return np.array(found)


def _table(found: Memberships, groups: Groups, asked: IntArray) -> sp.csr_array:
    """U of some named rows, all groups side by side."""
    rows = groups.rows[asked]
    row, slot = np.nonzero(found.groups[rows] >= 0)
    shares, columns = found.shares[rows][row, slot], found.groups[rows][row, slot]
    return sp.csr_array((shares, (row, columns)), shape=(len(rows), groups.n))
