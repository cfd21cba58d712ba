"""What comes out of the door: a map, the model that made it, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core import FloatArray, is_sparse
from sidelight.estimator import without_factors
from sidelight.side import Condition

_TAKEN_OUT = (
    "Measured against the data without what the Condition does, which the map leaves out. Against "
    "the data as they came: trustworthiness {0.trustworthiness:.3f}, continuity "
    "{0.continuity:.3f}, area under R_NX {0.auc:.3f}."
)
_LEFT_OUT = (
    "Measured against the data as they came, and the map leaves out what the Condition does: a map "
    "that does so keeps fewer of their neighbours."
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
    why : str
        Which method was chosen, and for what reason.
    data : array of shape (n_samples, n_features)
        What was embedded.
    done : tuple of str
        What else was done that the user did not ask for in so many words; ``why`` ends with it.
    conditions : tuple of Condition
        The known factors that the map leaves out.
    """

    points: FloatArray
    model: Any
    why: str
    data: Any
    done: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def __repr__(self) -> str:
        rows, columns = self.points.shape
        return f"<Embedding of {rows:,} rows in {columns} dimensions by {self.why}>"

    def quality(self, **options: Any) -> Any:
        """Measure how good the map is.

        Parameters
        ----------
        **options : object
            Of :func:`sidelight.quality.quality_report`.

        Returns
        -------
        QualityReport
            Its measures; against the learned metric where there is one, and against the distances
            along a graph where one was given.  Rows that have no place are left out.  Where a
            Condition was taken out of the data, the map is measured against what is left, and the
            note says what it is against the data as they came.

        Raises
        ------
        ValueError
            If there is nothing to measure the map against, with the reason.
        """
        from sidelight.quality import quality_report

        metric = options.pop("metric", getattr(self.model, "metric", "euclidean"))
        data, points = self.data, self.points
        _require_comparable(data, self.model)
        placed = np.isfinite(points).all(axis=1)
        conditions = [value.within(placed) for value in self.conditions]
        if not placed.all():
            data = data[placed][:, placed] if metric == "precomputed" else data[placed]
            points = points[placed]
            if options.get("labels") is not None:
                options["labels"] = np.asarray(options["labels"])[placed]
        if is_sparse(data):
            data = distances_along(data) if metric == "precomputed" else data.toarray()
        if isinstance(metric, str):
            options["metric"] = metric
        shown = without_factors(self.model, data, conditions)
        is_taken_out = shown is not data and not np.array_equal(shown, data)
        for learned in getattr(self.model, "side_metrics_", []):
            shown = learned.transform(shown)
        report = quality_report(shown, points, **options)
        if is_taken_out:
            as_they_came = quality_report(data, points, **options)
            return _with_note(report, _TAKEN_OUT.format(as_they_came))
        if any((heard.kind, heard.place) == ("Condition", "inside") for heard in self._heard):
            return _with_note(report, _LEFT_OUT)
        return report

    @property
    def _heard(self) -> Any:
        return getattr(self.model, "side_report_", ())

    def plot(self, **options: Any) -> Any:
        """Draw the map.

        Parameters
        ----------
        **options : object
            Of :func:`sidelight.plot.scatter`: ``color``, ``labels``, ``images`` …

        Returns
        -------
        matplotlib.axes.Axes
            The picture.
        """
        from sidelight.plot import scatter

        return scatter(self.points, **options)

    def save(self, path: str | Path) -> None:
        """Save the model, from which the map can be had again.

        Parameters
        ----------
        path : path
            Where to.
        """
        from sidelight.io.model import save

        save(self.model, path)


def _with_note(report: Any, note: str) -> Any:
    """A report with a note before its own."""
    return replace(report, note=f"{note} {report.note}".rstrip())


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
    elif model.get_params().get("kernel") == "precomputed":
        reason = "the table holds a kernel, not distances"
    elif has_missing(data):
        reason = "distances to rows with missing values are not known"
    elif np.shape(data)[0] < 4:
        reason = "that takes at least four rows"
    if reason:
        raise ValueError(f"The quality of the map cannot be measured: {reason}.")


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
