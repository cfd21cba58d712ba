"""How many components to keep: by the noise, by the likelihood, or by the neighbourhoods."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.quality.dimension import levina_bickel
from sidelight.solvers import (
    first_least,
    fit_with_missing,
    hard_threshold,
    improves,
    noise_level,
)

#: Up to so many components are tried where entries are missing.
_MOST_FITS = 20
#: Eigenvalues below this share of the largest are rounding.
_ROUNDING = 1e-10


def components_above_noise(values: FloatArray, n_samples: int, n_features: int) -> int:
    """Count the singular values that white noise of unknown strength does not explain.

    Those above the hard threshold of least mean squared error, in units of the noise that the
    median singular value shows (Gavish and Donoho 2014).

    References
    ----------
    M. Gavish and D. L. Donoho (2014), "The optimal hard threshold for singular values is 4/√3".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 20)) + 0.3 * rng.normal(size=(200, 20))
    >>> scatter = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    >>> components_above_noise(np.linalg.eigvalsh(scatter)[::-1], *X.shape)
    3
    """
    rows = max(n_samples - 1, 1)  # centring takes one
    short, long = sorted((rows, n_features))
    singular = np.sqrt(np.maximum(values[:short], 0.0))
    beta = short / long
    noise = hard_threshold(beta) * noise_level(singular, beta)
    threshold = max(noise, np.sqrt(_ROUNDING) * float(singular[0]))
    return max(1, int(np.count_nonzero(singular > threshold)))


def components_by_likelihood(values: FloatArray, n_samples: int, n_features: int) -> int:
    """Choose the number of components of probabilistic PCA by its likelihood, less BIC's penalty.

    The likelihood of q components has a closed form in the eigenvalues, −n/2 (Σ_{i≤q} log λ_i +
    (p − q) log σ² + p log 2π + p) with σ² the mean of the others (Tipping and Bishop 1999), and
    pq − q(q − 1)/2 + p + 1 parameters, each of which costs ½ log n (Schwarz 1978).  With fewer rows
    than columns these change places, as in the dual form.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 20)) + 0.3 * rng.normal(size=(200, 20))
    >>> scatter = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    >>> components_by_likelihood(np.linalg.eigvalsh(scatter)[::-1], *X.shape)
    3
    """
    n, p = max(n_samples - 1, n_features), min(n_samples - 1, n_features)
    variances = values[:p]
    rank = int(np.count_nonzero(variances > _ROUNDING * float(values[0])))
    if rank < p or p == 1:
        return max(1, rank)
    q = np.arange(1, p)
    kept = np.cumsum(variances)[:-1]
    noise = (variances.sum() - kept) / (p - q)
    likelihood = -n / 2 * (np.cumsum(np.log(variances))[:-1] + (p - q) * np.log(noise))
    return int(q[first_least(_penalty(q, n, p) - likelihood)])


def components_of_missing(X: FloatArray) -> int:
    """Choose as :func:`components_by_likelihood` does where entries are missing.

    Models of 1, 2 … components are fitted by expectation maximisation until two more on end are
    not worth their parameters, up to 20: each takes a fit.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(size=(80, 8))
    >>> X[rng.random(X.shape) < 0.1] = np.nan
    >>> components_of_missing(X)
    2
    """
    observed = ~np.isnan(X)
    X = X[observed.any(axis=1)][:, observed.any(axis=0)]
    observed = ~np.isnan(X)
    n, p = X.shape
    least, chosen = np.inf, 1
    for q in range(1, max(2, min(n - 1, p, _MOST_FITS + 1))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model that is kept is fitted once more
            found = fit_with_missing(X, observed, q, tol=1e-5, max_iter=100)
        cost = float(_penalty(np.array(q), n, p)) - float(found.history[-1])
        if improves(cost, least):
            least, chosen = cost, q
        elif q >= chosen + 2:
            break
    return chosen


def components_of_neighborhoods(radii: FloatArray, most: int, *, who: str) -> int:
    """Round the intrinsic dimension that the distances to nearest neighbours show.

    The estimate is "mle" of :func:`sidelight.quality.intrinsic_dimension`; ``radii`` (n, k) are
    those of each row, ascending, and infinite where it has fewer neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.neighbors import nearest_neighbors
    >>> angle = np.linspace(0, 3, 50) ** 1.1
    >>> curve = np.column_stack([np.cos(angle), np.sin(angle), angle])
    >>> components_of_neighborhoods(nearest_neighbors(curve, 20).distances, 3, who="Isomap")
    1
    """
    dimension = levina_bickel(radii)
    if not np.isfinite(dimension):
        raise ValueError(
            f"n_components='auto' of {who} rests on how the distances of neighbours grow, and "
            f"those of each row are equally far, as in a graph without lengths. Give a number."
        )
    return int(np.clip(round(dimension), 1, most))


def _penalty(q: Any, n: int, p: int) -> Any:
    return 0.5 * np.log(n) * (p * q - q * (q - 1) / 2 + p + 1)
