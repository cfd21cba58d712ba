"""From a place in a text to the experiment that repeats it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from experiments.pages import places_of
from experiments.texts import MISSING, NUMBERS, TEXTS


@dataclass(frozen=True)
class Place:
    """What a text shows at one place, and what there is of it here."""

    where: str
    says: str
    printed: str
    ours: str
    experiment: str


def find_places(text: str, figure: str | None = None) -> list[Place]:
    """The places of a text, or those that speak of one figure, table, section or equation."""
    known = NUMBERS.get(text, text)
    if known not in TEXTS:
        names = ", ".join(f"{number} ({name})" for number, name in NUMBERS.items())
        raise ValueError(f"There is no text {text!r}. There are: {names}.")
    found = [Place(*cells) for cells in places_of(known)]
    found += [Place(where, says, "", "", "") for where, says in MISSING.get(known, {}).items()]
    if figure is None:
        return found
    there = [place for place in found if speaks_of(place.where, figure)]
    # a bare number is a figure's or a table's, if there is one
    drawn = [place for place in there if place.where.startswith(("figure", "table"))]
    return drawn if drawn and figure[:1].isdigit() else there


def speaks_of(where: str, number: str) -> bool:
    """Whether a place is a number, lists it, or spans it.

    Examples
    --------
    >>> [speaks_of("figures 3.9, A.2 to A.4", number) for number in ("3.9", "A.3", "3.1", "A.5")]
    [True, True, False, False]
    """
    wanted = _parts(re.sub(r"^(figure|table|section|equation)s? ", "", number.lower()))
    for first, last in re.findall(r"([A-Z]?\.?\d[\d.]*)(?: to ([A-Z]?\.?\d[\d.]*))?", where):
        start, end = _parts(first), _parts(last or first)
        if start == wanted or (len(start) == len(wanted) and start <= wanted <= end):
            return True
    return number.lower() in where.lower() if not any(c.isdigit() for c in number) else False


def _parts(number: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (10**6, part.lower())
        for part in re.findall(r"\d+|[A-Za-z]+", number)
    ]
