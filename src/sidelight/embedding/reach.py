"""How many rows a method is fitted to, and how it comes to more.

Each number is what the method fits within about a minute of one processor, 50 columns
(``python -m benchmarks.cost_curves``); beyond, it is fitted to so many rows, and the rest are
placed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reach:
    """How far a method goes, and how it goes further.

    Parameters
    ----------
    rows : int or None
        How many rows it is fitted to at most; None for as many as fit into memory.
    way : str
        How it comes to a million rows, for the documentation.
    beyond : int
        Up to so many rows nothing is set.
    settings : dict
        Parameters that it gets beyond, unless the user sets them.
    """

    rows: int | None
    way: str
    beyond: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)


_PLACED = "fitted to a sample; `transform` places the rest"
_WHOLE = Reach(None, "all rows")

REACH: Mapping[str, Reach] = {
    "PCA": Reach(None, "all rows: mean and scatter, block by block"),
}


def reach_of(name: str) -> Reach:
    """How far the method of that name goes; what is not stated goes all the way."""
    return REACH.get(name, _WHOLE)
