"""The one door: data and what is known about them in, a map and all that belongs to it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.core.arrays import FloatArray, is_sparse
from sidelight.registry import MAPS, Entry, entry_for

#: Up to this many rows Isomap measures every geodesic distance; beyond, from landmarks.
ALL_PAIRS_UP_TO = 4000
#: Up to this many rows what is known is written as constraints on one kernel.
CONSTRAINED_UP_TO = 500
#: What is known need not be consistent for a map to be drawn.
_SLACK = 0.01
_LANDMARK_DISTANCES = 50_000_000


@dataclass(frozen=True)
class Choice:
    """A method chosen for the user, and why.

    Parameters
    ----------
    entry : Entry
        The method.
    parameters : dict
        What was decided with it.
    why : str
        The reason, as the end of a sentence that begins with the method's name.
    """

    entry: Entry
    parameters: dict[str, Any]
    why: str


def choose_method(
    n_rows: int,
    *,
    kinds: Sequence[str] = (),
    distances: bool = False,
    graph: bool = False,
    missing: bool = False,
) -> Choice:
    """Choose a method by what is known, what is missing, and how many rows there are.

    Examples
    --------
    >>> choice = choose_method(10_000)
    >>> choice.entry.name, choice.parameters
    ('Isomap', {'n_landmarks': 1000})
    """
    if not any(set(kinds) <= set(entry.understands) for entry in MAPS):
        listening = [f"{e.name}: {', '.join(e.understands)}" for e in MAPS if e.understands]
        raise ValueError(
            f"No one method listens to {' and '.join(kinds)} together. What each listens to: "
            f"{'; '.join(listening)}."
        )
    if "Relation" in kinds:
        others = [kind for kind in kinds if kind != "Relation"]
        metric = f", and listens to {' and '.join(others)} through a learned metric"
        return Choice(
            entry_for("mre"), {}, f"it maps several relations at once{metric if others else ''}"
        )
    if list(kinds) == ["Actions"]:
        return Choice(
            entry_for("are"), {}, "it listens to Actions, each of them one rigid motion of the map"
        )
    small = n_rows <= CONSTRAINED_UP_TO and "Attributes" not in kinds
    several = {"Pairs", "Distances"} <= set(kinds) or (distances and bool(kinds))
    if "Actions" in kinds or (several and small):
        why = f"it takes {' and '.join(kinds)} as constraints on the kernel that it learns"
        return Choice(entry_for("sde"), {"slack": _SLACK}, f"{why}, with slack")
    if "Anchors" in kinds:
        return Choice(
            entry_for("sammon"), {}, "it keeps distances, with the anchored rows where they go"
        )
    if "Condition" in kinds:
        return Choice(entry_for("kie"), {}, "it leaves a known factor out of the map")
    if distances and not graph:
        return Choice(entry_for("mds"), {}, "the data are a table of distances")
    if missing and not kinds:
        return Choice(entry_for("ppca"), {}, "some values are missing, and it fills them in")
    listens = f", and listens to {' and '.join(kinds)} through a learned metric" if kinds else ""
    follows = "it measures along the graph" if graph else f"it follows curved data{listens}"
    if n_rows <= ALL_PAIRS_UP_TO:
        return Choice(entry_for("isomap"), {}, follows)
    landmarks = int(min(1000, max(100, _LANDMARK_DISTANCES // n_rows)))
    return Choice(
        entry_for("isomap"),
        {"n_landmarks": landmarks},
        f"{follows}; {landmarks:,} landmarks, for there are more than {ALL_PAIRS_UP_TO:,} rows",
    )


@dataclass(frozen=True)
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
    """

    points: FloatArray
    model: Any
    why: str
    data: Any

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
            along a graph where one was given.
        """
        from sidelight.quality import quality_report

        metric = getattr(self.model, "metric", "euclidean")
        if "metric" not in options and isinstance(metric, str):
            options["metric"] = metric
        data = self.data
        if is_sparse(data):
            given = options.get("metric", metric) == "precomputed"
            data = distances_along(data) if given else data.toarray()
        for learned in getattr(self.model, "side_metrics_", []):
            data = learned.transform(data)
        return quality_report(data, self.points, **options)

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
        from sidelight.io.model.files import save

        save(self.model, path)


def embed(
    X: Any,
    *,
    side: Any = None,
    method: str = "auto",
    n_components: int | str = 2,
    **parameters: Any,
) -> Embedding:
    """Embed data, listening to what is known about them.

    Parameters
    ----------
    X : array, sparse array or frame of shape (n_samples, n_features)
        The data; with ``metric="precomputed"`` the table of distances, or a sparse graph of them;
        None where relations say all that is known.
    side : side information or list of it, optional
        What is known about the rows of X.
    method : str
        ``"auto"``, or a method's class or short name (``sidelight methods`` lists them).
    n_components : int or "auto"
        Dimensions of the map; ``"auto"`` lets the method find out.
    **parameters : object
        Further parameters of the method.

    Returns
    -------
    Embedding
        ``.points``, ``.model``, ``.why``, ``.quality()``, ``.plot()``, ``.save(path)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import embed
    >>> from sidelight.side import Pairs
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> result = embed(X, side=Pairs(similar=[(0, 1), (2, 3)]))
    >>> print(result.why)
    Isomap: it follows curved data, and listens to Pairs through a learned metric.
    """
    if method == "auto":
        choice = choose_method(
            0 if X is None else np.shape(X)[0],
            kinds=sorted({type(value).__name__ for value in _listed(side)}),
            distances=parameters.get("metric") == "precomputed",
            graph=parameters.get("metric") == "precomputed" and is_sparse(X),
            missing=_has_missing(X),
        )
        entry, why = choice.entry, f"{choice.entry.name}: {choice.why}."
        parameters = {**choice.parameters, **parameters}
    else:
        entry = entry_for(method)
        why = f"{entry.name}: you asked for it."
    if entry not in MAPS:
        raise ValueError(
            f"{entry.name} makes no map: it is a metric. Methods that do: "
            f"{', '.join(other.command for other in MAPS)}."
        )
    estimator = entry.load()
    known = estimator().get_params()
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        raise ValueError(
            f"{entry.name} has no parameter {unknown[0]!r}. Its parameters are: "
            f"{', '.join(sorted(known))}."
        )
    model = estimator(n_components=n_components, **parameters).fit(X, side=side)
    return Embedding(model.embedding_, model, why, X)


def distances_along(graph: Any) -> FloatArray:
    """Measure all rows of a graph along it, so that a map of it can be judged.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> distances_along(sp.csr_array([[0, 1.0, 0], [0, 0, 2.0], [0, 0, 0]]))[0]
    array([0., 1., 3.])
    """
    from sidelight.similarity.geodesic import geodesic_distances

    D = geodesic_distances(graph, who="quality")
    if not np.isfinite(D).all():
        raise ValueError(
            "The quality of a map of a graph in pieces is not defined: between them there are no "
            "distances to compare with. Judge each piece by itself."
        )
    return D


def _listed(side: Any) -> list[Any]:
    if side is None:
        return []
    return list(side) if isinstance(side, (list, tuple)) else [side]


def _has_missing(X: Any) -> bool:
    if is_sparse(X):
        return False
    try:
        return bool(np.isnan(np.asarray(X, dtype=np.float64)).any())
    except (TypeError, ValueError):  # the estimator says what is wrong with it
        return False
