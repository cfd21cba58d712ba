"""The constants of factor removal, in one value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RemovalSettings:
    """How a factor is taken out; set on draws that no experiment shows (cells: 8800 to 8805).

    Parameters
    ----------
    axes : int
        Principal axes in which kinds are told and shifts may depend on them.
    kinds : int
        Prototypes of items; fewer where each would have fewer than ``rows_per_kind`` rows.
    few_kinds, first_width : int, float
        Of the coarse start: how many kinds, and the width that they begin with.
    rows_per_kind : int
        Rows that a kind needs.
    width : float
        s² of the memberships exp(−d²/s²), as a part of the mean squared distance to the nearest.
    bends : int
        Coordinates u of a kind that its shift may depend on.
    ridges : tuple of float
        λ on what depends on the kind, from the stiffest on; infinite: one shift for all.
    rounds : int
        Of memberships and shifts in turn.
    rows : int
        At most so many rows are fitted.
    neighbors : int
        Neighbours that the gate asks.
    gate : float
        Standard deviations by which they must agree better than shuffled ones.
    gate_rows : int
        At most so many rows are asked.
    shuffles : int
        How often.
    errors : float
        Standard errors by which a softer ridge may tell held-out rows worse: what depends on the
        kind is taken out unless they speak against it.  To ask that they be told better by four
        left cells that a batch bends, or shifts by type, 0.02 to 0.04 behind ComBat.
    ranks : float
        The rank correlation that distances among rows of one value must keep.
    apart : float
        Distance to the nearest of another value over that of the own, from which on it is said that
        a shift has not undone the factor.
    undone : float
        The share of that distance, over one, that a shift must undo, or such a factor is left in:
        digits turned by up to 90° lose more by a shift that undoes a third than they gain.
    """

    axes: int = 30
    kinds: int = 60
    few_kinds: int = 8
    first_width: float = 50.0
    rows_per_kind: int = 5
    width: float = 0.2
    bends: int = 20
    ridges: tuple[float, ...] = (float("inf"), 100.0, 30.0)
    rounds: int = 12
    rows: int = 10_000
    neighbors: int = 10
    gate: float = 4.0
    gate_rows: int = 5_000
    shuffles: int = 100
    errors: float = 2.0
    ranks: float = 0.985
    apart: float = 1.25
    undone: float = 0.5


SETTINGS = RemovalSettings()
