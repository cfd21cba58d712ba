"""Validate the docstrings of the public surface by numpydoc's rules.

Public are the estimators of the registry with all their methods, inherited ones too, and what
``sidelight``, ``side``, ``quality``, ``datasets``, ``plot``, ``scale``, ``model_selection`` and
``transforms`` export.  Inside, a docstring is one sentence and the formula; types are in the
signature.  Every module has a docstring.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from numpydoc.validate import validate

import sidelight
from sidelight.transforms import Bilinear, Transformation

CHECKS = {
    "GL06", "GL07", "GL08",  # sections: known, in order, there at all
    "SS01", "SS02", "SS03", "SS05",  # a summary: there, capitalised, ended, not "computes"
    "PR01", "PR02", "PR03", "PR04",  # parameters: all, only these, in order, with a type
    "RT01", "RT03",  # what is returned
}  # fmt: skip
ROOMS = ("side", "quality", "datasets", "plot", "scale", "model_selection", "transforms")
#: Methods that scikit-learn documents.
BORROWED = ("sklearn.",)
#: Protocols that document their methods once, for all that keep to them.
STATED = (Bilinear, Transformation)


def public_objects() -> Iterator[str]:
    """What users call, by dotted name."""
    names = {name: getattr(sidelight, name) for name in sidelight.__all__}
    for room in ROOMS:
        names |= {name: getattr(names[room], name) for name in names[room].__all__}
    for value in names.values():
        if inspect.isfunction(value):
            yield f"{value.__module__}.{value.__qualname__}"
        elif inspect.isclass(value):
            yield f"{value.__module__}.{value.__qualname__}"
            yield from methods_of(value)


def methods_of(kind: type) -> Iterator[str]:
    """The public methods of a class that the library itself writes, where they are written."""
    for name, member in inspect.getmembers(kind):
        function = inspect.unwrap(getattr(member, "__func__", member))
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        if kind not in STATED and any(
            hasattr(stated, name) and issubclass(kind, stated) for stated in STATED
        ):
            continue
        if not function.__module__.startswith(BORROWED):
            yield f"{function.__module__}.{function.__qualname__}"


def main() -> None:
    """Print every fault, and fail if there is one."""
    faults = []
    faults += [
        f"{found.name}: the module has no docstring"
        for found in pkgutil.walk_packages(sidelight.__path__, "sidelight.")
        if not importlib.import_module(found.name).__doc__
    ]
    for name in sorted(set(public_objects())):
        for code, message in validate(name)["errors"]:
            of_a_protocol = "'*args'" in message and "'**kwargs'" in message  # in any order
            if code in CHECKS and not of_a_protocol:
                faults.append(f"{name}: {code} {message}")
    print("\n".join(faults))
    if faults:
        raise SystemExit(f"{len(faults)} docstrings are not right.")


if __name__ == "__main__":
    main()
