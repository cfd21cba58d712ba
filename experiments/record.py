"""What an experiment measured, as data: tables of figures, what is claimed of them, a file.

An experiment is a module with

* ``main(output, *, quick=False) -> list[Table]``: measure, draw pictures, give the figures;
* ``TEXT``: a list of :class:`Said`, the places of the texts it repeats, their figures beside ours;
* ``CLAIMS``: a list of :class:`Claim`, what we say about the figures, with the bound that would
  refute it.

Everything that is printed or stands in ``docs/`` is made from a :class:`Record`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

#: A figure: one number, one number per draw, words, or nothing.
Value = float | int | str | list[float] | None

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One line: its figures by column, those of the text, and whether it is a control."""

    name: str
    values: list[Value]
    control: bool = False
    text: Mapping[str, float | str] = field(default_factory=dict)


@dataclass
class Table:
    """Figures under a title; a column is a name and the form in which its figures are written.

    A form is a format string of the figure, ``"{:.3f}"``, or of its statistics over draws:
    ``"{mean:.2f} ± {sd:.2f}"``, ``"{median}"``, ``"{min}"``, ``"{max}"``, ``"{n}"``.
    """

    key: str
    title: str
    columns: dict[str, str]
    seeds: Sequence[int] = ()
    rows: list[Row] = field(default_factory=list)

    def add(
        self,
        name: str,
        *values: Any,
        control: bool = False,
        text: Mapping[str, float | str] | None = None,
    ) -> None:
        """Add a line; a control is what the figures are to be compared with."""
        if len(values) != len(self.columns):
            raise ValueError(f"{self.key}: {name!r} has {len(values)} of {len(self.columns)}.")
        cells = [_plain(value) for value in values]
        self.rows.append(Row(name, cells, control, dict(text or {})))

    def value(self, row: str, column: str) -> Value:
        """The figure of a line and a column."""
        place = list(self.columns).index(column)
        for line in self.rows:
            if line.name == row:
                return line.values[place]
        raise KeyError(f"{self.key} has no line {row!r}: {[line.name for line in self.rows]}.")

    def cells(self) -> list[list[str]]:
        """All lines as they are written, the text's own figure in brackets behind ours."""
        written = []
        for row in self.rows:
            name = f"{row.name} (control)" if row.control else row.name
            line = [name]
            for (column, form), value in zip(self.columns.items(), row.values, strict=True):
                said = f" [{row.text[column]}]" if column in row.text else ""
                line.append(write(value, form) + said)
            written.append(line)
        return written

    @property
    def quotes(self) -> bool:
        """Whether a figure of the text stands in the table."""
        return any(row.text for row in self.rows)


@dataclass(frozen=True)
class Claim:
    """A sentence about the figures, the figure that it stands on, and the bounds it must keep.

    ``of`` takes the :class:`Record`.  With ``quick=False`` the quick form is too small to show it.
    A claim that was made before the run and does not hold stays, with the reason in ``because``.
    """

    says: str
    of: Callable[[Record], float]
    least: float = -math.inf
    most: float = math.inf
    form: str = "{:.3g}"
    quick: bool = True
    because: str = ""


@dataclass(frozen=True)
class Said:
    """A place of a text that the experiment repeats, and our figure as a template.

    In ``ours`` and ``because`` ``{key/row/column}`` is a figure of a table, written as the table
    writes it.  ``upheld`` and ``refuted`` name claims of the experiment, by how they begin: such as
    say what the text says, and such as say the contrary.  They decide what becomes of what the text
    says; where there are none the text claims nothing that figures could decide.  ``because`` adds
    what they cannot say.  ``data`` names what stands in place of the text's own data.
    """

    text: str
    place: str
    says: str
    printed: str = ""
    ours: str = ""
    upheld: Sequence[str] = ()
    refuted: Sequence[str] = ()
    because: str = ""
    data: str = ""


@dataclass
class Record:
    """What one run of an experiment found, and when, with which version and in which form.

    A note says by hand what the version does not: that the method has changed since.
    """

    experiment: str
    tables: list[Table]
    version: str
    date: str
    quick: bool
    claims: list[dict[str, Any]] = field(default_factory=list)
    note: str = ""

    def __call__(self, key: str, row: str, column: str) -> float:
        """A figure; of several draws their mean."""
        return float(np.mean(self.draws(key, row, column)))

    def draws(self, key: str, row: str, column: str) -> np.ndarray:
        """A figure, draw by draw."""
        value = self.table(key).value(row, column)
        if value is None or isinstance(value, str):
            raise TypeError(f"{key}/{row}/{column} is {value!r}, not a number.")
        return np.atleast_1d(np.asarray(value, dtype=float))

    def table(self, key: str) -> Table:
        """The table of that key."""
        for table in self.tables:
            if table.key == key:
                return table
        raise KeyError(f"{self.experiment} has no table {key!r}: {[t.key for t in self.tables]}.")

    def write(self, folder: Path) -> Path:
        """Write the file ``NAME.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.experiment}.json"
        path.write_text(_dumps(self.as_json()) + "\n", encoding="utf-8")
        return path

    def as_json(self) -> dict[str, Any]:
        """The file's content."""
        return {
            "experiment": self.experiment,
            "version": self.version,
            "date": self.date,
            "form": "quick" if self.quick else "full",
            **({"note": self.note} if self.note else {}),
            "claims": self.claims,
            "tables": [
                {
                    "key": table.key,
                    "title": table.title,
                    "seeds": list(table.seeds),
                    "draws": len(table.seeds),
                    "columns": table.columns,
                    "rows": [
                        {"name": row.name, "values": row.values}
                        | ({"control": True} if row.control else {})
                        | ({"text": dict(row.text)} if row.text else {})
                        for row in table.rows
                    ],
                }
                for table in self.tables
            ],
        }


def read(path: Path) -> Record:
    """Read a file that :meth:`Record.write` wrote."""
    found = json.loads(path.read_text(encoding="utf-8"))
    tables = [
        Table(
            one["key"],
            one["title"],
            one["columns"],
            one["seeds"],
            [
                Row(row["name"], row["values"], row.get("control", False), row.get("text", {}))
                for row in one["rows"]
            ],
        )
        for one in found["tables"]
    ]
    return Record(
        found["experiment"],
        tables,
        found["version"],
        found["date"],
        found["form"] == "quick",
        found["claims"],
        found.get("note", ""),
    )


def record(module: ModuleType, tables: list[Table], *, quick: bool) -> Record:
    """Put date, version and the verdict on every claim to what was measured."""
    import sidelight

    name = module.__name__.rpartition(".")[2]
    today = datetime.now(UTC).date().isoformat()
    found = Record(name, tables, sidelight.__version__, today, quick)
    found.claims = [
        judged(claim, found) for claim in getattr(module, "CLAIMS", []) if claim.quick or not quick
    ]
    return found


def judged(claim: Claim, found: Record) -> dict[str, Any]:
    """The figure of a claim beside its bounds."""
    figure = float(claim.of(found))
    bounds = {"least": claim.least, "most": claim.most}
    holds = bool(claim.least <= figure <= claim.most)
    return {
        "says": claim.says,
        "figure": _plain(figure),
        "form": claim.form,
        **{name: bound for name, bound in bounds.items() if math.isfinite(bound)},
        "holds": holds,
        **({"because": claim.because} if claim.because and not holds else {}),
    }


def claim_in_words(claim: Mapping[str, Any]) -> str:
    """A judged claim as a sentence."""
    form = claim["form"]
    bounds = [
        f"{words} {form.format(claim[name])}"
        for name, words in (("least", "at least"), ("most", "at most"))
        if name in claim
    ]
    if len(bounds) == 2 and claim["least"] == claim["most"]:
        bounds = ["exactly"]
    verdict = "holds" if claim["holds"] else "DOES NOT HOLD"
    if "because" in claim:
        verdict += f", because {claim['because']}"
    return f"{claim['says']}: {form.format(claim['figure'])} ({' and '.join(bounds)}), {verdict}"


def show(found: Record) -> str:
    """Everything that was measured, for a terminal."""
    parts = []
    for table in found.tables:
        parts.append(as_text(["", *table.columns], table.cells(), title=_headline(table)))
        if table.quotes:
            parts.append("[ ]: the text's own figure")
    if found.claims:
        parts.append("\n" + "\n".join(f"* {claim_in_words(claim)}" for claim in found.claims))
    return "\n".join(parts)


def as_text(header: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> str:
    """Align columns: the first to the left, the others to the right."""
    rows = list(rows)
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = [f"\n{title}"] if title else []
    for row in (header, ["-" * width for width in widths], *rows):
        first, *others = (
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def write(value: Value, form: str) -> str:
    """A figure in its form."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    draws = np.atleast_1d(np.asarray(value, dtype=float))
    statistics = {
        "mean": draws.mean(),
        "sd": draws.std(),
        "min": draws.min(),
        "max": draws.max(),
        "median": np.median(draws),
        "n": len(draws),
    }
    only = int(value) if isinstance(value, int) else float(draws.mean())
    return form.format(only, **statistics).replace("-0.000", "0.000")


def _headline(table: Table) -> str:
    if not table.seeds:
        return table.title
    return f"{table.title} ({len(table.seeds)} draw{'s' * (len(table.seeds) > 1)})"


def _plain(value: Any) -> Value:
    """A figure as JSON has it, floats to six digits."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"A figure is {value}; where there is none write None.")
        return float(f"{value:.6g}")
    return [float(f"{one:.6g}") for one in _finite(value)]


def _finite(values: Any) -> list[float]:
    found = [float(one) for one in values]
    if not found or not all(map(math.isfinite, found)):
        raise ValueError(f"Figures are {found}; where there is none write None.")
    return found


def _dumps(content: Any) -> str:
    """JSON with one line for each row of a table, so that a change is seen where it is."""
    text = json.dumps(content, indent=1, ensure_ascii=False)
    lines: list[str] = []
    depth_of_row: int | None = None
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        stripped = line.strip()
        if depth_of_row is None:
            lines.append(line)
            opens = stripped in ("{", "[") or stripped.endswith((": {", ": ["))
            if opens and (depth >= 5 or stripped.startswith(('"seeds"', '"columns"'))):
                depth_of_row = depth
        else:
            joint = "" if lines[-1].endswith(("{", "[")) or stripped[0] in "}]" else " "
            lines[-1] += joint + stripped
            if depth == depth_of_row:
                depth_of_row = None
    return "\n".join(lines)
