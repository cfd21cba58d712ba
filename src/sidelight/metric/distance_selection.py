"""Columns that keep distances (probabilistic slides, "Feature selection")."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted

from sidelight.core import (
    BoolArray,
    FloatArray,
    IntArray,
    OneOf,
    Whole,
    check_parameters,
    counted,
    explain_table,
    of_moderate_size,
    unmasked,
)
from sidelight.metric.base import FrontTransformer
from sidelight.metric.learning import best_columns, judged_columns
from sidelight.side import Distances, gather_side

#: Without knowledge, columns are taken until what is left of squared distances is this share.
_LEFT = 0.1


class DistanceSelection(FrontTransformer):
    """Select columns by distances: those that keep the squared distances of rows, or known ones.

    With d_ij the squared distances that should be kept and δ_ij those of the selected columns S,

        E(S) = Σ_ij |d_ij − δ_ij|,   δ_ij = Σ_{k∈S} (x_ik − x_jk)²,

    and the column is added that lowers E most, again and again.  Of the distances between all rows
    themselves δ never exceeds d, E is what the other columns add to them, and the columns with the
    largest variance are the optimum for any number of them.  Of distances that are known of some
    pairs (``Distances``, in the units of X) columns are added and exchanged until nothing lowers
    E.

    Parameters
    ----------
    n_features_to_select : int or "auto"
        How many columns.  ``"auto"``: for the rows' own distances the fewest that leave out at
        most a tenth of them; for known ones as many as predict those of rows left out best.  If
        they predict these no better than all columns do, or than one number, all columns are kept.

    Attributes
    ----------
    support_ : ndarray of bool of shape (n_features,)
        Which columns are selected.
    order_ : ndarray of int of shape (n_selected,)
        The columns in the order in which they are selected.
    errors_ : ndarray of shape (n_selected,)
        The mean of |d − δ| over pairs with one column, with two and so on; of known distances the
        last is that of the columns after exchanges.
    report_ : str
        What became of the knowledge.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.metric import DistanceSelection
    >>> from sidelight.side import Distances
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 6))
    >>> pairs = rng.choice(40, (60, 2))
    >>> pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    >>> known = np.linalg.norm(X[pairs[:, 0]][:, [1, 4]] - X[pairs[:, 1]][:, [1, 4]], axis=1)
    >>> DistanceSelection().fit(X, side=Distances(pairs, known)).get_support(indices=True)
    array([1, 4])
    """

    _parameters: ClassVar[Any] = {"n_features_to_select": (Whole(1), OneOf(("auto",)))}

    def __init__(self, n_features_to_select: int | str = "auto") -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Select the columns.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : Distances or list of Distances, optional
            How far apart some rows are; without any, as far as they are in X.

        Returns
        -------
        DistanceSelection
            The fitted estimator.
        """
        check_parameters(self, self._parameters)
        given, X = X, of_moderate_size(self._checked(X, reset=True), who=self._name)
        n, p = X.shape
        if not isinstance(self.n_features_to_select, str) and self.n_features_to_select > p:
            raise ValueError(
                f"The 'n_features_to_select' parameter of {self._name} must be at most "
                f"n_features={p}. Got {self.n_features_to_select}."
            )
        known = gather_side(
            side,
            understands=self._understands,
            n_samples=n,
            who=self._name,
            X=given,
            strict=False,
        )
        if known:
            return self._keep_known(X, known["Distances"])
        return self._keep_widest(X)

    def _keep_widest(self, X: FloatArray) -> Self:
        """The columns with the largest variance: of all pairs, each adds twice its variance."""
        adds = 2 * X.var(axis=0)
        order = np.argsort(-adds, kind="stable")
        left = adds.sum() - np.cumsum(adds[order])
        count = self.n_features_to_select
        if isinstance(count, str):
            enough = left <= _LEFT * adds.sum()
            count = 1 + int(np.argmax(enough))
        self.report_ = "nothing was known: columns that keep the distances of rows"
        return self._keep(order[:count], np.maximum(left[:count], 0.0), X.shape[1])

    def _keep_known(self, X: FloatArray, distances: Distances) -> Self:
        """Columns that tell known distances."""
        pairs, target = distances.pairs, np.asarray(distances.values) ** 2
        squares = (X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2
        count = self.n_features_to_select
        if isinstance(count, str):
            judged = judged_columns(squares, target, pairs)
            self.report_ = judged.report()
            if not judged.used:
                return self._keep_all(squares, target)
            count = judged.count
        else:
            self.report_ = f"used for {counted(count, 'column')}, which was given"
        order, errors = best_columns(squares, target, int(count))
        return self._keep(order, errors, X.shape[1])

    def _keep_all(self, squares: FloatArray, target: FloatArray) -> Self:
        p = squares.shape[1]
        errors = np.abs(target[:, None] - np.cumsum(squares, axis=1)).mean(axis=0)
        return self._keep(np.arange(p), errors, p)

    def _keep(self, order: IntArray, errors: FloatArray, p: int) -> Self:
        self.order_, self.errors_ = np.asarray(order), np.asarray(errors)
        self.support_: BoolArray = np.isin(np.arange(p), order)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Keep the selected columns.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_selected)
            Their selected columns.
        """
        check_is_fitted(self)
        return np.asarray(self._checked(X, reset=False)[:, self.support_])

    def inverse_transform(self, X: Any) -> FloatArray:
        """Put columns back where they were, with zeros in place of those left out.

        Parameters
        ----------
        X : array of shape (n_samples, n_selected)
            Selected columns.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        try:
            kept = np.asarray(check_array(unmasked(X), dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise explain_table(error, X, who=self._name) from error
        if kept.shape[1] != self.support_.sum():
            raise ValueError(
                f"{self._name} selected {counted(self.support_.sum(), 'column')}, and X must have "
                f"as many. Got {kept.shape[1]}."
            )
        back = np.zeros((len(kept), len(self.support_)))
        back[:, self.support_] = kept
        return back

    # scikit-learn's own mixin for these two would load its scores of features, at every start
    def get_support(self, indices: bool = False) -> BoolArray | IntArray:
        """Say which columns are selected.

        Parameters
        ----------
        indices : bool
            Whether they are named by number.

        Returns
        -------
        ndarray of bool of shape (n_features,), or of int of shape (n_selected,)
            A mask of the columns, or their numbers.
        """
        check_is_fitted(self)
        return np.flatnonzero(self.support_) if indices else self.support_

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Name the selected columns.

        Parameters
        ----------
        input_features : array of str, optional
            The names of all columns; those that X had, by default.

        Returns
        -------
        ndarray of str
            The names of the selected ones.
        """
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)[self.support_]
