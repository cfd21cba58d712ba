"""Matches of items across values where not every item has its like at every value.

If one object was seen from 0° to 200° and another from 120° to 320°, or if cells of some type
hardly occur in some phase, matching *every* item with every value forces wrong matches.  Here
items are matched by relaxed transport, and their trust in a value is the share of them that is
matched there.  What the factor does is estimated in two ways: as one shift between the matched
parts of two values, or locally, among items that are alike.
"""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.conditioning.local_effect import without_local_effect
from sidelight.latent.conditioning.matches import (
    CLASS_TEMPERATURES,
    Matching,
    match_items,
)
from sidelight.latent.conditioning.settings import PARTS
from sidelight.latent.conditioning.sinkhorn import balance, relaxed_transport
from sidelight.latent.density import KnownFactor, squared_distances
from sidelight.solvers import shrink_noise

_ROUNDS = 6
#: Beyond this many values, or below this many items, partial matches are not tried.
_MOST_VALUES = 20
_FEWEST_ITEMS = 40
#: Groups of similar numbers, across which items are matched.
_GROUPS = 6


def matchings_to_try(Y: FloatArray, factor: KnownFactor, *, noisy: bool) -> list[Matching]:
    """Match items across the values of a factor, in all ways that the data admit.

    Classes whose items nearly all find a partner at every value are matched in full; for others
    there are partial matches only, with one shift per class or with local effects.  For numbers
    without a period that never repeat and do not carry items along, chains of matches and matches
    of items without their local effect are both to be tried.
    """
    if factor.kind != "classes":
        found = match_items(Y, factor)
        single = factor.coordinates.shape[1] == 1 and factor.period is None
        local = factor.kind == "different" and single and not found[0].carried
        if local and len(Y) >= _FEWEST_ITEMS:
            x = factor.coordinates
            found.append(match_without_local_effect(in_few_columns(Y), x, _groups(x)))
        return found
    M = factor.memberships()
    if len(Y) >= _FEWEST_ITEMS and M.shape[1] <= _MOST_VALUES:
        scores = in_few_columns(Y)
        partial, share = zip(
            *(match_in_part(scores, M, t) for t in PARTS.temperatures), strict=True
        )
        if share[0].mean() < PARTS.enough:
            return [*partial, match_without_local_effect(scores, factor.coordinates, M)]
    if not noisy:
        return match_items(Y, factor, temperatures=CLASS_TEMPERATURES[2:-1])
    # beneath noise as well: which of the two predicts better is seen in the maps
    shrunk, classes = np.empty_like(Y), M.argmax(axis=1)
    for value in np.unique(classes):
        shrunk[classes == value] = shrink_noise(Y[classes == value])
    return [matching for items in (Y, shrunk) for matching in match_items(items, factor)]


def match_in_part(Y: FloatArray, M: FloatArray, temperature: float) -> tuple[Matching, FloatArray]:
    """Match items of different classes, and estimate each class's mean from what is matched.

    The mean of a class is a mean over what the other classes have, too: items count by the share
    of them that is matched, and matches and means are found in turn.
    """
    found = np.ones(len(Y))
    for _ in range(_ROUNDS):
        shares = M * found[:, None]
        shares = shares / shares.sum(axis=0)
        residuals = Y - M @ (shares.T @ Y)
        power = np.sqrt(shares.T @ np.einsum("ij,ij->i", residuals, residuals))
        residuals = residuals / np.maximum(M @ power, 1e-12)[:, None]
        matching, matched = _transported(residuals, M, temperature)
        found = (matched * (1 - M)).sum(axis=1) / (M.shape[1] - 1) + 1e-6
    return matching, found


def match_without_local_effect(Y: FloatArray, x: FloatArray, M: FloatArray) -> Matching:
    """Match items by their directions from the mean, once the local effect of x is taken away."""
    left = without_local_effect(Y, x)
    left = left - left.mean(axis=0)
    lengths = np.linalg.norm(left, axis=1, keepdims=True)
    return _transported(left / np.maximum(lengths, 1e-300), M, PARTS.local_temperature)[0]


def _transported(R: FloatArray, M: FloatArray, temperature: float) -> tuple[Matching, FloatArray]:
    """Relaxed transport between any two values, balanced within each; and shares (n × L)."""
    scores = -squared_distances(R, R) / 2
    values, n_values = M.argmax(axis=1), M.shape[1]
    W, shares = np.zeros_like(scores), M.copy()
    for i in range(n_values):
        own = np.flatnonzero(values == i)
        within = np.exp(scores[np.ix_(own, own)] / temperature)
        W[np.ix_(own, own)] = balance(within, np.ones((len(own), 1)))
        for j in range(i):
            other = np.flatnonzero(values == j)
            plan = relaxed_transport(scores[np.ix_(own, other)], temperature, PARTS.strictness)
            shares[own, j], shares[other, i] = plan.mean(axis=1), plan.mean(axis=0)
            W[np.ix_(own, other)], W[np.ix_(other, own)] = plan, plan.T
    W = W / np.maximum((W @ M) @ M.T, 1e-300)
    shares = np.minimum(shares, 1.0)
    return Matching(W, M, shares / shares.sum(axis=1, keepdims=True), partial=True), shares


def in_few_columns(Y: FloatArray) -> FloatArray:
    """The same items in no more columns than rows: distances are all that counts."""
    if Y.shape[1] <= len(Y):
        return Y
    U, lengths, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    return np.asarray(U * lengths)


def _groups(coordinates: FloatArray) -> FloatArray:
    """Groups of equally many items with similar numbers, one-hot."""
    n_groups = max(min(_GROUPS, len(coordinates) // 20), 2)
    edges = np.quantile(coordinates[:, 0], np.linspace(0, 1, n_groups + 1))[1:-1]
    return np.eye(n_groups)[np.searchsorted(edges, coordinates[:, 0])]
