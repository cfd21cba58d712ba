"""From what was typed to the parameters of a method."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from sidelight.cli.options import split_names
from sidelight.core import counted
from sidelight.registry import MAPS, entry_for

# Arguments of the door that are no parameters of a method.
_NOT_OF_A_METHOD = ("X", "side", "method", "columns", "text", "on_choice")

# The first so many names of transformations are of images, the others of signals.
_OF_IMAGES = 5


def typed_parameters(assignments: Sequence[str], method: str, **options: Any) -> dict[str, Any]:
    """Read ``name=value`` as the method means it, and leave out options that were not given."""
    parameters = {name: value for name, value in options.items() if value is not None}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise ValueError(f"--param takes name=value. Got {assignment!r}.")
        if name.strip() in _NOT_OF_A_METHOD:
            raise ValueError(f"--param sets a parameter of the method. {name.strip()!r} is none.")
        parameters[name.strip()] = parse_value(text, _expected(name.strip(), method))
    return parameters


def takes(method: str, parameter: str) -> bool:
    """Whether a method, or one that may be chosen, has a parameter."""
    if method == "auto":
        return True
    return parameter in inspect.signature(entry_for(method).load().__init__).parameters


def known_factors(
    columns: Sequence[str] | None, periods: Sequence[str] | None
) -> tuple[tuple[str, float | None], ...]:
    """The columns of known factors, each with the period that its numbers come round after.

    Examples
    --------
    >>> known_factors(["batch,hour"], ["0,24"])
    (('batch', None), ('hour', 24.0))
    """
    names, given = split_names(columns), split_names(periods)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"--condition-column names {twice[0]!r} more than once. Give it once.")
    if given and not names:
        raise ValueError(
            f"A period of {', '.join(given)} says nothing without a column of numbers that come "
            f"round. Give --condition-column too."
        )
    if given and len(given) != len(names):
        raise ValueError(
            f"--condition-period takes a number for each of the {counted(len(names), 'column')} of "
            f"--condition-column, 0 where its numbers do not come round. Got {len(given)}."
        )
    lengths = [_period(text) for text in given] or [None] * len(names)
    return tuple(zip(names, lengths, strict=True))


def _period(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"--condition-period takes numbers. Got {text!r}.") from None
    return number or None


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


def typed_invariance(
    names: Sequence[str], image_shape: tuple[int, ...] | None, *, standardize: bool = False
) -> Any:
    """Read the names of what is forgiven."""
    from sidelight import transforms
    from sidelight.side import Invariance

    known = {
        "shift": transforms.Shift,
        "rotation": transforms.Rotation,
        "scaling": transforms.Scaling,
        "affine": transforms.Affine,
        "filter": transforms.LocalFilter,
        "time-shift": transforms.TimeShift,
        "time-scaling": transforms.TimeScaling,
        "baseline": transforms.Baseline,
        "gain": transforms.Gain,
    }
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"--invariant-to takes {', '.join(known)}. Got {name!r}.{hint}")
    of_images = [name for name in names if list(known).index(name) < _OF_IMAGES]
    if of_images and image_shape is None:
        raise ValueError(
            f"--invariant-to {of_images[0]} is of images: say which rows they are, as in "
            f"--image-shape 28x28."
        )
    if standardize:
        raise ValueError(
            "--invariant-to compares rows as they are, and --standardize would change every column "
            "by itself. Leave one of them out."
        )
    return Invariance([known[name]() for name in names], image_shape=image_shape)


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


def _expected(name: str, method: str) -> list[Any]:
    """What a parameter takes in a method, or in any, where the method is yet to be chosen."""
    entries = MAPS if method == "auto" else (entry_for(method),)
    declared = [getattr(entry.load(), "_parameters", {}).get(name, ()) for entry in entries]
    return [description for descriptions in declared for description in descriptions]
