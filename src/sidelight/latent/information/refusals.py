"""What does nothing where a factor is known or a bandwidth learned, or cannot go with it."""

from __future__ import annotations

from typing import Any

import numpy as np

#: What has no say where a condition is known.
_ONLY_WITHOUT_CONDITION = (
    "continuation",
    "n_steps",
    "leave_one_out",
    "init",
    "validation_fraction",
    "warm_start",
)


def refuse_beside_condition(model: Any, known: dict[str, Any], validation: Any) -> None:
    """Refuse parameters that do nothing with a Condition, and a Sequence beside it."""
    who = type(model).__name__
    given, default = model.get_params(deep=False), type(model)().get_params(deep=False)
    idle = [
        f"'{name}' parameter"
        for name in _ONLY_WITHOUT_CONDITION
        if np.ndim(given[name]) > 0 or given[name] != default[name]
    ] + ["'validation' argument"] * (validation is not None)
    if idle:
        raise ValueError(
            f"The {idle[0]} of {who} does nothing with a Condition in 'side'. Leave it as it is by "
            f"default."
        )
    if given["bandwidth"] == "learned":
        raise ValueError(
            f"bandwidth='learned' of {who} has no place beside a Condition: it is the likeliest of "
            f"the data, and not of what a factor leaves of them. Give a number, or 'auto'."
        )
    if "Sequence" in known:
        raise ValueError(
            f"{who} cannot listen to a Sequence beside a Condition: rows that follow one another "
            f"may differ in the factor that is left out. Leave one of them out."
        )


def refuse_beside_learned(model: Any, validation: Any) -> None:
    """Refuse what cannot go with a bandwidth that is learned."""
    who, kernel = type(model).__name__, model.kernel
    if kernel != "gaussian":
        raise ValueError(
            f"bandwidth='learned' of {who} needs kernel='gaussian', whose density has a size. Got "
            f"kernel={kernel!r}. Give a number, or 'leave_one_out'."
        )
    judged = validation is not None or model.validation_fraction > 0
    if judged or model.leave_one_out or model.warm_start:
        raise ValueError(
            f"bandwidth='learned' of {who} is judged by items left out of their own density, so "
            f"'validation', 'validation_fraction', 'leave_one_out' and 'warm_start' do nothing. "
            f"Leave them as they are by default."
        )
