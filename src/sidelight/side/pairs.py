"""Pairs: these belong together, these do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side.labelled_pairs import pairs_of_labels
from sidelight.side.reading import name_rows, read_row_numbers, require_rows_in_range
from sidelight.side.value import SideInformation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs(SideInformation):
    """Pairs of rows that belong together, and pairs that do not (thesis section 3.2.1).

    The sets 𝒮 and 𝒪 of equation (3.1).  A pair that is in neither is unknown.  The order within a
    pair and repeated pairs mean nothing: pairs are kept sorted, each of them once.

    Parameters
    ----------
    similar : array-like of int of shape (m, 2), optional
        Row numbers of X that belong together.
    dissimilar : array-like of int of shape (m, 2), optional
        Row numbers of X that do not.

    Examples
    --------
    >>> Pairs(similar=[(0, 1), (4, 3), (3, 4)], dissimilar=[(0, 4)])
    Pairs(2 similar, 1 dissimilar)
    >>> Pairs.from_labels(["cat", "dog", "cat", None]).similar
    array([[0, 2]])
    """

    similar: IntArray = None  # type: ignore[assignment]
    dissimilar: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name in ("similar", "dissimilar"):
            given = getattr(self, name)
            what = f"The {name!r} argument of Pairs"
            rows = read_row_numbers([] if given is None else given, what=what, shape="(m, 2)")
            distinct = np.unique(np.sort(rows, axis=1), axis=0)
            distinct.setflags(write=False)
            object.__setattr__(self, name, distinct)

    @classmethod
    def from_labels(
        cls,
        y: Any,
        *,
        unknown: Any = None,
        max_pairs: int | None = None,
        random_state: Any = 0,
    ) -> Pairs:
        """Read pairs off labels, some of which may be missing.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The class of every row.
        unknown : object, optional
            What stands for "not known", such as -1.  None, NaN and "" always do; where nothing is
            said, -1 does too.  A row whose label is not known is in no pair.
        max_pairs : int, optional
            Draw at most this many pairs of each kind, without writing out all of them.  All pairs
            by default.
        random_state : int, Generator, RandomState or None
            For the draw.

        Returns
        -------
        Pairs
            Rows of one class are similar, rows of two classes are not.

        Examples
        --------
        >>> Pairs.from_labels([0, 0, 1, -1])
        Pairs(1 similar, 2 dissimilar)
        """
        similar, dissimilar = pairs_of_labels(y, unknown, max_pairs, random_state)
        return cls(similar=similar, dissimilar=dissimilar)

    @classmethod
    def merge(cls, several: Sequence[Pairs]) -> Pairs:
        """Put the pairs of several values into one.

        Parameters
        ----------
        several : sequence of Pairs
            The values.

        Returns
        -------
        Pairs
            All their pairs.
        """
        return cls(
            similar=np.vstack([pairs.similar for pairs in several]),
            dissimilar=np.vstack([pairs.dissimilar for pairs in several]),
        )

    @property
    def rows(self) -> IntArray:
        """The rows that are named.

        Returns
        -------
        ndarray of int
            Each once, sorted.
        """
        return np.asarray(np.unique(np.concatenate([self.similar, self.dissimilar])))

    def check(self, n_samples: int, *, who: str) -> None:
        """Compare the pairs with X and with each other.

        Only a pair that is said to be both is a contradiction.  Chains (i like j, j like k, i
        unlike k) are left to the estimator: where people label, some pairs are wrong.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If there is no pair, a row is not in X, a row is paired with itself, or a pair is both
            similar and dissimilar.
        """
        if len(self.similar) + len(self.dissimilar) == 0:
            raise ValueError(
                f"The Pairs given to {who} must hold at least one pair. Got none. Leave 'side' "
                f"out if nothing is known."
            )
        for name in ("similar", "dissimilar"):
            pairs = getattr(self, name)
            require_rows_in_range(pairs, n_samples, what=f"The {name} Pairs", who=who)
            alone = pairs[pairs[:, 0] == pairs[:, 1], 0]
            if len(alone):
                raise ValueError(
                    f"The {name} Pairs given to {who} must join two different rows. Got a row "
                    f"paired with itself: {name_rows(alone)}. Leave it out: it says nothing."
                )
        both = sorted(
            {*map(tuple, self.similar.tolist())} & {*map(tuple, self.dissimilar.tolist())}
        )
        if both:
            raise ValueError(
                f"The Pairs given to {who} contradict each other: said to be both similar and "
                f"dissimilar are the rows {name_rows(both)}. Leave them out of one of the two."
            )

    def __repr__(self) -> str:
        return f"Pairs({len(self.similar)} similar, {len(self.dissimilar)} dissimilar)"
