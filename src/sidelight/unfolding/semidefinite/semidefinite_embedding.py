"""Semidefinite embedding (section 1.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import FloatArray, OneOf, Real, Whole, is_sparse, warn
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Embedder,
    Map,
    Neighborhood,
    Told,
    map_of_neighborhood,
    neighborhood_of,
    told_of_order,
    without_order,
)
from sidelight.metric import EquivalenceMetric
from sidelight.side import Distances
from sidelight.unfolding.likeness import LIKENESS, alike_together, are_judged, why_not_followed
from sidelight.unfolding.semidefinite.anchored import distances_between
from sidelight.unfolding.semidefinite.kernel_constraints import KINDS
from sidelight.unfolding.semidefinite.side_constraints import (
    known_within,
    say_what_is_in_another_unit,
    say_what_pieces_lose,
    tied_rows,
)
from sidelight.unfolding.semidefinite.unfolding import UnfoldingSettings, unfold_neighborhood


class SemidefiniteEmbedding(Embedder):
    """Semidefinite embedding (SDE), or maximum variance unfolding (MVU): the data pulled apart.

    The kernel is learned: of all kernels that keep the distances between neighbours, the one with
    the largest variance,

        max_K tr K  over  K ⪰ 0, Σ_ij K_ij = 0, K_ii − 2K_ij + K_jj ≤ ‖x_i − x_j‖²

    for neighbours i, j (section 1.7, corrected: K_ii for the first term).  The map is kernel PCA
    on it.  What is known are further linear constraints on the same K: a known distance is kept, in
    the unit of X, a similar pair comes within a distance, a dissimilar pair stays beyond one, and
    equal actions keep distances (4.4), unless that tears neighbours apart: then they are left out,
    with a warning.  Attributes act through a learned metric, before neighbours are found.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    n_neighbors : int or "auto"
        Neighbours of each point; ``"auto"`` is 10 (or all others of fewer points).
    constraint : {"at_most", "equal"}
        Whether neighbours may come closer than in the data (the default: always feasible, for any
        metric) or stay as far apart (a dense solver, for up to about a thousand points).
    slack : float or "auto"
        By how much a constraint under an average load may be missed, relative to its squared
        distance: misses ξ cost Σ ξ² / 2s, s in proportion.  It is for side information and for
        neighbours held equal; with ``"at_most"`` and nothing known it is refused.  With 0
        constraints hold exactly, and a contradiction is an error.  ``"auto"`` is 0.001 for
        neighbours and 0 for side information.
    common_neighbors : bool
        Whether pairs that are neighbours of one point are constrained too, ηᵀη, as in the text.
    n_landmarks : int, optional
        Unfold so many landmarks, and place all points between them by barycentres, K = Q L Qᵀ;
        rows that side information names are landmarks besides.  By default, and where there are no
        more points, every point is one.
    side_as : {"constraints", "metric"}
        Whether pairs and distances constrain the kernel or are learned as a metric; no effect
        without them.
    similar_within : float or "auto"
        How far apart similar rows may be; ``"auto"`` is the median distance of neighbours.
    dissimilar_beyond : float or "auto"
        How close dissimilar rows may be; ``"auto"`` is, for each pair, half of the longest way that
        neighbours, known distances and similar pairs leave between the two.
    tol : float
        Relative gap between the kernel's variance and the proven bound on it.
    max_iter : int
        Most Newton steps.
    metric : str or callable
        Of neighbouring points; ``"precomputed"`` for a table of distances, or a sparse graph.
    neighbors : {"auto", "kd_tree", "blocked", "approximate"}
        How neighbours are searched.
    on_disconnected : {"connect", "error", "largest", "separate"}
        What to do when the graph falls apart: pieces that nothing joins could move apart for ever.
        Known distances and similar pairs join pieces too.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    objective_ : float
        tr K, which is the variance of the whole kernel times n_samples.  With landmarks that of
        their kernel, each counted by the rows nearest to it.
    dual_bound_ : float
        No kernel that meets the constraints has a larger trace; with slack, none that misses them
        by no more than this one, in the sense of Σ ξ² / 2s.  With landmarks it is about them.
    gap_ : float
        (dual_bound_ − objective_) / objective_.
    violation_ : float
        By how much the worst constraint on a squared distance is missed, relative to it.
    multipliers_ : ndarray of shape (n_edges,)
        The tension of each edge, y (≥ 0 for ``"at_most"``): without side information K is optimal
        where Σ y_ij (e_i − e_j)(e_i − e_j)ᵀ − I is positive on centred vectors and vanishes on K.
    edges_ : ndarray of shape (n_edges, 2)
        The edges, between the distinct rows in the order in which they first occur, or between
        landmarks.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows that are landmarks; without ``n_landmarks`` every distinct row.
    n_iter_ : int
        Newton steps.
    history_ : ndarray of shape (n_levels, 2)
        The trace and the estimated gap on the way.
    pieces_ : ndarray of shape (n_samples,)
        The piece of the graph that each row was found in.
    neighbors_recall_ : float
        The share of the nearest neighbours that were found, measured on 1,000 rows where the search
        was not exact; 1 where it was.

    Notes
    -----
    Rows that occur several times are one point and count as often in the variance.  A new row is
    placed at the barycentre of its neighbours' places, with the weights that reconstruct it from
    them.  More than 300 rows are solved in a low-rank factor (thousands of rows), except with
    ``Actions`` or ``constraint="equal"``: these need a dense interior point, whose memory grows
    with the square of the number of constraints.

    A fit that is interrupted keeps its best kernel, with the ``gap_`` proven so far, once that
    meets what is asked exactly and has half of the largest variance.  The next fit starts afresh:
    an interior point cannot go on from the boundary that it came to.

    References
    ----------
    K. Q. Weinberger, F. Sha and L. K. Saul (2004), "Learning a kernel matrix for nonlinear
    dimensionality reduction".
    K. Q. Weinberger, B. D. Packer and L. K. Saul (2005), "Nonlinear dimensionality reduction by
    semidefinite programming and kernel matrix factorization".

    Examples
    --------
    Points on a quarter of a circle are pulled straight: the map is as long as the chain.  Told that
    its ends are one apart, it keeps them so.

    >>> import numpy as np
    >>> from sidelight.side import Distances
    >>> from sidelight.unfolding.semidefinite.semidefinite_embedding import SemidefiniteEmbedding
    >>> angle = np.linspace(0, np.pi / 2, 50)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = SemidefiniteEmbedding(1, n_neighbors=2).fit(X)
    >>> float(np.ptp(model.embedding_).round(2)), model.gap_ <= 1e-4
    (1.57, True)
    >>> model = SemidefiniteEmbedding(2, n_neighbors=2).fit(X, side=Distances([(0, 49)], [1.0]))
    >>> float(np.linalg.norm(model.embedding_[0] - model.embedding_[49]).round(4))
    1.0

    Distances of neighbours that are to stay as they are may be missed, at a price.

    >>> slack = SemidefiniteEmbedding(1, n_neighbors=2, constraint="equal", slack=0.01)
    >>> round(float(slack.fit(X[::5]).violation_), 2)
    0.02
    """

    _parameters: ClassVar[Any] = {
        **GRAPH_PARAMETERS,
        "constraint": (OneOf(("at_most", "equal")),),
        "slack": (OneOf(("auto",)), Real(0)),
        "common_neighbors": (OneOf((False, True)),),
        "n_landmarks": (OneOf((None,)), Whole(2)),
        "side_as": (OneOf(("constraints", "metric")),),
        "similar_within": (OneOf(("auto",)), Real(0)),
        "dissimilar_beyond": (OneOf(("auto",)), Real(0)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        n_neighbors: int | str = "auto",
        constraint: str = "at_most",
        slack: float | str = "auto",
        common_neighbors: bool = False,
        n_landmarks: int | None = None,
        side_as: str = "constraints",
        similar_within: float | str = "auto",
        dissimilar_beyond: float | str = "auto",
        tol: float = 1e-4,
        max_iter: int = 500,
        metric: Any = "euclidean",
        neighbors: str = "auto",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.constraint = constraint
        self.slack = slack
        self.common_neighbors = common_neighbors
        self.n_landmarks = n_landmarks
        self.side_as = side_as
        self.similar_within = similar_within
        self.dissimilar_beyond = dissimilar_beyond
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.neighbors = neighbors
        self.on_disconnected = on_disconnected

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The data; with ``metric="precomputed"`` the distances (n_samples, n_samples), or a
            sparse graph: what is stored in row i are the neighbours of row i.
        y : object
            Ignored.
        side : side information or list of it, optional
            What is known, of any kind: constraints on the kernel, a metric in front (see
            ``side_as``), a factor taken out; adjacent rows of a Sequence are neighbours; the
            finished map is brought to anchors, and where X are distances in their unit, those
            between anchors are kept.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        Self
            The fitted estimator.
        """
        inside = KINDS if self.side_as == "constraints" else ("Actions",)
        told = self._hear(X, side, items, inside=inside)
        known = {kind: told.known[kind] for kind in inside if kind in told.known}
        self._refuse_idle_parameters(known)
        refuted = self._refuted(known, told.points)
        if refuted:
            known = {kind: value for kind, value in known.items() if kind != "Pairs"}
            told = replace(told, notes={"Pairs": refuted})
        say_what_is_in_another_unit(known, told.points, who=self._name)
        asked = {kind: f"{known[kind]!r} as constraints" for kind in KINDS[:2] if kind in known}
        told = replace(told, notes={**asked, **told.notes})
        heard, near, held, found = self._told_and_unfolded(told, known)

        def without() -> tuple[Told, Map]:
            told_less, _, _, plain = self._told_and_unfolded(without_order(told), known)
            return replace(told_less, known=heard.known), plain

        told, found = told_of_order(self, heard, near, found, without)
        if near.apart:
            say_what_pieces_lose(held, found.facts["pieces_"], who=self._name)
        if known and found.points is not None and not np.nan_to_num(found.points).any():
            warn(
                f"What {self._name} was told, {', '.join(known)}, leaves one place for all rows. "
                f"Tell it less, or allow slack (slack=0.01, say)."
            )
        return self._adopt(told, found)

    def _told_and_unfolded(
        self, told: Told, known: dict[str, Any]
    ) -> tuple[Told, Neighborhood, dict[str, Any], Map]:
        """Neighbours found and unfolded; and what of all that is known was kept by the map."""
        near = neighborhood_of(
            told.points,
            n_components=self.n_components_,
            n_neighbors=self.n_neighbors,
            method=self.neighbors,
            on_disconnected=self.on_disconnected,
            ties=tied_rows(known),
            sequence=told.known.get("Sequence"),
        )
        told, known = self._held_by_anchors(told, known, near)
        found = self._unfolded(near, known)
        if "Actions" in known:
            found, known, note = self._judged_by_rows(near, known, found)
            if note:
                told = replace(told, notes={**told.notes, "Actions": note})
        return told, near, known, found

    def _unfolded(self, near: Neighborhood, known: dict[str, Any]) -> Map:
        """The map of a neighbourhood, or of its pieces, each told what is known of its rows."""
        settings = self._settings()

        def embed(piece: Neighborhood) -> Map:
            of_piece = known_within(known, piece.members) if near.apart else known
            return unfold_neighborhood(piece, of_piece, settings)

        return map_of_neighborhood(near, embed, self.n_components_, self.on_disconnected)

    def _judged_by_rows(
        self, near: Neighborhood, known: dict[str, Any], told: Map
    ) -> tuple[Map, dict[str, Any], str]:
        """The map told of actions, or without them where they would tear neighbours apart."""
        if not are_judged(known["Actions"], near.n):
            return told, known, ""
        others = {kind: value for kind, value in known.items() if kind != "Actions"}
        plain = self._unfolded(near, others)
        shown, wanted = (
            alike_together(near.arrows, np.nan_to_num(found.points[near.rows]))
            for found in (told, plain)
        )
        said = why_not_followed(
            shown, wanted, lost=LIKENESS.lost, instead="as without them", who=self._name
        )
        return (plain, others, said) if said else (told, known, "")

    def _held_by_anchors(
        self, told: Told, known: dict[str, Any], near: Neighborhood
    ) -> tuple[Told, dict[str, Any]]:
        """The distances between anchors, where X is of distances in their unit."""
        anchors = told.wanted
        if anchors is None or not anchors.exact or told.points.features is not None:
            return told, known
        between = distances_between(anchors, near)
        if between is None:
            return told, known
        note = f"the distances between {len(anchors.index)} anchors are kept"
        told = replace(
            told,
            known={**told.known, "Anchors": anchors},
            notes={**told.notes, "Anchors": note},
        )
        given = [known["Distances"]] if "Distances" in known else []
        return told, {**known, "Distances": Distances.merge([*given, between])}

    def _refuted(self, known: dict[str, Any], points: Any) -> str:
        """Why pairs are left out that have nothing to do with the rows: they would tear the map."""
        rows = points.vectors
        if "Pairs" not in known or rows is None or is_sparse(rows):
            return ""
        metric = EquivalenceMetric().fit(rows, side=known["Pairs"])
        if not metric.refuted_:
            return ""
        warn(
            f"{self._name} leaves the Pairs out: what they say of some rows has nothing to do with "
            f"what they say of others ({metric.report_})."
        )
        return metric.report_

    def _settings(self) -> UnfoldingSettings:
        return UnfoldingSettings(
            n_components=self.n_components_,
            tol=self.tol,
            max_iter=self.max_iter,
            constraint=self.constraint,
            slack=self.slack,
            common_neighbors=self.common_neighbors,
            n_landmarks=self.n_landmarks,
            similar_within=self.similar_within,
            dissimilar_beyond=self.dissimilar_beyond,
        )

    @property
    def _side_checks(self) -> dict[str, Any]:
        return {"strict": isinstance(self.slack, str) or self.slack == 0}

    def _refuse_idle_parameters(self, known: dict[str, Any]) -> None:
        """Refuse what would do nothing: it was meant to do something."""
        pairs = known.get("Pairs")
        idle = [
            (
                self.slack != "auto" and self.constraint == "at_most" and not known,
                "slack",
                "bounds have none: it is for constraint='equal' and for side information",
            ),
            (
                self.similar_within != "auto" and (pairs is None or not len(pairs.similar)),
                "similar_within",
                "it is for similar Pairs that constrain the kernel",
            ),
            (
                self.dissimilar_beyond != "auto" and (pairs is None or not len(pairs.dissimilar)),
                "dissimilar_beyond",
                "it is for dissimilar Pairs that constrain the kernel",
            ),
        ]
        for does_nothing, name, reason in idle:
            if does_nothing:
                raise ValueError(
                    f"The {name!r} parameter of {self._name} has no effect here: {reason}. Got "
                    f"{getattr(self, name)!r}; leave it out."
                )

    def kernel(self) -> FloatArray:
        """Compute the learned kernel K.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Positive semidefinite and centred; its trace is ``objective_``.
        """
        return self._kernel()
