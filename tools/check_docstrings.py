"""Validate the docstrings of everything public by numpydoc's rules.

The objects are imported, so that the parameters of dataclasses are known.  The commands of the
command line say what their options are in the options themselves.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from numpydoc.validate import validate

import sidelight

CHECKS = {
    "GL06", "GL07", "GL08",  # sections: known, in order, there at all
    "SS01", "SS02", "SS03", "SS05",  # a summary: there, capitalised, ended, not "computes"
    "PR01", "PR02", "PR03", "PR04",  # parameters: all, only these, in order, with a type
    "RT01", "RT03",  # what is returned
}  # fmt: skip
COMMANDS = "sidelight.cli."


def modules() -> Iterator[ModuleType]:
    """Every module of the package whose name does not begin with an underscore."""
    yield sidelight
    for found in pkgutil.walk_packages(sidelight.__path__, "sidelight."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield importlib.import_module(found.name)


def public_objects(module: ModuleType) -> Iterator[str]:
    """The functions and classes of a module, and their methods, by dotted name."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value):
            yield f"{module.__name__}.{name}"
        elif inspect.isclass(value):
            if not getattr(value, "_is_protocol", False):  # a protocol is never constructed
                yield f"{module.__name__}.{name}"
            for method, own in vars(value).items():
                function = inspect.isfunction(own) or isinstance(own, (property, classmethod))
                if function and not method.startswith("_"):
                    yield f"{module.__name__}.{name}.{method}"


def main() -> None:
    """Print every fault, and fail if there is one."""
    faults = []
    for module in modules():
        if not module.__doc__:
            faults.append(f"{module.__name__}: GL08 The module has no docstring")
        for name in public_objects(module):
            for code, message in validate(name)["errors"]:
                documented_elsewhere = name.startswith(COMMANDS) and code in ("PR01", "RT01")
                if code in CHECKS and not documented_elsewhere:
                    faults.append(f"{name}: {code} {message}")
    print("\n".join(faults))
    if faults:
        raise SystemExit(f"{len(faults)} docstrings are not right.")


if __name__ == "__main__":
    main()
