"""The Sammon mapping (latent-factor thesis section 2.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import FloatArray, IntArray, over_bands, row_blocks
from sidelight.estimator import Embedder, Map, course_of, facts_of, of_all_rows, pick_up
from sidelight.latent.descending import (
    ADJACENT,
    DISTANCE_PARAMETERS,
    INIT,
    AmongPlaced,
    adjacent_in,
    descend_pinned,
    distance_table,
    pins_of,
    starting_points,
    ways_by_distances,
)
from sidelight.similarity import wide_bandwidth
from sidelight.solvers.descent import lowest_rows


class SammonMapping(Embedder):
    """The Sammon mapping: distances kept, short ones more carefully than long ones.

    With d_ij the distances between items and δ_ij = ‖z_i − z_j‖ those in the map, the points
    minimise Sammon's stress

        E(Z) = (1 / Σ_{i<j} d_ij) Σ_{i<j} (d_ij − δ_ij)² / d_ij,

    by quasi-Newton steps.  Pairs, attributes and distances act through a learned metric that d is
    measured in.  Anchors are kept exactly, in coordinates of their own: of all maps with the
    anchored rows where they go, together as large as they are without anchors, this is the one
    with the least stress.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    init : {"classical", "backward", "random"} or ndarray of shape (n_samples, n_components)
        Where the descent begins: classical scaling (PCA, where distances are Euclidean), the
        smoothest backward mapping, random points, or given ones.
    metric : str or callable
        Of the items; ``"precomputed"`` for a table of distances.
    max_iter : int
        Most iterations.
    tol : float
        Stop when an iteration lowers n·E by less than this, relative to n·E (or to one).
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted
        or came to ``max_iter``.  ``history_`` and ``n_iter_`` then tell of what was done since.
    random_state : int, Generator, RandomState or None
        For a random start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, centred, along its principal axes, in the units of the distances; with anchors
        in their coordinates.
    unit_ : float
        The length of one unit of distance in the map: 1 unless anchors say otherwise.
    objective_ : float
        E: zero where all distances are kept; with a Sequence the term of adjacent rows is added.
    history_ : ndarray of shape (n_iter_ + 1,)
        E at the start and after each iteration.
    n_iter_ : int
        Iterations.

    Notes
    -----
    Items at distance zero are one point, which counts as often as they are many.  A new row
    minimises its own part of the stress; the weight 1/d makes that an interpolation: a row close to
    a training row is placed close to it.

    References
    ----------
    J. W. Sammon (1969), "A nonlinear mapping for data structure analysis".

    Examples
    --------
    A square is a map of itself.

    >>> import numpy as np
    >>> from sidelight import SammonMapping
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> model = SammonMapping(2).fit(X)
    >>> Z = model.embedding_
    >>> float(np.linalg.norm(Z[0] - Z[1]).round(4)), float(np.linalg.norm(Z[0] - Z[2]).round(4))
    (1.0, 1.4142)
    """

    _parameters: ClassVar[Any] = {**DISTANCE_PARAMETERS, "init": INIT}

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        init: Any = "classical",
        metric: Any = "euclidean",
        max_iter: int = 2000,
        tol: float = 1e-13,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.metric = metric
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Move the points until their distances are those of the items.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples).
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: an Invariance as the distance between rows, anchors as positions, a
            Sequence as a term that keeps adjacent rows near, where their order shows in the data;
            the others as a metric that all distances are measured in.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        SammonMapping
            The fitted estimator.
        """
        told = self._hear(X, side, items)
        points, who, d = told.points, self._name, self.n_components_
        D, distinct = distance_table(points, d, n_tables=3)
        n, counts = len(distinct.rows), distinct.counts.astype(np.float64)
        longest = float(D.max())  # the unit of the descent
        pins = pins_of(told.known.get("Anchors"), distinct, d, copies=False, unit=longest, who=who)
        width, rng = wide_bandwidth(D), self.random_state
        ways = ways_by_distances(D, d, bandwidth=width, random_state=rng, who=who)
        told, adjacent = adjacent_in(told, points, ADJACENT.stress, who=who)
        stress = SammonStress(D[np.ix_(distinct.rows, distinct.rows)] / longest, counts)
        found, left = descend_pinned(
            adjacent.renumbered(distinct.inverse).beside(stress),
            n,
            lambda: starting_points(self.init, ways, (len(D), d), who=who)[distinct.rows] / longest,
            pins,
            pick_up(self, (D, told.known), pins.n_variables),
            **course_of(self, "Sammon mapping"),
            polished=True,
        )
        Z, unit = pins.settle(found.x, distinct.inverse)
        places, merged = Z[distinct.rows], points.merged(distinct)
        rule = AmongPlaced(merged, places, ByStress(places, counts, unit / longest))
        facts = {"unit_": unit / longest, **facts_of(found, n)}
        return self._adopt(told, of_all_rows(Map(places, rule, facts), merged, distinct), left)


@dataclass(frozen=True)
class ByStress:
    """New points where their own part of the stress is least.

    Parameters
    ----------
    places : ndarray of shape (n, d)
        Those of the distinct points.
    counts : ndarray of shape (n,)
        How often each occurs.
    unit : float
        The length of one unit of distance in the map.
    """

    places: FloatArray
    counts: FloatArray
    unit: float

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        blocks = row_blocks(len(D), 40.0 * self.places.size)
        return np.vstack([_place(self.unit * D[b], self.counts, self.places) for b in blocks])


class SammonStress:
    """Sammon's stress and its gradient, as a function of the points.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances between distinct items.
    counts : ndarray of shape (n,)
        How often each occurs.
    """

    def __init__(self, D: FloatArray, counts: FloatArray) -> None:
        self.distances, self.counts = D, counts
        self.total = float(counts @ D @ counts) / 2

    def __call__(self, Z: FloatArray) -> tuple[float, FloatArray]:
        """Compute the stress and its gradient.

        Examples
        --------
        >>> import numpy as np
        >>> stress = SammonStress(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2))
        >>> value, gradient = stress(np.array([[0.0], [1.0]]))
        >>> value, gradient.ravel()
        (0.25, array([ 0.5, -0.5]))
        """
        from sidelight.latent.descending._pairs_compiled import stress_forces

        n, d = Z.shape
        Zt = np.ascontiguousarray(Z.T, dtype=np.float64)
        forces, stresses = np.empty((d, n)), np.empty(n)

        def accumulate(first: int, last: int) -> None:
            stress_forces(Zt, first, last, self.distances, self.counts, forces, stresses)

        over_bands(accumulate, n)
        value = float(self.counts @ stresses) / (2 * self.total)
        return value, (2 / self.total) * (self.counts * forces).T


def _place(D: FloatArray, counts: FloatArray, Y: FloatArray) -> FloatArray:
    D = np.maximum(D, 1e-12 * D.max())  # rows that differ by less than rounding
    weights = counts / D

    def row_stress(places: FloatArray, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        away = places[:, None, :] - Y
        length = np.sqrt(np.einsum("mnd,mnd->mn", away, away))
        w, gap = weights[rows], length - D[rows]
        unit = away / np.maximum(length, 1e-300)[:, :, None]
        value = np.einsum("mn,mn->m", w, gap**2)
        gradient = 2 * np.einsum("mn,mnd->md", w * gap, unit)
        bend = np.where(length > 0, gap / np.maximum(length, 1e-300), 0.0)
        hessian = np.einsum("mn,mnd,mne->mde", w * (1 - bend), unit, unit, optimize=True)
        hessian += np.einsum("mn,mn->m", w, bend)[:, None, None] * np.eye(Y.shape[1])
        values, axes = np.linalg.eigh(2 * hessian)  # downhill also where it curves downwards
        curvature = (axes * np.abs(values)[:, None, :]) @ axes.transpose(0, 2, 1)
        return value, gradient, curvature

    nearest = Y[np.argmin(D, axis=1)]
    between = (1 / D**2) / (1 / D**2).sum(axis=1, keepdims=True) @ Y
    return lowest_rows(row_stress, [nearest + 1e-6 * (between - nearest), between])
