"""The rows as the judge of what is said of their order: does the map show them still?

Actions are equalities that no row can refuse.  Of a walk they are true, and rows that look alike
come to lie together; of rows that follow one another by chance the map is what was said, and
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight.core import FloatArray, warn
from sidelight.side import Actions


@dataclass(frozen=True)
class LikenessSettings:
    """When rows refute what is said of their order.

    Set on 27 walks over pictures, and on 18 draws of digits, wine and cancer in any order.

    Parameters
    ----------
    few : int
        Fewer rows than this are not judged: what is said of them is done.
    shown : float
        A map that keeps nothing of the rows but what actions say must show them better than by
        chance, which is a half: the walks had 0.70 and more, rows in any order 0.57 and less.
    lost : float
        A map that keeps neighbours near may lose so much of what it shows without actions: of the
        walks three lost more, up to 0.11, and are shown without; rows in any order lost 0.10 and
        more.
    """

    few: int = 20
    shown: float = 0.6
    lost: float = 0.07


LIKENESS = LikenessSettings()


def are_judged(actions: Actions, n_rows: int) -> bool:
    """Whether the rows are asked about actions at all."""
    return not actions.certain and n_rows >= LIKENESS.few


def alike_together(arrows: sp.csr_array, Z: FloatArray) -> float:
    """How likely a neighbour in the data lies nearer in the map than another row; 0.5 by chance."""
    from scipy.stats import rankdata  # the whole of it takes a while

    n = len(Z)
    ranks = rankdata(_from_each(Z), axis=1) - 1  # of all others, ties in the mean
    near = sp.coo_array(arrows)
    k = np.bincount(near.coords[0], minlength=n)
    total = np.bincount(near.coords[0], weights=ranks[near.coords], minlength=n)
    asked = (k > 0) & (k < n - 1)
    k, total = k[asked], total[asked]
    return float(np.mean(1 - (total - k * (k + 1) / 2) / (k * (n - 1 - k)))) if len(k) else 1.0


def nearest_in(D: FloatArray, k: int) -> sp.csr_array:
    """The k nearest of each row in a table of distances, ties by number."""
    n = len(D)
    apart = D.copy()
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :k]
    pairs = (np.repeat(np.arange(n), nearest.shape[1]), nearest.ravel())
    return sp.csr_array((np.ones(nearest.size), pairs), shape=(n, n))


def why_not_followed(
    shown: float, wanted: float, *, lost: float = 0.0, instead: str, who: str
) -> str:
    """Why actions are not followed that the rows contradict, said in a warning too; else nothing.

    ``shown`` is how likely rows that look alike lie together, and ``wanted`` what is asked, of
    which a map may have ``lost`` something.
    """
    if shown >= wanted - lost:
        return ""
    said = (
        f"not followed: rows that look alike would lie together {shown:.0%} of the time, and "
        f"{wanted:.0%} are asked for ({instead}). If you are sure of the actions, say "
        f"Actions(..., certain=True)"
    )
    warn(f"{who}: the Actions are {said}.")
    return said


def _from_each(Z: Any) -> FloatArray:
    """Distances in the map, a row to itself before all others."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, -1.0)
    return np.asarray(D)
