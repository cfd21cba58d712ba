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
#: Facts that a map holds for its estimator alone: what the actions of a walk do.
_PRIVATE_FACTS = ("_motions",)
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
    return key in _ATTRIBUTES or key in _PARTS or _is_learned_by(key, model)


def facts_refused(state: dict[str, Any], model: Any) -> list[str]:
    """The facts of a map that would replace what a model does, or what it was told to do."""
    facts = state["map"].facts if "map" in state else {}
    return [
        name for name in facts if name not in _PRIVATE_FACTS and not _is_learned_by(name, model)
    ]


def _is_learned_by(name: str, model: Any) -> bool:
    """Whether a name is that of something learned; methods, properties and parameters are not."""
    ends_so = name.endswith("_") and not name.endswith("__")
    public = name.isidentifier() and ends_so and not name.startswith("_")
    return public and not hasattr(type(model), name)
