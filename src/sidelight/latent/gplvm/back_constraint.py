"""A map tied to the data: latent points as a smooth function of the rows, z = g(y).

Latent points that move freely put what is far apart in the data far apart in the map, but need
not keep close what is close.  With z = g(y) smooth, neighbours in the data stay neighbours in the
map, and new rows have their place at once.

References
----------
N. D. Lawrence and J. Quiñonero-Candela (2006), "Local distance preservation in the GP-LVM through
back constraints".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.similarity import GaussianKernel

#: With more rows than this, the functions of g are centred on so many of them.
_MOST_CENTRES = 1000
#: Rate of the bumps, over the data's variance: they are a third as wide as the data.
_RATE = 4.0
#: Ridge of the first weights, relative to the mean diagonal.
_RIDGE = 1e-4


@dataclass(frozen=True)
class BackConstraint:
    """The functions that g is a combination of, g(y) = Wᵀφ(y).

    Parameters
    ----------
    kind : {"linear", "rbf"}
        φ(y) = (y, 1), or Gaussian bumps about training rows and 1.
    centres : ndarray of shape (m, p)
        Where the bumps are; empty for ``"linear"``.
    gamma : float
        Their rate, exp(−γ‖y − c‖²).
    """

    kind: str
    centres: FloatArray
    gamma: float

    @classmethod
    def of(cls, kind: str, Y: FloatArray) -> BackConstraint:
        """Choose centres and the rate for a table of rows."""
        if kind == "linear":
            return cls(kind, np.empty((0, Y.shape[1])), 0.0)
        step = np.linspace(0, len(Y) - 1, min(len(Y), _MOST_CENTRES)).round().astype(np.intp)
        variance = float(np.mean(np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)))
        return cls(kind, Y[np.unique(step)], _RATE / variance)

    def features(self, Y: FloatArray) -> FloatArray:
        """Compute φ of rows."""
        body = Y if self.kind == "linear" else GaussianKernel(self.gamma)(Y, self.centres)
        return np.column_stack([body, np.ones(len(Y))])


def first_weights(features: FloatArray, Z: FloatArray) -> FloatArray:
    """Fit the weights to a map that is to be begun with, by ridge regression."""
    gram = features.T @ features
    gram.flat[:: len(gram) + 1] += _RIDGE * float(np.mean(np.diagonal(gram)))
    return np.asarray(np.linalg.solve(gram, features.T @ Z))
