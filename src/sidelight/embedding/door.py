"""The door itself: choose, check, fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sidelight.core import is_sparse
from sidelight.embedding.aligning import told_to_align
from sidelight.embedding.beyond import fit_within_reach
from sidelight.embedding.choice import Choice, choose_method
from sidelight.embedding.given import Given
from sidelight.embedding.hints import hints_for
from sidelight.embedding.reach import reach_of
from sidelight.embedding.result import Embedding, has_missing
from sidelight.estimator import is_precomputed
from sidelight.neighbors import as_distances, said_of_distances, warn_of_distances
from sidelight.registry import MAPS, Entry, entry_for
from sidelight.side import Condition, SideInformation, side_values

#: What people call labels where they know another library.
_LABELS = ("y", "label", "labels", "target", "targets", "classes")
_EUCLIDEAN = (None, "euclidean", "l2")
P = ParamSpec("P")
R = TypeVar("R")


def _all_but_data_by_name(function: Callable[P, R]) -> Callable[P, R]:
    """Say by which name a second argument goes, which Python's own message does not."""

    @wraps(function)
    def checked(*given: P.args, **named: P.kwargs) -> R:
        if len(given) > 1:
            values = given[1] if isinstance(given[1], (list, tuple)) else [given[1]]
            known = [type(each).__name__ for each in values if isinstance(each, SideInformation)]
            what = " and ".join(known) or type(given[1]).__name__
            way = "what is known goes by name, embed(X, side=…)"
            if not known:
                way = "all else goes by name, embed(X, method=…, n_components=…)"
            raise TypeError(
                f"{function.__name__} takes nothing but X without a name. Got {what} after it: "
                f"{way}."
            )
        return function(*given, **named)

    return checked


@_all_but_data_by_name
def embed(
    X: Any,
    *,
    side: Any = None,
    names: Any = None,
    missing: str = "keep",
    columns: str = "numbers",
    text: str | None = None,
    method: str = "auto",
    n_components: int | str = 2,
    random_state: Any = None,
    sample: int | None = None,
    align_to: Any = None,
    on_choice: Callable[[Choice, Any], None] | None = None,
    **parameters: Any,
) -> Embedding:
    """Embed data, listening to what is known about them.

    Parameters
    ----------
    X : array, sparse array or frame of shape (n_samples, n_features), or path
        The data; with ``metric="precomputed"`` the table of distances, or a sparse graph of them;
        None where relations say all that is known.  Of a frame (pandas, polars, pyarrow) the
        columns that are no numbers are set aside.  Images may come as (n_samples, height, width)
        or with channels behind.  A path is read as by the command line: a csv, tsv, npy, npz or
        parquet file, a folder of parquet files, which are one table, or a folder of pictures,
        whose rows are named by their files.  A square symmetric table with zeros on its diagonal,
        but for rounding, is read as distances, unless ``metric`` says what it is.
    side : side information or list of it, optional
        What is known about the rows of X.
    names : str or sequence, optional
        The labels that ``side`` names rows by: a column of the frame or the file X, which is then
        no data, or one label per row.  By default the index of a frame of pandas.
    missing : {"keep", "mean", "drop-rows", "drop-columns", "error"}
        What to do about missing numbers (NaN): keep them for methods that take them, fill in the
        mean of the column, leave out rows or columns that have any, or refuse them.  Texts that
        have no word are refused, or left out by ``"drop-rows"``.
    columns : {"numbers", "mixed"}
        Which columns of a frame are data: those of numbers, or all, compared as Gower does: numbers
        and dates by their range, words of few values by whether they are the same
        (``.coder.apply(frame)`` codes new rows for ``.model.transform``).
    text : str, optional
        The column of the frame or the file X whose texts rows are compared by: by their words,
        rare ones counting more (tf-idf), whatever their length (cosine).  All other columns are
        set aside; new rows are coded as of mixed columns.
    method : str
        ``"auto"``, or a method's class or short name (``sidelight methods`` lists them).
    n_components : int, "auto" or "cv"
        Dimensions of the map; ``"auto"`` lets the method find out, ``"cv"`` rows left out, for
        methods that are densities (PCA, probabilistic PCA, GP-LVM).
    random_state : int, Generator, RandomState or None
        For methods that draw at random, and for the rows that are drawn for a sample.
    sample : int, optional
        Fit to so many rows at most, and place the others by ``transform``; by default to as many
        as the method reaches (``sidelight.embedding.reach``), which ``.why`` says.
    align_to : Embedding, fitted estimator, frame or array of shape (n_samples, n_components), \
optional
        Another map of the same rows, NaN where it has no place for one: this map is moved, turned,
        mirrored and scaled to come near it, and not bent.  Where the rows of both have names they
        are the same by name, in any order, and some may be new or gone.
    on_choice : callable, optional
        Told the :class:`Choice` and the estimator before the work begins.
    **parameters : object
        Further parameters of the method.

    Returns
    -------
    Embedding
        ``.points``, ``.model``, ``.why``, ``.quality()``, ``.plot()``, ``.to_frame()``,
        ``.to_html(path)``, ``.save(path)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import embed
    >>> from sidelight.side import Pairs
    >>> X = np.random.default_rng(0).standard_normal((40, 6))
    >>> result = embed(X, side=Pairs(similar=[(0, 1), (2, 3)]))
    >>> print(result.why)
    NeighborEmbedding: near rows are near in the map; Pairs pull and push in it. 40 rows of 6 \
numbers that fill about 5 dimensions.
    """
    if not isinstance(method, str):
        raise ValueError(
            f"The 'method' argument of embed must be 'auto' or the name of a method. Got "
            f"{method!r}. An estimator of your own is fitted by itself: .fit(X, side=…)."
        )
    given = Given.read(X, side, names, missing, columns, text)
    X, side, notes = given.X, given.side, given.notes
    if text is not None and _has_metric(method):
        parameters = {"metric": given.coder.metric, **parameters}
    if "metric" not in parameters and (distances := as_distances(X)) is not None:
        if _has_metric(method):
            X, parameters["metric"] = distances, "precomputed"
            notes = (*notes, said_of_distances(len(X)))
        else:
            warn_of_distances(X)
    metric = parameters.get("metric")
    table = is_precomputed(metric)
    kinds = sorted({type(value).__name__ for value in side_values(side, "embed")})
    if method == "auto":
        choice = choose_method(
            np.shape(X)[0] if np.ndim(X) else 0,
            kinds=kinds,
            distances=table,
            graph=table and is_sparse(X),
            other_metric=not table and metric not in _EUCLIDEAN,
            missing=has_missing(X),
            n_components=n_components,
        )
    else:
        choice = Choice(entry_for(method), {}, "you asked for it")
    if choice.entry not in MAPS:
        raise ValueError(
            f"{choice.entry.name} makes no map: it is a metric. Methods that do: "
            f"{', '.join(other.command for other in MAPS)}."
        )
    parameters = {"n_components": n_components, **choice.parameters, **parameters}
    n = np.shape(X)[0] if np.ndim(X) else 0
    reach = reach_of(choice.entry.name, parameters, sparse=is_sparse(X), kinds=kinds)
    settings = reach.settings(n if table else reach.of(n))
    if not settings.keys() <= parameters.keys():
        said = ", ".join(f"{name}={value}" for name, value in settings.items())
        notes = (*notes, f"So many rows take {said}.")
    parameters = {**settings, **parameters}
    known = _parameters_of(choice.entry)
    if random_state is not None and "random_state" in known:
        parameters["random_state"] = random_state
    for name in parameters:
        if name not in known:
            raise ValueError(_no_parameter(name, choice, known))
    model = choice.entry.load()(**parameters)
    if on_choice is not None:
        on_choice(choice, model)
    if align_to is not None:
        side = told_to_align(side, align_to, n, n_components, given.names)
    with given.calling_rows():
        points, done = fit_within_reach(
            model, X, side=side, sample=sample, random_state=random_state
        )
    told = tuple(filter(None, [done, *notes]))
    conditions = [v for v in side_values(side, "embed") if isinstance(v, Condition)]
    return Embedding(
        points,
        model,
        " ".join([f"{choice}", *told]),
        X,
        told,
        tuple(conditions),
        names=given.names,
        image_shape=given.image_shape,
        frame=given.frame,
        side=given.side,
        hints=hints_for(
            X,
            names=given.columns or getattr(X, "columns", None),
            metric=metric,
            images=given.image_shape is not None,
            beside=given.beside(text),
            known={type(value).__name__ for value in side_values(given.side, "embed")},
        ),
        coder=given.coder,
    )


def _has_metric(method: str) -> bool:
    """Whether a method, or one that may be chosen, is told how rows are compared."""
    return method == "auto" or "metric" in _parameters_of(entry_for(method))


def _parameters_of(entry: Entry) -> list[str]:
    return list(signature(entry.load().__init__).parameters)[1:]


def _no_parameter(name: str, choice: Choice, known: Sequence[str]) -> str:
    if name in _LABELS:
        return (
            f"embed has no argument {name!r}. What is known of rows is its 'side': "
            f"side=Pairs.from_labels(…), of sidelight.side. To colour a map by labels: "
            f"embed(X).plot(labels=…)."
        )
    able = [e.command for e in MAPS if e is not choice.entry and name in _parameters_of(e)]
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    others = f" These methods have it: {', '.join(able)}." if able else ""
    return (
        f"{choice.entry.name} has no parameter {name!r}.{hint} Its parameters are: "
        f"{', '.join(sorted(known))}.{others}"
    )
