"""Local tangent space embedding (report on local tangent space embedding, section 7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS,
    FloatArray,
    Matching,
    OneOf,
    Real,
    Whole,
    as_dense,
    require_memory,
)
from sidelight.estimator import (
    POLICIES,
    Embedder,
    KernelOfRows,
    Map,
    Neighborhood,
    Points,
    Told,
    check_enough,
    held_together,
    in_order,
    map_of_neighborhood,
    reach_of,
    refuse_changed_items,
    told_of_order,
    with_adjacent,
    without_order,
)
from sidelight.mapping import Nystrom
from sidelight.neighbors import Neighbors, arrows_to, symmetrise
from sidelight.spectral.hybrid.steps import Stepping, best_sources
from sidelight.spectral.hybrid.tangent_map import (
    BySteps,
    Tangled,
    TangledKernel,
    tangent_map,
)
from sidelight.transforms import Bilinear

#: Every neighbour adds a node for each point: five are few, and were enough on draws 0 to 3 of the
#: experiment moved_faces, as was reg = 1e-3 (1e-6 gives the same).
_NEIGHBORS = 5
_BILINEAR = Matching(
    lambda value: isinstance(value, Bilinear),
    "a bilinear transformation, such as sidelight.transforms.LocalFilter()",
)
_SHAPE = Matching(
    lambda value: isinstance(value, (tuple, list)) and all(Whole(1).admits(size) for size in value),
    "the shape of an image, such as (28, 28)",
)


class LocalTangentSpaceEmbedding(Embedder):
    """Local tangent space embedding (LTSE): each point is a mixture of its neighbours, transformed.

    T(x, ω + δ) = x + A(x) δ is a bilinear transformation that leaves x as it is at ω.  First the
    best approximations x̃_ji = x_j + A(x_j) δ_ji of each point x_i by its neighbours, those rows j
    that come nearest to it; then the weights W that make x_i of its approximations best, and sum
    to one; then the map of points and approximations together, Z = (Y, Ỹ): it minimises
    ‖Y − WỸ‖² + ‖M − ZZᵀ‖² (section 7.3), M = −½ J D² J, where D keeps the coefficients,
    ‖y_j − ỹ_ji‖ = ‖δ_ji‖.  The optimum is in closed form: the positive part of the leading
    eigenvectors of M − ½ C, C = [I, −W]ᵀ[I, −W].

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    transformation : Bilinear, optional
        T, such as ``sidelight.transforms.LocalFilter()``; without one points are approximated by
        their neighbours as they are, and the method joins Isomap and LLE.
    image_shape : tuple of int, optional
        (height, width) or (height, width, channels) of the images that the rows of X hold.
    n_neighbors : int or "auto"
        Approximations of each point; ``"auto"`` is 5 (or all others of fewer points).
    reg : float
        Added to the diagonals of the Gram matrices of both least-squares problems: of that of δ
        relative to the mean of its diagonal, of that of the weights relative to its trace.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph of approximations falls apart.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of M − ½ C.
    residuals_ : ndarray of shape (n_components,)
        ‖(M − ½ C) z − λ z‖ relative to the largest eigenvalue, as measured.
    unit_ : float
        Coefficients per unit of the data: the median of ‖δ‖ / ‖A δ‖.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph of approximations that each row was found in.

    Notes
    -----
    Of D the report has the distances ‖δ_ji‖ alone, and the rest is completed by shortest paths: an
    approximation is as far from the point that it approximates as its error is in ``unit_``.  That
    gap keeps the order of moved faces where none does not.  δ is the smallest of equally good ones.

    The objective adds squares of lengths to squares of their squares.  Coefficients of a
    transformation have no unit; without one lengths are in that of the data, and so is the balance
    of the two: data of about unit spread are meant.

    There are ``n_neighbors + 1`` nodes for each distinct row, and a table of the distances between
    all nodes.

    References
    ----------
    A. Ghodsi, J. Huang, F. Southey and D. Schuurmans (2005), "Tangent-corrected embedding".

    Examples
    --------
    A light that moves along a row of 30 pixels.

    >>> import numpy as np
    >>> from sidelight import LocalTangentSpaceEmbedding
    >>> from sidelight.transforms import LocalFilter
    >>> X = np.exp(-0.1 * (np.arange(30) - np.arange(5, 25)[:, None]) ** 2)
    >>> ltse = LocalTangentSpaceEmbedding(
    ...     1, transformation=LocalFilter(), image_shape=(1, 30), n_neighbors=2
    ... )
    >>> steps = np.diff(ltse.fit_transform(X)[:, 0])
    >>> bool((steps > 0).all() or (steps < 0).all())
    True
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "transformation": (OneOf((None,)), _BILINEAR),
        "image_shape": (OneOf((None,)), _SHAPE),
        "n_neighbors": (OneOf(("auto",)), Whole(1)),
        "reg": (Real(0, open_below=True),),
        "on_disconnected": (OneOf(POLICIES),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        transformation: Any = None,
        image_shape: tuple[int, ...] | None = None,
        n_neighbors: int | str = "auto",
        reg: float = 1e-3,
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.transformation = transformation
        self.image_shape = image_shape
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.on_disconnected = on_disconnected

    def fit(self, X: Any, y: Any = None, *, side: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: taken out of the features, or learned as a metric in front of the
            method, which only rows that are not transformed can be; adjacent rows of a Sequence
            approximate one another; the finished map is brought to anchors.

        Returns
        -------
        Self
            The fitted estimator.
        """
        told = self._hear(X, side)
        self._refuse_half_an_image()
        if self.transformation is not None:
            refuse_changed_items(told.learned, "a transformation", who=self._name)
        near = self._neighborhood(told)

        def without() -> tuple[Told, Map]:
            return told, self._map_of_neighborhood(self._neighborhood(without_order(told)))

        found = self._map_of_neighborhood(near)
        return self._adopt(*told_of_order(self, told, near, found, without))

    def _map_of_neighborhood(self, near: Neighborhood) -> Map:
        found = map_of_neighborhood(near, self._map_of, self.n_components_, self.on_disconnected)
        facts = {name: value for name, value in found.facts.items() if name != "neighbors_recall_"}
        return Map(found.points, found.place, facts, found.kernel)

    def kernel(self, *, approximations: bool = False) -> FloatArray:
        """Compute M − ½ C, centred.

        The map is kernel PCA of that of rows and approximations together.  What it leaves of the
        rows alone is no more than near to that: an approximation that is left out no longer pulls.

        Parameters
        ----------
        approximations : bool
            Whether the approximations come after the rows.

        Returns
        -------
        ndarray of shape (n_samples, n_samples), or (n_nodes, n_nodes) with approximations
            Symmetric, its rows sum to zero.
        """
        if not approximations:
            return self._kernel()
        self._require_kernel()
        rows = self._map.kernel
        assert isinstance(rows, KernelOfRows)
        assert isinstance(rows.of_points, TangledKernel)
        return rows.of_points.of_nodes(rows.inverse)

    def _refuse_half_an_image(self) -> None:
        if self.transformation is None and self.image_shape is not None:
            raise ValueError(
                f"The 'image_shape' parameter of {self._name} has no effect without a "
                f"transformation. Got {self.image_shape!r}. Give one, such as "
                f"transformation=sidelight.transforms.LocalFilter()."
            )

    def _stepping(self, points: Points) -> Stepping:
        rows = as_dense(points.rows).astype(np.float64)
        shape = None if self.image_shape is None else tuple(self.image_shape)
        return Stepping(rows, self.transformation, shape, self.reg, self._name)

    def _neighborhood(self, told: Told) -> Neighborhood:
        """The rows that each is approximated by best, and adjacent ones; the graph between them."""
        points = told.points
        distinct = points.distinct()
        merged = points.merged(distinct)
        check_enough(distinct, self.n_components_, who=self._name)
        few = min(_NEIGHBORS, merged.n - 1) if self.n_neighbors == "auto" else self.n_neighbors
        reach = reach_of(merged, few)
        assert reach.k is not None
        n = merged.n
        require_memory(
            16.0 * n * n,
            what=f"the {n} × {n} table of approximations",
            who=self._name,
            instead="Fit a sample of the rows and transform() the others.",
        )
        errors = self._stepping(merged).errors()
        best = best_sources(errors, reach.k)
        near = Neighbors(best, np.take_along_axis(errors, best, axis=1))
        order = in_order(told.known.get("Sequence"), merged, distinct)
        i, j = order.pairs.T
        lengths = np.minimum(errors[i, j], errors[j, i])
        graph, arrows = with_adjacent(symmetrise(near), arrows_to(near), order.pairs, lengths)
        held = held_together(merged, distinct, reach, graph, arrows, self.on_disconnected)
        return replace(held, order=order)

    def _map_of(self, near: Neighborhood) -> Map:
        arrows, joins = near.arrows, near.joins
        targets = np.repeat(np.arange(near.n), np.diff(arrows.indptr))
        targets = np.concatenate([targets, joins[:, 0], joins[:, 1]])
        sources = np.concatenate([arrows.indices, joins[:, 1], joins[:, 0]])
        stepping = self._stepping(near.points)
        tangled = Tangled.of(stepping, targets.astype(np.intp), sources.astype(np.intp))
        found = tangent_map(tangled, near.counts, self.n_components_, who=self._name)
        still = Nystrom(found.centring, found.places, np.ones(self.n_components_))
        assert near.reach.k is not None
        k = min(near.reach.k, near.n)
        place = BySteps(near.points, stepping, tangled, still, found.values, k)
        facts = {
            "eigenvalues_": found.values,
            "residuals_": found.residuals,
            "unit_": tangled.unit,
        }
        kernel = TangledKernel(tangled, near.counts, self._name)
        return Map(found.places[: near.n], place, facts, kernel)
