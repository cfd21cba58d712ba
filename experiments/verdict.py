"""What becomes of what a text says: it holds, holds in part, or does not hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from experiments.record import Claim, Record, Said, judged, write

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
NOTHING, NOT_RUN = "nothing is claimed", "not run in full yet"
_FIGURE = re.compile(r"\{([^{}/]+)/([^{}/]+)/([^{}/]+)\}")


def verdict(said: Said, claims: Sequence[Claim], found: Record | None) -> str:
    """Whether the claims of a place hold, and why not.

    Everything that speaks for the text counts: a claim that says the same and holds, and one that
    says the contrary and does not.
    """
    if not (said.upheld or said.refuted):
        return NOTHING
    if found is None:
        return NOT_RUN
    for_it = [judged(named(name, claims), found)["holds"] for name in said.upheld]
    for_it += [not judged(named(name, claims), found)["holds"] for name in said.refuted]
    word = HOLDS if all(for_it) else IN_PART if any(for_it) else FAILS
    if word == HOLDS or not said.because:
        return word
    return f"{word}, because {filled(said.because, found)}"


def named(beginning: str, claims: Sequence[Claim]) -> Claim:
    """The one claim that begins so."""
    there = [claim for claim in claims if claim.says.startswith(beginning)]
    if len(there) != 1:
        raise KeyError(f"{len(there)} claims begin {beginning!r}: {[c.says for c in claims]}.")
    return there[0]


def filled(template: str, found: Record) -> str:
    """A template with the figures it names."""

    def figure(match: re.Match[str]) -> str:
        key, row, column = match.groups()
        table = found.table(key)
        return write(table.value(row, column), table.columns[column])

    return _FIGURE.sub(figure, template)
