"""A model for a Dask array, from some of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import IntArray, require_memory
from sidelight.embedding import Sample, draw_sample
from sidelight.scale.blocks import dense_block, in_whole_rows


def fit(
    estimator: Any,
    array: Any,
    *,
    sample: int | None = None,
    side: Any = None,
    random_state: Any = 0,
) -> Any:
    """Fit an estimator to a sample of the rows of a Dask array.

    The sample stands for all rows: the others are placed by ``transform``.  Which rows are drawn
    depends on ``random_state`` and the number of rows, not on the blocks.

    Parameters
    ----------
    estimator : estimator
        Any estimator that makes a map; it is fitted in place.
    array : dask.array.Array of shape (n_samples, n_features)
        The data.
    sample : int, optional
        How many rows; by default as many as the method is meant for
        (``sidelight.embedding.reach``).
    side : side information or list of it, optional
        What is known about rows of the array.  Rows that are named are always in the sample.
    random_state : int, Generator, RandomState or None
        Draws the rows.

    Returns
    -------
    estimator
        The estimator, fitted.

    Raises
    ------
    MemoryError
        If the sample does not fit into memory.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sidelight import Isomap
    >>> from sidelight.scale import fit, transform
    >>> t = np.linspace(0, 3, 3000)
    >>> array = da.from_array(np.column_stack([np.cos(t), np.sin(t)]), chunks=(1000, 2))
    >>> model = fit(Isomap(1, n_neighbors=10), array, sample=300)
    >>> Z = transform(model, array).compute()
    >>> Z.shape, bool(abs(np.corrcoef(Z[:, 0], t)[0, 1]) > 0.999)
    ((3000, 1), True)
    """
    who = "sidelight.scale.fit"
    array = in_whole_rows(array, who=who)
    drawn = draw_sample(
        array.shape[0], sample, side=side, random_state=random_state, estimator=estimator, who=who
    )
    X = rows_of(array, drawn.rows, who=who)
    return fit_to_sample(estimator, X, drawn)


def rows_of(array: Any, rows: IntArray, *, who: str) -> Any:
    """Some rows of an array, in memory."""
    require_memory(
        3.0 * len(rows) * array.shape[1] * array.dtype.itemsize,
        what=f"a sample of {len(rows):,} rows",
        who=who,
        instead="Give a smaller sample.",
    )
    return dense_block(array[np.asarray(rows)].compute())


def fit_to_sample(estimator: Any, X: Any, drawn: Sample) -> Any:
    """Fit an estimator to the rows drawn, with what is known about them."""
    return estimator.fit(X, side=drawn.side) if drawn.side else estimator.fit(X)
