"""Long names cut short so that they stay apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

_LONGEST = 30
#: Of a name that is cut in its middle, so much of the end is kept.
_END = 17


def written_apart(names: Sequence[str]) -> list[str]:
    """Cut long names at the end; where two would read the same, in the middle or at the front.

    Examples
    --------
    >>> written_apart(["oak", "a class whose name goes on and on"])
    ['oak', 'a class whose name goes on an…']
    >>> written_apart([f"a class whose name goes on until number {i}" for i in (1, 2)])
    ['a class whos…on until number 1', 'a class whos…on until number 2']
    """
    written = [_without_end(name) for name in names]
    cuts: tuple[Callable[[str, str], str], ...] = (_without_middle, _without_front)
    for cut in cuts:
        alike = _alike(written)
        for short in set(alike):
            places = [place for place, other in enumerate(written) if other == short]
            common = _shared([names[place] for place in places])
            for place in places:
                written[place] = cut(names[place], common)
    seen: Counter[str] = Counter()
    twice = _alike(written)
    for place, name in enumerate(written):  # nothing that is seen tells them apart: counted
        seen[name] += 1
        if name in twice and seen[name] > 1:
            written[place] = f"{name} ({seen[name]})"
    return written


def _alike(written: Sequence[str]) -> list[str]:
    return [name for name, count in Counter(written).items() if count > 1]


def _shared(names: Sequence[str]) -> str:
    """The beginning that all have."""
    first, last = min(names), max(names)
    differ = (place for place, letter in enumerate(first) if letter != last[place])
    return first[: next(differ, len(first))]


def _without_end(name: str) -> str:
    if not name.strip():
        return "(empty)"
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1].rstrip() + "…"


def _without_middle(name: str, common: str) -> str:
    if len(name) <= _LONGEST:
        return _without_end(name)
    return f"{name[: _LONGEST - 1 - _END].rstrip()}…{name[-_END:].lstrip()}"


def _without_front(name: str, common: str) -> str:
    """What follows the beginning that names share, and a little of that."""
    if len(name) <= _LONGEST:
        return _without_end(name)
    start = max(0, len(common) - _LONGEST // 3)
    return _without_end(f"…{name[start:]}")
