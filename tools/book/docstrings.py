"""Docstrings are written for people: what reStructuredText would read into them is escaped."""

from __future__ import annotations

import re
from typing import Any

_LITERAL = re.compile(r"(``.*?``|:\w[\w:]*:`.*?`|`[^`]*`_?)")
_TARGET = re.compile(r"(?<=\w)_(?!\w)")
_SECTION = re.compile(r":\w[\w ]*:|\.\. rubric::")


def as_written(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape bars, names that end in an underscore and initials; keep formulas as they stand."""
    lines[:] = _apart(_with_formulas(lines))
    example = literal = False
    for number, line in enumerate(lines):
        if line.strip():
            literal = literal and line.startswith(" ")
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example and not literal and not line.startswith(".."):
            lines[number] = _escaped(line)
        literal = literal or line == "::"


def _escaped(line: str) -> str:
    parts = _LITERAL.split(line)
    for i in range(0, len(parts), 2):
        parts[i] = _TARGET.sub(r"\\_", parts[i].replace("|", r"\|"))
    return re.sub(r"^(\s*)([A-Z])\. ", r"\1\2\\. ", "".join(parts))


def _apart(lines: list[str]) -> list[str]:
    """References, each in a paragraph of its own."""
    found: list[str] = []
    listed = False
    for line in lines:
        listed = line == ".. rubric:: References" or (listed and not _SECTION.match(line))
        if listed and found and found[-1].endswith((".", ";")):
            found.append("")
        found.append(line)
    return found


def _with_formulas(lines: list[str]) -> list[str]:
    """Indented blocks before the first section are formulas: kept as they stand."""
    found: list[str] = []
    prose = True
    for number, line in enumerate(lines):
        prose = prose and not _SECTION.match(line)
        before = lines[number - 1] if number else ""
        begins = line.startswith("    ") and not before.strip()
        last = next((one for one in reversed(found) if one.strip()), "")
        if prose and begins and not last.startswith((" ", "..", "-", "*")):
            found += ["::", ""]
        found.append(line)
    return found
