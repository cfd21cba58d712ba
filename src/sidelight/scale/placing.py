"""Rows of a Dask array placed in a map, block by block; the model is sent to each worker once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sidelight.core import FloatArray
from sidelight.scale.blocks import Place, dask_arrays, in_whole_rows, on_block
from sidelight.scale.cluster import everywhere
from sidelight.scale.conditions import Stated, cut_with_rows


def transform(model: Any, array: Any, *, condition: Any = None) -> Any:
    """Place the rows of a Dask array in a map, block by block.

    Where a Dask client is at work the model goes to every worker once, and stays there while the
    result or anything made of it is kept; otherwise the blocks share it.

    Parameters
    ----------
    model : estimator
        Fitted, with ``transform``.
    array : dask.array.Array of shape (n_samples, n_features)
        New rows.
    condition : Condition or list of them, array or Dask array of values, optional
        The values of a known factor for these rows, in their order, where the model takes one out:
        as its own ``transform`` has it.  They are cut with the blocks.

    Returns
    -------
    dask.array.Array of shape (n_samples, n_components)
        Their places, in float64: nothing is computed before it is asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from sidelight import PCA
    >>> from sidelight.scale import transform
    >>> X = np.random.default_rng(0).standard_normal((300, 4))
    >>> model = PCA(2).fit(X)
    >>> Z = transform(model, da.from_array(X, chunks=(100, 4)))
    >>> Z.chunks, np.allclose(Z.compute(), model.embedding_)
    (((100, 100, 100), (2,)), True)
    """
    who = f"{type(model).__name__}.transform"
    array = in_whole_rows(array, who="sidelight.scale.transform")
    _require_columns(model, array, who=who)
    n_components = len(model.get_feature_names_out())
    known: list[Any] = []
    stated: Stated | None = None
    if condition is not None:
        known, stated = cut_with_rows(condition, array, who="sidelight.scale.transform")
    return dask_arrays().map_blocks(
        _placed,
        array,
        *known,
        stated=stated,
        model=sent_to_workers(model),
        n_components=n_components,
        who=who,
        dtype=np.float64,
        chunks=(array.chunks[0], (n_components,)),
        meta=np.empty((0, 0)),
    )


def _require_columns(model: Any, array: Any, *, who: str) -> None:
    """Refuse other columns now, and not when the blocks are placed."""
    fitted = getattr(model, "n_features_in_", None)
    if fitted is not None and array.shape[1] != fitted:
        raise ValueError(
            f"{who} expects an array of the {fitted} columns that it was fitted on. Got one of "
            f"shape {array.shape}. Give those columns, in their order."
        )


def sent_to_workers(value: Any) -> Any:
    """A value on every worker of the client that is at work, sent once; itself without one."""
    client = client_at_work()
    return value if client is None else everywhere(client, value)


def client_at_work() -> Any:
    """The Dask client of this process, or None."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:  # there is none
        return None


def _placed(
    block: Any,
    *known: Any,
    stated: Stated | None,
    model: Any,
    n_components: int,
    who: str,
    block_info: Any = None,
) -> FloatArray:
    if len(block) == 0:
        return np.empty((0, n_components))
    location = block_info[0]
    place = Place(location["chunk-location"][0], *location["array-location"][0])
    place_rows = model.transform
    if stated is not None:
        place_rows = partial(place_rows, condition=stated(list(known)))
    Z = on_block(place_rows, block, place, who=who, name="array")
    return np.asarray(Z, dtype=np.float64)
