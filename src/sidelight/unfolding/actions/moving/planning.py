"""Find a way through the map by its actions, also over places that were never visited."""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
from scipy.spatial import cKDTree

from sidelight.core import FloatArray
from sidelight.unfolding.actions.moving.rigid_motions import RigidActions

#: What a step to a place that was never visited costs, where one to a known place costs 1.
_UNKNOWN = 1.25


def plan_actions(
    actions: RigidActions,
    Z: FloatArray,
    start: FloatArray,
    goal: FloatArray,
    *,
    tolerance: float,
    max_places: int = 20_000,
) -> list[int] | None:
    """Find the fewest actions from one place of the map to another, by A*.

    A place is where the transformations lead; within the tolerance of a known place it is that
    place, so that errors do not add up.  A step to a place that was never visited counts as
    1¼: the known way is preferred where it is about as short.

    Examples
    --------
    Three steps on, over a place between 1 and 3 that was never seen.

    >>> import numpy as np
    >>> from sidelight.unfolding.actions.moving.rigid_motions import RigidActions
    >>> on = RigidActions(np.eye(1)[None], np.ones((1, 1)), np.zeros(1))
    >>> Z = np.array([[0.0], [1.0], [3.0]])
    >>> plan_actions(on, Z, Z[0], Z[2], tolerance=0.1)
    [0, 0, 0]
    """
    known = cKDTree(Z)
    kinds = np.arange(len(actions.rotations))
    farthest = _longest_step(actions, Z)
    positions: list[FloatArray] = []
    numbers: dict[tuple[int, ...], int] = {}
    came: list[tuple[int, int]] = []
    costs: list[float] = []

    def number(z: FloatArray) -> tuple[int, float]:
        distance, node = known.query(z)
        if distance <= tolerance:
            z, key, cost = Z[node], (int(node),), 1.0
        else:
            key, cost = (-1, *np.rint(z / tolerance).astype(int).tolist()), _UNKNOWN
        if key not in numbers:
            numbers[key] = len(positions)
            positions.append(z)
            came.append((-1, -1))
            costs.append(np.inf)
        return numbers[key], cost

    def still(place: int) -> float:
        away = float(np.linalg.norm(positions[place] - goal))
        return max(0.0, away - tolerance) / farthest

    ticket = count()
    first, _ = number(start)
    costs[first] = 0.0
    queue = [(still(first), next(ticket), first)]
    done: set[int] = set()
    while queue and len(positions) < max_places:
        _, _, place = heapq.heappop(queue)
        if place in done:
            continue
        done.add(place)
        if np.linalg.norm(positions[place] - goal) <= tolerance:
            return _way_to(place, came)
        for kind, z in zip(
            kinds, actions.apply(np.tile(positions[place], (len(kinds), 1)), kinds), strict=True
        ):
            other, cost = number(z)
            total = costs[place] + cost
            if other not in done and total < costs[other]:
                costs[other], came[other] = total, (place, int(kind))
                heapq.heappush(queue, (total + still(other), next(ticket), other))
    return None


def _longest_step(actions: RigidActions, Z: FloatArray) -> float:
    """No action moves a place of the map, or one near it, by more."""
    longest = 0.0
    for kind in range(len(actions.rotations)):
        moved = actions.apply(Z, np.full(len(Z), kind)) - Z
        longest = max(longest, float(np.sqrt(np.einsum("ij,ij->i", moved, moved).max())))
    return longest or 1.0


def _way_to(place: int, came: list[tuple[int, int]]) -> list[int]:
    way: list[int] = []
    while came[place][0] >= 0:
        place, kind = came[place]
        way.append(kind)
    return way[::-1]
