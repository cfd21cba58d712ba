"""One metric for several distinctions (thesis section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.linalg
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray
from sidelight.metric.base import NOTHING_KNOWN, LearnedMetric
from sidelight.metric.learning import InnerMetric, learn_from_pairs
from sidelight.metric.pairwise import PAIRWISE_PARAMETERS, open_pairs
from sidelight.side import Pairs


class MultiAttributeMetric(LearnedMetric):
    """Learn one metric that keeps several distinctions, each said by its own pairs.

    A metric A_1, …, A_k is learned for every attribute.  The thesis takes the dominant eigenvector
    of each, and Â = UUᵀ with U an orthonormal basis of their span: a projector
    (``loss="thesis"``).  The default takes the mean of the safe metrics of
    :class:`EquivalenceMetric`: the squared distance is the mean of the attributes' squared
    distances, so that rows are near when they are alike in every respect.

    Parameters
    ----------
    loss : {"safe", "thesis"}
        Which objective, for each attribute.
    strength : float or "auto"
        γ of the safe loss, as in :class:`EquivalenceMetric`.
    kernel : {None, "linear", "rbf", "polynomial", "cosine", "precomputed"} or callable
        Learn in the feature space of a kernel (section 3.4); None: on the features themselves.
    gamma : float or "scale"
        γ of the kernels rbf and polynomial; ``"scale"`` is 1 / Σ_j var(x_j).
    degree : float
        Of the polynomial kernel.
    coef0 : float
        Of the polynomial kernel.
    random_state : int, Generator, RandomState or None
        For the draws of background rows in large problems.

    Attributes
    ----------
    metric_ : ndarray of shape (n_features, n_features)
        A; in the kernel form 𝒜.
    strength_ : ndarray of shape (n_attributes,)
        The γ used for each attribute.
    report_ : str
        What became of each attribute.
    objective_ : float
        The sum of the attributes' minima.

    Notes
    -----
    Where an attribute's smallest eigenvalue is m-fold, the whole eigenspace counts as dominant.
    Attributes that say the same span fewer than k directions, and U has as many columns as there
    are directions.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.metric import MultiAttributeMetric
    >>> from sidelight.side import Attributes, Pairs
    >>> X = np.vstack([np.zeros(3), np.eye(3)])
    >>> side = Attributes([Pairs(dissimilar=[(0, 1)]), Pairs(dissimilar=[(0, 2)])])
    >>> MultiAttributeMetric(loss="thesis").fit(X, side=side).metric_.round(3) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """

    _parameters: ClassVar[Any] = PAIRWISE_PARAMETERS

    def __init__(
        self,
        loss: str = "safe",
        *,
        strength: float | str = "auto",
        kernel: Any = None,
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 1,
        random_state: Any = 0,
    ) -> None:
        self.loss = loss
        self.strength = strength
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The data; with ``kernel="precomputed"`` the kernel matrix (n_samples, n_samples).
        y : object
            Ignored: labels are side information, ``Pairs.from_labels(y)``.
        side : Attributes, Pairs, Relation or list of them, optional
            One ``Pairs`` per distinction.  Pairs given beside Attributes are one more attribute,
            and so is every relation, by the rows that are most alike in it and least.

        Returns
        -------
        MultiAttributeMetric
            The fitted estimator.
        """
        X, known = self._begin(X, side, several=("Relation",))
        attributes = [*known["Attributes"].attributes] if "Attributes" in known else []
        attributes += [known["Pairs"]] if "Pairs" in known else []
        attributes += [relation.pairs(len(X)) for relation in known.get("Relation", ())]
        if not attributes:
            self.strength_, self.report_ = np.zeros(0), NOTHING_KNOWN
            self._keep_identity(X)
            return self
        return self._learn(X, attributes, [self.strength] * len(attributes))

    def of_some(self, X: FloatArray, side: Sequence[Pairs]) -> Self:
        """Learn anew from some of the pairs, at the strengths that were used.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            The data.
        side : sequence of Pairs
            The pairs of every attribute.

        Returns
        -------
        MultiAttributeMetric
            Another metric; of no pairs the Euclidean one.
        """
        check_is_fitted(self)
        other: Self = clone(self)
        X, _ = other._begin(X, None)
        return other._learn(X, side, self.strength_.tolist())

    def leave_out(self, X: FloatArray, why: str) -> Self:
        """Become the Euclidean metric, and say why: what was learned does no good.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            The data that it was fitted to.
        why : str
            For ``report_``.

        Returns
        -------
        MultiAttributeMetric
            Itself.
        """
        check_is_fitted(self)
        self.strength_, self.report_ = np.zeros_like(self.strength_), why
        self._keep_identity(X)
        return self

    def _learn(
        self, X: FloatArray, attributes: Sequence[Pairs], strengths: Sequence[float | str]
    ) -> Self:
        named = [pairs for one in attributes for pairs in (one.similar, one.dissimilar)]
        space, spread = open_pairs(self, X, np.vstack(named))
        learned = [
            learn_from_pairs(
                X, one, space, spread, loss=self.loss, strength=strength, rng=self._rng()
            )
            for one, strength in zip(attributes, strengths, strict=True)
        ]
        self.strength_ = np.array([one.strength for one in learned])
        self.report_ = "; ".join(f"attribute {k}: {one.report()}" for k, one in enumerate(learned))
        if not self.strength_.any():
            self._keep_identity(X)
            return self
        plain = InnerMetric(np.eye(space.dimension), 1.0, 0.0)
        metrics = [one.metric or plain for one in learned if not one.all_alike]
        combine = span_projector if self.loss == "thesis" else mean_metric
        self._keep(space, combine(metrics))
        return self


def mean_metric(metrics: Sequence[InnerMetric]) -> InnerMetric:
    """Take the mean of several metrics."""
    inner: FloatArray = np.mean([metric.inner for metric in metrics], axis=0)
    outside = float(np.mean([metric.outside for metric in metrics]))
    return InnerMetric(inner, outside, float(sum(metric.objective for metric in metrics)))


def span_projector(metrics: Sequence[InnerMetric]) -> InnerMetric:
    """Project on the span of the dominant eigenvectors of several metrics: Â = UUᵀ.

    A metric of the thesis's form is zero outside its dominant eigenspace, so that the span is the
    range of their sum.
    """
    mean = mean_metric(metrics)
    values, vectors = scipy.linalg.eigh(mean.inner, check_finite=False)
    largest = max(float(values.max(initial=0.0)), mean.outside)
    U = vectors[:, values > 1e-10 * largest]
    return InnerMetric(np.asarray(U @ U.T), 1.0 if mean.outside > 0 else 0.0, mean.objective)
