"""Locally linear embedding (section 1.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    FloatArray,
    IntArray,
    OneOf,
    Real,
    warn,
)
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    RADIUS_PARAMETER,
    Barycentric,
    GraphEmbedder,
    Map,
    Neighborhood,
    StiffnessKernel,
)
from sidelight.neighbors import Neighbors
from sidelight.neighbors.graph import open_closed_classes
from sidelight.similarity import barycentre_errors, barycentre_weights
from sidelight.solvers.eigen import fix_signs, largest_eigenpairs, smallest_of_square

#: The least squared error of a point, relative to the mean.
_LEAST = 1e-12


class LocallyLinearEmbedding(GraphEmbedder):
    """Locally linear embedding (LLE): each point is the same mixture of its neighbours.

    First the weights: W minimises Σ_i ‖x_i − Σ_j W_ij x_j‖² over the neighbours j of i, with rows
    that sum to one.  Then the map: Y minimises Σ_i ‖y_i − Σ_j W_ij y_j‖² = tr(Yᵀ M Y), M =
    (I − W)ᵀ(I − W), under YᵀY = I, orthogonal to the constant: the smallest eigenvectors of M.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    radius : float, optional
        Instead of ``n_neighbors``: all points within this distance are neighbours; a point that
        has none within it is joined to its nearest one.
    reg : float
        Added to the diagonal of each local Gram matrix, relative to its trace.
    diagonal : {"unit", "free"}
        How much each point's error counts.  LLE takes it from the pseudolikelihood of a Gaussian
        field with L = MᵀM, M = diag(m)(I − W), where m_ii = 1 is one constraint more than needed
        (slides "Locally Linear Embedding"); ``"free"`` takes the likeliest, m_ii² =
        1/‖x_i − Σ_j W_ij x_j‖², so that points count as far as their neighbours tell them.
    metric : str or callable
        By which neighbours are found; ``"precomputed"`` for a table of distances, from which the
        weights are computed too, or for a sparse graph that holds the distances among the
        neighbours of a row as well: one with more neighbours than ``n_neighbors`` takes of them.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, YᵀY = I.
    eigenvalues_ : ndarray of shape (n_components,)
        The smallest eigenvalues of M after that of the constant.
    residuals_ : ndarray of shape (n_components,)
        ‖M y − λ y‖ relative to the largest eigenvalue, as measured.
    reconstruction_error_ : float
        Their sum, tr(Yᵀ M Y).
    precisions_ : ndarray of shape (n_points,) or None
        m_ii² of the distinct rows in their order, with ``diagonal="free"``: one over the squared
        error of a row's mixture, as the Notes have it.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.

    Notes
    -----
    Being a neighbour is not mutual here, so that a connected graph is not enough: a set of points
    whose neighbours all lie within the set could collapse on one place at no cost.  Where there
    are several such sets each is given its shortest way out as a further neighbour.

    The squared errors of ``precisions_`` are those that the weights minimise, with what ``reg``
    adds: wᵀ(G + reg tr(G) I)w, G the Gram matrix of the neighbours as seen from x_i.  Where points
    have as many neighbours as columns or more, mixtures hit them exactly, and the plain error
    would weigh such points without bound.

    A new row is placed by the barycentre of its neighbours' places with its own weights.

    References
    ----------
    S. Roweis and L. Saul (2000), "Nonlinear dimensionality reduction by locally linear
    embedding".

    Examples
    --------
    Points on a line in the plane keep their order and spacing.

    >>> import numpy as np
    >>> from sidelight import LocallyLinearEmbedding
    >>> X = np.outer(np.arange(7.0), [3.0, 4.0])
    >>> Z = LocallyLinearEmbedding(1, n_neighbors=2, reg=1e-9).fit_transform(X)
    >>> np.diff(Z[:, 0] / Z[0, 0]).round(4)
    array([-0.3333, -0.3333, -0.3333, -0.3333, -0.3333, -0.3333])

    Neighbours may be all within a radius: of twelve points on a circle two each; the map is one.

    >>> angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> Z = LocallyLinearEmbedding(2, radius=0.6).fit_transform(circle)
    >>> float(np.ptp(np.linalg.norm(Z, axis=1)).round(6))
    0.0

    Every fourth point of a curve is noisy.  Where points count as far as their neighbours tell
    them, the map follows the curve more closely.

    >>> t, rng = np.linspace(0, 1, 40), np.random.default_rng(3)
    >>> noise = np.where(np.arange(40) % 4 == 0, 0.06, 0.0)[:, None] * rng.standard_normal((40, 3))
    >>> X = np.column_stack([t, t**2, np.sin(3 * t)]) + noise
    >>> unit, free = (
    ...     LocallyLinearEmbedding(1, n_neighbors=3, diagonal=diagonal).fit_transform(X)[:, 0]
    ...     for diagonal in ("unit", "free")
    ... )
    >>> [round(abs(float(np.corrcoef(z, t)[0, 1])), 2) for z in (unit, free)]
    [0.96, 0.99]
    """

    _mutual: ClassVar[bool] = False
    _judges_front: ClassVar[bool] = True
    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        **RADIUS_PARAMETER,
        "reg": (Real(0),),
        "diagonal": (OneOf(("unit", "free")),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        radius: float | None = None,
        reg: float = 1e-3,
        diagonal: str = "unit",
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.reg = reg
        self.diagonal = diagonal
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _map_of(self, near: Neighborhood) -> Map:
        free = self.diagonal == "free"
        stiffness, precisions = mixture_stiffness(
            near, reg=self.reg, on_disconnected=self.on_disconnected, free=free
        )
        root = stiffness.root
        pairs = smallest_of_square(stiffness.A, root, self.n_components_, who=self._name)
        places = fix_signs(pairs.vectors / root[:, None])
        facts = {
            "eigenvalues_": pairs.values,
            "residuals_": pairs.residuals,
            "reconstruction_error_": float(pairs.values.sum()),
            "precisions_": precisions if free else None,
        }
        place = Barycentric(near.points.known_alone(), near.reach, places, reg=self.reg)
        return Map(places, place, facts, stiffness)

    def kernel(self, form: str = "shifted") -> FloatArray:
        """Compute the kernel that the map comes from: inner products of all rows, centred.

        Parameters
        ----------
        form : {"shifted", "inverse"}
            λ_max I − M (informed-embedding thesis, eq. 1.5), or M⁺ (eq. 1.6): their leading
            eigenvectors are the same.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Symmetric, its rows sum to zero.
        """
        if form == "inverse":
            return self._kernel()
        if form != "shifted":
            raise ValueError(
                f"The 'form' argument of {self._name}.kernel must be 'inverse' or 'shifted'. Got "
                f"{form!r} instead."
            )
        self._require_kernel()
        kernel: Any = self._map.kernel
        return np.asarray(replace(kernel, of_points=ShiftedKernel(kernel.of_points))())


@dataclass(frozen=True)
class ShiftedKernel:
    """The kernel λ_max I − M of a stiffness matrix (eq. 1.5).

    Parameters
    ----------
    stiffness : StiffnessKernel
        M, as the square of a factor.
    """

    stiffness: StiffnessKernel

    def __call__(self) -> FloatArray:
        """Compute N^{−½} (λ_max I − AᵀA) N^{−½}."""
        M = (self.stiffness.A.T @ self.stiffness.A).toarray()
        largest = float(largest_eigenpairs(M, 1).values[0])
        root = self.stiffness.root
        return np.asarray((largest * np.eye(len(M)) - M) / np.outer(root, root))


def mixture_stiffness(
    near: Neighborhood, *, reg: float, on_disconnected: str, free: bool = False
) -> tuple[StiffnessKernel, FloatArray]:
    """N^½ M N^{−½}, M = diag(m)(I − W), N the multiplicities, and m².

    The square of it has the eigenvectors N^½ y; m is one, or of greatest pseudolikelihood.
    """
    points = near.points.known_alone()  # no guess along a graph: the weights are the method

    def gram(items: IntArray, indices: IntArray) -> FloatArray:
        return np.asarray(points.grams(Neighbors(indices, np.empty(0)), at=items))

    arrows, precisions = _arrows(near, on_disconnected), np.ones(near.n)
    if free:
        W, _, squares = barycentre_errors(arrows, gram, reg=reg)
        precisions = 1 / np.maximum(squares, _LEAST * float(squares.mean()))
    else:
        W = barycentre_weights(arrows, gram, reg=reg)
    root = np.sqrt(near.counts)
    F = sp.csr_array(sp.eye_array(near.n, format="csr") - W)
    if free:
        F = sp.csr_array(sp.diags_array(np.sqrt(precisions)) @ F)
    if np.any(root != 1):
        F = sp.csr_array(sp.diags_array(root) @ F @ sp.diags_array(1 / root))
    return StiffnessKernel(F, root, squared=True), precisions


def _arrows(near: Neighborhood, on_disconnected: str) -> sp.csr_array:
    """The neighbours of each point, row by row, with a way out of every closed set."""
    found, joins, n = near.arrows, near.joins, near.n
    rows = np.repeat(np.arange(n), np.diff(found.indptr))
    rows = np.concatenate([rows, joins[:, 0], joins[:, 1]])
    columns = np.concatenate([found.indices, joins[:, 1], joins[:, 0]])
    arrows = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    empty = int(np.count_nonzero(np.diff(arrows.indptr) == 0))
    if empty:
        raise ValueError(
            f"{near.who} needs neighbours of every row, and the given graph stores none for "
            f"{empty} of {n} rows: row i holds the neighbours of row i. Store both directions "
            f"of its edges, X.maximum(X.T)."
        )
    arrows, n_opened = open_closed_classes(arrows, near.points.shortest_way)
    closed = (
        f"Some sets of points of {near.who} have all their neighbours within the "
        f"set ({n_opened} beside the largest), and would collapse"
    )
    if n_opened and on_disconnected == "error":
        raise DisconnectedGraphError(
            f"{closed}. {near.reach.wider}, or use on_disconnected='connect'."
        )
    if n_opened:
        warn(
            f"{closed}; each was given its shortest way to another. {near.reach.wider}.",
            DisconnectedGraphWarning,
        )
    return arrows
