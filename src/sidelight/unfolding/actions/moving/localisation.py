"""Where one is, from what was done and seen since: a filter over the places of a map.

p(z_t | x_1 … x_t, a_1 … a_{t−1}) ∝ p(x_t | z_t) Σ_z p(z_t | z, a_{t−1}) p(z | x_1 … x_{t−1}, …)

Places that look alike are told apart by the way that led there, and a place that was never seen is
known by the way alone.  (Thesis section 4.4 names localisation as what such maps are for, and gives
no formula; this is the Bayes filter of its literature.)
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree
from scipy.special import gammaincinv

from sidelight.core import FloatArray, IntArray
from sidelight.similarity import gaussian_similarity
from sidelight.unfolding.actions.moving.rigid_motions import RigidActions

#: Noise below this, in squared steps, is none.
_NO_NOISE = 1e-300


@dataclass(frozen=True)
class FilterSettings:
    """The constants of the filter; experiments/unfolding/action_planning.py uses them as they are.

    Noise is told by the quietest frames: of walks that leave known places at once few are at any.
    ``elsewhere`` was set on the quick form of that experiment.

    Parameters
    ----------
    apart : float
        Frames as far apart as those of one step make a place less likely by exp(−apart), unless
        noise is stronger.
    elsewhere : float
        How far frames of places that were never visited are taken to be, beside noise: nearer than
        those of the next place, so that what is seen there is not put to the next place.
    quiet : float
        The quantile of the distances of frames from their nearest places that is taken for noise:
        most frames may be of places that were never visited.
    beyond : float
        Noise of a frame is up to so many standard deviations above the level: what is farther from
        all places was seen at another.
    lost : float
        The chance that an action led anywhere at all: the filter finds its way back.
    most : int
        Places that were never visited are thought of up to so many of all places.
    """

    apart: float = 4.0
    elsewhere: float = 0.5
    quiet: float = 0.05
    beyond: float = 3.0
    lost: float = 1e-3
    most: int = 4000


class Track(NamedTuple):
    """Where one was, time by time.

    Parameters
    ----------
    rows : ndarray of shape (t,)
        The first row that shows the likeliest of the known places.
    places : ndarray of shape (t, n_components)
        The likeliest place of the map, known or never visited.
    probabilities : ndarray of shape (t,)
        Of that place, given what was done and seen up to then.
    """

    rows: IntArray
    places: FloatArray
    probabilities: FloatArray


def imagined_places(
    actions: RigidActions, Z: FloatArray, *, tolerance: float, step: float, most: int
) -> FloatArray:
    """Add the places that actions lead to from known ones, within a step of where these lie.

    Examples
    --------
    Two sides of a square: its fourth corner was never seen.

    >>> import numpy as np
    >>> moves = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> sides = RigidActions(np.tile(np.eye(2), (2, 1, 1)), moves, np.zeros(2))
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> found = imagined_places(sides, Z, tolerance=0.25, step=1.0, most=100)
    >>> [1.0, 1.0] in found[3:].tolist()
    True
    """
    low, high = Z.min(axis=0) - 1.01 * step, Z.max(axis=0) + 1.01 * step
    places, edge = Z, Z
    while len(edge) and len(places) < most:
        there = np.vstack(
            [actions.apply(edge, np.full(len(edge), a)) for a in range(len(actions.rotations))]
        )
        there = there[np.all((there >= low) & (there <= high), axis=1)]
        there = there[cKDTree(places).query(there)[0] > tolerance] if len(there) else there
        edge = _apart(there, tolerance)[: most - len(places)]
        places = np.vstack([places, edge])
    return places


def _apart(Z: FloatArray, tolerance: float) -> FloatArray:
    """The first of the places that are nearer to one another than the tolerance."""
    if not len(Z):
        return Z
    kept = np.ones(len(Z), dtype=bool)
    near = np.sort(cKDTree(Z).query_pairs(tolerance, output_type="ndarray"), axis=1)
    for i, j in near[np.lexsort(near.T)].tolist():  # by the later of the two
        kept[j] &= not kept[i]
    return np.asarray(Z[kept])


def frame_likelihoods(
    squares: FloatArray, n_features: int, places: FloatArray, *, settings: FilterSettings
) -> FloatArray:
    """State how likely frames are at every place, p(x_t | z), known places first.

    ``squares`` d²_tk are those from the frames of known places, in units of a step's.  Noise of
    variance σ² in each of p features adds pσ² to all of them, of which the nearest place takes up
    what lies along the q dimensions of the map: min_k d²_tk is σ²χ²_{p−q} where the place is known,
    and a low quantile of it over the time until then tells σ.  With s = pσ² and
    m_t = min_k d²_tk p/(p − q), p(x_t | z_k) = exp(−c d²_tk), c = min(apart, p/2s), and a place
    that was never visited has frames at ``elsewhere`` + min(m_t, s (1 + beyond √(2/p))), as far as
    noise explains the distance of this frame from all others.

    Examples
    --------
    Frames that are as far from every place as two steps, by noise: the nearest remains likeliest.

    >>> import numpy as np
    >>> noisy = np.array([[4.0, 5.0], [5.0, 4.0]])
    >>> places = np.array([[0.0], [1.0], [2.0]])
    >>> frame_likelihoods(noisy, 8, places, settings=FilterSettings()).argmax(axis=1)
    array([0, 1])
    """
    n_places, q = places.shape
    free = max(n_features - q, 1)
    least = squares.min(axis=1) * n_features / free
    level = _running_level(least, free, settings.quiet)
    c = np.minimum(settings.apart, n_features / (2 * np.maximum(level, _NO_NOISE)))
    noise = np.minimum(least, level * (1 + settings.beyond * np.sqrt(2 / n_features)))
    apart = np.repeat(settings.elsewhere + noise[:, None], n_places, axis=1)
    apart[:, : squares.shape[1]] = squares
    # relative to the likeliest, which the filter does anyhow: exp(−c d²) of a far frame is zero
    return gaussian_similarity(apart - apart.min(axis=1, keepdims=True), 1 / c[:, None])


def _running_level(least: FloatArray, free: int, quiet: float) -> FloatArray:
    """The strength of noise as the frames up to each time tell it, by a low quantile of theirs.

    Of m values of σ²χ²_free/free the one at ``quiet`` is expected where the distribution has
    reached (quiet (m − 1) + 1)/(m + 1): the median of one, ``quiet`` of very many.
    """
    count = np.arange(1, len(least) + 1)
    rank = quiet * (count - 1)
    usual = 2 * gammaincinv(free / 2, (rank + 1) / (count + 1)) / free
    level = np.empty(len(least))
    seen: list[float] = []
    for t, value in enumerate(least.tolist()):
        insort(seen, value)
        below = int(rank[t])
        above = min(below + 1, t)
        level[t] = seen[below] + (rank[t] - below) * (seen[above] - seen[below])
    return np.asarray(level / usual)


def transition_matrix(
    actions: RigidActions, kind: int, places: FloatArray, *, spread: float, lost: float
) -> sp.csr_array:
    """State where an action leads from every place, p(z' | z, a) = N(z'; T_a z, spread²) of places.

    An action that leads farther from all of them than three deviations leads anywhere.
    """
    n = len(places)
    there = actions.apply(places, np.full(n, kind))
    near = cKDTree(there).sparse_distance_matrix(
        cKDTree(places), 3 * spread, output_type="coo_matrix"
    )
    weights = gaussian_similarity(near.data**2, 2 * spread**2)
    sums = np.bincount(near.row, weights=weights, minlength=n)
    share = (1 - lost) * weights / sums[near.row]
    return sp.csr_array((share, (near.row, near.col)), shape=(n, n))


def follow(likelihoods: FloatArray, transitions: list[sp.csr_array], kinds: IntArray) -> FloatArray:
    """Filter: what is believed of every place, time by time.

    What a transition does not hold of a place is spread over all of them.

    Examples
    --------
    Two rooms that look alike, a door between them: after one step it is known which.

    >>> import numpy as np
    >>> on = sp.csr_array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> seen = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> follow(seen, [on], np.array([0])).round(2).tolist()
    [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]
    """
    n = likelihoods.shape[1]
    beliefs = np.empty_like(likelihoods)
    expected = np.full(n, 1.0 / n)
    for t, seen in enumerate(likelihoods):
        if t:
            expected = np.asarray(beliefs[t - 1] @ transitions[kinds[t - 1]])
            expected += max(0.0, 1.0 - float(expected.sum())) / n
        belief = expected * seen
        total = float(belief.sum())
        beliefs[t] = belief / total if total > 0 else expected
    return beliefs
