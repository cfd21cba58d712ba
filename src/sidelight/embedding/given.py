"""What came in at the door: numbers to work on, the names of their rows, what was set aside."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import is_sparse
from sidelight.embedding.tables import column_named
from sidelight.embedding.tokens import called_nuisance
from sidelight.side import Invariance, SideInformation, by_number, labels_of_index

_POLICIES = ("keep", "mean", "drop-rows", "drop-columns", "error")
_COLUMNS = ("numbers", "mixed")
_DISTANCES = "X is square and symmetric with zeros on its diagonal, as a table of distances is."


@dataclass(frozen=True, eq=False)
class Given:
    """Data as an estimator takes them.

    Parameters
    ----------
    X : array, sparse array or frame of shape (n_samples, n_features)
        Numbers.
    side : object
        What is known about their rows, by number.
    names : tuple, optional
        The labels of the rows.
    image_shape : tuple of int, optional
        The shape of the images that rows were.
    frame : object
        The frame that they came in, with the columns set aside.
    columns : tuple of str or None
        The names of the columns of X, where it was a frame and is none any more.
    notes : tuple of str
        What was done that nobody asked for in so many words.
    coder : object
        How columns of mixed kinds became numbers.
    """

    X: Any
    side: Any
    names: tuple[Any, ...] | None = None
    image_shape: tuple[int, ...] | None = None
    frame: Any = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    coder: Any = None

    @classmethod
    def read(cls, X: Any, side: Any, names: Any, missing: str, columns: str = "numbers") -> Given:
        """Read data: a frame, images, or an array."""
        if columns not in _COLUMNS:
            raise ValueError(
                f"The 'columns' argument of embed must be one of {', '.join(_COLUMNS)}. Got "
                f"{columns!r} instead."
            )
        if missing not in _POLICIES:
            raise ValueError(
                f"The 'missing' argument of embed must be one of {', '.join(_POLICIES)}. Got "
                f"{missing!r} instead."
            )
        frame = X if _is_frame(X) else None
        if isinstance(names, str):
            from sidelight.io.table import column_of_frame

            names, X = column_of_frame(X, names, who="embed")
        side = by_number(side, X, names=names, who="embed")
        labels = labels_of_index(X) if names is None else tuple(names)
        given = cls(X, side, labels, frame=frame)
        given = given._coded() if columns == "mixed" else given._as_numbers()._as_rows_of_pixels()
        return given if missing == "keep" else given._without_missing(missing)

    def _as_numbers(self) -> Given:
        if not _is_frame(self.X):
            return self
        from sidelight.io.table import numbers_of_frame

        X, note = numbers_of_frame(self.X)
        return replace(self, X=X, notes=(*self.notes, note) if note else self.notes)

    def _coded(self) -> Given:
        from sidelight.io.coding import MixedColumns
        from sidelight.io.table import columns_of_frame

        found = columns_of_frame(self.X)
        coder, note = MixedColumns.learn(found, "X given to embed")
        X = coder.apply(found)
        return replace(self, X=X, columns=coder.names, coder=coder, notes=(*self.notes, note))

    def _as_rows_of_pixels(self) -> Given:
        shape = np.shape(self.X) if isinstance(self.X, np.ndarray) else ()
        if len(shape) not in (3, 4):
            return self
        note = f"Images of {' × '.join(map(str, shape[1:]))} are rows of pixels."
        X, side = self.X.reshape(shape[0], -1), _of_images(self.side, shape[1:])
        return replace(self, X=X, side=side, image_shape=shape[1:], notes=(*self.notes, note))

    def _without_missing(self, policy: str) -> Given:
        from sidelight.io.table import settle_missing

        X = np.asarray(self.X, dtype=np.float64)
        called = self.columns or getattr(self.X, "columns", None)
        columns = tuple(map(str, range(X.shape[1]) if called is None else called))
        filled, rows, kept, note = settle_missing(
            X, columns, policy, "X given to embed", row_names=self.names
        )
        named = None if called is None else tuple(np.array(columns)[kept])
        notes = (*self.notes, note) if note else self.notes
        given = replace(self, X=filled[:, kept], columns=named, notes=notes)
        return given if rows.all() else given._within(np.flatnonzero(rows))

    def beside(self) -> dict[str, Any]:
        """The columns of the frame that were set aside and are called as nuisances are."""
        if self.frame is None or self.X is self.frame:
            return {}
        named = getattr(self.X, "columns", ()) if self.columns is None else self.columns
        columns = getattr(self.frame, "column_names", None)  # of pyarrow
        used, own = set(map(str, named)), self.frame.columns if columns is None else columns
        found = {
            name: column_named(self.frame, name)
            for name in map(str, own)
            if name not in used and called_nuisance(name)
        }
        return {name: values for name, values in found.items() if values is not None}

    def _within(self, rows: Any) -> Given:
        """Of so many rows alone."""
        values = self.side if isinstance(self.side, (list, tuple)) else [self.side]
        side = [v.within(rows) if isinstance(v, SideInformation) else v for v in values]
        names = self.names if self.names is None else tuple(self.names[row] for row in rows)
        frame = self.frame if self.frame is None else _rows_of_frame(self.frame, rows)
        kept = side if isinstance(self.side, (list, tuple)) else side[0]
        return replace(self, X=self.X[rows], side=kept, names=names, frame=frame)


def seem_distances(X: Any) -> bool:
    """Whether an array is a table of distances, by its looks."""
    shape = np.shape(X)
    square = len(shape) == 2 and shape[0] == shape[1] and shape[0] >= 3
    if not square or is_sparse(X) or np.iscomplexobj(X):
        return False
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):  # the estimator says what is wrong with it
        return False
    if table.diagonal().any() or not table.any():
        return False
    return bool(np.array_equal(table, table.T) and (table >= 0).all())


def said_of_distances(n: int) -> str:
    """What is said where such a table is read as what it seems."""
    return (
        f"{_DISTANCES} It is read as the distances among {n} rows; metric='euclidean' reads it as "
        f"features."
    )


def warn_of_distances(X: Any) -> None:
    """Warn of a table of distances that is about to be read as feature vectors."""
    if not seem_distances(X):
        return
    n = np.shape(X)[0]
    warnings.warn(
        f"{_DISTANCES} It is read as {n} vectors of {n} features. If it holds distances, say "
        f"metric='precomputed' (on the command line --metric precomputed).",
        stacklevel=3,
    )


def _of_images(side: Any, shape: tuple[int, ...]) -> Any:
    """What is known, with the shape of the images where it asks for one."""
    if isinstance(side, (list, tuple)):
        return [_of_images(value, shape) for value in side]
    return side._of_images(shape) if isinstance(side, Invariance) else side


def _is_frame(X: Any) -> bool:
    kind = type(X)  # asking a lazy frame itself for its columns would be work
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def _rows_of_frame(frame: Any, rows: Any) -> Any:
    import narwhals.stable.v1 as nw

    return nw.from_native(frame, eager_only=True)[rows.tolist()].to_native()
