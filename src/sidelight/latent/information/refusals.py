"""What does nothing where a factor is known, a bandwidth learned or a power given."""

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
    "power",
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


def refuse_beside_table(model: Any, validation: Any) -> None:
    """Refuse what needs the features of items, where similarities are given."""
    judged = validation is not None or model.validation_fraction > 0
    start = isinstance(model.init, str) and model.init == "pca"
    idle = {
        "n_components='auto'": isinstance(model.n_components, str),
        f"bandwidth={model.bandwidth!r}": model.bandwidth in ("leave_one_out", "learned"),
        "init='pca'": start or hasattr(model.init, "fit"),
        "'validation'": judged,
    }
    found = [name for name, given in idle.items() if given]
    if found:
        raise ValueError(
            f"{found[0]} of {type(model).__name__} needs the features of items, and with "
            f"kernel='precomputed' their similarities alone are known. Leave it out, or give a "
            f"number."
        )


def refuse_in_turns(model: Any, validation: Any) -> None:
    """Refuse what cannot go with a bandwidth that is learned, or with a power that is given."""
    who, kernel, learned = type(model).__name__, model.kernel, model.bandwidth == "learned"
    if learned and kernel != "gaussian":
        raise ValueError(
            f"bandwidth='learned' of {who} needs kernel='gaussian', whose density has a size. Got "
            f"kernel={kernel!r}. Give a number, or 'leave_one_out'."
        )
    if model.power is not None and (learned or model.alpha != "auto" or model.penalty != "l2"):
        raise ValueError(
            f"The 'power' parameter of {who} is a constraint in the place of a penalty, so that "
            f"'alpha', another 'penalty' than 'l2' and bandwidth='learned' have no say. Leave them "
            f"as they are by default."
        )
    judged = validation is not None or model.validation_fraction > 0
    if judged or model.warm_start or (learned and model.leave_one_out):
        mode = "bandwidth='learned'" if learned else f"power={model.power:g}"
        raise ValueError(
            f"With {mode} {who} makes no use of 'validation', 'validation_fraction' and "
            f"'warm_start', nor of 'leave_one_out' where each item is left out anyhow. Leave them "
            f"as they are by default."
        )
