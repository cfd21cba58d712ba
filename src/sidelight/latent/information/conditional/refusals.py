"""What does nothing where a factor is known, and what cannot be known beside it."""

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
    if "Sequence" in known:
        raise ValueError(
            f"{who} cannot listen to a Sequence beside a Condition: rows that follow one another "
            f"may differ in the factor that is left out. Leave one of them out."
        )
