"""Maximum entropy unfolding: the data as a Gaussian field of springs between neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    FloatArray,
    IntArray,
    OneOf,
    Real,
    Whole,
    refuse_without_effect,
    whole_or_nothing,
)
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Barycentric,
    GraphEmbedder,
    Map,
    Neighborhood,
    Told,
    check_enough,
    held_together,
    mean_score,
    pick_up,
    reach_of,
    sample_rows,
    score_rows,
)
from sidelight.neighbors import symmetric_graph
from sidelight.neighbors.graph import check_edges
from sidelight.similarity import laplacian_of
from sidelight.solvers.eigen import fix_signs, smallest_eigenpairs
from sidelight.solvers.springs import SIGNS, Springs, field_from_noise, fit_springs
from sidelight.unfolding.feature_draws import draw_features
from sidelight.unfolding.field_data import feature_covariance, field_features, field_scatter
from sidelight.unfolding.field_density import FieldDensity, density_of_field

#: γ times the scatter of a feature: small enough not to be felt in the map.
_GAMMA = 1e-3
#: The same, at least: 1/γ is squared.
_FAINTEST = 1e-100
#: The least squared length of an edge, relative to the mean.
_SHORTEST = 1e-10


class MaximumEntropyUnfolding(GraphEmbedder):
    """Maximum entropy unfolding (MEU): the most likely springs between neighbours.

    Of all densities whose neighbours are, in expectation, as far apart as in the data, that of
    largest entropy is a Gaussian random field.  Every feature is a draw from it,

        p(Y) = Π_j N(y_j | 0, K),  K = (L + γI)⁻¹,  L = Σ_e λ_e (e_i − e_j)(e_i − e_j)ᵀ,

    with a spring of strength λ_e along each edge of the neighbourhood graph: a mattress.  The
    springs are fitted by maximum likelihood,

        max_λ  (p/2) log|L + γI| − ½ Σ_e λ_e ‖y_i − y_j‖² − ½ γ‖Y‖²   over λ ≥ 0,

    a convex problem (slides "Maximum Entropy" and "Gaussian Random Field", with the determinant
    to the power p/2 and each edge counted once).  Neighbours held by a spring are then as far
    apart as in the data, p(K_ii − 2K_ij + K_jj) = ‖y_i − y_j‖², and the others at most so.  The
    map is kernel PCA on pK, in the units of the data.  Pairs, attributes and distances act
    through a learned metric, before neighbours are found.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    signs : {"nonnegative", "free"}
        Whether springs only pull, which is always well posed, or may push as well.  Free springs
        keep all neighbours' expected distances exactly and give PCA when every row is a neighbour
        of every other; where the data have few features they have no optimum, which is said, and
        the others are fitted.  For a few thousand edges.
    penalty : float
        Structure learning: springs that are not worth their price are left out of a graph with
        more neighbours than needed.  The log likelihood is charged (p/2) ρ Σ_e λ_e/λ°_e, λ° the
        springs without a penalty; with free signs (p/2) ρ s Σ_e |λ_e|, s the mean squared length
        of an edge per feature.
    gamma : float or "auto"
        γ, which keeps the field from drifting away; ``"auto"`` is 10⁻³ over the scatter of a
        feature, Σ_i ‖y_i − ȳ‖²/p.
    tol : float
        The largest violation of the conditions of optimality, relative to the squared distances.
    max_iter : int
        Most steps.
    warm_start : bool
        Whether ``fit`` goes on from the springs of the last one, to the same neighbours and
        distances, where that was interrupted or came to ``max_iter``.  ``history_`` and
        ``n_iter_`` then tell of what was done since.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances, or a sparse graph of
        them, which count as those of one feature.  The scatter of a graph is that of the distances
        along it.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of pK̃, the centred covariance of whole rows.
    springs_ : ndarray of shape (n_edges,)
        λ, the mattress; about half of them are zero.
    edges_ : ndarray of shape (n_edges, 2)
        The rows of X that each of them joins; of copies the first.
    log_likelihood_ : float
        log p(Y) of the centred distinct rows, with every constant.
    objective_ : float
        ``log_likelihood_`` less the penalty.
    gap_ : float
        No springs λ ≥ 0 have an objective that is higher by more than this; infinite with free
        signs.
    kkt_residual_ : float
        The largest violation of the conditions of optimality.
    gamma_ : float
        The γ used.
    n_iter_ : int
        Steps of the optimiser.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective on the way.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.

    Notes
    -----
    Columns are centred and constant ones do not count as features.  The map does not depend on
    p, which scales K alone, and hardly on γ: with a thousandth of the default the maps of three
    data sets moved by less than 10⁻⁴ of their size, with a thousand times as much by 2 to 6 %.

    The penalty on springs λ ≥ 0 is weighted, since the plain sum of them does the opposite of what
    it is meant for: adding the same amount to all squared lengths favours short edges less, and
    more springs hold (Ying, Cardoso and Palomar 2020).  On a ring of 40 points drawn from its own
    field in 400 dimensions, with all pairs as candidates, 70 springs hold without a penalty, 120
    with the plain one (ρ = 0.05), and with this one exactly those of the ring.

    Copies of a row are welded together: between them the springs would be infinitely strong.  What
    is left is a field over the distinct rows in which γ counts c_i times where a row occurs c_i
    times, K = (L + γ diag(c))⁻¹, and ``log_likelihood_`` is that of the distinct rows.

    A new row x is the next node of the field, joined to its neighbours by springs, and is placed
    at its conditional mean Σ_j λ_j z_j / Σ_j λ_j.  The springs are those under which x itself is
    likeliest given its neighbours, (p/2) log s − (s/2) ‖x − Σ_j (λ_j/s) y_j‖² with s = Σ_j λ_j: so
    λ/s are the non-negative weights, summing to one, that reconstruct x best (of any sign with
    ``signs="free"``), and s = p / ‖residual‖².

    :meth:`sample_features` draws from p(Y) itself, new features at the rows of X.  Their level is
    nearly free, of variance 1/(γ n_samples); what differs between rows is what the springs say.

    :meth:`score_samples` and :meth:`sample` are of new rows, for which the field has no node:
    p(x) = (1/n) Σ_i N(x | m_i, c v_i I), what any node is given all the others, m_i and v_i; c
    makes rows that are left out of the field likeliest, as springs fit their own too well.

    References
    ----------
    N. D. Lawrence (2011), "Spectral dimensionality reduction via maximum entropy".
    N. D. Lawrence (2012), "A unifying probabilistic perspective for spectral dimensionality
    reduction: insights and new models".
    J. Ying, J. V. de Miranda Cardoso and D. P. Palomar (2020), "Nonconvex sparse graph learning
    under Laplacian constrained graphical model".

    Examples
    --------
    Along a path every spring is its own: λ = p/d², and K grows as a random walk does.

    >>> import numpy as np
    >>> from sidelight.unfolding.entropy.maximum_entropy_unfolding import MaximumEntropyUnfolding
    >>> Y = np.outer([0.0, 1.0, 3.0, 4.0], [0.6, 0.8])
    >>> path = [[0, 1], [1, 2], [2, 3]]
    >>> model = MaximumEntropyUnfolding(1, gamma=1e-9, tol=1e-9).fit(Y, edges=path)
    >>> model.springs_.round(4)
    array([2. , 0.5, 2. ])

    Of the features that the field draws neighbours differ, in the mean square, as in the data: by
    1/λ, which is ½, 2 and ½.

    >>> steps = np.diff(model.sample_features(20_000, random_state=0), axis=0)
    >>> np.mean(steps**2, axis=1).round(1)
    array([0.5, 2. , 0.5])
    """

    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        "signs": (OneOf(SIGNS),),
        "penalty": (Real(0),),
        "gamma": (OneOf(("auto",)), Real(0, open_below=True)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
        "warm_start": (OneOf((True, False)),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        signs: str = "nonnegative",
        penalty: float = 0.0,
        gamma: float | str = "auto",
        tol: float = 1e-6,
        max_iter: int = 1000,
        warm_start: bool = False,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.signs = signs
        self.penalty = penalty
        self.gamma = gamma
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def fit(
        self, X: Any, y: Any = None, *, side: Any = None, items: Any = None, edges: Any = None
    ) -> Self:
        """Fit the springs and the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples).
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: an Invariance as the distance between rows, a Sequence as springs between
            adjacent rows, anchors as where the map is brought, the others as a metric that all
            distances are measured in.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.
        edges : array of shape (n_edges, 2), optional
            Pairs of rows to join by springs, instead of the nearest neighbours.

        Returns
        -------
        Self
            The fitted estimator.
        """
        if edges is None:
            return super().fit(X, side=side, items=items)
        told = self._hear(X, side, items)
        refuse_without_effect(self, ["neighbors"], "with 'edges', which say who is a neighbour")
        if "Sequence" in told.known:
            raise ValueError(
                f"{self._name} takes 'edges' or a Sequence, which adds to those of neighbours, not "
                f"both. Put adjacent rows among the edges: Sequence().adjacent(len(X))."
            )
        near = self._joined(told, edges)
        if near.apart:
            raise ValueError(
                f"The 'edges' given to {self._name} leave the rows in {near.pieces.max() + 1} "
                f"pieces. Use on_disconnected='connect', or give edges that join them."
            )
        return self._adopt(told, self._map_of_neighborhood(near))

    def _joined(self, told: Told, edges: Any) -> Neighborhood:
        """The neighbourhood that edges of the user's make."""
        given = check_edges(edges, told.points.n, who=self._name)
        told.points.require_all_pairs(
            f"{self._name} takes 'edges' or a sparse graph, which has edges of its own, not both. "
            f"Leave 'edges' out, or give a dense table of distances."
        )
        distinct = told.points.distinct()
        check_enough(distinct, self.n_components_, who=self._name)
        points = told.points.merged(distinct)
        left, right = distinct.inverse[given].T
        left, right = left[left != right], right[left != right]
        graph = symmetric_graph(left, right, points.lengths(left, right), points.n)
        reach = reach_of(points, self.n_neighbors)  # of new rows
        return held_together(points, distinct, reach, graph, graph, self.on_disconnected)

    def _map_of_neighborhood(self, near: Neighborhood) -> Map:
        separate = near.apart and self.on_disconnected == "separate"
        if separate and self.warm_start:
            raise ValueError(
                f"The 'warm_start' parameter of {self._name} goes on with the springs of one "
                f"field, and on_disconnected='separate' makes {near.pieces.max() + 1} of these "
                f"rows. Use on_disconnected='connect' or 'largest', or warm_start=False."
            )
        found = super()._map_of_neighborhood(near)
        if separate:
            self.__dict__.pop("_unfinished", None)  # of the last piece alone
        return found

    def _map_of(self, near: Neighborhood) -> Map:
        upper = sp.coo_array(sp.triu(near.graph, 1))
        edges = np.column_stack(upper.coords).astype(np.intp)
        squares = upper.data.astype(np.float64) ** 2
        # different rows at distance zero, which some metrics know, are joined very tightly
        squares = np.maximum(squares, _SHORTEST * float(squares.mean()))
        counts, n, p = near.counts.astype(np.float64), near.n, field_features(near.points)
        scatter = field_scatter(near)
        if not scatter > 0:
            raise ValueError(
                f"{self._name} needs rows that differ: all distances by metric={self.metric!r} are "
                f"zero between the {n} distinct rows."
            )
        # all in units of whole rows: K and 1/λ are p times those of a feature
        gamma = _GAMMA / scatter if isinstance(self.gamma, str) else float(self.gamma) / p
        if gamma * scatter < _FAINTEST:
            raise ValueError(
                f"The 'gamma' parameter of {self._name} must be at least "
                f"{_FAINTEST * p / scatter:.3g} for the scatter of these rows: what is fainter has "
                f"no squares. Got {self.gamma!r}. Leave it out, or give a number near "
                f"{_GAMMA * p / scatter:.3g}."
            )
        found = self._most_likely(edges, squares, gamma * counts)
        precision = _stiffness(edges, gamma * counts, found.strengths)
        pairs = smallest_eigenpairs(
            precision, self.n_components_, diagonal=counts, null=np.ones((n, 1)), who=self._name
        )
        places = fix_signs(pairs.vectors / np.sqrt(pairs.values))
        constant = n * np.log(p / (2 * np.pi)) - gamma * scatter
        fit = found.log_determinant - float(squares @ found.strengths)
        facts = {
            "eigenvalues_": 1 / pairs.values,
            "springs_": p * found.strengths,
            "edges_": near.rows[edges],
            "log_likelihood_": p / 2 * (fit + constant),
            "objective_": p / 2 * (constant - found.value),
            "gap_": p / 2 * (found.value - found.bound),
            "kkt_residual_": found.residual,
            "gamma_": p * gamma,
            "n_iter_": found.n_iter,
            "history_": p / 2 * (constant - found.history),
        }
        pull = self.signs != "free" or found.diverged
        place = Barycentric(near.points, near.reach, places, convex=pull)
        return Map(places, place, facts, FieldKernel(precision, p))

    def _most_likely(self, edges: IntArray, squares: FloatArray, grounds: FloatArray) -> Springs:
        """The springs, and with a penalty those that are worth it."""
        thread = pick_up(self, (edges, squares), len(squares))
        found = self._from_start(thread.where, edges, squares, grounds)
        left = thread.left_at(None if found.converged else found.strengths)
        if left is not None:
            self._unfinished = left
        return found

    def _from_start(
        self, start: FloatArray | None, edges: IntArray, squares: FloatArray, grounds: FloatArray
    ) -> Springs:
        fit = partial(
            fit_springs,
            len(grounds),
            grounds=grounds,
            tol=self.tol,
            max_iter=self.max_iter,
            who=self._name,
        )
        if self.signs == "free":
            uniform = self.penalty * float(squares.mean())
            return fit(edges, squares, penalty=uniform, signs="free", start=start)
        if self.penalty == 0:
            return fit(edges, squares, start=start)
        with whole_or_nothing():  # without all prices no spring can be chosen
            found = fit(edges, squares)
        held = np.flatnonzero(found.strengths)
        prices = self.penalty / found.strengths[held]
        left = None if start is None else start[held]
        chosen = fit(edges[held], squares[held], penalty=prices, start=left)
        strengths, extensions = np.zeros(len(squares)), found.extensions.copy()
        strengths[held], extensions[held] = chosen.strengths, chosen.extensions
        return replace(chosen, strengths=strengths, extensions=extensions)

    sample_features = draw_features
    sample, score_samples, score = sample_rows, score_rows, mean_score

    def _density_of_rows(self, method: str) -> FieldDensity:
        self._require_kernel()
        return density_of_field(self._map, any_metric=False, who=f"{self._name}.{method}")

    def covariance(self) -> FloatArray:
        """Compute the covariance K = (L + γI)⁻¹ of a feature.

        ``kernel()`` is its centred form, times the number of features.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Positive definite where no row occurs twice; not centred.
        """
        self._require_kernel()
        return feature_covariance(self._map)


@dataclass(frozen=True)
class FieldKernel:
    """The covariance of whole rows under a Gaussian field, p (L + γI)⁻¹.

    Parameters
    ----------
    precision : csr_array of shape (n, n)
        L + γI in units of whole rows.
    p : int
        Features.
    """

    precision: sp.csr_array
    p: int

    def __call__(self) -> FloatArray:
        """Invert it."""
        K = np.linalg.inv(self.precision.toarray())
        return np.asarray((K + K.T) / 2)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Features of the points, each of the covariance (L + γI)⁻¹."""
        noise = rng.standard_normal((self.precision.shape[0], n))
        return np.asarray(field_from_noise(self.precision, noise) / np.sqrt(self.p))


def _stiffness(edges: IntArray, grounds: FloatArray, strengths: FloatArray) -> sp.csr_array:
    """L + G, in units of whole rows."""
    i, j = edges.T
    ends = (np.r_[i, j], np.r_[j, i])
    W = sp.csr_array((np.r_[strengths, strengths], ends), shape=(len(grounds), len(grounds)))
    return sp.csr_array(laplacian_of(W)[0] + sp.diags_array(grounds))
