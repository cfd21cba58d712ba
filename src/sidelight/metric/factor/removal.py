"""What is taken out of rows of features: shifts in leading axes, and one shift beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from sidelight.core import BoolArray, FloatArray, IntArray, evenly_spaced, row_blocks, shares
from sidelight.metric.factor.basis import Basis
from sidelight.metric.factor.decisions import (
    agreement_of_neighbors,
    quantisation,
    separation_of,
    tells_as_well,
)
from sidelight.metric.factor.settings import RemovalSettings
from sidelight.metric.factor.shifts import Shifts, fit_shifts, regress_within_kinds, starts_of
from sidelight.solvers import first_least
from sidelight.solvers.eigen import column_signs, largest_eigenpairs


@dataclass(frozen=True)
class Removal:
    """What a factor does to rows.

    Parameters
    ----------
    bases : tuple of Basis
        φ of each condition.
    mean : ndarray of shape (p,)
        Of the rows.
    axes : ndarray of shape (d, p)
        Leading principal axes, orthonormal rows.
    shifts : Shifts
        In these axes.
    beyond : ndarray of shape (f, p)
        The common shift outside of them.
    """

    bases: tuple[Basis, ...]
    mean: FloatArray
    axes: FloatArray
    shifts: Shifts
    beyond: FloatArray

    def shift(self, X: FloatArray, phi: FloatArray) -> FloatArray:
        """What the factor does to each row."""
        Y = (X - self.mean) @ self.axes.T
        return np.asarray(self.shifts.of(Y, phi) @ self.axes + phi @ self.beyond)

    def without(self, X: FloatArray, phi: FloatArray) -> FloatArray:
        """Rows without what the factor does to them, block by block."""
        out = np.empty(X.shape, dtype=np.result_type(X, self.mean))
        for rows in self.blocks(len(X)):
            out[rows] = X[rows] - self.shift(X[rows], phi[rows])
        return out

    def shifted(self, X: FloatArray, phi: FloatArray) -> FloatArray:
        """Rows without the factor as they would be with it, block by block."""
        out = np.empty(X.shape, dtype=np.result_type(X, self.mean))
        for rows in self.blocks(len(X)):
            Y = (X[rows] - self.mean) @ self.axes.T
            back = (self.shifts.before(Y, phi[rows]) - Y) @ self.axes
            out[rows] = X[rows] + back + phi[rows] @ self.beyond
        return out

    def strength(self, X: FloatArray, phi: FloatArray) -> float:
        """How far rows are shifted, as a part of how far they are spread; root mean squares."""
        middle, moved, spread = X.mean(axis=0), 0.0, 0.0
        for rows in self.blocks(len(X)):
            moved += float(np.sum(self.shift(X[rows], phi[rows]) ** 2))
            spread += float(np.sum((X[rows] - middle) ** 2))
        return float(np.sqrt(moved / X.size)) / max(float(np.sqrt(spread / X.size)), 1e-300)

    def blocks(self, n: int) -> list[slice]:
        """Rows of which all that is needed on the way stays small."""
        width = max(len(self.shifts.prototypes), self.mean.size, len(self.axes))
        return even_blocks(n, 32.0 * width)

    def separation(
        self,
        X: FloatArray,
        groups: Sequence[IntArray],
        settings: RemovalSettings,
        *,
        without: FloatArray | None = None,
    ) -> float:
        """How far rows of different values of any factor lie apart; after its shift, given φ."""
        rows = evenly_spaced(len(X), settings.gate_rows)
        some = X[rows] if without is None else self.without(X[rows], without[rows])
        Y = (some - self.mean) @ self.axes.T
        return max(separation_of(Y, group[rows]) for group in groups)


@dataclass(frozen=True)
class FittedRows:
    """Rows that speak for all, and where they lie in the leading axes.

    Parameters
    ----------
    rows : ndarray of int of shape (m,)
        Which.
    Y : ndarray of shape (m, d)
        Their coordinates.
    """

    rows: IntArray
    Y: FloatArray

    @classmethod
    def of(cls, X: FloatArray, settings: RemovalSettings) -> FittedRows:
        """Draw them evenly."""
        rows = evenly_spaced(len(X), settings.rows)
        return cls(rows, in_axes_of_all(X, rows, *leading_axes(X[rows], settings.axes)))

    @classmethod
    def placed(cls, rows: IntArray, X: FloatArray, removal: Removal) -> FittedRows:
        """Some rows, where they lie in the axes of what is taken out of them."""
        return cls(rows, in_axes(X, removal.mean, removal.axes))

    def see(self, phi: FloatArray, settings: RemovalSettings) -> float:
        """By how many standard deviations neighbours agree in a factor more than by chance."""
        return agreement_of_neighbors(self.Y, phi[self.rows], settings)


def choose_ridge(
    some: FittedRows,
    phi: FloatArray,
    groups: Sequence[IntArray],
    settings: RemovalSettings,
) -> float:
    """Ask rows left out how far shifts may depend on the kind: the λ that tells them as well."""
    Y, phi = some.Y, phi[some.rows]
    order = np.random.default_rng(0).permutation(len(Y))
    fitted, held = np.sort(order[: len(Y) // 2]), np.sort(order[len(Y) // 2 :])
    start = best_start(Y[fitted], phi[fitted], settings)
    chosen = settings.ridges[0]
    stiff = fit_shifts(Y[fitted], phi[fitted], start, chosen, settings)
    for softer in settings.ridges[1:]:
        bent = fit_shifts(Y[fitted], phi[fitted], start, softer, settings)
        kept = [group[some.rows][held] for group in groups]
        if not tells_as_well(stiff, bent, Y[held], phi[held], kept, settings):
            break
        stiff, chosen = bent, softer
    return chosen


def learn_removal(
    X: FloatArray,
    phi: FloatArray,
    taken: BoolArray,
    bases: tuple[Basis, ...],
    ridge: float,
    settings: RemovalSettings,
) -> Removal:
    """Fit shifts by some columns of φ to rows; the other columns shift nothing."""
    rows = evenly_spaced(len(X), settings.rows)
    mean, axes = leading_axes(X[rows], settings.axes)
    X, phi = X[rows], phi[rows][:, taken]
    Y = in_axes(X, mean, axes)
    shifts = fit_shifts(Y, phi, best_start(Y, phi, settings), ridge, settings)
    kinds = shifts.memberships(Y, phi)
    rest = (X - mean) - Y @ axes
    beyond = np.zeros((len(taken), X.shape[1]))
    beyond[taken] = regress_within_kinds(phi, rest, kinds, np.ones(phi.shape[1]))
    return Removal(bases, mean, axes, shifts.among(taken), beyond)


def best_start(Y: FloatArray, phi: FloatArray, settings: RemovalSettings) -> Shifts:
    """Of the starts the one from which one shift for all leaves the least to the kinds.

    Kinds that are each seen at one value alone say nothing of a shift, so that starts whose kinds
    overlap less than half as much as others' do not count.
    """
    starts = starts_of(Y, phi, settings)
    stiff = [fit_shifts(Y, phi, start, np.inf, settings) for start in starts]
    errors = np.round([float(quantisation(one, Y, phi).mean()) for one in stiff], 6)
    overlaps = np.round([one.overlap(Y, phi) for one in stiff], 6)
    return starts[int(first_least(np.where(overlaps >= overlaps.max() / 2, errors, np.inf)))]


def in_axes(X: FloatArray, mean: FloatArray, axes: FloatArray) -> FloatArray:
    """Coordinates of rows, rounded to a part of 2³⁰ of the largest."""
    Y = (X - mean) @ axes.T
    return _rounded(Y, float(np.abs(Y).max(initial=0.0)))


def in_axes_of_all(X: FloatArray, rows: IntArray, mean: FloatArray, axes: FloatArray) -> FloatArray:
    """Those of some rows, rounded to a part of the largest of all."""
    Y, largest = np.empty((len(rows), len(axes))), 0.0
    for block in even_blocks(len(X), 32.0 * X.shape[1]):
        found = (X[block] - mean) @ axes.T
        largest = max(largest, float(np.abs(found).max(initial=0.0)))
        here = (rows >= block.start) & (rows < block.stop)
        Y[here] = found[rows[here] - block.start]
    return _rounded(Y, largest)


def even_blocks(n: int, bytes_per_row: float) -> list[slice]:
    """Blocks of about one length: products of a few rows are rounded in another way."""
    return shares(n, max(1, len(row_blocks(n, bytes_per_row))))


def _rounded(Y: FloatArray, largest: float) -> FloatArray:
    unit = 2.0**-30 * max(largest, 1e-300)
    return np.asarray(np.round(Y / unit) * unit)


def leading_axes(X: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """The mean and the leading principal axes of rows, orthonormal rows."""
    mean = X.mean(axis=0)
    centred = X - mean
    n, p = X.shape
    wanted = max(min(most, p, n - 1), 1)
    if p <= n:
        vectors = largest_eigenpairs(centred.T @ centred, wanted, n=p, who="FactorRemoval").vectors
    else:
        pairs = largest_eigenpairs(centred @ centred.T, wanted, n=n, who="FactorRemoval")
        vectors = scipy.linalg.qr(centred.T @ pairs.vectors, mode="economic")[0]
    vectors = vectors * column_signs(vectors)
    return mean, np.ascontiguousarray(vectors.T)
