"""Whether a known factor shows in the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sidelight.core import FloatArray, IntArray, warn
from sidelight.latent.density.known_factor import KnownFactor
from sidelight.neighbors import nearest_neighbors
from sidelight.solvers import (
    agreement_beyond_chance,
    agreement_in_codes,
    association_in_codes,
)

Measure: TypeAlias = Callable[[FloatArray, IntArray], Callable[[IntArray], float]]


@dataclass(frozen=True)
class Gate:
    """When a factor is believed to show in the data.

    Parameters
    ----------
    neighbors : tuple of int
        Nearest neighbours among which it must agree, in one count or another (at most a tenth of
        the rows).  A digit looks like itself upside down, so that ten neighbours may cancel out
        where the two nearest agree; where noise is strong two are too few.
    deviations : float
        Standard deviations of shuffled values by which it must agree better: of 400 random
        classes, numbers and angles, one was believed to show in 120 digits.
    associated : float
        The same by which values of neighbours must follow any other rule.  On a designed grid,
        where every item comes at every value, the nearest may well be of other values: of four
        digits at 24 angles, odd draws 5001 to 5059, eight of thirty did not agree, and all were
        associated by 7.8.
    few_codes : int
        Classes or coordinates up to which that is asked: pairs of more are too many for the rows.
    shuffles : int
        How often values are shuffled.
    """

    neighbors: tuple[int, ...] = (2, 10)
    deviations: float = 4.0
    associated: float = 5.0
    few_codes: int = 30
    shuffles: int = 200


GATE = Gate()


def shows_among_neighbors(Y: FloatArray, factor: KnownFactor, gate: Gate = GATE) -> bool:
    """Whether values of nearest neighbours agree, or are associated, more than shuffled ones.

    Matching items across the values of a number that has nothing to do with them brings wrong
    matches in: a random number takes digits apart that the plain map keeps together.
    Agreement is the mean of ⟨c_a, c_b⟩ over neighbours b of a: c the code of a class, the mid-rank
    of a number, the point of an angle on its circle.  They are associated where the values of
    neighbours follow any rule, be it that these are never alike.
    """
    from scipy.stats import rankdata  # the whole of it takes a while

    codes = factor.coordinates
    if factor.kind != "classes" and factor.period is None:
        codes = rankdata(codes, axis=0) - (len(Y) + 1) / 2
    most = max(len(Y) // 10, 1)
    near = nearest_neighbors(Y, min(max(gate.neighbors), most)).indices

    def beyond_chance(among: Measure, k: int) -> float:
        return agreement_beyond_chance(among(codes, near[:, :k]), len(Y), gate.shuffles)

    if any(beyond_chance(agreement_in_codes, k) > gate.deviations for k in gate.neighbors):
        return True
    return codes.shape[1] <= gate.few_codes and any(
        beyond_chance(association_in_codes, k) > gate.associated for k in gate.neighbors
    )


def shows_or_said(Y: FloatArray, factor: KnownFactor, of: int = 1, *, who: str) -> bool:
    """Whether a factor shows, whatever the order of the rows; a warning says where it does not."""
    order = np.lexsort(Y.T[::-1])
    if shows_among_neighbors(Y[order], factor.of_rows(order)):
        return True
    which, then = ("The Condition", "The map is the plain one.")
    if of > 1:
        which, then = (f"One of the {of} Conditions", "The map is made without it.")
    warn(
        f"{which} given to {who} does not show in X: its values agree no better among near rows "
        f"than shuffled ones do. {then}"
    )
    return False
