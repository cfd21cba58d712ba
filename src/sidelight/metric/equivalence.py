"""A metric from pairs (thesis sections 3.2 and 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray
from sidelight.metric.base import NOTHING_KNOWN, LearnedMetric
from sidelight.metric.learning import learn_from_pairs
from sidelight.metric.pairwise import PAIRWISE_PARAMETERS, open_pairs
from sidelight.side import Pairs


class EquivalenceMetric(LearnedMetric):
    """Learn a metric from pairs that belong together and pairs that do not.

    The thesis minimises Σ_𝒮 ‖x_i − x_j‖²_A − Σ_𝒪 ‖x_i − x_j‖²_A over A ⪰ 0, tr A = 1 (3.1).  That
    is linear in A, so its solution is the projection on a single direction (``loss="thesis"``).

    The default keeps the map usable with any number of pairs.  With M_s the mean of ddᵀ over
    similar pairs, D that over dissimilar ones drawn towards T = 2 cov(X), κ = tr T²/tr T,
    S̃ = I + (γ/κ)M_s and D̃ = I + (γ/κ)D, it minimises ½ tr(AS̃AS̃) − tr(AD̃) over A ⪰ 0, solved
    by A = S̃⁻¹D̃S̃⁻¹, scaled so that rows keep their mean squared distance.  Directions in which
    similar pairs differ shrink, directions in which dissimilar pairs differ grow, all others keep
    their weight.  γ = 0 is the Euclidean metric.  Of dissimilar pairs alone it takes the matrix
    geometric mean (I + γT/κ)⁻¹ # (I + γD/κ).

    Parameters
    ----------
    loss : {"safe", "thesis"}
        Which objective.
    strength : float or "auto"
        γ of the safe loss.  ``"auto"``: the smallest that separates rows left out as well as the
        best does, and zero if some pairs predict nothing about the others.
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
        A; in the kernel form 𝒜 with ‖x − y‖² = (k_x − k_y)ᵀ𝒜(k_x − k_y).
    strength_ : float
        The γ used; zero if nothing is known or the pairs predict nothing, infinite in the thesis's
        form.
    report_ : str
        What became of the pairs.
    refuted_ : bool
        Whether it is certain that the pairs have nothing to do with X, as it takes many to tell.
    objective_ : float
        The minimum (of the safe loss: before scaling).

    Notes
    -----
    Where (3.1) has several solutions, because its smallest eigenvalue is m-fold, A = V₀V₀ᵀ/m.
    In feature space the constraint is tr(K𝒜) = 1.  With more than 1,024 features the problem is
    solved in the span of the pairs' differences and of at most 500 rows; A is a multiple of I
    elsewhere.

    References
    ----------
    E. Xing, A. Ng, M. Jordan and S. Russell (2003), "Distance metric learning with application to
    clustering with side-information".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.metric import EquivalenceMetric
    >>> from sidelight.side import Pairs
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> metric = EquivalenceMetric(strength=1.0).fit(X, side=Pairs(similar=[(0, 1), (2, 3)]))
    >>> metric.metric_.round(3)
    array([[0.276, 0.   ],
           [0.   , 1.724]])
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
        side : Pairs, Relation or a list of them, optional
            Which rows belong together and which do not; of a relation those that are most alike
            and least.  Without any the metric is the Euclidean one.

        Returns
        -------
        EquivalenceMetric
            The fitted estimator.
        """
        X, known = self._begin(X, side)
        if not known:
            self.strength_, self.report_, self.refuted_ = 0.0, NOTHING_KNOWN, False
            self._keep_identity(X)
            return self
        pairs = _pairs_among(known, len(X))
        space, spread = open_pairs(self, X, np.vstack([pairs.similar, pairs.dissimilar]))
        learned = learn_from_pairs(
            X, pairs, space, spread, loss=self.loss, strength=self.strength, rng=self._rng()
        )
        self.strength_, self.report_ = learned.strength, learned.report()
        self.refuted_ = learned.choice is not None and learned.choice.refuted
        if learned.metric is None:
            self._keep_identity(X)
        else:
            self._keep(space, learned.metric)
        return self

    def of_some(self, X: FloatArray, side: Sequence[Pairs]) -> Self:
        """Learn anew from some of the pairs, at the strength that was used.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            The data.
        side : sequence of Pairs
            The pairs, as the only one.

        Returns
        -------
        EquivalenceMetric
            Another metric; of no pairs the Euclidean one.
        """
        check_is_fitted(self)
        other: Self = clone(self).set_params(strength=self.strength_)
        other.fit(X, side=[one for one in side if len(one.rows)] or None)
        return other

    def leave_out(self, X: FloatArray, why: str) -> Self:
        """Become the Euclidean metric again, and say why: what was learned does no good.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            The data that it was fitted to.
        why : str
            For ``report_``.

        Returns
        -------
        EquivalenceMetric
            Itself.
        """
        check_is_fitted(self)
        self.strength_, self.report_ = 0.0, why
        self._keep_identity(X)
        return self


def _pairs_among(known: dict[str, Any], n_samples: int) -> Pairs:
    """Pairs that were given, and those that a relation implies."""
    said = [known["Pairs"]] if "Pairs" in known else []
    if "Relation" in known:
        said.append(known["Relation"].pairs(n_samples))
    return Pairs.merge(said)
