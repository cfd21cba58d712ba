"""Rows with their tangent spaces, and what any distance between two of them is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, require_memory, row_blocks
from sidelight.transforms.own import seen_by, transformation_of
from sidelight.transforms.pictures import read_rows
from sidelight.transforms.transformation import Shape

#: Directions whose share of the largest eigenvalue is below this are rounding.
_RANK = 1e-10
#: Bytes of the largest products of a tile of pairs.
_BUDGET = 8e6


@dataclass(frozen=True)
class Products:
    """What two rows and their frames make, d = x_j − x_i, over any axes of pairs.

    Parameters
    ----------
    squared : ndarray of shape (…)
        ‖d‖².
    lengths : ndarray of shape (…)
        ‖x_i‖² + ‖x_j‖², which rounding is measured by.
    left, right : ndarray of shape (…, q)
        U_i d and U_j d.
    across : ndarray of shape (…, q, q), optional
        U_i U_jᵀ, where it is asked for.
    """

    squared: FloatArray
    lengths: FloatArray
    left: FloatArray
    right: FloatArray
    across: FloatArray | None


@dataclass(frozen=True)
class Frames:
    """Rows, and a frame U_i of the tangent space of each.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The rows as they are compared, in double precision.
    basis : ndarray of shape (n, q, p)
        U_i: the tangents divided by the root of their Gram matrix (with the ridge), so that
        ‖d − Uᵀα‖² + … is smallest at α = U d.
    """

    rows: FloatArray
    basis: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def onto(self) -> FloatArray:
        """U_i x_i, (n, q)."""
        return _by_each(self.basis, self.rows)

    def n_directions(self) -> IntArray:
        """How many directions the tangents of each item span, (n,)."""
        return np.asarray(self.basis.any(axis=2).sum(axis=1))

    def take(self, rows: Any) -> Frames:
        """Some of them."""
        return Frames(self.rows[rows], self.basis[rows])


def frames_of(
    X: Any,
    transformation: Any,
    image_shape: Shape = None,
    *,
    ridge: float = 0.0,
    who: str = "The distance",
) -> Frames:
    """The rows and their tangent spaces; λ = ``ridge`` × (each tangent's own length)².

    With tangents T of unit length, U = (T Tᵀ + λI)^(−½) T.
    """
    change = transformation_of(transformation)
    rows = seen_by(change, read_rows(X, who=who).astype(np.float64), image_shape)
    n, p = rows.shape
    q = change.tangents(rows[:1], image_shape).shape[1]
    if q >= p:
        raise ValueError(
            f"{who} cannot forgive {q} tangents in rows of {p} features: together they reach "
            f"everything, and nothing differs. Give fewer transformations."
        )
    require_memory(
        8.0 * n * (q + 1) * p,
        what=f"{q} tangents of each of {n} rows",
        who=who,
        instead="Forgive fewer transformations, or take smaller images.",
    )
    basis = np.empty((n, q, p))
    for block in row_blocks(n, 24.0 * q * p):
        tangents = change.tangents(rows[block], image_shape)
        lost = ~np.isfinite(tangents).all(axis=(1, 2))
        if lost.any():
            raise ValueError(
                f"{who} finds that the transformation makes something of row "
                f"{block.start + int(lost.argmax())} of X that is no finite number. Mend it, or "
                f"leave such rows out."
            )
        basis[block] = _framed(tangents, ridge)
    return Frames(rows, basis)


def _framed(tangents: FloatArray, ridge: float) -> FloatArray:
    lengths = np.linalg.norm(tangents, axis=2, keepdims=True)
    unit = np.divide(tangents, lengths, out=np.zeros(tangents.shape), where=lengths > 0)
    values, vectors = np.linalg.eigh(unit @ np.swapaxes(unit, 1, 2))
    kept = values > _RANK * np.maximum(values[:, -1:], 1.0)
    scale = np.where(kept, 1.0 / np.sqrt(np.where(kept, values, 1.0) + ridge), 0.0)
    return np.asarray((vectors * scale[:, None, :]).swapaxes(1, 2) @ unit)


def tiles(left: Frames, right: Frames) -> list[tuple[slice, slice]]:
    """The table of all pairs cut into tiles, in the same way for any number of threads."""
    q = left.basis.shape[1]
    step = max(8.0, np.sqrt(_BUDGET / (8.0 * max(q * q, 4))))
    columns = row_blocks(len(right), 1.0, budget=step)
    return [(r, c) for r in row_blocks(len(left), 1.0, budget=step) for c in columns]


def products_of_block(
    left: Frames, rows: slice, right: Frames, columns: slice, *, across: bool = True
) -> Products:
    """Products of a tile of the table, (rows, columns, …), as matrix products."""
    middle = right.rows[columns].mean(axis=0)  # large numbers would drown what differs
    x, y = left.rows[rows] - middle, right.rows[columns] - middle
    U, V = left.basis[rows], right.basis[columns]
    (n, q, p), m = U.shape, len(y)
    flat, other = U.reshape(-1, p), V.reshape(-1, p)
    lengths = _squared_lengths(x)[:, None] + _squared_lengths(y)
    own, its = _by_each(U, x), _by_each(V, y)
    return Products(
        np.maximum(lengths - 2 * (x @ y.T), 0.0),
        lengths,
        (flat @ y.T).reshape(n, q, m).swapaxes(1, 2) - own[:, None],
        its - (x @ other.T).reshape(n, m, q),
        (flat @ other.T).reshape(n, q, m, q).transpose(0, 2, 1, 3) if across else None,
    )


def products_of_lists(left: Frames, rows: slice, right: Frames, lists: IntArray) -> Products:
    """Products of some rows on the left with those on the right that lists name, (n, k, …)."""
    x, U = left.rows[rows], left.basis[rows]
    y, V = right.rows[lists], right.basis[lists]
    (n, q, p), k = U.shape, lists.shape[1]
    d = y - x[:, None]
    # both by one product of matrices: U_j U_iᵀ, and U_j x_i
    both = V.reshape(n, k * q, p) @ np.concatenate([U, x[:, None]], axis=1).swapaxes(1, 2)
    both = both.reshape(n, k, q, q + 1)
    return Products(
        np.einsum("nkp,nkp->nk", d, d),
        _squared_lengths(x)[:, None] + np.einsum("nkp,nkp->nk", y, y),
        d @ U.swapaxes(1, 2),
        right.onto[lists] - both[..., q],
        both[..., :q].swapaxes(2, 3),
    )


def _squared_lengths(x: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", x, x))


def _by_each(basis: FloatArray, x: FloatArray) -> FloatArray:
    return np.asarray(np.matmul(basis, x[:, :, None])[..., 0])
