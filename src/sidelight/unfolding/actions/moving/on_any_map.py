"""Actions in a map that was made without them: the operators that fit its steps best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray
from sidelight.side import Actions, by_number
from sidelight.unfolding.actions.moving.motions import Motions
from sidelight.unfolding.actions.moving.naming import (
    checked_rows,
    kinds_of,
    names_kept,
    one_action_each,
)
from sidelight.unfolding.actions.moving.rigid_motions import (
    Transformation,
    fit_rigid_actions,
    moved,
    step_length,
)


@dataclass(frozen=True)
class AffineActions:
    """Each action as a matrix and a translation, whatever the matrix.

    Parameters
    ----------
    matrices : ndarray of shape (n_actions, d, d)
        Applied first.
    translations : ndarray of shape (n_actions, d)
        Added after them.
    residuals : ndarray of shape (n_actions,)
        Root of the mean squared distance from where an action leads to where it should.
    """

    matrices: FloatArray
    translations: FloatArray
    residuals: FloatArray

    def apply(self, Z: FloatArray, kinds: IntArray) -> FloatArray:
        """Move places by actions."""
        return moved(Z, self.matrices[kinds], self.translations[kinds])


def fit_affine_actions(Z: FloatArray, steps: IntArray, n_actions: int) -> AffineActions:
    """Find the affine map of each action by least squares, the smallest of those that fit as well.

        min_{M, t} Σ_s ‖M z_{before(s)} + t − z_{after(s)}‖²

    Examples
    --------
    A step that doubles what it finds.

    >>> import numpy as np
    >>> Z = np.array([[1.0], [2.0], [4.0], [8.0]])
    >>> found = fit_affine_actions(Z, np.array([[0, 0, 1], [0, 1, 2], [0, 2, 3]]), 1)
    >>> found.matrices.round(6).tolist(), abs(found.translations.round(6)).tolist()
    ([[[2.0]]], [[0.0]])
    """
    d = Z.shape[1]
    design = np.column_stack([Z, np.ones(len(Z))])
    solved, residuals = np.empty((n_actions, d + 1, d)), np.empty(n_actions)
    for a in range(n_actions):
        mine = steps[steps[:, 0] == a]
        before, after = design[mine[:, 1]], Z[mine[:, 2]]
        solved[a] = np.linalg.lstsq(before, after, rcond=None)[0]
        missed = before @ solved[a] - after
        residuals[a] = np.sqrt(np.mean(np.einsum("ij,ij->i", missed, missed)))
    return AffineActions(solved[:, :d].transpose(0, 2, 1), solved[:, d], residuals)


@dataclass(frozen=True)
class LearnedActions:
    """What actions do in a map: the result of :func:`learn_actions`.

    Parameters
    ----------
    names : ndarray of shape (n_actions,)
        The names of the actions.
    motions : Motions
        Their operators, and the places they were learned from.
    """

    names: Any
    motions: Motions

    @property
    def residuals(self) -> FloatArray:
        """How far, in the root mean square, each action leads from where it led in the walk.

        Returns
        -------
        ndarray of shape (n_actions,)
            In the units of the map.
        """
        return np.asarray(self.motions.rigid.residuals)

    @property
    def transformations(self) -> dict[Any, Transformation]:
        """The matrix and the translation of each action.

        Returns
        -------
        dict
            From the name of an action to its ``rotation`` (d, d), orthogonal where the actions are
            rigid, and its ``translation`` (d,).
        """
        found = self.motions.rigid
        matrices = found.matrices if isinstance(found, AffineActions) else found.rotations
        pairs = zip(matrices, found.translations, strict=True)
        named = zip(self.names.tolist(), pairs, strict=True)
        return {name: Transformation(*pair) for name, pair in named}

    def move(self, Z: Any, action: Any) -> FloatArray:
        """Move places of the map by actions.

        Parameters
        ----------
        Z : array of shape (m, d)
            Places.
        action : str or int, or array of shape (m,)
            The name of one action, or of one per place.

        Returns
        -------
        ndarray of shape (m, d)
            Where they lead.
        """
        kinds = kinds_of(action, self.names, who="LearnedActions")
        places = np.asarray(Z, dtype=np.float64)
        return np.asarray(self.motions.rigid.apply(places, np.broadcast_to(kinds, len(places))))

    def predict(self, item: Any, action: Any) -> Any:
        """Predict the row that an action leads to.

        Parameters
        ----------
        item : int or array of int
            Rows of the map.
        action : str or int, or array of them
            The name of one action, or of one per row.

        Returns
        -------
        int or ndarray of int
            The rows nearest to where the action leads; with ``kind="distances"`` those whose
            distances agree best (4.6).
        """
        who = "LearnedActions.predict"
        n, called = len(self.motions.nodes), self.motions.names
        rows = checked_rows(item, n, "item", who=who, names=called)
        rows, kinds = one_action_each(rows, kinds_of(action, self.names, who=who), who=who)
        found = self.motions.lead_to(self.motions.of_rows(rows.ravel()), kinds.ravel())[0]
        return int(found[0]) if rows.ndim == 0 else found.reshape(rows.shape)


_OPERATORS = {"rigid": fit_rigid_actions, "linear": fit_affine_actions}


def learn_actions(Z: Any, actions: Actions, *, kind: str = "rigid") -> LearnedActions:
    """Learn what actions do in any map: the operator that fits the steps of each best.

    T_a = argmin_T Σ_s ‖T z_{before(s)} − z_{after(s)}‖² over the steps s of action a.  It is how
    maps that know nothing of actions are asked where these lead (thesis section 4.3.3, rows SDE-l
    and SDE-d of table 4.2).

    Parameters
    ----------
    Z : array of shape (n_samples, d)
        The map of the frames of a walk, by any method.
    actions : Actions
        The actions between its rows.
    kind : {"rigid", "linear", "distances"}
        T a rotation plus a translation; any affine map (SDE-l); or rigid, while predictions are by
        the distances that an action keeps (4.6) (SDE-d).

    Returns
    -------
    LearnedActions
        With ``predict(item, action)``, ``move(Z, action)`` and ``transformations``.

    Raises
    ------
    ValueError
        If Z holds no map of the walk, or the kind is not one of these.

    Examples
    --------
    A walk along a spiral: each step turns and doubles, which no rigid motion does.

    >>> import numpy as np
    >>> from sidelight import learn_actions
    >>> from sidelight.side import Actions
    >>> angle = np.pi / 4 * np.arange(6)
    >>> Z = 2.0 ** np.arange(6)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    >>> on = Actions(["on"] * 5)
    >>> learn_actions(Z, on, kind="linear").predict([0, 1, 2], "on").tolist()
    [1, 2, 3]
    >>> learn_actions(Z, on, kind="rigid").residuals.round(1).tolist()
    [7.0]
    """
    try:
        places = np.asarray(Z, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"The 'Z' argument of learn_actions must be a map, finite and of shape (n_samples, d). "
            f"Got {type(Z).__name__}, which holds no table of numbers."
        ) from error
    if places.ndim != 2 or not np.all(np.isfinite(places)):
        raise ValueError(
            f"The 'Z' argument of learn_actions must be a map, finite and of shape (n_samples, d). "
            f"Got an array of shape {places.shape}."
        )
    if kind not in ("rigid", "linear", "distances"):
        raise ValueError(
            f"The 'kind' argument of learn_actions must be 'rigid', 'linear' or 'distances'. Got "
            f"{kind!r} instead."
        )
    if not isinstance(actions, Actions):
        raise ValueError(
            f"The 'actions' argument of learn_actions must be Actions. Got "
            f"{type(actions).__name__}. Did you mean Actions(labels), one label less than rows?"
        )
    n = len(places)
    actions = by_number(actions, Z, who="learn_actions")
    actions.check(n, who="learn_actions")
    names, kinds = np.unique(actions.labels, return_inverse=True)
    steps = np.column_stack([kinds.ravel(), actions.transitions(n)])
    rows = np.arange(n)
    found: Any = _OPERATORS["linear" if kind == "linear" else "rigid"](places, steps, len(names))
    step = step_length(places, steps)
    return LearnedActions(
        names,
        Motions(places, rows, rows, steps, found, step, kind == "distances", names_kept(Z)),
    )
