"""Neighbour embedding with heavy tails: t-SNE and its kin, to a million rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import (
    COMPONENTS,
    RANDOM_STATE,
    FloatArray,
    Matching,
    OneOf,
    Real,
    Threads,
    Whole,
    count_threads,
    one_blas_thread,
    require_memory,
)
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Embedder,
    Map,
    Points,
    Reach,
    Told,
    Unfinished,
    check_enough,
    of_all_rows,
    pick_up,
    reach_of,
    share_found,
)
from sidelight.latent.descending import MADE_OR_GIVEN
from sidelight.latent.neighbor_embedding.affinities import Affinities, pieces_of_rows
from sidelight.latent.neighbor_embedding.descent import Layout, Moving, Pace, steady_rate
from sidelight.latent.neighbor_embedding.divergence import Divergence
from sidelight.latent.neighbor_embedding.known import (
    INSIDE,
    Inside,
    hear_inside,
    lay_out_informed,
    say_how_far,
)
from sidelight.latent.neighbor_embedding.placing import ByNeighbors
from sidelight.latent.neighbor_embedding.repulsion import moving_field_by
from sidelight.latent.neighbor_embedding.start import start_of
from sidelight.neighbors import DistinctRows, known_from_both_ends

#: Effective neighbours, where there are rows enough.
_PERPLEXITY = 15.0
#: Neighbours that are looked at for each effective one.
_LISTED = 2.0
#: A graph of so few neighbours is taken as it is: who chose half of them would tear it (set on
#: grids, triangulations and roads of 250 places, draws 900 to 902).
_FEW = 3.0


class NeighborEmbedding(Embedder):
    """Neighbour embedding with heavy tails (t-SNE and its kin): near rows are near in the map.

    P_ij is how near rows i and j are in the data, by the choices of each among its nearest, and
    Q_ij ∝ (1 + ‖z_i − z_j‖²/ν)^{−ν} how near they are in the map; the points minimise

        KL(P ‖ Q) = Σ_ij P_ij log(P_ij / Q_ij).

    The repulsion is summed up on a mesh (in space by a tree of boxes), so that a step costs a few
    operations a row: a million rows take minutes.  The map has the same bits on every processor
    and for any number of threads.

    Pairs act in the graph.  Each group that they name has a territory, found by random walks
    between neighbours; edges between groups that differ are weakened, and rows are pulled by others
    of their group, the more strongly the better the groups of rows held out are predicted.
    Distances are springs, whose unit becomes that of the map; in the end they are held, or, if no
    map has all of them, fitted as well as possible.  Anchors are kept exactly, in their own
    coordinates; beside them distances only pull.
    Attributes act through a metric learned in front, and what a condition does is taken out there.
    If a condition of up to twelve values still shows among neighbours, rows that match across its
    values (each among the nearest of the other's value) become neighbours too, in proportion to
    the rows of each value; rows whose kind a value lacks keep their own.  Numbers of more values
    and angles are taken out in front only.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    perplexity : float, "auto" or list of float
        Effective neighbours of every row.  ``"auto"`` is 15, or half of the other rows where there
        are few, or half of the median number of neighbours in a given graph.  With a list the mean
        of the choices is taken: small values keep what is near, large ones the large shape.
    n_neighbors : int or "auto"
        Neighbours that a row may choose; ``"auto"`` is twice the perplexity, or all that a given
        graph stores (in both directions, if it stores each edge in one).
    exaggeration : float
        How much stronger pulls are than the objective says: 1 is t-SNE; at 4 clusters contract, as
        in UMAP's maps.
    early_exaggeration : float
        The same for the first steps, in which clusters form: 100 of those of
        ``max_iter="auto"``, and as large a share of others.
    degrees_of_freedom : float
        ν: 1 is t-SNE; below, clusters fall into finer ones; infinity is symmetric stochastic
        neighbour embedding.
    init : {"auto", "classical", "spectral", "random"}, ndarray or estimator
        Where the points begin: ``"classical"`` is principal components (classical scaling of other
        distances), ``"spectral"`` eigenvectors of the graph (``"auto"`` where a graph is given,
        else classical), ``"random"`` random places; or places of shape (n_samples, n_components),
        or an estimator that makes them of the rows.  They are brought to a small size.
    repulsion : {"auto", "mesh", "tree", "exact"}
        Whether the repulsion is summed up on a mesh, by a tree of boxes or over all pairs.
        ``"auto"`` takes all pairs of few rows; of more, a tree in three dimensions, else the mesh.
    metric : str or callable
        Of the rows; ``"precomputed"`` for a table of distances or a sparse graph of them.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are found; ``"auto"`` is exact where that is affordable.
    max_iter : int or "auto"
        Steps; ``"auto"`` is 350 for up to 1,500 distinct rows, and 300 for more, which have more
        momentum.
    warm_start : bool
        Whether ``fit`` goes on where the last one, with the same X and ``side``, was interrupted.
    random_state : int, Generator, RandomState or None
        For a random start.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map, centred; with anchors in their coordinates, with distances in their unit.
    objective_ : float
        KL(P ‖ Q), without exaggeration.
    gradient_norm_ : float
        The length of its gradient at the end, at the rows that no anchor holds; known distances
        are no part of it, and where they are met it need not be small.
    history_ : ndarray
        The objective at every fiftieth step, and at the end.
    n_iter_ : int
        Steps.
    unit_ : float
        The length of the kernel's unit in the map: 1 unless distances or anchors say otherwise.
    perplexity_ : ndarray
        The perplexities that were used.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph of P that each row is in, the largest 0.
    neighbors_recall_ : float
        The share of the nearest neighbours that the search found, measured on a sample; 1 where it
        was exact.

    Notes
    -----
    Rows that are the same are one point.  A graph in pieces (``pieces_``) is embedded whole: points
    of different pieces push one another, so that the pieces lie apart, but nothing says which lies
    beside which.  Rows of a given graph without an edge bring a warning.  A new row goes where the
    pulls of its neighbours and the push of all points balance, while these stay; a training row is
    where it was.

    References
    ----------
    L. van der Maaten and G. Hinton (2008), "Visualizing data using t-SNE".
    L. van der Maaten (2014), "Accelerating t-SNE using tree-based algorithms".
    G. Linderman, M. Rachh, J. Hoskins, S. Steinerberger and Y. Kluger (2019), "Fast
    interpolation-based t-SNE for improved visualization of single-cell RNA-seq data".
    D. Kobak and P. Berens (2019), "The art of using t-SNE for single-cell transcriptomics".
    J. Böhm, P. Berens and D. Kobak (2022), "Attraction-repulsion spectrum in neighbor embeddings".

    Examples
    --------
    Three clusters stay three clusters.

    >>> import numpy as np
    >>> from sidelight import NeighborEmbedding
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((90, 10)) + 9 * np.repeat(np.eye(3, 10), 30, axis=0)
    >>> Z = NeighborEmbedding().fit_transform(X)
    >>> middles = Z.reshape(3, 30, 2).mean(axis=1)
    >>> nearest = np.linalg.norm(Z[:, None] - middles, axis=2).argmin(axis=1)
    >>> bool((nearest == np.repeat([0, 1, 2], 30)).all())
    True
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "perplexity": (
            OneOf(("auto",)),
            Real(1),
            Matching(lambda v: _are_perplexities(v), "a list of numbers ≥ 1"),
        ),
        "n_neighbors": GRAPH_PARAMETERS["n_neighbors"],
        "exaggeration": (Real(0, open_below=True),),
        "early_exaggeration": (Real(0, open_below=True),),
        "degrees_of_freedom": (
            Real(0, open_below=True),
            Matching(lambda v: v == np.inf, "infinity"),
        ),
        "init": (OneOf(("auto", "classical", "spectral", "random")), *MADE_OR_GIVEN),
        "repulsion": (OneOf(("auto", "mesh", "tree", "exact")),),
        "metric": GRAPH_PARAMETERS["metric"],
        "neighbors": GRAPH_PARAMETERS["neighbors"],
        "max_iter": (OneOf(("auto",)), Whole(1)),
        "warm_start": (OneOf((True, False)),),
        "random_state": (RANDOM_STATE,),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        perplexity: Any = "auto",
        n_neighbors: int | str = "auto",
        exaggeration: float = 1.0,
        early_exaggeration: float = 12.0,
        degrees_of_freedom: float = 1.0,
        init: Any = "auto",
        repulsion: str = "auto",
        metric: Any = "euclidean",
        neighbors: str = "auto",
        max_iter: int | str = "auto",
        warm_start: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_neighbors = n_neighbors
        self.exaggeration = exaggeration
        self.early_exaggeration = early_exaggeration
        self.degrees_of_freedom = degrees_of_freedom
        self.init = init
        self.repulsion = repulsion
        self.metric = metric
        self.neighbors = neighbors
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Move the points until near rows are near in the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples), dense or
            a sparse graph of them.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known: an Invariance as the distance between rows; pairs, distances, a Sequence
            and anchors inside; the others in front.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        NeighborEmbedding
            The fitted estimator.
        """
        told = self._hear(X, side, items, inside=INSIDE)
        distinct = told.points.distinct()
        points = told.points.merged(distinct)
        check_enough(distinct, self.n_components_, who=self._name)
        self._check_repulsion(self.n_components_)
        reach, stored, perplexities = self._reach(points)
        reach.refuse_search(self.neighbors, who=self._name)
        self._require(points.n, stored.nnz / points.n if reach.k is None else reach.k)
        with Threads(count_threads(None, who=self._name)) as pool, one_blas_thread():
            near = stored if reach.k is None else reach.among(points, method=self.neighbors)
            heard = hear_inside(
                near, perplexities, told.known, points, distinct, pool, who=self._name
            )
            pieces = pieces_of_rows(heard.affinities, distinct, who=self._name)
            found, unit, unfinished = self._lay_out(heard, told, points, distinct, pool)
        left = points.bare()
        dof, pulls, way = self.degrees_of_freedom, self.exaggeration, self.repulsion
        rule = ByNeighbors(left, found.Y, perplexities, reach, dof, pulls, way, unit)
        graph = {"pieces_": pieces, "neighbors_recall_": share_found(points, near)}
        facts = {**found.facts, "unit_": unit, "perplexity_": perplexities, **graph}
        placed = of_all_rows(Map(found.Y, rule, facts), left, distinct)
        pinned = heard.anchors is not None
        notes = say_how_far(heard.report, heard.springs, found.Y, pinned=pinned, who=self._name)
        return self._adopt(replace(told, notes=notes), placed, unfinished)

    def _lay_out(
        self, heard: Inside, told: Told, points: Points, distinct: DistinctRows, pool: Threads
    ) -> tuple[Layout, float, Unfinished | None]:
        """Move the points from their start, or from where the last fit was left."""
        d, dof, P = self.n_components_, self.degrees_of_freedom, heard.affinities
        divergence = Divergence(P, dof, moving_field_by(self.repulsion, d, points.n, dof), pool)
        thread = pick_up(self, (P.graph.data, P.graph.indices, told.known), points.n * d)
        begin = thread.where or Moving.at_rest(self._start(points, distinct, P, d))
        around: dict[str, Any] = {"show": _of_rows(distinct), "who": self._name}
        pace = self._pace(points.n, P)
        found, unit = lay_out_informed(divergence, begin, pace, heard, distinct, **around)
        return found, unit, thread.left_at(found.left)

    def _start(self, points: Points, distinct: DistinctRows, P: Affinities, d: int) -> FloatArray:
        told: dict[str, Any] = {"random_state": self.random_state, "who": self._name}
        return start_of(self.init, points, distinct, P.graph, d, **told)

    def _check_repulsion(self, d: int) -> None:
        if d > 3 and self.repulsion in ("mesh", "tree"):
            raise ValueError(
                f"The 'repulsion' parameter of {self._name} must be 'auto' or 'exact' for maps of "
                f"more than three dimensions. Got {self.repulsion!r} instead, with "
                f"n_components={self.n_components!r}."
            )

    def _pace(self, n: int, P: Affinities) -> Pace:
        dof = self.degrees_of_freedom
        return Pace.of(
            n,
            None if isinstance(self.max_iter, str) else self.max_iter,
            early_exaggeration=self.early_exaggeration,
            exaggeration=self.exaggeration,
            steady=steady_rate(dof, P.load) if dof > 1 else np.inf,
        )

    def _reach(self, points: Points) -> tuple[Reach, Any, FloatArray]:
        """Who may be chosen: as many of each row or all that a graph stores; the perplexities."""
        automatic = isinstance(self.perplexity, str)
        wanted = np.atleast_1d(_PERPLEXITY if automatic else self.perplexity).astype(np.float64)
        most = points.n - 1
        # who chooses all others evenly tells none of them apart
        if not automatic and (wanted.max() > most or wanted.min() == most > 1):
            raise ValueError(
                f"The 'perplexity' parameter of {self._name} must be less than the number of other "
                f"distinct rows, {most}. Got {self.perplexity!r} instead."
            )
        reach = reach_of(points, self.n_neighbors)
        if reach.k is None:
            stored = known_from_both_ends(points.rows)
            return reach, stored, self._of_graph(wanted, stored)
        k = reach.k
        if self.n_neighbors == "auto":
            k = int(min(np.ceil(_LISTED * wanted.max()), most))
        if automatic:
            wanted = np.minimum(wanted, max(k / _LISTED, 1.0))
        if wanted.max() > k:
            raise ValueError(
                f"The 'n_neighbors' parameter of {self._name} must be at least the perplexity, "
                f"{wanted.max():g}. Got {self.n_neighbors!r} instead. Twice as many are enough."
            )
        return Reach(k), None, wanted

    def _of_graph(self, wanted: FloatArray, stored: Any) -> FloatArray:
        """The perplexities of choices in a graph, as if all rows had as many neighbours."""
        listed = float(np.median(np.diff(stored.indptr)))
        if isinstance(self.perplexity, str):
            return np.minimum(wanted, max(listed / _LISTED, min(listed, _FEW), 1.0))
        if wanted.max() > max(listed, 1.0):
            raise ValueError(
                f"The 'perplexity' parameter of {self._name} must be at most the number of "
                f"neighbours of a row, and half of the rows of the given graph have {listed:g} or "
                f"fewer. Got {self.perplexity!r} instead. Give a graph with twice as many "
                f"neighbours, or perplexity='auto'."
            )
        return wanted

    def _require(self, n: int, k: float) -> None:
        """Refuse before the graph and the points are taken, if there is no room for them."""
        require_memory(
            n * (75.0 * k + 60.0 * self.n_components_),  # of 20,000 rows 2,330 bytes were measured
            what=f"the graph of {k:.0f} neighbours of {n} rows",
            who=self._name,
            instead="Lower perplexity, or fit a sample of the rows and transform() the others.",
        )


def _are_perplexities(values: Any) -> bool:
    given = np.asarray(values if isinstance(values, list | tuple | np.ndarray) else [])
    return given.ndim == 1 and given.dtype.kind in "iuf" and given.size > 0 and min(given) >= 1


def _of_rows(distinct: Any) -> Any:
    """The map of distinct points as that of all rows, centred."""

    def show(Y: FloatArray) -> FloatArray:
        return np.asarray((Y - Y.mean(axis=0))[distinct.inverse])

    return show
