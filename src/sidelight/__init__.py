"""Dimensionality reduction that listens to what you know.

Every public name is imported when it is first used, so that ``import sidelight`` itself
loads neither a compiler nor a plotting library.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sidelight.registry import ESTIMATORS

__version__ = "0.2.0"

_SUBPACKAGES = (
    "datasets",
    "errors",
    "gated",
    "gaussian_process",
    "io",
    "latent",
    "mapping",
    "metric",
    "model_selection",
    "neighbors",
    "plot",
    "progress",
    "quality",
    "scale",
    "side",
    "similarity",
    "solvers",
    "spectral",
    "transforms",
    "unfolding",
)
_FUNCTIONS = {
    "embed": "sidelight.embedding",
    "Embedding": "sidelight.embedding",
    "save": "sidelight.io",
    "load": "sidelight.io",
    "learn_actions": "sidelight.unfolding.actions.moving",
}
_HOMES = {entry.name: entry.module for entry in ESTIMATORS} | _FUNCTIONS

__all__ = ["__version__", *sorted(_HOMES), *_SUBPACKAGES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _SUBPACKAGES:
        return import_module(f"sidelight.{name}")
    raise AttributeError(f"module 'sidelight' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
