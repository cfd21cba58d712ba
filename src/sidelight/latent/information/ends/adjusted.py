"""A map whose bandwidth or penalty is adjusted to it, in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sidelight.core import FloatArray
from sidelight.estimator import Map
from sidelight.latent.information.ends.learned_bandwidth import with_learned_bandwidth
from sidelight.latent.information.ends.power import with_power


def adjusted_map(
    follow: Callable[..., Any], items: FloatArray, power: float | None, *, who: str
) -> Map:
    """A map of bounded power, or with the bandwidth that is likeliest together with it."""

    def again(path: Any, Z: FloatArray) -> Any:
        return follow(path=path, at=Z)

    if power is not None:
        return with_power(follow(), float(power), again, who=who)
    return with_learned_bandwidth(follow(), items, again, who=who)
