"""Locally linear embedding (section 1.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    FloatArray,
    IntArray,
    Real,
    warn,
)
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Barycentric,
    Graph,
    GraphEmbedder,
    Map,
    Neighborhood,
    StiffnessKernel,
)
from sidelight.neighbors import Neighbors
from sidelight.neighbors.graph import open_closed_classes
from sidelight.similarity import barycentre_weights
from sidelight.solvers.eigen import fix_signs, smallest_of_square


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
    reg : float
        Added to the diagonal of each local Gram matrix, relative to its trace.
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
    """

    _mutual: ClassVar[bool] = False
    _judges_front: ClassVar[bool] = True
    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        "reg": (Real(0),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        reg: float = 1e-3,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def _map_of(self, near: Neighborhood) -> Map:
        stiffness = mixture_stiffness(near, reg=self.reg, on_disconnected=self.on_disconnected)
        root = stiffness.root
        pairs = smallest_of_square(stiffness.A, root, self.n_components_, who=self._name)
        places = fix_signs(pairs.vectors / root[:, None])
        facts = {
            "eigenvalues_": pairs.values,
            "residuals_": pairs.residuals,
            "reconstruction_error_": float(pairs.values.sum()),
        }
        place = Barycentric(known_alone(near.points), near.reach, places, reg=self.reg)
        return Map(places, place, facts, stiffness)


def mixture_stiffness(near: Neighborhood, *, reg: float, on_disconnected: str) -> StiffnessKernel:
    """N^½ (I − W) N^{−½}, N the multiplicities: the square of it has the eigenvectors N^½ y."""
    points = known_alone(near.points)

    def gram(items: IntArray, indices: IntArray) -> FloatArray:
        return np.asarray(points.grams(Neighbors(indices, np.empty(0)), at=items))

    W = barycentre_weights(_arrows(near, on_disconnected), gram, reg=reg)
    root = np.sqrt(near.counts)
    F = sp.csr_array(sp.eye_array(near.n, format="csr") - W)
    if np.any(root != 1):
        F = sp.csr_array(sp.diags_array(root) @ F @ sp.diags_array(1 / root))
    return StiffnessKernel(F, root, squared=True)


def known_alone(points: Any) -> Any:
    """Points whose distances are not guessed along a graph: the weights are the method."""
    return replace(points, along=False) if isinstance(points, Graph) else points


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
    compared, metric = near.points.compared
    arrows, n_opened = open_closed_classes(arrows, compared, metric=metric)
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
