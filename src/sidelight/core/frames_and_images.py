"""Rows of numbers out of what people have: frames with other columns beside them, and images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod
from numbers import Complex
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray, is_sparse, unmasked
from sidelight.core.messages import listed, warn

#: (n_samples, height, width), and with channels behind.
_DIMENSIONS_OF_IMAGES = (3, 4)
#: So many values tell what a column holds.
_LOOKED_AT = 20


@dataclass(frozen=True)
class Numbers:
    """The numbers of a frame, and which of its columns they are not in.

    Parameters
    ----------
    X : frame or array, or None
        The columns of numbers; None where there are none.
    words : list of str
        Columns that are set aside: texts, dates, categories, lists.
    empty : list of str
        Columns with nothing in them.
    written : list of str
        Columns of numbers that were written as text.
    """

    X: Any
    words: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def left_out(self) -> str:
        """What is said of the columns that are no data."""
        said = []
        if self.words:
            said.append(f"Set aside {listed(self.words, 'column')}: not numbers.")
        if self.empty:
            said.append(said_of_empty(self.empty))
        return " ".join(said)


def said_of_empty(names: Sequence[str]) -> str:
    """What is said of columns that hold nothing.

    Examples
    --------
    >>> said_of_empty(["a", "b"])
    "Left out the columns 'a', 'b': there is nothing in them."
    """
    them = "it" if len(names) == 1 else "them"
    return f"Left out {listed(names, 'column')}: there is nothing in {them}."


def read_rows(model: Any, X: Any, *, reset: bool) -> Any:
    """X as scikit-learn's check takes it, with a word on what a fit leaves out.

    Of a frame the columns that are no numbers are set aside, but none that the model was fitted
    to.  Images become rows of pixels, and the model keeps their shape, ``image_shape_``.
    """
    who = type(model).__name__
    needed = () if reset else getattr(model, "feature_names_in_", ())
    X, shape = rows_in(X, who=who, needed=needed)
    if reset:
        vars(model).pop("image_shape_", None)  # of an earlier fit
        if shape is not None:
            model.image_shape_ = shape
            warn(f"{who}: {said_of_images(shape)}")
    elif shape is not None and shape != getattr(model, "image_shape_", shape):
        raise ValueError(
            f"{who} was fitted to images of {_written(model.image_shape_)}. Got images of "
            f"{_written(shape)} in X. Bring them to one size."
        )
    return X


def rows_in(
    X: Any, *, who: str, name: str = "X", needed: Collection[str] = ()
) -> tuple[Any, tuple[int, ...] | None]:
    """The numbers of a frame, or images as rows of pixels and their shape; anything else as it is.

    What is left out of a frame is said, unless it is known which of its columns are ``needed``.
    """
    if not is_frame(X):
        return rows_of_pixels(unmasked(X), who=who, name=name)
    if hasattr(type(X), "collect"):
        raise TypeError(
            f"{who} expects {name} to hold numbers. Got a {type(X).__name__}, which is a plan for "
            f"them. Carry it out: {name}.collect()."
        )
    if 0 in np.shape(X)[1:]:
        raise ValueError(
            f"{who} expects {name} to hold numbers. Got a frame without columns. Was the file read "
            f"as it should be?"
        )
    found = numbers_of_frame(X, needed=needed)
    wrong = [column for column in needed if column in found.words]
    if wrong:
        raise ValueError(
            f"{who} was fitted to numbers in {listed(wrong, 'column')}. Got text that is no number "
            f"there. Give the numbers of these rows."
        )
    if found.X is None:
        remedy = "Give numbers as numbers, not as text; " * bool(found.words)
        mixed = "sidelight.embed(X, columns='mixed') compares rows by words and dates, too."
        raise ValueError(
            f"{who} expects {name} to hold numbers. {found.left_out} No column is left. "
            f"{remedy}{mixed if found.words else 'Was the file read as it should be?'}"
        )
    if found.left_out and not len(needed):
        warn(f"{who}: {found.left_out}")
    return found.X, None


def is_frame(X: Any) -> bool:
    """Whether data come in named columns."""
    kind = type(X)  # asking a lazy frame itself for its columns would be work
    return hasattr(kind, "columns") or hasattr(kind, "column_names")


def numbers_of_frame(frame: Any, *, needed: Collection[str] = ()) -> Numbers:
    """Give a frame of numbers alone, of the same library, and say what was set aside.

    A frame of numbers without gaps is given back as it is; where values may be missing (nullable
    integers) they become floats with NaN, and so do objects and texts that are all numbers.  A
    column that is ``needed`` stays with nothing in it.  Without narwhals, and for what it cannot
    read (columns of one name, complex numbers), nothing is done: the check that follows says what
    is wrong.
    """
    try:
        import narwhals.stable.v1 as nw
        from narwhals.exceptions import NarwhalsError
    except ImportError:
        return Numbers(frame)
    try:
        table = nw.from_native(frame, eager_only=True)
        columns = named_columns(table)
    except (TypeError, NarwhalsError):
        return Numbers(frame)
    if not columns or any(map(_is_strange, columns.values())):
        return Numbers(frame)
    if all(map(_is_whole, columns.values())):
        return Numbers(frame)
    empty = [name for name, c in columns.items() if name not in needed and _is_empty(c)]
    found = {name: floats_of(c) for name, c in columns.items() if name not in empty}
    numbers = {name: values for name, values in found.items() if values is not None}
    said = Numbers(
        None,
        words=tuple(str(name) for name in found if name not in numbers),
        empty=tuple(map(str, empty)),
        written=tuple(str(name) for name in numbers if _is_written(columns[name])),
    )
    if not numbers:
        return said
    named = all(isinstance(name, str) for name in numbers)
    if named and all(_is_whole(columns[name]) for name in numbers):
        return replace(said, X=table.select(list(numbers)).to_native())
    X = np.column_stack(list(numbers.values()))
    if named:
        X = nw.from_numpy(X, list(numbers), backend=table.implementation).to_native()
    return replace(said, X=X)


def named_columns(table: Any) -> dict[Any, Any]:
    """The columns of a narwhals frame by name; old versions let two of one name through."""
    twice = [repr(name) for name, count in Counter(table.columns).items() if count > 1]
    if twice:
        raise ValueError(
            f"The frame needs unique column names. Got more than one {', '.join(twice)}. Rename "
            f"them, or leave all but one out."
        )
    return dict(zip(table.columns, table.iter_columns(), strict=True))


def floats_of(column: Any, *, written: bool = True) -> FloatArray | None:
    """A column of narwhals as numbers, also ``written`` as text; None if it holds something "
    f"else."""
    import narwhals.stable.v1 as nw

    if _is_numeric(column):
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if column.null_count() == len(column):
        return np.full(len(column), np.nan)
    if column.dtype != nw.Object and not (written and column.dtype == nw.String):
        return None
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    try:
        found = np.array([np.nan if gone else value for value, gone in pairs], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return found if found.ndim == 1 else None  # lists of numbers are no numbers


def _is_numeric(column: Any) -> bool:
    import narwhals.stable.v1 as nw

    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _is_strange(column: Any) -> bool:
    """Whether a column holds numbers of which narwhals has no name: complex, or stored sparse."""
    import narwhals.stable.v1 as nw

    if column.dtype != nw.Unknown:
        return False
    return any(isinstance(value, Complex) for value in column.head(_LOOKED_AT).to_list())


def _is_whole(column: Any) -> bool:
    """Whether every value is a number, and all of them together are not nothing."""
    return bool(_is_numeric(column) and not column.null_count() and not _is_empty(column))


def _is_empty(column: Any) -> bool:
    """Whether there are rows, and nothing in any of them."""
    gone = column.null_count()
    if column.dtype.is_float():  # not a number is nothing, too
        gone = int(np.isnan(column.to_numpy().astype(np.float64)).sum())
    return bool(0 < len(column) == gone)


def _is_written(column: Any) -> bool:
    """Whether numbers were written as text."""
    return not _is_numeric(column) and any(isinstance(value, str) for value in column.to_list())


def rows_of_pixels(X: Any, *, who: str, name: str = "X") -> tuple[Any, tuple[int, ...] | None]:
    """Images as rows of pixels, and the shape of each; anything else as it is, and None.

    Images are an array of shape (n_samples, height, width) or with channels behind, or a list of
    arrays, or pictures, of one such shape.

    Examples
    --------
    >>> rows, shape = rows_of_pixels(np.zeros((5, 8, 6)), who="PCA")
    >>> rows.shape, shape
    ((5, 48), (8, 6))
    """
    if isinstance(X, (list, tuple)) and all(hasattr(x, "__array_interface__") for x in X[:1]):
        X = _stacked(X, who, name)
    if is_sparse(X) or getattr(X, "ndim", 0) not in _DIMENSIONS_OF_IMAGES:
        return X, None
    images = np.asarray(X)
    shape = tuple(map(int, images.shape[1:]))
    return images.reshape(len(images), prod(shape)), shape


def _stacked(X: Any, who: str, name: str) -> Any:
    """Images of a list in one array; any other list as it is."""
    if not len(X) or np.ndim(X[0]) < 2:
        return X
    images = [np.asarray(image) for image in X]
    shapes = sorted({image.shape for image in images}, key=lambda shape: (len(shape), shape))
    if len(shapes) > 1:
        raise ValueError(
            f"{who} expects the images in {name} to be of one size. Got some of "
            f"{_written(shapes[0])} and some of {_written(shapes[-1])}. Bring them to one size."
        )
    return np.stack(images)


def said_of_images(shape: tuple[int, ...]) -> str:
    """What is said where images came as an array.

    Examples
    --------
    >>> said_of_images((8, 6))
    'Images of 8 × 6 are rows of pixels.'
    """
    return f"Images of {_written(shape)} are rows of pixels."


def _written(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
