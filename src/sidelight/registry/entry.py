"""What is known of an estimator before it is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

#: Kinds that bring the finished map to where it is wanted, unless a method has a better place.
BEHIND = ("Anchors",)
#: Kinds that say how two items are compared: for methods that see them by distances alone.
IN_DISTANCES = ("Invariance",)
#: Kinds that act on feature vectors, whatever the method does with them.
IN_FRONT = ("Condition", "Pairs", "Attributes", "Distances", "Relation")
#: What a method takes that sees items by the distances between them.
BY_DISTANCES = (*IN_FRONT, *IN_DISTANCES, *BEHIND)


@dataclass(frozen=True)
class Entry:
    """One estimator: where it lives, what it understands, what it gives.

    Parameters
    ----------
    name : str
        The class name.
    family : str
        The folder: ``"spectral"``, ``"metric"`` …
    summary : str
        What the method does, in a few words.
    module : str
        The module that defines it.
    command : str
        Its short name on the command line.
    understands : tuple of str
        The kinds of side information it takes; by default what any map of feature vectors does.
    gives : tuple of str
        Out of ``"map"``, ``"new points"``, ``"way back"``, ``"density"``.
    needs_graph : bool
        Whether it works from a neighbourhood graph that must hang together.
    takes_distances : bool
        Whether a table of distances will do, ``metric="precomputed"``.
    takes_graph : bool
        Whether a sparse graph of distances will do as well.
    inside : tuple of str
        The kinds that act inside the method: they need no feature vectors, and are kept as it can.
    in_graph : tuple of str
        The kinds that act in the graph of neighbours where that improves the map, else in front,
        or not at all.
    declines : mapping of str to str
        Kinds that others take and why it does not, in words that follow a colon.
    apart : tuple of pairs of str
        Kinds that it takes one at a time.
    """

    name: str
    family: str
    summary: str
    module: str
    command: str
    understands: tuple[str, ...] = (*IN_FRONT, *BEHIND)
    gives: tuple[str, ...] = ("map", "new points", "way back")
    needs_graph: bool = False
    takes_distances: bool = False
    takes_graph: bool = False
    inside: tuple[str, ...] = ()
    in_graph: tuple[str, ...] = ()
    declines: Mapping[str, str] = field(default_factory=dict, hash=False)
    apart: tuple[tuple[str, str], ...] = ()

    def place_of(self, kind: str) -> str:
        """Where a kind acts: inside the method, in its distances or graph, in front or behind."""
        if kind in self.inside:
            return "inside"
        if kind in self.in_graph:
            return "in the graph"
        if kind in IN_DISTANCES:
            return "in the distances"
        return "behind" if kind in BEHIND else "in front"

    def load(self) -> type[Any]:
        """Import the estimator's class."""
        loaded: type[Any] = getattr(import_module(self.module), self.name)
        return loaded
