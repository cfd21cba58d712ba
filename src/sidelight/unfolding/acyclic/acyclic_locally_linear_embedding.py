"""Acyclic locally linear embedding: each point a mixture of neighbours that come before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from sidelight.core import FloatArray, IntArray, Interruption, Matching, OneOf, Real, report
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Barycentric,
    GraphEmbedder,
    Map,
    Neighborhood,
    Told,
    mean_score,
    sample_rows,
    score_rows,
)
from sidelight.mapping import scale_kernel
from sidelight.neighbors import Neighbors
from sidelight.similarity import Centring, barycentre_errors
from sidelight.solvers import improves
from sidelight.unfolding.acyclic.orders import (
    FAMILIES,
    candidate_orders,
    earlier_neighbors,
    near_lists,
)
from sidelight.unfolding.feature_draws import draw_features
from sidelight.unfolding.field_data import (
    feature_covariance,
    field_features,
    principal_coordinate,
)
from sidelight.unfolding.field_density import FieldDensity, density_of_field

#: The least variance of a point given its parents, relative to the mean variance of a row.
_FLOOR = 1e-12
_GIVEN = Matching(lambda v: isinstance(v, (list, tuple, np.ndarray)), "a permutation of the rows")


@dataclass(frozen=True)
class Chain:
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

    def __init__(self, chain: Chain) -> None:
        n = len(chain.order)
        triangle = sp.csc_array(sp.eye_array(n) - chain.weights)
        self._order, self._variances = chain.order, chain.variances[:, None]
        self._factor: Any = splu(triangle, permc_spec="NATURAL", diag_pivot_thresh=0.0)

    def __len__(self) -> int:
        return len(self._order)

    def __matmul__(self, block: FloatArray) -> FloatArray:
        flat = block.ndim == 1
        ordered = np.ascontiguousarray(block[self._order].reshape(len(self._order), -1))
        image = self._variances * self._factor.solve(ordered, trans="T")
        result = np.empty_like(ordered)
        result[self._order] = self._factor.solve(image)
        return np.asarray(result[:, 0] if flat else result)

    def from_noise(self, noise: FloatArray) -> FloatArray:
        """(I − W)⁻¹ S^½ w: point after point, what its parents make it and noise of its own."""
        drawn = np.empty_like(noise)
        drawn[self._order] = self._factor.solve(np.sqrt(self._variances) * noise)
        return drawn


class AcyclicLocallyLinearEmbedding(GraphEmbedder):
    """Acyclic locally linear embedding (acyclic LLE): a chain of conditional densities.

    The points are put in an order, and each is a mixture of the nearest of those before it,

        p(Y) = Π_i N(y_i | Σ_j w_ij y_j, s_i I),  Σ_j w_ij = 1,  s_i = ‖y_i − Σ_j w_ij y_j‖² / p,

    with the weights of locally linear embedding.  As no point depends on a later one, the product
    of conditionals is the likelihood itself and no pseudolikelihood (slides "Acyclic Locally
    Linear Embedding", the normaliser a product over all points).  The first point has its own
    mean and variance, which centring removes.  The covariance is that of a Gaussian field,
    K = (I − W)⁻¹ diag(s) (I − W)⁻ᵀ, and the map is kernel PCA on pK, in the units of the data.
    With all earlier points as neighbours it is PCA.  Pairs, attributes and distances act through
    a learned metric, before neighbours are found; of rows in a Sequence the one that comes first is
    a neighbour of the other.

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
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.

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

    :meth:`sample_features` draws from p(Y) itself, new features at the rows of X, point after point
    along the chain.

    :meth:`score_samples` and :meth:`sample` are of new rows, for which the field has no node:
    p(x) = (1/n) Σ_i N(x | m_i, c v_i I), what any node is given all the others, m_i and v_i; c
    makes rows that are left out of the field likeliest, as weights fit their own too well.

    References
    ----------
    N. D. Lawrence (2012), "A unifying probabilistic perspective for spectral dimensionality
    reduction: insights and new models".
    A. V. Vecchia (1988), "Estimation and model identification for continuous spatial processes",
    for the chain; J. Guinness (2018), "Permutation and grouping methods for sharpening Gaussian
    process approximations", for what its order does.

    Examples
    --------
    With all earlier points as neighbours the kernel is the centred Gram matrix.

    >>> import numpy as np
    >>> from sidelight import AcyclicLocallyLinearEmbedding
    >>> Y = np.random.default_rng(0).standard_normal((8, 20))
    >>> model = AcyclicLocallyLinearEmbedding(2, n_neighbors=7, reg=0.0).fit(Y)
    >>> J = np.eye(8) - 1 / 8
    >>> bool(np.allclose(model.kernel(), J @ Y @ Y.T @ J))
    True
    """

    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
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

    def _neighborhood(self, told: Told) -> Neighborhood:
        told.points.require_all_pairs()  # the first points have far ones for neighbours
        return super()._neighborhood(told)

    def _map_of(self, near: Neighborhood) -> Map:
        counts, p = near.counts, field_features(near.points)
        # weights and variances are Euclidean, unless only distances are known
        remoteness = np.maximum(near.points.as_vectors().remoteness(counts), 0.0)
        likeliest, likelihoods = self._likeliest(near, remoteness, p)
        K: Any = _Covariance(likeliest)
        mass = counts.astype(np.float64)
        centring = Centring((K @ mass) / mass.sum(), mass)
        pairs, places = scale_kernel(K, centring, self.n_components_, who=self._name)
        facts = {
            "eigenvalues_": np.maximum(pairs.values, 0.0),
            "log_likelihood_": likeliest.log_likelihood,
            "order_likelihoods_": likelihoods,
            "order_": near.rows[likeliest.order],
            "variances_": likeliest.variances / p,
        }
        place = Barycentric(near.points, near.reach, places, reg=self.reg)
        return Map(places, place, facts, ChainKernel(likeliest, p))

    def _likeliest(
        self, near: Neighborhood, remoteness: FloatArray, p: int
    ) -> tuple[Chain, dict[str, float]]:
        """The order under which the points are likeliest, and the likelihoods of all tried."""
        points, k = near.points, near.reach.k
        assert k is not None
        floor = _FLOOR * float(near.counts @ remoteness) / float(near.counts.sum())
        lists = near_lists(points.rows, k, points.metric, self.neighbors, who=self._name)
        best: Chain | None = None
        likelihoods: dict[str, float] = {}
        orders = self._orders(near, remoteness)
        with Interruption() as interruption:
            for name, order in orders.items():
                parents = earlier_neighbors(
                    points.rows,
                    order,
                    k,
                    lists,
                    points.metric,
                    adjacent=near.order.pairs,
                    who=self._name,
                )
                chain = self._chain(points, order, parents, remoteness, floor, p)
                likelihoods[name] = chain.log_likelihood
                if best is None or improves(-chain.log_likelihood, -best.log_likelihood):
                    best = chain
                report("orders of the points", len(likelihoods), len(orders), best.log_likelihood)
        if interruption:
            if best is None:
                interruption.go_on()
            interruption.warn(
                f"{self._name} was interrupted after {len(likelihoods)} of {len(orders)} orders "
                f"of the points; the likeliest so far is kept.",
                stacklevel=6,
            )
        assert best is not None
        return best, likelihoods

    def _orders(self, near: Neighborhood, remoteness: FloatArray) -> dict[str, IntArray]:
        if not isinstance(self.order, str):
            return {"given": self._given_order(near)}
        rows = near.points.rows
        coordinate = principal_coordinate(near.points.as_vectors(), near.counts)
        return candidate_orders(
            rows,
            near.graph,
            coordinate,
            remoteness,
            near.points.metric,
            family=self.order,
            who=self._name,
        )

    def _given_order(self, near: Neighborhood) -> IntArray:
        n, order = len(near.distinct.inverse), np.asarray(self.order)
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise ValueError(
                f"The 'order' parameter of {self._name} must be a permutation of the {n} rows. "
                f"Got an array of shape {order.shape} instead, or rows that are missing in it."
            )
        points = near.distinct.inverse[order.astype(np.intp)]
        first = np.sort(np.unique(points, return_index=True)[1])
        return np.asarray(points[first])

    def _map_of_neighborhood(self, near: Neighborhood) -> Map:
        if near.apart and not isinstance(self.order, str):
            raise ValueError(
                f"{self._name} cannot keep a given 'order' with on_disconnected="
                f"{self.on_disconnected!r}, as the graph fell into pieces. Use 'connect'."
            )
        return super()._map_of_neighborhood(near)

    def _chain(
        self,
        points: Any,
        order: IntArray,
        parents: sp.csr_array,
        remoteness: FloatArray,
        floor: float,
        p: int,
    ) -> Chain:
        """The conditionals in one order, and what they make of the points."""
        items = order[1:]

        def gram(places: IntArray, indices: IntArray) -> FloatArray:
            return np.asarray(points.grams(Neighbors(indices, np.empty(0)), at=items[places]))

        W, errors, regularised = barycentre_errors(parents, gram, reg=self.reg)
        squares = np.r_[remoteness[order[0]], errors]
        variances = np.maximum(np.r_[remoteness[order[0]], regularised], floor)
        log_density = np.log(2 * np.pi * variances / p) + squares / variances
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order))
        rows = np.repeat(np.arange(1, len(order)), np.diff(W.indptr))
        ends = (rows, places[W.indices])
        weights = sp.csr_array((W.data, ends), shape=(len(order), len(order)))
        return Chain(order, weights, variances, -p / 2 * float(log_density.sum()))

    sample_features = draw_features
    sample, score_samples, score = sample_rows, score_rows, mean_score

    def _density_of_rows(self, method: str) -> FieldDensity:
        self._require_kernel()
        return density_of_field(self._map, any_metric=True, who=f"{self._name}.{method}")

    def covariance(self) -> FloatArray:
        """Compute the covariance K = (I − W)⁻¹ diag(s) (I − W)⁻ᵀ of a feature.

        ``kernel()`` is its centred form, times the number of features.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Not centred.
        """
        self._require_kernel()
        return feature_covariance(self._map)


@dataclass(frozen=True)
class ChainKernel:
    """The covariance of whole rows along a chain.

    Parameters
    ----------
    chain : Chain
        The conditionals.
    p : int
        Features.
    """

    chain: Chain
    p: int

    @property
    def precision(self) -> sp.csr_array:
        """(I − W)ᵀ S⁻¹ (I − W), points in their own order."""
        n = len(self.chain.order)
        forward = sp.csr_array(sp.eye_array(n) - self.chain.weights)
        P = sp.coo_array(forward.T @ sp.diags_array(1 / self.chain.variances) @ forward)
        i, j = P.coords
        ends = (self.chain.order[i], self.chain.order[j])
        return sp.csr_array((P.data, ends), shape=(n, n))

    def __call__(self) -> FloatArray:
        """Write it out."""
        K = _Covariance(self.chain) @ np.eye(len(self.chain.order))
        return np.asarray((K + K.T) / 2)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Features of the points, drawn along the chain."""
        noise = rng.standard_normal((len(self.chain.order), n))
        return np.asarray(_Covariance(self.chain).from_noise(noise) / np.sqrt(self.p))
