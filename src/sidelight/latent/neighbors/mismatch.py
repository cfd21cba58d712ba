"""The mismatch of stochastic neighbour embedding: who picks whom, in the data and in the map.

E(Y) = (1/n) Σ_ij P_ij log(P_ij / Q_ij),  Q_ij = exp(−‖y_i − y_j‖²) / Σ_k exp(−‖y_i − y_k‖²)
(latent-factor thesis eq. 4.2 and 4.4), with the gradient
(2/n) Σ_j (P_ij + P_ji − Q_ij − Q_ji)(y_i − y_j) (eq. 4.5, corrected).

References
----------
G. Hinton and S. Roweis (2003), "Stochastic neighbor embedding".
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, over_bands

#: Sums of similarities are at least this: beyond, points are too far apart for exp to tell.
_TINY = 1e-300


class NeighborMismatch:
    """The mismatch between given choices P and those of points, as a function of the points.

    Where the diagonal of P is zero no item picks itself, in the map neither (Hinton and Roweis);
    else an item may, as in the thesis.

    Parameters
    ----------
    P : ndarray of shape (n, n)
        P_ij is the probability that item i picks item j: rows sum to one, or to zero for an item
        that picks nobody.
    """

    def __init__(self, P: FloatArray) -> None:
        self.choices = P + P.T
        self.mass = P.sum(axis=1)
        self.entropy = float(np.sum(P * np.log(np.where(P > 0, P, 1.0))))
        self.picks_itself = bool(np.any(np.diagonal(P) > 0))
        self._similarities = np.empty(P.shape)

    def __call__(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """Compute the mismatch and its gradient.

        Examples
        --------
        Two items that pick each other and themselves equally often want to be in one place.

        >>> import numpy as np
        >>> mismatch = NeighborMismatch(np.full((2, 2), 0.5))
        >>> value, gradient = mismatch(np.array([[0.0], [1.0]]))
        >>> round(value, 4), gradient.ravel().round(4)
        (0.1201, array([-0.4621,  0.4621]))
        """
        from sidelight.latent.descending._pairs_compiled import negative_squares, neighbor_forces

        n, d = Y.shape
        Yt = np.ascontiguousarray(Y.T, dtype=np.float64)
        E, sums = self._similarities, np.empty(n)

        def similarities(first: int, last: int) -> None:
            negative_squares(Yt, first, last, E)
            band = E[first:last]
            np.exp(band, out=band)
            if not self.picks_itself:
                band[np.arange(last - first), np.arange(first, last)] = 0.0
            band.sum(axis=1, out=sums[first:last])

        over_bands(similarities, n)
        sums = np.maximum(sums, _TINY)
        w = self.mass / sums
        forces, pulls = np.empty((d, n)), np.empty(n)

        def accumulate(first: int, last: int) -> None:
            neighbor_forces(Yt, first, last, E, w, self.choices, forces, pulls)

        over_bands(accumulate, n)
        value = self.entropy + 0.5 * pulls.sum() + self.mass @ np.log(sums)
        return float(value) / n, (2.0 / n) * forces.T
