"""What a map in which actions are rigid motions is good for: to predict, to plan, to locate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from sidelight.core import FloatArray, IntArray
from sidelight.unfolding.actions.planning import plan_actions
from sidelight.unfolding.actions.prediction import agreeing_places, nearest_places
from sidelight.unfolding.actions.rigid_motions import TOLD_APART, RigidActions, Transformation


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
    rigid : RigidActions
        The actions' transformations.
    step : float
        The length of a step.
    printed : bool
        Whether places are predicted by (4.6), and not by the motions.
    """

    places: FloatArray
    nodes: IntArray
    first: IntArray
    steps: IntArray
    rigid: RigidActions
    step: float
    printed: bool

    @property
    def tolerance(self) -> float:
        """Places nearer than this are one: a quarter of a step."""
        return TOLD_APART * self.step

    def lead_to(self, rows: IntArray, kinds: IntArray) -> tuple[IntArray, FloatArray]:
        """Find the places that actions lead to, and how far from them."""
        Z = self.places
        if not self.printed:
            return nearest_places(Z, self.rigid.apply(Z[self.nodes[rows]], kinds))
        nodes, distances = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
        for kind in np.unique(kinds):
            asked, mine = kinds == kind, self.steps[self.steps[:, 0] == kind]
            where = self.nodes[rows[asked]]
            nodes[asked], distances[asked] = agreeing_places(Z, mine[:, 1], mine[:, 2], where)
        return nodes, distances


class ActionMap:
    """The part of an estimator that uses the actions of its map.

    A subclass has, once it is fitted to actions, ``actions_`` and ``_motions``.
    """

    embedding_: FloatArray
    actions_: Any
    _motions: Motions
    _map: Any
    _front: Any
    _name: Any
    _check_new: Any
    _in_front: Any

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
        ``item`` is a row or an array of rows, ``action`` the name of an action, or one per row.
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
        rows, kinds = self._check_rows(item, "item"), self._kinds_of(action)
        if rows.ndim and kinds.ndim and rows.shape != kinds.shape:
            raise ValueError(
                f"The 'action' argument of {self._name}.predict must be one action, or one per "
                f"item. Got {kinds.size} for {rows.size} items."
            )
        rows, kinds = np.broadcast_arrays(rows, kinds)
        nodes, distances = self._motions.lead_to(rows.ravel(), kinds.ravel())
        found = self._motions.first[nodes].reshape(rows.shape)
        far = distances.reshape(rows.shape)
        if rows.ndim == 0:
            return (int(found), float(far)) if return_distance else int(found)
        return (found, far) if return_distance else found

    def plan(self, start: Any, goal: Any) -> list[Any]:
        """Find actions that lead from one place to another.

        The fewest, by A* in the map.  Places that were never visited may lie on the way, where a
        step counts as 1¼.

        Parameters
        ----------
        start, goal : int or array of shape (n_features,)
            Rows, or observations, which are located first.

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
        observation : array of shape (n_features,) or (m, n_features)
            One frame or several; ``transform`` gives their places in the map.

        Returns
        -------
        int or ndarray of int
            The first row that shows the place of the nearest frame.
        """
        motions = self._actions_of_the_map()
        X = self._in_front(self._check_new(np.atleast_2d(np.asarray(observation))))
        points, distinct = self._map.place.points, self._map.place.distinct
        near = points.nearest(1, points.of_new(X, distinct))
        rows = motions.first[motions.nodes[distinct.rows[near.indices[:, 0]]]]
        return int(rows[0]) if np.ndim(observation) == 1 else rows

    def _check_end(self, end: Any, what: str) -> FloatArray:
        """The place of a row or of an observation."""
        if np.ndim(end) > 1:
            raise ValueError(
                f"The {what!r} argument of {self._name}.plan must be one row or one observation. "
                f"Got an array of shape {np.shape(end)}."
            )
        row = self._check_rows(end, what) if np.ndim(end) == 0 else self.locate(end)
        return np.asarray(self._motions.places[self._motions.nodes[row]])

    def _actions_of_the_map(self) -> Motions:
        check_is_fitted(self)
        if not hasattr(self, "_motions"):
            raise NotFittedError(
                f"{self._name} was fitted without actions, so it can neither predict nor plan. "
                f"Give them: fit(X, side=Actions(labels))."
            )
        return self._motions

    def _kinds_of(self, action: Any) -> IntArray:
        wanted = np.asarray(action)
        # as objects, for names and numbers may be compared then
        equal = np.asarray(wanted.astype(object)[..., None] == self.actions_.astype(object))
        unknown = ~equal.any(axis=-1)
        if unknown.any():
            raise ValueError(
                f"{self._name} was given no action {wanted[unknown].ravel()[0]!s}. Its actions "
                f"are: {', '.join(map(str, self.actions_))}."
            )
        return np.asarray(np.argmax(equal, axis=-1))

    def _check_rows(self, rows: Any, what: str) -> IntArray:
        found = np.asarray(rows)
        n = len(self.embedding_)
        if found.dtype.kind not in "iu" or np.any(found < 0) or np.any(found >= n):
            raise ValueError(
                f"The {what!r} argument of {self._name} must hold rows out of 0 … {n - 1}. "
                f"Got {rows!r} instead."
            )
        return found
