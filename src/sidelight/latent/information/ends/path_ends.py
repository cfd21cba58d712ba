"""Between which bandwidths a path leads, and to which penalty, where the user leaves it open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.density import (
    DataKernel,
    GaussianKernel,
    TableKernel,
    leave_one_out_bandwidth,
    placing_bandwidth,
    regression_bandwidth,
)
from sidelight.latent.information.ends.curve import lies_along_curve
from sidelight.latent.information.path import Onset

#: "auto" is this share of the mean squared distance of items.
_AUTO_SHARE = 8.0
#: A path to less than this share of the scale arrives early; it begins at ``_AUTO_SHARE`` of the
#: scale: from the whole, few points fold, and from the last bandwidth they fall into pieces.
_NARROW = 16.0
_ARRIVAL, _EARLY_ARRIVAL = 0.004, 0.02
_PENALTY = 1e-3
#: A curve is held together by a wide kernel and a large penalty, at most this share of the one
#: below which the last dimension unfolds.
_CURVE_PENALTY, _UNFOLDED = 0.1, 0.5


@dataclass(frozen=True)
class PathEnds:
    """Where paths of the bandwidth begin and end.

    Parameters
    ----------
    widest : tuple of float
        Bandwidths to begin with: one path each.
    final : float
        The last bandwidth.
    arrival : float
        The share of the penalty at which it is reached.
    along_curve : bool
        Whether "auto" found a curve, which too narrow a kernel would tear.
    asks_rows : bool
        Whether rows left out say which kernel places new ones.
    """

    widest: tuple[float, ...]
    final: float
    arrival: float
    along_curve: bool
    asks_rows: bool

    def placing(self, Y: FloatArray, Z: FloatArray, kernel: DataKernel, h: float) -> float:
        """Choose the bandwidth that places rows in a map of bandwidth h, which may be too wide."""
        if self.along_curve:
            return regression_bandwidth(Y, Z, kernel, self.final)
        return placing_bandwidth(Y, Z, kernel, h) if self.asks_rows else h

    def final_penalty(self, alpha: float | str, onset: Onset) -> float:
        """Resolve "auto"."""
        if not isinstance(alpha, str):
            return float(alpha)
        if not self.along_curve:
            return _PENALTY
        unfolded = float(np.float32(_UNFOLDED * onset.penalties[-1]))  # no processor's last bits
        return max(min(_CURVE_PENALTY, unfolded), _PENALTY)


def ends_of_path(
    bandwidth: float | str,
    Y: FloatArray,
    kernel: DataKernel,
    n_components: int,
    *,
    shrinks: bool,
    judged: bool,
) -> PathEnds:
    """Choose the bandwidths at both ends."""
    scale = kernel.spread(Y)
    along_curve = False
    if bandwidth == "auto":
        # a map of one dimension keeps a curve's order whatever the kernel
        numeric = hasattr(kernel, "n_features")
        along_curve = numeric and n_components > 1 and lies_along_curve(Y)
        final = scale if along_curve else scale / _AUTO_SHARE
    elif bandwidth == "learned":  # from the middling one, where most maps unfold
        final = scale / _AUTO_SHARE
    elif bandwidth == "leave_one_out":
        final = leave_one_out_bandwidth(Y, kernel)
    else:
        final = float(bandwidth)
    narrow = final < scale / _NARROW
    if not shrinks:
        widest = [final]
    elif judged:
        widest = [scale, scale / _AUTO_SHARE, final]
    else:
        widest = [scale / _AUTO_SHARE if narrow else scale]
    begin = sorted({max(h, final) for h in widest}, reverse=True)
    arrival = _EARLY_ARRIVAL if narrow else _ARRIVAL
    asks_rows = bandwidth == "auto" and isinstance(kernel, (GaussianKernel, TableKernel))
    return PathEnds(tuple(begin), final, arrival, along_curve, asks_rows and not judged)
