"""Numbers that were tuned, and the experiments that set them."""

from __future__ import annotations

from dataclasses import dataclass


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
    shuffles : int
        How often values are shuffled.
    """

    neighbors: tuple[int, ...] = (2, 10)
    deviations: float = 4.0
    shuffles: int = 200


GATE = Gate()
