"""Stochastic neighbour embedding (latent-factor thesis sections 2.3.1 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import FloatArray, OneOf, Real
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
from sidelight.latent.neighbors.choices import NeighborChoices
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.neighbors.placement import place_by_choices
from sidelight.neighbors import each_row


class StochasticNeighborEmbedding(Embedder):
    """Stochastic neighbour embedding (SNE): every item picks the same neighbours in the map.

    P_ij ∝ exp(−‖x_i − x_j‖²/σ²) is the probability that item i picks item j in the data and
    Q_ij ∝ exp(−‖z_i − z_j‖²) in the map (eq. 4.1, 4.2); the points minimise

        E(Z) = (1/n) Σ_ij P_ij log(P_ij / Q_ij).

    Pairs, attributes and distances act through a learned metric that x is measured in.  Anchors
    are kept exactly, in coordinates of their own: of all maps with the anchored rows where they
    go, together as large as they are without anchors, this is the one with the least mismatch.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    bandwidth : float or "auto"
        σ², for squared distances; ``"auto"`` is 0.15 of their mean.
    perplexity : float, optional
        Give each item a bandwidth of its own with this many effective neighbours instead; then
        no item picks itself, as in Hinton and Roweis.
    init : {"classical", "backward", "random"} or ndarray of shape (n_samples, n_components)
        Where the descent begins: classical scaling, the smoothest backward mapping, random points,
        or given ones, such as those of an interrupted fit.
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
        The map, centred, along its principal axes; with anchors in their coordinates.
    unit_ : float
        The length of σ in the map: 1 unless anchors say otherwise.
    objective_ : float
        E; with a Sequence the term of adjacent rows is added.
    history_ : ndarray of shape (n_iter_ + 1,)
        E at the start and after each iteration.
    n_iter_ : int
        Iterations.
    bandwidth_ : float or ndarray of shape (n_samples,)
        σ², or that of each item.

    Notes
    -----
    With one bandwidth an item may pick itself, as in the thesis, and the scale of the map is
    that of the data: z ≈ x/σ.  A new row minimises its own mismatch, the others staying where
    they are; with a perplexity that is a convex problem.

    References
    ----------
    G. Hinton and S. Roweis (2003), "Stochastic neighbor embedding".

    Examples
    --------
    Data in the plane are their own map, in units of σ.

    >>> import numpy as np
    >>> from sidelight import StochasticNeighborEmbedding
    >>> X = np.random.default_rng(0).standard_normal((30, 2))
    >>> model = StochasticNeighborEmbedding(bandwidth=4.0).fit(X)
    >>> spread = np.sqrt(X.var(axis=0).sum() / model.embedding_.var(axis=0).sum())
    >>> round(model.objective_, 6), round(float(spread), 4)
    (0.0, 2.0)
    """

    _parameters: ClassVar[Any] = {
        **DISTANCE_PARAMETERS,
        "bandwidth": (OneOf(("auto",)), Real(0, open_below=True)),
        "perplexity": (OneOf((None,)), Real(1)),
        "init": INIT,
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        bandwidth: float | str = "auto",
        perplexity: float | None = None,
        init: Any = "classical",
        metric: Any = "euclidean",
        max_iter: int = 2000,
        tol: float = 1e-12,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.perplexity = perplexity
        self.init = init
        self.metric = metric
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Move the points until they pick the neighbours that the items pick.

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
        StochasticNeighborEmbedding
            The fitted estimator.
        """
        told = self._hear(X, side, items)
        points, who, n, d = told.points, self._name, told.points.n, self.n_components_
        D, distinct = distance_table(points, d)
        choices = NeighborChoices.of(D, self.bandwidth, self.perplexity, who=who)
        pins = pins_of(told.known.get("Anchors"), distinct, d, copies=True, who=who)
        width, rng = choices.unit, self.random_state
        ways = ways_by_distances(
            D, d, bandwidth=width, unit=np.sqrt(width), random_state=rng, who=who
        )
        told, adjacent = adjacent_in(told, points, ADJACENT.choices, who=who)
        found, left = descend_pinned(
            adjacent.beside(NeighborMismatch(choices.among(D))),
            n,  # the sum over items: each one's gradient would vanish among many
            lambda: starting_points(self.init, ways, (n, d), who=who),
            pins,
            pick_up(self, (D, told.known), pins.n_variables),
            **course_of(self, "stochastic neighbour embedding"),
        )
        Z, unit = pins.settle(found.x)
        facts = {"unit_": unit, "bandwidth_": choices.bandwidth, **facts_of(found, n)}
        rule = AmongPlaced(points, Z, ByChoices(choices, Z, unit))
        return self._adopt(told, of_all_rows(Map(Z, rule, facts), points, each_row(n)), left)


@dataclass(frozen=True)
class ByChoices:
    """New points where they pick those in the map that they pick in the data.

    Parameters
    ----------
    choices : NeighborChoices
        How distances become choices.
    places : ndarray of shape (n, d)
        Those of the training points.
    unit : float
        The length of σ in the map.
    """

    choices: NeighborChoices
    places: FloatArray
    unit: float

    def __call__(self, D: FloatArray) -> FloatArray:
        """Place points by their distances to all."""
        placed = place_by_choices(self.choices.of_new(D), self.places / self.unit)
        return np.asarray(self.unit * placed)
