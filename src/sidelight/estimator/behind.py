"""Side information that acts behind: the finished map is brought to where it is wanted.

First the similarity that brings the anchored rows nearest to their positions, which changes nothing
that the map says.  Then, where they have to be met exactly, a warp: of those that neither fold the
map nor stretch it much the one that foretells anchors left out best, and what it leaves is made up
by moving the anchored rows alone.  Where the map explains the positions no better than it explains
them in another order, there is no warp, and the others stay where they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from sidelight.core import (
    FloatArray,
    IntArray,
    as_dense,
    evenly_spaced,
    is_sparse,
    require_memory,
    warn,
)
from sidelight.mapping import Pull, Similarity, Warp
from sidelight.quality import procrustes
from sidelight.side import Anchors, name_rows


@dataclass(frozen=True)
class BendingSettings:
    """How far a finished map may be bent; the experiment anchors_behind says which draws set it.

    Parameters
    ----------
    radii : tuple of float
        Radii of warps to try, in parts of the map's spread, widest first.
    noises : tuple of float
        How little anchors are met, to try where no warp meets them all.
    least : float
        No direction may shrink to less than this, anywhere among the rows.
    most : float
        None may grow to more.
    judged_from : int
        So many anchors can be compared with themselves in another order.
    orders : int
        In how many other orders.
    doubt : float
        The share of them that may agree with the map as well.
    """

    radii: tuple[float, ...] = (4.0, 2.0, 1.0, 0.5, 0.25)
    noises: tuple[float, ...] = (0.001, 0.01, 0.1, 1.0)
    least: float = 0.1
    most: float = 10.0
    judged_from: int = 5
    orders: int = 199
    doubt: float = 0.05


SETTINGS = BendingSettings()
#: Off by less than this part of the anchors' extent is not off.
_MET = 1e-12
#: Places nearer to one another than this part of their coordinates are one.
_TOGETHER = 1e-14
#: Places of the map that a warp is judged at.
_JUDGED_AT = 1000


@dataclass(frozen=True)
class Brought:
    """The way from a method's own map to where it is wanted.

    Parameters
    ----------
    steps : tuple of Similarity, Warp or Pull
        One after the other.
    """

    steps: tuple[Any, ...]

    @property
    def turn(self) -> Similarity:
        """The similarity that every way begins with."""
        first: Similarity = self.steps[0]
        return first

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Bring places there; those that are nowhere stay nowhere."""
        Z = np.asarray(Z, dtype=np.float64)
        for step in self.steps:
            Z = step(Z)
        return Z

    def undo(self, Z: FloatArray, *, who: str = "The map") -> FloatArray:
        """Bring places back."""
        Z = np.asarray(Z, dtype=np.float64)
        try:
            for step in reversed(self.steps):
                Z = step.undo(Z)
        except ValueError as error:  # where a warp folds
            raise ValueError(f"{who} has no places of its own for Z. {error}") from error
        return Z

    def jacobian(self, Z: FloatArray) -> FloatArray:
        """The derivative at places of the method's own map, (n, d, d)."""
        J = self.steps[0].jacobian(Z)
        for before, step in pairwise(self.steps):
            Z = before(Z)
            J = step.jacobian(Z) @ J
        return np.asarray(J)


def bring(points: FloatArray, anchors: Anchors, *, who: str) -> tuple[Brought, str]:
    """Bring a map to anchors; give the way there, and what was changed."""
    rows, targets = _distinct_anchors(points, anchors, who)
    turn = best_similarity(points[rows], targets)
    extent = _size(targets) or 1.0
    away = _off(turn(points[rows]), targets)
    told = f"turned and scaled, and then off by {away / extent:.3g} of their extent"
    if not anchors.exact or away <= _MET * max(extent, float(np.abs(targets).max())):
        return Brought((turn,)), told
    if as_well_in_any_order(points[rows], targets):
        reason = "the map agrees with them as well in any other order"
        warn(
            f"The Anchors given to {who} do not fit its map: {reason}. They are kept, each moved "
            f"by itself, and the other rows stay. Do rows and positions belong together?"
        )
        turn = best_similarity(points[rows], targets, as_large=True)
        told = f"{told}; the anchored rows moved alone: {reason}"
        return Brought((turn, _pull(turn(points), rows, targets))), told
    moved = turn(points)
    warp = _mild_warp(moved, rows, targets, who)
    if warp is None:
        told = f"{told}; the anchored rows moved alone"
        return Brought((turn, _pull(moved, rows, targets))), told
    told = f"{told}, bent over {warp.radius / _size(_placed(moved)):.3g} of the map"
    if not warp.noise:
        return Brought((turn, warp)), told
    left = _off(warp.targets, targets) / extent
    told = f"{told}, and then by {left:.3g}; the anchored rows moved the rest of the way alone"
    return Brought((turn, warp, _pull(warp(moved), rows, targets))), told


def bring_held(points: FloatArray, anchors: Anchors, *, who: str) -> Brought:
    """Bring a map there whose anchored rows lie to one another as anchors do, to the last bit."""
    rows, targets = _distinct_anchors(points, anchors, who)
    turn = best_similarity(points[rows], targets)
    return Brought((turn, _pull(turn(points), rows, targets)))


def best_similarity(Z: FloatArray, targets: FloatArray, *, as_large: bool = False) -> Similarity:
    """The similarity that brings places nearest to targets, or as large as they are.

    One place is moved; what few places leave open is turned as little as possible.
    """
    middle, goal = Z.mean(axis=0), targets.mean(axis=0)
    own, wanted = _size(Z), _size(targets)
    if own == 0 or wanted <= _MET * float(np.abs(targets).max(initial=0.0)):
        return Similarity(1.0, np.eye(Z.shape[1]), goal - middle)
    found = procrustes(Z, targets)
    # a fit to targets that have nothing to do with the places would shrink all to a point
    scale = wanted / own if as_large or found.scale <= _MET * wanted / own else found.scale
    return Similarity(scale, found.rotation, goal - scale * middle @ found.rotation)


def _distinct_anchors(
    points: FloatArray, anchors: Anchors, who: str
) -> tuple[IntArray, FloatArray]:
    """The anchored rows, one for each place of the map, and where they go."""
    rows, positions = anchors.index, anchors.positions
    if positions.shape[1] != points.shape[1]:
        raise ValueError(
            f"The positions of the Anchors given to {who} must have as many columns as its map, "
            f"{points.shape[1]}. Got {positions.shape[1]}. Give n_components="
            f"{positions.shape[1]}, or other positions."
        )
    lost = rows[~np.isfinite(points[rows]).all(axis=1)]
    if len(lost):
        raise ValueError(
            f"The Anchors given to {who} name rows that have no place in its map: "
            f"{name_rows(lost)}. Use on_disconnected='connect', or leave them out."
        )
    if not anchors.exact:
        return rows, positions
    if len(np.unique(rows)) == len(points) and not np.ptp(positions, axis=0).any():
        raise ValueError(
            f"The Anchors given to {who} send all {len(points)} rows to one place, which leaves no "
            f"map."
        )
    reach = _TOGETHER * float(np.abs(points[rows]).max(initial=0.0))
    pairs = cKDTree(points[rows]).query_pairs(reach, output_type="ndarray")
    if not len(pairs):
        return rows, positions
    near = sp.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(rows), len(rows)))
    place = connected_components(near, directed=False)[1]
    shared = sp.coo_array((np.ones(len(rows)), (place, np.arange(len(rows)))))
    means = (shared @ positions) / np.bincount(place)[:, None]
    torn = np.abs(means[place] - positions).max(axis=1) > _MET * np.abs(positions).max()
    if torn.any():
        warn(
            f"The Anchors given to {who} send rows that lie in one place of its map to different "
            f"places: {name_rows(rows[torn])}. They go to the mean of these."
        )
    first = np.unique(place, return_index=True)[1]
    return rows[first], np.where(torn[first][:, None], means, positions[first])


def refuse_torn_copies(X: Any, anchors: Anchors, *, table: bool, who: str) -> None:
    """Refuse to send copies of a row to different places, which no map can do."""
    index, positions = anchors.index, anchors.positions
    if table:
        given = as_dense(X[index][:, index]) == 0 if not is_sparse(X) else np.eye(len(index)) == 1
        which = np.argmax(given | np.eye(len(index), dtype=bool), axis=1)
    else:
        _, first, inverse = np.unique(
            as_dense(X[index]), axis=0, return_index=True, return_inverse=True
        )
        which = first[inverse.ravel()]
    torn = np.flatnonzero(np.any(positions[which] != positions, axis=1))
    if len(torn):
        raise ValueError(
            f"The Anchors given to {who} send the rows "
            f"{name_rows(np.sort([index[which[torn[0]]], index[torn[0]]]))} to different places, "
            f"but they are copies of each other. Give copies of a row one position."
        )


def as_well_in_any_order(Z: FloatArray, targets: FloatArray) -> bool:
    """Whether a similarity explains the targets no better than targets in another order.

    It explains (Σ σ)² / Σ‖z − z̄‖² of their scatter, σ the singular values of Σ (z − z̄)(p − p̄)ᵀ.
    """
    if len(Z) < SETTINGS.judged_from:
        return False
    Z, P = Z - Z.mean(axis=0), targets - targets.mean(axis=0)
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(np.arange(len(Z)), (SETTINGS.orders, 1)), axis=1)
    crossed = np.einsum("id,oie->ode", Z, P[orders])
    explained = np.linalg.svd(crossed, compute_uv=False).sum(axis=1)
    own = float(np.linalg.svd(Z.T @ P, compute_uv=False).sum())
    as_well = int(np.count_nonzero(explained >= own * (1 - 1e-9)))
    return (as_well + 1) / (SETTINGS.orders + 1) > SETTINGS.doubt


def _mild_warp(moved: FloatArray, rows: IntArray, targets: FloatArray, who: str) -> Warp | None:
    """The warp that neither folds nor stretches the map and foretells anchors best.

    One that meets them all, if there is one; else one that comes near, if that foretells them
    better than none does.
    """
    places, centres, m = _placed(moved), moved[rows], len(rows)
    require_memory(
        40.0 * m * m, what=f"tables of {m} × {m} anchors", who=who, instead="Anchor fewer rows."
    )
    between = (centres[evenly_spaced(m, 100)][:, None] + centres[evenly_spaced(m, 10)]) / 2
    some = places[evenly_spaced(len(places), _JUDGED_AT)]
    where = np.vstack([some, centres, between.reshape(-1, centres.shape[1])])
    for noises, least in (((0.0,), np.inf), (SETTINGS.noises, _off(centres, targets))):
        best = None
        for radius, noise in product(SETTINGS.radii, noises):
            try:
                warp = Warp.to(centres, targets, radius * _size(places), noise)
            except np.linalg.LinAlgError:  # too wide for centres so near to one another
                continue
            off = warp.left_out()
            if off < 0.99 * least and _is_mild(warp, where):  # the wider one if as good
                best, least = warp, off
        if best is not None:
            return best
    return None


def _is_mild(warp: Warp, where: FloatArray) -> bool:
    """Whether uᵀJu ≥ least ‖u‖², which no fold does, and ‖J‖ ≤ most."""
    J = warp.jacobian(where)
    least = np.linalg.eigvalsh((J + J.transpose(0, 2, 1)) / 2)[:, 0].min()
    most = np.linalg.norm(J, ord=2, axis=(1, 2)).max()
    return bool(least >= SETTINGS.least and most <= SETTINGS.most)


def _pull(moved: FloatArray, rows: IntArray, targets: FloatArray) -> Pull:
    """Move rows alone: as far as the nearest other place, nothing else moves."""
    places, centres = _placed(moved), moved[rows]
    step = _TOGETHER * (float(np.abs(places).max()) or 1.0)
    tree = cKDTree(np.unique(np.round(places / step), axis=0) * step)
    return Pull(centres, targets, np.maximum(np.asarray(tree.query(centres, k=2)[0])[:, 1], step))


def _placed(points: FloatArray) -> FloatArray:
    return points[np.isfinite(points).all(axis=1)]


def _off(places: FloatArray, targets: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.sum((places - targets) ** 2, axis=1))))


def _size(Z: FloatArray) -> float:
    """The root mean square distance from the middle."""
    return float(np.sqrt(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))))
