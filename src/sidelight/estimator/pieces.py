"""Maps of graphs in pieces: the largest alone, or all of them side by side on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.estimator.map import Map, of_all_rows
from sidelight.estimator.neighborhood import Neighborhood
from sidelight.estimator.placing import ByDistances
from sidelight.estimator.points import Points
from sidelight.mapping import Nystrom, lay_out, scale_kernel
from sidelight.neighbors import nearest_stored
from sidelight.similarity import Centring, geodesic_distances_of_new, kernel_from_distances

#: The gap between two pieces, relative to the largest; of many they take no more room than it.
_GAP = 0.15

Embedding = Callable[[Neighborhood], Map]


def map_of_neighborhood(
    near: Neighborhood, embed: Embedding, n_components: int, on_disconnected: str
) -> Map:
    """Embed a neighbourhood, or its pieces one by one where the policy left it in pieces."""
    pieces = near.pieces[near.distinct.inverse]
    if not near.apart:
        found = of_all_rows(embed(near), near.points, near.distinct)
    else:
        found = _side_by_side(near, embed, n_components, on_disconnected)
    return found.with_facts(pieces_=pieces, neighbors_recall_=near.recall)


def _side_by_side(
    near: Neighborhood, embed: Embedding, n_components: int, on_disconnected: str
) -> Map:
    alone = on_disconnected == "largest"
    last = 0 if alone else int(near.pieces.max())
    members = [np.flatnonzero(near.pieces == piece) for piece in range(last + 1)]
    maps = [_map_of_piece(near.take(points), embed, n_components) for points in members]
    offsets = _offsets([found.points for found in maps])
    places = np.full((near.n, n_components), np.nan)
    for points, found, offset in zip(members, maps, offsets, strict=True):
        places[points] = found.points + offset
    placing = InPieces(near.points, near.pieces, tuple(members), tuple(maps), offsets)
    if alone:
        others = np.flatnonzero(near.pieces != 0)
        places[others] = placing(near.points.as_new(others))
    whole = Map(places, placing, dict(maps[0].facts))
    return of_all_rows(whole, near.points, near.distinct)


def _offsets(maps: list[FloatArray]) -> FloatArray:
    """What moves maps beside each other: along a line, or packed in the plane of the first two.

    The first map stays where it is.
    """
    d = min(2, maps[0].shape[1])
    low = np.array([Z[:, :d].min(axis=0) for Z in maps])
    sizes = np.array([np.ptp(Z[:, :d], axis=0) for Z in maps])
    gap = min(_GAP, 1.0 / np.sqrt(len(maps))) * float(sizes[0].max() or sizes.max())
    if d == 1:
        ends = np.cumsum(sizes[:, 0] + gap)
        corners = (ends - sizes[:, 0] - gap)[:, None]
    else:
        corners = lay_out(sizes, gap)
    offsets = np.zeros((len(maps), maps[0].shape[1]))
    offsets[1:, :d] = low[0] + corners[1:] - low[1:]
    return offsets


def _map_of_piece(near: Neighborhood, embed: Embedding, n_components: int) -> Map:
    """A piece of too few points for neighbours is scaled by its distances."""
    if near.n > n_components + 1:
        return embed(near)
    return classical_map(near.points, near.counts, n_components)


def classical_map(points: Points, counts: IntArray, n_components: int) -> Map:
    """Classical scaling of a few points, along the graph where that is all there is."""
    d = min(n_components, points.n)
    K = kernel_from_distances(points.along_paths())
    centring = Centring.of(K, counts)
    pairs, places = scale_kernel(K, centring, d, who=points.who)
    values = np.pad(pairs.values, (0, n_components - d))
    places = np.pad(places, ((0, 0), (0, n_components - d)))
    rule = ByDistances(Nystrom(centring, places, values), points)
    place = rule if points.complete else AlongGraph(rule, points)
    return Map(places, place, {"eigenvalues_": values})


@dataclass(frozen=True)
class AlongGraph:
    """New points of a graph, placed by their distances along it.

    Parameters
    ----------
    rule : ByDistances
        For tables of distances.
    among : Points
        The points.
    """

    rule: ByDistances
    among: Any

    def __call__(self, new: Any) -> FloatArray:
        """Place new points by the lengths of paths to all points."""
        near = nearest_stored(new.rows)
        D = geodesic_distances_of_new(self.among.rows, *near, who=self.among.who)
        return self.rule.nystrom(kernel_from_distances(D))


@dataclass(frozen=True)
class InPieces:
    """Maps side by side: a new point goes to the map of its nearest point's piece.

    Parameters
    ----------
    among : Points
        The distinct points of all pieces.
    pieces : ndarray of shape (n,)
        The piece of each.
    members : tuple of ndarray
        The points of every piece that has a map.
    maps : tuple of Map
        The maps, each of its own points.
    offsets : ndarray of shape (n_maps, d)
        Where they lie.
    """

    among: Any
    pieces: IntArray
    members: tuple[IntArray, ...]
    maps: tuple[Map, ...]
    offsets: FloatArray

    def __call__(self, new: Any) -> FloatArray:
        """Place new points; at NaN where no edge of a graph leads to a piece with a map."""
        places = np.full((new.n, self.offsets.shape[1]), np.nan)
        home = self._home(new)
        for piece, (points, found) in enumerate(zip(self.members, self.maps, strict=True)):
            rows = np.flatnonzero(home == piece)
            if len(rows):
                assert found.place is not None
                places[rows] = found.place(new.seen_from(points, rows)) + self.offsets[piece]
        return places

    def _home(self, new: Any) -> IntArray:
        if len(self.maps) == 1:
            return np.where(new.reaches(self.members[0]), 0, -1)
        return np.asarray(self.pieces[self.among.nearest(1, new).indices[:, 0]])
