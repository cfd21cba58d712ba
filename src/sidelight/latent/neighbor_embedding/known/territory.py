"""What pairs say about rows that they do not name: the territories of groups in the graph.

Rows that belong together are a group.  A row belongs to the groups that a random walk from it meets
first: with T the steps between neighbours and S the rows that are named,

    H ← (1 − r) T H + r S,   U_ig = H_ig / (Σ_h H_ih + ε).

An edge between rows of groups that are said to differ is weakened by how much they do, and every
row is pulled a little by a few others of its own group.  Both are as strong as the knowledge is
true: rows that are named are held out in turn, and their groups foretold from the other rows.
What foretells nothing is not used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, IntArray, row_blocks
from sidelight.latent.neighbor_embedding.affinities import Affinities
from sidelight.side import Pairs


@dataclass(frozen=True)
class TerritorySettings:
    """How territories are found, and how much they count.

    Set on digits 0 to 4,000 of MNIST with 200 labels, draws 100 and 101.

    Parameters
    ----------
    restart : float
        r, the chance that a walk ends at each step.
    steps : int
        Of a walk.
    kept : int
        Groups of a row that are kept.
    doubt : float
        ε, as a share of the mean of Σ_h H_ih.
    pulled_by : int
        Others of its group that pull a row,
    pull : float
        with so much of its attraction in all.
    between_pairs : float
        The pull of the rows that are named together with a row.
    surely : float
        Knowledge is used if it foretells the groups of rows held out by so many standard errors
        better than chance,
    few : int
        unless it names fewer rows, which cannot be judged: their pairs then pull, and no more.
    """

    restart: float = 0.1
    steps: int = 20
    kept: int = 4
    doubt: float = 0.1
    pulled_by: int = 3
    pull: float = 0.3
    between_pairs: float = 0.3
    surely: float = 3.0
    few: int = 20


SETTINGS = TerritorySettings()


@dataclass(frozen=True)
class Groups:
    """Which of the rows that are named belong together, and which groups differ.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        The rows.
    group : ndarray of shape (m,)
        The group of each.
    differ : csr_array of shape (g, g)
        Whether two groups are said to differ.
    """

    rows: IntArray
    group: IntArray
    differ: sp.csr_array

    @property
    def n(self) -> int:
        """How many groups."""
        return int(self.differ.shape[0])


def groups_of(pairs: Pairs) -> Groups:
    """Put together what similar pairs join; dissimilar ones say which groups differ."""
    rows = pairs.rows
    similar, dissimilar = (np.searchsorted(rows, p) for p in (pairs.similar, pairs.dissimilar))
    m = len(rows)
    joined = sp.csr_array((np.ones(len(similar)), (similar[:, 0], similar[:, 1])), shape=(m, m))
    n_groups, group = connected_components(joined, directed=False)
    left, right = group[dissimilar[:, 0]], group[dissimilar[:, 1]]
    apart = left != right
    half = sp.csr_array(
        (np.ones(apart.sum()), (left[apart], right[apart])), shape=(n_groups, n_groups)
    )
    differ = sp.csr_array(half + half.T)
    differ.data[:] = 1.0
    return Groups(rows, group.astype(np.intp), differ)


@dataclass(frozen=True)
class Memberships:
    """To which groups rows belong.

    Parameters
    ----------
    groups : ndarray of shape (n, kept)
        The groups that count most, -1 for none.
    shares : ndarray of shape (n, kept)
        U of each.
    """

    groups: IntArray
    shares: FloatArray


def memberships(
    graph: sp.csr_array,
    rows: IntArray,
    group: IntArray,
    n_groups: int,
    settings: TerritorySettings = SETTINGS,
) -> Memberships:
    """Walk from every row, and tell whose rows are met: the few groups that count most."""
    n, kept = graph.shape[0], min(settings.kept, n_groups)
    T = graph.astype(np.float64)
    mass = np.asarray(T.sum(axis=1)).ravel()
    T.data *= np.repeat(1.0 / np.maximum(mass, 1e-300), np.diff(graph.indptr))
    best = np.zeros((n, kept))
    which = np.full((n, kept), -1, dtype=np.intp)
    total = np.zeros(n)
    for block in row_blocks(n_groups, 24.0 * n):
        names = np.arange(n_groups)[block]
        S = np.zeros((n, len(names)))
        inside = (group >= names[0]) & (group <= names[-1])
        S[rows[inside], group[inside] - names[0]] = 1.0
        H = settings.restart * S
        for _ in range(settings.steps):
            H = (1.0 - settings.restart) * (T @ H) + settings.restart * S
        total += H.sum(axis=1)
        values = np.hstack([best, H])
        labels = np.hstack([which, np.broadcast_to(names, H.shape)])
        order = np.argsort(-values, axis=1, kind="stable")[:, :kept]
        best, which = (np.take_along_axis(a, order, axis=1) for a in (values, labels))
    shares = best / np.maximum(total + settings.doubt * total.mean(), 1e-300)[:, None]
    return Memberships(np.where(shares > 0, which, -1), shares)


def foretold(
    graph: sp.csr_array, groups: Groups, settings: TerritorySettings = SETTINGS
) -> tuple[float, float]:
    """How well groups of rows are foretold by the others: 0 as by chance, 1 surely; and how sure.

    Half of the rows is held out at a time.
    """
    score, chance = [], []
    m = len(groups.rows)
    frequency = np.bincount(groups.group, minlength=groups.n) / m
    # halves that cut every group, as evenly as it goes
    order = np.argsort(groups.group, kind="stable")
    half = np.empty(m, dtype=np.bool_)
    half[order] = np.arange(m) % 2 == 0
    for held in (half, ~half):
        seen = ~held
        if not seen.any() or not held.any():
            return 0.0, 0.0
        found = memberships(graph, groups.rows[seen], groups.group[seen], groups.n, settings)
        named, shares = found.groups[groups.rows[held]], found.shares[groups.rows[held]]
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        own = groups.group[held][:, None]
        score.append(np.sum(shares * (named == own), axis=1))
        chance.append(np.sum(shares * np.where(named >= 0, frequency[named], 0.0), axis=1))
    gain = np.concatenate(score) - np.concatenate(chance)
    room = max(1.0 - float(np.mean(np.concatenate(chance))), 1e-12)
    error = float(gain.std()) / np.sqrt(m)
    mean = float(gain.mean())
    return float(np.clip(mean / room, 0.0, 1.0)), mean / max(error, 1e-12)


def in_territories(
    P: Affinities, pairs: Pairs, settings: TerritorySettings = SETTINGS
) -> tuple[Affinities, str]:
    """Affinities that listen to pairs, and in words how far they do."""
    from sidelight.latent.neighbor_embedding.known._territory_compiled import weaken

    groups = groups_of(pairs)
    share, sure = foretold(P.graph, groups, settings)
    graph, n = P.graph.copy(), P.n
    if sure > settings.surely:
        found = memberships(P.graph, groups.rows, groups.group, groups.n, settings)
        edges = (graph.indptr, graph.indices, graph.data)
        differ = (groups.differ.indptr, groups.differ.indices)
        weaken(*edges, found.groups, found.shares, *differ, share)
        graph = sp.csr_array(graph + _pulls(found, n, settings.pull * share, settings.pulled_by))
        said = (
            f"{groups.n} groups of {len(groups.rows)} rows: edges between groups that differ are "
            f"weakened, rows are pulled by others of their group ({share:.0%} of what is known is "
            f"foretold by the rest)"
        )
    elif len(groups.rows) >= settings.few:
        return P, (
            f"not used: the {len(groups.rows)} rows that are named do not foretell one another's "
            f"groups better than chance"
        )
    else:
        said = f"{len(groups.rows)} rows are too few to speak for others: similar ones are pulled"
    graph = sp.csr_array(graph + _between(pairs.similar, n, settings.between_pairs))
    graph.data *= np.float32(n / graph.data.sum(dtype=np.float64))
    graph.sort_indices()
    return Affinities(sp.csr_array(graph.astype(np.float32))), said


def pairs_of_points(pairs: Pairs, inverse: IntArray) -> Pairs | None:
    """Pairs of rows as pairs of distinct points; those of copies say nothing."""
    similar, dissimilar = (inverse[p] for p in (pairs.similar, pairs.dissimilar))
    similar, dissimilar = (p[p[:, 0] != p[:, 1]] for p in (similar, dissimilar))
    if not len(similar) and not len(dissimilar):
        return None
    return Pairs(similar=similar, dissimilar=dissimilar)


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
