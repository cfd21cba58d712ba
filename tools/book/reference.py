"""The pages of the reference: one for each estimator, one for each room that is for users."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

from sidelight.registry import SAVED, Entry
from tools.book.methods import home_of

#: The rooms for users, in the order of the book.
ROOMS = (
    "side",
    "transforms",
    "quality",
    "plot",
    "model_selection",
    "datasets",
    "io",
    "scale",
    "progress",
    "errors",
)
FUNCTIONS = ("embed", "Embedding", "save", "load", "learn_actions")
#: Of the stages, the kernels that somebody may want to make and hand to an estimator.
KERNELS = ("BasisKernel", "InfiniteBasisKernel", "RandomBasisKernel", "sequence_kernel")


def write_reference(folder: Path) -> None:
    """Write the pages, those that changed: an unchanged one need not be read again."""
    folder.mkdir(exist_ok=True)
    pages = reference_pages()
    for path in folder.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def reference_pages() -> dict[str, str]:
    """All pages by their names."""
    pages = {
        entry.name: _titled(entry.name, f".. autoclass:: {home_of(entry)}\n   {_members(entry)}\n")
        for entry in SAVED
    }
    pages["sidelight"] = _titled("sidelight", _all_of("sidelight", FUNCTIONS))
    kernels = _all_of("sidelight.similarity", KERNELS)
    body = f"Kernels to make and to hand to an estimator.\n\n{kernels}"
    pages["similarity"] = _titled("sidelight.similarity", body)
    for room in ROOMS:
        module = import_module(f"sidelight.{room}")
        body = f"{inspect.getdoc(module)}\n\n{_all_of(module.__name__, module.__all__)}"
        pages[room] = _titled(module.__name__, body)
    return pages


def own_methods(estimator: type[Any]) -> list[str]:
    """The public methods of an estimator that this library wrote."""
    return [
        name
        for name, method in inspect.getmembers(estimator, callable)
        if not name.startswith("_") and (method.__module__ or "").startswith("sidelight")
    ]


def _members(entry: Entry) -> str:
    return f":members: {', '.join(own_methods(entry.load()))}"


def _titled(title: str, body: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n{body}\n"


def _all_of(module: str, names: tuple[str, ...]) -> str:
    return "\n".join(_documented(module, name) for name in names)


def _documented(module: str, name: str) -> str:
    """One public name, as autodoc is asked for it."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n   :members:\n"
    kind = "autofunction" if callable(value) else "autodata"
    return f".. {kind}:: {module}.{name}\n"
