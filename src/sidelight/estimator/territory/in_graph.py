"""Pairs in the graph of a method: rows of groups that differ are farther apart, so that each finds
its neighbours within its own.

    d_ij ← d_ij (1 + c Σ_gh U_ig U_jh D_gh),

with U the memberships of rows in groups and D how surely two groups differ: as surely as rows that
are held out are told apart.  The k nearest are then chosen anew among the 3k that were.

The map itself is the judge.  It is made of what half of the named rows say, and the other half is
foretold in it, and in the map without; and what is said is used where the map foretells more *and*
keeps no fewer of the neighbours that rows have in the data.  A map that already shows what is said
is left as it is, and so is one that would only show what is said.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from sidelight.core import DisconnectedGraphError, DisconnectedGraphWarning, FloatArray
from sidelight.estimator.in_order import with_adjacent
from sidelight.estimator.map import Map
from sidelight.estimator.neighborhood import Neighborhood, held_together
from sidelight.estimator.territory.differences import lengthen_between
from sidelight.estimator.territory.groups import Groups, groups_of, pairs_of_points
from sidelight.estimator.territory.judge import foretells_more, neighbors_in, walks_along
from sidelight.estimator.territory.memberships import (
    WALKS,
    Memberships,
    foretold,
    held_out,
    memberships,
)
from sidelight.neighbors import Neighbors, arrows_to, nearest_neighbors, symmetrise
from sidelight.side import Pairs


@dataclass(frozen=True)
class StretchSettings:
    """How far groups move apart, and when.

    Set on 400 rows of digits, cells, wine, breast cancer and faces with 20 to 150 labels, draws 300
    to 347.

    Parameters
    ----------
    stretch : float
        c: distances between groups that surely differ grow by so many times.  With 1.5 rows that
        nobody named gain 0.13 on average, not 0.16 (Isomap of digits, draws 500 to 503).
    among : int
        Neighbours are chosen anew among so many times as many.
    like_all : float
        Rows that speak for how surely all groups differ, beside those of two groups.  Groups of
        some rows do not ask for it: from 0.01 to 1,000 as many neighbours are of the own class.
    """

    stretch: float = 10.0
    among: int = 3
    like_all: float = 4.0


STRETCH = StretchSettings()
#: What is said where the map is left as it is.
NO_GAIN = "not used: with it the map predicts the groups of rows no better"
Embedding = Callable[[Neighborhood], Map]


@dataclass(frozen=True)
class Territories:
    """The neighbourhood of the data, and what is said of some of its points.

    Parameters
    ----------
    near : Neighborhood
        Without what is said.
    groups : Groups
        What is said.
    on_disconnected : str
        What to do where the graph falls apart.
    mutual : bool
        Whether either of two points may choose the other.
    settings : StretchSettings
        How far groups move apart.
    """

    near: Neighborhood
    groups: Groups
    on_disconnected: str
    mutual: bool
    settings: StretchSettings = STRETCH

    def neighborhood(self, groups: Groups) -> Neighborhood:
        """The neighbourhood in which groups that differ are farther apart."""
        near, walks = self.near, walks_along(self.near.graph)
        differ = surely_different(held_out(walks, groups), groups, self.settings.like_all)
        told = (memberships(walks, groups), differ, self.settings.stretch)
        k = near.reach.k
        if k is None or not near.points.complete:
            arrows, graph = near.arrows.copy(), near.graph.copy()
            lengthen_between(arrows, *told)
            lengthen_between(graph, *told)
        else:
            arrows = arrows_to(near.points.nearest(min(self.settings.among * k, near.n - 1)))
            arrows.sort_indices()
            lengthen_between(arrows, *told)
            chosen = _nearest_of(arrows, k)
            arrows = arrows_to(chosen)
            graph = symmetrise(chosen) if self.mutual else arrows
        lengths = near.points.lengths(*near.order.pairs.T) if len(near.order.pairs) else np.empty(0)
        graph, arrows = with_adjacent(graph, arrows, near.order.pairs, lengths)
        whole = not near.pieces.any()
        policy = "connect" if whole else self.on_disconnected
        found = held_together(near.points, near.distinct, near.reach, graph, arrows, policy)
        pieces = near.pieces if whole else found.pieces
        return replace(found, pieces=pieces, recall=near.recall, order=near.order)

    def kept(self, Z: FloatArray) -> float:
        """The share of the neighbours in the data that are neighbours in a map."""
        arrows = self.near.arrows
        there = arrows_to(nearest_neighbors(Z, neighbors_in(len(Z))))
        both = sp.csr_array((np.ones(arrows.nnz), arrows.indices, arrows.indptr), arrows.shape)
        there.data[:] = 1.0
        return float((both * there).sum()) / max(arrows.nnz, 1)

    def places(self, embed: Embedding, groups: Groups) -> FloatArray:
        """The map that is told of some groups."""
        return self.points_of(embed(self.neighborhood(groups)))

    def points_of(self, found: Map) -> FloatArray:
        """The places of the distinct points."""
        assert found.points is not None
        return np.asarray(found.points[self.near.distinct.rows])


def map_in_territories(
    near: Neighborhood, pairs: Pairs, embed: Embedding, on_disconnected: str, *, mutual: bool
) -> tuple[Map, str] | None:
    """The map that listens to pairs, and what they did; None where they do it no good."""
    named = pairs_of_points(pairs, near.distinct.inverse)
    if named is None:
        return None
    groups = groups_of(named)
    if np.count_nonzero(groups.sizes > 1) < WALKS.few:
        return None
    share, sure = foretold(walks_along(near.graph), groups)
    if sure <= WALKS.surely:
        return None
    here = Territories(near, groups, on_disconnected, mutual)
    plain = here.points_of(embed(near))
    if not np.isfinite(plain).all():
        return None
    try:
        with uncomplaining():
            gains = foretells_more(groups, plain, lambda seen: here.places(embed, seen))
            found = embed(here.neighborhood(groups)) if gains else None
    except DisconnectedGraphError:  # by what is said, which the user need not know
        return None
    if found is None:
        return None
    kept, before = here.kept(here.points_of(found)), here.kept(plain)
    if kept < before:
        return None
    return found, (
        f"{groups.n} groups of {len(groups.rows)} rows: rows of groups that differ are farther "
        f"apart ({share:.0%} of what is known is predicted by the rest; the map keeps {kept:.0%} "
        f"of the neighbours, {before:.0%} without)"
    )


@contextmanager
def uncomplaining() -> Iterator[None]:
    """Keep still about a graph that falls apart: what is said has cut it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DisconnectedGraphWarning)
        yield


def surely_different(told: Memberships, groups: Groups, like_all: float) -> sp.csr_array:
    """How surely groups that are said to differ do: 1 − 2 × the share that is taken for the other.

    Of few rows the share is drawn to that of all groups.
    """
    row, column = np.nonzero(told.groups >= 0)
    taken = sp.csr_array(
        (told.shares[row, column], (groups.group[row], told.groups[row, column])),
        shape=(groups.n, groups.n),
    )
    own = taken.diagonal()
    wrong = 1.0 - own.sum() / max(float(taken.sum()), 1e-300)
    each = wrong / max(groups.n - 1, 1)
    usual = each / max(1.0 - wrong + each, 1e-300)
    differ = sp.coo_array(groups.differ)
    g, h = differ.coords
    if not len(g):  # what is only alike; and no entries of a sparse array are one of no shape
        return sp.csr_array(differ.shape)
    crossed = np.asarray(taken[g, h]).ravel() + np.asarray(taken[h, g]).ravel()
    share = (crossed + like_all * usual) / (own[g] + own[h] + crossed + like_all)
    return sp.csr_array((np.clip(1.0 - 2.0 * share, 0.0, 1.0), (g, h)), shape=differ.shape)


def _nearest_of(arrows: sp.csr_array, k: int) -> Neighbors:
    """The k nearest of as many candidates in every row; ties by index."""
    n = arrows.shape[0]
    lengths, indices = arrows.data.reshape(n, -1), arrows.indices.reshape(n, -1)
    order = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    return Neighbors(
        np.take_along_axis(indices, order, axis=1), np.take_along_axis(lengths, order, axis=1)
    )
