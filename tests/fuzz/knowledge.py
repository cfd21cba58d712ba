"""Side information: every kind, right, random, contradictory, about other rows, or none at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from tests.fuzz.dues import ANY, BAD, GOOD


@dataclass(frozen=True)
class Told:
    """How to make the ``side`` argument, and whether a map is due.

    It is made when the case is run, since making it may already be refused.
    """

    kind: str
    make: Callable[[], Any]
    due: str = GOOD
    as_y: bool = False


def _pairs(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """m different pairs of rows."""
    first, second = np.triu_indices(n, 1)
    chosen = rng.permutation(len(first))[:m]
    return np.column_stack([first[chosen], second[chosen]])


def _good(rng: np.random.Generator, kind: str, n: int) -> Any:
    """Knowledge of a kind that says something consistent."""
    pairs = _pairs(rng, n, 6)
    half = len(pairs) // 2
    labels = np.arange(n) % 3
    if kind == "Pairs":
        if rng.random() < 0.3:
            return Pairs.from_labels(labels)
        return Pairs(similar=pairs[:half], dissimilar=pairs[half:])
    if kind == "Attributes":
        return Attributes([Pairs(similar=pairs[:half]), Pairs(similar=pairs[half:])])
    if kind == "Distances":
        return Distances(pairs, rng.uniform(0.5, 2.0, len(pairs)))
    if kind == "Actions":
        steps = n - 1
        if rng.random() < 0.3 and n > 5:
            return Actions(["east"] * (n - 2), episodes=[0] * (n // 2) + [1] * (n - n // 2))
        return Actions((["east"] * (steps // 2) + ["north"] * steps)[:steps])
    if kind == "Condition":
        values = [labels.astype(str), rng.random(n), labels, rng.random((n, 2))]
        which = rng.integers(len(values) + 1)
        if which == len(values):
            return Condition(360 * rng.random(n), period=360)
        return Condition(values[which])
    if kind == "Relation":
        if rng.random() < 0.5:
            return Relation.from_values(rng.random(n))
        rows = np.sort(rng.permutation(n)[: max(3, n // 2)])
        return Relation.from_values(labels[: len(rows)].astype(float), index=rows)
    if kind == "Anchors":
        m = int(rng.integers(1, 5))
        return Anchors(rng.permutation(n)[:m], 10 * rng.standard_normal((m, 2)))
    if kind == "Sequence":
        return Sequence(order=rng.random(n)) if rng.random() < 0.3 else Sequence(labels)
    return Invariance(abs)


def _random(rng: np.random.Generator, kind: str, n: int) -> Any:
    """Knowledge that says nothing about the data, often more of it than can be true at once."""
    many = _pairs(rng, n, 3 * n)
    if kind == "Pairs":
        return Pairs(similar=many[: len(many) // 2], dissimilar=many[len(many) // 2 :])
    if kind == "Attributes":
        return Attributes([Pairs(similar=many[i::4], dissimilar=many[i + 1 :: 4]) for i in (0, 2)])
    if kind == "Distances":
        return Distances(many, 10.0 ** rng.uniform(-4, 4, len(many)))
    if kind == "Actions":
        return Actions(rng.integers(0, 4, max(n - 1, 0)))
    if kind == "Condition":
        return Condition(rng.choice([np.arange(n), np.zeros(n), np.repeat(0.5, n)]).astype(str))
    if kind == "Relation":
        table = rng.random((n, n))
        return Relation(table + table.T)
    if kind == "Anchors":
        positions = rng.standard_normal((n, 2)) * 10.0 ** rng.uniform(-12, 12)
        return Anchors(np.arange(n), positions)
    if kind == "Sequence":
        return Sequence(rng.integers(0, max(n // 3, 1), n), rng.random(n))
    return Invariance([abs, np.negative], image_shape=(2, 2))


def _contradictory(rng: np.random.Generator, kind: str, n: int) -> Any:
    if kind == "Pairs":
        return Pairs(similar=[(0, 1)], dissimilar=[(1, 0)])
    if kind == "Attributes":
        return Attributes([Pairs(similar=[(0, 1)], dissimilar=[(0, 1)])])
    if kind == "Distances":
        return Distances([(0, 1), (1, 0)], [1.0, 2.0])
    if kind == "Anchors":
        return Anchors([0, 0], [[0.0, 1.0], [2.0, 3.0]])
    if kind == "Actions":
        return Actions(["a"] * n)
    if kind == "Condition":
        return Condition(np.zeros(n + 1))
    if kind == "Relation":
        return Relation(-np.ones((n, n)))
    if kind == "Sequence":
        return Sequence(["a"] * n, np.arange(n + 1.0))
    return Invariance(abs, image_shape=(1000, 1000))


def _absent(rng: np.random.Generator, kind: str, n: int) -> Any:
    """Knowledge of rows that X does not have."""
    row = int(rng.choice([n, n + 7, -1]))
    if kind == "Pairs":
        return Pairs(similar=[(0, row)])
    if kind == "Attributes":
        return Attributes([Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(1, row)])])
    if kind == "Distances":
        return Distances([(0, row)], [1.0])
    if kind == "Anchors":
        return Anchors([row], [[0.0, 0.0]])
    if kind == "Relation":
        return Relation(np.eye(2), index=[0, row])
    if kind == "Condition":
        return Condition(np.zeros(n + 3))
    if kind == "Actions":
        return Actions(["a"] * (n + 3))
    if kind == "Sequence":
        return Sequence(np.arange(n + 3))
    return Invariance(abs, image_shape=(1000, 1000))


def _unreal(rng: np.random.Generator, kind: str, n: int) -> Any:
    """Numbers that are none, or of another type, in a value of a kind."""
    value = [float("nan"), float("inf"), -1.0, 1e300, "word", None][rng.integers(6)]
    if kind in ("Pairs", "Attributes"):
        pairs = Pairs(similar=[(0, value)])
        return pairs if kind == "Pairs" else Attributes([pairs])
    if kind == "Distances":
        return Distances([(0, 1)], [value])
    if kind == "Anchors":
        return Anchors([0, 1, 2], [[0.0, value], [1.0, 2.0], [0.0, 1.0]])
    if kind == "Relation":
        table = np.ones((n, n)).astype(object)
        table[0, 1] = table[1, 0] = value
        return Relation(table.tolist())
    if kind == "Condition":
        return Condition([value, *np.arange(n - 1.0)])
    if kind == "Actions":
        return Actions([value, *["a"] * (n - 2)])
    if kind == "Sequence":
        return Sequence(order=[value, *np.arange(n - 1.0)])
    return Invariance(value)


KINDS = (
    "Pairs", "Attributes", "Distances", "Actions", "Condition", "Relation", "Anchors",
    "Invariance", "Sequence",
)  # fmt: skip
NOT_SIDE: tuple[Any, ...] = (
    3, "Pairs", [(0, 1)], {"similar": [(0, 1)]}, np.zeros((2, 2)), Pairs, [Pairs], [None], ((),),
)  # fmt: skip


def draw_knowledge(rng: np.random.Generator, entry: Any, n: int) -> Told:
    """Draw what is told: nothing most often, and mostly what the estimator understands."""
    luck = rng.random()
    if luck < 0.6 and not (entry.family == "metric" or "Actions" in entry.understands):
        return Told("nothing", lambda: None)
    if luck < 0.1:
        return Told("nothing", [lambda: None, list, tuple][int(1000 * luck) % 3])
    if luck > 0.98:
        wrong = NOT_SIDE[rng.integers(len(NOT_SIDE))]
        return Told(f"no side information: {wrong!r}", lambda: wrong, BAD)
    understood = [kind for kind in KINDS if kind in entry.understands]
    if not understood and rng.random() < 0.8:
        return Told("nothing", lambda: None)
    kinds = understood if understood and rng.random() < 0.93 else list(KINDS)
    kind = str(rng.choice(kinds))
    known = kind in entry.understands
    seed, n = int(rng.integers(2**31)), max(n, 2)

    def made_by(make: Callable[..., Any]) -> Callable[[], Any]:
        return lambda: make(np.random.default_rng(seed), kind, n)

    ways = [
        ("good", _good, GOOD if n >= 9 else ANY),
        ("random", _random, ANY),
        ("contradictory", _contradictory, BAD),
        ("absent rows", _absent, BAD),
        ("unreal", _unreal, ANY),
    ]
    name, make, due = ways[rng.choice(5, p=[0.64, 0.2, 0.05, 0.06, 0.05])]
    if kind == "Distances" and due in (GOOD, BAD) and name != "absent rows":
        due = ANY  # they may contradict the lengths of edges, and a fit may lie between them
    due = due if known else BAD
    once, luck = made_by(make), rng.random()
    if luck < 0.03:
        return Told(f"{name} {kind} as y", once, BAD, as_y=True)
    if luck < 0.05:
        return Told(f"{name} {kind} from a generator", lambda: (one for one in [once()]), BAD)
    if luck < 0.2:
        held = [list, tuple][int(100 * luck) % 2]
        return Told(f"{name} {kind} in a {held.__name__}", lambda: held([once()]), due)
    if luck < 0.3 and len(understood) > 1 and known:
        other = str(rng.choice(understood))
        both = f"{name} {kind} and good {other}"
        second = np.random.default_rng(seed + 1)
        return Told(both, lambda: [once(), _good(second, other, n)], BAD if due == BAD else ANY)
    return Told(f"{name} {kind}", once, due)
