"""The conditional embedding as the latent-factor thesis prints it (section 3.2)."""

from __future__ import annotations

import numpy as np

from sidelight.core.arrays import FloatArray
from sidelight.latent.conditioning.factor import KnownFactor
from sidelight.latent.conditioning.map import ConditionalMap, first_steps
from sidelight.latent.conditioning.objective import PrintedInformation
from sidelight.latent.density.kernels import squared_distances
from sidelight.latent.information.path import START_SPREAD, Path, find_onset, first_penalty
from sidelight.latent.information.penalties import Penalty
from sidelight.solvers.descent.continuation import follow

_STEPS = 15
#: The last bandwidth, as a share of the mean squared distance of two items.
_SHARE = 8.0


def map_as_printed(
    Y: FloatArray,
    factor: KnownFactor,
    n_components: int,
    *,
    alpha: float,
    penalty: Penalty,
    max_iter: int,
    tol: float,
    who: str,
) -> ConditionalMap:
    """Maximise the estimate of I(Y; Z | X) with a Gaussian kernel of width one between values.

    Notes
    -----
    Across values of the factor the data's kernel vanishes, so that this objective only pushes the
    values apart or leaves each of them free to turn; matching does better on fresh data.
    """
    x = factor.coordinates
    pairs = PrintedInformation(squared_distances(Y, Y), np.exp(-squared_distances(x, x)))
    scale = float(pairs.dissimilarities.mean())
    onset = find_onset(
        pairs, pairs.kernel(scale), len(Y), n_components, leave_one_out=False, who=who
    )
    path = Path.between((scale, first_penalty(onset, alpha)), (scale / _SHARE, alpha), _STEPS)
    found = follow(
        path.objectives(pairs, (len(Y), n_components), penalty, leave_one_out=False),
        path.n_steps,
        START_SPREAD * onset.directions.ravel(),
        max_iter=25,
        final_max_iter=max_iter,
        tol=tol,
        stage="the map without the factor",
        who=who,
    )
    none = np.zeros((len(Y), n_components))

    def information(Z: FloatArray, h: float = float(path.bandwidths[found.step])) -> float:
        K = pairs.kernel(h)
        told, nothing = (pairs.information(points, K)[0] for points in (Z, none))
        return told - nothing

    taken = first_steps(path, len(found.values))
    nothing = [pairs.information(none, pairs.kernel(float(h)))[0] for h in taken.bandwidths]
    return ConditionalMap(
        found.x.reshape(none.shape),
        information,
        taken,
        -found.values - np.array(nothing),
        found.n_iter,
        found.interrupted,
    )
