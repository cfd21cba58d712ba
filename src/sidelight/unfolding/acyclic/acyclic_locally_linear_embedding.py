"""Acyclic locally linear embedding: each point a mixture of neighbours that come before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu
from sklearn.utils.validation import check_is_fitted

from sidelight.core.arrays import FloatArray, IntArray
from sidelight.core.interruption import Interruption
from sidelight.core.memory import require_memory
from sidelight.core.parameters import Matching, OneOf, Real
from sidelight.core.progress import report
from sidelight.estimator.barycentric import BarycentricEmbedder
from sidelight.estimator.graph_based import GraphEmbedder, Neighborhood
from sidelight.mapping.nystrom import kernel_coordinates
from sidelight.similarity.barycentre import barycentre_errors
from sidelight.similarity.centring import Centring
from sidelight.solvers.eigen.eigenpairs import largest_eigenpairs
from sidelight.unfolding.acyclic.orders import (
    FAMILIES,
    candidate_orders,
    earlier_neighbors,
    near_lists,
)
from sidelight.unfolding.field_data import (
    principal_coordinate,
    squared_remoteness,
    varying_features,
)

#: The least variance of a point given its parents, relative to the mean variance of a row.
_FLOOR = 1e-12
_GIVEN = Matching(lambda v: isinstance(v, (list, tuple, np.ndarray)), "a permutation of the rows")


@dataclass(frozen=True)
class _Chain:
    """The conditionals of the points in one order.

    Parameters
    ----------
    order : ndarray of shape (n,)
        The points.
    weights : sparse array of shape (n, n)
        W, strictly below the diagonal: rows and columns are places in the order.
    variances : ndarray of shape (n,)
        Of a whole row given its parents, by place.
    log_likelihood : float
        Of the points.
    """

    order: IntArray
    weights: sp.csr_array
    variances: FloatArray
    log_likelihood: float


class _Covariance:
    """K = (I − W)⁻¹ S (I − W)⁻ᵀ as an operator on blocks, points in their own order."""

    dtype = np.dtype(np.float64)

    def __init__(self, chain: _Chain) -> None:
        n = len(chain.order)
        triangle = sp.csc_array(sp.eye_array(n) - chain.weights)
        self._order, self._variances = chain.order, chain.variances[:, None]
        self._factor: Any = splu(triangle, permc_spec="NATURAL", diag_pivot_thresh=0.0)

    def __matmul__(self, block: FloatArray) -> FloatArray:
        flat = block.ndim == 1
        ordered = np.ascontiguousarray(block[self._order].reshape(len(self._order), -1))
        image = self._variances * self._factor.solve(ordered, trans="T")
        result = np.empty_like(ordered)
        result[self._order] = self._factor.solve(image)
        return np.asarray(result[:, 0] if flat else result)


class AcyclicLocallyLinearEmbedding(BarycentricEmbedder):
    """Acyclic locally linear embedding (acyclic LLE): a chain of conditional densities.

    The points are put in an order, and each is a mixture of the nearest of those before it,

        p(Y) = Π_i N(y_i | Σ_j w_ij y_j, s_i I),  Σ_j w_ij = 1,  s_i = ‖y_i − Σ_j w_ij y_j‖² / p,

    with the weights of locally linear embedding.  As no point depends on a later one, the product
    of conditionals is the likelihood itself and no pseudolikelihood (slides "Acyclic Locally
    Linear Embedding", the normaliser a product over all points).  The first point has its own
    mean and variance, which centring removes.  The covariance is that of a Gaussian field,
    K = (I − W)⁻¹ diag(s) (I − W)⁻ᵀ, and the map is kernel PCA on pK, in the units of the data.
    With all earlier points as neighbours it is PCA.  Pairs, attributes and distances act through
    a learned metric, before neighbours are found.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point among those before it; ``"auto"`` is 10 (or all of fewer points).
    order : {"auto", "principal", "outward", "spread", "nearest"} or array of shape (n_samples,)
        The order of the rows, on which the map depends strongly.  ``"auto"`` tries eleven: along
        the first principal coordinate, outward over the graph, by the farthest point next and by
        the nearest point next, from both ends and the middle, and keeps the likeliest (of more than
        3,000 points only the first five are tried).  The name of a family tries that one alone.
        An array gives the rows, the first one first.
    reg : float
        Added to the diagonal of each local Gram matrix, relative to its trace; 0 for the exact
        optimum, where there are more features than neighbours.
    metric : str or callable
        By which neighbours are found; ``"precomputed"`` for a table of distances, from which the
        weights are computed too and which count as those of one feature.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph of neighbours falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of pK̃, the centred covariance of whole rows.
    order_ : ndarray of shape (n_points,)
        The distinct rows in the order used, as numbers of rows.
    log_likelihood_ : float
        log p(Y) of the centred distinct rows, with every constant.
    order_likelihoods_ : dict of str to float
        The log likelihood in every order that was tried.
    variances_ : ndarray of shape (n_points,)
        s, in the order used.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.

    Notes
    -----
    With ``reg`` the weights minimise wᵀ(G + reg·tr(G) I)w, and s is that minimum over p: the
    neighbours are taken to be noisy.  The likelihood is that of the resulting field all the same.
    Variances below 10⁻¹² of the mean variance of a row are raised to it.

    That an order is likely does not mean that its map is good: the likeliest are often those that
    reach far across the data, which tend to PCA's map.

    Constant columns do not count as features.  A row that occurs several times is one point, and
    counts as often in the centring and the eigenvectors.  A new row comes last in the order and is
    placed at its conditional mean given the nearest of all points, with its own weights.

    References
    ----------
    N. D. Lawrence (2012), "A unifying probabilistic perspective for spectral dimensionality
    reduction: insights and new models".
    A. V. Vecchia (1988), "Estimation and model identification for continuous spatial processes",
    for the chain; J. Guinness (2018), "Permutation and grouping methods for sharpening Gaussian
    process approximations", for what its order does.

    Examples
    --------
    With all earlier points as neighbours the centred kernel is the centred Gram matrix over p.

    >>> import numpy as np
    >>> from sidelight import AcyclicLocallyLinearEmbedding
    >>> Y = np.random.default_rng(0).standard_normal((8, 20))
    >>> model = AcyclicLocallyLinearEmbedding(2, n_neighbors=7, reg=0.0).fit(Y)
    >>> J = np.eye(8) - 1 / 8
    >>> bool(np.allclose(J @ model.kernel() @ J, J @ Y @ Y.T @ J / 20))
    True
    """

    _takes_graph: ClassVar[bool] = False  # the first points have far ones for neighbours
    _of_the_largest: ClassVar[tuple[str, ...]] = (
        "log_likelihood_",
        "order_likelihoods_",
        "variances_",
    )
    _parameters: ClassVar[Any] = {
        **GraphEmbedder._graph_parameters,
        "order": (OneOf(("auto", *FAMILIES)), _GIVEN),
        "reg": (Real(0),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        order: Any = "auto",
        reg: float = 1e-3,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.order = order
        self.reg = reg
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _embed(self, neighborhood: Neighborhood) -> FloatArray:
        self._points = points = neighborhood.points
        counts = neighborhood.counts
        self._p = p = 1 if self._precomputed else varying_features(points)
        remoteness = np.maximum(
            squared_remoteness(points, counts, self._weights_metric, who=self._name), 0.0
        )
        floor = _FLOOR * float(counts @ remoteness) / float(counts.sum())
        assert self._k is not None
        near = near_lists(points, self._k, self._metric, self.neighbors, who=self._name)
        best: _Chain | None = None
        self.order_likelihoods_ = {}
        orders = self._orders(neighborhood, remoteness)
        with Interruption() as interruption:
            for name, order in orders.items():
                parents = earlier_neighbors(
                    points, order, self._k, near, self._metric, who=self._name
                )
                chain = self._chain(order, parents, remoteness, floor)
                self.order_likelihoods_[name] = chain.log_likelihood
                if best is None or chain.log_likelihood > best.log_likelihood:
                    best = chain
                tried = len(self.order_likelihoods_)
                report("orders of the points", tried, len(orders), chain.log_likelihood)
        if interruption:
            if best is None:
                interruption.go_on()
            interruption.warn(
                f"{self._name} was interrupted after {len(self.order_likelihoods_)} of "
                f"{len(orders)} orders of the points; the likeliest so far is kept.",
                stacklevel=4,
            )
        assert best is not None
        self.log_likelihood_ = best.log_likelihood
        self.order_ = self._distinct.rows[best.order]
        self.variances_ = best.variances / p
        self._order, self._weights, self._chain_variances = (
            best.order,
            best.weights,
            best.variances,
        )
        K: Any = _Covariance(best)
        n, mass = len(counts), counts.astype(np.float64)
        centring = Centring((K @ mass) / mass.sum(), mass)
        pairs = largest_eigenpairs(centring.operator(K), self.n_components_, n=n, who=self._name)
        self.eigenvalues_ = np.maximum(pairs.values, 0.0)
        coordinates = kernel_coordinates(pairs.values, pairs.vectors)
        self._places = coordinates / np.sqrt(mass)[:, None]
        return self._places

    @property
    def _weights_metric(self) -> str:
        """Weights and variances are Euclidean, unless only distances are known."""
        return "precomputed" if self._precomputed else "euclidean"

    def _orders(self, neighborhood: Neighborhood, remoteness: FloatArray) -> dict[str, IntArray]:
        if not isinstance(self.order, str):
            return {"given": self._given_order()}
        coordinate = principal_coordinate(
            neighborhood.points, neighborhood.counts, self._weights_metric, who=self._name
        )
        return candidate_orders(
            neighborhood.points,
            neighborhood.graph,
            coordinate,
            remoteness,
            self._metric,
            family=self.order,
            who=self._name,
        )

    def _given_order(self) -> IntArray:
        n = len(self._distinct.inverse)
        order = np.asarray(self.order)
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise ValueError(
                f"The 'order' parameter of {self._name} must be a permutation of the {n} rows. "
                f"Got an array of shape {order.shape} instead, or rows that are missing in it."
            )
        points = self._distinct.inverse[order.astype(np.intp)]
        first = np.sort(np.unique(points, return_index=True)[1])
        return np.asarray(points[first])

    def _chain(
        self, order: IntArray, parents: sp.csr_array, remoteness: FloatArray, floor: float
    ) -> _Chain:
        """The conditionals in one order, and what they make of the points."""
        items, p, of_points = order[1:], self._p, self._gram_of_points()

        def gram(places: IntArray, indices: IntArray) -> FloatArray:
            return of_points(items[places], indices)

        W, errors, regularised = barycentre_errors(parents, gram, reg=self.reg)
        squares = np.r_[remoteness[order[0]], errors]
        variances = np.maximum(np.r_[remoteness[order[0]], regularised], floor)
        log_density = np.log(2 * np.pi * variances / p) + squares / variances
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order))
        rows = np.repeat(np.arange(1, len(order)), np.diff(W.indptr))
        ends = (rows, places[W.indices])
        weights = sp.csr_array((W.data, ends), shape=(len(order), len(order)))
        return _Chain(order, weights, variances, -p / 2 * float(log_density.sum()))

    def _fit_pieces(self, X: Any) -> None:
        if not isinstance(self.order, str):
            raise ValueError(
                f"{self._name} cannot keep a given 'order' with on_disconnected="
                f"{self.on_disconnected!r}, as the graph fell into pieces. Use 'connect'."
            )
        super()._fit_pieces(X)
        if hasattr(self._parts[0], "order_"):
            self.order_ = self._rows[0][self._parts[0].order_]

    @property
    def _reg(self) -> float:
        return self.reg

    def kernel(self) -> FloatArray:
        """Compute the covariance K = (I − W)⁻¹ diag(s) (I − W)⁻ᵀ of a feature.

        Its centred form, times the number of features, is what the map is kernel PCA of.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Not centred.
        """
        check_is_fitted(self)
        self._kernel_of_one_piece()
        inverse: IntArray = self._distinct.inverse
        n = len(inverse)
        require_memory(
            24.0 * n * n, what=f"the {n} × {n} kernel", who=self._name, instead="Use fewer rows."
        )
        chain = _Chain(self._order, self._weights, self._chain_variances, 0.0)
        K = (_Covariance(chain) @ np.eye(len(self._order))) / self._p
        return np.asarray(((K + K.T) / 2)[np.ix_(inverse, inverse)])
