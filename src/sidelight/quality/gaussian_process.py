"""The likelihood of the data given a map: how well a smooth random function of it explains them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from sidelight.core import ArrayLike, FloatArray, report, require_memory
from sidelight.quality.inputs import as_points, check_same_length
from sidelight.similarity import gaussian_similarity
from sidelight.solvers import best_of, first_least

_LOG_2PI = float(np.log(2 * np.pi))
#: Length scales tried, in units of the map's spread: from the gap between points to a plane.
_LENGTHS = np.geomspace(0.02, 50.0, 12)
#: Noise to signal, σ²/α: below it the kernel matrix cannot be told from a singular one.
_NOISE_FLOOR = 1e-8
_NOISE_RATIOS = np.geomspace(_NOISE_FLOOR, 1e4, 80)


def gplvm_score(Y: ArrayLike, Z: ArrayLike) -> float:
    """Compute the Gaussian process latent variable model's log likelihood of data given a map.

    Every column of the data is taken as a draw of one Gaussian process over the map,

        max_{α, ℓ, σ²}  Σ_j log N(y_j | 0, α exp(−‖z − z'‖² / 2ℓ²) + σ²I),

    and the higher the likelihood the better the map explains the data: a map that tears
    neighbours apart, or folds what differs onto one place, has to call it noise.  The slides
    compare spectral methods by it, with σ²I added to the kernel they print.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_features)
        The data.
    Z : array-like of shape (n_samples, n_components)
        Any map of them.

    Returns
    -------
    float
        The log likelihood (natural), of all entries, with every constant.

    Raises
    ------
    ValueError
        If Y or Z is not finite, their lengths differ, or Y does not vary.

    Notes
    -----
    Columns are centred and the whole table is divided by its one standard deviation s, so that
    neither the origin nor the unit counts; in the data's own unit the log likelihood is less by
    n p log s.  Scores compare maps of the same rows and columns, also of different dimensions.

    Turning, moving or scaling the map changes nothing: only ‖z − z'‖ / ℓ enters, so that a scale
    of the map is a change of ℓ, which is maximised over.  For a given ℓ, with K = UΛUᵀ,
    r = σ²/α and c_i = Σ_j (u_iᵀy_j)², the best α is Σ_i c_i / (λ_i + r) / np, which leaves a
    search over r at a cost of n each, inside a search over ℓ at a cost of n³ each.  Both begin
    with a grid, since there are several maxima; r is kept above 1e-8, where a map that explains
    everything would have an unbounded likelihood.

    References
    ----------
    N. D. Lawrence (2005), "Probabilistic non-linear principal component analysis with Gaussian
    process latent variable models".
    S. Harmeling (2007), "Exploring model selection techniques for nonlinear dimensionality
    reduction", for its use as a score.

    Examples
    --------
    Along a noisy arc the angle explains the data better than one of the coordinates.

    >>> import numpy as np
    >>> from sidelight.quality import gplvm_score
    >>> angle = np.linspace(0, 3, 60)
    >>> noise = 0.05 * np.random.default_rng(0).standard_normal((60, 2))
    >>> arc = np.column_stack([np.cos(angle), np.sin(angle)]) + noise
    >>> [int(gplvm_score(arc, Z[:, None])) for Z in (angle, arc[:, 1])]
    [90, -164]
    """
    return fit_map_process(Y, Z).log_likelihood


@dataclass(frozen=True)
class MapProcess:
    """The Gaussian process over a map under which the data are likeliest.

    Parameters
    ----------
    log_likelihood : float
        Of the standardised data.
    signal_variance : float
        α.
    length_scale : float
        ℓ, in the map's own unit.
    noise_variance : float
        σ².
    """

    log_likelihood: float
    signal_variance: float
    length_scale: float
    noise_variance: float


def fit_map_process(Y: ArrayLike, Z: ArrayLike) -> MapProcess:
    """Fit (α, ℓ, σ²) of the Gaussian process over a map to the data."""
    who = "gplvm_score"
    data = as_points(Y, name="Y", who=who).astype(np.float64)
    points = as_points(Z, name="Z", who=who).astype(np.float64)
    n = data.shape[0]
    check_same_length(n, points.shape[0], names=("Y", "Z"), who=who)
    require_memory(
        4 * 8.0 * n * n,
        what=f"the {n} × {n} kernel over the map and its eigenvectors",
        who=who,
        instead="Score a sample of the rows, the same one for every map.",
    )
    profile = _Profile(_standardised(data, who), points)
    spread = float(np.sqrt(profile.squares.mean() / 2)) or 1.0
    found = []
    for step, length in enumerate(_LENGTHS):
        report("likelihood of the map", step, len(_LENGTHS))
        found.append(profile.at(np.log(length * spread)))
    best = best_of(range(len(found)), lambda step: -found[step].log_likelihood)
    low, high = max(best - 1, 0), min(best + 1, len(_LENGTHS) - 1)
    # inside the cells next to the best length of the grid
    refined = minimize_scalar(
        lambda log_length: -profile.at(log_length).log_likelihood,
        bounds=(np.log(_LENGTHS[low] * spread), np.log(_LENGTHS[high] * spread)),
        method="bounded",
        options={"xatol": 1e-4, "maxiter": 25},
    )
    last = profile.at(float(refined.x))
    return best_of([last, found[best]], lambda process: -process.log_likelihood)


class _Profile:
    """The likelihood as a function of the length scale alone."""

    def __init__(self, Y: FloatArray, Z: FloatArray) -> None:
        self.n, self.p = Y.shape
        # only YYᵀ matters: with more columns than rows a square factor of it will do
        self.Y = Y if self.p <= self.n else np.asarray(np.linalg.qr(Y.T, mode="r")).T
        centred = Z - Z.mean(axis=0)
        lengths = np.einsum("ij,ij->i", centred, centred)
        self.squares = lengths[:, None] + lengths[None, :] - 2 * (centred @ centred.T)
        np.maximum(self.squares, 0, out=self.squares)

    def at(self, log_length: float) -> MapProcess:
        """The best α and σ² for this length scale."""
        length = float(np.exp(log_length))
        values, U = np.linalg.eigh(gaussian_similarity(self.squares, 2 * length**2))
        np.maximum(values, 0, out=values)
        energy = np.sum((U.T @ self.Y) ** 2, axis=1)

        def likelihood(ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
            shifted = values[:, None] + ratio[None, :]
            signal = (energy @ (1 / shifted)) / (self.n * self.p)
            log_det = np.log(shifted).sum(axis=0) + self.n * np.log(signal)
            return -0.5 * self.p * (self.n * (_LOG_2PI + 1) + log_det), signal

        best = int(first_least(-likelihood(_NOISE_RATIOS)[0]))
        near = _NOISE_RATIOS[[max(best - 1, 0), min(best + 1, len(_NOISE_RATIOS) - 1)]]
        refined = minimize_scalar(
            lambda log_ratio: -likelihood(np.exp([log_ratio]))[0][0],
            bounds=tuple(np.log(near)),
            method="bounded",
            options={"xatol": 1e-6},
        )
        ratios = np.array([np.exp(refined.x), _NOISE_RATIOS[best]])
        scores, signals = likelihood(ratios)
        which = int(first_least(-scores))
        signal = float(signals[which])
        return MapProcess(float(scores[which]), signal, length, float(ratios[which]) * signal)


def _standardised(Y: FloatArray, who: str) -> FloatArray:
    centred = Y - Y.mean(axis=0)
    deviation = float(np.sqrt(np.mean(centred**2)))
    if deviation <= 1e-14 * max(float(np.abs(Y).max()), 1e-300):
        raise ValueError(
            f"The 'Y' argument of {who} must vary. Got {Y.shape[0]} equal rows, which every map "
            f"explains."
        )
    return np.asarray(centred / deviation)
