"""What is known of an estimator besides the prose of its page."""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from sidelight.embedding.reach import reach_of
from sidelight.registry import ESTIMATORS, MAPS, SAVED, Entry
from tools.book.markdown import ROOT, experiments, link_to, table

EXAMPLES = ROOT / "docs" / "examples"
COST_CURVES = ROOT / "benchmarks" / "cost_curves.json"


def home_of(entry: Entry) -> str:
    """The public name of an estimator."""
    return f"sidelight{'.gated' if entry.family == 'gated' else ''}.{entry.name}"


@cache
def examples() -> dict[str, tuple[str, str]]:
    """The examples of the gallery by their path: the title, and the code."""
    found = {}
    for path in sorted(EXAMPLES.rglob("plot_*.py")):
        code = path.read_text(encoding="utf-8")
        title = code.removeprefix('"""').strip().splitlines()[0]
        found[str(path.relative_to(EXAMPLES).with_suffix(""))] = title, code
    return found


def examples_with(name: str) -> list[str]:
    """Links to the examples that use a name."""
    return [
        f"[{title}](/gallery/{path}.rst)"
        for path, (title, code) in examples().items()
        if re.search(rf"\b{name}\b", code)
    ]


def experiments_with(name: str) -> list[str]:
    """Links to the experiments that fit an estimator."""
    return [
        link_to(one)
        for one, path in experiments().items()
        if re.search(rf"\b{name}\(", path.read_text(encoding="utf-8"))
    ]


def references_of(entry: Entry) -> str:
    """What the docstring of an estimator refers to."""
    _, _, rest = (inspect.getdoc(entry.load()) or "").partition("References\n----------\n")
    return " ".join(rest.partition("\nExamples\n")[0].split())


def heard_by(entry: Entry) -> str:
    """The kinds that an estimator takes, by the place where they act."""
    by_place: dict[str, list[str]] = {}
    for kind in entry.understands:
        place = entry.place_of(kind) if entry in MAPS else "learned"
        by_place.setdefault(place, []).append(f"[{kind}](/known/{kind.lower()}.md)")
    return "; ".join(f"*{place}*: {', '.join(kinds)}" for place, kinds in by_place.items())


def facts_of(entry: Entry) -> str:
    """What is known of an estimator, as a table."""
    facts = {"class": f"{{py:class}}`{home_of(entry)}`"}
    if entry in MAPS:
        reach = reach_of(entry.name)
        beyond = f"up to {reach.rows:,} rows; beyond: " if reach.rows else ""
        facts["on the command line"] = f"`--method {entry.command}`"
        facts["fitted to"] = beyond + reach.way
    if entry in ESTIMATORS:
        takes = ["rows of features"]
        takes += ["a table of distances"] if entry.takes_distances else []
        takes += ["a sparse graph"] if entry.takes_graph else []
        facts |= {"takes": ", ".join(takes), "gives": ", ".join(entry.gives)}
        facts["listens to"] = heard_by(entry)
    facts["literature"] = references_of(entry)
    facts["examples"] = ", ".join(examples_with(entry.name))
    facts["experiments"] = ", ".join(experiments_with(entry.name))
    return table(["", ""], [[f"**{what}**", said] for what, said in facts.items() if said])


def list_of_estimators() -> str:
    """All estimators, with their pages in the book and in the reference."""
    return table(
        ["estimator", "what it does"],
        [[f"[{entry.name}](/api/{entry.name}.rst)", entry.summary] for entry in SAVED],
    )


def reaches() -> str:
    """To how many rows every method is fitted, how it goes on, and what was measured of it."""
    measured = json.loads(COST_CURVES.read_text()) if COST_CURVES.exists() else {}
    rows = []
    for entry in MAPS:
        reach = reach_of(entry.name)
        link = f"[{entry.name}](/methods/{entry.family}/{entry.name}.md)"
        fitted = f"{reach.rows:,}" if reach.rows else "all"
        rows.append([link, fitted, reach.way, *costs_of(measured.get(entry.name, {}))])
    return table(
        ["method", "fitted to", "a million rows", "time", "memory", "most rows measured"], rows
    )


def costs_of(curve: dict[str, Any]) -> list[str]:
    """The exponents of what a method costs, and its largest run."""
    exponents = [curve.get(f"exponent of {what}") for what in ("seconds", "megabytes")]
    said = ["" if slope is None else f"n^{slope:.1f}" for slope in exponents]
    runs = [*curve.get("fit", []), *curve.get("embed", [])][-1:]
    largest = [f"{r['n']:,} in {r['seconds']:,.1f} s, {r['megabytes']:,.0f} MB" for r in runs]
    return [*said, *(largest or [""])]


class Facts(SphinxDirective):
    """What is known of an estimator."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Look the estimator up in the registry."""
        entry = next(entry for entry in SAVED if entry.name == self.arguments[0])
        return self.parse_text_to_nodes(facts_of(entry) + "\n")


class Estimators(SphinxDirective):
    """All estimators, and the pages of the reference in the tree of the book."""

    def run(self) -> list[nodes.Node]:
        """List them."""
        tree = "\n".join(f"/api/{entry.name}" for entry in SAVED)
        hidden = f"```{{toctree}}\n:hidden:\n\n{tree}\n```"
        return self.parse_text_to_nodes(f"{list_of_estimators()}\n\n{hidden}\n")


class Reaches(SphinxDirective):
    """How far every method goes."""

    def run(self) -> list[nodes.Node]:
        """List them."""
        return self.parse_text_to_nodes(reaches() + "\n")
