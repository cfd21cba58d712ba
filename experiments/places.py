"""From a place in a text to the experiment that repeats it, and what becomes of what it says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from experiments.rooms import module_of, result_of, rooms
from experiments.texts import MISSING, NUMBERS, TEXTS, UNMEASURED
from experiments.verdict import NOT_RUN, filled, verdict

NOT_YET = "not yet"
#: What is numbered, and how people write it.
_KINDS = {
    "figure": "figures?|figs?",
    "table": "tables?|tabs?",
    "section": "sections?|secs?|§+",
    "equation": "equations?|eqs?",
    "chapter": "chapters?|chs?",
}
_NUMBER = r"[A-Z]?\.?\d[\d.]*"


@dataclass(frozen=True)
class Place:
    """What a text shows at one place, what there is of it here, and what becomes of it.

    ``data`` is named where it is not the text's own; ``experiment`` and ``room`` are empty where
    nothing is repeated; ``version`` is that of the library that figures are of.
    """

    where: str
    says: str
    data: str
    printed: str
    ours: str
    verdict: str
    experiment: str = ""
    room: str = ""
    version: str = ""


def find_places(text: str, figure: str | None = None) -> list[Place]:
    """The places of a text, or those that speak of one figure, table, section or equation.

    Where none does, those that lie within it: in a chapter, or in a section of several.
    """
    known = NUMBERS.get(text, text)
    if known not in TEXTS:
        names = ", ".join(f"{number} ({name})" for number, name in NUMBERS.items())
        raise ValueError(f"There is no text {text!r}. There are: {names}.")
    found = places_of(known)
    if figure is None:
        return found
    there = [place for place in found if speaks_of(place.where, figure)]
    # a bare number is a figure's or a table's, if there is one
    drawn = [place for place in there if speaks_of(place.where, figure, ("figure", "table"))]
    if not there:
        return [place for place in found if speaks_of(place.where, figure, within=True)]
    return drawn if drawn and figure[:1].isdigit() else there


def places_of(text: str) -> list[Place]:
    """All places of a text, in its order."""
    found = []
    for room, names in rooms().items():
        for name in names:
            module, result = module_of(room, name), result_of(name)
            for one in getattr(module, "TEXT", []):
                if one.text == text:
                    ours = filled(one.ours, result) if result else NOT_RUN if one.ours else ""
                    end = verdict(one, module.CLAIMS, result)
                    told = (one.place, one.says, one.data, one.printed, ours, end, name, room)
                    found.append(Place(*told, version=result.version if result else ""))
    for none in UNMEASURED.get(text, []):
        here = ", ".join(f"`{name}`" for name in none.here)
        found.append(Place(none.place, none.says, "", "", here, none.why))
    found += [
        Place(place, says, "", "", "", NOT_YET) for place, says in MISSING.get(text, {}).items()
    ]
    return sorted(found, key=lambda place: _order(place.where))


def speaks_of(
    where: str, number: str, kinds: tuple[str, ...] = (), *, within: bool = False
) -> bool:
    """Whether a place is a number, lists it, or spans it; or lies ``within`` what has the number.

    Numbers are of figures, tables, sections …: those in the title of a slide are not.

    Examples
    --------
    >>> speaks_of("The Gaussian Egg, 3 dimensions", "3")
    False
    >>> [speaks_of("figures 3.9, A.2 to A.4", number) for number in ("3.9", "A.3", "3.1", "A.5")]
    [True, True, False, False]
    >>> [speaks_of("figure 2.1; section 2.3", name) for name in ("section 2.3", "section 2.1")]
    [True, False]
    >>> [speaks_of("equations 2.24 to 2.27", name) for name in ("eq. (2.25)", "fig. 2.25")]
    [True, False]
    >>> [speaks_of("figure 2.1", "chapter 2", within=within) for within in (False, True)]
    [False, True]
    """
    kind, bare = _asked(number)
    if not bare:
        return not within and number.lower() in where.lower()
    if kind and not (within and kind == "chapter"):
        kinds = (kind,)
    wanted = _parts(bare)
    for part in where.split("; "):
        if not part.startswith(kinds or tuple(_KINDS)):
            continue
        for first, last in re.findall(rf"({_NUMBER})(?: to ({_NUMBER}))?", part):
            start, end = _parts(first), _parts(last or first)
            if within and start[: len(wanted)] == wanted:
                return True
            if start == wanted or (len(start) == len(wanted) and start <= wanted <= end):
                return True
    return False


def _asked(number: str) -> tuple[str, str]:
    """What somebody means by ``"Fig. 3.9"``: the kind, and the number; nothing where it is none."""
    for kind, names in {"": "", **_KINDS}.items():
        named = rf"(?:{names})\.?\s*" if names else ""
        found = re.fullmatch(rf"\s*{named}\(?({_NUMBER})\)?\s*", number, re.IGNORECASE)
        if found:
            return kind, found.group(1)
    return "", ""


def _order(place: str) -> list[tuple[int, int, str]]:
    """Numbers as numbers, so that figure 3.10 comes after figure 3.9, and appendices last."""
    bare = re.sub(rf"^({'|'.join(_KINDS)})s? ", "", place)
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|\D+", bare)
    ]


def _parts(number: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (10**6, part.lower())
        for part in re.findall(r"\d+|[A-Za-z]+", number)
    ]
