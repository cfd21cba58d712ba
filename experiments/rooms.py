"""The experiments by room, as modules, and their kept results."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

from experiments.record import RESULTS, Record, read

ROOT = Path(__file__).parent


def rooms() -> dict[str, list[str]]:
    """The experiments of every room."""
    found: dict[str, list[str]] = {}
    for script in sorted(ROOT.glob("*/[!_]*.py")):
        found.setdefault(script.parent.name, []).append(script.stem)
    return found


def module_of(room: str, name: str) -> ModuleType:
    """The experiment, imported."""
    return importlib.import_module(f"experiments.{room}.{name}")


def result_of(name: str) -> Record | None:
    """The committed result of an experiment."""
    path = RESULTS / f"{name}.json"
    return read(path) if path.exists() else None
