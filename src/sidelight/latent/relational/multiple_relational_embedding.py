"""Multiple relational embedding (latent-factor thesis chapter 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sidelight.core import (
    FloatArray,
    Matching,
    OneOf,
    Real,
    Whole,
    check_parameters,
    fingerprint,
    refuse_without_effect,
)
from sidelight.estimator import (
    Embedder,
    Map,
    SmoothBack,
    Told,
    course_of,
    facts_of,
    of_all_rows,
    pick_up,
)
from sidelight.latent.descending import (
    DISTANCE_PARAMETERS,
    Adjacent,
    AmongPlaced,
    adjacent_in,
    check_components,
    distance_table,
)
from sidelight.latent.relational.asked import Asked
from sidelight.latent.relational.axes import settled, settled_full
from sidelight.latent.relational.bases import BASES
from sidelight.latent.relational.objective import RelationalObjective
from sidelight.latent.relational.placing import ScaledBack, seen_through
from sidelight.latent.relational.relations import Alike, check_relations, rows_of_relations
from sidelight.latent.relational.starts import written_out
from sidelight.neighbors import each_row
from sidelight.side import Relation, gather_side
from sidelight.solvers.descent import Restarts, best_of_starts

#: Starts are compared after a descent to this tolerance; the best one goes on.
_COARSE = 1e-6


def _are_weights(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray)) and all(
        Real(0, open_below=True).admits(weight) for weight in value
    )


class MultipleRelationalEmbedding(Embedder):
    """Multiple relational embedding (MRE): one map for several kinds of similarity.

    Each relation c says with P_c which of its items pick which; it sees the map through a
    transformation of its own, Q_c,ij ∝ exp(−‖R_c(z_i − z_j)‖²), R_c diagonal or any matrix.
    Points and transformations minimise

        E(Z, R) = Σ_c λ_c (1/n_c) Σ_ij P_c,ij log(P_c,ij / Q_c,ij)

    (eq. 4.3 to 4.8): relations that have to do with each other share dimensions, others get
    dimensions of their own, and items of which a relation does not speak are placed by the
    others.  The similarity of the rows of X is one relation, over all of them; it may be left
    out.  Pairs, attributes and distances act through a learned metric that X is measured in.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    base : {"neighbors", "information", "spectral"}
        What a relation asks of the points that it sees, Y_c = Z_c R_cᵀ (section 4.1: the idea is
        not bound to one method).  ``"neighbors"``: the mismatch above, of stochastic neighbour
        embedding.  ``"information"``: minus the mutual information of
        :class:`KernelInformationEmbedding`, with ``penalty`` in the place of its ``alpha``, for one
        relation alone as well.  ``"spectral"``: the strain ‖K_c − Y_cY_cᵀ‖²/‖K_c‖² of classical
        scaling, K_c the centred similarities, of X the inner products of its rows.  A relation asks
        for as many dimensions as its K_c has: take wide similarities, such as
        ``Relation.from_values(v, bandwidth=16)``.
    transformations : {"diagonal", "full"}
        R_c: a scale for every dimension, so that relations share dimensions or have their own; or
        any matrix (eq. 4.6), so that they share directions, of which there may be more than
        dimensions.  ``"full"`` is refused where there is one relation alone, which has R = I.
    bandwidth : float or "auto"
        σ² of the similarity of X.  ``"auto"`` is 0.15 of the mean squared distance.  With the base
        ``"neighbors"`` it is twice the mean instead, if rows that are withheld from a relation are
        placed clearly better so: a relation may have to do with a small part of the variance of X.
        Refused with the base ``"spectral"``.
    perplexity : float, optional
        Effective neighbours of each row of X instead, with the base ``"neighbors"``.
    weights : sequence of float, optional
        λ_c, one for each ``Relation``, in their order; all one by default.
    data_weight : float
        λ of the similarity of X.
    penalty : float or "auto"
        ρ of the term ρ Σ_c (1/n) Σ_i ‖R_c z_i‖², added to E where there are several relations.  It
        keeps relations over different parts of the items from using one dimension for different
        things.  ``"auto"`` is 0.001, and 0.5 for several relations with the base
        ``"information"``, whose points fly apart with less.  Refused where there is one relation
        alone, unless the base is ``"information"``.
    n_restarts : int
        Random starts besides the one that is made from X and the relations; the lowest E wins.
        Refused with X alone.
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
    random_state : int, Generator, RandomState or None
        For the random starts; a fit that goes on has the same ones if this is an int.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, centred.  Column c is the one that relation c uses most, as far as each has one.
    transformations_ : ndarray of shape (n_relations, n_components, n_components)
        R_c, the data's first where X was given.  What E leaves open is fixed by a rule: full ones
        are symmetric and not negative, in coordinates without correlation, each relation in turn
        having the direction that it makes most of.
    scales_ : ndarray of shape (n_relations, n_components)
        The lengths of the columns of R_c, which are its diagonal where it is diagonal; in every
        dimension the largest is one.
    relevance_ : ndarray of shape (n_relations, n_components)
        scales_ · std(Z_c), Z_c the points of its items: how much each relation makes of each
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
    bandwidth_ : float, ndarray of shape (n_samples,) or None
        σ² of X; None without X.
    relations_ : list of str
        What the rows of ``scales_`` are: "X", or the fingerprint of a ``Relation``.

    Notes
    -----
    One relation alone has R = I, and with X as the only one this is
    :class:`StochasticNeighborEmbedding`; of the other bases it is an optimum of
    :class:`KernelInformationEmbedding`, and :class:`ClassicalMDS` in another unit.  The spectral
    base with several relations is individual differences scaling.  New rows are placed by the
    similarity of X, which is all that is known of them.

    E has many minima; ``n_restarts`` looks at more.

    References
    ----------
    R. Memisevic and G. Hinton (2005), "Multiple relational embedding".
    J. Carroll and J.-J. Chang (1970), "Analysis of individual differences in multidimensional
    scaling via an N-way generalization of Eckart–Young decomposition".

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

    Three directions of a plane: with a scale for every dimension two of them have one, with a
    matrix for every relation all three; here by inner products, of relations alone.

    >>> plane = np.random.default_rng(0).standard_normal((30, 2))
    >>> three = [
    ...     Relation.from_values(plane @ v, bandwidth=16) for v in ([1, 0], [0, 1], [0.7, 0.7])
    ... ]
    >>> for transformations in ("diagonal", "full"):
    ...     by_products = MultipleRelationalEmbedding(
    ...         2, base="spectral", transformations=transformations, n_restarts=0
    ...     )
    ...     print(round(by_products.fit(side=three).objective_, 2))
    0.12
    0.05
    """

    _parameters: ClassVar[Any] = {
        **DISTANCE_PARAMETERS,
        "bandwidth": (OneOf(("auto",)), Real(0, open_below=True)),
        "base": (OneOf(tuple(BASES)),),
        "transformations": (OneOf(("diagonal", "full")),),
        "perplexity": (OneOf((None,)), Real(1)),
        "weights": (OneOf((None,)), Matching(_are_weights, "a sequence of positive numbers")),
        "data_weight": (Real(0, open_below=True),),
        "penalty": (OneOf(("auto",)), Real(0)),
        "n_restarts": (Whole(0),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        base: str = "neighbors",
        transformations: str = "diagonal",
        bandwidth: float | str = "auto",
        perplexity: float | None = None,
        weights: Sequence[float] | None = None,
        data_weight: float = 1.0,
        penalty: float | str = "auto",
        n_restarts: int = 1,
        metric: Any = "euclidean",
        max_iter: int = 2000,
        tol: float = 1e-9,
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.base = base
        self.transformations = transformations
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
        side : side information or list of it, optional
            What is known: relations as they are; beside X alone a Sequence as a term that keeps
            adjacent rows near, where their order shows in the data; the others as a metric that X
            is measured in; the finished map is moved to anchors.
        items : array of shape (n_samples, n_items_features), optional
            What ``inverse_transform`` goes back to, where X is left out or precomputed.

        Returns
        -------
        MultipleRelationalEmbedding
            The fitted estimator.
        """
        told, alike = self._told_of(X, side, items)
        self._refuse_without_effect(alike)
        told_by = (alike.D, alike.relations, told.known.get("Sequence"))
        asked = self._asked()
        thread = pick_up(self, told_by, asked.count_variables(alike))
        left, searched = thread.where or (None, None)
        alike, searched = asked.with_choices(alike, self.bandwidth, self.perplexity, searched)
        told, adjacent = self._adjacent_in(told, alike)
        objective = asked.objective(alike, adjacent)
        found = best_of_starts(
            objective,
            asked.starts(objective, alike, self.n_restarts, self.random_state),
            rough=_COARSE,
            left_off=left,
            polished=objective.scaled,  # relations leave valleys flat, and stops in them to chance
            **course_of(self, "multiple relational embedding"),
        )
        settle = settled_full if objective.full else settled
        Z, R = settle(*objective.unpack(found.best.x), data_first=alike.by_data)
        given = {"bandwidth_": asked.bandwidth_of(alike), "relations_": alike.names}
        facts = {**_facts_of(objective, found, Z, R), **given}
        pause = None if found.pause is None else (found.pause, searched)
        rule = asked.placing(alike, Z, R)
        return self._adopt(told, _map_of(Z, R, told, rule, facts), thread.left_at(pause))

    def metric_for(self, relation: int | str | Relation) -> FloatArray:
        """Give the metric in which a relation sees the map, d²(z, z') = (z − z')ᵀA(z − z').

        Parameters
        ----------
        relation : int, Relation or "X"
            Which: its position among the relations of ``side``, one of them, or the data's own.

        Returns
        -------
        ndarray of shape (n_components, n_components)
            A = RᵀR.
        """
        check_is_fitted(self)
        R = self.transformations_[self._number(relation)]
        return np.asarray(R.T @ R)

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
        check_is_fitted(self)
        points = self._map.points
        if without is not None:
            share = self.relevance_[self._number(without)]
            points = points * (1 - (share / max(share.max(), 1e-300)) ** 2)
        return np.asarray(points @ self.transformations_[self._number(relation)].T)

    def transform(self, X: Any, *, condition: Any = None) -> FloatArray:
        """Place new rows by their similarity to the rows of X.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            New rows; with precomputed distances the block (n_samples, n_training).
        condition : Condition or list of them, optional
            The values of a known factor for these rows, where one was taken out in front.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Their places; each row's depends on that row alone, and a training row's is its own.
        """
        check_is_fitted(self)
        if self._map.place is None:
            raise ValueError(
                f"{self._name} was fitted to relations alone, so nothing says where new rows "
                f"belong. Fit it with X."
            )
        return super().transform(X, condition=condition)

    def _told_of(self, X: Any, side: Any, items: Any) -> tuple[Told, Alike]:
        """What the fit was told, and what of it items are alike by."""
        if X is not None:
            told = self._hear(X, side, items, inside=("Relation",))
            D = distance_table(told.points, self.n_components_)[0]
            given = told.known.get("Relation", ())
            check_relations(given, len(D), alone=False, who=self._name)
            return told, Alike(D, given)
        check_parameters(self, self._parameters)
        listed = list(side) if isinstance(side, (list, tuple)) else [side]
        n = rows_of_relations(listed)
        self.n_components_ = self._dimensions_for(None)
        known = gather_side(
            side,
            understands=("Relation", "Anchors", "Sequence"),
            several=("Relation",),
            n_samples=n,
            who=self._name,
            n_components=self.n_components_,
        )
        given = known.get("Relation", ())
        check_relations(given, n, alone=True, who=self._name)
        check_components(self.n_components_, n, who=self._name)
        told = self._tell(None, known, items=self._check_items(items, n), inside=("Relation",))
        return told, Alike(None, given)

    def _asked(self) -> Asked:
        return Asked(
            self.base,
            self.n_components_,
            self.transformations == "full",
            self.penalty,
            self.data_weight,
            self.weights,
            self._name,
        )

    def _refuse_without_effect(self, alike: Alike) -> None:
        data, n_given, base = alike.by_data, len(alike.relations), BASES[self.base]
        alone = ("transformations", *(("penalty",) * (not base.always_penalised)))
        if not data:
            idle: tuple[str, ...] = ("bandwidth", "perplexity", "data_weight", "metric")
            refuse_without_effect(self, idle, "without X")
        if data and not n_given:
            refuse_without_effect(self, (*alone, "n_restarts"), "without a Relation")
        if not data and n_given == 1:
            refuse_without_effect(self, alone, "with one Relation alone")
        if data:
            refuse_without_effect(self, base.idle, f"with base={self.base!r}")

    def _adjacent_in(self, told: Told, alike: Alike) -> tuple[Told, Adjacent]:
        """The term of adjacent rows, beside X alone."""
        if "Sequence" in told.known and alike.relations:
            raise ValueError(
                f"{self._name} cannot listen to a Sequence beside a Relation: each relation sees "
                f"the map in units of its own, so that nothing says how near adjacent rows are. "
                f"Leave one of them out."
            )
        weight = self.data_weight * BASES[self.base].adjacent
        return adjacent_in(told, told.points, weight, who=self._name)

    def _number(self, relation: int | str | Relation) -> int:
        names: list[str] = self.relations_
        first = int(names[0] == "X")
        if isinstance(relation, str) and relation == "X" and first:
            return 0
        if Whole(0).admits(relation) and int(relation) < len(names) - first:  # type: ignore[arg-type]
            return int(relation) + first  # type: ignore[arg-type]
        if isinstance(relation, Relation) and fingerprint(relation) in names:
            return names.index(fingerprint(relation))
        words = "'X' or " if first else ""
        raise ValueError(
            f"The relation asked of {self._name} must be {words}an int in the range "
            f"[0, {len(names) - first}), or a Relation that it was fitted with. Got {relation!r} "
            f"instead."
        )


def _facts_of(
    objective: RelationalObjective, found: Restarts, Z: FloatArray, R: FloatArray
) -> dict[str, Any]:
    """What was found, by the names it has on the estimator."""
    scales = np.linalg.norm(R, axis=1) if R.ndim == 3 else R
    return {
        "transformations_": R if R.ndim == 3 else written_out(R),
        "scales_": scales,
        "relevance_": scales * np.array([Z[c.rows].std(axis=0) for c in objective.relations]),
        "objectives_": objective.parts(Z, R),
        "starts_": found.values / objective.n,
        **facts_of(found.best, objective.n),
    }


def _map_of(
    Z: FloatArray,
    R: FloatArray,
    told: Told,
    rule: Callable[[FloatArray], FloatArray] | None,
    facts: dict[str, Any],
) -> Map:
    """The map, with ways to it and back by the similarity of X where there is one."""
    if rule is None:
        return Map(Z, None, facts)
    points = told.points
    found = of_all_rows(Map(Z, AmongPlaced(points, Z, rule), facts), points, each_row(points.n))
    if told.items is None:
        return found
    return replace(found, back=ScaledBack(R[0], SmoothBack(seen_through(R[0], Z), told.items)))
