"""The house: what may import what, and what `import sidelight` may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sidelight
from tools.architecture import BEFORE, LAYERS, figures, lines_of

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
        compiled = module.startswith("sidelight.core.compiler") or module.endswith("compiled")
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


#: The members of Points, the kernel of a table, and functions that tell by a word what X is.
KINDS = {
    "sidelight.estimator": {"Bare", "Distances", "Features", "Graph", "Invariant", "Measured"},
    "sidelight.latent.density": {"TableKernel"},
}
TELLING = {"is_graph", "is_precomputed"}

_BELOW = "below the points: a door for users, who give rows and a metric"
_WORD = "the user's word, before X is read"
#: Where it is asked what X is, beside the room of the points: how often, and why there.
ASKED = {
    "cli/commands/compare.py": (3, _WORD),
    "cli/commands/datasets.py": (1, "which option the next command takes"),
    "cli/commands/embed.py": (2, _WORD),
    "cli/commands/score.py": (1, _WORD),
    "datasets/dataset.py": (1, "what a data set says of itself"),
    "embedding/door.py": (1, f"{_WORD}, for the choice of a method"),
    "embedding/hints.py": (1, f"{_WORD}: of a table there is nothing to hint at"),
    "embedding/result.py": (3, "data as they came, which no estimator holds as points"),
    "estimator/base.py": (3, "here X is read"),
    "latent/density/kernels.py": (1, "a kernel by its name: similarities, not points"),
    "latent/density/mappings.py": (1, "a table of similarities, not points"),
    "latent/information/ends/path_ends.py": (1, "for which kernels rows left out are asked"),
    "metric/base.py": (1, "a kernel matrix, not points"),
    "model_selection/scoring.py": (1, "whether what was given are distances or similarities"),
    "neighbors/duplicates.py": (2, _BELOW),
    "neighbors/given_graph.py": (1, "says what a graph is"),
    "neighbors/graph/pieces.py": (1, _BELOW),
    "neighbors/landmarks.py": (2, _BELOW),
    "neighbors/metrics.py": (3, _BELOW),
    "neighbors/nearest.py": (1, _BELOW),
    "neighbors/radius.py": (1, _BELOW),
    "plot/quality.py": (1, _BELOW),
    "quality/pairwise.py": (1, "the rows that measures of quality read X as, once"),
    "spectral/backward/spectral_backward_mapping.py": (1, "a table of functions, not points"),
    "spectral/classical_mds.py": (1, "whether rows are kept: of a table, half"),
    "spectral/hybrid/hybrid_embedding.py": (1, "whether a second table comes with its word"),
    "spectral/kernel_pca.py": (1, "a kernel matrix, not points"),
}


def names_in(*nodes):
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def members_taken(tree):
    """The names under which a file has the kinds of what X may be."""
    taken = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    for room, kinds in KINDS.items():
        for node in (node for node in taken if node.module.startswith(room)):
            yield from (alias.asname or alias.name for alias in node.names if alias.name in kinds)


def asks_what_x_is(tree):
    """The lines that compare with "precomputed", tell by a metric, or ask points for their kind."""
    members = set(members_taken(tree))

    def asks(node):
        match node:
            case ast.Compare(left, _, others):
                words = [word for part in (left, *others) for word in getattr(part, "elts", [part])]
                said = [word.value for word in words if isinstance(word, ast.Constant)]
                return "precomputed" in said or names_in(node) & members
            case ast.MatchValue(ast.Constant("precomputed")):
                return True
            case ast.MatchClass(kind):
                return names_in(kind) & members
            case ast.Call(ast.Name("isinstance" | "issubclass"), arguments):
                return names_in(*arguments) & members
            case ast.Name(name):
                return name in TELLING

    return sorted(node.lineno for node in ast.walk(tree) if asks(node))


def test_what_x_is_is_asked_where_it_is_read():
    """X is read as points once, and every stage asks the value, not its kind."""
    found = {
        path.relative_to(PACKAGE).as_posix(): asks_what_x_is(tree_of(path)) for path in MODULES
    }
    wrong = {
        name: lines
        for name, lines in found.items()
        if not name.startswith("estimator/points/") and len(lines) != ASKED.get(name, (0, ""))[0]
    }
    assert not wrong, (
        f"What X is is asked in other lines than ASKED says: {wrong}. Let the points answer, by a "
        f"method or a property that all of them have (estimator/points/protocol.py)."
    )
    assert ASKED.keys() <= found.keys()


@pytest.mark.parametrize(
    "line",
    [
        'metric == "precomputed"',
        '"precomputed" != self.kernel',
        'self.basis in ("linear", "precomputed")',
        "isinstance(points, Graph)",
        "isinstance(points, (np.ndarray, Graph))",
        "type(points) is Graph",
        "is_precomputed(metric)",
        "any(map(is_precomputed, ways))",
        "is_graph(X, metric)",
        "match points:\n case Graph(): pass",
        'match metric:\n case "precomputed": pass',
        'f(lambda: 1 if metric == "precomputed" else 2)',
    ],
)
def test_a_question_for_the_kind_of_points_is_seen(line):
    taken = "from sidelight.estimator.points.graph import Graph\n"
    assert len(asks_what_x_is(ast.parse(taken + line))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from sidelight.side import Distances\nisinstance(known, Distances)",
        'points_of(D, "precomputed", who="it")',
        'metric = "precomputed"',
        "points.complete",
    ],
)
def test_other_questions_are_not_taken_for_it(line):
    assert not asks_what_x_is(ast.parse(line))


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
    doors = rooms - behind - {"sidelight.cli.commands", "sidelight.core.compiler"}  # itself
    loaded = loaded_by("import " + ", ".join(sorted(doors)))
    assert not {name for name in loaded if name.split(".")[0] in ("numba", "torch", "matplotlib")}


def test_every_public_name_is_there():
    for name in sidelight.__all__:
        assert getattr(sidelight, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Tsne'"):
        _ = sidelight.Tsne


def test_the_figures_of_the_house_are_counted(tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").write_text('"""A door."""\n')
    lines = ["# why", "", "class Embedder:", '    """Says', '    two lines."""', "    x = 1"]
    (room / "base.py").write_text("\n".join(lines))
    (room / "own.py").write_text("class Middle(Embedder): ...\nclass Own(Middle): ...\n")
    assert lines_of(room / "base.py") == (2, 2)
    assert figures(tmp_path) == {
        "files": "3",
        "lines of code": "0,000",
        "lines of docstrings": "0,000",
        "files in the widest room": "2",
        "classes from an estimator to its root": "3",
    }
    assert set(BEFORE) == set(figures(tmp_path))
