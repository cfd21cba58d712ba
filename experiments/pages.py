"""Pages made from the results: ``docs/experiments/ROOM.md`` and ``docs/texts.md``."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from experiments.record import (
    RESULTS,
    Record,
    Said,
    Table,
    claim_in_words,
    judged,
    read,
    write,
)
from experiments.texts import MISSING, TEXTS
from sidelight import __version__

ROOT = Path(__file__).parent
_FIGURE = re.compile(r"\{([^{}/]+)/([^{}/]+)/([^{}/]+)\}")
GENERATED = "<!-- made by tools/experiment_pages.py from experiments/results: do not edit -->"


def rooms() -> dict[str, list[str]]:
    """The experiments of every room."""
    found: dict[str, list[str]] = {}
    for script in sorted(ROOT.glob("*/[!_]*.py")):
        found.setdefault(script.parent.name, []).append(script.stem)
    return found


def pages() -> dict[str, str]:
    """All pages, by their path in ``docs``."""
    found = {f"experiments/{room}.md": room_page(room, names) for room, names in rooms().items()}
    return {**found, "texts.md": texts_page()}


def result_of(name: str) -> Record | None:
    """The committed result of an experiment."""
    path = RESULTS / f"{name}.json"
    return read(path) if path.exists() else None


def judge_anew() -> None:
    """Judge the figures of every kept result by what its experiment claims today."""
    for room, names in rooms().items():
        for name in names:
            found = result_of(name)
            if found is not None:
                claims = module_of(room, name).CLAIMS
                found.claims = [judged(claim, found) for claim in claims]
                found.write(RESULTS)


def room_page(room: str, names: list[str]) -> str:
    """What the experiments of a room ask and found."""
    about = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text("utf-8")))
    parts = [GENERATED, f"# Experiments: {room}", about or ""]
    for name in names:
        parts += list(_section(room, name))
    return "\n\n".join(parts) + "\n"


def _section(room: str, name: str) -> Iterator[str]:
    text = ast.get_docstring(ast.parse((ROOT / room / f"{name}.py").read_text("utf-8"))) or ""
    yield f"## {name}"
    yield text.replace("``", "`")
    found = result_of(name)
    if found is None:
        yield f"Not run in full with version {__version__} yet."
        return
    yield _when(found)
    for table in found.tables:
        yield _markdown(table)
    if found.claims:
        yield "\n".join(f"- {claim_in_words(claim)}" for claim in found.claims)


def _when(found: Record) -> str:
    said = f"Measured with version {found.version} on {found.date}"
    if found.quick:
        said += ", in the quick form (less data, fewer draws)"
    if found.version != __version__:
        said += f": **figures of an older version** (this is {__version__})"
    return f"*{said}.*" + (f" {found.note}" if found.note else "")


def _markdown(table: Table) -> str:
    draws = f" ({len(table.seeds)} draws)" if len(table.seeds) > 1 else ""
    lines = [f"**{table.title}**{draws}", ""]
    lines.append(_line(["", *table.columns]))
    lines.append(_line(["---", *["---:"] * len(table.columns)]))
    lines += [_line(cells) for cells in table.cells()]
    if table.quotes:
        lines += ["", "In brackets the text's own figure."]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def module_of(room: str, name: str) -> ModuleType:
    """The experiment, imported."""
    return importlib.import_module(f"experiments.{room}.{name}")


def texts_page() -> str:
    """From the texts' sections, figures and tables to the experiments, their figures and ours."""
    said = _said()
    parts = [
        GENERATED,
        "# The texts and the experiments",
        "What the texts show, the experiment that repeats it (`sidelight reproduce NAME`), the "
        "text's own figure where it prints one, and ours. *Not yet*: nothing here repeats it.",
    ]
    for text, title in TEXTS.items():
        rows = [
            (_place_order(one.place), [one.place, one.says, one.printed, *_ours(one, room, name)])
            for one, room, name in said[text]
        ]
        rows += [
            (_place_order(place), [place, says, "", "", "not yet"])
            for place, says in MISSING.get(text, {}).items()
        ]
        lines = [_line(["where", "what", "text", "ours", "experiment"]), _line(["---"] * 5)]
        lines += [_line(cells) for _, cells in sorted(rows, key=lambda row: row[0])]
        parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def places_of(text: str) -> list[list[str]]:
    """The places of a text that experiments repeat: where, what, its figure, ours, which one."""
    return [
        [one.place, one.says, one.printed, _ours(one, room, name)[0], name]
        for one, room, name in sorted(_said()[text], key=lambda found: _place_order(found[0].place))
    ]


def _said() -> dict[str, list[tuple[Said, str, str]]]:
    """By text: what its places say, and the experiments that repeat them."""
    said: dict[str, list[tuple[Said, str, str]]] = {text: [] for text in TEXTS}
    for room, names in rooms().items():
        for name in names:
            for one in getattr(module_of(room, name), "TEXT", []):
                said[one.text].append((one, room, name))
    return said


def _place_order(place: str) -> list[tuple[int, int, str]]:
    """Numbers as numbers, so that figure 3.10 comes after figure 3.9, and appendices last."""
    bare = re.sub(r"^(figures?|sections?|tables?|equations?) ", "", place)
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|\D+", bare)
    ]


def _ours(said: Said, room: str, name: str) -> list[str]:
    found = result_of(name)
    link = f"[{name}](experiments/{room}.md#{name})"
    if found is None:
        return ["not run in full yet" if said.ours else "", link]
    return [filled(said.ours, found), link]


def filled(template: str, found: Record) -> str:
    """A template with the figures it names."""

    def figure(match: re.Match[str]) -> str:
        key, row, column = match.groups()
        table = found.table(key)
        return write(table.value(row, column), table.columns[column])

    return _FIGURE.sub(figure, template)
