"""Figures of the experiments, read from their results when the book is built."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective, SphinxRole

from experiments.pages import measured_with
from experiments.record import Record, Table, claim_in_words
from experiments.rooms import result_of
from experiments.verdict import filled
from tools.book.markdown import experiments, link_to, table


@cache
def record(name: str) -> Record:
    """The committed result of an experiment."""
    found = result_of(name)
    if found is None:
        raise ValueError(f"experiments/results has no {name}.json.")
    return found


def figure(said: str) -> str:
    """A figure, ``EXPERIMENT: key/row/column``, as its table writes it."""
    name, _, place = said.partition(":")
    return filled("{" + place.strip() + "}", record(name.strip()))


def part_of(whole: Table, rows: list[str], columns: list[str]) -> str:
    """A table, or some of its rows and columns, as Markdown."""
    unknown = set(rows) - {row.name for row in whole.rows} | set(columns) - set(whole.columns)
    if unknown:
        raise ValueError(f"The table {whole.key!r} has no {sorted(unknown)}.")
    kept = [i for i, name in enumerate(whole.columns) if name in columns or not columns]
    lines = [
        [cells[0], *(cells[1:][i] for i in kept)]
        for row, cells in zip(whole.rows, whole.cells(), strict=True)
        if row.name in rows or not rows
    ]
    return table(["", *(list(whole.columns)[i] for i in kept)], lines, numbers=True)


def source_of(whole: Record, found: Table, name: str) -> str:
    """Where a table is from: the experiment, the version that measured it, and when."""
    return f"*{found.title}. From {link_to(name)}. {measured_with(whole)}.*"


def claims_not_held() -> list[str]:
    """The claims of all experiments that their figures refute."""
    return [
        f"- {link_to(name)}: {claim_in_words(claim)}"
        for name in experiments()
        if (found := result_of(name)) is not None
        for claim in found.claims
        if not claim["holds"]
    ]


class Measured(SphinxRole):
    """One figure of an experiment."""

    def run(self) -> tuple[list[nodes.Node], list[Any]]:
        """Read the figure, or fail the build."""
        return [nodes.inline(text=figure(self.text), classes=["measured"])], []


class MeasuredTable(SphinxDirective):
    """A table of an experiment, ``EXPERIMENT: key``; rows and columns with ``|`` between them."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"rows": directives.unchanged, "columns": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Read the table, and say where it is from."""
        name, _, key = self.arguments[0].partition(":")
        found = record(name).table(key.strip())
        rows, columns = (self._listed(what) for what in ("rows", "columns"))
        source = source_of(record(name), found, name)
        return self.parse_text_to_nodes(f"{part_of(found, rows, columns)}\n\n{source}\n")

    def _listed(self, what: str) -> list[str]:
        return [part.strip() for part in self.options.get(what, "").split("|") if part.strip()]


class NotHeld(SphinxDirective):
    """The claims that are refuted."""

    def run(self) -> list[nodes.Node]:
        """List them, or say that there are none."""
        lines = claims_not_held() or ["- None: every claim holds."]
        return self.parse_text_to_nodes("\n".join(lines) + "\n")
