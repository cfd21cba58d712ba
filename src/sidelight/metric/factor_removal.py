"""A known factor taken out of the features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from sidelight.core import (
    Expected,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    check_parameters,
    of_moderate_size,
    one_blas_thread,
    warn,
)
from sidelight.metric.base import NOTHING_KNOWN, FrontTransformer
from sidelight.metric.factor import (
    SETTINGS,
    Effect,
    FittedRows,
    Removal,
    Said,
    find_effect,
    said_by,
)
from sidelight.side import Condition, SideInformation, by_number, gather_side


class FactorRemoval(OneToOneFeatureMixin, FrontTransformer):
    """Take a known factor out of the features: what it does to an item is subtracted.

    In the leading principal axes an item of kind k is y = b_k + (B₀ + Σ_q u_kq A_q)ᵀφ(x), where φ
    says the known values (classes one by one, numbers by Legendre polynomials of their mid-rank,
    or one by one where each comes again and no such curve tells them, angles by three harmonics),
    kinds are soft prototypes, and u_k are coordinates of b_k, times the part of the factor's
    variance that the kind is seen with.  The shift (B₀ + Σ_q u_q A_q)ᵀφ(x) is taken out; since
    kinds are partialled out, a kind that is seen at some values of the factor only is not mistaken
    for an effect of the factor.

    Three decisions are made without any label.  A factor is left in if neighbours agree in it no
    more than shuffled ones would, beside other factors as well; if all are left in, X stays as it
    is.  Shifts depend on the kind as long as rows left out are predicted no worse for it, and the
    distances among rows of one value keep their order.  If rows of different values still lie
    apart, a warning says that no shift undoes this factor; it is left in if the shift does not
    bring them nearer by half.

    Parameters
    ----------
    ridge : float or "auto"
        λ on the part of the shift that depends on the kind; infinite: one shift for all kinds.
    always : bool
        Whether the factor is taken out even where neighbours do not show it, or no shift undoes it.

    Attributes
    ----------
    removed_ : bool
        Whether anything is taken out.
    strength_ : float
        The r.m.s. of the shift over that of the rows; zero where nothing is taken out.
    ridge_ : float
        The λ used; infinite where rows are too few for kinds.
    separation_ : float
        In what comes out, the distance to the nearest row of another value over the distance to
        the nearest row of the same value.
    report_ : str
        What was done.
    reports_ : tuple of str
        What was done about each ``Condition``.
    n_features_in_ : int
        The number of features.

    Notes
    -----
    At most 10,000 rows are fitted; each row is shifted by its own values alone.  A shift cannot
    undo a large rotation: for such factors there is :class:`~sidelight.ConditionalEmbedding`.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import FactorRemoval
    >>> from sidelight.side import Condition
    >>> rng = np.random.default_rng(0)
    >>> batch = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 3)) + 4.0 * batch[:, None]
    >>> model = FactorRemoval().fit(X, side=Condition(np.where(batch, "b", "a")))
    >>> clean = model.transform(X, condition=Condition(np.where(batch, "b", "a")))
    >>> apart = [Z[batch == 1].mean() - Z[batch == 0].mean() for Z in (X, clean)]
    >>> model.removed_, bool(apart[0] > 3.9), bool(apart[1] < 0.5)
    (True, True, True)
    """

    _parameters: ClassVar[Mapping[str, tuple[Expected, ...]]] = {
        "ridge": (OneOf(("auto", float("inf"))), Real(0, open_below=True)),
        "always": (OneOf((True, False)),),
    }

    reports_: tuple[str, ...]
    _removal: Removal | None

    def __init__(self, ridge: float | str = "auto", *, always: bool = False) -> None:
        self.ridge = ridge
        self.always = always

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Learn what the factor does to items.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : Condition or list of them, optional
            The factors whose values are known for every row.  Without any, nothing is taken out.

        Returns
        -------
        FactorRemoval
            The fitted estimator.
        """
        check_parameters(self, self._parameters)
        given, X = X, of_moderate_size(self._checked(X, reset=True), who=self._name)
        known = gather_side(
            side,
            understands=self._understands,
            several=("Condition",),
            n_samples=X.shape[0],
            who=self._name,
            X=given,
        )
        self._removal, self.ridge_, self.strength_, self.separation_ = None, np.inf, 0.0, 1.0
        self.report_, self.reports_ = NOTHING_KNOWN, ()
        if known:
            with one_blas_thread():  # thin products by the hundred
                self._learn(X, known["Condition"])
        self.removed_ = self._removal is not None
        return self

    def fit_transform(self, X: Any, y: Any = None, *, side: Any = None) -> FloatArray:
        """Learn what the factor does, and take it out of the same rows.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : Condition or list of them, optional
            The factors whose values are known for every row.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            X without the factor.
        """
        return np.asarray(self.fit(X, y, side=side).transform(X, condition=side))

    def transform(self, X: Any, condition: Any = None) -> FloatArray:
        """Take the factor out of rows, each by its own values.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.
        condition : Condition or list of them, or array of values
            The values of the factors for these rows, as in ``fit``.  Not needed where nothing is
            taken out.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows without the factor; X itself where nothing is taken out.
        """
        check_is_fitted(self)
        condition = by_number(_stated(condition), X, who=self._name)
        X = self._checked(X, reset=False)
        if self._removal is None:
            return np.asarray(X)
        with one_blas_thread():
            return self._removal.without(X, self._said(condition, len(X)))

    def inverse_transform(self, Z: Any, condition: Any = None) -> FloatArray:
        """Put the factor back: what the item would be at these values.

        Parameters
        ----------
        Z : array of shape (n_samples, n_features)
            Rows as ``transform`` gives them.
        condition : Condition or list of them, or array of values, optional
            The values to put back; by default the mean over the fitted rows.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows with the factor.
        """
        check_is_fitted(self)
        condition = by_number(_stated(condition), Z, who=self._name)
        Z = self._checked(Z, reset=False)
        if self._removal is None or condition is None:
            return np.asarray(Z)
        return self._removal.shifted(Z, self._said(condition, len(Z)))

    def _learn(self, X: FloatArray, conditions: tuple[Condition, ...]) -> None:
        for condition in conditions:
            condition.refuse_kernel(who=self._name)
        some = FittedRows.of(X, SETTINGS)
        said = [Said.of(condition, some, SETTINGS, who=self._name) for condition in conditions]
        # each by itself: beside a factor that shows, one that does not would be taken out too
        taken = [self.always or one.seen > SETTINGS.gate for one in said]
        outcome = ""
        if any(taken):
            found = find_effect(X, some, said, taken, self.ridge, SETTINGS, who=self._name)
            said = list(found.said)
            groups = [g for one, goes in zip(said, taken, strict=True) if goes for g in one.groups]
            outcome = self._take_out(X, found, groups)
        self.reports_ = tuple(
            f"{outcome + '; ' if goes else 'not taken out: '}"
            f"{'its numbers are read one by one; ' * (one.basis.kind == 'levels')}"
            f"neighbours agree in it by {one.seen:.1f} standard deviations more than shuffled ones"
            for one, goes in zip(said, taken, strict=True)
        )
        self.report_ = self.reports_[0]
        if len(self.reports_) > 1:
            self.report_ = "; ".join(f"condition {k}: {r}" for k, r in enumerate(self.reports_))

    def _ridge_of(self, found: Effect) -> float:
        """The λ used: of one kind of items there is one shift, whatever was asked for."""
        if len(found.removal.shifts.prototypes) > 1:
            return found.ridge
        if not isinstance(self.ridge, str) and np.isfinite(self.ridge):
            warn(
                f"The 'ridge' parameter of {self._name} has no effect here: kinds of items have "
                f"{SETTINGS.rows_per_kind} rows each, and of fewer than twice as many there is one "
                f"kind and one shift. Got {self.ridge!r}; leave it out, or give more rows."
            )
        return float(np.inf)

    def _take_out(self, X: FloatArray, found: Effect, groups: list[IntArray]) -> str:
        """Take the factor out, if rows of different values come together so; say what was done."""
        removal, phi = found.removal, found.phi
        before = removal.separation(X, groups, SETTINGS)
        after = removal.separation(X, groups, SETTINGS, without=phi)
        is_apart = after > SETTINGS.apart
        is_undone = before - after >= SETTINGS.undone * (before - 1)
        if is_apart and not is_undone and not self.always:
            self.separation_ = before
            outcome = (
                f"not taken out: rows of other values are {before:.2f} times as far as rows of the "
                f"same value, and would be {after:.2f} times as far after a shift"
            )
        else:
            self._removal, self.separation_ = removal, after
            self.ridge_ = self._ridge_of(found)
            self.strength_ = removal.strength(X, phi)
            how = "one shift for all" if np.isinf(self.ridge_) else "shifts by kind of item"
            outcome = f"taken out by {how}, {self.strength_:.2f} of the spread of the rows"
            if is_apart:
                still = f"rows of other values are still {after:.2f} times as far"
                outcome += f"; {still} as rows of the same value"
        if is_apart:
            what = (
                "does not undo it" if self._removal else "does not undo it, so that it is left in"
            )
            warn(
                f"{self._name} subtracts what the Condition does, and that {what}: rows of other "
                f"values are {self.separation_:.2f} times as far as rows of the same value. For a "
                f"factor that changes items more than a shift can, such as a large rotation, use "
                f"ConditionalEmbedding().fit(X, side=Condition(…))."
            )
        return outcome

    def _said(self, condition: Any, n_rows: int) -> FloatArray:
        assert self._removal is not None
        bases = self._removal.bases
        given = condition if isinstance(condition, (list, tuple)) else [condition]
        values = [v if isinstance(v, Condition) else None for v in given]
        if len(values) != len(bases) or None in values:
            got = "nothing" if condition is None else f"{type(condition).__name__}"
            raise ValueError(
                f"{self._name} takes a known factor out of new rows by their own values of it: "
                f"give them, transform(X, condition=Condition(…)), {len(bases)} as in fit. Got "
                f"{got}."
            )
        for value in values:
            assert value is not None
            value.check(n_rows, who=self._name)
        return said_by(bases, [v for v in values if v is not None], who=self._name)


def _stated(condition: Any) -> Any:
    """Plain values as a Condition: here they cannot mean anything else."""
    stated = condition if isinstance(condition, (list, tuple)) else (condition,)
    if condition is None or any(isinstance(value, SideInformation) for value in stated):
        return condition
    return Condition(condition)
