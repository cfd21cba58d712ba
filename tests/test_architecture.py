"""The house: what may import what, and what `import sidelight` may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sidelight
from tools.architecture import LAYERS

PACKAGE = Path(sidelight.__file__).parent

#: What `import sidelight` may load of its own.
ALLOWED = {"sidelight", "sidelight.registry"}
HEAVY = ("numpy", "scipy", "sklearn", "numba", "torch", "matplotlib", "pandas")


def layer_of(name):
    return next((level for level, names in enumerate(LAYERS) if name in names), None)


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("sidelight.")
        ):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("sidelight."):
                    yield alias.name.split(".")[1]


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__main__.py",))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    relative = path.relative_to(PACKAGE)
    home = relative.parts[0].removesuffix(".py")
    if home == "__init__":
        return
    level = layer_of(home)
    assert level is not None, f"{home} has no layer: give it one in LAYERS"
    for other in imports_of(path):
        target = layer_of(other)
        assert target is not None, f"{other} has no layer"
        assert target <= level, f"{relative} imports sidelight.{other}, which stands above it"


def lines_of_code(path):
    """Lines that hold code: no blank lines, no comments, no docstrings."""
    text = path.read_text()
    tree = ast.parse(text)
    prose = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node, clean=False
        ):
            prose.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(
        bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
        if number not in prose
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_holds_one_idea(path):
    assert lines_of_code(path) <= 300


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


def test_every_public_name_is_there():
    for name in sidelight.__all__:
        assert getattr(sidelight, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Tsne'"):
        _ = sidelight.Tsne
