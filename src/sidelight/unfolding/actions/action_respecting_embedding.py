"""Action respecting embedding (thesis chapter 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from sidelight.core import COMPONENTS, FloatArray, IntArray, OneOf, Real, Whole, counted, warn
from sidelight.estimator import (
    GRAPH_PARAMETERS,
    Embedder,
    Map,
    map_of_neighborhood,
    neighborhood_of,
    reach_of,
)
from sidelight.neighbors import DistinctRows
from sidelight.side import Actions
from sidelight.solvers.semidefinite import Objective, Variance, principal_axes, solve
from sidelight.unfolding.actions.bounds import join_pieces, neighbor_bounds, step_bounds
from sidelight.unfolding.actions.inverses import UnfoldedWalk, suppose_inverses
from sidelight.unfolding.actions.moving import ActionMap, names_kept
from sidelight.unfolding.actions.places import Places, find_places
from sidelight.unfolding.actions.runs import run_variance, straight_scatter
from sidelight.unfolding.actions.statement import bounds_are_one, state_walk
from sidelight.unfolding.actions.translations import translated
from sidelight.unfolding.actions.walk import OfNewFrames, Walk, lay_out_walk, walk_of
from sidelight.unfolding.likeness import (
    LIKENESS,
    alike_together,
    are_judged,
    nearest_in,
    why_not_followed,
)
from sidelight.unfolding.semidefinite import Softness, UnfoldingSettings, unfold_neighborhood

#: Neighbours of a frame that are looked for in the map.
_LOOKED_AT = 5
#: Beyond so many places translations are tried before the general solver.
_MANY = 250


class ActionRespectingEmbedding(ActionMap, Embedder):
    """Action respecting embedding (ARE): a map in which every action is one rigid motion.

    The frames x_1 … x_t of a walk, or of several, come with the actions between them, whose names
    mean nothing.  The kernel is learned: wherever the same action led from i to i' and from j to
    j', it kept their distance,

        max_K ⟨C, K⟩  over  K ⪰ 0, Σ_ij K_ij = 0,  D(i', j') = D(i, j),  D(i, j) ≤ d_ij²

    with D(i, j) = K_ii − 2K_ij + K_jj ((4.4) and table 4.1).  In the map an action is a rotation
    plus a translation, so that one can predict where it leads and plan how to get somewhere.

    **Where the knowledge acts**: ``Actions`` give the equalities, the pairs that are bounded, and
    the runs.  Without them this is semidefinite embedding of the rows.  If frames that look alike
    would not lie together in the map by actions, the actions are left out too, with a warning;
    ``Actions(..., certain=True)`` are followed in any case.

    Parameters
    ----------
    n_components : int or "auto"
        Dimensions of the map, ``n_components_``; ``"auto"`` is the intrinsic dimension of X.
    objective : {"runs", "variance"}
        ``"runs"`` maximises the scatter within maximal runs of one action, bounds the steps alone
        and imposes inverses that it recognised.  ``"variance"`` is the algorithm as printed: tr K,
        bounded by the data's distances between action neighbours (4.1) and common neighbours.  It
        prefers bowed paths, in which a straight run is an arc and actions mispredict.
    steps : {"unit", "data"}
        With ``"runs"``: every step is at most one long, and frames serve only to recognise places;
        or at most as long as the distance of its frames, relative to the action's root mean
        square, in the mean over steps that must be equal.
    slack : float
        By how much, relative to its square, a bounded distance under an average load may be
        exceeded: an excess ξ costs Σ ξ² / 2s, s in proportion.  0 is not at all; the text has
        "highly penalised" slack.  What an action keeps is kept in any case.
    window : int
        With ``"variance"``: the ball of a row holds the rows within so many actions.
    merge : "auto", float or None
        Frames no farther apart than this are one place.  ``"auto"`` merges identical frames; where
        there are none it looks for a tolerance that the actions agree with, for noisy frames.
        None merges nothing.  Frames that the actions make one place are merged in any case.
    n_neighbors : int or "auto"
        Neighbours that place a new row (and neighbours of the plain method without actions);
        ``"auto"`` is 10, or all others of fewer.
    tol : float
        Relative gap between the objective and the proven bound on it.
    max_iter : int
        Most steps of the interior point.
    metric : str or callable
        Of frames; ``"precomputed"`` for a table of distances.
    on_disconnected : {"connect", "error"}
        What to do with episodes that share no place, which nothing holds together: join their
        nearest frames, at most as far apart as these are in units of the mean step, or refuse.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map.
    eigenvalues_ : ndarray of shape (n_components,)
        Leading eigenvalues of K.
    objective_ : float
        ⟨C, K⟩: the trace of the kernel centred within runs, or tr K.
    dual_bound_ : float
        No kernel that meets the constraints solved for has a larger value.
    gap_ : float
        (dual_bound_ − objective_) / objective_.
    violation_ : float
        The worst of *all* action constraints: the difference of the two squared distances relative
        to the larger (and at least the mean bound).
    n_constraints_ : int
        How many action constraints there are.
    actions_ : ndarray of shape (n_actions,)
        The names of the actions.
    places_ : ndarray of shape (n_samples,)
        The place of each row: rows of one place were merged.
    tolerance_ : float
        The distance up to which frames were merged.
    residuals_ : ndarray of shape (n_actions,)
        How far, in the root mean square, an action leads from where it led in the walk.
    n_iter_ : int
        Steps of the interior point.
    history_ : ndarray of shape (n_iter, 2)
        The value and the gap on the way.

    Notes
    -----
    The equalities are an equivalence relation on pairs of places, so that a spanning forest of them
    is solved for; for long walks only those of a few anchor steps of each action, and all are
    checked, those violated added, until none is.  Where a walk of more than 250 places can be laid
    out by translations, so that every run is straight, no kernel has more scatter within runs, and
    that is the map, however long the walk.  Inverses: where b came back once from where a
    led, and never led elsewhere, it undoes a everywhere.  Where nothing was taken back but loops
    close, b is supposed to undo a if that leaves the objective as it is, makes no two places one,
    and then other actions undo one another too.  Motions are those of the axes along which places
    lie apart: with more components than the walk needs nothing else changes.

    A fit that is interrupted keeps its best kernel, with the ``gap_`` proven so far, once that
    respects all actions to a hundredth (``violation_``) and has half of the largest value.

    References
    ----------
    M. Bowling, A. Ghodsi and D. Wilkinson (2005), "Action respecting embedding", ICML;
    A. Ghodsi (2005), "Nonlinear dimensionality reduction with side information", chapter 4.

    Examples
    --------
    A camera moves over a picture.  Nothing says what the actions mean; "left" took back one step to
    the right, once, and so it does everywhere.

    >>> from sidelight.datasets import image_walk
    >>> from sidelight.side import Actions
    >>> from sidelight import ActionRespectingEmbedding
    >>> walk = image_walk("texture", ["right"] * 3 + ["left", "right"] + ["up"] * 3)
    >>> model = ActionRespectingEmbedding().fit(walk.X, side=Actions(walk.extras["actions"]))
    >>> model.predict(1, "left"), model.plan(0, 8), model.inverses_["left"]
    (0, ['right', 'right', 'right', 'up', 'up', 'up'], 'right')

    With slack bounded distances give way, and the runs spread farther.

    >>> loose = ActionRespectingEmbedding(slack=0.1)
    >>> loose.fit(walk.X, side=Actions(walk.extras["actions"]))
    ActionRespectingEmbedding(slack=0.1)
    >>> round(model.objective_, 1), round(loose.objective_, 1)
    (11.0, 12.1)
    """

    _parameters: ClassVar[Any] = {
        "n_components": COMPONENTS,
        "objective": (OneOf(("runs", "variance")),),
        "steps": (OneOf(("unit", "data")),),
        "slack": (Real(0),),
        "window": (Whole(1),),
        "merge": (OneOf(("auto", None)), Real(0)),
        "n_neighbors": (OneOf(("auto",)), Whole(1)),
        "tol": (Real(0, open_below=True),),
        "max_iter": (Whole(1),),
        "metric": GRAPH_PARAMETERS["metric"],
        "on_disconnected": (OneOf(("connect", "error")),),
    }

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        objective: str = "runs",
        steps: str = "unit",
        slack: float = 0.0,
        window: int = 1,
        merge: float | str | None = "auto",
        n_neighbors: int | str = "auto",
        tol: float = 1e-4,
        max_iter: int = 200,
        metric: Any = "euclidean",
        on_disconnected: str = "connect",
    ) -> None:
        self.n_components = n_components
        self.objective = objective
        self.steps = steps
        self.slack = slack
        self.window = window
        self.merge = merge
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter
        self.metric = metric
        self.on_disconnected = on_disconnected

    def fit(self, X: Any, y: Any = None, *, side: Any = None, items: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array or sparse array of shape (n_samples, n_features)
            The frames in the order of the walk, episode after episode; with
            ``metric="precomputed"`` the distances (n_samples, n_samples).
        y : object
            Ignored.
        side : Actions, or a list with what acts in front or behind, optional
            The actions between successive rows; without them the map is that of semidefinite
            embedding.  Condition, Pairs, Attributes, Distances and Relation act on the frames, in
            front; to Anchors the finished map is brought, and ``transformations_`` are of the map
            before.
        items : array of shape (n_samples, n_items_features), optional
            The items behind precomputed distances, for ``inverse_transform``.

        Returns
        -------
        Self
            The fitted estimator.

        Raises
        ------
        ValueError
            If the actions leave no more places than there are components.
        """
        told = self._hear(X, side, items)
        self._refuse_idle_parameters("Actions" in told.known)
        if "Actions" not in told.known:
            return self._adopt(told, self._map_without_actions(told.points))
        distinct = told.points.distinct()
        walk = walk_of(told.points, distinct, told.known["Actions"])
        places = self._find_places(walk, told.points)
        unfolded = self._unfold(walk, places)
        points = told.points.merged(distinct)
        rule = OfNewFrames(points, distinct, reach_of(points, self.n_neighbors))
        printed = self.objective == "variance"
        found = lay_out_walk(walk, unfolded, rule, self.n_components_, printed=printed)
        refuted = self._refuted(walk, distinct, found, told.known["Actions"])
        if refuted:
            found = self._map_without_actions(told.points)
            told = replace(told, notes={**told.notes, "Actions": refuted})
        else:
            motions = replace(found.facts["_motions"], names=names_kept(X))
            found = found.with_facts(_motions=motions)
        return self._adopt(told, found)

    def _refuted(self, walk: Walk, distinct: DistinctRows, found: Map, actions: Actions) -> str:
        """Why actions are not followed: their map would show nothing of the frames."""
        rows = distinct.rows
        if not are_judged(actions, len(rows)):
            return ""
        near = nearest_in(walk.D[np.ix_(rows, rows)], _LOOKED_AT)
        shown = alike_together(near, found.points[rows])
        return why_not_followed(
            shown, LIKENESS.shown, instead="by chance it is half", who=self._name
        )

    def _map_without_actions(self, points: Any) -> Map:
        """Without actions it is semidefinite embedding, of a walk that says nothing."""
        near = neighborhood_of(
            points,
            n_components=self.n_components_,
            n_neighbors=self.n_neighbors,
            on_disconnected=self.on_disconnected,
        )
        settings = UnfoldingSettings(self.n_components_, tol=self.tol, max_iter=self.max_iter)
        found = map_of_neighborhood(
            near,
            lambda piece: unfold_neighborhood(piece, {}, settings),
            self.n_components_,
            self.on_disconnected,
        )
        return found.with_facts(
            n_constraints_=0,
            actions_=np.empty(0, dtype=str),
            places_=near.distinct.inverse,
            tolerance_=0.0,
            residuals_=np.empty(0),
        )

    def _find_places(self, walk: Walk, points: Any) -> Places:
        printed = self.objective == "variance"
        places = find_places(
            walk.D,
            walk.transitions,
            walk.kinds,
            # neighbours at distance zero are one place by their bound
            merge=0.0 if printed and self.merge is None else self.merge,
            invert=not printed,
            n_features=1 if points.features is None else points.features.shape[1],
        )
        if places.n_places <= self.n_components_:
            n = len(walk.D)
            raise ValueError(
                f"{self._name} needs more places than components, n_components="
                f"{self.n_components_}. Got {counted(places.n_places, 'place')} in "
                f"{counted(n, 'frame')} "
                f"(n_samples={n}): frames closer than {places.tolerance:g} are one place, and "
                f"so are the frames that the same action leads to from one place, or comes from. "
                f"If different places look alike use merge=None; else ask for fewer components."
            )
        return places

    def _unfold(self, walk: Walk, places: Places) -> UnfoldedWalk:
        """State what the walk asks of its kernel, solve it, and suppose inverses."""
        printed = self.objective == "variance"
        edges, squares = self._bounds(walk, places)
        counts = np.bincount(places.nodes).astype(np.float64)
        objective: Objective = Variance(counts)
        if not printed:
            objective = run_variance(places.nodes, walk.transitions, walk.kinds)

        softness = self._softness(walk, edges, squares, counts) if self.slack else None

        mean = not printed and self.steps == "data"

        def unfold(places: Places) -> UnfoldedWalk:
            program = state_walk(
                objective, places, edges, squares, mean_bounds=mean, softness=softness
            )
            found = None
            if places.n_places > _MANY and not printed and not self.slack:
                found = translated(program, places, walk, tol=self.tol)
            if found is None:
                found = solve(program, tol=self.tol, max_iter=self.max_iter, who=self._name)
            return UnfoldedWalk(places, program, found, principal_axes(found.factor, counts))

        plain = unfold(places)
        if mean and bounds_are_one(plain.program, places.nodes[walk.transitions]):
            warn(
                f"steps='data' of {self._name} changes nothing here: steps that actions make "
                f"equally long are one long, in the mean, by their frames, too. Leave it out."
            )
        return plain if printed else suppose_inverses(plain, walk, unfold, tol=self.tol)

    def _softness(
        self, walk: Walk, edges: IntArray, squares: FloatArray, counts: FloatArray
    ) -> Callable[[FloatArray], FloatArray]:
        """How soft bounds are, so that one under an average load is missed by ``slack`` of it."""
        soft = Softness.of(edges, np.sqrt(squares), counts)
        if self.objective == "runs":
            steps = np.ones(len(walk.kinds))
            total = soft.mean * straight_scatter(walk.transitions, walk.kinds, steps)
            soft = Softness(soft.mean, total / len(squares))
        return partial(soft, self.slack)

    def _bounds(self, walk: Walk, places: Places) -> tuple[IntArray, FloatArray]:
        D, transitions, unit = walk.D, walk.transitions, 1.0
        if self.objective == "variance":
            edges, squares = neighbor_bounds(D, places, transitions, window=self.window)
        else:
            measured = self.steps == "data"
            edges, squares = step_bounds(D, places, transitions, walk.kinds, from_data=measured)
            if not squares.any():
                raise ValueError(
                    f"steps='data' of {self._name} bounds a step by the distance of its frames, "
                    f"and all {len(transitions)} steps lead to a frame that is the same as before: "
                    f"the map would be one point. Use steps='unit'."
                )
            unit = float(np.sqrt(np.mean(D[transitions[:, 0], transitions[:, 1]] ** 2))) or 1.0
        joins, more = join_pieces(
            D, places, edges, unit=unit, on_disconnected=self.on_disconnected, who=self._name
        )
        return np.vstack([edges, joins]), np.concatenate([squares, more])

    def _refuse_idle_parameters(self, acts: bool) -> None:
        """Refuse what would do nothing: it was meant to do something."""
        idle = {
            "objective": not acts and self.objective != "runs",
            "merge": not acts and self.merge != "auto",
            "slack": not acts and self.slack != 0,
            "steps": self.steps != "unit" and (not acts or self.objective == "variance"),
            "window": self.window != 1 and (not acts or self.objective == "runs"),
        }
        for name, does_nothing in idle.items():
            if does_nothing:
                mode = f"with objective={self.objective!r}" if acts else "without Actions"
                raise ValueError(
                    f"The {name!r} parameter of {self._name} has no effect {mode}. Got "
                    f"{getattr(self, name)!r}; leave it out."
                )

    def kernel(self) -> FloatArray:
        """Compute the learned kernel K.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Positive semidefinite and centred.
        """
        return self._kernel()
