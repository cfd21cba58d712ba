"""Anchors: these points go here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, counted, of_moderate_size
from sidelight.side.rows import (
    NamesRows,
    Naming,
    labels_of_index,
    name_rows,
    read_numbers,
    require_rows_in_range,
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anchors(NamesRows):
    """Positions in the map that are known for some rows.

    They are kept exactly, in your own coordinates and unit.  One anchor moves a map, two turn and
    scale it, and more bend it as little as the method can.

    Parameters
    ----------
    index : array-like of shape (m,)
        Rows of X, each once: their numbers, or their labels in the index of X.
    positions : array-like of float of shape (m, n_components)
        Where they go.
    exact : bool
        If not, the map is only moved, turned, mirrored and scaled to come near them, and not bent.
    n_rows : int, optional
        How many rows X has, as in :class:`Pairs`.
    by : {"row", "label"}, optional
        How rows are named, as in :class:`Pairs`.
    names : sequence, optional
        Labels of rows, as in :class:`Pairs`.

    Notes
    -----
    Some methods pin rows while they make the map (``side_report_`` says "inside").  All others, and
    all with ``exact=False``, move the finished map there ("behind"): it is turned and scaled, and
    then warped smoothly until the anchors are met; where that would fold the map, the anchored rows
    move alone.  New rows go the same way.  ``kernel()``, ``eigenvalues_``, ``objective_`` and the
    like then describe the map before it was moved.

    Examples
    --------
    Three corners of a square of whose sides we know that they are 5 km long.

    >>> import numpy as np
    >>> from sidelight import SammonMapping
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> known = Anchors([0, 1, 2], [[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]])
    >>> known
    Anchors(3 rows in 2 dimensions)
    >>> model = SammonMapping(2).fit(corners, side=known)
    >>> model.embedding_[3].round(4) + 0.0, round(model.unit_, 4)
    (array([0., 5.]), 5.0)
    """

    index: IntArray
    positions: FloatArray
    exact: bool = True

    def __post_init__(self) -> None:
        naming = Naming("Anchors", self.by, self.names)
        naming.read(self.index, what="The 'index' argument of Anchors")
        (index,) = naming.rows()
        what = "The 'positions' argument of Anchors"
        positions = read_numbers(self.positions, what=what, ndim=(2,))
        if len(index) != len(positions):
            raise ValueError(
                f"{what} must hold one position per row number, {len(index)}. Got {len(positions)}."
            )
        if not isinstance(self.exact, (bool, np.bool_)):
            raise ValueError(
                f"The 'exact' argument of Anchors must be True or False. Got {self.exact!r}."
            )
        object.__setattr__(self, "positions", positions)
        self._keep_rows(naming, index=index)

    @classmethod
    def near(cls, previous: Any) -> Anchors:
        """Keep a map near another map of the same rows, without bending it.

        Parameters
        ----------
        previous : Embedding, fitted estimator, frame or array of shape (n_samples, n_components)
            The other map, NaN where it has no place for a row.  The names of its rows, where it has
            some, are those of the rows of X, in any order.

        Returns
        -------
        Anchors
            Of all rows that have a place, with ``exact=False``.

        Examples
        --------
        >>> import numpy as np
        >>> from sidelight import PCA
        >>> X = np.random.default_rng(0).standard_normal((30, 4))
        >>> before = PCA(2).fit(X)
        >>> after = PCA(2).fit(-X, side=Anchors.near(before))
        >>> bool(np.allclose(after.embedding_, before.embedding_))
        True
        """
        what = "The map given to Anchors.near"
        places, labels = places_of_map(previous, what=what)
        rows = np.flatnonzero(np.isfinite(places).all(axis=1))
        if not len(rows):
            raise ValueError(f"{what} has no row with a place.")
        if labels is None or len(set(labels)) < len(labels):
            return cls(rows, places[rows], exact=False, n_rows=len(places))
        if labels == tuple(range(len(labels))):  # which an X of other labels might not mean
            return cls(rows, places[rows], exact=False)
        names = tuple(labels[row] for row in rows)
        return cls(np.arange(len(rows)), places[rows], exact=False, names=names)

    @property
    def _says_nothing(self) -> bool:
        return len(self.index) == 0

    def _taken(self, rows: IntArray) -> Anchors:
        index = self._places_of(rows, self.index)[self.index]
        here = index >= 0
        positions, size = self.positions[here], len(rows)
        return replace(
            self, index=index[here], positions=positions, n_rows=size, by=None, names=None
        )

    def check(self, n_samples: int, *, who: str, n_components: int | None = None) -> None:
        """Compare the anchors with X and with the map.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.
        n_components : int, optional
            Dimensions of the map.

        Raises
        ------
        ValueError
            If there is none, a row is not in X or is named twice, or a position is not finite or
            has another number of dimensions than the map.
        """
        self._require_size(n_samples, who)
        if len(self.index) == 0:
            raise ValueError(f"The Anchors given to {who} must hold at least one position.")
        require_rows_in_range(self.index, n_samples, what="The Anchors", who=who)
        names, counts = np.unique(self.index, return_counts=True)
        if np.any(counts > 1):
            raise ValueError(
                f"The Anchors given to {who} must place every row once. Got more than one "
                f"position for {name_rows(names[counts > 1])}."
            )
        lost = self.index[~np.isfinite(self.positions).all(axis=1)]
        if len(lost):
            raise ValueError(
                f"The positions of the Anchors given to {who} must be finite. Got others for the "
                f"rows {name_rows(lost)}."
            )
        of_moderate_size(self.positions, who=who, name="Anchors")
        if n_components is not None and self.positions.shape[1] != n_components:
            raise ValueError(
                f"The positions of the Anchors given to {who} must have n_components="
                f"{n_components} columns. Got {self.positions.shape[1]}."
            )

    def __repr__(self) -> str:
        m, d = self.positions.shape
        nearly = ", nearly" * (not self.exact)
        return (
            f"Anchors({counted(m, 'row')} in {counted(d, 'dimension')}{nearly}{self._by_words()})"
        )


def places_of_map(previous: Any, *, what: str) -> tuple[FloatArray, tuple[Any, ...] | None]:
    """The places of another map, and the labels of its rows where it has some.

    Examples
    --------
    >>> import pandas as pd
    >>> places, labels = places_of_map(pd.DataFrame({"x": [1.0]}, index=["anna"]), what="The map")
    >>> places, labels
    (array([[1.]]), ('anna',))
    """
    labels = labels_of_index(previous)
    if hasattr(previous, "points") and hasattr(previous, "model"):  # what embed gives back
        return np.asarray(previous.points, dtype=np.float64), previous.names
    if hasattr(previous, "get_params"):
        if not hasattr(previous, "embedding_"):
            raise ValueError(f"{what} must be fitted. Got {previous!r}, which has no 'embedding_'.")
        return np.asarray(previous.embedding_, dtype=np.float64), None
    try:
        places = np.asarray(previous, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.empty(0)
    if places.ndim != 2:
        raise ValueError(
            f"{what} must be an Embedding, a fitted estimator or an array of places (n_samples, "
            f"n_components). Got {type(previous).__name__}."
        )
    return places, labels
