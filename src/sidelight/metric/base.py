"""What acts in front of a method shares its manners; learned metrics a matrix and distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    _check_feature_names_in,
    _generate_get_feature_names_out,
    check_is_fitted,
    validate_data,
)

from sidelight.core import (
    FUNCTION,
    RANDOM_STATE,
    Expected,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    check_parameters,
    explain_table,
    fitting_afresh,
    of_moderate_size,
    random_generator,
    read_rows,
    require_memory,
)
from sidelight.metric.learning import (
    InnerMetric,
    KernelSpace,
    RowMetric,
    Space,
    SpannedSpace,
    open_kernel,
)
from sidelight.registry import understood_by
from sidelight.side import gather_side, meeting_side
from sidelight.similarity import (
    KERNEL_NAMES,
    check_kernel_table,
    refuse_unused_kernel_parameters,
    resolve_kernel,
)

KERNEL_PARAMETERS: Mapping[str, tuple[Expected, ...]] = {
    "kernel": (OneOf((None, *KERNEL_NAMES, "precomputed")), FUNCTION),
    "gamma": (OneOf(("scale",)), Real(0, open_below=True)),
    "degree": (Real(0, open_below=True),),
    "coef0": (Real(-np.inf),),
    "random_state": (RANDOM_STATE,),
}


#: What is reported where it is so.
NOTHING_KNOWN = "nothing was known"


def _works_on_features(metric: LearnedMetric) -> bool:
    """Of a fitted metric what it was fitted with, whatever was set since."""
    learned = vars(metric).get("_row_metric")
    return metric.kernel is None if learned is None else not learned.by_kernel


class FrontTransformer(TransformerMixin, BaseEstimator):
    """The common part of what is learned from side information and maps features."""

    _parameters: ClassVar[Mapping[str, tuple[Expected, ...]]] = {}

    n_features_in_: int
    report_: str

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        meeting_side(cls)
        if "fit" in vars(cls):
            cls.fit = fitting_afresh(cls.fit)

    @property
    def _understands(self) -> tuple[str, ...]:
        return understood_by(type(self))

    @property
    def _name(self) -> str:
        return type(self).__name__

    def _checked(self, X: Any, *, reset: bool) -> FloatArray:
        try:
            X = read_rows(self, X, reset=reset)
            return np.asarray(validate_data(self, X, reset=reset, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise explain_table(error, X, who=self._name) from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


class LearnedMetric(FrontTransformer):
    """The common part: maps x to A^{½}x, so that Euclidean distances become learned ones."""

    kernel: Any
    gamma: float | str
    degree: float
    coef0: float
    random_state: Any

    _row_metric: RowMetric

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; with ``kernel="precomputed"`` the kernel matrix.
        y : object
            Ignored: labels are side information, ``Pairs.from_labels(y)``.
        side : side information or list of it, optional
            What is known about the rows of X.  Without any the metric is the Euclidean one.

        Returns
        -------
        Self
            The fitted estimator.
        """
        raise NotImplementedError

    def transform(self, X: Any) -> FloatArray:
        """Map rows so that their Euclidean distances are the learned ones.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Rows; with a precomputed kernel the block k(new, training).

        Returns
        -------
        ndarray of shape (n_samples, n_features) or (n_samples, rank)
            X A^{½}; in the kernel form coordinates in the span of the training rows.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return self._row_metric.map(X)

    @available_if(_works_on_features)
    def inverse_transform(self, Z: Any) -> FloatArray:
        """Go back to the features.

        Parameters
        ----------
        Z : array of shape (n_samples, n_features)
            Rows as ``transform`` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Z A^{−½}.

        Raises
        ------
        ValueError
            If the metric is singular: rows at distance zero cannot be told apart.
        """
        check_is_fitted(self)
        back = self._row_metric.undo(self._checked(Z, reset=False))
        if back is None:
            raise ValueError(
                f"The metric of {self._name} is singular, so there is no way back: rows that "
                f"differ can be at distance zero."
            )
        return back

    def distances(self, X: Any, Y: Any = None) -> FloatArray:
        """Compute learned distances.

        Parameters
        ----------
        X : array of shape (m, n_features)
            Rows.
        Y : array of shape (n, n_features), optional
            Other rows; X itself by default.

        Returns
        -------
        ndarray of shape (m, n)
            ‖x − y‖_A.
        """
        A = self._plain_transform(X)
        B = A if Y is None else self._plain_transform(Y)
        require_memory(
            8.0 * len(A) * len(B),
            what=f"the {len(A)} × {len(B)} table of distances",
            who=f"{self._name}.distances",
            instead="Use transform() and a neighbour search in its output.",
        )
        return np.asarray(cdist(A, B))

    @property
    def metric_(self) -> FloatArray:
        """The learned matrix, written out.

        Returns
        -------
        ndarray of shape (n_features, n_features)
            A; in the kernel form 𝒜, over the rows that the kernel is expanded in.
        """
        check_is_fitted(self)
        order = self._row_metric.order
        require_memory(
            24.0 * order * order,
            what=f"the {order} × {order} matrix of the metric",
            who=self._name,
            instead="Use transform() or distances(), which never form it.",
        )
        return self._row_metric.matrix()

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Name the columns of the output.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input's columns.

        Returns
        -------
        ndarray of str
            The input's names; in the kernel form the class name, numbered.
        """
        check_is_fitted(self)
        if self._row_metric.by_kernel:
            return _generate_get_feature_names_out(self, self._n_features_out, input_features)
        return _check_feature_names_in(self, input_features)

    def _begin(self, X: Any, side: Any, **more: Any) -> tuple[FloatArray, dict[str, Any]]:
        """Check parameters, X and side information."""
        check_parameters(self, {**KERNEL_PARAMETERS, **self._parameters})
        refuse_unused_kernel_parameters(self, self.kernel)
        given, X = X, of_moderate_size(self._checked(X, reset=True), who=self._name)
        if self._given:
            if X.shape[0] != X.shape[1]:
                raise ValueError(
                    f"With kernel='precomputed', {self._name} expects X to be square, n_samples × "
                    f"n_samples. Got an array of shape {X.shape}."
                )
            check_kernel_table(X, who=self._name)
        known = gather_side(
            side,
            understands=self._understands,
            n_samples=X.shape[0],
            who=self._name,
            X=given,
            **more,
        )
        return X, known

    def _keep(self, space: Space, learned: InnerMetric) -> None:
        self._row_metric = RowMetric.of(space, learned)
        self.objective_ = learned.objective

    def _keep_identity(
        self, X: FloatArray, squared_unit: float = 1.0, objective: float = 0.0
    ) -> None:
        """Take the Euclidean metric in some unit: an empty span, so that 1 gives X to the bit."""
        space: Space = SpannedSpace(np.empty((X.shape[1], 0)))
        if self.kernel is not None:
            space, _ = self._open_kernel(X, np.empty(0, dtype=np.int64))
        inner = squared_unit * np.eye(space.dimension)
        self._keep(space, InnerMetric(inner, squared_unit, objective))

    def _open_kernel(self, X: FloatArray, named: IntArray) -> tuple[KernelSpace, FloatArray]:
        kernel = None
        if not self._given:
            kernel = resolve_kernel(
                self.kernel, X, gamma=self.gamma, degree=self.degree, coef0=self.coef0
            )
        return open_kernel(X, kernel, named, self._rng(), who=self._name)

    def _rng(self) -> np.random.Generator:
        return random_generator(self.random_state)

    def _plain_transform(self, X: Any) -> FloatArray:
        """Transform to an array, whatever container ``set_output`` asks for."""
        return np.asarray(LearnedMetric.transform.__wrapped__(self, X))  # type: ignore[attr-defined]

    @property
    def _given(self) -> bool:
        """Whether X is the kernel matrix."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _n_features_out(self) -> int:
        return int(self._row_metric.space.n_out)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._given
        return tags
