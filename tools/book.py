"""What the book's pages take from elsewhere when it is built: registry, results, examples.

A role and three directives of Sphinx, so that no figure and no list is typed by hand:

* ``{measured}`EXPERIMENT: key/row/column``` is one figure of ``experiments/results``;
* ``{measured-table}`` is a table of them, whole or some rows and columns;
* ``{method}`` is what the registry, the examples and the experiments know of an estimator;
* ``{not-held}`` lists the claims that the figures refute.
"""

from __future__ import annotations

import inspect
import re
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole

from experiments.pages import filled, result_of, rooms
from experiments.record import Record, Table, claim_in_words
from sidelight.registry import ESTIMATORS, MAPS, SAVED, Entry

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "docs" / "examples"
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


def figure(name: str, place: str) -> str:
    """A figure of a result, as its table writes it."""
    return filled("{" + place.strip() + "}", record(name.strip()))


@cache
def record(name: str) -> Record:
    """The committed result of an experiment."""
    found = result_of(name)
    if found is None:
        raise ValueError(f"experiments/results has no {name}.json.")
    return found


@cache
def room_of(name: str) -> str:
    """The room of an experiment."""
    return next(room for room, names in rooms().items() if name in names)


def link_to(name: str) -> str:
    """An experiment as a link to its page."""
    return f"[{name}](/experiments/{room_of(name)}.md#{name})"


def part_of(table: Table, rows: list[str], columns: list[str]) -> str:
    """A table, or some of its rows and columns, as Markdown."""
    unknown = set(rows) - {row.name for row in table.rows} | set(columns) - set(table.columns)
    if unknown:
        raise ValueError(f"The table {table.key!r} has no {sorted(unknown)}.")
    kept = [i for i, name in enumerate(table.columns) if name in columns or not columns]
    lines = [["", *(list(table.columns)[i] for i in kept)]]
    lines.append(["---", *["---:"] * len(kept)])
    for row, cells in zip(table.rows, table.cells(), strict=True):
        if row.name in rows or not rows:
            lines.append([cells[0], *(cells[1:][i] for i in kept)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@cache
def examples() -> dict[str, tuple[str, str]]:
    """The examples of the gallery by their path: the title, and the code."""
    found = {}
    for path in sorted(EXAMPLES.rglob("plot_*.py")):
        code = path.read_text(encoding="utf-8")
        title = re.sub(r'^r?"""\n?', "", code).splitlines()[0].strip()
        found[str(path.relative_to(EXAMPLES).with_suffix(""))] = title, code
    return found


def examples_with(name: str) -> list[str]:
    """Links to the examples that use a name."""
    used = re.compile(rf"\b{name}\b")
    return [
        f"[{title}](/gallery/{path}.rst)"
        for path, (title, code) in examples().items()
        if used.search(code)
    ]


def experiments_with(name: str) -> list[str]:
    """Links to the experiments that fit an estimator."""
    called = re.compile(rf"\b{name}\(")
    return [
        link_to(one)
        for room, names in rooms().items()
        for one in names
        if called.search((ROOT / "experiments" / room / f"{one}.py").read_text(encoding="utf-8"))
    ]


def references_of(entry: Entry) -> str:
    """What the docstring of an estimator refers to."""
    _, _, rest = (inspect.getdoc(entry.load()) or "").partition("References\n----------\n")
    text = rest.partition("\nExamples\n")[0].strip()
    return " ".join(text.split())


def facts_of(entry: Entry) -> str:
    """What is known of an estimator without its prose, as Markdown."""
    home = "sidelight.gated" if entry.family == "gated" else "sidelight"
    facts = {"class": f"{{py:class}}`{home}.{entry.name}`"}
    if entry in MAPS:
        facts["command line"] = f"`--method {entry.command}`"
    if entry in ESTIMATORS:
        facts["gives"] = ", ".join(entry.gives)
        takes = ["rows of features"]
        takes += ["a table of distances"] if entry.takes_distances else []
        takes += ["a sparse graph"] if entry.takes_graph else []
        facts["takes"] = ", ".join(takes)
        facts["listens to"] = _heard(entry)
    facts["literature"] = references_of(entry)
    facts["examples"] = ", ".join(examples_with(entry.name))
    facts["experiments"] = ", ".join(experiments_with(entry.name))
    rows = [f"| **{what}** | {said} |" for what, said in facts.items() if said]
    return "\n".join(["| | |", "| --- | --- |", *rows])


def _heard(entry: Entry) -> str:
    """The kinds that an estimator takes, by the place where they act."""
    by_place: dict[str, list[str]] = {}
    for kind in entry.understands:
        place = entry.place_of(kind) if entry in MAPS else "learned"
        by_place.setdefault(place, []).append(f"[{kind}](/known/{kind.lower()}.md)")
    return "; ".join(f"*{place}*: {', '.join(kinds)}" for place, kinds in by_place.items())


def claims_not_held() -> list[str]:
    """The claims of all experiments that their figures refute, each with its experiment."""
    return [
        f"- {link_to(name)}: {claim_in_words(claim)}"
        for names in rooms().values()
        for name in names
        if (found := result_of(name)) is not None
        for claim in found.claims
        if not claim["holds"]
    ]


class Measured(SphinxRole):
    """One figure of an experiment."""

    def run(self) -> tuple[list[nodes.Node], list[Any]]:
        """Read the figure, or fail the build."""
        name, _, place = self.text.partition(":")
        return [nodes.inline(text=figure(name, place), classes=["measured"])], []


class MeasuredTable(SphinxDirective):
    """A table of an experiment: its name, then the key of the table."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"rows": directives.unchanged, "columns": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Read the table, and say where it is from."""
        name, _, key = self.arguments[0].partition(":")
        table = record(name).table(key.strip())
        rows, columns = (_listed(self.options.get(what, "")) for what in ("rows", "columns"))
        source = f"*{table.title}. Measured by {link_to(name)}.*"
        return self.parse_text_to_nodes(f"{part_of(table, rows, columns)}\n\n{source}\n")


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


class Method(SphinxDirective):
    """What is known of an estimator."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Look the estimator up in the registry."""
        entry = next(entry for entry in SAVED if entry.name == self.arguments[0])
        return self.parse_text_to_nodes(facts_of(entry) + "\n")


class NotHeld(SphinxDirective):
    """The claims that are refuted."""

    def run(self) -> list[nodes.Node]:
        """List them, or say that there are none."""
        lines = claims_not_held() or ["- None: every claim holds."]
        return self.parse_text_to_nodes("\n".join(lines) + "\n")


def write_api(folder: Path) -> None:
    """Write the pages of the reference: one for each estimator, one for each room."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    members = "   :members:\n   :inherited-members: BaseEstimator\n"
    pages = {}
    for entry in SAVED:
        home = "sidelight.gated" if entry.family == "gated" else "sidelight"
        body = f".. autoclass:: {home}.{entry.name}\n{members}"
        pages[entry.name] = _titled(entry.name, body)
    parts = [_documented("sidelight", name) for name in FUNCTIONS]
    pages["sidelight"] = _titled("sidelight", "\n".join(parts))
    for room in ROOMS:
        module = import_module(f"sidelight.{room}")
        parts = [_documented(f"sidelight.{room}", name) for name in module.__all__]
        about = inspect.getdoc(module) or ""
        pages[room] = _titled(f"sidelight.{room}", about + "\n\n" + "\n".join(parts))
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


def _titled(title: str, body: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n{body}\n"


def _documented(module: str, name: str) -> str:
    """One public name, as autodoc is asked for it."""
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        return f".. autoclass:: {module}.{name}\n   :members:\n"
    kind = "autofunction" if callable(value) else "autodata"
    return f".. {kind}:: {module}.{name}\n"


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx."""
    app.add_role("measured", Measured())
    app.add_directive("measured-table", MeasuredTable)
    app.add_directive("method", Method)
    app.add_directive("not-held", NotHeld)
    return {"parallel_read_safe": True}
