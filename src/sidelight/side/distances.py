"""Distances: these pairs are this far apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray, counted, of_moderate_size
from sidelight.side.contradictions import Contradiction, find_contradictions
from sidelight.side.rows import (
    NamesRows,
    Naming,
    name_rows,
    named_alike,
    read_numbers,
    require_rows_in_range,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Distances(NamesRows):
    """Known distances between some pairs of rows (thesis section 3.5).

    Parameters
    ----------
    pairs : array-like of shape (m, 2)
        Rows of X: their numbers, or their labels in the index of X.
    values : array-like of float of shape (m,)
        How far apart they are: distances, not squared.
    n_rows : int, optional
        How many rows X has, as in :class:`Pairs`.
    by : {"row", "label"}, optional
        How rows are named, as in :class:`Pairs`.
    names : sequence, optional
        Labels of rows, as in :class:`Pairs`.

    Examples
    --------
    >>> Distances([(0, 1), (1, 2)], [3.0, 4.5])
    Distances(2 pairs, from 3 to 4.5)
    """

    pairs: IntArray
    values: FloatArray

    def __post_init__(self) -> None:
        naming = Naming("Distances", self.by, self.names)
        naming.read(self.pairs, what="The 'pairs' argument of Distances", shape="(m, 2)")
        (pairs,) = naming.rows()
        values = read_numbers(self.values, what="The 'values' argument of Distances")
        if len(pairs) != len(values):
            raise ValueError(
                f"The 'values' argument of Distances must hold one distance per pair, "
                f"{len(pairs)}. Got {len(values)}."
            )
        # the order within a pair means nothing, and the same thing said twice is said once
        pairs = np.sort(pairs, axis=1)
        order = np.lexsort((values, pairs[:, 1], pairs[:, 0]))
        pairs, values = pairs[order], values[order]
        new = np.ones(len(pairs), dtype=bool)
        new[1:] = np.any(pairs[1:] != pairs[:-1], axis=1) | (values[1:] != values[:-1])
        pairs, values = pairs[new], values[new]
        pairs.setflags(write=False)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        self._keep_rows(naming, pairs=pairs)

    @classmethod
    def merge(cls, several: Sequence[Distances]) -> Distances:
        """Put the distances of several values into one.

        Parameters
        ----------
        several : sequence of Distances
            The values.

        Returns
        -------
        Distances
            All their distances.
        """
        return cls(
            np.vstack([distances.pairs for distances in several]),
            np.concatenate([distances.values for distances in several]),
            **named_alike(several),
        )

    @property
    def rows(self) -> IntArray:
        """The rows that are named.

        Returns
        -------
        ndarray of int
            Each once, sorted; places in ``names`` where they are named by label.
        """
        return np.asarray(np.unique(self.pairs))

    @property
    def _says_nothing(self) -> bool:
        return len(self.pairs) == 0

    def _taken(self, rows: IntArray) -> Distances:
        pairs = self._places_of(rows, self.pairs)[self.pairs]
        here = (pairs >= 0).all(axis=1)
        return Distances(pairs[here], self.values[here], n_rows=len(rows))

    def check(self, n_samples: int, *, who: str, strict: bool = True) -> tuple[Contradiction, ...]:
        """Compare the distances with X and with each other.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.
        strict : bool
            Whether distances that cannot all be true are an error.  If not, they are returned.

        Returns
        -------
        tuple of Contradiction
            Worst first; empty if ``strict``.

        Raises
        ------
        ValueError
            If there is no distance, a row is not in X, a row is paired with itself, a distance is
            negative or not finite, or (``strict``) distances contradict each other.
        """
        self._require_size(n_samples, who)
        if len(self.pairs) == 0:
            raise ValueError(
                f"The Distances given to {who} must hold at least one pair. Got none. Leave "
                f"'side' out if nothing is known."
            )
        require_rows_in_range(self.pairs, n_samples, what="The Distances", who=who)
        alone = self.pairs[self.pairs[:, 0] == self.pairs[:, 1], 0]
        if len(alone):
            raise ValueError(
                f"The Distances given to {who} must be between two different rows. Got a row "
                f"paired with itself: {name_rows(alone)}."
            )
        wrong = ~(np.isfinite(self.values) & (self.values >= 0))
        if wrong.any():
            raise ValueError(
                f"The Distances given to {who} must be finite and not negative. Got "
                f"{self.values[wrong][0]:g} for the rows {name_rows(self.pairs[wrong])}."
            )
        of_moderate_size(self.values, who=who, name="Distances")
        found = find_contradictions(self.pairs, self.values)
        if strict and found:
            raise ValueError(
                f"The Distances given to {who} cannot all be true: {describe(found)}. Correct or "
                f"leave out one distance of each."
            )
        return found

    def __repr__(self) -> str:
        if len(self.values) == 0:
            return "Distances(0 pairs)"
        low, high = self.values.min(), self.values.max()
        pairs = counted(len(self.values), "pair")
        return f"Distances({pairs}, from {low:g} to {high:g}{self._by_words()})"


def describe(contradictions: Sequence[Contradiction], limit: int = 3) -> str:
    """Write out the worst contradictions, and how many more there are."""
    words = "; ".join(str(contradiction) for contradiction in contradictions[:limit])
    more = len(contradictions) - limit
    return f"{words}; and {more} more" if more > 0 else words
