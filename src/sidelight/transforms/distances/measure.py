"""A distance that forgives a transformation, as a value: of all pairs, or of listed ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, Threads, count_threads, one_blas_thread, row_blocks
from sidelight.transforms.distances.formulas import (
    mean_one_step_error,
    squared_sine,
    tangent_distance,
)
from sidelight.transforms.distances.frames import (
    Frames,
    Products,
    frames_of,
    products_of_block,
    products_of_lists,
    tiles,
)
from sidelight.transforms.transformation import Shape

#: The share of a tangent's own length that is added to its Gram matrix in the tangent distance.
#: Between 1e-6 and 1e-2 the error of affine_digits (draws 100 to 103) differs by less than 0.01.
RIDGE = 1e-6
#: What is forgiven wholly is told apart by this share of the Euclidean distance, so that nearer
#: items come first and only equal ones are at distance zero.
REST = 1e-6
#: Squared distances below this share of the squared lengths are those of equal rows, rounded.
ROUNDING = 1e-13

#: An item lies in the span of its tangents where less than this share of its square is left.
_IN_SPAN = 1e-5

_FORMULAS: dict[str, Callable[[Products], FloatArray]] = {
    "tangent": tangent_distance,
    "correction": squared_sine,
    "reconstruction": mean_one_step_error,
}
KINDS = tuple(_FORMULAS)


@dataclass(frozen=True)
class InvariantDistance:
    """How far two items are apart, but for a transformation.

    Parameters
    ----------
    transformation : transformation
        What is forgiven.
    image_shape : tuple of int, optional
        Of the images that rows hold.
    kind : {"tangent", "correction", "reconstruction"}
        Between the tangent planes (Simard), sin² of the smallest angle between them (§2.5), or the
        error of the best step from one to the other (§2.6), the mean of both ways.
    """

    transformation: Any
    image_shape: Shape = None
    kind: str = "tangent"

    @property
    def forgiven(self) -> str:
        """The transformations, by name."""
        members = getattr(self.transformation, "members", (self.transformation,))
        return " and ".join(type(member).__name__ for member in members)

    def frames(self, X: Any, *, who: str = "The distance", new: bool = False) -> Frames:
        """Find the tangent spaces of rows; refused where that has no meaning.

        Parameters
        ----------
        X : array of shape (n, n_features)
            The items.
        who : str
            Who asks, for messages.
        new : bool
            Whether they are new rows, which may be any: what is refused are transformations that do
            not fit the others.

        Returns
        -------
        Frames
            The rows, with what the distance asks of each.
        """
        ridge = RIDGE if self.kind == "tangent" else 0.0
        found = frames_of(X, self.transformation, self.image_shape, ridge=ridge, who=who)
        still = ~found.basis.any(axis=(1, 2))
        if not new and still.all():
            raise ValueError(
                f"{who} finds that the transformation changes no row of X: the images are "
                f"constant, or it is no transformation of them."
            )
        if self.kind == "correction" and still.any():
            row = int(np.flatnonzero(still)[0])
            raise ValueError(
                f"{who} finds no tangents at row {row}: the image is constant, so that there is no "
                f"angle. Leave it out, or take distance='tangent'."
            )
        if not new and self.kind != "reconstruction":
            self._refuse_planes_that_fill(found, still, who=who)
        if not new and self.kind == "tangent" and _reach_nothing(found):
            raise ValueError(
                f"{who} cannot take the tangent distance of what {self.forgiven} forgives: it can "
                f"make nothing of every item, so that all tangent planes meet there and no two "
                f"items differ. Take distance='reconstruction' or 'correction'."
            )
        return found

    def _refuse_planes_that_fill(self, found: Frames, still: Any, *, who: str) -> None:
        """Two planes of q directions each reach all of p features, or share a line, if 2q ≥ p + 1.

        With 2q = p any two planes meet in a point, and still make an angle.
        """
        p, q = found.rows.shape[1], int(np.median(found.n_directions()[~still]))
        if 2 * q >= p + (self.kind == "correction"):
            raise ValueError(
                f"{who} cannot forgive {q} tangents of either item in rows of {p} features: "
                f"together they reach everything, and nothing differs. Give fewer transformations, "
                f"or take distance='reconstruction', which moves one of the items only."
            )

    def table(self, left: Frames, right: Frames | None = None) -> FloatArray:
        """All distances.

        Parameters
        ----------
        left : Frames
            The items.
        right : Frames, optional
            Others; by default the same.

        Returns
        -------
        ndarray of shape (n, m)
            Exactly symmetric where there is one set of items.
        """
        other = left if right is None else right
        D = np.zeros((len(left), len(other)))

        def fill(rows: slice, columns: slice) -> None:
            angles = self.kind != "reconstruction"
            D[rows, columns] = self._of(
                products_of_block(left, rows, other, columns, across=angles)
            )

        whole = [t for t in tiles(left, other) if right is not None or t[1].stop > t[0].start]
        with Threads(count_threads(None, who="InvariantDistance")) as pool, one_blas_thread():
            pool.run([(fill, tile) for tile in whole])
        if right is None:
            upper = np.triu(D, 1)
            D = upper + upper.T
        return D

    def among(self, left: Frames, right: Frames, lists: IntArray) -> FloatArray:
        """The distances of every item on the left to those on the right that its list names.

        Parameters
        ----------
        left : Frames
            The items.
        right : Frames
            Those that are named.
        lists : ndarray of shape (n, k)
            Rows of the right, for each item on the left.

        Returns
        -------
        ndarray of shape (n, k)
            As listed.
        """
        D = np.empty(lists.shape)

        def fill(rows: slice) -> None:
            D[rows] = self._of(products_of_lists(left, rows, right, lists[rows]))

        step = max(1, int(3e7 // (8.0 * lists.shape[1] * right.basis[0].size)))
        blocks = [slice(at, min(at + step, len(D))) for at in range(0, len(D), step)]
        with Threads(count_threads(None, who="InvariantDistance")) as pool, one_blas_thread():
            pool.run([(fill, (block,)) for block in blocks])
        return D

    def of_pairs(self, frames: Frames, left: IntArray, right: IntArray) -> FloatArray:
        """The distances of listed pairs of items.

        Parameters
        ----------
        frames : Frames
            The items.
        left, right : ndarray of shape (n_pairs,)
            Which two.

        Returns
        -------
        ndarray of shape (n_pairs,)
            One for each pair.
        """
        found = np.empty(len(left))
        for block in row_blocks(len(left), 16.0 * frames.basis[0].size):
            some = frames.take(left[block])
            found[block] = self.among(some, frames, right[block, None])[:, 0]
        return found

    def _of(self, pair: Products) -> FloatArray:
        distance = _FORMULAS[self.kind](pair)
        floor = REST**2 if self.kind == "correction" else REST * np.sqrt(pair.squared)
        same = pair.squared <= ROUNDING * pair.lengths
        return np.where(same, 0.0, np.maximum(distance, floor))


def _reach_nothing(frames: Frames) -> bool:
    """Whether items lie in the span of their own tangents, as those of bilinear transformations."""
    lengths = np.einsum("np,np->n", frames.rows, frames.rows)
    there = lengths > 0
    shares = np.einsum("nq,nq->n", frames.onto, frames.onto)[there] / lengths[there]
    return bool(len(shares)) and float(np.median(shares)) > 1.0 - _IN_SPAN
