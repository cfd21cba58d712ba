"""Neighbours across the values of a known factor, where a shift in front has not undone it.

A row i whose kind value v has too (``matches``) looks for neighbours of value v from where it would
lie there: x_i + δ, δ the mean of x_m − x_l over the rows l around it and their matches m in v.  Of
what the row chooses v has the share n_v/n; the values that the row does not match have the rest,
as the row finds its neighbours among them.  A row that matches no other value keeps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from sidelight.core import BoolArray, FloatArray, IntArray, Threads
from sidelight.estimator import Points
from sidelight.latent.neighbor_embedding.affinities import Affinities, choices, made_mutual
from sidelight.latent.neighbor_embedding.known.matches import (
    BALANCE,
    BalanceSettings,
    Matches,
    match_across,
    shows_among_neighbors,
)
from sidelight.latent.neighbor_embedding.start import rounded
from sidelight.neighbors import Neighbors, each_row
from sidelight.side import Condition


@dataclass(frozen=True)
class Portion:
    """Neighbours that some rows choose among.

    Parameters
    ----------
    rows : ndarray of shape (m,)
        Who chooses,
    near : Neighbors
        among whom,
    share : float
        and how much of all that these rows choose.
    """

    rows: IntArray
    near: Neighbors
    share: float


@dataclass(frozen=True)
class Balance:
    """Who finds neighbours where.

    Parameters
    ----------
    portions : tuple of Portion
        The shares of a row sum to one; empty where all is left as it is.
    accepted : ndarray of shape (n, n_values)
        The values in which a row finds neighbours, beside its own.
    said : str
        What was done.
    """

    portions: tuple[Portion, ...]
    accepted: BoolArray
    said: str


def values_of(conditions: Sequence[Condition], rows: IntArray) -> IntArray | None:
    """The values of factors at some rows, numbered together; None where they come round again."""
    if any(one.period is not None or one.values.ndim > 1 for one in conditions):
        return None
    said = [np.unique(one.values, return_inverse=True)[1][rows] for one in conditions]
    return np.unique(np.column_stack(said), axis=0, return_inverse=True)[1].ravel()


def neighbors_across(
    points: Points,
    near: Neighbors,
    values: IntArray | None,
    settings: BalanceSettings = BALANCE,
) -> Balance | None:
    """Find neighbours across few values; None where neighbours do not show the factor."""
    if values is None or values.max() >= settings.most_values:
        return None
    counts = np.bincount(values)
    if np.sum(counts > settings.fewest) < 2 or not shows_among_neighbors(near, values, settings):
        return None
    n = len(values)
    none = np.zeros((n, len(counts)), dtype=bool)
    if float(n) ** 2 * points.rows.shape[1] > settings.work:
        return Balance((), none, "rows are too many to be matched across values")
    found = match_across(points, near, values, settings)
    acting = int(found.accepted.any(axis=1).sum())
    if not acting:
        why = "rows do not match across values, or are mixed where they do"
        return Balance((), none, f"all rows keep their neighbours: {why}")
    said = f"{acting} rows find neighbours across values, {n - acting} keep their own"
    portions = (
        *_at_home(near, found, values, counts / n, settings),
        *_across(points, near.indices.shape[1], found, values, settings),
    )
    return Balance(portions, found.accepted, said)


def balanced_affinities(
    found: Balance,
    perplexities: FloatArray,
    pool: Threads,
    settings: BalanceSettings = BALANCE,
) -> Affinities:
    """P of rows that choose by portions, each with its share of the perplexity."""
    n, rows, columns, weights = len(found.accepted), [], [], []
    for one in found.portions:
        wanted = np.maximum(one.share * perplexities, np.minimum(perplexities, settings.least))
        P = choices(one.near, wanted, pool) * np.float32(one.share)
        rows.append(np.repeat(one.rows, P.shape[1]))
        columns.append(one.near.indices.ravel())
        weights.append(P.ravel())
    places = np.concatenate(rows), np.concatenate(columns)
    return made_mutual(sp.csr_array((np.concatenate(weights), places), shape=(n, n)))


def _listed(k: int, share: float, settings: BalanceSettings) -> int:
    """Neighbours that are looked at for a share of the choices."""
    return int(min(k, max(np.ceil(round(share * k, 6)), 2 * settings.least)))


def _at_home(
    near: Neighbors,
    found: Matches,
    values: IntArray,
    shares: FloatArray,
    settings: BalanceSettings,
) -> list[Portion]:
    """The nearest of every row among its own value and those that it does not match."""
    n, k = near.indices.shape
    acting, other = found.accepted.any(axis=1), values[near.indices]
    listed = (other == values[:, None]) | found.accepted[np.arange(n)[:, None], other]
    indices = np.hstack([found.own.indices, near.indices])
    distances = np.hstack([found.own.distances, np.where(listed, np.inf, near.distances)])
    order = np.lexsort((indices, distances), axis=1)
    indices, distances = (np.take_along_axis(one, order, 1) for one in (indices, distances))
    kept = np.flatnonzero(~acting)
    portions = [Portion(kept, Neighbors(near.indices[kept], near.distances[kept]), 1.0)]
    # those who match the same values have the same left
    left = np.round(1.0 - np.where(found.accepted, shares, 0.0).sum(axis=1), 9)
    for share in np.unique(left[acting]).tolist():
        rows, few = np.flatnonzero(acting & (left == share)), _listed(k, share, settings)
        portions.append(Portion(rows, Neighbors(indices[rows, :few], distances[rows, :few]), share))
    return portions


def _across(
    points: Points, k: int, found: Matches, values: IntArray, settings: BalanceSettings
) -> list[Portion]:
    """For every value the rows that match it, and their neighbours from where they would lie."""
    n, portions = len(values), []
    X = np.asarray(points.rows, dtype=np.float64)
    heads = np.repeat(np.arange(n), np.diff(found.pairs.indptr))
    for value in np.flatnonzero(found.accepted.any(axis=0)):
        rows, there = np.flatnonzero(found.accepted[:, value]), np.flatnonzero(values == value)
        met = (values[found.pairs.indices] == value) & (values[heads] != value)
        ends = heads[met], found.pairs.indices[met]
        to = sp.csr_array((np.ones(len(ends[0])), ends), shape=(n, n))
        number = np.diff(to.indptr).astype(np.float64)
        steps = to @ X - number[:, None] * X
        around = sp.csr_array(found.around[rows])
        shift = rounded((around @ steps) / (around @ number)[:, None])
        moved = points.of_new((X[rows] + shift).astype(points.rows.dtype), each_row(n))
        share = len(there) / n
        near = points.take(there).nearest(_listed(k, share, settings), moved)
        portions.append(Portion(rows, Neighbors(there[near.indices], near.distances), share))
    return portions
