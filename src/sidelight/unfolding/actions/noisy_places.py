"""Places of a walk whose frames are noisy, so that no two are the same: what all evidence favours.

Two frames of one place differ by noise alone, and the squared distance of p independent numbers is
2pσ² with a relative deviation of √(2/p), whatever the place shows.  One pair of frames says little,
but where it is merged the actions merge others, and all of their distances must look like that.

The difference of two frames of one place is as strong in every direction.  That of two places lies
where pictures differ: largely among the directions in which other frames differ from one another.
With q of these, and R what is left of the squared distance d² outside of them,

    F = [(d² − R) / q] / [R / (p − q)]

has the F distribution with q and p − q degrees of freedom if the place is one, whatever the place
shows and however strong the noise is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.ndimage import gaussian_filter1d
from scipy.sparse.csgraph import connected_components
from scipy.stats import f as f_distribution

from sidelight.core import FloatArray, IntArray
from sidelight.similarity import Centring, kernel_from_distances
from sidelight.solvers import improves
from sidelight.unfolding.actions.places import Places, closer_than, settle

#: So many of the closest pairs of frames are tried as one place.
_CLOSEST = 150
#: So many of the widest gaps between distances are tried as tolerances.
_GAPS = 8
#: Deviations of the mean beyond which no noise goes.
_FARTHEST = 4.5
#: Relative deviation of squared distances that is the most believed, and what a guess of the noise
#: costs, as its logarithm, where frames of few numbers say less about it than that.
_SPREAD, _GUESS = 0.1, 3.0
#: Frames are not merged where noise makes their difference look as it does less often than this,
#: all merged pairs together.  Chosen on 12 draws of four walks at noise 0.05 and 0.08; at 1e-4
#: places are merged in one of 12 that are not one, at 0.01 a true place is missed in one of 10.
_IMPROBABLE = 1e-3
#: Directions that must be left outside of all frames: with fewer nothing is said.
_LEAST_OUTSIDE = 10
#: Frames whose Gram matrix is nearer to singular lie within fewer directions than they are many.
_SINGULAR = 1e-10
#: The density of all distances: bins per e-fold and the width of its smoothing in bins.
_BINS, _WIDTH = 20, 3.0


def find_noisy_places(
    D: FloatArray,
    transitions: IntArray,
    kinds: IntArray,
    plain: Places,
    *,
    invert: bool,
    n_features: int,
) -> Places:
    """Find the places that frames and actions agree on.

    A proposal is a pair of frames that are close, all pairs up to a tolerance, or two actions that
    undo each other.  What it merges, the actions' consequences included, is scored by

        Σ_merged [log N(d²; μ, (√(2/p) μ)²) − log g(d²)] − (proposals) log n,

    μ the mean of the merged squared distances and g the density of those of all pairs; a step that
    stays in its place is refused, and so are a merged distance 4½ deviations above μ, a μ that
    lies as far above the shortest distance of all, which has the noise too, and frames whose
    difference is not noise by an F test at a level of 0.001 for all merged pairs
    together.  Proposals are taken in the order of their own scores as long as the total grows.

    Frames of fewer than 200 numbers do not show noise by its spread, and among many pairs some are
    close by chance: there a deviation of a tenth is supposed, a proposal costs log n(n − 1)/2, as
    it is one of so many pairs, and the supposition another 3.
    """
    evidence = _Evidence(D, transitions, n_features)
    state = _State(np.arange(len(D)), plain.inverses, plain, 0, 0.0)
    ranked = []
    for proposal in _proposals(D, transitions, kinds, invert):
        tried = _with(state, proposal, evidence, transitions, kinds, invert)
        if tried.score > 0:
            ranked.append((tried.score, proposal))
    ranked.sort(key=lambda pair: -pair[0])
    for _, proposal in ranked:
        tried = _with(state, proposal, evidence, transitions, kinds, invert)
        if improves(-tried.score, -state.score):
            state = tried
    if state.count == 0:
        return plain
    nodes = state.places.nodes
    farthest = float(D[nodes[:, None] == nodes].max())
    return replace(state.places, tolerance=farthest)


@dataclass(frozen=True)
class _Proposal:
    """Rows that are one place, and actions that undo each other."""

    nodes: IntArray | None
    inverse: tuple[int, int] | None


@dataclass(frozen=True)
class _State:
    nodes: IntArray
    inverses: IntArray
    places: Places
    count: int
    score: float


class _Evidence:
    """How much better noise explains the distances within places than chance does."""

    def __init__(self, D: FloatArray, transitions: IntArray, n_features: int) -> None:
        self.squares = D**2
        self.transitions = transitions
        spread, n = float(np.sqrt(2.0 / n_features)), len(D)
        self.spread = min(spread, _SPREAD)
        few = spread > _SPREAD
        self.price = float(np.log(n * (n - 1) / 2)) if few else float(np.log(n))
        self.fee = _GUESS if few else 0.0
        self.i, self.j = np.triu_indices(len(D), 1)
        self.one_place = one_place_probabilities(D, self.i, self.j, n_features)
        self.least = float(self.squares[self.i, self.j].min())
        logs = np.log(self.squares[self.i, self.j])
        self.low, high = float(logs.min()) - 1.0, float(logs.max()) + 1.0
        bins = max(2, int(np.ceil((high - self.low) * _BINS)))
        counts = np.histogram(logs, bins=bins, range=(self.low, high))[0].astype(np.float64)
        smooth = gaussian_filter1d(counts, _WIDTH, mode="constant") + 0.5 / bins
        self.log_density = np.log(smooth / smooth.sum() * bins / (high - self.low))
        self.width = (high - self.low) / bins

    def score(self, places: Places, count: int) -> float:
        nodes = places.nodes
        before, after = self.transitions.T
        if np.any(nodes[before] == nodes[after]):
            return -np.inf
        merged = nodes[self.i] == nodes[self.j]
        squares = self.squares[self.i[merged], self.j[merged]]
        if len(squares) == 0:
            return 0.0
        mean = float(squares.mean())
        deviation = self.spread * mean
        away = (squares - mean) / deviation
        # every pair has the noise, so that none can be closer than noise alone allows
        if float(away.max()) > _FARTHEST or (mean - self.least) > _FARTHEST * deviation:
            return -np.inf
        if float(self.one_place[merged].min()) * len(squares) < _IMPROBABLE:
            return -np.inf
        noise = -0.5 * away**2 - np.log(np.sqrt(2 * np.pi) * deviation)
        logs = np.log(squares)
        bins = np.clip(((logs - self.low) / self.width).astype(np.intp), 0, None)
        chance = self.log_density[np.minimum(bins, len(self.log_density) - 1)] - logs
        return float((noise - chance).sum()) - count * self.price - self.fee


def _proposals(
    D: FloatArray, transitions: IntArray, kinds: IntArray, invert: bool
) -> Iterator[_Proposal]:
    n = len(D)
    if invert:
        follows = transitions[:-1, 1] == transitions[1:, 0]
        joined = np.sort(np.column_stack([kinds[:-1], kinds[1:]])[follows], axis=1)
        for a, b in np.unique(joined, axis=0).tolist():
            if a != b:
                yield _Proposal(None, (a, b))
    i, j = np.triu_indices(n, 1)
    distances = D[i, j]
    steps = D[transitions[:, 0], transitions[:, 1]]
    low = np.sort(np.append(distances[distances < steps.min()], steps.min()))
    for gap in np.argsort(-np.diff(np.log(low)), kind="stable")[:_GAPS]:
        yield _Proposal(closer_than(D, float(np.sqrt(low[gap] * low[gap + 1]))), None)
    for pair in np.argsort(distances, kind="stable")[:_CLOSEST]:
        nodes = np.arange(n)
        nodes[j[pair]] = i[pair]
        yield _Proposal(nodes, None)


def _with(
    state: _State,
    proposal: _Proposal,
    evidence: _Evidence,
    transitions: IntArray,
    kinds: IntArray,
    invert: bool,
) -> _State:
    nodes, inverses = state.places.nodes, state.places.inverses
    if proposal.nodes is not None:
        nodes = proposal.nodes if state.count == 0 else _joined(nodes, proposal.nodes)
    if proposal.inverse is not None:
        a, b = proposal.inverse
        if inverses[a] >= 0 or inverses[b] >= 0:
            return replace(state, score=-np.inf)
        inverses = inverses.copy()
        inverses[a], inverses[b] = b, a
    places = settle(nodes, transitions, kinds, invert=invert, inverses=inverses)
    count = state.count + 1
    return _State(nodes, inverses, places, count, evidence.score(places, count))


def _joined(nodes: IntArray, more: IntArray) -> IntArray:
    """The finest places that are coarser than both."""
    n = len(nodes)
    rows = np.arange(n)
    one = np.concatenate([rows, rows])
    two = n + np.concatenate([nodes, n + more])
    size = int(two.max()) + 1
    graph = sp.csr_array((np.ones(2 * n), (one, two)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1][:n], dtype=np.intp)


def one_place_probabilities(D: FloatArray, i: IntArray, j: IntArray, n_features: int) -> FloatArray:
    """The probability that noise alone makes F as large, for pairs of frames.

    It is one where frames cannot say: fewer numbers in them than there are frames, or no noise.

    Examples
    --------
    Frames 0 and 3 show the same.

    >>> rng = np.random.default_rng(0)
    >>> pictures = rng.normal(size=(12, 100))[[0, 1, 2, 0, *range(3, 12)]]
    >>> frames = pictures + 0.3 * rng.normal(size=pictures.shape)
    >>> D = np.linalg.norm(frames[:, None] - frames, axis=2)
    >>> p = one_place_probabilities(D, np.array([0, 1]), np.array([3, 3]), 100)
    >>> (p > 0.01).tolist()
    [True, False]
    """
    n = len(D)
    inside, outside = n - 3, n_features - (n - 3)
    if inside < 1 or outside < _LEAST_OUTSIDE:
        return np.ones(len(i))
    K = kernel_from_distances(D)
    values, vectors = np.linalg.eigh(Centring.of(K).matrix(K))  # the first belongs to the constant
    if values[1] <= _SINGULAR * values[-1]:
        return np.ones(len(i))
    left = _outside_of_others((vectors[:, 1:] / values[1:]) @ vectors[:, 1:].T, i, j)
    squares = D[i, j] ** 2
    ratio = (squares - left) / inside / (left / outside)
    return np.asarray(f_distribution.sf(ratio, inside, outside))


def _outside_of_others(H: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """What of ‖x_i − x_j‖² is outside the flat through all others, H = G⁺ of centred points.

    With A the block of i and j of H it is (1, −1) A⁻¹ (1, −1)ᵀ, the least aᵀGa of all a with
    a_i = 1, a_j = −1 and Σ_k a_k = 0.
    """
    first, second, both = H[i, i], H[j, j], H[i, j]
    return np.asarray((first + second + 2 * both) / (first * second - both**2))
