"""One more step of the path, with the rows of anchors held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sidelight.core import FloatArray
from sidelight.estimator import Map
from sidelight.latent.descending import Held, Pins, pins_of
from sidelight.latent.information.followed import Followed
from sidelight.neighbors import distinct_rows
from sidelight.side import Anchors


def pins_among(
    items: FloatArray, anchors: Anchors | None, n_components: int, *, who: str
) -> Pins | None:
    """Where anchored items go, and their copies; None where there are none."""
    if anchors is None:
        return None
    return pins_of(anchors, distinct_rows(items), n_components, copies=True, who=who)


def with_rows_held(
    followed: Followed,
    pins: Pins | None,
    again: Callable[..., Followed],
    *,
    left_off: FloatArray | None = None,
) -> tuple[Map, bool, Any]:
    """The map at the end of a path, gone on from with pinned rows held where it has them elsewhere.

    Gives the map, whether rows were held, and where the fit was left: the end of the path, and the
    points of the further step.  A path that was interrupted is not gone on from.
    """
    if pins is None:
        return followed.map, False, followed.left
    held = None if followed.interrupted else Held.of(pins, followed.map.points)
    if held is None:
        return followed.map, False, None if followed.finished else (followed.end, None)
    further = again(
        path=followed.last,
        at=followed.map.points,
        held=held,
        left_off=None if left_off is None else (0, 0, left_off),
    )
    at = None if further.finished else further.end[2]
    left = None if followed.finished and further.finished else (followed.end, at)
    return followed.gone_on(further.map), True, left
