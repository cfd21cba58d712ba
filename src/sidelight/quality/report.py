"""All measures of a map that need no truth, from one pass over the rows, as a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from sidelight.core import (
    ArrayLike,
    FloatArray,
    IntArray,
    as_dense,
    counted,
    is_sparse,
    random_generator,
)
from sidelight.neighbors import Metric
from sidelight.quality.coranking import CorankingCounts
from sidelight.quality.dimension import (
    jackknife_error,
    nearest_distances,
    two_nn,
)
from sidelight.quality.distortion import (
    each_pair_once,
    require_memory_for_pairs,
    residual_variance_of_pairs,
    shepard_correlation_of_pairs,
    stress_of_pairs,
)
from sidelight.quality.gaussian_process import gplvm_score
from sidelight.quality.inputs import as_points, check_max_samples, check_n_neighbors
from sidelight.quality.labels import agrees_with_neighbors, as_label_codes
from sidelight.quality.neighborhoods import row_continuity, row_trustworthiness
from sidelight.quality.pairwise import compared_distances, name_of_metric
from sidelight.quality.ranks import Rows, draw_rows, ranked_blocks

# Pairs of points, both ways, that are ranked unless told otherwise: about two seconds.
_PAIR_BUDGET = 4_000_000
# Pairs, one way, whose distances are compared in a sample.
_DISTANCE_BUDGET = 2_000_000
# Fewer points than this say too little, however many there are in all.
_FEWEST_ROWS = 100
_DEFAULT_NEIGHBORS = 10
# The GP-LVM score takes n³ for each of some thirty length scales.
_SCORED_ROWS = 500
# Beyond, of a sparse table too, it takes more memory than it is worth.
_SCORED_NUMBERS = 50_000_000

# Field, name, what a good map has, what it says.
_MEASURES = (
    ("trustworthiness", "trustworthiness", "1", "neighbours in the map are neighbours in the data"),
    ("continuity", "continuity", "1", "neighbours in the data are neighbours in the map"),
    ("q_nx", "Q_NX", "1", "part of the nearest neighbours that is kept"),
    ("r_nx", "R_NX", "1", "the same, with 0 for a random map"),
    ("auc", "area under R_NX", "1", "the same, for neighbourhoods of all sizes"),
    ("shepard_correlation", "Shepard correlation", "1", "the order of distances is kept"),
    ("stress", "stress", "0", "distances are changed, up to one scale"),
    ("sammon_stress", "Sammon stress", "0", "small distances are changed, up to one scale"),
    ("residual_variance", "residual variance", "0", "distances not explained by those in the map"),
    (
        "label_accuracy",
        "label accuracy",
        "1",
        "points with the label of their neighbours in the map",
    ),
    ("gplvm_score", "GP-LVM score", "large", "log likelihood as smooth functions of the map"),
    ("intrinsic_dimension", "intrinsic dimension", "", "dimensions of the data, by two neighbours"),
)


@dataclass(frozen=True)
class QualityReport:
    """How good a map is; prints as a table.

    Parameters
    ----------
    n_samples : int
        How many points there are.
    n_samples_used : int
        From how many of them all others were looked at.
    n_components : int
        The dimensions of the map.
    n_neighbors : int
        The size of the neighbourhood of trustworthiness, continuity, Q_NX and R_NX.
    metric : str
        The metric of the data.
    trustworthiness, continuity : float
        See :func:`~sidelight.quality.trustworthiness`, :func:`~sidelight.quality.continuity`.
    q_nx, r_nx : float
        The co-ranking curves at ``n_neighbors``; see :func:`~sidelight.quality.coranking_curves`.
    auc : float
        The area under R_NX.
    shepard_correlation : float
        See :func:`~sidelight.quality.shepard_correlation`.
    stress, sammon_stress : float
        The normalised stress and Sammon's, of the map scaled at best;
        see :func:`~sidelight.quality.stress`.
    residual_variance : float
        See :func:`~sidelight.quality.residual_variance`.
    intrinsic_dimension : float or None
        Of the data, by "two_nn"; None where that cannot say.
    label_accuracy : float or None
        See :func:`~sidelight.quality.neighbor_label_accuracy`; None without labels.
    label_errors : int or None
        How many of the points used have another label than their nearest neighbour.
    gplvm_score : float or None
        See :func:`~sidelight.quality.gplvm_score`; None for more than 500 points or fifty million
        numbers, where it is slow, and for precomputed distances.
    standard_errors : dict of str to float
        Of the measures that are means over points, and of the dimension, when only a sample of
        the points was used.
    note : str
        What was sampled; empty if nothing was.
    """

    n_samples: int
    n_samples_used: int
    n_components: int
    n_neighbors: int
    metric: str
    trustworthiness: float
    continuity: float
    q_nx: float
    r_nx: float
    auc: float
    shepard_correlation: float
    stress: float
    sammon_stress: float
    residual_variance: float
    intrinsic_dimension: float | None = None
    label_accuracy: float | None = None
    label_errors: int | None = None
    gplvm_score: float | None = None
    standard_errors: dict[str, float] = field(default_factory=dict)
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give every value under its name.

        Returns
        -------
        dict
            Plain numbers, strings and one dict: fit for JSON.
        """
        return asdict(self)

    def _title(self) -> str:
        return (
            f"Map of {counted(self.n_samples, 'point')} in "
            f"{counted(self.n_components, 'dimension')}, "
            f"{self.n_neighbors} neighbours, {self.metric} distances"
        )

    def _lines(self) -> list[tuple[str, str, str, str]]:
        lines = []
        for attribute, name, best, meaning in _MEASURES:
            value = getattr(self, attribute)
            if value is None:
                continue
            shown = f"{value:.4f}"
            if attribute in self.standard_errors:
                shown += f" ± {self.standard_errors[attribute]:.1g}"
            lines.append((name, shown, best, meaning))
        return lines

    def __str__(self) -> str:
        lines = [("measure", "value", "best", "what it says"), *self._lines()]
        widths = [max(len(line[column]) for line in lines) for column in range(3)]
        table = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False))])
            + f"  {line[3]}"
            for line in lines
        ]
        rule = "─" * max(map(len, table))
        note = [self.note] if self.note else []
        return "\n".join([self._title(), rule, table[0], rule, *table[1:], rule, *note])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in ("measure", "value", "best", "what it says"))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._lines()
        )
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return (
            f"<table><caption>{escape(self._title())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"
        )


def quality_report(
    X: ArrayLike,
    Z: ArrayLike,
    *,
    n_neighbors: int | None = None,
    metric: Metric = "euclidean",
    labels: ArrayLike | None = None,
    max_samples: int | None = None,
    random_state: Any = 0,
) -> QualityReport:
    """Measure a map in every way that needs no truth.

    The measures and their formulas are those of :func:`trustworthiness`, :func:`continuity`,
    :func:`coranking_curves`, :func:`shepard_correlation`, :func:`stress`,
    :func:`residual_variance`, :func:`neighbor_label_accuracy`, :func:`intrinsic_dimension` and,
    for at most 500 points, :func:`gplvm_score`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Data, or distances with ``metric="precomputed"``.  Sparse data stay sparse where the metric
        is Euclidean or cosine.
    Z : array-like of shape (n_samples, n_components)
        The map, compared by Euclidean distances.
    n_neighbors : int, optional
        The size of the neighbourhood, in [1, n_samples / 2).  By default 10, or less for fewer
        than 21 points.
    metric : str or callable
        The metric of the data, as estimators take it.
    labels : array-like of shape (n_samples,), optional
        Adds the leave-one-out accuracy of the nearest neighbour in the map, among the rows that
        have a label (NaN and None are none).
    max_samples : int, optional
        With more points than that, so many are drawn.  By default all up to 2,000 points, and
        beyond that as many as make four million pairs, but at least 100.
    random_state : int, Generator, RandomState or None
        Draws the points.

    Returns
    -------
    QualityReport
        The measures, with ``n_samples_used`` and a note when points were drawn.

    Raises
    ------
    ValueError
        If X or Z is not finite, their lengths differ, or a parameter is out of range.

    Notes
    -----
    Drawn points are compared with *all* points, not among themselves: the neighbourhood of a
    sample of n/10 points would be ten times as wide, and the measures would be those of another,
    easier question.  Measures that are means over points are thus estimated without bias, and the
    standard error of each is given; distances are those from the drawn points to all, or to as
    many as make two million pairs, each pair once.  With the same ``random_state`` the same points
    are drawn for every map, so that maps of the same data can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.quality import quality_report
    >>> angle = np.linspace(0, 3, 60)
    >>> arc = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> report = quality_report(arc, angle[:, None])
    >>> print(f"{report.trustworthiness:.3f} {report.auc:.3f} {report.stress:.3f}")
    1.000 1.000 0.095
    """
    who = "quality_report"
    data, mapped = compared_distances(X, Z, metric, who=who)
    rows, columns = rows_to_draw(data.n_samples, max_samples, random_state, who=who)
    report = measured(
        data,
        mapped,
        rows,
        columns,
        data.distinct(),
        n_neighbors=n_neighbors,
        labels=labels,
        metric=name_of_metric(metric),
        n_components=mapped.points.shape[1],
        who=who,
    )
    return replace(report, gplvm_score=None if data.is_table else _likelihood(X, Z))


def rows_to_draw(
    n: int, max_samples: int | None, random_state: Any, *, who: str
) -> tuple[IntArray, IntArray]:
    """The rows that are compared with all, and those whose distances to them are compared."""
    limit = check_max_samples(max_samples, who=who)
    if limit is None:
        limit = max(_PAIR_BUDGET // n, _FEWEST_ROWS) if n * n > _PAIR_BUDGET else n
    generator = random_generator(random_state)
    rows = draw_rows(n, limit, generator)
    return rows, draw_rows(n, _DISTANCE_BUDGET // rows.size if rows.size < n else None, generator)


def measured(
    data: Rows,
    mapped: Rows,
    rows: IntArray,
    columns: IntArray,
    distinct: IntArray,
    *,
    n_neighbors: int | None,
    labels: ArrayLike | None,
    metric: str,
    n_components: int,
    who: str,
) -> QualityReport:
    """Measure a map by the distances from some rows to all, in the data and in the map."""
    n = data.n_samples
    if n_neighbors is None:
        n_neighbors = min(_DEFAULT_NEIGHBORS, (n + 1) // 2 - 1)
    k = check_n_neighbors(n_neighbors, n, who=who)
    codes = None if labels is None else as_label_codes(labels, n, who=who, some=True)
    sampled = rows.size < n
    require_memory_for_pairs(
        rows.size * columns.size // (1 if sampled else 2),
        who=who,
        instead="Give a smaller max_samples, or leave it out.",
    )

    counts = CorankingCounts(n)
    once = each_pair_once(rows, columns, n)
    area = _area_of_rank(n)
    per_row: dict[str, list[FloatArray]] = {}
    pairs: list[tuple[FloatArray, FloatArray]] = []
    radii: list[FloatArray] = []
    for block in ranked_blocks(data, mapped, rows, stage="quality"):
        larger = counts.add(block.coranks)
        seen = {
            "trustworthiness": row_trustworthiness(block.coranks, k),
            "continuity": row_continuity(block.coranks, k),
            "q_nx": (block.coranks[:, :k] <= k).mean(axis=1),
            "auc": area[larger].sum(axis=1),
        }
        if codes is not None:
            seen["label_accuracy"] = _labels_right(codes, block.rows, block.map_order)
        for name, values in seen.items():
            per_row.setdefault(name, []).append(values)
        chosen = once(block.rows)
        pairs.append((block.data_distances[chosen], block.map_distances[chosen]))
        if distinct.size >= 4:
            radii.append(_two_radii(block.data_distances, block.rows, distinct))

    curves = counts.curves()
    delta = np.concatenate([first for first, _ in pairs])
    d = np.concatenate([second for _, second in pairs])
    pairs = [(delta, d)]
    seen_from = {name: np.concatenate(values) for name, values in per_row.items()}
    right = seen_from.pop("label_accuracy", np.empty(0))
    right = right[~np.isnan(right)]
    if right.size:
        seen_from["label_accuracy"] = right
    dimension, dimension_error = _dimension(radii)
    errors = _standard_errors(seen_from, rows.size / n, n, k) if sampled else {}
    if sampled and dimension_error is not None:
        errors["intrinsic_dimension"] = dimension_error
    return QualityReport(
        n_samples=n,
        n_samples_used=rows.size,
        n_components=n_components,
        n_neighbors=k,
        metric=metric,
        trustworthiness=float(seen_from["trustworthiness"].mean()),
        continuity=float(seen_from["continuity"].mean()),
        q_nx=float(curves.q_nx[k - 1]),
        r_nx=float(curves.r_nx[k - 1]),
        auc=curves.auc,
        shepard_correlation=shepard_correlation_of_pairs(delta, d),
        stress=stress_of_pairs(lambda: iter(pairs), "normalised", True, who=who),
        sammon_stress=stress_of_pairs(lambda: iter(pairs), "sammon", True, who=who),
        residual_variance=residual_variance_of_pairs(lambda: iter(pairs)),
        intrinsic_dimension=dimension,
        label_accuracy=float(right.mean()) if right.size else None,
        label_errors=int(right.size - right.sum()) if right.size else None,
        standard_errors=errors,
        note=_note(rows.size, n, delta.size) if sampled else "",
    )


def _labels_right(codes: IntArray, rows: IntArray, order: IntArray) -> FloatArray:
    """1 where the nearest that has a label has one's own, else 0; NaN for rows without a label."""
    if codes.min() >= 0:
        return agrees_with_neighbors(codes, rows, order[:, :1]) * 1.0
    first = np.argmax(codes[order] >= 0, axis=1)
    nearest = order[np.arange(rows.size), first][:, None]
    right = agrees_with_neighbors(codes, rows, nearest) * 1.0
    return np.where(codes[rows] >= 0, right, np.nan)


def _likelihood(X: ArrayLike, Z: ArrayLike) -> float | None:
    """The GP-LVM score, where it takes about a second at most."""
    if np.shape(X)[0] > _SCORED_ROWS or np.prod(np.shape(X)) > _SCORED_NUMBERS:
        return None
    X = as_points(as_dense(X) if is_sparse(X) else X, name="X", who="quality_report")
    if not np.ptp(X, axis=0).any():
        return None
    return gplvm_score(X, Z)


def _area_of_rank(n: int) -> FloatArray:
    """Give what a pair adds to its point's area under R_NX, by the larger of its two ranks.

    But for a constant, that is: the area is linear in the counts, and so has an error over points.
    """
    k = np.arange(1, n - 1)
    weight = (n - 1) / ((n - 1.0 - k) * k**2) / np.sum(1.0 / k)
    area = np.zeros(n)
    area[1 : n - 1] = np.cumsum(weight[::-1])[::-1]
    return area


def _two_radii(distances: FloatArray, rows: IntArray, distinct: IntArray) -> FloatArray:
    own = np.isin(rows, distinct)
    radii = nearest_distances(distances[own], rows[own], distinct, 2)
    return radii[radii[:, 0] > 0]


def _dimension(radii: list[FloatArray]) -> tuple[float, float] | tuple[None, None]:
    """Estimate the dimension and its error."""
    found = np.concatenate(radii) if radii else np.empty((0, 2))
    if found.shape[0] < 4:
        return None, None
    try:
        return two_nn(found), jackknife_error(found, two_nn)
    except ValueError:
        # a lattice: the map's quality is known, the dimension is not
        return None, None


def _standard_errors(
    seen_from: dict[str, FloatArray], seen: float, n: int, k: int
) -> dict[str, float]:
    """Of means over points, of which a share was seen; one value alone has none."""
    errors = {}
    for name, values in seen_from.items():
        if values.size > 1:
            errors[name] = float(np.sqrt((1.0 - seen) * values.var(ddof=1) / values.size))
    errors["r_nx"] = errors["q_nx"] * (n - 1) / (n - 1 - k)
    return errors


def _note(n_used: int, n: int, n_pairs: int) -> str:
    return (
        f"Sampled: {n_used:,} of {n:,} points, each compared with all {n:,}; distances of "
        f"{n_pairs:,} pairs.\n± is one standard error."
    )
