"""Whether a map comes out the same from other draws of the rows, and of chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from sidelight.core import FloatArray, IntArray, random_generator
from sidelight.neighbors import nearest_neighbors
from sidelight.quality.closer.points import share_in_common
from sidelight.side import SideInformation, by_number


@dataclass(frozen=True, eq=False)
class Stability:
    """How alike maps are that differ in what was drawn.

    Parameters
    ----------
    by_rows : ndarray of shape (n_draws,)
        The part of neighbours in the map of all rows that are neighbours in that of some, too.
    by_seeds : ndarray of shape (n_draws,) or None
        The same between maps of other seeds; None for a method that draws nothing.
    of_points : ndarray of shape (n_samples,)
        The mean of ``by_rows`` for each point, over the draws that it was in.
    """

    by_rows: FloatArray
    by_seeds: FloatArray | None
    of_points: FloatArray

    def __repr__(self) -> str:
        seeds = "" if self.by_seeds is None else f", {self.by_seeds.mean():.3f} under other seeds"
        return (
            f"Stability(neighbours in the map kept: {self.by_rows.mean():.3f} from "
            f"other rows{seeds})"
        )


def stability(
    model: Any,
    X: Any,
    *,
    side: Any = None,
    n_draws: int = 5,
    share: float = 0.8,
    n_neighbors: int = 10,
    random_state: Any = 0,
) -> Stability:
    """Fit a method again, to some of the rows and with other seeds, and compare the maps.

    Parameters
    ----------
    model : estimator
        Fitted or not; clones of it are fitted.
    X : array of shape (n_samples, n_features) or (n_samples, n_samples)
        The data, or a table of distances or similarities where the model takes one.
    side : side information or list of it, optional
        What is known; of some rows, what is known of those.
    n_draws : int
        How often.
    share : float
        The part of the rows that is drawn, in (0, 1).
    n_neighbors : int
        The size of a neighbourhood in the maps.
    random_state : int, Generator, RandomState or None
        Of the draws.

    Returns
    -------
    Stability
        1 is the same map, and k / n is what chance gives.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import PCA
    >>> from sidelight.quality import stability
    >>> X = np.random.default_rng(0).normal(size=(60, 5)) * [9, 3, 1, 1, 1]
    >>> bool(stability(PCA(2), X).by_rows.mean() > 0.8)
    True
    """
    if not 0 < share < 1:
        raise ValueError(
            f"The 'share' parameter of stability must lie between 0 and 1. Got {share!r} instead."
        )
    if n_draws < 1:
        raise ValueError(
            f"The 'n_draws' parameter of stability must be at least 1. Got {n_draws!r} instead."
        )
    rng = random_generator(random_state)
    X = np.asarray(X) if isinstance(X, (list, tuple)) else X
    side = by_number(side, X, who="stability")  # of rows that are drawn, not of their labels
    whole = _map_of(model, X, side)
    n = len(whole)
    size = max(round(share * n), n_neighbors + 2)
    if size >= n:
        raise ValueError(
            f"stability draws {size} of {n} rows, too many to leave any out: give more rows, or a "
            f"smaller 'share' or 'n_neighbors'."
        )
    sums, counts, by_rows = np.zeros(n), np.zeros(n), []
    for _ in range(n_draws):
        rows = np.sort(rng.choice(n, size, replace=False))
        some = _map_of(model, _rows_of(X, rows, model), _side_within(side, rows))
        kept = _kept(whole[rows], some, n_neighbors)
        sums[rows] += kept
        counts[rows] += 1
        by_rows.append(float(kept.mean()))
    by_seeds = None
    if "random_state" in model.get_params():
        seeds = rng.integers(2**31, size=n_draws)
        maps = [_map_of(clone(model).set_params(random_state=int(s)), X, side) for s in seeds]
        by_seeds = np.array([float(_kept(whole, other, n_neighbors).mean()) for other in maps])
    of_points = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
    return Stability(np.array(by_rows), by_seeds, of_points)


def _map_of(model: Any, X: Any, side: Any) -> FloatArray:
    told = {} if side is None else {"side": side}
    return np.asarray(clone(model).fit(X, **told).embedding_, dtype=np.float64)


def _kept(first: FloatArray, second: FloatArray, k: int) -> FloatArray:
    near = [nearest_neighbors(Z, k, who="stability").indices for Z in (first, second)]
    return share_in_common(*near)


def _rows_of(X: Any, rows: IntArray, model: Any) -> Any:
    some = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    if not get_tags(model).input_tags.pairwise:
        return some
    return some.iloc[:, rows] if hasattr(some, "iloc") else some[:, rows]


def _side_within(side: Any, rows: IntArray) -> Any:
    if isinstance(side, (list, tuple)):
        return [_side_within(value, rows) for value in side]
    return side.within(rows) if isinstance(side, SideInformation) else side
