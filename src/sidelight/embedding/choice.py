"""Which method: by what is known, what is missing, and how many rows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sidelight.embedding.reach import ALL_PAIRS_UP_TO, landmarks_for
from sidelight.registry import IN_DISTANCES, IN_FRONT, MAPS, Entry, entry_for

#: Maps of more dimensions are not for looking at.
_SEEN = 3
#: What is known need not be consistent for a map to be drawn.
_SLACK = 0.01
#: Kinds that most methods take through a metric learned from feature vectors.
_LEARNED = set(IN_FRONT)


@dataclass(frozen=True)
class Choice:
    """A method, what was decided with it, and why.

    Parameters
    ----------
    entry : Entry
        The method.
    parameters : dict
        What was decided with it.
    why : str
        The reason, as the end of a sentence that begins with the method's name.
    """

    entry: Entry
    parameters: dict[str, Any]
    why: str

    def __str__(self) -> str:
        return f"{self.entry.name}: {self.why}."


def choose_method(
    n_rows: int,
    *,
    kinds: Sequence[str] = (),
    distances: bool = False,
    graph: bool = False,
    other_metric: bool = False,
    missing: bool = False,
    n_components: int | str = 2,
) -> Choice:
    """Choose a method by what is known, what is missing, and how many rows there are.

    The first method of a list that takes all of it: none is chosen that would then refuse.  To see
    who is near whom in a picture is what a map is for, unless something speaks for distances: a
    table or a graph of them and nothing else, or more dimensions than a picture has.

    Examples
    --------
    >>> print(choose_method(10_000))
    NeighborEmbedding: near rows are near in the map.
    >>> choice = choose_method(10_000, n_components=5)
    >>> choice.entry.name, choice.parameters
    ('Isomap', {'n_landmarks': 1000})
    """
    known = " and ".join(kinds)
    others = " and ".join(kind for kind in kinds if kind not in ("Relation", *IN_DISTANCES))
    by_metric = f", and listens to {others} through a learned metric" if others else ""
    acting = " and ".join(kind for kind in kinds if kind not in ("Condition", *IN_DISTANCES))
    listening = f"; {acting} pull and push in it" if acting else ""
    listening += "; what the Condition does is taken out in front" * ("Condition" in kinds)
    forgiving = "; rows are compared but for what the Invariance forgives"
    forgiving *= "Invariance" in kinds
    constraints = f"it takes {known} as constraints on the kernel that it learns, with slack"
    follows = (
        "it measures along the graph" if graph else f"it follows curved data{by_metric}{forgiving}"
    )
    picture = isinstance(n_components, int) and n_components <= _SEEN
    landmarks = landmarks_for(n_rows)
    if landmarks:
        follows += (
            f"; {landmarks['n_landmarks']:,} landmarks, for there are more than "
            f"{ALL_PAIRS_UP_TO:,} rows"
        )
    only_distances = (distances or graph) and not kinds
    candidates: list[tuple[bool, str, dict[str, Any], str]] = [
        ("Relation" in kinds, "mre", {}, f"it maps several relations at once{by_metric}"),
        (
            list(kinds) == ["Actions"],
            "are",
            {},
            "it listens to Actions, each of them one rigid motion of the map",
        ),
        ("Actions" in kinds, "sde", {"slack": _SLACK}, constraints),
        (missing, "ppca", {}, "some values are missing, and it fills them in"),
        (
            picture and not only_distances,
            "ne",
            {},
            f"near rows are near in the map{listening}{forgiving}",
        ),
        ("Condition" in kinds, "kie", {}, "it leaves a known factor out of the map"),
        (
            "Anchors" in kinds,
            "sammon",
            {},
            "it keeps distances, with the anchored rows where they go",
        ),
        (
            (distances or graph or other_metric) and bool(kinds),
            "sde",
            {"slack": _SLACK},
            constraints,
        ),
        (distances and not graph, "mds", {}, "the data are a table of distances"),
        (True, "isomap", landmarks, follows),
    ]
    given = {"graph": graph, "distances": distances, "other_metric": other_metric}
    for wanted, name, parameters, why in candidates:
        entry = entry_for(name)
        if wanted and _takes(entry, kinds, missing=missing, **given):
            return Choice(entry, parameters, why)
    raise ValueError(_no_method(kinds, missing=missing, **given))


def _takes(
    entry: Entry,
    kinds: Sequence[str],
    *,
    distances: bool = False,
    graph: bool = False,
    other_metric: bool = False,
    missing: bool = False,
) -> bool:
    """Whether a method takes all that is known about such data."""
    if not set(kinds) <= set(entry.understands):
        return False
    if missing and not entry.load()._takes_missing:
        return False
    if (distances or graph) and not entry.takes_distances:
        return False
    if graph and not entry.takes_graph:
        return False
    in_front = set(kinds) & (_LEARNED - set(entry.inside))
    in_distances = set(kinds) & set(IN_DISTANCES)
    if in_front and in_distances:
        return False
    # both need feature vectors, and complete ones
    return not (distances or graph or other_metric or missing) or not in_front | in_distances


def _no_method(kinds: Sequence[str], *, missing: bool, **given: bool) -> str:
    """Say that what is known does not go together, and what would."""
    modes = {
        "graph": "along a graph",
        "distances": "from a table of distances",
        "other_metric": "by another metric than the Euclidean",
    }
    mode = next((f" {words}" for name, words in modes.items() if given[name]), "")
    if missing and any(_takes(entry, kinds, **given) for entry in MAPS):
        able = [entry.command for entry in MAPS if entry.load()._takes_missing]
        listens = f" listens to {' and '.join(kinds)}{mode}" if kinds else f" works{mode}"
        return (
            f"Some values are missing, and no method that takes such values ({', '.join(able)})"
            f"{listens}. Fill them in, or leave these rows or columns out."
        )
    listening = {
        entry.name: [kind for kind in entry.understands if _takes(entry, [kind], **given)]
        for entry in MAPS
    }
    said = "; ".join(f"{name}: {', '.join(able)}" for name, able in listening.items() if able)
    together = (
        "No one method listens to {} together" if len(kinds) > 1 else "No method listens to {}"
    )
    return f"{together.format(' and '.join(kinds))}{mode}. What each listens to{mode}: {said}."
