"""What items are alike by: whether relations say anything, and whether it hangs together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sidelight.core import FloatArray, fingerprint
from sidelight.latent.neighbors import NeighborChoices
from sidelight.side import Relation, list_numbers, name_rows


@dataclass(frozen=True)
class Alike:
    """What items are alike by: the data, where there are any, and relations.

    Parameters
    ----------
    D : ndarray of shape (n, n), optional
        The distances of the data.
    relations : tuple of Relation
        Those that were given.
    choices : NeighborChoices, optional
        Whom rows pick by the similarity of the data.
    """

    D: FloatArray | None
    relations: tuple[Relation, ...]
    choices: NeighborChoices | None = None

    @property
    def by_data(self) -> bool:
        """Whether there are data."""
        return self.D is not None

    @property
    def n(self) -> int:
        """How many items."""
        return rows_of_relations(self.relations) if self.D is None else len(self.D)

    @property
    def n_kinds(self) -> int:
        """How many relations, that of the data with them."""
        return len(self.relations) + self.by_data

    @property
    def names(self) -> list[str]:
        """Every relation by its contents, after that of the data."""
        return ["X"] * self.by_data + [fingerprint(relation) for relation in self.relations]


def rows_of_relations(relations: Sequence[Any]) -> int:
    """Count the rows that relations speak of, where there are no data to count.

    Examples
    --------
    >>> rows_of_relations([Relation.from_values([1.0, 2.0], index=[0, 4])])
    5
    """
    counts = [
        len(r.similarity)
        if r.index is None
        else max(int(r.index.max(initial=-1)) + 1, r.n_rows or 0)
        for r in relations
        if isinstance(r, Relation)
    ]
    return max(counts, default=0)


def check_relations(relations: Sequence[Relation], n: int, *, alone: bool, who: str) -> None:
    """Refuse relations from which no one map follows; warn of those that say nothing."""
    for number, relation in enumerate(relations):
        S = relation.similarity
        off = S[~np.eye(len(S), dtype=bool)]
        if len(S) == 2 and not np.diagonal(S).any():
            raise ValueError(
                f"Relation {number} given to {who} relates two rows, and its diagonal is zero: "
                f"each row can pick the other only, wherever they are. Let the diagonal say how "
                f"alike a row is to itself, such as [[1, 1], [1, 1]]."
            )
        if len(S) > 2 and np.ptp(off) == 0 and (off[0] == 0 or np.ptp(S) == 0):
            warnings.warn(
                f"Relation {number} given to {who} says nothing: its {len(S)} rows are all equally "
                f"alike.",
                UserWarning,
                stacklevel=4,
            )
    if not alone:
        return
    if not relations:
        raise ValueError(
            f"{who} needs data or relations. Got neither: give X, or side=Relation(…), or both."
        )
    named = np.zeros(n, dtype=bool)
    for relation in relations:
        named[relation.rows(n)] = True
    if not named.all():
        raise ValueError(
            f"Without X, {who} places rows by relations alone, and must find every row from 0 to "
            f"{n - 1} in one. Got nothing about {name_rows(np.flatnonzero(~named))}."
        )
    rows = np.concatenate([relation.rows(n) for relation in relations])
    which = np.repeat(np.arange(len(relations)), [len(r.similarity) for r in relations])
    member = sp.csr_array((np.ones(len(rows)), (which, rows)), shape=(len(relations), n))
    n_groups, group = connected_components(member @ member.T, directed=False)
    if n_groups > 1:
        listed = "; ".join(
            f"relations {list_numbers(np.flatnonzero(group == g))}" for g in range(min(n_groups, 4))
        )
        raise ValueError(
            f"The relations given to {who} fall into {n_groups} groups that share no row "
            f"({listed}), so that nothing says how they lie to each other. Add a relation that "
            f"names rows of both, give X, or fit them one by one."
        )
