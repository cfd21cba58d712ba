"""What pairs say about rows that they do not name, in the affinities of a neighbour embedding.

An edge between rows of groups that are said to differ is weakened by how much they do, and every
row is pulled a little by a few others of its own group.  Both are as strong as the knowledge is
true: rows that are named are held out in turn, and their groups foretold from the other rows.
What foretells nothing is not used.  Pairs that only differ have territories of their own
(:mod:`~sidelight.latent.neighbor_embedding.known.apart`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sidelight.core import IntArray
from sidelight.estimator.territory import (
    WALKS,
    Groups,
    Memberships,
    WalkSettings,
    groups_of,
    memberships,
    read_and_foretold,
    weaken_between,
)
from sidelight.latent.neighbor_embedding.affinities import Affinities
from sidelight.latent.neighbor_embedding.known.apart import weakened_between
from sidelight.side import Pairs


@dataclass(frozen=True)
class PullSettings:
    """How much territories count.

    Set on digits 0 to 4,000 of MNIST with 200 labels, draws 100 and 101; ``near`` and ``pull`` on
    400 digits, also of MNIST, cells and faces with 50 and 200 labels, draws 1000 to 1011.

    Parameters
    ----------
    near : float
        Effective neighbours that rows walk to: fewer than a map shows lead less often astray.
    pulled_by : int
        Others of its group that pull a row,
    pull : float
        with so much of its attraction in all,
    pull_of_twos : float
        or so much where groups are of two, as pairs make them.
    between_pairs : float
        The pull of the rows that are named together with a row.
    """

    near: float = 5.0
    pulled_by: int = 3
    pull: float = 0.1
    pull_of_twos: float = 0.3
    between_pairs: float = 0.3


PULLS = PullSettings()


def in_territories(
    P: Affinities,
    pairs: Pairs,
    paths: Callable[[], Affinities] | None = None,
    settings: PullSettings = PULLS,
    walks: WalkSettings = WALKS,
) -> tuple[Affinities, str]:
    """Affinities that listen to pairs, and in words how far they do.

    Rows walk along ``paths``, where they can be made and groups are large.
    """
    groups = groups_of(pairs)
    if groups.n == len(groups.rows):
        weaker, said = weakened_between(P.graph, groups, walks)
        return (P if weaker is None else _as_strong(weaker, P.n)), said
    cannot = _why_not_judged(groups, walks)
    if cannot is not None:
        return P, f"not used: {cannot}"
    if len(groups.rows) < walks.few:
        said = (
            f"{len(groups.rows)} rows are too few to speak for others: similar ones pull each other"
        )
        return pulled_together(P, pairs.similar, settings), said
    large = groups.are_large
    steps = P.graph if paths is None or not large else paths().graph
    reading, share, sure = read_and_foretold(steps, groups, walks)
    if sure <= walks.surely:
        return P, (
            f"not used: the {len(groups.rows)} rows that are named do not predict one another's "
            f"groups better than chance"
        )
    graph, found = P.graph.copy(), memberships(steps, groups, walks, reading)
    weaken_between(graph, found, groups.differ, share)
    pull = (settings.pull if large else settings.pull_of_twos) * share
    graph = sp.csr_array(graph + _pulls(found, P.n, pull, settings.pulled_by))
    said = (
        f"{groups.n} groups of {len(groups.rows)} rows: edges between groups that differ are "
        f"weakened, rows are pulled by others of their group ({share:.0%} of what is known is "
        f"predicted by the rest)"
    )
    return pulled_together(Affinities(graph), pairs.similar, settings), said


def _why_not_judged(groups: Groups, walks: WalkSettings) -> str | None:
    """Why rows cannot foretell one another's groups at all, if so."""
    m = len(groups.rows)
    if groups.n == 1 and m >= walks.few:
        return (
            f"all {m} rows that are named are of one group, so that there is no other to tell it "
            f"from. Name rows of another group, or pairs that differ"
        )
    return None


def pulled_together(P: Affinities, pairs: IntArray, settings: PullSettings = PULLS) -> Affinities:
    """Affinities with a pull between the points of pairs, the whole as strong as before."""
    return _as_strong(sp.csr_array(P.graph + _between(pairs, P.n, settings.between_pairs)), P.n)


def _as_strong(graph: sp.csr_array, n: int) -> Affinities:
    """Affinities that attract as much as any of n rows."""
    graph.data *= np.float32(n / graph.data.sum(dtype=np.float64))
    graph.sort_indices()
    return Affinities(sp.csr_array(graph.astype(np.float32)))


def _pulls(found: Memberships, n: int, pull: float, k: int) -> sp.csr_array:
    """Edges from every row to a few others of the group it belongs to most."""
    rng = np.random.default_rng(0)
    group, share = found.groups[:, 0], found.shares[:, 0]
    members = np.flatnonzero(group >= 0)
    order = members[np.argsort(group[members], kind="stable")]
    counts = np.bincount(group[members])
    starts = np.cumsum(counts) - counts
    left = np.repeat(members, k)
    drawn = (rng.random(len(left)) * counts[group[left]]).astype(np.intp)
    right = order[starts[group[left]] + drawn]
    weight = (0.5 * pull / k) * share[left] * share[right]
    weight[left == right] = 0.0
    half = sp.csr_array((weight.astype(np.float32), (left, right)), shape=(n, n))
    return sp.csr_array(half + half.T)


def _between(similar: IntArray, n: int, pull: float) -> sp.csr_array:
    """Edges between rows that are named together: each row is pulled as much in all."""
    ones = np.ones(len(similar), dtype=np.float32)
    half = sp.csr_array((ones, (similar[:, 0], similar[:, 1])), shape=(n, n))
    both = sp.csr_array(half + half.T)
    degree = np.maximum(np.asarray(both.sum(axis=1)).ravel(), 1.0)
    rows = np.repeat(np.arange(n), np.diff(both.indptr))
    both.data = (pull / np.sqrt(degree[rows] * degree[both.indices])).astype(np.float32)
    return both
