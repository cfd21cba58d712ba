"""Which method: by what is known, what is missing, and how many rows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.embedding.reach import ALL_PAIRS_UP_TO, landmarks_for
from sidelight.registry import IN_DISTANCES, IN_FRONT, MAPS, Entry, entry_for

#: Maps of more dimensions are not for looking at.
_SEEN = 3
#: What is known need not be consistent for a map to be drawn.
_SLACK = 0.01
#: Kinds of which no metric is learned in front: what they do is taken out there.
_TAKEN_OUT = ("Condition",)
#: What is said of kinds, by the place at which they act.
_ACTING = {
    "inside": "it listens to {} inside",
    "in the graph": "its graph listens to {}, where that improves the map",
    "in front": "it listens to {} through a learned metric",
    "taken out": "what the {} does is taken out in front",
    "in the distances": "rows are compared up to what the {} forgives",
    "behind": "the finished map is moved to the {}",
}
#: The same of kinds that act inside, by method; nothing where the method's own reason says it.
_INSIDE = {
    "are": "",
    "mre": "",
    "ne": "{} pull and push in it",
    "sammon": "the {} stay where they are",
    "sde": "it takes {} as constraints on the kernel that it learns, with slack",
}


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
    table or a graph of them and nothing else but Anchors, or more dimensions than a picture has.

    Examples
    --------
    >>> print(choose_method(10_000))
    NeighborEmbedding: near rows are near in the map.
    >>> choice = choose_method(10_000, n_components=5)
    >>> choice.entry.name, choice.parameters
    ('Isomap', {'n_landmarks': 1000})
    """
    picture = isinstance(n_components, (int, np.integer)) and n_components <= _SEEN
    judged = n_components == "cv"
    landmarks = landmarks_for(n_rows)
    follows = "it measures along the graph" if graph else "it follows curved data"
    if landmarks:
        follows += (
            f"; {landmarks['n_landmarks']:,} landmarks, for there are more than "
            f"{ALL_PAIRS_UP_TO:,} rows"
        )
    # Anchors turn such a map the right way up, in their unit
    only_distances = (distances or graph) and set(kinds) <= {"Anchors"}
    measured = distances or graph or other_metric
    constrained = any(kind in entry_for("sde").inside for kind in kinds)
    constraints = "it pulls rows apart as far as neighbours allow"
    candidates: list[tuple[bool, str, dict[str, Any], str]] = [
        (judged, "ppca", {}, "rows that are left out say how many dimensions there are"),
        (judged, "gplvm", {}, "rows that are left out say how many dimensions there are"),
        ("Relation" in kinds, "mre", {}, "it maps several relations at once"),
        (list(kinds) == ["Actions"], "are", {}, "every action is one rigid motion of its map"),
        ("Actions" in kinds, "sde", {"slack": _SLACK}, constraints),
        (missing, "ppca", {}, "some values are missing, and it fills them in"),
        (missing, "gplvm", {}, "some values are missing, and it does without them"),
        (picture and not only_distances, "ne", {}, "near rows are near in the map"),
        ("Anchors" in kinds and not only_distances, "sammon", {}, "it keeps distances"),
        (measured and constrained, "sde", {"slack": _SLACK}, constraints),
        (distances and not graph, "mds", {}, "the data are a table of distances"),
        (True, "isomap", landmarks, follows),
        (bool(kinds), "ne", {}, "near rows are near in the map"),
    ]
    given = {"graph": graph, "distances": distances, "other_metric": other_metric}
    for wanted, name, parameters, why in candidates:
        entry = entry_for(name)
        if wanted and _takes(entry, kinds, missing=missing, judged=judged, **given):
            return Choice(entry, parameters, why + _where_they_act(entry, kinds))
    raise ValueError(_no_method(kinds, missing=missing, judged=judged, **given))


def _where_they_act(entry: Entry, kinds: Sequence[str]) -> str:
    """Say at which place of a method each kind acts, as the end of the reason for it."""
    at: dict[str, list[str]] = {}
    for kind in kinds:
        place = entry.place_of(kind)
        taken_out = place == "in front" and kind in _TAKEN_OUT
        at.setdefault("taken out" if taken_out else place, []).append(kind)
    words = {**_ACTING, "inside": _INSIDE.get(entry.command, _ACTING["inside"])}
    said = [words[place].format(" and ".join(at[place])) for place in words if place in at]
    return "".join(f"; {each}" for each in said if each)


def _takes(
    entry: Entry,
    kinds: Sequence[str],
    *,
    distances: bool = False,
    graph: bool = False,
    other_metric: bool = False,
    missing: bool = False,
    judged: bool = False,
) -> bool:
    """Whether a method takes all that is known about such data."""
    if not set(kinds) <= set(entry.understands):
        return False
    if any(set(pair) <= set(kinds) for pair in entry.apart):
        return False
    if judged and entry.load()._left_out is None:
        return False
    if missing and not entry.load()._takes_missing:
        return False
    if (distances or graph or other_metric) and not entry.takes_distances:
        return False
    if graph and not entry.takes_graph:
        return False
    if graph and "Sequence" in kinds:
        return False  # how far apart adjacent rows are is known of stored edges alone
    # what acts in the graph goes in front only where it may
    in_front = (set(kinds) & set(IN_FRONT)) - {*entry.inside, *entry.in_graph}
    in_distances = set(kinds) & set(IN_DISTANCES)
    if in_front and in_distances:
        return False
    # both need feature vectors, and complete ones
    return not (distances or graph or other_metric or missing) or not in_front | in_distances


def _no_method(kinds: Sequence[str], *, missing: bool, judged: bool, **given: bool) -> str:
    """Say that what is known does not go together, and what would."""
    modes = {
        "graph": "along a graph",
        "distances": "from a table of distances",
        "other_metric": "by another metric than the Euclidean",
    }
    mode = next((f" {words}" for name, words in modes.items() if given[name]), "")
    listens = f" listens to {' and '.join(kinds)}{mode}" if kinds else f" works{mode}"
    if judged and any(_takes(entry, kinds, missing=missing, **given) for entry in MAPS):
        able = [entry.command for entry in MAPS if entry.load()._left_out is not None]
        return (
            f"The 'n_components' argument of embed is 'cv', and no method that is judged by rows "
            f"left out ({', '.join(able)}){listens}. Give a number, or 'auto'."
        )
    if missing and any(_takes(entry, kinds, **given) for entry in MAPS):
        able = [entry.command for entry in MAPS if entry.load()._takes_missing]
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
