"""Anchors: these points go here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray, IntArray, of_moderate_size
from sidelight.side.reading import (
    name_rows,
    read_numbers,
    read_row_numbers,
    require_rows_in_range,
)
from sidelight.side.value import SideInformation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Anchors(SideInformation):
    """Positions in the map that are known for some rows.

    They are kept exactly, in coordinates and a unit of the user's: what the data say of the shape
    of the map does not depend on either.  One anchor therefore moves a map, two turn and scale it,
    and more bend it as little as the method can.

    Parameters
    ----------
    index : array-like of int of shape (m,)
        Row numbers of X, each once.
    positions : array-like of float of shape (m, n_components)
        Where they go.
    exact : bool
        If not, the map is only moved, turned, mirrored and scaled to come near them, and not bent.

    Notes
    -----
    Some methods pin rows while they make the map (``side_report_`` says "inside").  All others, and
    all with ``exact=False``, bring the finished map there ("behind"): by the best similarity, and a
    smooth warp that makes it exact; where that would fold the map, anchored rows move alone.  New
    rows go the same way.  What an estimator says of its map besides, ``kernel()``,
    ``eigenvalues_``, ``objective_`` …, is then of the map before it was brought there.

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
        index = read_row_numbers(self.index, what="The 'index' argument of Anchors")
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
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "positions", positions)

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
        return f"Anchors({m} rows in {d} dimensions{', nearly' * (not self.exact)})"
