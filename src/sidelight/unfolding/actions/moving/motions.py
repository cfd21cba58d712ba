"""What a map in which actions are rigid motions is good for: to predict, plan, locate, follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray, IntArray
from sidelight.unfolding.actions.moving.localisation import (
    FilterSettings,
    Track,
    follow,
    frame_likelihoods,
    imagined_places,
    transition_matrix,
)
from sidelight.unfolding.actions.moving.naming import (
    are_frames,
    are_names,
    checked_rows,
    kinds_of,
    one_action_each,
)
from sidelight.unfolding.actions.moving.planning import plan_actions
from sidelight.unfolding.actions.moving.prediction import agreeing_places, nearest_places
from sidelight.unfolding.actions.moving.rigid_motions import TOLD_APART, Transformation


@dataclass(frozen=True)
class Motions:
    """What each action does to the places of a map.

    Parameters
    ----------
    places : ndarray of shape (n_places, r)
        The places, along the axes in which they lie apart.
    nodes : ndarray of shape (n_samples,)
        The place of each row.
    first : ndarray of shape (n_places,)
        The first row of each place.
    steps : ndarray of shape (s, 3)
        Action, place before, place after.
    rigid : RigidActions or AffineActions
        The actions' transformations.
    step : float
        The length of a step.
    printed : bool
        Whether places are predicted by (4.6), and not by the motions.
    names : tuple, optional
        What the rows are called, where they have names.
    """

    places: FloatArray
    nodes: IntArray
    first: IntArray
    steps: IntArray
    rigid: Any
    step: float
    printed: bool
    names: tuple[Any, ...] | None = None

    @property
    def tolerance(self) -> float:
        """Places nearer than this are one: a quarter of a step."""
        return TOLD_APART * self.step

    def of_rows(self, rows: IntArray) -> FloatArray:
        """Give the places of rows."""
        return np.asarray(self.places[self.nodes[rows]])

    def lead_to(self, here: FloatArray, kinds: IntArray) -> tuple[IntArray, FloatArray]:
        """Find the known places that actions lead to from anywhere, and how far from them."""
        Z = self.places
        if not self.printed:
            return nearest_places(Z, self.rigid.apply(here, kinds))
        nodes, distances = np.empty(len(here), dtype=np.intp), np.empty(len(here))
        for kind in np.unique(kinds):
            asked, mine = kinds == kind, self.steps[self.steps[:, 0] == kind]
            found = agreeing_places(Z, mine[:, 1], mine[:, 2], here[asked])
            nodes[asked], distances[asked] = found
        return nodes, distances


class ActionMap:
    """The part of an estimator that uses the actions of its map.

    A subclass has, once it is fitted to actions, ``actions_`` and ``_motions``.
    """

    embedding_: FloatArray
    n_features_in_: int
    actions_: Any
    _motions: Motions
    _map: Any
    _front: Any
    _name: Any
    _new_rows: Any
    _bring: Any

    @property
    def transformations_(self) -> dict[Any, Transformation]:
        """The rotation and the translation of the map that each action is.

        Returns
        -------
        dict
            From the name of an action to its ``rotation`` (d, d) and ``translation`` (d,).
        """
        motions = self._actions_of_the_map().rigid.in_dimensions(self.embedding_.shape[1])
        pairs = zip(motions.rotations, motions.translations, strict=True)
        named = zip(self.actions_.tolist(), pairs, strict=True)
        return {name: Transformation(*pair) for name, pair in named}

    @property
    def inverses_(self) -> dict[Any, Any]:
        """The actions that undo one another all over the map, to a quarter of a step.

        Returns
        -------
        dict
            From the name of an action to that of the one that undoes it, where there is one.
        """
        motions, names = self._actions_of_the_map(), self.actions_.tolist()
        found = motions.rigid.inverses(motions.places, motions.tolerance).tolist()
        return {names[a]: names[b] for a, b in enumerate(found) if b >= 0}

    @property
    def periods_(self) -> dict[Any, int]:
        """After how many repetitions an action comes back, all over the map.

        Returns
        -------
        dict
            From the name of an action to a number, where it comes back at all.
        """
        motions = self._actions_of_the_map()
        found = motions.rigid.periods(motions.places, motions.tolerance).tolist()
        return {name: n for name, n in zip(self.actions_.tolist(), found, strict=True) if n > 0}

    @property
    def predict(self) -> Callable[..., Any]:
        """Predict the row that an action leads to: ``predict(item, action, *, return_distance)``.

        p = argmin_k ‖T_a(z_i) − z_k‖, T_a the rigid motion of the action; with
        ``objective="variance"`` the place whose distances agree best, as printed ((4.6), corrected:
        argmin), which cannot tell a place from its mirror image in the line of a straight run.
        ``item`` is a row or an array of rows, by number or, after a fit to a frame with an index,
        by name; or frames, (m, n_features) or one of (n_features,),
        which are placed in the map first, seen before or not; whole numbers, n_features of them,
        that may be a frame or as many rows are refused.  ``action`` is the name of an action, or
        one per item.
        The answer is the first row that shows the predicted place, an int or an array; with
        ``return_distance=True`` also its distance, in the units of the map, from where the action
        leads: beyond a quarter of a step, it leads to a place that no row shows.

        Returns
        -------
        callable
            It raises a ValueError if there is no such row or action.  Without actions the map
            predicts nothing, and has no such attribute.
        """
        self._actions_of_the_map()
        return self._predict

    def _predict(self, item: Any, action: Any, *, return_distance: bool = False) -> Any:
        """Predict the row that an action leads to, argmin_k ‖T_a(z_i) − z_k‖.

        Parameters
        ----------
        item : int, name, array of them, or array of shape (n_features,) or (m, n_features)
            Rows, or frames, which are placed in the map first; n_features whole numbers that may
            be either are refused.
        action : str, int, or array of them
            The name of an action, or one per item.
        return_distance : bool
            Whether to give how far the predicted place is from where the action leads.

        Returns
        -------
        rows : int or ndarray of shape (m,)
            The first row that shows the predicted place.
        distances : float or ndarray of shape (m,)
            With ``return_distance``: beyond a quarter of a step no row shows the place.
        """
        who = f"{self._name}.predict"
        kinds = kinds_of(action, self.actions_, who=self._name)
        given, n = np.asarray(item), len(self.embedding_)
        named = self._motions.names is not None and are_names(item)
        if not named and are_frames(item, n, self.n_features_in_, who=who):
            here = self._placed(np.atleast_2d(given))
            one = np.arange(len(here)) if given.ndim == 2 else np.array(0)
        else:
            one = self._rows(item, "item")
            here = self._motions.of_rows(one.ravel())
        one, kinds = one_action_each(one, kinds, who=who)
        here = np.broadcast_to(here, (one.size, here.shape[1]))
        nodes, distances = self._motions.lead_to(here, kinds.ravel())
        found = self._motions.first[nodes].reshape(one.shape)
        far = distances.reshape(one.shape)
        if one.ndim == 0:
            return (int(found), float(far)) if return_distance else int(found)
        return (found, far) if return_distance else found

    def _placed(self, frames: Any) -> FloatArray:
        """The places of frames, along the axes in which places lie apart."""
        Z = self._map.place(self._new_rows(frames))
        return np.asarray(Z[:, : self._motions.places.shape[1]])

    def plan(self, start: Any, goal: Any) -> list[Any]:
        """Find actions that lead from one place to another.

        The fewest, by A* in the map.  Places that were never visited may lie on the way, where a
        step counts as 1¼.

        Parameters
        ----------
        start, goal : int, name or array of shape (n_features,)
            Rows, by number or by the index of the frame that was fitted; or observations, which
            are located first.

        Returns
        -------
        list
            The names of the actions, in order.

        Raises
        ------
        ValueError
            If no way was found.
        """
        motions = self._actions_of_the_map()
        ends = [self._check_end(end, name) for end, name in ((start, "start"), (goal, "goal"))]
        way = plan_actions(
            motions.rigid, motions.places, ends[0], ends[1], tolerance=motions.tolerance
        )
        if way is None:
            raise ValueError(
                f"{self._name} found no way from {start!r} to {goal!r} by its actions "
                f"{', '.join(map(str, self.actions_))}: none of them leads there."
            )
        return [self.actions_.tolist()[kind] for kind in way]

    def locate(self, observation: Any) -> Any:
        """Find the row whose frame is nearest to an observation.

        Parameters
        ----------
        observation : array of shape (n_features,) or (m, n_features), or name or list of names
            One frame or several; ``transform`` gives their places in the map.  Or rows by the
            index of the frame that was fitted.

        Returns
        -------
        int or ndarray of int
            The first row that shows the place of the nearest frame.
        """
        motions = self._actions_of_the_map()
        if motions.names is not None and are_names(observation):
            asked = motions.first[motions.nodes[self._rows(observation, "observation")]]
            return int(asked) if np.ndim(asked) == 0 else asked
        X = self._new_rows(np.atleast_2d(np.asarray(observation)))
        points, distinct = self._map.place.points, self._map.place.distinct
        near = points.nearest(1, points.of_new(X, distinct))
        rows = motions.first[motions.nodes[distinct.rows[near.indices[:, 0]]]]
        return int(rows[0]) if np.ndim(observation) == 1 else rows

    def track(self, frames: Any, actions: Any) -> Track:
        """Follow a walk by what is done and seen: a Bayes filter over the places of the map.

        p(z_t) ∝ exp(−c d(x_t, z_t)² / d̄²) Σ_z p(z_t | z, a_{t−1}) p(z), d the distance of a frame
        from the nearest of a place and d̄ that of the frames of a step.  c is 4, or less where the
        frames so far are noisier than that, which shows in how far they stay from all places.
        Actions lead where their motions do, to an eighth of a step, and one time in a thousand
        anywhere.  Places that were never visited are thought of, too; the squares of their frames
        are half of a step's, beside noise.  What comes later changes nothing of what was said.

        Parameters
        ----------
        frames : array of shape (t, n_features)
            What was seen, seen before or not.
        actions : array of str or int of shape (t - 1,)
            What was done between them.

        Returns
        -------
        Track
            The likeliest row and place at each time, given all up to then.

        Raises
        ------
        ValueError
            If there is not one action less than there are frames, or an unknown one.

        Examples
        --------
        Two places of a corridor look alike: which of them it is, the way there tells.

        >>> import numpy as np
        >>> from sidelight import ActionRespectingEmbedding
        >>> from sidelight.side import Actions
        >>> frames = np.random.default_rng(0).random((9, 30))
        >>> frames[6] = frames[2] + 1e-3
        >>> corridor = ActionRespectingEmbedding(1, merge=None)
        >>> model = corridor.fit(frames, side=Actions(["on"] * 8))
        >>> model.track(frames[[5, 6, 7]], ["on", "on"]).rows.tolist()
        [5, 6, 7]
        """
        motions = self._actions_of_the_map()
        X = self._new_rows(frames)
        kinds = np.atleast_1d(kinds_of(actions, self.actions_, who=self._name))
        if len(kinds) != X.shape[0] - 1:
            raise ValueError(
                f"The 'actions' argument of {self._name}.track must hold one action less than "
                f"there are frames, {X.shape[0] - 1}. Got {len(kinds)}."
            )
        settings, Z = FilterSettings(), motions.places
        places = imagined_places(
            motions.rigid, Z, tolerance=motions.tolerance, step=motions.step, most=settings.most
        )
        seen = frame_likelihoods(
            self._squares_from_places(X), X.shape[1], places, settings=settings
        )
        spread = motions.tolerance / 2
        matrices = [
            transition_matrix(motions.rigid, kind, places, spread=spread, lost=settings.lost)
            for kind in range(len(self.actions_))
        ]
        beliefs = follow(seen, matrices, kinds)
        best = np.argmax(beliefs, axis=1)
        known = np.argmax(beliefs[:, : len(Z)], axis=1)
        shown = np.zeros((len(best), self.embedding_.shape[1]))
        shown[:, : Z.shape[1]] = places[best]
        return Track(motions.first[known], self._bring(shown), beliefs[np.arange(len(best)), best])

    def _squares_from_places(self, X: Any) -> FloatArray:
        """The squared distance of frames from the nearest frame of each place, that of a step 1."""
        motions, place = self._motions, self._map.place
        points, distinct = place.points, place.distinct
        nodes = motions.nodes[distinct.rows]
        order = np.argsort(nodes, kind="stable")
        D = points.table(points.of_new(X, distinct))[:, order] ** 2
        nearest = np.minimum.reduceat(D, np.flatnonzero(np.diff(nodes[order], prepend=-1)), axis=1)
        of_first = distinct.inverse[motions.first[motions.steps[:, 1:]]]
        apart = of_first[of_first[:, 0] != of_first[:, 1]]
        unit = float(np.mean(points.lengths(*apart.T) ** 2)) if len(apart) else 1.0
        return np.asarray(nearest / (unit or 1.0))

    def _check_end(self, end: Any, what: str) -> FloatArray:
        """The place of a row or of an observation."""
        if np.ndim(end) > 1:
            raise ValueError(
                f"The {what!r} argument of {self._name}.plan must be one row or one observation. "
                f"Got an array of shape {np.shape(end)}."
            )
        row = self._rows(end, what) if np.ndim(end) == 0 else self.locate(end)
        return self._motions.of_rows(np.asarray(row))

    def _rows(self, rows: Any, what: str) -> IntArray:
        """Rows of the walk, by number or by name."""
        names = self._motions.names
        return checked_rows(rows, len(self.embedding_), what, who=self._name, names=names)

    def _actions_of_the_map(self) -> Motions:
        check_is_fitted(self)
        if not hasattr(self, "_motions"):
            raise NotFittedError(
                f"{self._name} was fitted without actions, so it can neither predict nor plan. "
                f"Give them: fit(X, side=Actions(labels))."
            )
        return self._motions
