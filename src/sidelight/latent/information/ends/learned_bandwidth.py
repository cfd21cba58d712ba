"""The data's bandwidth learned along with the map (latent-factor thesis, section 3.3).

With every item left out of its own density, the likelihood of the data given the map,

    L(Z, h) = (1/N) Σ_a log (Σ_b k(z_a, z_b) k_h(y_a, y_b) / Σ_b k(z_a, z_b)) − (p/2) log πh,

b ≠ a, k_h(y, y') = exp(−‖y − y'‖²/h), has a largest value in h, too.  In Z it is what kernel
information embedding maximises anyway; in h it is a mixture whose parts have one variance, and

    h ← (2 / pN) Σ_ab w_ab ‖y_a − y_b‖²,  w_ab ∝ k(z_a, z_b) k_h(y_a, y_b),  Σ_b w_ab = 1,

never lowers it (a step of expectation and maximisation).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, warn
from sidelight.estimator import Map
from sidelight.latent.density import squared_distances
from sidelight.latent.information.ends.turns import in_turns
from sidelight.latent.information.followed import Followed
from sidelight.latent.information.path import Path
from sidelight.similarity import gaussian_shares

#: Rounds of a bandwidth and a descent at most, and a change of log h that ends them.
_ROUNDS, _SETTLED = 30, 1e-3
#: Most steps for a bandwidth, and the change of log h that ends them.
_STEPS, _EXACT = 500, 1e-7


def likeliest_bandwidth(Y: FloatArray, Z: FloatArray, first: float) -> float:
    """Find the h of the largest L(Z, h), from a first guess.

    Examples
    --------
    Two places with two items each: each is told by the other, at a distance of two.

    >>> import numpy as np
    >>> Y = np.array([[0.0], [2.0], [50.0], [52.0]])
    >>> round(likeliest_bandwidth(Y, np.array([[0.0], [0.0], [9.0], [9.0]]), 1.0), 6)
    8.0
    """
    D, near = squared_distances(Y, Y), squared_distances(Z, Z)
    np.fill_diagonal(near, np.inf)  # no item tells itself
    n, p = Y.shape
    h = float(first)
    for _ in range(_STEPS):
        weights = gaussian_shares(near + D / h)
        new = 2.0 * float(np.einsum("ab,ab->", weights, D)) / (p * n)
        if new <= 0:  # no item is told by another
            return h
        if abs(float(np.log(new / h))) < _EXACT:
            return float(new)
        h = float(new)
    return h


def with_learned_bandwidth(
    begun: Followed, Y: FloatArray, follow: Callable[[Path, FloatArray], Followed], *, who: str
) -> Map:
    """Take turns: the likeliest bandwidth of a map, and the map at that bandwidth.

    ``follow`` descends from points along a path of one step; ``Y`` are the rows in their own order.
    """
    h, alpha = float(begun.map.facts["bandwidth_"]), float(begun.map.facts["alpha_"])
    change = np.inf

    def turn(found: Map) -> Followed | None:
        nonlocal h, change
        if abs(change) < _SETTLED:
            return None
        assert found.points is not None
        # without the processor's last bits, of which a descent would make another map
        new = float(np.float32(likeliest_bandwidth(Y, found.points, h)))
        change, h = float(np.log(new / h)), new
        return follow(Path(np.array([h]), np.array([alpha])), found.points)

    last, stopped = in_turns(begun, _ROUNDS, turn, who=who)
    if not stopped and abs(change) >= _SETTLED:
        warn(
            f"The bandwidth that {who} learns has not settled after {_ROUNDS} rounds: the last one "
            f"changed it by {100 * abs(np.expm1(change)):.2g} %, to {h:.3g}. Raise alpha={alpha:g},"
            f" or give a bandwidth.",
            ConvergenceWarning,
        )
    return last
