"""Conditional embedding: items matched across the values of a known factor."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS,
    FUNCTION,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    Whole,
    require_memory,
)
from sidelight.estimator import Map, Told
from sidelight.latent.conditioning.map import map_without_factor
from sidelight.latent.conditioning.several import combined, matched_alone
from sidelight.latent.density import (
    ByDensity,
    DensityEmbedder,
    JointDensity,
    bandwidth_of_placing,
    differing_columns,
    kernel_for,
)
from sidelight.latent.information import (
    PENALTIES,
    KernelInformationEmbedding,
    on_axes,
    penalty_for,
    warn_if_collapsed,
)
from sidelight.latent.information.conditional import Factors, in_given_order

#: λ, where none is given.
ALPHA = 0.05


class ConditionalEmbedding(DensityEmbedder):
    """Conditional embedding: a known factor is left out, whatever it does to items.

    A cup from the left and the same cup from the right have no pixel in common: where a factor
    moves items that far, subtracting what it does (:class:`~sidelight.FactorRemoval`) is not
    enough.  Items are matched instead.  W_ab says how well b is what a would be at b's value of the
    factor; with memberships M of items to values l and trust ω in matches, Z maximises

        J(Z) = (1/N) Σ_a Σ_l ω_al [log Σ_b M_bl W_ab k_ab − log Σ_b M_bl k_ab] − (λ/N) Σ_a ‖z_a‖²,

    k_ab = exp(−‖z_a − z_b‖²): an item's matches are told from the others *at the same value*, so
    that nothing is gained by separating values.  It begins with eigenvectors of the matches that
    are orthogonal to functions of the factor.  Classes are matched by balanced transport of what
    the factor leaves unexplained, only in part where some class has no counterpart of an item.
    Numbers that hardly repeat are matched by chains of matches, along a rotation exp(δG) that is
    learned if it carries items along.  New rows, the way back, and items shown at other values of
    the factor come from the joint density of data and map.

    Without a ``Condition``, and with one that does not show in the data (its values agree no better
    among near rows than shuffled ones: a warning says so), the map is that of
    :class:`~sidelight.KernelInformationEmbedding`.

    Several Conditions that are all classes are matched across their combinations, which takes five
    rows of each on average.  Of others the one whose values lie farthest apart after a shift is
    matched, and :class:`~sidelight.FactorRemoval` takes the rest out in front.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    bandwidth : float, "auto" or "leave_one_out"
        The h of k(y, y') = exp(−‖y − y'‖²/h) with which new rows are placed; ``"auto"`` predicts
        every latent point best from all others.
    penalty : {"l2", "l4"} or callable
        ω.  A callable takes Z and gives Σ_a ω(z_a) and its gradient.
    alpha : float or "auto"
        λ; ``"auto"`` is 0.05.
    max_iter : int
        Most iterations of a descent.
    tol : float
        A descent stops when the objective changes by less than this, relatively.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The latent points, on their principal axes.
    bandwidth_ : float
        h.
    alpha_ : float
        λ.
    objective_ : float
        J(Z) − J(0), in nats.
    mutual_information_ : float
        The same without the penalty: what the points tell of the matches.
    history_ : ndarray of shape (n_steps_taken + 1,)
        The objective at the end of every step; that of the finished map comes last.
    path_ : dict of ndarray
        ``"alpha"`` of every step taken, and ``"bandwidth"`` (NaN: matches have none).  A spectral
        map that no step made better has no steps.
    n_steps_ : int
        Steps to the map.
    n_iter_ : int
        Iterations in all, of all maps that were tried.
    onset_ : float or None
        None; of the plain map, λ at which the points begin to unfold.

    Notes
    -----
    Maps of all values of the factor agree, so that a new row needs no condition to be placed; where
    its own is given it is compared with items of like condition alone, at E[z | y, x].  Where a
    factor is taken out in front new rows need the values of all.

    Tables of n × n matches are kept: some thousand rows.  ``embed`` fits a sample of more, and
    places the others.

    References
    ----------
    R. Memisevic (2008), "Non-linear latent factor models for revealing structure in
    high-dimensional data", PhD thesis, University of Toronto, section 3.2, for the conditional
    information that this replaces by matches.
    P. A. Knight, D. Ruiz and B. Uçar (2014), "A symmetry preserving algorithm for matrix scaling".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import ConditionalEmbedding
    >>> from sidelight.side import Condition
    >>> t = np.tile(np.linspace(0, 1, 20), 2)
    >>> kind = np.repeat(["a", "b"], 20)
    >>> X = np.column_stack([t, np.where(kind == "a", 5.0, 0.0), 0.1 * np.sin(9 * t)])
    >>> Z = ConditionalEmbedding(1).fit_transform(X, side=Condition(kind))
    >>> round(abs(float(np.corrcoef(Z[:20, 0], Z[20:, 0])[0, 1])), 3)
    1.0
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "bandwidth": (Real(0, open_below=True), OneOf(("auto", "leave_one_out"))),
        "penalty": (OneOf(tuple(PENALTIES)), FUNCTION),
        "alpha": (Real(0), OneOf(("auto",))),
        "max_iter": (Whole(1),),
        "tol": (Real(0, open_below=True),),
    }
    _takes_sparse = False

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        bandwidth: float | str = "auto",
        penalty: Any = "l2",
        alpha: float | str = "auto",
        max_iter: int = 500,
        tol: float = 1e-13,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.penalty = penalty
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Match items across the values of the factor, and lay them out by what it does not say.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : side information or list of it, optional
            Conditions: the factors that are known and are left out of the map.  What is learned as
            a metric, in front; where some rows go, to which the finished map is brought.

        Returns
        -------
        ConditionalEmbedding
            The fitted estimator.
        """
        told = self._told_of(X, side)
        items, number, conditions = told.points, None, told.known.get("Condition", ())
        if "Condition" in told.apart:
            number, alone = told.apart["Condition"]
            conditions = (alone,)
        columns = differing_columns(items, self.n_components_, who=self._name)
        factors = Factors.of(conditions, items, who=self._name)
        if any(factors.shown):
            found = self._matched(items, columns, factors)
            warn_if_collapsed(found.points, found.facts["alpha_"], None, self._name)
        else:
            found = self._plain(items, factors)
        if number is not None:
            assert isinstance(found.place, ByDensity)
            of = 1 + len(told.known["Condition"])
            found = replace(found, place=replace(found.place, number=number, of=of))
        said = factors.said("rows are matched across its values, and it is left out of the map")
        return self._adopt(replace(told, of_each=said), found)

    def _tell(self, X: Any, known: dict[str, Any], **options: Any) -> Told:
        """Where one of several Conditions is matched alone, the others act in front."""
        conditions = known.get("Condition", ())
        for condition in conditions:
            condition.refuse_kernel(who=self._name)
        number = matched_alone(X, conditions, who=self._name)
        if number is None:
            return super()._tell(X, known, **options)
        others = conditions[:number] + conditions[number + 1 :]
        with warnings.catch_warnings():
            # the report says so too, and what is advised instead is done for the one farther apart
            warnings.filterwarnings("ignore", "FactorRemoval subtracts", UserWarning)
            told = super()._tell(X, {**known, "Condition": others}, **{**options, "inside": ()})
        return replace(told, apart={"Condition": (number, conditions[number])})

    def _matched(self, items: FloatArray, columns: IntArray, factors: Factors) -> Map:
        n, factor = len(items), combined(factors.that_show, who=self._name)
        require_memory(
            96.0 * n * n,
            what=f"the matches of {n} × {n} pairs",
            who=self._name,
            instead="Fit a part of the rows, and place the others with transform.",
        )
        Y, order = items[:, columns], np.lexsort(items[:, columns].T[::-1])
        alpha = ALPHA if self.alpha == "auto" else float(self.alpha)
        penalty = penalty_for(self.penalty)
        sorted_map = map_without_factor(
            Y[order],
            factor.of_rows(order),
            self.n_components_,
            alpha=alpha,
            penalty=penalty,
            max_iter=self.max_iter,
            tol=self.tol,
            who=self._name,
        )
        found = in_given_order(sorted_map, order)
        kernel, Z = kernel_for("gaussian", Y), on_axes(found.points, self.penalty)
        h = bandwidth_of_placing(self.bandwidth, Y, Z, kernel)
        place = ByDensity(JointDensity(items, Z, columns, kernel, h), factors.beside(Y, Z))
        return Map(Z, place, found.facts(Z, h, alpha, penalty))

    def _plain(self, items: FloatArray, factors: Factors) -> Map:
        model = _Plain(
            self.n_components_,
            bandwidth=self.bandwidth,
            penalty=self.penalty,
            alpha=self.alpha,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        plain = model.fit(items)._map
        assert isinstance(plain.place, ByDensity)
        factor = factors.as_one() if factors.known else None
        return replace(plain, place=replace(plain.place, factor=factor))


class _Plain(KernelInformationEmbedding):
    """The map without a factor, whose warnings are about the estimator that was asked."""

    @property
    def _name(self) -> str:
        return "ConditionalEmbedding"
