"""PCA of a Dask array: exact, in two passes, with one small matrix in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.core import FloatArray, require_memory
from sidelight.scale.blocks import finite_rows, in_whole_rows, summed_up
from sidelight.similarity import mean_and_scatter
from sidelight.solvers.eigen import column_signs
from sidelight.spectral import PCA, Seen


def principal_components(array: Any, n_components: int | float | str | None = 2) -> PCA:
    """Fit PCA to a Dask array, exactly, block by block.

    One pass sums the mean m and the scatter S = Σ (x_i − m)(x_i − m)ᵀ over the blocks, in the order
    of the rows; S, of order n_features, is the one matrix that is formed.  A second pass finds the
    largest coordinate in each direction, which the sign rule makes positive.

    Parameters
    ----------
    array : dask.array.Array of shape (n_samples, n_features)
        The data.
    n_components : int, float, "auto" or None
        As in :class:`~sidelight.PCA`.

    Returns
    -------
    PCA
        Fitted as ``PCA(n_components).fit(X)`` is, without ``embedding_``: the places are
        ``sidelight.scale.transform(model, array)``.

    Raises
    ------
    ValueError
        If a value is missing or not finite, with the block and the row.
    MemoryError
        If a table of n_features × n_features does not fit.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sidelight import PCA
    >>> from sidelight.scale import principal_components
    >>> X = np.random.default_rng(0).standard_normal((500, 4)) * [4, 3, 2, 1]
    >>> model = principal_components(da.from_array(X, chunks=(100, 4)), 2)
    >>> np.allclose(model.components_, PCA(2).fit(X).components_)
    True
    """
    who = "principal_components"
    array = in_whole_rows(array, who=who)
    p = array.shape[1]
    require_memory(
        8.0 * p * p * 4,
        what=f"tables of {p} × {p}",
        who=who,
        instead="Fit PCA to a sample of the rows: sidelight.scale.fit(PCA(method='dual'), array).",
    )
    model = PCA(n_components)._fit_to(summed_up(array, _seen_in, _both, who=who))
    extremes = summed_up(array, _extremes, _one_after_the_other, model, who=who)
    return model._turn(column_signs(extremes))


def _seen_in(X: FloatArray) -> Seen:
    X = finite_rows(X)
    X = X if X.dtype == np.float32 else X.astype(np.float64, copy=False)
    return Seen(len(X), *mean_and_scatter(X))


def _both(one: Seen, other: Seen) -> Seen:
    return other.joined(one)


def _extremes(X: FloatArray, model: PCA) -> FloatArray:
    """The largest and the smallest coordinate in each direction, in the order of their rows."""
    Z = model.transform(X)
    columns = np.arange(Z.shape[1])
    rows = np.sort([Z.argmax(axis=0), Z.argmin(axis=0)], axis=0)
    return np.asarray(Z[rows, columns])


def _one_after_the_other(one: FloatArray, other: FloatArray) -> FloatArray:
    return np.vstack([one, other])
