"""From frames to places: which frames of a walk show the same place, and what the actions add."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, IntArray
from sidelight.unfolding.actions.constraints import merge_by_actions


@dataclass(frozen=True)
class Places:
    """The places of a walk and the steps between them.

    Parameters
    ----------
    nodes : ndarray of shape (n_samples,)
        The place of each row, numbered in the order in which they first occur.
    steps : ndarray of shape (s, 3)
        Distinct (action, place before, place after), the inverses of recognised actions included.
    inverses : ndarray of shape (n_actions,)
        The action that undoes each, −1 where none was recognised.
    tolerance : float
        Frames no farther apart than this were taken for one place.
    """

    nodes: IntArray
    steps: IntArray
    inverses: IntArray
    tolerance: float

    @property
    def n_places(self) -> int:
        """The number of places."""
        return int(self.nodes.max()) + 1


def find_places(
    D: FloatArray,
    transitions: IntArray,
    kinds: IntArray,
    *,
    merge: float | str | None = "auto",
    invert: bool = True,
    n_features: int = 1,
) -> Places:
    """Find the places of a walk.

    Frames no farther apart than a tolerance are one place, and so are the frames that the same
    action leads to, or comes from, there.  Where an action b was once seen to undo a, and never
    not to, it undoes it everywhere.

    ``"auto"`` takes identical frames for one place, where there are any.  Where there are none, the
    frames may be noisy, and ``find_noisy_places`` looks for the places that frames and actions
    agree on.

    Examples
    --------
    There and back again: five frames, three places, and "back" undoes "on".

    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 2.0, 1.0, 0.0])
    >>> walk = np.column_stack([np.arange(4), np.arange(1, 5)])
    >>> found = find_places(np.abs(x[:, None] - x), walk, np.array([0, 0, 1, 1]))
    >>> found.nodes.tolist(), found.inverses.tolist()
    ([0, 1, 2, 1, 0], [1, 0])
    """
    if merge is None:
        return settle(np.arange(len(D)), transitions, kinds, invert=invert)
    if merge != "auto":
        found = settle(closer_than(D, float(merge)), transitions, kinds, invert=invert)
        return replace(found, tolerance=float(merge))
    plain = settle(closer_than(D, 0.0), transitions, kinds, invert=invert)
    if plain.n_places < len(D):
        return plain
    from sidelight.unfolding.actions.noisy_places import find_noisy_places

    return find_noisy_places(D, transitions, kinds, plain, invert=invert, n_features=n_features)


def closer_than(D: FloatArray, tolerance: float) -> IntArray:
    """Give one number to rows that are joined by distances up to a tolerance."""
    near = sp.csr_array((tolerance >= D).astype(np.float64))
    return np.asarray(connected_components(near, directed=False)[1], dtype=np.intp)


def settle(
    nodes: IntArray,
    transitions: IntArray,
    kinds: IntArray,
    *,
    invert: bool,
    inverses: IntArray | None = None,
) -> Places:
    """Merge what the actions merge, and impose inverses, until neither finds more."""
    n_actions = int(kinds.max()) + 1
    inverses = np.full(n_actions, -1) if inverses is None else inverses
    while True:
        undone = inverses[kinds] >= 0
        steps = np.vstack([transitions, transitions[undone][:, ::-1]])
        labels = np.concatenate([kinds, inverses[kinds[undone]]])
        nodes = merge_by_actions(nodes, steps, labels)
        distinct = np.unique(np.column_stack([labels, nodes[steps]]), axis=0)
        found = _recognise_inverses(distinct, n_actions) if invert else inverses
        if np.array_equal(found, inverses):
            return Places(nodes, distinct.astype(np.intp), inverses, 0.0)
        inverses = found


def _recognise_inverses(steps: IntArray, n_actions: int) -> IntArray:
    """b undoes a where some a, b came back and none led elsewhere."""
    kind, before, after = steps.T
    goes = np.full((n_actions, int(steps[:, 1:].max()) + 1), -1)
    goes[kind, before] = after
    then = goes[:, after]  # where each action leads from where a step led
    tried, returned = np.zeros((2, n_actions, n_actions), dtype=np.intp)
    for b in range(n_actions):
        tried[:, b] = np.bincount(kind, weights=then[b] >= 0, minlength=n_actions)
        returned[:, b] = np.bincount(kind, weights=then[b] == before, minlength=n_actions)
    undoes = (returned > 0) & (returned == tried)
    undoes &= undoes.T  # what undoes is undone
    inverses = np.full(n_actions, -1)
    one = undoes.any(axis=1)
    inverses[one] = np.argmax(undoes[one], axis=1)
    return np.asarray(np.where(inverses[inverses] == np.arange(n_actions), inverses, -1))
