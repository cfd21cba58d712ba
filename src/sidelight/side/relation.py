"""Relation: these items are alike in this respect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import (
    BoolArray,
    FloatArray,
    IntArray,
    Real,
    evenly_spaced,
    of_moderate_size,
)
from sidelight.side.pairs import Pairs
from sidelight.side.rows import (
    NamesRows,
    Naming,
    frozen,
    labels_of_index,
    name_rows,
    read_labels,
    read_numbers,
    require_rows_in_range,
)
from sidelight.similarity import gaussian_similarity, wide_bandwidth


@dataclass(frozen=True)
class AlikeSettings:
    """Which pairs a relation calls alike and unlike, where a metric is learned from it.

    Set on draws 400 to 405 of a planted number, diabetes, wine and digits, with numbers known of
    20, 60 and 120 rows: from 0.05 to 0.5 all did well, and shuffled numbers were not used.

    Parameters
    ----------
    share : float
        The part of all pairs that are the most alike, and the least.
    most : int
        At most so many pairs of either kind.
    """

    share: float = 0.2
    most: int = 5000


SETTINGS = AlikeSettings()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Relation(NamesRows):
    """How alike items are in one respect (latent-factor thesis chapter 4).

    Parameters
    ----------
    similarity : array-like of float of shape (m, m)
        Symmetric, not negative; the diagonal says how alike an item is to itself.  Where it is
        zero no item is compared with itself.
    index : array-like of shape (m,), optional
        The rows of X that are meant, their numbers, or their labels in the index of X; all of them
        by default.
    n_rows : int, optional
        How many rows X has, as in :class:`Pairs`.
    by : {"row", "label"}, optional
        How rows are named, as in :class:`Pairs`.
    names : sequence, optional
        Labels of rows, as in :class:`Pairs`.

    Examples
    --------
    >>> Relation.from_values([0.0, 1.0, 2.0], index=[5, 6, 9])
    Relation(3 of the rows)
    """

    similarity: FloatArray
    index: IntArray | None = None

    def __post_init__(self) -> None:
        what = "The 'similarity' argument of Relation"
        similarity = read_numbers(self.similarity, what=what, ndim=(2,))
        m = len(similarity)
        if similarity.shape != (m, m):
            raise ValueError(
                f"{what} must be square. Got the shape {similarity.shape}. To make similarities "
                f"of values use Relation.from_values."
            )
        object.__setattr__(self, "similarity", similarity)
        naming = Naming("Relation", self.by, self.names)
        if self.index is None:
            if self.names is not None and len(self.names) != m:
                raise ValueError(
                    f"The 'names' of a Relation without 'index' must hold one label per row of "
                    f"the similarities, {m}. Got {len(self.names)}."
                )
            self._keep_rows(naming)
            return
        naming.read(self.index, what="The 'index' argument of Relation")
        (index,) = naming.rows()
        if len(index) != m:
            raise ValueError(
                f"The 'index' argument of Relation must hold one row number per row of the "
                f"similarities, {m}. Got {len(index)}."
            )
        self._keep_rows(naming, index=index)

    @classmethod
    def from_values(cls, v: Any, index: Any = None, *, bandwidth: float = 1.0) -> Relation:
        """Make similarities of values: exp(−‖v_i − v_j‖²/σ²) of standardised numbers, eq. (4.1).

        Names are alike when they are the same: similarity one or zero.

        Parameters
        ----------
        v : array-like of shape (m,) or (m, n_values)
            Numbers, or names of shape (m,).  Without ``index``, that of a series or frame of pandas
            says to which rows they belong.
        index : array-like of shape (m,), optional
            The rows of X that they belong to, as in :class:`Relation`.
        bandwidth : float
            σ², in units of the variance of the values.

        Returns
        -------
        Relation
            The relation.

        Examples
        --------
        >>> Relation.from_values(["a", "b", "a"]).similarity[0]
        array([1., 0., 1.])
        """
        if not Real(0, open_below=True).admits(bandwidth):
            raise ValueError(
                f"The 'bandwidth' argument of Relation.from_values must be "
                f"{Real(0, open_below=True)}. Got {bandwidth!r} instead."
            )
        what = "The 'v' argument of Relation.from_values"
        rows = _rows_of(v, index)
        if np.asarray(v).dtype.kind in "UOb":
            names = read_labels(v, what=what)
            return cls(np.equal.outer(names, names).astype(float), **rows)
        values = read_numbers(v, what=what, ndim=(1, 2))
        if not np.isfinite(values).all():
            raise ValueError(f"{what} must be finite. Leave rows without a value out of 'index'.")
        if not values.size:
            raise ValueError(f"{what} must hold at least one value. Got none.")
        values = values.reshape(len(values), -1)
        # in units of two to some power, which rounds nothing: squares of values of any size are had
        values = np.ldexp(values, -np.frexp(np.abs(values).max(axis=0))[1])
        spread = values.std(axis=0)
        values = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        squared = ((values[:, None] - values[None]) ** 2).sum(axis=-1)
        return cls(gaussian_similarity(squared, bandwidth), **rows)

    @classmethod
    def from_items(cls, X: Any, index: Any = None, *, bandwidth: float | str = "auto") -> Relation:
        """Make similarities of feature vectors: exp(−‖x_i − x_j‖²/σ²), eq. (4.1).

        So items of different kinds, of which each has features of its own, come into one map.

        Parameters
        ----------
        X : array-like of float of shape (m, n_features)
            The items, as they are.  Without ``index``, that of a frame of pandas says to which rows
            of the map they belong.
        index : array-like of shape (m,), optional
            The rows of the map that they belong to, as in :class:`Relation`.
        bandwidth : float or "auto"
            σ²; ``"auto"`` is 0.15 of the mean squared distance.

        Returns
        -------
        Relation
            The relation.

        Examples
        --------
        >>> Relation.from_items([[0.0, 0.0], [3.0, 4.0]], bandwidth=25.0).similarity[0].round(4)
        array([1.    , 0.3679])
        """
        if bandwidth != "auto" and not Real(0, open_below=True).admits(bandwidth):
            raise ValueError(
                f"The 'bandwidth' argument of Relation.from_items must be 'auto' or "
                f"{Real(0, open_below=True)}. Got {bandwidth!r} instead."
            )
        what = "The 'X' argument of Relation.from_items"
        items = read_numbers(X, what=what, ndim=(2,))
        if not np.isfinite(items).all():
            raise ValueError(f"{what} must be finite. Leave rows that are not out of 'index'.")
        if not items.size:
            raise ValueError(f"{what} must hold at least one item. Got none.")
        items = of_moderate_size(items, who="Relation.from_items")
        items = items - items.mean(axis=0)
        lengths = np.einsum("ij,ij->i", items, items)
        squared = np.maximum(lengths[:, None] + lengths - 2 * items @ items.T, 0.0)
        np.fill_diagonal(squared, 0.0)
        width = wide_bandwidth(np.sqrt(squared)) if bandwidth == "auto" else float(bandwidth)
        similarity = gaussian_similarity(squared, width)
        return cls((similarity + similarity.T) / 2, **_rows_of(X, index))

    def rows(self, n_samples: int) -> IntArray:
        """Give the rows of X that are meant.

        Parameters
        ----------
        n_samples : int
            Rows of X.

        Returns
        -------
        ndarray of int of shape (m,)
            ``index``, or all rows.
        """
        return np.asarray(frozen(np.arange(n_samples)) if self.index is None else self.index)

    @property
    def _size(self) -> int | None:
        if self.index is None:
            return len(self.similarity)
        return self.n_rows if self.names is None else len(self.names)

    @property
    def _is_in_doubt(self) -> bool:
        return self.index is not None and self.by is None and self.n_rows is None

    @property
    def _says_nothing(self) -> bool:
        return len(self.similarity) < 2

    def _taken(self, rows: IntArray) -> Relation:
        index = np.arange(len(self.similarity)) if self.index is None else self.index
        places = self._places_of(rows, index)[index]
        kept = np.flatnonzero(places >= 0)
        kept = kept[np.argsort(places[kept], kind="stable")]
        all_of_them = self.index is None and len(kept) == len(rows)
        return Relation(
            self.similarity[np.ix_(kept, kept)],
            None if all_of_them else places[kept],
            n_rows=len(rows),
        )

    def pairs(self, n_samples: int) -> Pairs:
        """Give the pairs of rows that are most alike, and those that are least.

        Parameters
        ----------
        n_samples : int
            Rows of X.

        Returns
        -------
        Pairs
            A fifth of all pairs of either kind, those that tie with them too, evenly drawn where
            they are very many; none where all rows are equally alike.

        Examples
        --------
        >>> Relation.from_values(["a", "b", "a"]).pairs(3)
        Pairs(1 similar, 2 dissimilar)
        """
        first, second = np.triu_indices(len(self.similarity), 1)
        alike = self.similarity[first, second]
        least, most = np.quantile(alike, [SETTINGS.share, 1 - SETTINGS.share])
        middle = float(alike.mean())
        meant = self.rows(n_samples)

        def drawn(chosen: BoolArray) -> IntArray:
            which = np.flatnonzero(chosen)
            which = which[evenly_spaced(len(which), SETTINGS.most)]
            return np.column_stack([meant[first[which]], meant[second[which]]])

        near, far = (alike >= most) & (alike > middle), (alike <= least) & (alike < middle)
        return Pairs(drawn(near), drawn(far), n_rows=n_samples)

    def check(self, n_samples: int, *, who: str) -> None:
        """Compare the relation with X.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Raises
        ------
        ValueError
            If a row is not in X or is named twice, or the similarities are negative, not finite
            or not symmetric.
        """
        if self.index is not None or self.names is not None:
            self._require_size(n_samples, who)
        m = len(self.similarity)
        if m < 2:
            raise ValueError(f"The Relation given to {who} must relate at least two rows. Got {m}.")
        if self.index is None:
            if m != n_samples:
                raise ValueError(
                    f"The Relation given to {who} must have one row per row of X, {n_samples}. "
                    f"Got {m}. Say which rows are meant with 'index'."
                )
        else:
            require_rows_in_range(self.index, n_samples, what="The Relation", who=who)
            names, counts = np.unique(self.index, return_counts=True)
            if np.any(counts > 1):
                raise ValueError(
                    f"The 'index' of the Relation given to {who} must name every row once. Got "
                    f"{name_rows(names[counts > 1])} more than once."
                )
        S = self.similarity
        if not np.isfinite(S).all() or S.min() < 0:
            raise ValueError(
                f"The similarities of the Relation given to {who} must be finite and not negative."
            )
        of_moderate_size(S, who=who, name="Relation")
        difference = np.abs(S - S.T)
        if difference.max() > 1e-8 * max(float(S.max()), 1e-300):
            i, j = np.unravel_index(int(difference.argmax()), S.shape)
            raise ValueError(
                f"The similarities of the Relation given to {who} must be symmetric. Got "
                f"{S[i, j]:g} for ({i}, {j}) and {S[j, i]:g} for ({j}, {i})."
            )

    def __repr__(self) -> str:
        words = "rows" if self.index is None else "of the rows"
        return f"Relation({len(self.similarity)} {words}{self._by_words()})"


def _rows_of(values: Any, index: Any) -> dict[str, Any]:
    """The rows that values belong to: as was said, or as a series or frame has them."""
    names = labels_of_index(values) if index is None else None
    return {"index": index} if names is None else {"names": names, "n_rows": len(names)}
