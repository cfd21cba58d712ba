"""The house: what may import what, and what `import sidelight` may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sidelight
from tools.architecture import LAYERS

PACKAGE = Path(sidelight.__file__).parent

#: What `import sidelight` may load of its own.
ALLOWED = {
    "sidelight",
    "sidelight.registry",
    *(
        f"sidelight.registry.{name}"
        for name in ("entry", "estimators", "finding", "gated", "metrics")
    ),
}
HEAVY = ("numpy", "scipy", "sklearn", "numba", "torch", "matplotlib", "pandas")
#: Rooms whose doors are for users too: more may stand there than other rooms take.
FOR_USERS = {
    "datasets",
    "embedding",
    "io",
    "metric",
    "model_selection",
    "neighbors",
    "plot",
    "quality",
    "scale",
    "side",
    "transforms",
}


def layer_of(name):
    return next((level for level, names in enumerate(LAYERS) if name in names), None)


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(path):
    """What a file takes from sidelight, as (module, name); no name where it takes the module."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sidelight."):
            found += ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            found += (
                (alias.name, None) for alias in node.names if alias.name.startswith("sidelight.")
            )
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__main__.py",))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    relative = path.relative_to(PACKAGE)
    home = relative.parts[0].removesuffix(".py")
    if home == "__init__":
        return
    level = layer_of(home)
    assert level is not None, f"{home} has no layer: give it one in LAYERS"
    for other in {module.split(".")[1] for module, _ in imports_of(path)}:
        target = layer_of(other)
        assert target is not None, f"{other} has no layer"
        assert target <= level, f"{relative} imports sidelight.{other}, which stands above it"


def file_of(room):
    return PACKAGE.parent.joinpath(*room.split("."), "__init__.py")


@cache
def shown_by(room):
    """The names that the door of a room shows."""
    body = tree_of(file_of(room)).body
    taken = {
        alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    made = {target.id for node in body if isinstance(node, ast.Assign) for target in node.targets}
    return taken | made | {node.name for node in body if isinstance(node, ast.FunctionDef)}


def listed_by(room):
    """What ``__all__`` of a room lists."""
    for node in tree_of(file_of(room)).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            yield from ast.literal_eval(node.value)


def past_doors(path):
    """What a file takes from rooms it does not stand in, but not through their doors.

    Files that load the compiler stand behind no door: they are named where their loops run.
    """
    home = ".".join(path.relative_to(PACKAGE.parent).parent.parts)
    for module, name in imports_of(path):
        room = module if file_of(module).exists() else module.rpartition(".")[0]
        compiled = module == "sidelight.core.compiler" or module.endswith("compiled")
        if compiled or f"{home}.".startswith(f"{room}."):
            continue
        if module != room or (name and name not in shown_by(room)):
            yield f"{module}.{name}" if name else module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_is_entered_through_its_door(path):
    missed = list(past_doors(path))
    assert not missed, f"{path.relative_to(PACKAGE)}: take {missed} from the rooms' __init__"


def test_doors_show_what_others_take():
    roots = (
        PACKAGE,
        *(PACKAGE.parents[1] / name for name in ("tests", "experiments", "benchmarks")),
    )
    taken = {
        (module, name)
        for root in roots
        for path in root.rglob("*.py")
        for module, name in imports_of(path)
    }
    idle = [
        f"{room}.{name}"
        for room in sorted(".".join(p.relative_to(PACKAGE.parent).parent.parts) for p in MODULES)
        if file_of(room).exists() and room.count(".") and room.split(".")[1] not in FOR_USERS
        for name in listed_by(room)
        if (room, name) not in taken
    ]
    assert not sorted(set(idle))


def lines_of_code(path):
    """Lines that hold code: no blank lines, no comments, no docstrings, no imports."""
    text, tree = path.read_text(), tree_of(path)
    prose = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node, clean=False
        ):
            prose.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            prose.update(range(node.lineno, node.end_lineno + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
        if number not in prose
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_holds_one_idea(path):
    assert lines_of_code(path) <= 250


@pytest.mark.parametrize(
    "room",
    sorted({path.parent for path in MODULES}),
    ids=lambda room: str(room.relative_to(PACKAGE)),
)
def test_a_room_is_seen_at_a_glance(room):
    assert len([path for path in room.glob("*.py") if path.name != "__init__.py"]) <= 13


def loaded_by(code):
    probe = f"import sys; before = set(sys.modules); {code}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_nothing_heavy():
    loaded = loaded_by("import sidelight")
    assert {name for name in loaded if name.startswith("sidelight")} == ALLOWED
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}


def test_estimators_load_no_compiler_and_no_plots():
    loaded = loaded_by("from sidelight import PCA, Isomap, LocallyLinearEmbedding")
    assert not {name for name in loaded if name.split(".")[0] in ("numba", "torch", "matplotlib")}


def test_rooms_load_no_compiler_and_no_plots():
    rooms = {".".join(path.relative_to(PACKAGE.parent).parent.parts) for path in MODULES}
    behind = {room for room in rooms if room.startswith("sidelight.gated.")}  # on torch
    doors = rooms - behind - {"sidelight.cli.commands"}
    loaded = loaded_by("import " + ", ".join(sorted(doors)))
    assert not {name for name in loaded if name.split(".")[0] in ("numba", "torch", "matplotlib")}


def test_every_public_name_is_there():
    for name in sidelight.__all__:
        assert getattr(sidelight, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Tsne'"):
        _ = sidelight.Tsne
