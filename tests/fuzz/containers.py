"""Tables as people have them: frames of every making, memory maps, numbers written as text."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tests.fuzz.dues import ANY, BAD, GOOD

#: What to make of a table, the map that is due, and how exactly a row is found again.
Container = tuple[Callable[[np.ndarray], Any], str, float]


class Labelled(np.ndarray):
    """An array of a class of its own, as libraries of units and labels have it."""


class Wrapped:
    """Something that can be made an array of, and is none."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Wrapped:
        return Wrapped(self.values[rows])


def frame(X: np.ndarray, **options: Any) -> Any:
    import pandas as pd

    names = [f"f{i}" for i in range(X.shape[1])]
    return pd.DataFrame(X, **{"columns": names, **options})


def memory_map(X: np.ndarray) -> np.ndarray:
    with tempfile.TemporaryFile() as file:
        mapped = np.memmap(file, dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    return mapped


def _bytes(X: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(40 * X) + 120, 0, 255).astype(np.uint8)


def _masked_cell(X: np.ndarray) -> Any:
    return np.ma.masked_array(X, mask=X[len(X) // 2, -1] == X)


def _with(**columns: Callable[[int], Any]) -> Callable[[np.ndarray], Any]:
    """A frame with further columns."""
    return lambda X: frame(X).assign(**{name: make(len(X)) for name, make in columns.items()})


def _categories(n: int) -> Any:
    import pandas as pd

    return pd.Categorical(["low", "high", "low", "middle"] * n)[:n]


def _numbered_categories(n: int) -> Any:
    import pandas as pd

    return pd.Categorical([1.5, 2.5, 0.5] * n)[:n]


def _times(n: int) -> Any:
    import pandas as pd

    return pd.date_range("2020-01-01", periods=n, freq="D")


def _twice_labelled(X: np.ndarray) -> Any:
    return frame(X, index=[f"row {i // 2}" for i in range(len(X))])


def _one_name_twice(X: np.ndarray) -> Any:
    return frame(X, columns=["a", *["b"] * (X.shape[1] - 1)])


def _two_levels(X: np.ndarray) -> Any:
    import pandas as pd

    names = pd.MultiIndex.from_tuples([("a", i) for i in range(X.shape[1])])
    return frame(X, columns=names)


def _some_named(X: np.ndarray) -> Any:
    return frame(X, columns=["a", *range(1, X.shape[1])])


def _of_many_kinds(X: np.ndarray) -> Any:
    of_whole, of_single = np.rint(20 * X[:, 0]).astype(np.int32), X[:, 1].astype(np.float32)
    return frame(X).assign(f0=of_whole, f1=of_single)


def _stored_sparse(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.where(X > 0, X, 0.0)))


def _polars(X: np.ndarray) -> Any:
    import polars as pl

    return pl.DataFrame({f"f{i}": X[:, i] for i in range(X.shape[1])})


def _polars_with_gap(X: np.ndarray) -> Any:
    import polars as pl

    return _polars(X).with_columns(
        pl.when(pl.col("f0") == X[1, 0]).then(None).otherwise(pl.col("f0")).alias("f0")
    )


def _polars_with_text(X: np.ndarray) -> Any:
    import polars as pl

    return _polars(X).with_columns(pl.lit("word").alias("name"))


def _arrow(X: np.ndarray) -> Any:
    import pyarrow as pa

    return pa.table({f"f{i}": X[:, i] for i in range(X.shape[1])})


CONTAINERS: dict[str, Container] = {
    "a memory map": (memory_map, GOOD, 1e-6),
    "an array of its own class": (lambda X: np.array(X).view(Labelled), GOOD, 1e-6),
    "what can be made an array": (Wrapped, ANY, 1e-6),
    "a list of arrays": (list, GOOD, 1e-6),
    "tuples": (lambda X: tuple(map(tuple, X.tolist())), GOOD, 1e-6),
    "transposed": (lambda X: np.ascontiguousarray(X.T).T, GOOD, 1e-6),
    "one row for all": (lambda X: np.broadcast_to(X[:1], X.shape), ANY, 1e-6),
    "bytes of pictures": (_bytes, ANY, 1e-6),
    "unsigned": (lambda X: np.rint(20 * X - 20 * X.min()).astype(np.uint64), ANY, 1e-6),
    "far away, 1e12": (lambda X: X + 1e12, ANY, 0.1),
    "one cell enormous": (lambda X: np.where(X[0, 0] == X, 1e200, X), ANY, 1e-6),
    "numbers as text": (lambda X: X.astype(str), ANY, 1e-6),
    "numbers as words": (lambda X: X.astype(str).astype(object), ANY, 1e-6),
    "complex, all real": (lambda X: X.astype(complex), ANY, 1e-6),
    "masked cells": (_masked_cell, BAD, 1e-6),
    "pandas, index twice": (_twice_labelled, GOOD, 1e-6),
    "pandas, named by numbers": (lambda X: frame(X, columns=range(X.shape[1])), GOOD, 1e-6),
    "pandas, of many kinds": (_of_many_kinds, ANY, 1e-6),
    "pandas, objects": (lambda X: frame(X.astype(object)), ANY, 1e-6),
    "pandas, numbers as text": (lambda X: frame(X.astype(str)), ANY, 1e-6),
    "pandas, a column twice": (_one_name_twice, ANY, 1e-6),
    "pandas, some named": (_some_named, ANY, 1e-6),
    "pandas, two levels of names": (_two_levels, ANY, 1e-6),
    "pandas, yes and no beside": (_with(is_it=lambda n: np.arange(n) % 2 == 0), ANY, 1e-6),
    "pandas, categories beside": (_with(kind=_categories), ANY, 1e-6),
    "pandas, numbered categories": (_with(kind=_numbered_categories), ANY, 1e-6),
    "pandas, times beside": (_with(when=_times), ANY, 1e-6),
    "pandas, an empty column": (_with(empty=lambda n: np.full(n, np.nan)), ANY, 1e-6),
    "pandas, stored sparse": (_stored_sparse, ANY, 1e-6),
    "polars with text": (_polars_with_text, ANY, 1e-6),
    "polars with a gap": (_polars_with_gap, BAD, 1e-6),
    "arrow": (_arrow, ANY, 1e-6),
    "a series": (lambda X: frame(X)["f0"], BAD, 1e-6),
    "a generator of rows": (iter, BAD, 1e-6),
    "named fields": (lambda X: frame(X).to_records(index=False), BAD, 1e-6),
    "five-dimensional": (lambda X: X.reshape(len(X), 1, 1, 1, -1), BAD, 1e-6),
    "images of one size and colours": (
        lambda X: np.tile(X[:, :2, None, None], (1, 1, 3, 3)), ANY, 1e-6,
    ),
    "a list of images": (lambda X: [np.outer(x[:2], [1.0, 2.0, 3.0]) for x in X], ANY, 1e-6),
}  # fmt: skip
