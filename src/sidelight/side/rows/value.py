"""What all kinds of side information share: they are values, and speak of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from sidelight.core import IntArray, Whole, counted
from sidelight.side.rows.naming import RowNames, listed_labels, plain_labels


class SideInformation:
    """A frozen value: equal when its parts are, hashable, the same after pickling.

    scikit-learn cuts what has one entry per row of X into folds, by ``shape`` and ``[rows]``: side
    information that says how many rows it speaks of is cut with X, and any other refuses to be.
    """

    __slots__ = ()

    #: It has entries, and cannot be gone through one by one.
    __iter__ = None

    def check(self, n_samples: int, *, who: str) -> object:
        """Compare the value with the X that it meets.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Returns
        -------
        object
            Nothing, or what the kind of side information has to report.

        Raises
        ------
        ValueError
            If the value and X do not fit, or the value contradicts itself.
        """
        raise NotImplementedError

    def within(self, rows: Any) -> Self:
        """Keep what is said about some rows among themselves.

        Row numbers become places in ``rows``: row ``rows[i]`` is row i of what comes out, as it is
        row i of ``X[rows]``.  Labels stay what they are.

        Parameters
        ----------
        rows : array-like
            Each once: row numbers, or one bool per row; labels where the value names rows so.

        Returns
        -------
        SideInformation
            Of the same kind.  It may say nothing, and is then the same as nothing known.

        Examples
        --------
        >>> from sidelight.side import Pairs
        >>> Pairs(similar=[(0, 7), (3, 7)]).within([7, 3, 5]).similar
        array([[0, 1]])
        """
        if self._names is None:
            return self._taken(self._rows_asked(rows))
        places = {label: place for place, label in enumerate(self._names)}
        labels = RowNames(tuple(plain_labels(rows)))
        if labels.repeated:
            raise ValueError(_named_twice(self, listed_labels(sorted(labels.repeated, key=str))))
        asked = np.array([places.get(label, -1) for label in labels.labels], dtype=np.int64)
        return self._taken(asked)._renamed(labels.labels)

    @property
    def shape(self) -> tuple[int]:
        """The rows that it speaks of, for whoever cuts X into folds.

        Returns
        -------
        tuple of int
            Their number.

        Raises
        ------
        ValueError
            If it names rows by their numbers and does not say of how many.
        """
        size = self._size
        if size is None:
            kind = type(self).__name__
            raise ValueError(
                f"This {kind} names rows of X by their numbers, and within a part of X these are "
                f"other rows. Say how many rows it speaks of, {kind}(…, n_rows=len(X)), and it is "
                f"cut together with X; or let sidelight.side.aligned(side, X) say it."
            )
        return (size,)

    def __getitem__(self, rows: Any) -> Self:
        rows = rows[0] if isinstance(rows, tuple) else rows
        places = np.atleast_1d(np.arange(self.shape[0])[rows])
        return self.within(
            places if self._names is None else [self._names[place] for place in places]
        )

    def _at(self, names: RowNames | None, n_samples: int, *, who: str) -> Self:
        """The same by row numbers of an X whose rows have these names."""
        if self._names is None:
            if names is not None and self._is_in_doubt and names.are_other_numbers:
                raise ValueError(_in_doubt(type(self).__name__, names, who))
            return self
        if self._speaks_of_all and (names is None or names.labels == self._names):
            if len(self._names) != n_samples:
                raise ValueError(self._other_size(len(self._names), n_samples, who))
            return self._taken(np.arange(n_samples))
        if names is None:
            raise ValueError(
                f"The {type(self).__name__} given to {who} names rows by label, "
                f"{listed_labels(self._names)}, and X has no labels. Give X as a frame of pandas "
                f"whose index they are, or say which row has which: "
                f"sidelight.side.aligned(side, X, names=…). (In a pipeline, "
                f"set_output(transform='pandas') keeps the index.)"
            )
        return self._taken(self._places_in(names, who))

    def _places_in(self, names: RowNames, who: str) -> IntArray:
        """For every row of X its place in the own names, −1 where it is not named."""
        assert self._names is not None
        kind = type(self).__name__
        lost = [label for label in self._names if label not in names.places]
        if lost:
            raise ValueError(
                f"The {kind} given to {who} names rows that X does not have: "
                f"{listed_labels(lost)}. The rows of X are {listed_labels(names.labels)}. Where "
                f"rows were left out of X, as in cross-validation, leave them out here too: "
                f"within(X.index), or sidelight.model_selection."
            )
        own = RowNames(self._names)
        twice = sorted((names.repeated | own.repeated) & set(self._names), key=str)
        if twice:
            raise ValueError(
                f"The {kind} given to {who} names rows by label, and of {listed_labels(twice)} X "
                f"or it has more than one. Give every row a label of its own, or name rows by "
                f"number."
            )
        places = np.full(len(names.labels), -1, dtype=np.int64)
        places[[names.places[label] for label in self._names]] = np.arange(len(self._names))
        return places

    def _require_size(self, n_samples: int, who: str) -> None:
        """Refuse an X of other rows than are spoken of."""
        if self._names is not None:
            self._at(None, n_samples, who=who)
        elif self._size is not None and self._size != n_samples:
            raise ValueError(self._other_size(self._size, n_samples, who))

    def _other_size(self, size: int, n_samples: int, who: str) -> str:
        remedy = (
            "Where rows were left out of X, as in cross-validation, leave them out here too: "
            "within(rows), or sidelight.model_selection."
            if n_samples < size
            else "Say of the others that nothing is known: n_rows=len(X), or None for their labels."
        )
        return (
            f"The {type(self).__name__} given to {who} speaks of {counted(size, 'row')}, and X has "
            f"{n_samples}. {remedy}"
        )

    def _rows_asked(self, rows: Any) -> IntArray:
        """Row numbers, each once; out of bools, too."""
        asked = np.asarray(rows)
        kind, size = type(self).__name__, self._size
        if asked.dtype.kind == "b" and asked.ndim == 1:
            if size is not None and len(asked) != size:
                raise ValueError(
                    f"{kind}.within takes one bool per row, {size}. Got {len(asked)} of them."
                )
            asked = np.flatnonzero(asked)
        if asked.size == 0:
            asked = np.empty(0, dtype=np.int64)
        if asked.dtype.kind not in "iu" or asked.ndim != 1:
            raise ValueError(
                f"{kind}.within takes row numbers or bools, as it names rows by number. Got "
                f"{rows!r}."
            )
        asked = asked.astype(np.int64)
        last = np.inf if size is None else size
        outside = asked[(asked < 0) | (asked >= last)]
        if len(outside):
            raise ValueError(
                f"{kind}.within takes row numbers in the range [0, {last}). Got {outside[0]}."
            )
        distinct, counts = np.unique(asked, return_counts=True)
        if np.any(counts > 1):
            raise ValueError(_named_twice(self, str(distinct[counts > 1][0])))
        return asked

    def _taken(self, rows: IntArray) -> Self:
        """What is said of some rows, by their places: ``rows[new]`` was the number, or −1."""
        raise NotImplementedError

    def _sized(self, n_samples: int) -> Self:
        """The same, with how many rows there are."""
        return self

    def _renamed(self, names: tuple[Any, ...]) -> Self:
        """The same, with labels for row numbers."""
        return replace(self, names=names)  # type: ignore[type-var]

    @property
    def _names(self) -> tuple[Any, ...] | None:
        """The labels that rows are numbers of."""
        found: tuple[Any, ...] | None = getattr(self, "names", None)
        return found

    @property
    def _size(self) -> int | None:
        """How many rows it speaks of; None where that is not known."""
        return None

    @property
    def _speaks_of_all(self) -> bool:
        """Whether its labels are those of all rows, in their order."""
        return True

    @property
    def _is_in_doubt(self) -> bool:
        """Whether its ints could be labels."""
        return False

    @property
    def _says_nothing(self) -> bool:
        """Whether it speaks of rows, and says nothing of them."""
        return False

    def _parts(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, SideInformation)
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self._key()))

    def _key(self) -> tuple[Any, ...]:
        return tuple(_key(part) for part in self._parts().values())

    def __reduce__(self) -> tuple[Any, ...]:
        # through the constructor, so that the arrays are read-only again
        return _made, (type(self), self._parts())


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class NamesRows(SideInformation):
    """Side information that names rows one by one.

    Parameters
    ----------
    n_rows : int, optional
        How many rows X has, if that is to be checked; row numbers are below it.
    by : {"row", "label"}, optional
        Whether rows are named by number or by label.  By default ints are row numbers, refused
        where X is a frame with other ints for labels, and anything else is a label.
    names : sequence, optional
        The labels of rows, where row numbers are numbers of these and not of X.
    """

    n_rows: int | None = None
    by: str | None = None
    names: tuple[Any, ...] | None = None

    @property
    def _size(self) -> int | None:
        return len(self.names) if self.names is not None else self.n_rows

    @property
    def _speaks_of_all(self) -> bool:
        return self.n_rows is not None

    @property
    def _is_in_doubt(self) -> bool:
        return self.by is None and self.n_rows is None

    def _sized(self, n_samples: int) -> Self:
        return replace(self, n_rows=n_samples)

    def _keep_rows(self, naming: Any, **rows: IntArray) -> None:
        """Keep rows that were read, and how they are named."""
        kind, names, n = type(self).__name__, naming.names, self.n_rows
        if n is not None and not Whole(0).admits(n):
            raise ValueError(
                f"The 'n_rows' argument of {kind} must be None or {Whole(0)}. Got {n!r} instead."
            )
        for name, found in rows.items():
            last = np.inf if n is None else n
            outside = found[(found < 0) | (found >= last)]
            if n is not None and names is None and len(outside):
                raise ValueError(
                    f"The {name!r} of {kind} must be rows of X in the range [0, n_rows), and "
                    f"n_rows={n}. Got {outside[0]}."
                )
            object.__setattr__(self, name, found)
        object.__setattr__(self, "names", names)
        if names is not None:
            object.__setattr__(self, "by", "label")

    def _places_of(self, rows: IntArray, *named: IntArray) -> IntArray:
        """From a number to its place in some rows, −1 where it is not among them."""
        last = max([rows.max(initial=-1), *(each.max(initial=-1) for each in named)])
        if min([each.min(initial=0) for each in named], default=0) < 0:
            raise ValueError(
                f"{type(self).__name__} must name rows by numbers from 0 on. Negative numbers do "
                f"not count from the end."
            )
        places = np.full(int(last) + 1, -1, dtype=np.int64)
        here = np.flatnonzero(rows >= 0)
        places[rows[here]] = here
        return places

    def _by_words(self) -> str:
        return "" if self.names is None else ", by label"


def _key(part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    kind = "text" if part.dtype.kind == "U" else part.dtype.str
    return (kind, part.shape, tuple(part.ravel()) if kind == "text" else part.tobytes())


def named_alike(several: Sequence[Any]) -> dict[str, Any]:
    """How the rows of several values are named, all in one way."""
    first = several[0]
    if any(value.names != first.names for value in several):
        raise ValueError(
            f"Several {type(first).__name__} with labels of their own cannot be put into one. Give "
            f"them as a list: side=[…]."
        )
    sizes = {value.n_rows for value in several} - {None}
    if len(sizes) > 1:
        raise ValueError(
            f"Several {type(first).__name__} that are put into one must speak of the same rows. "
            f"Got n_rows of {' and '.join(map(str, sorted(sizes)))}."
        )
    by = {value.by for value in several}
    return {
        "n_rows": next(iter(sizes), None),
        "names": first.names,
        "by": by.pop() if len(by) == 1 else "row",
    }


def _made(kind: type[Any], parts: dict[str, Any]) -> Any:
    return kind(**parts)


def _named_twice(value: SideInformation, which: str) -> str:
    return (
        f"{type(value).__name__}.within takes every row once, for there is one place that is it. "
        f"Got {which} more than once."
    )


def _in_doubt(kind: str, names: RowNames, who: str) -> str:
    return (
        f"The {kind} given to {who} names rows by ints, and X has ints for labels that are not the "
        f"numbers of its rows: {listed_labels(names.labels)}. Say which are meant: "
        f"{kind}(…, by='row'), counted from 0, or {kind}(…, by='label')."
    )
