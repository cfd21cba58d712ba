"""What scikit-learn loads for itself, and a map has no use for."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType
from typing import Any

#: It imports these where it begins, for functions that no command calls.
_NOT_NEEDED = ("pandas", "scipy.stats")


class _Later(ModuleType):
    """A module in the place of one that is loaded when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":  # which is asked for where scikit-learn begins, up to 1.6
            return version(self.__name__)
        if name.startswith("__"):
            raise AttributeError(name)
        _make_room_for(self)
        return getattr(import_module(self.__name__), name)


def load_scikit_learn() -> None:
    """Load scikit-learn without what it does not need: whoever runs a command would wait for that.

    Whoever imports one of these modules afterwards has it, as though nothing had been.
    """
    if "sklearn" in sys.modules:
        return
    later = [
        _Later(name) for name in _NOT_NEEDED if name not in sys.modules and _is_installed(name)
    ]
    sys.modules.update({module.__name__: module for module in later})
    try:
        import sklearn.base  # noqa: F401
    finally:
        for module in later:
            _make_room_for(module)


def _is_installed(name: str) -> bool:
    """Whether a module can be had; what it lies in is looked for, and not loaded."""
    return find_spec(name.split(".")[0]) is not None


def _make_room_for(module: ModuleType) -> None:
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]
