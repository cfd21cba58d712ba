"""Where side information meets an estimator: what it understands, and who understands the rest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from sidelight.core import warn
from sidelight.registry import ESTIMATORS
from sidelight.side.rows import RowNames, SideInformation, rows_called, rows_called_as_in

_Class = TypeVar("_Class", bound=type[Any])


def gather_side(
    side: Any,
    *,
    understands: tuple[str, ...],
    n_samples: int,
    who: str,
    several: tuple[str, ...] = (),
    reports: dict[str, Any] | None = None,
    X: Any = None,
    **more: Any,
) -> dict[str, Any]:
    """Sort side information by kind and check each value once.

    Rows that are named by label are found in the index of X.  Several ``Pairs`` are merged into
    one, and so are several ``Distances``.

    Parameters
    ----------
    side : side information, list of it, or None
        What the user gave.
    understands : tuple of str
        The kinds that the estimator takes, by class name.
    n_samples : int
        Rows of X.
    who : str
        The estimator, named in an error.
    several : tuple of str
        Kinds of which there may be several that are not merged; they come as a tuple.
    reports : dict, optional
        Filled with what the checks had to report, by kind.
    X : array or frame, optional
        As the user gave it: the index of a frame has the labels of its rows.
    **more : object
        What some kinds check besides: ``n_features``, ``n_components``, ``strict``.

    Returns
    -------
    dict
        Kind to value; empty if nothing is known.

    Raises
    ------
    ValueError
        If a value is no side information, is of a kind that the estimator does not understand or
        takes only once, or does not fit X.

    Examples
    --------
    >>> from sidelight.side import Pairs
    >>> two = [Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(1, 2)])]
    >>> gather_side(two, understands=("Pairs",), n_samples=3, who="EquivalenceMetric")
    {'Pairs': Pairs(1 similar, 1 dissimilar)}
    """
    by_kind: dict[str, list[Any]] = {}
    told = side_values(side, who)
    names = RowNames.of(X) if told else None
    for value in told:
        kind = type(value).__name__
        if kind not in understands:
            raise ValueError(_not_understood(kind, understands, who))
        found = value._at(names, n_samples, who=who)
        if not is_nothing_of(found, n_samples, who=who):
            by_kind.setdefault(kind, []).append(found)
    gathered: dict[str, Any] = {}
    for kind, values in by_kind.items():
        merged = _merged(kind, values, several, who)
        for value in merged if isinstance(merged, tuple) else (merged,):
            checked = signature(value.check).parameters
            wanted = {name: given for name, given in more.items() if name in checked}
            with _called_as_by(value):
                report = value.check(n_samples, who=who, **wanted)
            if reports is not None and report is not None:
                reports[kind] = report
        gathered[kind] = merged
    return gathered


def _called_as_by(value: Any) -> AbstractContextManager[None]:
    """Call rows by number to whoever said so of them."""
    return rows_called(None) if getattr(value, "by", None) == "row" else nullcontext()


def is_nothing_of(value: Any, n_samples: int, *, who: str) -> bool:
    """Whether a value speaks of these rows and says nothing of them: told, and left out."""
    if not value._says_nothing or value._size is None:
        return False
    value._require_size(n_samples, who)
    warn(
        f"The {type(value).__name__} given to {who} says nothing about the {n_samples} rows of X, "
        f"so that it changes nothing."
    )
    return True


def meeting_side(cls: _Class) -> _Class:
    """Let the methods of a class that fit refuse side information as y, and know rows by name.

    ``y`` is ignored, as scikit-learn has it, so what is known would be ignored with it; and where Y
    is what an item becomes, a list of values would pass for labels.  Whatever they say of rows
    calls them by the index of X.
    """
    for name in ("fit", "fit_transform", "partial_fit"):
        if name in vars(cls):
            setattr(cls, name, _meeting_side(vars(cls)[name]))
    return cls


def _meeting_side(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def checked(self: Any, *given: Any, **named: Any) -> Any:
        y = given[1] if len(given) > 1 else named.get("y", named.get("Y"))
        values = y if isinstance(y, (list, tuple)) else [y]
        kinds = [type(value).__name__ for value in values if isinstance(value, SideInformation)]
        if kinds:
            raise ValueError(_in_place_of_y(type(self), method, " and ".join(kinds)))
        with rows_called_as_in(given[0] if given else named.get("X")):
            return method(self, *given, **named)

    return checked


def _in_place_of_y(cls: type[Any], method: Callable[..., Any], kinds: str) -> str:
    """What is said of side information in the place of y: where it goes, if it goes anywhere."""
    said, how = f"{cls.__name__}.{method.__name__} got {kinds}", method.__name__
    if "side" in signature(method).parameters:
        return f"{said} as y, which is ignored. What is known goes by name: {how}(X, side=…)."
    if "side" in signature(cls.fit).parameters:
        return f"{said} as y, which is ignored, and {how} takes none. Give it to fit(X, side=…)."
    return (
        f"{said} in the place of Y, and {cls.__name__} takes no side information: it learns from X "
        f"and Y alone. Maps and learned metrics take it, by name: Isomap().fit(X, side=…)."
    )


def _merged(kind: str, values: list[Any], several: tuple[str, ...], who: str) -> Any:
    if kind in several:
        return tuple(values)
    if len(values) == 1:
        return values[0]
    if hasattr(values[0], "merge"):
        try:
            return values[0].merge(values)
        except ValueError as error:
            raise ValueError(
                f"{who} cannot put the {len(values)} {kind} together. {error}"
            ) from error
    raise ValueError(
        f"{who} takes one {kind} at a time. Got {len(values)} in the 'side' argument. Put what is "
        f"known into one."
    )


def side_values(side: Any, who: str) -> list[Any]:
    """What the user gave as a list of side information; anything else is refused with a hint."""
    if side is None:
        return []
    values = list(side) if isinstance(side, (list, tuple)) else [side]
    for value in values:
        if isinstance(value, SideInformation):
            continue
        hint = "Make it one of the values in sidelight.side."
        if isinstance(side, (list, tuple)) and isinstance(value, (list, tuple)):
            got = f"a list of {type(value).__name__}s"
            hint = "Did you mean Pairs(similar=…)?"
        elif isinstance(value, type) and issubclass(value, SideInformation):
            got, hint = f"the class {value.__name__}", f"Did you mean {value.__name__}(…)?"
        elif hasattr(value, "__next__"):
            got, hint = f"a {type(value).__name__}, which can be read once", "Make a list of it."
        else:
            got = f"{type(value).__name__}"
            if hasattr(value, "shape") or isinstance(value, dict):
                hint = "Did you mean Pairs(similar=…) or Pairs.from_labels(…)?"
        raise ValueError(
            f"The 'side' argument of {who} must be side information or a list of it. Got {got}. "
            f"{hint}"
        )
    return values


def _not_understood(kind: str, understands: tuple[str, ...], who: str) -> str:
    able = [entry.name for entry in ESTIMATORS if kind in entry.understands]
    why = [e.declines[kind] for e in ESTIMATORS if e.name == who and kind in e.declines]
    takes = f"It understands {', '.join(understands)}." if understands else "It takes none."
    others = f"{kind} is understood by {', '.join(able)}." if able else ""
    reason = f": {why[0]}" if why else ""
    said = f"{who} does not understand {kind} as side information{reason}."
    return f"{said} {takes} {others}".rstrip()
