"""From the options of the command line to an estimator."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sidelight.registry import MAPS, Entry

# option of the command line: parameter of the estimators
_OPTIONS = {
    "components": "n_components",
    "neighbors": "n_neighbors",
    "landmarks": "n_landmarks",
    "metric": "metric",
}


def find_method(name: str) -> Entry:
    """Find a method that makes a map."""
    names = {alias.lower(): entry for entry in MAPS for alias in (entry.command, entry.name)}
    if name.lower() in names:
        return names[name.lower()]
    near = get_close_matches(name.lower(), names, n=1)
    hint = f" Did you mean {names[near[0]].command!r}?" if near else ""
    known = ", ".join(entry.command for entry in MAPS)
    raise ValueError(f"There is no method {name!r}.{hint} The methods are: {known}.")


def build_estimator(
    entry: Entry,
    *,
    decided: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    assignments: Sequence[str] = (),
    precomputed: bool = False,
    seed: int | None = None,
) -> Any:
    """Make an estimator from what was typed."""
    cls = entry.load()
    known = list(inspect.signature(cls.__init__).parameters)[1:]
    parameters: dict[str, Any] = dict(decided or {})
    for option, value in (options or {}).items():
        if value is not None:
            _require(_OPTIONS[option], known, entry, f"--{option}")
            parameters[_OPTIONS[option]] = value
    if precomputed:
        _require("metric", known, entry, "--precomputed")
        parameters["metric"] = "precomputed"
    if seed is not None and "random_state" in known:
        parameters["random_state"] = seed
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise ValueError(f"--param takes name=value. Got {assignment!r}.")
        _require(name, known, entry, "--param")
        parameters[name] = parse_value(text, getattr(cls, "_parameters", {}).get(name, ()))
    return cls(**parameters)


def parse_value(text: str, expected: Sequence[Any] = ()) -> Any:
    """Read a value as what the parameter takes: a number, yes or no, none, or a word.

    Examples
    --------
    >>> [parse_value(text) for text in ("3", "1e-3", "true", "none", "heat")]
    [3, 0.001, True, None, 'heat']
    """
    readings: list[Any] = []
    for number in (int, float):
        try:
            readings.append(number(text))
        except ValueError:
            continue
    words = {"true": True, "yes": True, "false": False, "no": False, "none": None}
    if text.strip().lower() in words:
        readings.append(words[text.strip().lower()])
    readings.append(text)
    for reading in readings:
        if any(description.admits(reading) for description in expected):
            return reading
    return readings[0]


def written_parameters(estimator: Any) -> str:
    """Write the parameters of an estimator that are not its defaults."""
    defaults = inspect.signature(type(estimator).__init__).parameters
    values = estimator.get_params(deep=False)
    shown = {
        name: value
        for name, value in values.items()
        if name in ("n_components", "n_neighbors") or repr(value) != repr(defaults[name].default)
    }
    return ", ".join(f"{name}={value!r}" for name, value in shown.items())


def _require(name: str, known: Sequence[str], entry: Entry, option: str) -> None:
    if name in known:
        return
    able = [e.command for e in MAPS if e is not entry and _has(e, name)]
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    others = f" These methods have it: {', '.join(able)}." if able else ""
    raise ValueError(
        f"{entry.name} has no parameter {name!r}, which {option} sets.{hint} It has: "
        f"{', '.join(known)}.{others}"
    )


def _has(entry: Entry, name: str) -> bool:
    try:
        return name in inspect.signature(entry.load().__init__).parameters
    except ImportError:
        return False
