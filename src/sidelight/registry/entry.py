"""What is known of an estimator before it is imported."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


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
        The kinds of side information it takes.
    gives : tuple of str
        Out of ``"map"``, ``"new points"``, ``"way back"``, ``"density"``.
    needs_graph : bool
        Whether it works from a neighbourhood graph that must hang together.
    takes_distances : bool
        Whether a table of distances will do, ``metric="precomputed"``.
    takes_graph : bool
        Whether a sparse graph of distances will do as well.
    inside : tuple of str
        The kinds that need no metric learned from feature vectors.
    """

    name: str
    family: str
    summary: str
    module: str
    command: str
    understands: tuple[str, ...] = ()
    gives: tuple[str, ...] = ("map", "new points", "way back")
    needs_graph: bool = False
    takes_distances: bool = False
    takes_graph: bool = False
    inside: tuple[str, ...] = ()

    def load(self) -> type[Any]:
        """Import the estimator's class."""
        loaded: type[Any] = getattr(import_module(self.module), self.name)
        return loaded
