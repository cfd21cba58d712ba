"""Sequence: rows follow one another, and adjacent ones are near."""

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
    read_order,
    require_known,
    row_name,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sequence(SideInformation):
    """Rows that follow one another, as frames of a motion do: adjacent ones are near.

    (Latent-factor thesis, end of section 3.1.5.)

    Parameters
    ----------
    episodes : array-like of str or int of shape (n_samples,), optional
        The episode of every row; rows of different episodes are not adjacent.  Without it all are
        of one.
    order : array-like of shape (n_samples,), optional
        What the rows are sorted by: numbers, dates, times, spans of time, or texts that are dates
        or times as ISO 8601 has them (2026-01-31, 2026-01-31 12:30); equal ones keep the order
        of X.  By default the rows are in the order of X.
    names : sequence, optional
        The labels, in the index of X, of the rows that ``order`` and ``episodes`` belong to; by
        default those of the series of pandas given.  If X has no labels, they belong to its rows
        in their order.

    Examples
    --------
    >>> two = Sequence(episodes=["a", "a", "a", "b", "b"])
    >>> two
    Sequence(5 rows, 2 episodes)
    >>> two.adjacent(5).tolist()
    [[0, 1], [1, 2], [3, 4]]
    >>> Sequence(order=[2.5, 0.5, 1.5]).adjacent(3).tolist()
    [[1, 2], [2, 0]]
    """

    episodes: Any = None
    order: Any = None
    names: tuple[Any, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        given = self.episodes, self.order
        if self.episodes is not None:
            episodes = read_labels(self.episodes, what="The 'episodes' argument of Sequence")
            object.__setattr__(self, "episodes", episodes)
        if self.order is not None:
            order = read_order(self.order, what="The 'order' argument of Sequence")
            object.__setattr__(self, "order", order)
        if self.episodes is not None and self.order is not None:
            rows = len(self.episodes), len(self.order)
            if rows[0] != rows[1]:
                raise ValueError(
                    f"The 'episodes' and the 'order' of a Sequence must speak of as many rows. Got "
                    f"{rows[0]} and {rows[1]}."
                )
        object.__setattr__(self, "names", self._names_of(*given))

    def _names_of(self, episodes: Any, order: Any) -> tuple[Any, ...] | None:
        """The labels of the rows, in which episodes and order must agree where both have some."""
        if self._size is None:
            if self.names is not None:
                raise ValueError(
                    "The 'names' argument of Sequence says of which rows 'order' and 'episodes' "
                    "are. Got names alone: leave them out, or give one of the two."
                )
            return None
        found = [
            names_of_values(values, self.names, kind="Sequence", count=self._size)
            for values in (episodes, order)
            if values is not None
        ]
        labels = [names for names in found if names is not None]
        if len(labels) == 2 and labels[0] != labels[1]:
            raise ValueError(
                f"The 'episodes' and the 'order' of a Sequence must be of the same rows, in the "
                f"same order. Got the labels {listed_labels(labels[0])} and "
                f"{listed_labels(labels[1])}. Bring them together: episodes.loc[order.index]."
            )
        return labels[0] if labels else None

    def adjacent(self, n_samples: int) -> IntArray:
        """Give the rows that follow one another.

        Parameters
        ----------
        n_samples : int
            Rows of X.

        Returns
        -------
        ndarray of int of shape (n_pairs, 2)
            The earlier and the later of each two, episode by episode.
        """
        rows, episode = self._in_order(n_samples)
        same = episode[1:] == episode[:-1]
        return np.column_stack([rows[:-1][same], rows[1:][same]])

    def thinned(self, rows: IntArray) -> Sequence:
        """Give the order of some rows among themselves, whatever lay between them.

        After :meth:`within` only rows are adjacent that were adjacent before; here two rows of an
        episode are adjacent if no row between them is left.

        Parameters
        ----------
        rows : ndarray of int of shape (m,)
            Rows of X.

        Returns
        -------
        Sequence
            Of m rows.

        Examples
        --------
        >>> import numpy as np
        >>> Sequence().thinned(np.array([0, 3, 9])).adjacent(3).tolist()
        [[0, 1], [1, 2]]
        """
        taken, episode = self._places_of(rows)
        return Sequence(episode[taken], taken)

    def _in_order(self, n_samples: int) -> tuple[IntArray, IntArray]:
        """The rows, episode by episode and in order, and the number of the episode of each."""
        episode = np.zeros(n_samples, dtype=np.intp)
        if self.episodes is not None:
            episode = np.unique(self.episodes, return_inverse=True)[1].ravel()
        order = np.zeros(n_samples) if self.order is None else self.order
        rows = np.lexsort((np.arange(n_samples), order, episode))
        return rows, episode[rows]

    @property
    def _size(self) -> int | None:
        given = self.order if self.episodes is None else self.episodes
        return None if given is None else len(given)

    @property
    def _says_nothing(self) -> bool:
        return self._size is not None and len(self.adjacent(self._size)) == 0

    def _sized(self, n_samples: int) -> Sequence:
        if self._size is not None:
            return self
        return Sequence(episodes=np.zeros(n_samples, dtype=np.intp))

    def _places_of(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Where rows come among all, and the episode of every place."""
        size = int(rows.max(initial=-1)) + 1 if self._size is None else self._size
        in_order, episode = self._in_order(size)
        place = np.empty(size, dtype=np.intp)
        place[in_order] = np.arange(size)
        return place[rows], episode

    def _places_in(self, names: RowNames, who: str) -> IntArray:
        return place_of_every(self.names or (), names, kind="Sequence", who=who)

    def _taken(self, rows: IntArray) -> Sequence:
        require_known(rows, kind="Sequence")
        taken, episode = self._places_of(rows)
        # what was left out between two rows ends an episode
        order = np.sort(taken)
        ends = (np.diff(order) != 1) | (np.diff(episode[order]) != 0)
        part = np.concatenate([[0], np.cumsum(ends)]) if len(rows) else order
        return Sequence(part[np.searchsorted(order, taken)], taken)

    def check(self, n_samples: int, *, who: str) -> None:
        """Compare the number of rows, and see that there is an order.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If they do not fit, or the order holds numbers that are none.
        """
        self._require_size(n_samples, who)
        if self.order is not None and not np.all(np.isfinite(self.order)):
            row = int(np.flatnonzero(~np.isfinite(self.order))[0])
            raise ValueError(
                f"The 'order' of the Sequence given to {who} must be finite. Got {self.order[row]} "
                f"for row {row_name(row)}."
            )

    def __repr__(self) -> str:
        size = "all rows" if self._size is None else counted(self._size, "row")
        count = 1 if self.episodes is None else len(np.unique(self.episodes))
        return f"Sequence({size}, {counted(count, 'episode')})"
