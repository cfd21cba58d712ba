"""From labels to pairs, by counting: the r-th pair is computed, never looked up.

With the rows sorted by class, the similar pairs of a class of c rows are numbered by the
triangular numbers, and the dissimilar pairs with their first row in class k by a rectangle of
c_k rows and all rows of later classes.  A draw is then a draw of distinct integers.

Few pairs drawn blindly say less than the labels: classes fall into pieces that no pair joins.  So a
draw begins with a chain through each class, which c - 1 pairs make, and with one pair of every two
classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from sidelight.core import BoolArray, FloatArray, IntArray, Whole, random_generator, require_memory

#: Labels that make more pairs than this say what they say by some of them: 64 bytes are taken for
#: each while they are sorted.
ALL_PAIRS_UP_TO = 4_000_000
#: So many of each kind then, and so many for each row: the classes of the rows that are left in
#: cross-validation still hang together.
SOME_PAIRS, PAIRS_OF_A_ROW = 100_000, 4


def pairs_of_labels(
    y: Any, unknown: Any, max_pairs: int | None, random_state: Any
) -> tuple[IntArray, IntArray]:
    """Find all pairs of rows of one class and of two, or a draw of each that spans the classes."""
    if max_pairs is not None and not Whole(1).admits(max_pairs):
        raise ValueError(
            f"The 'max_pairs' argument of Pairs.from_labels must be None or {Whole(1)}. "
            f"Got {max_pairs!r} instead."
        )
    labels, known = _known_labels(y, unknown)
    rows = np.flatnonzero(known)
    try:
        _, codes, counts = np.unique(labels[known], return_inverse=True, return_counts=True)
    except TypeError as error:  # what has no order
        raise ValueError(
            f"The 'y' argument of Pairs.from_labels must hold names, numbers or dates. Got values "
            f"of type {type(labels[known][0]).__name__}."
        ) from error
    rows = rows[np.argsort(codes, kind="stable")]
    n_similar = int((counts * (counts - 1) // 2).sum())
    n_dissimilar = len(rows) * (len(rows) - 1) // 2 - n_similar
    if max_pairs is None and n_similar + n_dissimilar > ALL_PAIRS_UP_TO:
        max_pairs = max(SOME_PAIRS, PAIRS_OF_A_ROW * len(rows))
    rng = random_generator(random_state)
    similar = _ranks(n_similar, max_pairs, len(rows) - len(counts), _chains, counts, rng)
    n_twos = len(counts) * (len(counts) - 1) // 2
    dissimilar = _ranks(n_dissimilar, max_pairs, n_twos, _one_of_every_two, counts, rng)
    return rows[_similar_pairs(similar, counts)], rows[_dissimilar_pairs(dissimilar, counts)]


def _known_labels(y: Any, unknown: Any) -> tuple[Any, BoolArray]:
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(
            f"The 'y' argument of Pairs.from_labels must have the shape (n_samples,). Got the "
            f"shape {labels.shape}."
        )
    if labels.dtype.kind == "O":
        known = np.array([not _is_missing(label) for label in labels], dtype=bool)
        values = labels[known].tolist()
        if len({isinstance(value, str) for value in values}) > 1:
            raise ValueError(
                "The 'y' argument of Pairs.from_labels must hold names or numbers, not both."
            )
        full = np.zeros(len(labels), dtype=np.array(values).dtype if values else np.int64)
        full[known] = values
        labels = full
    elif labels.dtype.kind == "f":
        known = ~np.isnan(labels)
    elif labels.dtype.kind in "US":
        known = labels != labels.dtype.type()
    else:
        known = np.ones(len(labels), dtype=bool)
    numeric = labels.dtype.kind in "iuf"
    if numeric and unknown is None:
        values = set(np.unique(labels[known]).tolist())
        if values == {-1, 1}:
            raise ValueError(
                "The 'y' argument of Pairs.from_labels holds -1 and 1: is -1 a class, or does it "
                "mean that the label is not known? Give unknown=-1 if not known, and name the "
                "classes otherwise: np.where(y > 0, 'yes', 'no')."
            )
        known = known & (labels != -1)
    elif unknown is not None and numeric == (not isinstance(unknown, str)):
        known = known & (labels != unknown)
    if labels.dtype.kind == "f" and known.any() and type_of_target(labels[known]) == "continuous":
        raise ValueError(
            "The 'y' argument of Pairs.from_labels must hold classes. Got real numbers. For "
            "values that are alike when they are close use Relation.from_values."
        )
    return labels, np.asarray(known)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label == "") or bool(label != label)
    except TypeError:  # pandas.NA refuses to be a bool
        return True


def _ranks(
    n_pairs: int,
    max_pairs: int | None,
    n_spanning: int,
    spanning: Callable[[IntArray, np.random.Generator], IntArray],
    counts: IntArray,
    rng: np.random.Generator,
) -> IntArray:
    """All pairs, or so many: those that span the classes if there is room for them, and others."""
    n_kept = n_pairs if max_pairs is None else min(int(max_pairs), n_pairs)
    require_memory(
        n_kept * 64.0,
        what=f"{'all ' if n_kept == n_pairs else ''}{n_kept} pairs",
        who="Pairs.from_labels",
        instead="Draw fewer of them with max_pairs.",
    )
    if n_kept == n_pairs:
        return np.arange(n_pairs)
    if n_spanning > n_kept:
        return np.sort(_distinct(n_pairs, n_kept, rng))
    first = spanning(counts.astype(np.int64), rng)
    others = _distinct(n_pairs, n_kept, rng)
    others = others[~np.isin(others, first)][: n_kept - len(first)]
    return np.sort(np.concatenate([first, others]))


def _distinct(n: int, size: int, rng: np.random.Generator) -> IntArray:
    """Distinct numbers below n in random order, without writing out all n if these are many."""
    if n <= ALL_PAIRS_UP_TO or 2 * size > n:
        return np.asarray(rng.choice(n, size=size, replace=False))
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < size:
        more = rng.integers(n, size=2 * (size - len(drawn)))
        drawn = np.unique(np.concatenate([drawn, more]))
    return np.asarray(rng.permutation(drawn)[:size])


def _chains(sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Ranks of similar pairs that join each class, along a random order of it."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort([rng.random(len(group)), group])
    within = order - (np.cumsum(sizes) - sizes)[group]
    joined = np.flatnonzero(np.diff(group) == 0)
    i, j = (pick(within[joined], within[joined + 1]) for pick in (np.maximum, np.minimum))
    n_of_class = sizes * (sizes - 1) // 2
    return np.asarray((np.cumsum(n_of_class) - n_of_class)[group[joined]] + i * (i - 1) // 2 + j)


def _one_of_every_two(sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Ranks of dissimilar pairs, one of each two classes."""
    a, b = np.triu_indices(len(sizes), 1)
    i, j = (rng.integers(sizes[which]) for which in (a, b))
    ends = np.cumsum(sizes)
    later = ends[-1] - ends
    n_of_class = sizes * later
    start = (np.cumsum(n_of_class) - n_of_class)[a]
    return np.asarray(start + i * later[a] + (ends - sizes)[b] - ends[a] + j)


def _similar_pairs(ranks: IntArray, counts: FloatArray | IntArray) -> IntArray:
    sizes = counts.astype(np.int64)
    stops = np.cumsum(sizes * (sizes - 1) // 2)
    group = np.searchsorted(stops, ranks, side="right")
    within = ranks - (stops - sizes * (sizes - 1) // 2)[group]
    # the pairs (i, j), j < i, are numbered i(i − 1)/2 + j
    i = ((1 + np.sqrt(1 + 8 * within.astype(np.float64))) / 2).astype(np.int64)
    i -= i * (i - 1) // 2 > within  # the root may have been rounded up …
    i += (i + 1) * i // 2 <= within  # … or down
    start = (np.cumsum(sizes) - sizes)[group]
    return np.column_stack([start + within - i * (i - 1) // 2, start + i])


def _dissimilar_pairs(ranks: IntArray, counts: FloatArray | IntArray) -> IntArray:
    sizes = counts.astype(np.int64)
    ends = np.cumsum(sizes)
    later = ends[-1] - ends if len(ends) else ends
    stops = np.cumsum(sizes * later)
    group = np.searchsorted(stops, ranks, side="right")
    within = ranks - (stops - sizes * later)[group]
    width = later[group]
    return np.column_stack([(ends - sizes)[group] + within // width, ends[group] + within % width])
