"""How good a map of a Dask array is: some of its rows compared with all, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.core import ArrayLike, FloatArray, IntArray, require_memory
from sidelight.neighbors import hashed_rows
from sidelight.quality import (
    QualityReport,
    check_same_length,
    distance_rows,
    is_by_rows,
    measured,
    rows_to_draw,
)
from sidelight.quality import quality_report as quality_report_in_memory
from sidelight.scale.blocks import finite_rows, in_whole_rows, on_block, places_of, summed_up
from sidelight.scale.fitting import rows_of
from sidelight.scale.placing import sent_to_workers

# Up to this many points all measures are taken in memory.
_FEW = 2000
# Distances of one batch of drawn rows to all, in the data and in the map, with room to rank them.
_BATCH_BYTES = 5e8


def quality_report(
    array: Any,
    places: Any,
    *,
    n_neighbors: int | None = None,
    metric: str = "euclidean",
    labels: ArrayLike | None = None,
    max_samples: int | None = None,
    random_state: Any = 0,
) -> QualityReport:
    """Measure a map of a Dask array in every way that needs no truth, block by block.

    Some rows are drawn, and each is compared with *all* rows: workers measure the distances of
    their blocks to the rows drawn, and these are ranked here.  The measures are those of
    :func:`sidelight.quality.quality_report`, of the same drawn rows.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        The data.
    places : dask.array.Array of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    n_neighbors : int, optional
        The size of the neighbourhood.  By default 10, or less for fewer than 21 points.
    metric : str
        The metric of the data, any of those of the report in memory but "precomputed".
    labels : array-like of shape (n_samples,), optional
        Adds the leave-one-out accuracy of the nearest neighbour in the map.
    max_samples : int, optional
        How many rows are drawn.  By default as many as make four million pairs, at least 100.
    random_state : int, Generator, RandomState or None
        Draws the rows.

    Returns
    -------
    QualityReport
        The measures; ``n_samples_used`` and the note say how many rows were drawn.

    Raises
    ------
    ValueError
        If a value is not finite, with its block, or the two arrays differ in length.
    MemoryError
        If the distances of one row to all others do not fit.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sidelight.scale import quality_report
    >>> X = np.random.default_rng(0).standard_normal((3000, 3)) * [3, 2, 0.1]
    >>> report = quality_report(da.from_array(X, chunks=1000), da.from_array(X[:, :2], chunks=1000))
    >>> report.n_samples_used, report.trustworthiness > 0.99
    (1333, True)
    """
    who = "sidelight.scale.quality_report"
    array, places = in_whole_rows(array, who=who), in_whole_rows(places, who=who, name="places")
    n = array.shape[0]
    check_same_length(n, places.shape[0], names=("array", "places"), who=who)
    if not is_by_rows(metric):
        raise ValueError(
            f"The 'metric' parameter of {who} must be one that compares rows, and does so without "
            f"a table of all: 'euclidean', 'cosine', 'cityblock', say. Got {metric!r}."
        )
    options = {"n_neighbors": n_neighbors, "labels": labels, "max_samples": max_samples}
    if n <= _FEW:
        X, Z = array.compute(), places.compute()
        return quality_report_in_memory(X, Z, metric=metric, random_state=random_state, **options)  # type: ignore[arg-type]
    require_memory(
        16.0 * n * 6,
        what="the distances of one row to all others",
        who=who,
        instead="Judge a sample of the rows, array[::10] and places[::10].",
    )
    rows, columns = rows_to_draw(n, max_samples, random_state, who=who)
    keys = summed_up(array, _hashed, _one_after_the_other, who=who)
    summed_up(places, _hashed, _one_after_the_other, who=who, name="places")  # are they finite?
    distinct = np.sort(np.unique(keys, return_index=True)[1])
    return measured(
        DistancesByBlocks(array, rows_of(array, rows, who=who), rows, metric, "array"),
        DistancesByBlocks(places, rows_of(places, rows, who=who), rows, "euclidean", "places"),
        rows,
        columns,
        distinct,
        n_neighbors=n_neighbors,
        labels=labels,
        metric=metric,
        n_components=places.shape[1],
        who=who,
    )


@dataclass(frozen=True, eq=False)
class DistancesByBlocks:
    """The distances of drawn rows to all rows of a Dask array.

    Parameters
    ----------
    array : dask.array.Array of shape (n, p)
        All rows.
    drawn : ndarray of shape (m, p)
        The rows drawn.
    index : ndarray of shape (m,)
        Their numbers, ascending.
    metric : str
        How they are compared.
    name : str
        The argument, for messages.
    """

    array: Any
    drawn: FloatArray
    index: IntArray
    metric: str
    name: str

    @property
    def n_samples(self) -> int:
        """How many rows there are."""
        return int(self.array.shape[0])

    def rows(self, index: IntArray) -> FloatArray:
        """The distances from some of the drawn rows to all."""
        from dask import compute, delayed

        who = "sidelight.scale.quality_report"
        some = sent_to_workers(self.drawn[np.searchsorted(self.index, index)])
        work = delayed(on_block)
        blocks = self.array.to_delayed().ravel()
        found = compute(
            *[
                work(_distances, block, place, some, self.metric, who=who, name=self.name)
                for block, place in zip(blocks, places_of(self.array), strict=True)
                if place.stop > place.start
            ]
        )
        return np.concatenate(found, axis=1)

    def blocks(self, index: IntArray) -> list[IntArray]:
        """Cut drawn rows into batches: each is one pass over the array."""
        step = max(1, int(_BATCH_BYTES // (48.0 * self.n_samples)))
        return [index[start : start + step] for start in range(0, index.size, step)]


def _distances(X: FloatArray, drawn: FloatArray, metric: str) -> FloatArray:
    """From drawn rows to those of a block, by the arithmetic of the measures of quality."""
    m = len(drawn)
    # three rows at least are points to the measures; of two drawn ones and a block's there are
    both = distance_rows(np.vstack([drawn, drawn[:1], drawn[:1], X]), metric, who="quality_report")
    return both.rows(np.arange(m))[:, m + 2 :]


def _hashed(X: FloatArray) -> IntArray:
    """A number for each row, by which copies are told; an error where one is not finite."""
    return hashed_rows(finite_rows(X))


def _one_after_the_other(one: IntArray, other: IntArray) -> IntArray:
    return np.concatenate([one, other])
