"""Condition: this factor is known, leave it out of the map."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from sidelight.core import IntArray, counted, of_moderate_size
from sidelight.side.rows import (
    RowNames,
    SideInformation,
    name_rows,
    names_of_values,
    place_of_every,
    read_labels,
    read_numbers,
    require_known,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Condition(SideInformation):
    """A factor whose value is known for every row (latent-factor thesis section 3.2).

    Parameters
    ----------
    values : array-like of shape (n_samples,) or (n_samples, n_values)
        Names (classes) or numbers.  Where a method matches items or maximises conditional
        information, numbers without a period are classes as well, if each of them comes in five
        rows on average.
    period : float, optional
        The period of numbers that come round again: 360 for an angle in degrees.
    kernel : float, "delta" or callable, optional
        For the conditional information of :class:`~sidelight.KernelInformationEmbedding`: how alike
        two values are, exp(−(x − x')²/kernel²), or whether they are the same (eq. 3.25); or a
        function of one's own, from two tables of values to the table of how alike these are,
        symmetric and at least 0.  By default classes are the same or not, and numbers are compared
        in units of their standard deviation.
    names : sequence, optional
        The labels of the rows that the values belong to, in the index of X; those of a series or
        frame of pandas by default.  Where X has no labels, values belong to rows in their order.

    Examples
    --------
    >>> Condition(["a", "b", "a"])
    Condition(3 rows, 2 classes)
    >>> Condition([[0.1, 2.0], [0.3, 1.0]])
    Condition(2 rows, 2 numbers each)
    >>> Condition([0.0, 180.0, 350.0], period=360)
    Condition(3 rows, 1 number each, period 360)
    """

    values: Any
    period: float | None = None
    kernel: Any = None
    names: tuple[Any, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        what = "The 'values' argument of Condition"
        if isinstance(self.values, str):
            raise ValueError(
                f"{what} must hold one value per row. Got the text {self.values!r}. Of a column of "
                f"a frame give what it holds: Condition(frame[{self.values!r}])."
            )
        first = np.asarray(self.values).ravel()[:1]
        named = len(first) and isinstance(first[0], (str, np.str_, bool, np.bool_))
        values = (
            read_labels(self.values, what=what)
            if named
            else read_numbers(self.values, what=what, ndim=(1, 2))
        )
        names = names_of_values(self.values, self.names, kind="Condition", count=len(values))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "names", names)
        if self.period is not None and not _is_positive(self.period):
            raise ValueError(
                f"The 'period' argument of Condition must be None or a number above 0. Got "
                f"{self.period!r} instead."
            )
        if self.period is not None and (values.dtype.kind != "f" or values.ndim != 1):
            raise ValueError(
                "The 'period' argument of Condition needs one number per row as values. Got "
                f"values of shape {values.shape} and type {values.dtype}."
            )
        own = callable(self.kernel)
        width = not own and self.kernel is not None and self.kernel != "delta"
        if width and not _is_positive(self.kernel):
            raise ValueError(
                f"The 'kernel' argument of Condition must be None, 'delta', a width above 0 or a "
                f"function of two tables of values. Got "
                f"{self.kernel!r} instead."
            )
        if width and values.dtype.kind != "f":
            raise ValueError(
                f"The 'kernel' argument of Condition is a width for numbers; classes are the same "
                f"or not. Got kernel={self.kernel!r} with classes: leave it out."
            )

    def refuse_kernel(self, *, who: str) -> None:
        """Refuse a kernel where nobody would read it.

        Parameters
        ----------
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If there is one.
        """
        if self.kernel is not None:
            raise ValueError(
                f"The 'kernel' of the Condition given to {who} does nothing there: it is for the "
                f"conditional information of KernelInformationEmbedding. Leave it out."
            )

    @property
    def _size(self) -> int:
        return len(self.values)

    def _taken(self, rows: IntArray) -> Condition:
        require_known(rows, kind="Condition")
        return Condition(self.values[rows], self.period, self.kernel)

    def _places_in(self, names: RowNames, who: str) -> IntArray:
        return place_of_every(self.names or (), names, kind="Condition", who=who)

    def check(self, n_samples: int, *, who: str) -> None:
        """Compare the number of values with the rows of X.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If there is not one value for every row, or one is not finite.
        """
        if len(self.values) != n_samples:
            raise ValueError(
                f"The Condition given to {who} must hold one value per row of X, {n_samples}. "
                f"Got {len(self.values)}. For some of the rows use condition.within(rows)."
            )
        if self.values.dtype.kind == "f":
            finite = np.isfinite(self.values.reshape(n_samples, -1)).all(axis=1)
            if not finite.all():
                raise ValueError(
                    f"The Condition given to {who} must be known for every row of X. It is "
                    f"missing or infinite for the rows {name_rows(np.flatnonzero(~finite))}."
                )
            of_moderate_size(self.values, who=who, name="Condition")

    def __repr__(self) -> str:
        if self.values.dtype.kind != "f":
            words = counted(len(np.unique(self.values)), "class", "classes")
        else:
            each = self.values.shape[1] if self.values.ndim == 2 else 1
            words = f"{counted(each, 'number')} each"
        if self.period is not None:
            words += f", period {self.period:g}"
        return f"Condition({counted(len(self.values), 'row')}, {words})"


def _is_positive(value: Any) -> bool:
    return isinstance(value, Real) and 0 < float(value) < float("inf")
