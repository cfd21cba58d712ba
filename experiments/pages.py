"""Pages made from the results: ``docs/experiments/ROOM.md`` and ``docs/texts.md``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from experiments.places import Place, places_of
from experiments.record import RESULTS, Record, Table, claim_in_words, judged
from experiments.rooms import ROOT, module_of, result_of, rooms
from experiments.texts import TEXTS
from sidelight import __version__

GENERATED = "<!-- made by tools/experiment_pages.py from experiments/results: do not edit -->"
_HEADER = ("where", "what", "other data", "text", "ours", "verdict", "experiment")
_ABOUT_TEXTS = (
    "Every section, figure and table of the texts: what it shows, the text's own figure where it "
    "prints one, ours (with its spread where there are draws), what becomes of what the text says, "
    "and the experiment that repeats it (`sidelight reproduce NAME`; `sidelight reproduce --text "
    "000 --figure 3.9` finds a place here). The verdict follows from the claims of the experiment, "
    "with their bounds: *nothing is claimed* where a text shows a picture or an idea that no "
    "figure could refute, *not yet* where nothing here repeats it. Where the text's data are not "
    "to be had, others are named. Behind methods and illustrations stands what the library has of "
    "them. A dagger (†) is beside figures that were measured with an older version."
)
_OLDER = " †"


def pages() -> dict[str, str]:
    """All pages, by their path in ``docs``."""
    found = {f"experiments/{room}.md": room_page(room, names) for room, names in rooms().items()}
    return {**found, "texts.md": texts_page()}


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


def measured_with(found: Record) -> str:
    """By which version figures were measured, when, and whether that is this one."""
    said = f"Measured with version {found.version} on {found.date}"
    if found.quick:
        said += ", in the quick form (less data, fewer draws)"
    if found.version != __version__:
        said += f": **figures of an older version** (this is {__version__})"
    return said


def _when(found: Record) -> str:
    return f"*{measured_with(found)}.*" + (f" {found.note}" if found.note else "")


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


def texts_page() -> str:
    """From the texts' sections, figures and tables to the experiments, their figures and ours."""
    parts = [GENERATED, "# The texts and the experiments", _ABOUT_TEXTS]
    for text, title in TEXTS.items():
        places = places_of(text)
        lines = [_line(list(_HEADER)), _line(["---"] * len(_HEADER))]
        lines += [_line(_cells(place)) for place in places]
        parts += [f"## {title}", _summary(places), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _cells(place: Place) -> list[str]:
    link = f"[{place.experiment}](experiments/{place.room}.md#{place.experiment})"
    older = _OLDER if place.ours and place.version not in ("", __version__) else ""
    return [
        place.where,
        place.says,
        place.data,
        place.printed,
        place.ours + older,
        place.verdict,
        link if place.experiment else "",
    ]


def _summary(places: list[Place]) -> str:
    """How many places hold, and so on."""
    words = [place.verdict.partition(", because")[0].partition(";")[0] for place in places]
    return ", ".join(f"{word}: {words.count(word)}" for word in dict.fromkeys(sorted(words))) + "."
