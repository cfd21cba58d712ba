"""What a relation asks of points, in the terms of one method or another (thesis section 4.1).

Several relations share one latent space whatever the method is that maps each: all that is asked
of it is a mismatch E_c(Y) of points Y with its gradient, and how new items are placed.  Three are
here: stochastic neighbour embedding, kernel information embedding and classical scaling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.descending import ADJACENT
from sidelight.latent.information import AllPairs
from sidelight.latent.neighbors import NeighborChoices, NeighborMismatch
from sidelight.latent.relational.placing import ByMixture, BySimilarity, ByStrain
from sidelight.similarity import centre_kernel, gaussian_similarity, normalise_rows

#: ρ, where no other is given.
PENALTY = 1e-3
#: ρ of several relations by their information.  Set on draws 100 to 107 of a cloud of which 30 of
#: 90 rows are told of: at 0.001 to 0.1 points fly apart, and no relation has its own dimension.
_PENALTY_OF_INFORMATION = 0.5


class Mismatch(Protocol):
    """How far points are from what a relation says of them."""

    @property
    def choices(self) -> FloatArray:
        """What the relation says, row by row."""

    def __call__(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """Compute the mismatch and its gradient."""


class InformationMismatch:
    """What points do not tell of a relation: −Î = −log n − (1/n) Σ_a log (P_a / (Q_a S_a)).

    P_a = Σ_b k(y_a, y_b) S_ab, Q_a = Σ_b k(y_a, y_b) and S_a = Σ_b S_ab with k Gaussian and S the
    similarities, of which an item has one to itself (latent-factor thesis, eq. 3.14).  Where their
    diagonal is zero sums are over b ≠ a.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        Similarities, symmetric.
    """

    def __init__(self, S: FloatArray) -> None:
        n, own = len(S), np.sqrt(np.diagonal(S))
        self.choices = S
        self._alone = not own.any()
        if not self._alone:
            S = S / np.maximum(np.outer(own, own), 1e-300)
        self._pairs = AllPairs(np.empty(0, np.float32), n)
        self._similar = np.ascontiguousarray(S[np.triu_indices(n, 1)], dtype=np.float32)
        sums = np.maximum(S.sum(axis=1), 1e-300)
        self._known = float(np.log(n) - np.log(sums).mean())

    def __call__(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """Compute minus the information, and its gradient.

        Examples
        --------
        Two items that are alike only to themselves are told apart by points that are far apart.

        >>> import numpy as np
        >>> value, _ = InformationMismatch(np.eye(2))(np.array([[0.0], [9.0]]))
        >>> round(float(value + np.log(2)), 4)
        0.0
        """
        told, gradient = self._pairs.information(Y, self._similar, leave_one_out=self._alone)
        return -self._known - told / len(Y), -gradient / len(Y)


class Strain:
    """How far inner products of points are from a kernel: ‖K − JYYᵀJ‖²_F / ‖K‖²_F, K centred.

    K is in its own unit, in which its entries have the mean square one.  The minimum for one
    relation is classical scaling.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Inner products.
    """

    def __init__(self, K: FloatArray) -> None:
        self.choices = K
        self.unit = kernel_unit(K)
        self._kernel = centre_kernel(K) / self.unit
        self._size = max(float(np.sum(self._kernel**2)), 1e-300)

    def __call__(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """Compute the strain and its gradient.

        Examples
        --------
        >>> import numpy as np
        >>> Y = np.array([[-1.0], [1.0]])
        >>> Strain(Y @ Y.T)(Y)[0]
        0.0
        """
        Y = Y - Y.mean(axis=0)
        KY, G = self._kernel @ Y, Y.T @ Y
        value = self._size - 2 * float(np.sum(Y * KY)) + float(np.sum(G * G))
        return max(value, 0.0) / self._size, 4 * (Y @ G - KY) / self._size


def kernel_unit(K: FloatArray) -> float:
    """The root mean square of the entries of a centred kernel."""
    return float(np.sqrt(np.mean(centre_kernel(K) ** 2))) or 1.0


@dataclass(frozen=True)
class Base:
    """A method that maps one relation, for maps of several.

    Parameters
    ----------
    of_relation : callable
        The mismatch of similarities.
    of_data : callable
        That of the distances of X, by the rule that makes choices of them.
    placing : callable
        How new rows are placed, from the rule, the distances, the places and R of the data.
    unit : callable
        The length in which distances of X are those of the map.
    penalty : float
        ρ where there are several relations.
    always_penalised : bool
        Whether one relation alone has a penalty as well, which keeps its map from flying apart.
    adjacent : float
        How much a Sequence counts beside X alone.
    idle : tuple of str
        Parameters that do nothing.
    """

    of_relation: Callable[[FloatArray], Mismatch]
    of_data: Callable[[FloatArray, NeighborChoices], Mismatch]
    placing: Callable[[NeighborChoices, FloatArray, FloatArray, FloatArray], Any]
    unit: Callable[[FloatArray, NeighborChoices], float]
    adjacent: float
    penalty: float = PENALTY
    always_penalised: bool = False
    idle: tuple[str, ...] = ()


def _inner_products(D: FloatArray) -> FloatArray:
    return np.asarray(-0.5 * D**2)


def _by_strain(choices: NeighborChoices, D: FloatArray, Z: FloatArray, R: FloatArray) -> ByStrain:
    squares = D**2
    unit = kernel_unit(_inner_products(D))
    return ByStrain(BySimilarity(choices, Z, R), squares.mean(axis=0), unit)


def _length(D: FloatArray, choices: NeighborChoices) -> float:
    return float(np.sqrt(choices.unit))


def _alike(D: FloatArray, choices: NeighborChoices) -> FloatArray:
    return gaussian_similarity(D**2, choices.unit)


BASES: dict[str, Base] = {
    "neighbors": Base(
        lambda S: NeighborMismatch(normalise_rows(S)),
        lambda D, choices: NeighborMismatch(choices.among(D)),
        lambda choices, D, Z, R: BySimilarity(choices, Z, R),
        _length,
        ADJACENT.choices,
    ),
    "information": Base(
        InformationMismatch,
        lambda D, choices: InformationMismatch(_alike(D, choices)),
        lambda choices, D, Z, R: ByMixture(choices, Z),
        _length,
        ADJACENT.information,
        penalty=_PENALTY_OF_INFORMATION,
        always_penalised=True,
        idle=("perplexity",),
    ),
    "spectral": Base(
        Strain,
        lambda D, choices: Strain(_inner_products(D)),
        _by_strain,
        lambda D, choices: float(np.sqrt(kernel_unit(_inner_products(D)))),
        ADJACENT.strain,
        idle=("bandwidth", "perplexity"),
    ),
}
