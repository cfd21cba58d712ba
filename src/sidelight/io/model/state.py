"""What of an estimator a model file holds besides its parameters, and how it is put back.

An estimator that makes a map keeps its :class:`~sidelight.estimator.map.Map`, and everything it
shows is read from that.  A learned metric and a factor removal keep what was learned.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from sidelight.core import is_learned
from sidelight.estimator import metrics_among
from sidelight.metric.learning import RowMetric

#: The names that attributes have in files.
KEYS = {
    "_map": "map",
    "_front": "front",
    "_behind": "behind",
    "_unfinished": "unfinished",
    "_seen": "blocks seen",
    "_removal": "removal",
    "_machine": "machine",
    "_network": "network",
    "_moments": "moments",
    "_chains": "chains",
    "_sklearn_output_config": "output",
}
_ATTRIBUTES = {key: attribute for attribute, key in KEYS.items()}
#: Values that files hold part by part, as they did when the parts were attributes.
PARTS: dict[str, type[Any]] = {"_row_metric": RowMetric}
_PARTS = {field.name: name for name, cls in PARTS.items() for field in fields(cls)}
#: Shown by every map, and read from it.
_SHOWN = ("embedding_", "side_metrics_")


def state_of(model: Any) -> dict[str, Any]:
    """What a file holds of a fitted model, by the names it has there."""
    attributes = {k: v for k, v in vars(model).items() if is_learned(k) or k in KEYS}
    if "_map" in attributes:
        found = attributes["_map"]
        for shown in (*found.facts, *_SHOWN):
            attributes.pop(shown, None)
        if not model._kernel_is_written:
            attributes["_map"] = replace(found, kernel=None)
    parts: dict[str, Any] = {}
    for name in PARTS.keys() & attributes.keys():
        value = attributes.pop(name)
        parts |= {field.name: getattr(value, field.name) for field in fields(value)}
    for name in attributes:
        if name.startswith("_") and name not in KEYS:
            raise TypeError(
                f"A model file cannot hold the attribute {name!r} of {type(model).__name__}: what "
                f"is learned belongs into its Map."
            )
    return {KEYS.get(name, name): value for name, value in attributes.items()} | parts


def put_back(model: Any, state: dict[str, Any]) -> None:
    """Give a model what a file holds of it."""
    for name in {_PARTS[key] for key in state if key in _PARTS}:
        cls = PARTS[name]
        vars(model)[name] = cls(**{field.name: state[field.name] for field in fields(cls)})
    for key, value in state.items():
        if key not in _PARTS:
            vars(model)[_ATTRIBUTES.get(key, key)] = value
    if "map" in state:
        model._wear(state["map"])
        model.side_metrics_ = metrics_among(state.get("front", ()))
        vars(model).setdefault("side_report_", ())


def is_a_key(key: str, model: Any) -> bool:
    """Tell whether a file may set this: what was learned, never what is done."""
    if key in _ATTRIBUTES or key in _PARTS:
        return True
    public = key.isidentifier() and key.endswith("_") and not key.startswith("_")
    return public and not callable(getattr(type(model), key, None))
