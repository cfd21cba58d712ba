"""What came in at the door: numbers to work on, the names of their rows, what was set aside."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from sidelight.core import (
    explain_table,
    is_frame,
    is_sparse,
    rows_of_pixels,
    said_of_images,
    unmasked,
    warn,
)
from sidelight.embedding.tables import (
    are_names,
    column_named,
    names_of_columns,
    rows_of_frame,
    with_numbers,
)
from sidelight.side import (
    SideInformation,
    by_number,
    labels_of_index,
    of_images,
    rows_called,
    rows_called_within,
)

_POLICIES = ("keep", "mean", "drop-rows", "drop-columns", "error")
_COLUMNS = ("numbers", "mixed")
_TEXT_REMEDY = "Leave these rows out with missing='drop-rows'."


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
        The frame that they came in, or the table of the file, with the columns set aside.
    columns : tuple of str or None
        The names of the columns of X, where it was a frame and is none any more.
    notes : tuple of str
        What was done that nobody asked for in so many words.
    coder : object
        How columns of mixed kinds, or texts, became numbers.
    who : str
        What they are called in errors.
    kept : ndarray of int, optional
        Which rows they are, where others were left out.
    """

    X: Any
    side: Any
    names: tuple[Any, ...] | None = None
    image_shape: tuple[int, ...] | None = None
    frame: Any = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    coder: Any = None
    who: str = "X given to embed"
    kept: Any = None

    @classmethod
    def read(
        cls,
        X: Any,
        side: Any,
        names: Any,
        missing: str,
        columns: str = "numbers",
        text: str | None = None,
    ) -> Given:
        """Read data: a file or a folder of pictures, a frame, images, or an array."""
        if columns not in _COLUMNS:
            raise ValueError(
                f"The 'columns' argument of embed must be one of {', '.join(_COLUMNS)}. Got "
                f"{columns!r} instead."
            )
        if text is not None and (columns == "mixed" or not isinstance(text, str)):
            also = " and columns='mixed', which takes all" if columns == "mixed" else ""
            raise ValueError(
                f"The 'text' argument of embed must be the name of one column of texts. Got "
                f"{text!r}{also}."
            )
        if missing not in _POLICIES:
            raise ValueError(
                f"The 'missing' argument of embed must be one of {', '.join(_POLICIES)}. Got "
                f"{missing!r} instead."
            )
        read = cls._of_file if isinstance(X, (str, PathLike)) else cls._of_array
        given = read(X, side, names, columns, text)
        if text is not None:
            return given._without_wordless(missing)
        whole = missing == "keep" or is_sparse(given.X)  # of which what is absent is zero
        return given if whole else given._without_missing(missing)

    @classmethod
    def _of_array(cls, X: Any, side: Any, names: Any, columns: str, text: str | None) -> Given:
        _refuse_texts(X)
        X = unmasked(X)
        frame, aside = X if is_frame(X) else None, [names] if isinstance(names, str) else []
        if aside:
            from sidelight.io.table import column_of_frame

            names, X = column_of_frame(X, names, who="embed")
        side = by_number(side, X, names=names, who="embed")
        labels = labels_of_index(X) if names is None else tuple(names)
        given = cls(X, side, labels, frame=frame)
        if columns == "mixed" or text is not None:
            return given._coded(text, aside)
        given = given._as_numbers()._as_rows_of_pixels()
        _refuse_ragged(given.X)
        return given

    @classmethod
    def _of_file(cls, path: Any, side: Any, names: Any, columns: str, text: str | None) -> Given:
        """Read what the command line reads, by the same code."""
        from sidelight.io import holds_pictures, open_rows
        from sidelight.io.coding import read_coded
        from sidelight.io.table import require_table

        named = names if isinstance(names, str) else None
        coder, shape, beside = None, None, [named] if named else []
        if text is not None or (columns == "mixed" and not holds_pictures(path)):
            table, coder = read_coded(require_table(path), text=text, aside=beside)
        else:
            table, shape = open_rows(path, aside=beside, missing="keep")
        for doubt in table.warnings:
            warn(doubt)
        if named or (names is None and "file" in table.labels and holds_pictures(path)):
            names = table.labels[named or "file"].tolist()
        side = by_number(side, table.X, names=names, who="embed")
        return cls(
            table.X,
            of_images(side, shape),
            None if names is None else tuple(names),
            image_shape=shape,
            frame=table,
            columns=table.column_names or None,
            notes=table.notes,
            coder=coder,
            who=table.name,
        )

    def _as_numbers(self) -> Given:
        if not is_frame(self.X):
            return self
        from sidelight.io.table import read_frame

        X, notes, doubts = read_frame(self.X)
        for doubt in doubts:
            warn(doubt)
        return replace(self, X=X, notes=(*self.notes, *notes))

    def _coded(self, text: str | None, aside: Sequence[str]) -> Given:
        from sidelight.io.coding import learn_coder
        from sidelight.io.table import columns_of_frame

        found = columns_of_frame(self.X if self.frame is None else self.frame)
        coder, note = learn_coder(found, self.who, text=text, aside=aside)
        X = coder.code(found, self.who)
        return replace(self, X=X, columns=coder.names, coder=coder, notes=(*self.notes, note))

    def _as_rows_of_pixels(self) -> Given:
        X, shape = rows_of_pixels(self.X, who="embed")
        if shape is None:
            return replace(self, X=X)
        notes = (*self.notes, said_of_images(shape))
        return replace(self, X=X, side=of_images(self.side, shape), image_shape=shape, notes=notes)

    def _without_missing(self, policy: str) -> Given:
        from sidelight.io.table import settle_missing

        X = _numbers_in(self.X)
        if X is None:  # the estimator says what is wrong with it
            return self
        called = self.columns or getattr(self.X, "columns", None)
        columns = tuple(map(str, range(X.shape[1]) if called is None else called))
        of_each = () if self.coder is None else self.coder.column_of_each
        filled, rows, kept, note = settle_missing(
            X, columns, policy, self.who, row_names=self.names, coded_from=of_each
        )
        named = None if called is None else tuple(np.array(columns)[kept])
        notes = (*self.notes, note) if note else self.notes
        frame = with_numbers(self.frame, filled[:, kept], named)
        shape = self.image_shape if kept.all() else None
        X, told = filled[:, kept], {"frame": frame, "image_shape": shape}
        given = replace(self, X=X, columns=named, notes=notes, **told)
        return given if rows.all() else given._within(np.flatnonzero(rows))

    def _without_wordless(self, policy: str) -> Given:
        """Of the rows alone whose texts can be compared, where the others may be left out."""
        rows, note = self.coder.told(self.X, policy, self.who, _TEXT_REMEDY, self.names)
        given = replace(self, notes=(*self.notes, note)) if note else self
        return given._within(np.flatnonzero(rows)) if note else given

    def beside(self, text: str | None = None) -> dict[str, Any]:
        """The columns that were set aside, but for names of rows and texts that are compared."""
        if self.frame is None or self.X is self.frame:
            return {}
        named = getattr(self.X, "columns", ()) if self.columns is None else self.columns
        used = {*map(str, named), text}
        found = {
            name: column_named(self.frame, name)
            for name in names_of_columns(self.frame)
            if name not in used
        }
        return {
            name: values
            for name, values in found.items()
            if values is not None and not are_names(values, self.names)
        }

    def _within(self, rows: Any) -> Given:
        """Of so many rows alone."""
        values = self.side if isinstance(self.side, (list, tuple)) else [self.side]
        side = [v.within(rows) if isinstance(v, SideInformation) else v for v in values]
        names = self.names if self.names is None else tuple(self.names[row] for row in rows)
        frame = self.frame if self.frame is None else rows_of_frame(self.frame, rows)
        kept = side if isinstance(self.side, (list, tuple)) else side[0]
        return replace(self, X=self.X[rows], side=kept, names=names, frame=frame, kept=rows)

    def calling_rows(self) -> AbstractContextManager[None]:
        """Let messages call the rows as whoever gave them does."""
        if self.names is not None:
            return rows_called(self.names)
        return nullcontext() if self.kept is None else rows_called_within(self.kept)


def _refuse_ragged(X: Any) -> None:
    """Refuse lists of rows of several lengths."""
    try:
        np.shape(X)
    except ValueError as error:
        raise explain_table(error, X, who="embed") from error


def _refuse_texts(X: Any) -> None:
    """Say how a list of texts is compared: as a column, by its name."""
    if isinstance(X, (list, tuple)) or getattr(X, "ndim", 0) == 1:
        first = next(iter(X), None)
        if isinstance(first, str):
            raise ValueError(
                f"embed expects rows of numbers. Got texts, such as {first[:40]!r}. Rows are "
                f"compared by the words of a column: embed(pandas.DataFrame({{'body': X}}), "
                f"text='body')."
            )


def _numbers_in(X: Any) -> Any:
    """A table of real numbers as an array; None of what is none."""
    try:
        numbers = None if np.iscomplexobj(X) else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers is not None and numbers.ndim == 2 else None
