"""Pairs: these belong together, these do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side.labelled_pairs import pairs_of_labels
from sidelight.side.rows import (
    NamesRows,
    Naming,
    labels_of_index,
    name_rows,
    named_alike,
    require_rows_in_range,
)

#: Pairs among fewer rows than this are one number each.
_KEYED_ROWS = 2**31


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs(NamesRows):
    """Pairs of rows that belong together, and pairs that do not (thesis section 3.2.1).

    The sets 𝒮 and 𝒪 of equation (3.1).  A pair that is in neither is unknown.  The order within a
    pair and repeated pairs mean nothing: pairs are kept sorted, each of them once.

    Parameters
    ----------
    similar : array-like of shape (m, 2), optional
        Rows of X that belong together: their numbers, or their labels in the index of X.
    dissimilar : array-like of shape (m, 2), optional
        Rows of X that do not.
    n_rows : int, optional
        How many rows X has.  Pairs that say so are cut together with X in cross-validation, and
        refused for an X of another size.
    by : {"row", "label"}, optional
        Whether rows are named by number or by label.  By default ints are row numbers, refused
        where X is a frame with other ints for labels, and anything else is a label.
    names : sequence, optional
        Labels of rows.  Where given, pairs are places in this list, and not row numbers of X.

    Examples
    --------
    >>> Pairs(similar=[(0, 1), (4, 3), (3, 4)], dissimilar=[(0, 4)])
    Pairs(2 similar, 1 dissimilar)
    >>> Pairs.from_labels(["cat", "dog", "cat", None]).similar
    array([[0, 2]])

    Rows of a frame have labels, and are the same rows in any order.

    >>> import pandas as pd
    >>> from sidelight.side import aligned
    >>> X = pd.DataFrame({"height": [1.9, 1.6, 1.7]}, index=["carl", "anna", "bert"])
    >>> known = Pairs(similar=[("anna", "bert")])
    >>> known, aligned(known, X).similar
    (Pairs(1 similar, 0 dissimilar, by label), array([[1, 2]]))
    """

    similar: IntArray = None  # type: ignore[assignment]
    dissimilar: IntArray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        naming = Naming("Pairs", self.by, self.names)
        for name in ("similar", "dissimilar"):
            given = getattr(self, name)
            what = f"The {name!r} argument of Pairs"
            naming.read([] if given is None else given, what=what, shape="(m, 2)")
        similar, dissimilar = (_each_once(rows) for rows in naming.rows())
        self._keep_rows(naming, similar=similar, dissimilar=dissimilar)

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
            The class of every row.  The index of a series of pandas names the rows: they are the
            same in an X of another order.
        unknown : object, optional
            What stands for "not known", such as -1.  None, NaN and "" always do; where nothing is
            said, -1 does too.  A row whose label is not known is in no pair.
        max_pairs : int, optional
            Draw at most this many pairs of each kind, without writing out all of them: first a
            chain along a random order of each class, which joins all of it, and a pair of every two
            classes, then others at random; where there is no room for those, all at random.  By
            default all pairs, or, where these would be more than 4,000,000, such a draw of
            100,000 of each kind, or 4 for each row with a label if that is more.
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
        return cls(similar, dissimilar, n_rows=len(y), names=labels_of_index(y))

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
        return np.asarray(np.unique(np.concatenate([self.similar, self.dissimilar])))

    @property
    def _says_nothing(self) -> bool:
        return len(self.similar) + len(self.dissimilar) == 0

    def _taken(self, rows: IntArray) -> Pairs:
        places = self._places_of(rows, self.similar, self.dissimilar)
        similar, dissimilar = (places[each] for each in (self.similar, self.dissimilar))
        return Pairs(
            similar[(similar >= 0).all(axis=1)],
            dissimilar[(dissimilar >= 0).all(axis=1)],
            n_rows=len(rows),
        )

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
        self._require_size(n_samples, who)
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
        keys = _key_of(self.similar, n_samples), _key_of(self.dissimilar, n_samples)
        both = np.intersect1d(*keys, assume_unique=True)
        if len(both):
            rows = [divmod(key, n_samples) for key in both.tolist()]
            raise ValueError(
                f"The Pairs given to {who} contradict each other: said to be both similar and "
                f"dissimilar are the rows {name_rows(rows)}. Leave them out of one of the two."
            )

    def __repr__(self) -> str:
        like, unlike = len(self.similar), len(self.dissimilar)
        return f"Pairs({like} similar, {unlike} dissimilar{self._by_words()})"


def _each_once(pairs: IntArray) -> IntArray:
    pairs = np.sort(pairs, axis=1)
    n_rows = int(pairs.max(initial=-1)) + 1
    if pairs.min(initial=0) < 0 or n_rows >= _KEYED_ROWS:  # refused with the name of an estimator
        distinct = np.unique(pairs, axis=0)
    else:
        keys = np.sort(_key_of(pairs, n_rows))  # which is faster than numpy's hashing of them
        keys = keys[np.diff(keys, prepend=-1) > 0]
        distinct = np.column_stack(np.divmod(keys, max(n_rows, 1))).reshape(-1, 2)
    distinct.setflags(write=False)
    return distinct


def _key_of(pairs: IntArray, n_rows: int) -> IntArray:
    """One number for each pair, in the order of pairs: millions of them are sorted at once."""
    return np.asarray(pairs[:, 0] * n_rows + pairs[:, 1])
