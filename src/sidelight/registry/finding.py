"""Estimators found by their names, and by their classes."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from sidelight.registry.entry import Entry
from sidelight.registry.estimators import ESTIMATORS, MAPS


def understood_by(estimator: type[Any]) -> tuple[str, ...]:
    """The kinds of side information that a class of estimators takes."""
    entry = entry_of(estimator)
    return () if entry is None else entry.understands


def entry_of(estimator: type[Any]) -> Entry | None:
    """The entry of a class of estimators or of its nearest ancestor that has one."""
    entries = {entry.name: entry for entry in ESTIMATORS}
    known = [entries[cls.__name__] for cls in estimator.__mro__ if cls.__name__ in entries]
    return known[0] if known else None


def entry_for(name: str) -> Entry:
    """Find an estimator by its class name or its short name."""
    for entry in ESTIMATORS:
        if name.lower() in (entry.name.lower(), entry.command):
            return entry
    commands = {alias.lower(): e.command for e in MAPS for alias in (e.command, e.name)}
    commands |= dict.fromkeys(("tsne", "t-sne", "umap"), "ne")  # what others call it
    near = get_close_matches(name.lower(), commands, n=1)
    hint = f" Did you mean {commands[near[0]]!r}?" if near else ""
    known = ", ".join(entry.command for entry in MAPS)
    raise ValueError(f"There is no method {name!r}.{hint} The methods are: {known}.")
