"""A distance that forgives what a model of transformations has learned, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, evenly_spaced
from sidelight.transforms.distances.measure import REST, ROUNDING
from sidelight.transforms.pictures import read_rows

#: Both ways are compared on so many rows, and on no fewer; what they say of pairs must agree by so
#: much.  Of moved digits (draw 100 of learned_affine_digits) the correlation is 0.79 to 0.86, and
#: below 0.03 where pairs were of different images; of rows that are turned 0.87 to 0.93, and below
#: 0.05, or 0.2 where there were only thirty such pairs.
_ASKED, _FEW, _AGREE = 100, 8, 0.4
#: How a model infers what leads to an item, and what comes of it.
INFERRED = ("mean", "likeliest")


@dataclass(frozen=True)
class Rows:
    """Rows as they are.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In double precision.
    """

    rows: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Any) -> Rows:
        """Some of them."""
        return Rows(self.rows[rows])


@dataclass(frozen=True)
class LearnedDistance:
    """How far two items are apart, but for what a model can make of one of them (§5.4.2).

    ½ (d(x, y) + d(y, x)), d(x, y) = ‖y − ŷ‖, ŷ what comes of x by the transformation that leads
    to y.

    Parameters
    ----------
    model : estimator
        With ``distances(X, Y, symmetric=…, pairs=…)``, and ``kind=…`` where one is asked for.
    inferred : {"auto", "mean", "likeliest"}
        Whether what leads to y, and ŷ, are inferred by their means or as their likeliest states, as
        the text has it; ``"auto"`` is what the model does by itself.
    """

    model: Any
    inferred: str = "auto"
    kind = "learned"

    def _between(self, *rows: FloatArray, **asked: Any) -> FloatArray:
        """As the model measures them."""
        kind = {} if self.inferred == "auto" else {"kind": self.inferred}
        return np.asarray(self.model.distances(*rows, **kind, **asked))

    @property
    def forgiven(self) -> str:
        """What was learned, by whom."""
        return f"what {type(self.model).__name__} has learned"

    def frames(self, X: Any, *, who: str = "The distance", new: bool = False) -> Rows:
        """The rows; refused where what the model says of them is no distance.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        who : str
            Who asks, for messages.
        new : bool
            Whether they are new rows, of which nothing is asked.

        Returns
        -------
        Rows
            The rows, with what the distance asks of each.
        """
        found = Rows(read_rows(X, who=who).astype(np.float64))
        if not new and len(found) >= _FEW:
            self._refuse_nonsense(found, who)
        return found

    def _refuse_nonsense(self, items: Rows, who: str) -> None:
        """What leads from an item to another must lead back, but for what each has by itself."""
        some = items.rows[evenly_spaced(len(items), _ASKED)]
        D = self._between(some)
        of_pairs = D - D.mean(axis=0) - D.mean(axis=1)[:, None] + D.mean()
        i, j = np.triu_indices(len(D), 1)
        there, back = of_pairs[i, j], of_pairs[j, i]
        if there.std() == 0 or back.std() == 0:
            return
        agree = float(np.corrcoef(there, back)[0, 1])
        if agree < _AGREE:
            raise ValueError(
                f"{who} cannot compare rows by what {type(self.model).__name__} has learned: its "
                f"distances from one row to another and back do not agree (correlation "
                f"{agree:.2f}). Learn longer, or from pairs of items of which one became the "
                f"other, both ways."
            )

    def table(self, left: Rows, right: Rows | None = None) -> FloatArray:
        """All distances.

        Parameters
        ----------
        left : Rows
            The items.
        right : Rows, optional
            Others; by default the same.

        Returns
        -------
        ndarray of shape (n, m)
            Exactly symmetric where there is one set of items.
        """
        other = left if right is None else right
        D = self._between(left.rows, other.rows, symmetric=True)
        middle = other.rows.mean(axis=0)  # large numbers would drown what differs
        x, y = left.rows - middle, other.rows - middle
        lengths = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)
        D = _with_rest(D, np.maximum(lengths - 2 * (x @ y.T), 0.0), lengths)
        if right is None:
            upper = np.triu(D, 1)
            D = upper + upper.T
        return D

    def among(self, left: Rows, right: Rows, lists: IntArray) -> FloatArray:
        """The distances of every item on the left to those on the right that its list names.

        Parameters
        ----------
        left : Rows
            The items.
        right : Rows
            Those that are named.
        lists : ndarray of shape (n, k)
            Rows of the right, for each item on the left.

        Returns
        -------
        ndarray of shape (n, k)
            As listed.
        """
        i = np.repeat(np.arange(len(left)), lists.shape[1])
        return self._of_pairs(left, right, i, lists.ravel()).reshape(lists.shape)

    def of_pairs(self, items: Rows, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs of items.

        Parameters
        ----------
        items : Rows
            The items.
        left, right : ndarray of shape (n_pairs,)
            Which two.

        Returns
        -------
        ndarray of shape (n_pairs,)
            One for each pair.
        """
        return self._of_pairs(items, items, left, right)

    def _of_pairs(self, left: Rows, right: Rows, i: IntArray, j: IntArray) -> FloatArray:
        x, y = left.rows[i], right.rows[j]
        d = self._between(left.rows, right.rows, symmetric=True, pairs=(i, j))
        return _with_rest(d, ((x - y) ** 2).sum(axis=1), (x**2).sum(axis=1) + (y**2).sum(axis=1))


def _with_rest(d: FloatArray, squared: FloatArray, lengths: FloatArray) -> FloatArray:
    """Nothing between equal rows, a little between others."""
    rest = REST * np.sqrt(squared)
    return np.where(squared <= ROUNDING * lengths, 0.0, np.maximum(d, rest))
