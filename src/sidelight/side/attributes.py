"""Attributes: several distinctions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import IntArray
from sidelight.side.pairs import Pairs
from sidelight.side.rows import RowNames, SideInformation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Attributes(SideInformation):
    """Several sets of pairs over the same rows, one for each distinction (thesis section 3.3).

    Two people may be alike in wearing glasses and unlike in wearing a beard: within one attribute
    a pair cannot be both similar and dissimilar, across attributes it can.

    Parameters
    ----------
    attributes : sequence of Pairs
        One value per distinction.

    Examples
    --------
    >>> Attributes([Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(0, 1)])])
    Attributes([Pairs(1 similar, 0 dissimilar), Pairs(0 similar, 1 dissimilar)])
    """

    attributes: Sequence[Pairs]

    def __post_init__(self) -> None:
        given: Any = self.attributes
        if isinstance(given, Pairs) or not isinstance(given, (list, tuple)):
            raise ValueError(
                f"The 'attributes' argument of Attributes must be a list of Pairs. Got "
                f"{type(given).__name__}. Write Attributes([Pairs(…), Pairs(…)])."
            )
        for attribute in given:
            if not isinstance(attribute, Pairs):
                raise ValueError(
                    f"The 'attributes' argument of Attributes must be a list of Pairs. Got "
                    f"{type(attribute).__name__} in it."
                )
        object.__setattr__(self, "attributes", tuple(given))

    @property
    def rows(self) -> IntArray:
        """The rows that are named by any attribute.

        Returns
        -------
        ndarray of int
            Each once, sorted.
        """
        return np.asarray(np.unique(np.concatenate([pairs.rows for pairs in self.attributes])))

    def within(self, rows: Any) -> Attributes:
        """Keep what is said about some rows among themselves.

        Parameters
        ----------
        rows : array-like
            Each once, as the attributes name them.

        Returns
        -------
        Attributes
            Those that still say something.
        """
        return self._of([pairs.within(rows) for pairs in self.attributes])

    def _at(self, names: RowNames | None, n_samples: int, *, who: str) -> Attributes:
        """The same by row numbers of an X whose rows have these names."""
        named = [
            pairs._at(names, n_samples, who=f"{who} as attribute {number}")
            for number, pairs in enumerate(self.attributes)
        ]
        return Attributes(named)

    def __getitem__(self, rows: Any) -> Attributes:
        _ = self.shape  # of all of them, or none is cut
        return self._of([pairs[rows] for pairs in self.attributes])

    def _sized(self, n_samples: int) -> Attributes:
        return Attributes([pairs._sized(n_samples) for pairs in self.attributes])

    def _of(self, kept: list[Pairs]) -> Attributes:
        return Attributes([pairs for pairs in kept if not pairs._says_nothing] or kept[:1])

    @property
    def _size(self) -> int | None:
        sizes = {pairs._size for pairs in self.attributes}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def _says_nothing(self) -> bool:
        return bool(self.attributes) and all(pairs._says_nothing for pairs in self.attributes)

    def check(self, n_samples: int, *, who: str) -> None:
        """Check the pairs of every attribute.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If there is no attribute, or one of them does not fit.
        """
        if not self.attributes:
            raise ValueError(f"The Attributes given to {who} must hold at least one Pairs.")
        for number, pairs in enumerate(self.attributes):
            pairs.check(n_samples, who=f"{who} as attribute {number}")

    def __repr__(self) -> str:
        return f"Attributes({list(self.attributes)!r})"
