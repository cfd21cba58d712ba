"""What a method returns: the map, and everything that goes on from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, blas_threads_that_pay, require_memory
from sidelight.estimator.placing import OfRows
from sidelight.estimator.points import Points
from sidelight.mapping import KernelSmoother
from sidelight.neighbors import DistinctRows
from sidelight.similarity import pseudo_inverse


@dataclass(frozen=True)
class Map:
    """A map, how new points are placed in it, and the ways on.

    Everything in it is a frozen value, so that a model file is a map written down.

    Parameters
    ----------
    points : ndarray of shape (n, d), optional
        The places; a map that was made of blocks of rows does not keep them.
    place : callable, optional
        From new points to their places.
    facts : dict
        What else was found, by the names it has on the estimator: ``eigenvalues_`` …
    kernel : callable, optional
        Gives the kernel that the map is kernel PCA of: of all rows, centred.
    back : callable, optional
        From places back to data.

    Attributes
    ----------
    derived : dict
        What was worked out of the map when it was asked for, and is not to be worked out again.  A
        changed map begins without, and model files hold none of it.
    """

    points: Any
    place: Callable[[Any], FloatArray] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    kernel: Callable[[], FloatArray] | None = None
    back: Callable[[FloatArray], FloatArray] | None = None
    derived: dict[str, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False, metadata={"saved": False}
    )

    def with_facts(self, **facts: Any) -> Map:
        """The same map with further facts."""
        return replace(self, facts={**self.facts, **facts})


@dataclass(frozen=True)
class KernelOfRows:
    """The kernel of points written out for all rows, copies included.

    Parameters
    ----------
    of_points : callable
        Gives the kernel of the distinct points.
    inverse : ndarray of shape (n_samples,)
        The point that each row is.
    who : str
        The estimator, for messages.
    """

    of_points: Callable[[], FloatArray]
    inverse: IntArray
    who: str

    def written_out(self) -> FloatArray:
        """Compute it for all rows, as it is for the points."""
        n = len(self.inverse)
        require_memory(
            24.0 * n * n, what=f"the {n} × {n} kernel", who=self.who, instead="Use fewer rows."
        )
        K = self.of_points()
        return K if len(K) == n else np.asarray(K[np.ix_(self.inverse, self.inverse)])

    def __call__(self) -> FloatArray:
        """Compute it, centred: its rows sum to zero."""
        K = self.written_out()
        means = K.mean(axis=0)
        return np.asarray(K - means - means[:, None] + means.mean())


@dataclass(frozen=True)
class StiffnessKernel:
    """The kernel of a stiffness matrix (eqs. 1.6, 1.7): Σ_p y_p y_pᵀ/λ_p over all its modes.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        M^{−½} L M^{−½}, whose eigenvectors are M^½ y; its null vector is M^½ 1.
    root : ndarray of shape (n,)
        M^½, what the points count for.
    squared : bool
        Whether the stiffness is AᵀA, which is not formed before it is asked for.
    """

    A: Any
    root: FloatArray
    squared: bool = False

    def __call__(self) -> FloatArray:
        """Compute M^{−½} A⁺ M^{−½}."""
        A = (self.A.T @ self.A if self.squared else self.A).toarray()
        return pseudo_inverse(A, self.root) / np.outer(self.root, self.root)


@dataclass(frozen=True)
class SmoothBack:
    """The way back that any map has: a kernel smoother over the items behind it.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        The places; those that are not finite have no item.
    items : array or sparse array of shape (n, p)
        What lies there.
    """

    points: FloatArray
    items: Any

    @cached_property
    def smoother(self) -> KernelSmoother:
        """Fitted when it is first asked for."""
        placed = np.isfinite(self.points).all(axis=1)  # not all rows need have a place
        with blas_threads_that_pay(self.items):  # as in the fit, if it asks first
            if placed.all():
                return KernelSmoother.fit(self.points, self.items)
            return KernelSmoother.fit(self.points[placed], self.items[placed])

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What would lie at places of the map."""
        return self.smoother(Z)


def of_all_rows(found: Map, points: Points, distinct: DistinctRows) -> Map:
    """The map of distinct points as the map of all rows."""
    kernel = found.kernel
    return replace(
        found,
        points=found.points[distinct.inverse],
        place=None if found.place is None else OfRows(points, distinct, found.place),
        kernel=None if kernel is None else KernelOfRows(kernel, distinct.inverse, points.who),
    )
