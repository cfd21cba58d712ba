"""What comes out of the door: a map, the model that made it, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core import BoolArray, FloatArray, counted, is_sparse, listed, require_memory
from sidelight.estimator import is_precomputed, without_factors
from sidelight.side import Anchors, Condition, Pairs, side_values

_TAKEN_OUT = (
    "Measured against the data without what the Condition does, which the map leaves out. Against "
    "the data as they came: trustworthiness {0.trustworthiness:.3f}, continuity "
    "{0.continuity:.3f}, area under R_NX {0.auc:.3f}."
)
_LEFT_OUT = (
    "Measured against the data as they came, and the map leaves out what the Condition does: a map "
    "that does so keeps fewer of their neighbours."
)


#: Rows whose names are written into a picture.
_MOST_NAMES = 100
#: Pairs that are drawn into one.
_MOST_PAIRS = 100
_OFFERS = (
    ".points .model .why .quality() .agreement() .plot() .to_frame() .to_html(path) .save(path)"
)


@dataclass(frozen=True, repr=False, eq=False)
class Embedding:
    """A map, the model that made it, and why that model.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_components)
        The map.
    model : estimator
        Fitted: ``transform`` places new data, ``inverse_transform`` goes back to data.
    reason : str
        Which method was chosen, and for what reason; ``why`` ends with what the data are.
    data : array of shape (n_samples, n_features)
        What was embedded.
    done : tuple of str
        What else was done that the user did not ask for in so many words; ``reason`` ends with it.
    conditions : tuple of Condition
        The known factors that the map leaves out.
    names : tuple, optional
        The labels of the rows, where they have any.
    image_shape : tuple of int, optional
        The shape of the images that rows are, where they came as images.
    frame : object
        The frame that the data came in, or the table of the file, with columns that were set aside.
    side : object
        What was known, by row number.
    hints : tuple of str
        What the data seem to ask for and nobody has said.
    coder : object
        How columns of mixed kinds, or texts, became ``data``: ``coder.apply(frame)`` gives
        the rows of a new frame to ``model.transform``.
    """

    points: FloatArray
    model: Any
    reason: str
    data: Any
    done: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    names: tuple[Any, ...] | None = None
    image_shape: tuple[int, ...] | None = None
    frame: Any = None
    side: Any = None
    hints: tuple[str, ...] = ()
    coder: Any = None

    def __repr__(self) -> str:
        more = f" ({len(self.hints) - 1} more: .hints)" if len(self.hints) > 1 else ""
        hint = f" Hint: {self.hints[0]}{more}" if self.hints else ""
        return f"{self._size}\nby {self.why}{hint}\n{_OFFERS}"

    @property
    def _size(self) -> str:
        rows, columns = self.points.shape
        return f"Embedding of {counted(rows, 'row')} in {counted(columns, 'dimension')}"

    @property
    def why(self) -> str:
        """Which method was chosen, for what reason, and what the data are."""
        return f"{self.reason} {self.about}".rstrip()

    @cached_property
    def about(self) -> str:
        """What the data are, at a glance: size, dimensions that they fill, pieces, density.

        Empty where the data are neither a table nor a sparse array of numbers.
        """
        from sidelight.embedding.portrait import portrait

        X = self.data if is_sparse(self.data) else _as_numbers(self.data)
        if X.ndim != 2 or X.dtype.kind not in "fiu":
            return ""
        by = {"distances": self._metric, "similarities": self._kernel}
        compared = next((words for words, name in by.items() if is_precomputed(name)), "")
        return portrait(X, pieces=getattr(self.model, "pieces_", None), compared=compared)

    def _repr_html_(self) -> str:
        from sidelight.embedding.notebook import as_html

        return as_html(self)

    def quality(self, *, as_given: bool = False, **options: Any) -> Any:
        """Measure how good the map is.

        Parameters
        ----------
        as_given : bool
            Measure against the data as they came even where a Condition was taken out of them, as
            for maps that are to be compared.
        **options : object
            Of :func:`sidelight.quality.quality_report`.  A name given as ``labels`` is a column of
            the frame that the data came in.

        Returns
        -------
        QualityReport
            Its measures, against the data as they came, also where a metric was learned from what
            is known (``.agreement()`` says how much of that holds), and against the distances
            along a graph where one was given.  Rows that have no place are left out.  Where a
            Condition was taken out of the data, the map is measured against what is left, and the
            note says what it is against the data as they came.

        Raises
        ------
        ValueError
            If there is nothing to measure the map against, with the reason.
        """
        from sidelight.quality import quality_report

        named = self._column("labels", options.get("labels"))
        options = options if named is None else {**options, "labels": named}
        metric = options.pop("metric", self._metric)
        data, placed = self._compared(metric), self._placed
        points = self.points[placed]
        conditions = [value.within(placed) for value in self.conditions]
        if not placed.all() and options.get("labels") is not None:
            options["labels"] = np.asarray(options["labels"])[placed]
        if isinstance(metric, str) or callable(metric):
            options["metric"] = metric
        shown = without_factors(self.model, data, conditions)
        is_taken_out = shown is not data and not np.array_equal(shown, data)
        as_they_came = quality_report(data, points, **options)
        if is_taken_out and not as_given:
            report = quality_report(shown, points, **options)
            return _with_note(report, _TAKEN_OUT.format(as_they_came))
        inside = any((heard.kind, heard.place) == ("Condition", "inside") for heard in self._heard)
        return _with_note(as_they_came, _LEFT_OUT) if is_taken_out or inside else as_they_came

    def point_quality(self, *, n_neighbors: int | None = None) -> Any:
        """Measure how well each point is placed.

        Parameters
        ----------
        n_neighbors : int, optional
            The size of a neighbourhood.

        Returns
        -------
        PointQuality
            ``.kept`` and ``.displaced`` beside the data as they came, one per row, NaN for rows
            without a place: ``.plot(color=….kept)`` shows them.
        """
        from sidelight.quality import point_quality

        data, placed = self._compared(self._metric), self._placed
        found = point_quality(
            data, self.points[placed], n_neighbors=n_neighbors, metric=self._metric
        )
        whole = np.full((2, len(placed)), np.nan)
        whole[:, placed] = found.kept, found.displaced
        return replace(found, kept=whole[0], displaced=whole[1], names=self.names)

    def agreement(self) -> tuple[Any, ...]:
        """Count how much of what was said holds in the map.

        Returns
        -------
        tuple of Judgement
            One for each kind of judgement about rows that have a place; empty where nothing was
            said.
        """
        from sidelight.quality import agreement

        placed = self._placed
        said = [value.within(placed) for value in side_values(self.side, "agreement")]
        if not said:
            return ()
        return agreement(self.points[placed], said)

    @property
    def _placed(self) -> BoolArray:
        return np.asarray(np.isfinite(self.points).all(axis=1))

    def _compared(self, metric: Any) -> Any:
        """What the map is measured against: the data of rows with a place, or their distances."""
        data, placed, table = self.data, self._placed, is_precomputed(metric)
        _require_comparable(data, self.model)
        if not placed.all():
            data = data[placed][:, placed] if table else data[placed]
        if is_sparse(data) and table:
            return distances_along(data)
        if is_sparse(data) and self.conditions:  # what is left without them has no zeros
            return _written_out(data)
        return data

    @property
    def _metric(self) -> Any:
        return getattr(self.model, "metric", "euclidean")

    @property
    def _kernel(self) -> Any:
        return getattr(self.model, "kernel", None)

    @property
    def _heard(self) -> Any:
        return getattr(self.model, "side_report_", ())

    def plot(self, **options: Any) -> Any:
        """Draw the map, on a figure of pyplot: a notebook shows it, and ``pyplot.show()`` does.

        Rows that came as images are drawn as such; names of up to a hundred rows are written;
        anchors and up to a hundred pairs that were said are drawn (``side=None`` leaves them out).
        Of more than three dimensions the first two are drawn.

        Parameters
        ----------
        **options : object
            Of :func:`sidelight.plot.scatter`: ``color``, ``labels``, ``images``, ``ax`` …  A name
            given as ``color`` or ``labels`` is a column of the frame that the data came in;
            ``names=True`` writes the names of the rows whatever their number.

        Returns
        -------
        matplotlib.axes.Axes
            The picture; ``.figure`` is the figure, and ``.savefig(path)`` saves a new one.
        """
        from sidelight.plot import require_matplotlib, scatter

        require_matplotlib("Embedding.plot")
        if isinstance(options.get("names"), bool):
            options["names"] = self._asked_names if options["names"] else None
        options = {
            "names": self._written_names,
            "side": self._drawn_side,
            **self._pictured(options),
        }
        if options.get("ax") is not None:
            return scatter(self._shown, **options)
        import matplotlib.pyplot  # noqa: F401  # where it is imported, figures are its own

        ax = scatter(self._shown, **options)
        ax.savefig = ax.figure.savefig
        return ax

    def to_frame(self) -> Any:
        """The map as a frame, with the names of the rows and the columns that were set aside.

        Returns
        -------
        DataFrame
            Of the library that the data came in, of pandas otherwise; rows of pandas have the
            names as their index, those of others a first column ``name``.
        """
        from sidelight.embedding.tables import as_frame

        return as_frame(self)

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write the map as a page to move, zoom and point at rows: one file, without a server.

        Parameters
        ----------
        path : path
            The file, ending in .html.
        **options : object
            Of :func:`sidelight.plot.write_page`: ``color``, ``labels``, ``columns``, ``images`` …
            A name given as ``color`` or ``labels`` is a column of the frame that the data came
            in; columns that were set aside are shown by themselves.

        Returns
        -------
        Path
            The file written.
        """
        from sidelight.embedding.tables import set_aside
        from sidelight.plot import write_page

        options = {"names": self.names, "columns": set_aside(self), **self._pictured(options)}
        options.setdefault("title", f"A map of {counted(len(self.points), 'row')}")
        options.setdefault("subtitle", self.reason)
        options.setdefault("side", self._drawn_side)
        return write_page(path, self.points, **options)

    @property
    def _shown(self) -> FloatArray:
        return self.points if self.points.shape[1] <= 3 else self.points[:, :2]

    @property
    def _written_names(self) -> tuple[Any, ...] | None:
        """Names for a picture: those of few rows in a plane, where they are words."""
        few = self._shown.shape[1] == 2 and len(self.points) <= _MOST_NAMES
        is_words = all(isinstance(name, str) for name in self.names or ())
        return self.names if few and is_words and self.image_shape is None else None

    @property
    def _asked_names(self) -> tuple[Any, ...]:
        if self.names is None:
            raise ValueError(
                "The rows have no names to write. Give them to embed(X, names=…), or one per row "
                "to plot(names=…)."
            )
        return self.names

    @property
    def _drawn_side(self) -> list[Any] | None:
        """What was said, where it can be seen in a plane: anchors, and not too many pairs."""
        if self._shown.shape[1] != 2:
            return None
        said = side_values(self.side, "plot")
        drawn: list[Any] = [value for value in said if isinstance(value, Anchors)]
        pairs = [value for value in said if isinstance(value, Pairs)]
        if sum(len(value.similar) + len(value.dissimilar) for value in pairs) <= _MOST_PAIRS:
            drawn = [*pairs, *drawn]
        return drawn or None

    def _pictured(self, options: dict[str, Any]) -> dict[str, Any]:
        """Options of a picture, columns by their name, images as the rows are."""
        for what in ("color", "labels"):
            values = self._column(what, options.get(what))
            if values is not None:
                options = {"key_title": options[what], **options, what: values}
        if self.image_shape is not None and self._shown.shape[1] == 2:
            options = {"images": self.data, "image_shape": self.image_shape, **options}
        return options

    def _column(self, what: str, name: Any) -> Any:
        """The column of the data's frame that an argument names; None of what is no name."""
        from sidelight.embedding.tables import column_named, names_of_columns

        values = column_named(self.frame, name)
        is_word = isinstance(name, str) and what == "labels"
        if values is None and is_word:
            known = [] if self.frame is None else names_of_columns(self.frame)
            has = f"It has {listed(known, 'column', 12)}." if known else "They came without names."
            raise ValueError(
                f"The {what!r} argument names the column {name!r}, which the data do not have. "
                f"{has} Give one label per row, or the name of a column."
            )
        return values

    def save(self, path: str | Path) -> None:
        """Save the model, from which the map can be had again.

        Parameters
        ----------
        path : path
            Where to.
        """
        from sidelight.io.model import save

        save(self.model, path, extras=self._read_alike)

    @property
    def _read_alike(self) -> dict[str, Any] | None:
        """What the command line needs to read new rows as these were."""
        from sidelight.embedding.tables import is_table

        if is_table(self.frame):
            columns: Any = self.frame.column_names
        else:
            columns = () if self.coder is None else self.coder.names
        coded = {} if self.coder is None else self.coder.to_plain()
        return {"columns": list(columns), **coded} if len(columns) else None


def _with_note(report: Any, note: str) -> Any:
    """A report with a note before its own."""
    return replace(report, note=f"{note} {report.note}".rstrip())


def _written_out(X: Any) -> FloatArray:
    """A sparse table with its zeros, where there is memory for it."""
    require_memory(
        8.0 * X.shape[0] * X.shape[1],
        what=f"the zeros of {X.shape[0]:,} × {X.shape[1]:,} sparse numbers",
        who="The quality of the map",
        instead="Measure it on fewer rows.",
    )
    return np.asarray(X.toarray())


def distances_along(graph: Any) -> FloatArray:
    """Measure all rows of a graph along it, so that a map of it can be judged.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> distances_along(sp.csr_array([[0, 1.0, 0], [0, 0, 2.0], [0, 0, 0]]))[0]
    array([0., 1., 3.])
    """
    from sidelight.similarity import geodesic_distances

    D = geodesic_distances(graph, who="quality")
    if not np.isfinite(D).all():
        raise ValueError(
            "The quality of a map of a graph in pieces is not defined: between them there are no "
            "distances to compare with. Judge each piece by itself."
        )
    return D


def _require_comparable(data: Any, model: Any) -> None:
    """Refuse to judge a map of data that there are no distances of."""
    reason = ""
    if data is None:
        reason = "there are no data, only relations"
    elif is_precomputed(model.get_params().get("kernel")):
        reason = "the table holds a kernel, not distances"
    elif has_missing(data):
        reason = "distances to rows with missing values are not known"
    elif np.shape(data)[0] < 4:
        reason = "that takes at least four rows"
    if reason:
        raise ValueError(f"The quality of the map cannot be measured: {reason}.")


def _as_numbers(X: Any) -> Any:
    """Objects and marks of yes and no as numbers, as estimators take them."""
    X = np.asarray(X)
    try:
        return X.astype(np.float64) if X.dtype.kind in "ObU" else X
    except (TypeError, ValueError):
        return X


def has_missing(X: Any) -> bool:
    """Whether a number is missing; a table that cannot be read is not asked."""
    if X is None or is_sparse(X) or np.iscomplexobj(X):
        return False
    try:
        table = np.asarray(X)
        if table.dtype != np.float32:  # of which a copy would take twice the memory
            table = table.astype(np.float64, copy=False)
        return bool(np.isnan(table).any())
    except (TypeError, ValueError):  # the estimator says what is wrong with it
        return False
