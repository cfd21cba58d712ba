"""Actions: this action led from row i to row i + 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sidelight.core import IntArray, counted
from sidelight.side.rows import (
    RowNames,
    SideInformation,
    listed_labels,
    names_of_values,
    place_of_every,
    read_labels,
    require_known,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Actions(SideInformation):
    """The actions between successive rows of X (thesis chapter 4).

    Without episodes the rows are one walk: ``labels[i]`` led from row i to row i + 1, and there is
    one label less than there are rows.  With episodes each of them is a walk of its own; the rows
    of an episode stand together, and the labels of all episodes follow each other, one label less
    than rows in every episode.

    Parameters
    ----------
    labels : array-like of str or int of shape (n_samples - n_episodes,)
        The action of every transition.
    episodes : array-like of str or int of shape (n_samples,), optional
        The episode of every *row*.
    certain : bool
        Whether maps follow the actions whatever the rows look like.  By default a map of 20 rows
        or more follows them only if rows that look alike still lie together in it, which they
        would not if the rows followed one another by chance.
    names : sequence of shape (n_samples,), optional
        The labels of the rows, in the index of X; those of ``episodes`` by default, where these
        are a series of pandas.
    steps : sequence of shape (n_samples - n_episodes,), optional
        The labels of the rows before each action, or of those after it; those of ``labels`` by
        default, where these are a series of pandas.  Rows of X that are in another order than
        they were acted in are refused.

    Examples
    --------
    >>> actions = Actions(["left", "left", "up"], episodes=[0, 0, 0, 1, 1])
    >>> actions
    Actions(3 transitions of 2 actions, 2 episodes)
    >>> actions.transitions(5)
    array([[0, 1],
           [1, 2],
           [3, 4]])
    """

    labels: Any
    episodes: Any = None
    certain: bool = False
    names: tuple[Any, ...] | None = field(default=None, kw_only=True)
    steps: tuple[Any, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.certain, bool | np.bool_):
            raise ValueError(
                f"The 'certain' argument of Actions must be True or False. Got {self.certain!r}."
            )
        object.__setattr__(self, "certain", bool(self.certain))
        labels = read_labels(self.labels, what="The 'labels' argument of Actions")
        steps = names_of_values(self.labels, self.steps, kind="Actions", count=len(labels))
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "steps", steps)
        if self.episodes is None:
            rows = names_of_values(None, self.names, kind="Actions", count=self._size)
            object.__setattr__(self, "names", rows)
            return
        episodes = read_labels(self.episodes, what="The 'episodes' argument of Actions")
        rows = names_of_values(self.episodes, self.names, kind="Actions", count=len(episodes))
        object.__setattr__(self, "episodes", episodes)
        object.__setattr__(self, "names", rows)
        starts = episodes[self._starts()]
        names, counts = np.unique(starts, return_counts=True)
        if np.any(counts > 1):
            raise ValueError(
                f"The rows of an episode must stand together in the 'episodes' argument of "
                f"Actions. Got episode {names[counts > 1][0]!s} in {counts.max()} places. Sort "
                f"the rows by episode."
            )

    @property
    def n_episodes(self) -> int:
        """The number of walks.

        Returns
        -------
        int
            One where nothing was said of episodes.
        """
        return 1 if self.episodes is None else len(self._starts())

    def transitions(self, n_samples: int) -> IntArray:
        """Give the rows before and after every action.

        Parameters
        ----------
        n_samples : int
            Rows of X.

        Returns
        -------
        ndarray of int of shape (n_transitions, 2)
            In the order of ``labels``.
        """
        before = np.arange(n_samples - 1)
        if self.episodes is not None:
            before = before[self.episodes[1:] == self.episodes[:-1]]
        return np.column_stack([before, before + 1])

    def within(self, rows: Any) -> Actions:
        """Keep the actions between rows that follow each other still.

        Parameters
        ----------
        rows : array-like
            Row numbers, ascending, or one bool per row; labels where the rows have ``names``.

        Returns
        -------
        Actions
            Of as many walks as the rows left fall into.

        Examples
        --------
        >>> Actions(["left", "up", "left", "up"]).within([0, 1, 3, 4]).labels
        array(['left', 'up'], dtype='<U4')
        """
        return SideInformation.within(self, rows)

    @property
    def _size(self) -> int:
        return len(self.labels) + 1 if self.episodes is None else len(self.episodes)

    @property
    def _says_nothing(self) -> bool:
        return len(self.labels) == 0 and self._size != 0

    def _at(self, names: RowNames | None, n_samples: int, *, who: str) -> Actions:
        numbered = self if self.names is self.steps is None else self._unnamed()
        if names is None or numbered is self:
            return numbered
        if self.names is not None and self.names != names.labels:
            places = place_of_every(self.names or (), names, kind="Actions", who=who)
            if np.any(np.diff(places) < 1):
                raise ValueError(_in_another_order(names, who))
            return numbered._taken(places)
        if self.steps is not None and self._size == n_samples:
            walked = [[names.labels[row] for row in rows] for rows in self.transitions(n_samples).T]
            if list(self.steps) not in walked:
                raise ValueError(_in_another_order(names, who))
        return numbered

    def _unnamed(self) -> Actions:
        return Actions(self.labels, episodes=self.episodes, certain=self.certain)

    def _taken(self, rows: IntArray) -> Actions:
        require_known(rows, kind="Actions")
        if np.any(np.diff(rows) < 1):
            raise ValueError(
                "Actions lead from a row to the next, so they are of rows in ascending order. Got "
                "another order. Sort the rows."
            )
        after = np.full(self._size, -1)  # the label of the action that led away from a row
        after[self.transitions(self._size)[:, 0]] = np.arange(len(self.labels))
        stays = (np.diff(rows) == 1) & (after[rows[:-1]] >= 0)
        walks = np.concatenate([[0], np.cumsum(~stays)]) if len(rows) else rows
        kept = after[rows[:-1]][stays]
        episodes = walks if len(rows) == 0 or walks[-1] else None
        steps = None if self.steps is None else tuple(self.steps[step] for step in kept)
        return Actions(self.labels[kept], episodes=episodes, certain=self.certain, steps=steps)

    def check(self, n_samples: int, *, who: str) -> None:
        """Compare the numbers of labels and of rows.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If they do not fit, or there is no transition.
        """
        if self.episodes is not None and len(self.episodes) != n_samples:
            raise ValueError(
                f"The 'episodes' of the Actions given to {who} must hold one episode per row of "
                f"X, {n_samples}. Got {len(self.episodes)}."
            )
        expected = n_samples - self.n_episodes
        if len(self.labels) != expected:
            walks = (
                f" in {counted(self.n_episodes, 'episode')}" if self.episodes is not None else ""
            )
            raise ValueError(
                f"The Actions given to {who} must hold one label per transition, {expected} for "
                f"{counted(n_samples, 'row')}{walks}. Got {len(self.labels)}. The action after "
                f"the last row of a walk led nowhere: leave it out."
            )
        if expected == 0:
            raise ValueError(f"The Actions given to {who} must hold at least one transition.")

    def _starts(self) -> IntArray:
        episodes = self.episodes
        begins = np.ones(len(episodes), dtype=bool)
        begins[1:] = episodes[1:] != episodes[:-1]
        return np.flatnonzero(begins)

    def __repr__(self) -> str:
        kinds = len(np.unique(self.labels))
        walks = "" if self.episodes is None else f", {counted(self.n_episodes, 'episode')}"
        sure = ", certain" if self.certain else ""
        steps = counted(len(self.labels), "transition")
        return f"Actions({steps} of {counted(kinds, 'action')}{walks}{sure})"


def _in_another_order(names: RowNames, who: str) -> str:
    return (
        f"The Actions given to {who} lead from a row to the next, and have labels that are not "
        f"those of the rows of X in this order, {listed_labels(names.labels)}. Sort X as it was "
        f"acted, X.loc[episodes.index], say. Where the actions are those of the rows in their "
        f"order, give them without labels: Actions(labels.to_numpy())."
    )
