"""Knowledge that is shuffled must not wreck the map: every kind, in every method that takes it."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_digits

import sidelight
from sidelight.quality import trustworthiness
from sidelight.registry import MAPS
from sidelight.side import Anchors, Attributes, Condition, Distances, Pairs, Relation, Sequence

pytestmark = pytest.mark.thorough
DRAWS = (50, 51, 52)
#: How much of the trustworthiness of ten neighbours may be lost, on average over draws.
ALLOWED = 0.05
#: Shuffled distances contradict one another, and are refused by name where they are constraints.
REFUSED = {("SemidefiniteEmbedding", "Distances")}
KINDS = ("Pairs", "Attributes", "Distances", "Relation", "Condition", "Anchors", "Sequence")
CASES = [(entry.name, kind) for entry in MAPS for kind in entry.understands if kind in KINDS]


@cache
def draw(seed):
    """Four kinds of digits."""
    digits, rng = load_digits(), np.random.default_rng(seed)
    rows = rng.choice(np.flatnonzero(np.isin(digits.target, [0, 3, 4, 6])), 80, replace=False)
    return digits.data[rows] / 16, digits.target[rows]


@cache
def plain_map(name, seed):
    """The map with nothing known."""
    return getattr(sidelight, name)().fit(draw(seed)[0]).embedding_


def shuffled(kind, X, y, plain, seed):
    """What might have been known, about the wrong rows."""
    rng = np.random.default_rng(1000 + seed)
    n = len(X)
    if kind == "Pairs":
        return Pairs.from_labels(rng.permutation(y), max_pairs=60)
    if kind == "Attributes":
        return Attributes([Pairs.from_labels(rng.permutation(y), max_pairs=40) for _ in range(2)])
    if kind == "Condition":
        return Condition(rng.permutation(y).astype(str))
    if kind == "Relation":
        rows = np.sort(rng.choice(n, 30, replace=False))
        return Relation.from_values(rng.permutation(X[rows].sum(axis=1)), index=rows)
    if kind == "Sequence":
        return Sequence(order=rng.random(n))
    if kind == "Anchors":
        rows = rng.choice(n, 6, replace=False)
        return Anchors(rows, rng.permutation(plain[rows]))
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(30)])
    lengths = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    return Distances(pairs, rng.permutation(lengths))


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_shuffled_knowledge_does_not_wreck_the_map(name, kind):
    lost = []
    for seed in DRAWS:
        X, y = draw(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = plain_map(name, seed)
            side = shuffled(kind, X, y, plain, seed)
            if (name, kind) in REFUSED:
                with pytest.raises(sidelight.errors.ContradictionError):
                    getattr(sidelight, name)().fit(X, side=side)
                continue
            # a relation takes a dimension of its own: what the data see of three is compared
            relational = (name, kind) == ("MultipleRelationalEmbedding", "Relation")
            options = {"n_components": 3} if relational else {}
            model = getattr(sidelight, name)(**options).fit(X, side=side)
        told = model.view("X") if relational else model.embedding_
        lost.append(
            trustworthiness(X, plain, n_neighbors=10) - trustworthiness(X, told, n_neighbors=10)
        )
    assert not lost or np.mean(lost) < ALLOWED, np.round(lost, 3)
