"""Side information that acts behind: the finished map is brought to where it is wanted.

First the similarity that brings the anchored rows nearest to their positions, which changes nothing
that the map says.  Then, where they have to be met exactly, the widest warp that foretells anchors
left out best, of those that neither fold the map nor stretch it much.  Where there is none, or
where the map explains the positions no better than it explains them in another order, each
anchored row is moved by itself, and the others stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray, IntArray, evenly_spaced, require_memory, warn
from sidelight.mapping import Pull, Similarity, Warp
from sidelight.quality import procrustes
from sidelight.side import Anchors, name_rows


@dataclass(frozen=True)
class BendingSettings:
    """How far a finished map may be bent (``experiments/…/anchors_behind``).

    Parameters
    ----------
    radii : tuple of float
        Radii of warps to try, in parts of the map's spread, widest first.
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
    least: float = 0.25
    most: float = 4.0
    judged_from: int = 5
    orders: int = 199
    doubt: float = 0.05


SETTINGS = BendingSettings()
#: Off by less than this part of the anchors' extent is not off.
_MET = 1e-12
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

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Bring places there; those that are nowhere stay nowhere."""
        Z = np.asarray(Z, dtype=np.float64)
        for step in self.steps:
            Z = step(Z)
        return Z

    def undo(self, Z: FloatArray) -> FloatArray:
        """Bring places back."""
        Z = np.asarray(Z, dtype=np.float64)
        for step in reversed(self.steps):
            Z = step.undo(Z)
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
    d = points.shape[1]
    if targets.shape[1] != d:
        raise ValueError(
            f"The positions of the Anchors given to {who} must have as many columns as its map, "
            f"{d}. Got {targets.shape[1]}."
        )
    turn = best_similarity(points[rows], targets)
    off, extent = _off(turn(points[rows]), targets), _size(targets)
    told = f"off by {_share(off, extent)} of their extent after the best similarity"
    if not anchors.exact or off <= _MET * max(extent, float(np.abs(targets).max(initial=0.0))):
        return Brought((turn,)), told
    doubted = _as_well_in_any_order(points[rows], targets)
    if not doubted:
        moved = turn(points)
        warp = _mild_warp(_placed(moved), moved[rows], targets, who)
        if warp is not None:
            radius = _share(warp.radius, _size(_placed(moved)))
            return Brought((turn, warp)), f"{told}, met by a warp of radius {radius} of the map"
    turn = best_similarity(points[rows], targets, as_large=True)
    reason = (
        "the map agrees with them as well in any other order"
        if doubted
        else "a map that is bent to them would be folded or torn"
    )
    warn(
        f"The Anchors given to {who} do not fit its map: {reason}. They are kept, each moved by "
        f"itself, and the other rows stay as they are. Do rows and positions belong together?"
    )
    moved = turn(points)
    pull = _pull(_placed(moved), moved[rows], targets)
    return Brought((turn, pull)), f"{told}; moved one by one, for {reason}"


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
    lost = anchors.index[~np.isfinite(points[anchors.index]).all(axis=1)]
    if len(lost):
        raise ValueError(
            f"The Anchors given to {who} name rows that have no place in its map: "
            f"{name_rows(lost)}. Use on_disconnected='connect', or leave them out."
        )
    Z = points[anchors.index]
    step = max(1e-12 * float(np.abs(Z).max(initial=0.0)), np.finfo(float).tiny)
    _, first, which = np.unique(
        np.round(Z / step), axis=0, return_index=True, return_inverse=True
    )
    which, positions = which.ravel(), anchors.positions
    torn = np.any(positions[first][which] != positions, axis=1)
    if torn.any() and anchors.exact:
        one = int(np.flatnonzero(torn)[0])
        named = [anchors.index[first[which[one]]], anchors.index[one]]
        raise ValueError(
            f"The Anchors given to {who} send the rows {name_rows(named)} to different places, but "
            f"they are copies of each other, or lie in one place of its map. Give them one position."
        )
    if not anchors.exact:
        return anchors.index, positions
    order = np.sort(first)
    if len(order) > 1 and len(anchors.index) == len(points) and not np.ptp(positions, axis=0).any():
        raise ValueError(
            f"The Anchors given to {who} send all {len(points)} rows to one place, which leaves no "
            f"map."
        )
    return anchors.index[order], positions[order]


def _as_well_in_any_order(Z: FloatArray, targets: FloatArray) -> bool:
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


def _mild_warp(
    places: FloatArray, centres: FloatArray, targets: FloatArray, who: str
) -> Warp | None:
    """Of the warps that neither fold nor stretch the map, that which foretells anchors best."""
    m = len(centres)
    require_memory(
        32.0 * m * m,
        what=f"the {m} × {m} table of anchors",
        who=who,
        instead="Anchor fewer rows.",
    )
    some = places[evenly_spaced(len(places), _JUDGED_AT)]
    between = (centres[evenly_spaced(m, 100)][:, None] + centres[evenly_spaced(m, 10)]) / 2
    where = np.vstack([some, centres, between.reshape(-1, places.shape[1])])
    best: tuple[float, Warp] | None = None
    for radius in SETTINGS.radii:
        try:
            warp = Warp.through(centres, targets, radius * _size(places))
        except np.linalg.LinAlgError:  # too wide for centres so near to one another
            continue
        if not _is_mild(warp, where):
            continue
        off = float(np.sqrt(np.mean(warp.left_out() ** 2)))
        if best is None or off < 0.99 * best[0]:  # the wider one where they are as good
            best = off, warp
    return None if best is None else best[1]


def _is_mild(warp: Warp, where: FloatArray) -> bool:
    """Whether uᵀJu ≥ least ‖u‖², which two places of one target would contradict, and ‖J‖ ≤ most."""
    J = warp.jacobian(where)
    least = np.linalg.eigvalsh((J + J.transpose(0, 2, 1)) / 2)[:, 0].min()
    most = np.linalg.norm(J, ord=2, axis=(1, 2)).max()
    return bool(least >= SETTINGS.least and most <= SETTINGS.most)


def _pull(places: FloatArray, centres: FloatArray, targets: FloatArray) -> Pull:
    """Move centres alone: as far as the nearest other place, nothing else moves."""
    step = 1e-12 * _size(places)
    tree = cKDTree(np.unique(np.round(places / step), axis=0) * step)
    return Pull(centres, targets, tree.query(centres, k=2)[0][:, 1])


def _placed(points: FloatArray) -> FloatArray:
    return points[np.isfinite(points).all(axis=1)]


def _off(places: FloatArray, targets: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.sum((places - targets) ** 2, axis=1))))


def _size(Z: FloatArray) -> float:
    """The root mean square distance from the middle."""
    return float(np.sqrt(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))))


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.3g}" if whole else f"{part:.3g}"
