"""Multiple relational embedding (latent-factor thesis chapter 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray
from sidelight.core.fingerprints import fingerprint
from sidelight.core.parameters import (
    Matching,
    OneOf,
    Real,
    Whole,
    check_parameters,
    random_generator,
)
from sidelight.latent.descending.from_distances import DistanceEmbedder
from sidelight.latent.descending.starts import classical_start, principal_turn
from sidelight.latent.neighbors.choices import NeighborChoices
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.neighbors.placement import place_by_choices
from sidelight.latent.relational.bandwidth import relational_bandwidth
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.latent.relational.relations import check_relations, rows_of_relations
from sidelight.latent.relational.starts import informed_start, random_start
from sidelight.mapping.smoother import KernelSmoother
from sidelight.side.relation import Relation
from sidelight.side.understanding import gather_side
from sidelight.similarity.neighbor_choice import normalise_rows
from sidelight.solvers.descent.restarts import Pause, Restarts, best_of_starts
from sidelight.solvers.eigen.eigenpairs import column_signs

#: Starts are compared after a descent to this tolerance; the best one goes on.
_COARSE = 1e-6
#: A dimension that the data scale by less than this share of their largest is not theirs.
_NOTHING = 1e-6


def _are_weights(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and all(
        Real(0, open_below=True).admits(weight) for weight in value
    )


class MultipleRelationalEmbedding(DistanceEmbedder):
    """Multiple relational embedding (MRE): one map for several kinds of similarity.

    Each relation c says with P_c which of its items pick which; it sees the map through scales
    of its own, Q_c,ij ∝ exp(−‖R_c(z_i − z_j)‖²), R_c diagonal.  Points and scales minimise

        E(Z, R) = Σ_c λ_c (1/n_c) Σ_ij P_c,ij log(P_c,ij / Q_c,ij)

    (eq. 4.3, 4.4, 4.8): relations that have to do with each other share dimensions, others get
    dimensions of their own, and items of which a relation does not speak are placed by the
    others.  The similarity of the rows of X is one relation, over all of them; it may be left
    out.  Pairs, attributes and distances act through a learned metric that X is measured in.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    bandwidth : float or "auto"
        σ² of the similarity of X.  ``"auto"`` is 0.15 of the mean squared distance, or twice the
        mean where that places rows clearly better of which a relation was kept from speaking, as
        it does where a relation has to do with a small part of the variance of X.
    perplexity : float, optional
        Effective neighbours of each row of X instead.
    weights : sequence of float, optional
        λ_c, one for each ``Relation``, in their order; all one by default.
    data_weight : float
        λ of the similarity of X.
    penalty : float
        ρ of the term ρ Σ_c (1/n) Σ_i ‖R_c z_i‖², added to E where there are several relations.  It
        keeps relations over different parts of the items from using one dimension for different
        things.
    n_restarts : int
        Random starts besides the one that is made from X and the relations; the lowest E wins.
    metric : str or callable
        Of the rows of X; ``"precomputed"`` for a table of distances.
    max_iter : int
        Most iterations, of each start and once more of the best.
    tol : float
        Stop when an iteration lowers n·E by less than this, relative to n·E (or to one).
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted
        or came to ``max_iter``: in the start where it was left, starts before it not being tried
        again, and with the bandwidth that was found.  ``history_`` and ``n_iter_`` then tell of
        what was done since.
    random_state : int, Generator or None
        For the random starts; a fit that goes on has the same ones if this is an int.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, centred.  Column c is the one that relation c uses most, as far as each has one.
    scales_ : ndarray of shape (n_relations, n_components)
        The diagonals of R_c, the data's first where X was given; in every dimension the largest is
        one, which fixes what E leaves open.
    relevance_ : ndarray of shape (n_relations, n_components)
        |R_c|·std(Z_c), Z_c the points of its items: how much each relation makes of each
        dimension, which is what E determines.
    objective_ : float
        E, with the penalty.
    objectives_ : ndarray of shape (n_relations,)
        The mismatch of each relation, without its weight.
    starts_ : ndarray of shape (n_starts,)
        E that each start came to.
    history_ : ndarray
        E on the way of the best start.
    n_iter_ : int
        Its iterations.
    bandwidth_ : float or ndarray of shape (n_samples,)
        σ² of X.

    Notes
    -----
    One relation alone has no scales, R = I, and with X as the only one this is
    :class:`StochasticNeighborEmbedding`.  New rows are placed by the similarity of X, which is all
    that is known of them.

    References
    ----------
    R. Memisevic and G. Hinton (2005), "Multiple relational embedding".

    Examples
    --------
    A cloud of three dimensions and two of noise; of 20 rows we know how alike they are in the
    third one.

    >>> import numpy as np
    >>> from sidelight import MultipleRelationalEmbedding
    >>> from sidelight.side import Relation
    >>> X = np.random.default_rng(0).standard_normal((80, 5)) * [2, 2, 2, 0.2, 0.2]
    >>> told = Relation.from_values(X[:20, 2], index=np.arange(20))
    >>> model = MultipleRelationalEmbedding(2, n_restarts=0).fit(X, side=told)
    >>> found = np.corrcoef(model.embedding_[20:, 0], X[20:, 2])[0, 1]
    >>> bool(abs(found) > 0.9), model.relevance_[1].round(1)
    (True, array([1., 0.]))
    """

    _parameters: ClassVar[Any] = {
        **DistanceEmbedder._distance_parameters,
        "bandwidth": (OneOf(("auto",)), Real(0, open_below=True)),
        "perplexity": (OneOf((None,)), Real(1)),
        "weights": (OneOf((None,)), Matching(_are_weights, "a sequence of positive numbers")),
        "data_weight": (Real(0, open_below=True),),
        "penalty": (Real(0),),
        "n_restarts": (Whole(0),),
    }
    _takes_several: ClassVar[tuple[str, ...]] = ("Relation",)

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        bandwidth: float | str = "auto",
        perplexity: float | None = None,
        weights: Sequence[float] | None = None,
        data_weight: float = 1.0,
        penalty: float = 1e-3,
        n_restarts: int = 1,
        metric: Any = "euclidean",
        max_iter: int = 2000,
        tol: float = 1e-9,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.perplexity = perplexity
        self.weights = weights
        self.data_weight = data_weight
        self.penalty = penalty
        self.n_restarts = n_restarts
        self.metric = metric
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any = None, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Find one map for all relations.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features), optional
            The data, whose similarity is one relation; with ``metric="precomputed"`` the
            distances (n_samples, n_samples).  Without it every row must be named by a relation,
            and the relations must hang together.
        y : object
            Ignored.
        side : Relation, Pairs, Attributes, Distances or a list of them, optional
            What is known: relations as they are, the others as a metric that X is measured in.
        items : array of shape (n_samples, n_items_features), optional
            What ``inverse_transform`` goes back to, where X is left out or precomputed.

        Returns
        -------
        MultipleRelationalEmbedding
            The fitted estimator.
        """
        D, given = self._data_and_relations(X, side, items)
        n, d = (rows_of_relations(given) if D is None else len(D)), self.n_components_
        relations = [
            Related(r.rows(n), NeighborMismatch(normalise_rows(r.similarity)), weight)
            for r, weight in zip(given, self._weights_of(given), strict=True)
        ]
        n_kinds = len(given) + (D is not None)
        n_variables = (n + (n_kinds if n_kinds > 1 else 0)) * d
        left, searched = self._left_off(n_variables, (D, given)) or (None, None)
        if D is not None:
            width = self.bandwidth
            if width == "auto" and self.perplexity is None:
                width = searched = searched or relational_bandwidth(
                    D, given, d, penalty=self.penalty, who=self._name
                )
            self._choices = NeighborChoices.of(D, width, self.perplexity, who=self._name)
            self.bandwidth_ = self._choices.bandwidth
            data = NeighborMismatch(self._choices.among(D))
            relations.insert(0, Related(np.arange(n), data, float(self.data_weight)))
        self._data_first, self._fingerprints = D is not None, [fingerprint(r) for r in given]
        objective = RelationalObjective(relations, n, d, penalty=self.penalty)
        found = self._best_of_starts(objective, D, left)
        self.starts_ = found.values / n
        self._keep(found.best, n)
        where = None if found.pause is None else (found.pause, searched)
        self._leave_off(where, n_variables, (D, given))
        Z, R = objective.unpack(found.best.x)
        self._settle(Z, R)
        spread = [self.embedding_[c.rows].std(axis=0) for c in relations]
        self.relevance_ = self.scales_ * np.array(spread)
        self.objectives_ = objective.parts(self.embedding_, self.scales_)
        return self

    def metric_for(self, relation: int | str | Relation) -> FloatArray:
        """Give the metric in which a relation sees the map, d²(z, z') = (z − z')ᵀA(z − z').

        Parameters
        ----------
        relation : int, Relation or "X"
            Which: its position among the relations of ``side``, one of them, or the data's own.

        Returns
        -------
        ndarray of shape (n_components, n_components)
            A = RᵀR, diagonal.
        """
        return np.diag(self.scales_[self._number(relation)] ** 2)

    def view(
        self, relation: int | str | Relation, *, without: int | str | Relation | None = None
    ) -> FloatArray:
        """Show the map as a relation sees it, without the dimensions of another if so wished.

        Parameters
        ----------
        relation : int, Relation or "X"
            Which: its position among the relations of ``side``, one of them, or the data's own.
        without : int, Relation or "X", optional
            A relation to leave out: a dimension is kept with the weight 1 − (r/max r)², r what
            this relation makes of it (``relevance_``).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Points whose Euclidean distances are those of the relation.
        """
        scales = self.scales_[self._number(relation)]
        if without is not None:
            share = self.relevance_[self._number(without)]
            scales = scales * (1 - (share / max(share.max(), 1e-300)) ** 2)
        return np.asarray(self.embedding_ * scales)

    def transform(self, X: Any) -> FloatArray:
        """Place new rows by their similarity to the rows of X.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows; with precomputed distances the block (n_samples, n_training).

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places; each row's depends on that row alone, and a training row's is its own.
        """
        check_is_fitted(self)
        if not self._data_first:
            raise ValueError(
                f"{self._name} was fitted to relations alone, so nothing says where new rows "
                f"belong. Fit it with X."
            )
        return super().transform(X)

    def inverse_transform(self, Z: Any) -> FloatArray:
        """Go back from the map to data, by a kernel smoother in the metric of the data.

        Parameters
        ----------
        Z : array of shape (n_samples, n_components)
            Positions in the map.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            What would lie there.
        """
        Z = self._check_map(Z)
        items = self._training_items()
        scales = self.scales_[0] if self._data_first else np.ones(self.n_components_)
        if not hasattr(self, "_smoother"):
            self._smoother = KernelSmoother.fit(self.embedding_ * scales, items)
        return self._smoother(Z * scales)

    def _data_and_relations(
        self, X: Any, side: Any, items: Any
    ) -> tuple[FloatArray | None, tuple[Any, ...]]:
        if X is not None:
            D, known = self._read(X, side, items)
            given = known.get("Relation", ())
            check_relations(given, len(D), alone=False, who=self._name)
            return D, given
        check_parameters(self, self._parameters)
        relations = (
            [] if side is None else list(side) if isinstance(side, (list, tuple)) else [side]
        )
        n = rows_of_relations(relations)
        known = gather_side(
            side, understands=("Relation",), several=("Relation",), n_samples=n, who=self._name
        )
        given = known.get("Relation", ())
        check_relations(given, n, alone=True, who=self._name)
        self.n_components_ = self._dimensions_for(None)
        self._check_components(n)
        self._forget({"n_components_"})
        self._items, self._points, self.side_metrics_ = self._check_items(items, n), None, []
        return None, given

    def _weights_of(self, given: tuple[Any, ...]) -> list[float]:
        if self.weights is None:
            return [1.0] * len(given)
        if len(self.weights) != len(given):
            raise ValueError(
                f"The 'weights' parameter of {self._name} must hold one weight for each Relation, "
                f"{len(given)}. Got {len(self.weights)}."
            )
        return [float(weight) for weight in self.weights]

    def _best_of_starts(
        self, objective: RelationalObjective, D: FloatArray | None, left: Pause | None
    ) -> Restarts:
        return best_of_starts(
            objective,
            self._starts(objective, D),
            max_iter=self.max_iter,
            rough=_COARSE,
            tol=self.tol,
            stage="multiple relational embedding",
            who=self._name,
            left_off=left,
        )

    def _starts(self, objective: RelationalObjective, D: FloatArray | None) -> list[FloatArray]:
        n, d = objective.n, objective.d
        unit = float(np.sqrt(self._choices.unit)) if D is not None else 1.0
        if D is not None and not objective.scaled:  # the data alone: stochastic neighbour embedding
            return [(classical_start(D, d, who=self._name) / unit).ravel()]
        rng = random_generator(self.random_state)
        starts = [
            objective.pack(*random_start(n, d, len(objective.relations), rng))
            for _ in range(self.n_restarts + (D is None))
        ]
        if D is not None:
            informed = informed_start(D, objective.relations, d, unit=unit, who=self._name)
            starts.insert(0, objective.pack(*informed))
        return starts

    def _settle(self, Z: FloatArray, R: FloatArray) -> None:
        """Fix what E leaves open: the middle, signs, order and units of the dimensions."""
        if len(R) == 1:
            self.embedding_, self.scales_ = principal_turn(Z), np.ones(R.shape)
        else:
            unit = np.maximum(np.abs(R).max(axis=0), 1e-300)
            points = (Z - Z.mean(axis=0)) * unit
            scales = np.abs(R) / unit
            order = _order(scales * points.std(axis=0), self._data_first)
            self.embedding_ = points[:, order] * column_signs(points[:, order])
            self.scales_ = scales[:, order]

    def _number(self, relation: int | str | Relation) -> int:
        check_is_fitted(self)
        first, n_given = int(self._data_first), len(self._fingerprints)
        if isinstance(relation, str) and relation == "X" and self._data_first:
            return 0
        if Whole(0).admits(relation) and int(relation) < n_given:  # type: ignore[arg-type]
            return int(relation) + first  # type: ignore[arg-type]
        if isinstance(relation, Relation) and fingerprint(relation) in self._fingerprints:
            return self._fingerprints.index(fingerprint(relation)) + first
        words = "'X' or " if self._data_first else ""
        raise ValueError(
            f"The relation asked of {self._name} must be {words}an int in the range "
            f"[0, {n_given}), or a Relation that it was fitted with. Got {relation!r} instead."
        )

    def _place_by_distances(self, D: FloatArray) -> FloatArray:
        scales, Z = self.scales_[0], self.embedding_
        choices = self._choices.of_new(D)
        seen = scales * Z.std(axis=0) > _NOTHING * np.max(scales * Z.std(axis=0))
        # in dimensions that the data do not see, the mean of those that are picked
        places = choices.preferences @ Z
        places[:, seen] = place_by_choices(choices, Z[:, seen] * scales[seen]) / scales[seen]
        return np.asarray(places)


def _order(relevance: FloatArray, data_first: bool) -> list[int]:
    """Give each relation in turn the dimension it makes most of; the rest by the data."""
    told = relevance[1:] if data_first else relevance
    order: list[int] = []
    left = set(range(relevance.shape[1]))
    for row in told:
        if left:
            best = max(sorted(left), key=lambda axis, row=row: float(row[axis]))  # type: ignore[misc]
            order.append(best)
            left.remove(best)
    return order + sorted(left, key=lambda axis: -float(relevance[0, axis]))
