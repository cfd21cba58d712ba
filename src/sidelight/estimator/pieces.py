"""Maps of graphs in pieces: the largest alone, or all of them side by side."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from sidelight.core.arrays import FloatArray, IntArray, is_sparse
from sidelight.neighbors import distinct_rows, nearest_neighbors
from sidelight.neighbors.graph.given import is_graph, nearest_stored
from sidelight.registry import entry_for
from sidelight.similarity.geodesic import geodesic_distances, geodesic_distances_of_new


class Piecewise:
    """The part of an estimator that embeds the pieces of a graph one by one.

    Every piece has an estimator of its own, and new rows go to that of their nearest row.
    """

    #: What a fit to the pieces of a graph takes over from the largest of them.
    _of_the_largest: ClassVar[tuple[str, ...]] = ()

    pieces_: IntArray
    embedding_: FloatArray
    n_components_: int
    metric: Any
    on_disconnected: str
    _metric: Any
    _name: Any
    _precomputed: Any

    def _fit_pieces(self, X: Any) -> None:
        """Embed the largest piece, or every piece, with an estimator of its own."""
        self._training = X
        last = 0 if self.on_disconnected == "largest" else int(self.pieces_.max())
        self._parts: list[Any] = []
        self._offsets = np.zeros((last + 1, self.n_components_))
        self._rows = [np.flatnonzero(self.pieces_ == piece) for piece in range(last + 1)]
        self.embedding_ = np.zeros((X.shape[0], self.n_components_))
        right_edge = 0.0
        for piece, rows in enumerate(self._rows):
            part = self._part_for(X[rows][:, rows] if self._precomputed else X[rows])
            self._parts.append(part)
            # a piece of one row is fitted as two copies of it
            Z = part.embedding_[: len(rows)]
            if piece > 0:
                gap = 0.15 * float(np.ptp(self.embedding_[self._rows[0], 0]))
                self._offsets[piece, 0] = right_edge + gap - Z[:, 0].min()
            self.embedding_[rows] = Z + self._offsets[piece]
            right_edge = float(self.embedding_[rows, 0].max())
        if self.on_disconnected == "largest":
            others = np.flatnonzero(self.pieces_ != 0)
            self.embedding_[others] = self._place_in_pieces(X[others])
        self.eigenvalues_ = self._parts[0].eigenvalues_
        for name in self._of_the_largest:
            if hasattr(self._parts[0], name):  # a piece of a few points is only scaled
                setattr(self, name, getattr(self._parts[0], name))

    def _part_for(self, X: Any) -> Any:
        given = is_graph(X, self._metric)
        alone = X.shape[0] == 1
        n_distinct = 1
        if not alone:
            n_distinct = len(distinct_rows(X, metric=self._metric, who=self._name).rows)
        if n_distinct <= self.n_components_ + 1:  # too few points for neighbours: their distances
            part = entry_for("ClassicalMDS").load()(self.n_components_, metric=self.metric)
            if alone:
                X = np.zeros((2, 2)) if self._precomputed else sp.vstack([X, X]).toarray()
            elif given:
                X = geodesic_distances(X, who=self._name)
            return part.fit(X)
        part = clone(self).set_params(on_disconnected="error", n_components=self.n_components_)
        if part.n_neighbors != "auto":
            part.n_neighbors = min(int(part.n_neighbors), n_distinct - 1)
        return part.fit(X, side=self._known_within(self._rows[len(self._parts)]))

    def _known_within(self, rows: IntArray) -> Any:
        """What is known beyond the learned metric about the rows of one piece."""
        return None

    def _place_in_pieces(self, X: Any) -> FloatArray:
        """Place each row with the estimator of the piece that its nearest training row is in."""
        places = np.full((X.shape[0], self.n_components_), np.nan)
        home = self._nearest_piece(X)
        for piece, part in enumerate(self._parts):
            rows = np.flatnonzero(home == piece)
            if len(rows):
                block = self._seen_from(piece, X[rows])
                places[rows] = part.transform(block) + self._offsets[piece]
        return places

    def _seen_from(self, piece: int, X: Any) -> Any:
        """New rows, or their distances to the rows of a piece."""
        if not self._precomputed:
            return X
        rows = self._rows[piece]
        block = X[:, rows]
        if len(rows) == 1:
            lengths = block.toarray() if is_sparse(block) else block
            return np.repeat(lengths, 2, axis=1)
        if is_sparse(block) and not isinstance(self._parts[piece], type(self)):  # only scaled
            inside = self._training[rows][:, rows]
            return geodesic_distances_of_new(inside, *nearest_stored(block), who=self._name)
        return block

    def _nearest_piece(self, X: Any) -> IntArray:
        """The piece of each row; −1 where it is joined to none that has an estimator."""
        if is_graph(X, self._metric):
            if self.on_disconnected == "largest":
                return np.where(np.diff(X[:, self._rows[0]].indptr) > 0, 0, -1)
            return np.asarray(self.pieces_[nearest_stored(X, 1)[0][:, 0]])
        if self.on_disconnected == "largest":
            return np.zeros(X.shape[0], dtype=np.intp)
        if self._precomputed:
            nearest = np.argmin(X, axis=1)
        else:
            near = nearest_neighbors(self._training, 1, queries=X, metric=self._metric)
            nearest = near.indices[:, 0]
        return np.asarray(self.pieces_[nearest])

    def _kernel_of_one_piece(self) -> None:
        if hasattr(self, "_parts"):
            raise ValueError(
                f"{self._name} embedded the pieces of a graph one by one, so there is no one "
                f"kernel of all rows. Use on_disconnected='connect'."
            )
