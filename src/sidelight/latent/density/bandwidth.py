"""The bandwidth of a density estimate by leave-one-out likelihood."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from sidelight.core import FloatArray, evenly_spaced
from sidelight.latent.density.kernels import DataKernel, normalised_weights, squared_distances
from sidelight.mapping import best_predicting
from sidelight.similarity import gaussian_shares
from sidelight.solvers import best_of

#: More rows than this are judged on a sample of them, spread evenly.
JUDGED = 3000
#: Bytes of what is made of each pair of these.
PER_PAIR = 32.0
#: Likewise, where a judge multiplies tables of them.
JUDGED_BY_TABLE = 1000
#: A wider kernel may leave so much of the least error of rows that come back.  Of digits, flowers,
#: wines, clouds, sheets and an S (draws 30 and 31) new rows kept 0.03 to 0.67 of the error that the
#: map's own kernel leaves.
ABOUT_BEST = 1.05


def leave_one_out_likelihood(
    dissimilarities: FloatArray, kernel: DataKernel, bandwidth: float
) -> float:
    """Compute L(h) = (1/N) Σ_a log Σ_{b≠a} k(y_a, y_b) − log((N − 1) C(h)).

    Latent-factor thesis, eq. 3.20, with N − 1 instead of N; C depends on h and belongs to it.
    """
    if np.isfinite(kernel.reach):
        with np.errstate(divide="ignore"):
            sums = np.log(kernel.values(dissimilarities, bandwidth).sum(axis=1))
    else:  # an item far from all others would have log 0
        nearest = dissimilarities.min(axis=1)
        values = kernel.values(dissimilarities - nearest[:, None], bandwidth)
        sums = np.log(values.sum(axis=1)) - nearest / bandwidth
    return float(sums.mean() - np.log(len(sums) - 1) - kernel.log_normaliser(bandwidth))


def leave_one_out_bandwidth(Y: FloatArray, kernel: DataKernel) -> float:
    """Find the bandwidth under which every item is most likely given all others.

    Notes
    -----
    Copies of a row make the likelihood grow without bound as h → 0: they are counted once.
    More than 3,000 rows are judged on an even sample, whose best bandwidth is a little larger.

    References
    ----------
    R. P. W. Duin (1976), "On the choice of smoothing parameters for Parzen estimators of
    probability density functions".

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.latent.density.bandwidth import leave_one_out_bandwidth
    >>> from sidelight.latent.density.kernels import GaussianKernel
    >>> Y = np.random.default_rng(0).standard_normal((500, 1))
    >>> round(leave_one_out_bandwidth(Y, GaussianKernel(1)), 2)
    0.18
    """
    distinct = np.unique(Y, axis=0)
    rows = evenly_spaced(len(distinct), JUDGED)
    D = kernel.dissimilarities(distinct[rows], distinct[rows])
    np.fill_diagonal(D, np.inf)
    nearest = D.min(axis=1)
    low, high = np.log(max(nearest.min(), 1e-12 * nearest.max()) / 50), np.log(4 * _scale(D))

    def loss(log_h: float) -> float:
        return -leave_one_out_likelihood(D, kernel, float(np.exp(log_h)))

    grid = np.linspace(low, high, 40)
    best = best_of(range(len(grid)), lambda step: loss(grid[step]))
    bounds = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3})
    return float(np.float32(np.exp(found.x)))  # without the last bits, which are the processor's


def _scale(D: FloatArray) -> float:
    return float(D[np.isfinite(D)].mean())


def regression_bandwidth(Y: FloatArray, Z: FloatArray, kernel: DataKernel, scale: float) -> float:
    """Find the bandwidth with which E[z | y] best predicts every latent point from all others."""
    rows = evenly_spaced(len(Y), JUDGED)
    D = kernel.dissimilarities(Y[rows], Y[rows])
    np.fill_diagonal(D, np.inf)
    grid = scale * np.geomspace(1e-3, 1.0, 16)

    def weights_of(h: float) -> FloatArray:
        return normalised_weights(D, kernel, float(h))

    return float(best_predicting(grid, weights_of, Z[rows], Z[rows]))


def placing_bandwidth(Y: FloatArray, Z: FloatArray, kernel: DataKernel, own: float) -> float:
    """Find the widest bandwidth, the map's own at most, by which rows come back about best.

    Rows that are left out judge, on the way to the map and back, ‖y_a − E[y | E[z | y_a]]‖²; copies
    would tell one another, and count once.
    """
    by_table = kernel.by_table  # and the first column numbers items
    distinct = np.unique(Y[:, by_table:], axis=0, return_index=True)[1]
    rows = distinct[evenly_spaced(len(distinct), JUDGED_BY_TABLE if by_table else JUDGED)]
    grid = own * np.geomspace(1.0, 0.01, 12)
    errors = np.array([returning_error(Y[rows], Z[rows], kernel, h) for h in grid])
    return float(grid[np.flatnonzero(errors <= ABOUT_BEST * errors.min())[0]])


def returning_error(Y: FloatArray, Z: FloatArray, kernel: DataKernel, bandwidth: float) -> float:
    """Measure how far rows come back from themselves, each left out of both ways.

    Examples
    --------
    The middle one of three comes back as it went, each end from beyond the middle.

    >>> import numpy as np
    >>> from sidelight.latent.density.kernels import GaussianKernel
    >>> line = np.array([[-9.0], [0.0], [9.0]])
    >>> round(returning_error(line, line, GaussianKernel(1), 1e-3), 6)
    54.0
    """
    squared = kernel.dissimilarities(Y, Y)
    places = normalised_weights(_to_others(squared.copy()), kernel, bandwidth) @ Z
    weights = gaussian_shares(_to_others(squared_distances(places, Z)))
    return kernel.missed(weights, Y, squared)


def _to_others(table: FloatArray) -> FloatArray:
    """A table in which every item is infinitely far from itself."""
    np.fill_diagonal(table, np.inf)
    return table


def bandwidth_of_placing(
    bandwidth: float | str, Y: FloatArray, Z: FloatArray, kernel: DataKernel
) -> float:
    """Resolve the bandwidth where nothing but the placing of new rows depends on it."""
    if bandwidth == "auto":
        return regression_bandwidth(Y, Z, kernel, kernel.spread(Y))
    if bandwidth == "leave_one_out":
        return leave_one_out_bandwidth(Y, kernel)
    return float(bandwidth)


def regression_reach(Y: FloatArray, Z: FloatArray, squared_gaps: FloatArray, start: float) -> float:
    """Find the reach with which E[y | z, x] best predicts every item from all others."""
    rows = evenly_spaced(len(Y), JUDGED)
    in_map = squared_distances(Z[rows], Z[rows])
    np.fill_diagonal(in_map, np.inf)
    grid = start * 4.0 ** np.arange(-5, 3)
    gaps = squared_gaps[np.ix_(rows, rows)]

    def weights_of(reach: float) -> FloatArray:
        return gaussian_shares(in_map + gaps / reach)

    return float(best_predicting(grid, weights_of, Y[rows], Y[rows]))
