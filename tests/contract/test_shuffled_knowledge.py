"""Knowledge that is shuffled must not wreck the map: every kind, in every method that takes it.

Judged by rows that were not named: how often the five nearest of all others in the map have a row's
label, for the most part.  On average over draws at most 0.02 is lost, and in none more than 0.06.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

import sidelight
from sidelight.registry import MAPS
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    Sequence,
)
from sidelight.transforms import Shift

pytestmark = pytest.mark.thorough
DRAWS = (50, 51, 52, 53, 54)
ALLOWED, ALLOWED_ONCE = 0.02, 0.06
#: Shuffled distances contradict one another, and are refused by name where they are constraints.
REFUSED = {("SemidefiniteEmbedding", "Distances")}
#: A relation is data there, mapped beside the others in a dimension of its own, and not judged:
#: over 14 draws of shuffled ones 0.018 was lost.
ALLOWED_MORE = {("MultipleRelationalEmbedding", "Relation"): 0.04}
CASES = [(entry.name, kind) for entry in MAPS for kind in entry.understands]


@cache
def draw(seed):
    """Four kinds of digits, their pixels shuffled, and the rows that are named."""
    digits, rng = load_digits(), np.random.default_rng(seed)
    rows = rng.choice(np.flatnonzero(np.isin(digits.target, [0, 3, 4, 6])), 100, replace=False)
    X = digits.data[rows][:, rng.permutation(64)] / 16
    return X, digits.target[rows], np.sort(rng.choice(100, 40, replace=False))


@cache
def plain_map(name, seed, n):
    """The map of the first rows, with nothing known."""
    return getattr(sidelight, name)().fit(draw(seed)[0][:n]).embedding_


def five_nearest(Z, y, rows):
    """The share of some rows whose five nearest in a map have their label for the most part."""
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    votes = y[np.argsort(D, axis=1, kind="stable")[rows, :5]]
    own = zip(votes, y[rows], strict=True)
    return np.mean([np.bincount(vote).argmax() == label for vote, label in own])


def labelled(y, named, rng, n_pairs):
    """Pairs of some rows, by labels of other rows."""
    known = np.full(len(y), -1)
    known[named] = rng.permutation(y[named])
    return Pairs.from_labels(known, max_pairs=n_pairs)


def shuffled(kind, X, y, named, plain, rng):
    """What might have been known, about the wrong rows; of all rows, where it speaks of all."""
    n = len(X)
    if kind == "Pairs":
        return labelled(y, named, rng, 60)
    if kind == "Attributes":
        return Attributes([labelled(y, named, rng, 40) for _ in range(2)])
    if kind == "Condition":
        return Condition(rng.permutation(y).astype(str))
    if kind == "Relation":
        return Relation.from_values(rng.permutation(X[named].sum(axis=1)), index=named)
    if kind == "Sequence":
        return Sequence(order=rng.random(n))
    if kind == "Actions":
        return Actions(rng.permutation(y)[1:].astype(str))
    if kind == "Invariance":
        return Invariance(Shift(), image_shape=(8, 8))  # of what is no longer an image
    if kind == "Anchors":
        rows = rng.choice(named, 6, replace=False)
        return Anchors(rows, rng.permutation(plain[rows]))
    pairs = rng.permutation(named).reshape(-1, 2)  # of which no two contradict each other
    lengths = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    return Distances(pairs, rng.permutation(lengths))


def gain(name, kind, seed):
    """How much better rows that are not named are told by a map with shuffled knowledge."""
    X, y, named = draw(seed)
    if kind == "Actions":  # which cost more, and speak of all rows
        X, y, named = X[:40], y[:40], named[:0]
    plain = plain_map(name, seed, len(X))
    side = shuffled(kind, X, y, named, plain, np.random.default_rng([seed, 1]))
    # a relation takes a dimension of its own: what the data see of three is compared
    relational = (name, kind) == ("MultipleRelationalEmbedding", "Relation")
    model = getattr(sidelight, name)(**{"n_components": 3} if relational else {}).fit(X, side=side)
    told = model.view("X") if relational else model.embedding_
    others = np.setdiff1d(np.arange(len(X)), named)
    return five_nearest(told, y, others) - five_nearest(plain, y, others)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_shuffled_knowledge_does_not_wreck_the_map(name, kind):
    if (name, kind) in REFUSED:
        with pytest.raises(sidelight.errors.ContradictionError):
            gain(name, kind, DRAWS[0])
        return
    gains = [gain(name, kind, seed) for seed in DRAWS]
    assert np.mean(gains) >= -ALLOWED_MORE.get((name, kind), ALLOWED), np.round(gains, 3)
    assert min(gains) >= -ALLOWED_ONCE, np.round(gains, 3)
