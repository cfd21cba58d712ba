"""What a fit was told, and what of it acts in front: a known factor taken out, learned metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sidelight.core import FloatArray, as_dense, counted, is_sparse, require_memory
from sidelight.estimator.behind import Brought, bring_held
from sidelight.estimator.points import Invariant, points_of
from sidelight.estimator.territory import metric_for_map, worth_in_map
from sidelight.metric import (
    DistanceMetric,
    EquivalenceMetric,
    FactorRemoval,
    MultiAttributeMetric,
)
from sidelight.side import Anchors

#: What each kind of side information is learned by, in the order they are applied: pairs are of
#: rows without the factor, and distances are those of the finished map, so they come last.
LEARNERS: dict[str, type[Any]] = {
    "Condition": FactorRemoval,
    "Pairs": EquivalenceMetric,
    "Relation": MultiAttributeMetric,
    "Attributes": MultiAttributeMetric,
    "Distances": DistanceMetric,
}
#: Kinds whose metric must be worth it in a map; distances are what a map is asked to show, and a
#: factor is left out of it.
JUDGED = ("Pairs", "Relation", "Attributes")
#: Where nothing was learned before.
NOTHING: Mapping[str, Any] = MappingProxyType({})


def written_out(X: Any, *, who: str) -> FloatArray:
    """Rows as a dense table, which a learned metric makes of them anyhow, if there is room."""
    if is_sparse(X):
        require_memory(
            8.0 * X.shape[0] * X.shape[1],
            what=f"the {X.shape[0]} × {X.shape[1]} rows of sparse X in a learned metric",
            who=who,
            instead="Reduce the columns with PCA first, or leave 'side' out.",
        )
    return as_dense(X)


@dataclass(frozen=True)
class Heard:
    """What became of one kind of side information.

    Parameters
    ----------
    kind : str
        ``"Pairs"``, ``"Condition"`` …
    place : str
        Where it acts: ``"in front"`` of the method, ``"in the distances"`` that it starts from,
        ``"in the graph"`` of its neighbours, ``"inside"`` it, or ``"behind"`` it.
    change : str
        What it changed; empty where the method says it by its own attributes.
    """

    kind: str
    place: str
    change: str = ""


def is_plain(metric: Any) -> bool:
    """Whether rows are compared as vectors, so that they may be mapped, or compared otherwise."""
    return isinstance(metric, str) and metric in ("euclidean", "l2")


def learns_in_front(metric: Any, known: dict[str, Any]) -> bool:
    """Whether a learned metric may take the place of the distances."""
    return is_plain(metric) and "Invariance" not in known


def learned_in_front(known: dict[str, Any]) -> list[str]:
    """The kinds that are learned from feature vectors."""
    return [kind for kind in LEARNERS if kind in known]


def learn_in_front(
    X: Any,
    known: dict[str, Any],
    metric: Any,
    *,
    who: str,
    embed: Callable[[Any], FloatArray] | None = None,
    already: Mapping[str, Any] = NOTHING,
) -> tuple[Any, dict[str, Any]]:
    """Learn from each kind of side information; give the mapped rows, and what maps them.

    ``embed`` makes the map of rows, which judges what is known, else the rows do.  What was
    ``already`` learned without some of the kinds is kept as far as it is of the same rows.
    """
    kinds = learned_in_front(known)
    if kinds and not is_plain(metric):
        raise ValueError(
            f"Side information gives {who} a metric learned from feature vectors, so metric must "
            f"be 'euclidean'. Got metric={metric!r}."
        )
    front: dict[str, Any] = {}
    X = written_out(X, who=who) if kinds else X
    same_rows = True
    for kind in kinds:
        side = known[kind]
        learned: Any = already.get(kind) if same_rows else None
        if learned is None:
            learned = _learn(X, kind, side, who=who)
            if kind in JUDGED:
                learned = _judged(X, kind, side, learned, embed)
        front[kind] = learned
        mapped = (
            learned.transform(X, condition=side) if kind == "Condition" else learned.transform(X)
        )
        same_rows = same_rows and (kind in already or np.array_equal(mapped, X))
        X = mapped
    return X, front


def _learn(X: Any, kind: str, side: Any, *, who: str) -> Any:
    """What maps rows, learned from one kind."""
    try:
        return _learner_of(kind, side).fit(X, side=side)
    except ValueError as error:
        what = "what to take out" if kind == "Condition" else "a metric"
        raise ValueError(f"{who} cannot learn {what} from {kind}. {error}") from error


def _judged(
    X: FloatArray, kind: str, side: Any, learned: Any, embed: Callable[[Any], FloatArray] | None
) -> Any:
    """The metric if the map is worth it; for maps that cost much the rows themselves judge it."""
    if embed is None:
        return worth_in_map(X, side, learned, lambda rows: rows)
    judge = metric_for_map if kind == "Pairs" else worth_in_map
    return judge(X, side, learned, embed)


def _learner_of(kind: str, side: Any) -> Any:
    """What learns from side information: of one relation alone, as of pairs."""
    alone = kind == "Relation" and len(side) == 1
    return EquivalenceMetric() if alone else LEARNERS[kind]()


def compared(
    X: Any, known: dict[str, Any], learned: dict[str, Any], metric: Any, *, who: str
) -> Any:
    """X as its metric reads it, or as an Invariance does."""
    invariance = known.get("Invariance")
    if invariance is None:
        return points_of(X, metric, who=who)
    if not is_plain(metric):
        raise ValueError(
            f"An Invariance gives {who} a distance of its own between feature vectors, so metric "
            f"must be 'euclidean'. Got metric={metric!r}."
        )
    refuse_changed_items(learned, "an Invariance", who=who)
    return Invariant.of(written_out(X, who=who), invariance.measure(), who=who)


def refuse_changed_items(learned: dict[str, Any], beside: str, *, who: str) -> None:
    """Refuse what acts in front of a method that transforms items: they must stay such."""
    if learned:
        raise ValueError(
            f"{who} cannot listen to {' and '.join(learned)} together with {beside}: what is "
            f"learned in front would change the items, and the transformation would no longer be "
            f"one of them. Leave one of the two out."
        )


def in_front(X: Any, front: tuple[Any, ...], condition: Any = None, *, who: str) -> Any:
    """New rows, mapped as the training rows were."""
    removes = any(isinstance(learned, FactorRemoval) for learned in front)
    if condition is not None and not removes:
        raise ValueError(
            f"{who} was fitted without a Condition that is taken out in front, so transform takes "
            f"no 'condition'. Leave it out, or give it when fitting: fit(X, side=Condition(…))."
        )
    X = as_dense(X) if front else X
    for learned in front:
        if not isinstance(learned, FactorRemoval):
            X = learned.transform(X)
            continue
        try:
            X = learned.transform(X, condition=condition)
        except ValueError as error:
            raise ValueError(f"{who} cannot place these rows. {error}") from error
    return X


def metrics_among(front: tuple[Any, ...]) -> list[Any]:
    """The learned metrics of what acts in front."""
    return [learned for learned in front if not isinstance(learned, FactorRemoval)]


def behind_front(X: Any, front: tuple[Any, ...], *, who: str = "") -> Any:
    """Mapped rows back to rows as they came; a metric that is singular has no way back."""
    try:
        for learned in reversed(front):
            X = learned.inverse_transform(X)
    except ValueError as error:
        raise ValueError(f"{who} has no way back from Z. {error}" if who else str(error)) from error
    return X


def deviations_behind_front(std: FloatArray, front: tuple[Any, ...]) -> FloatArray:
    """Standard deviations of independent entries of mapped rows, as those of rows as they came."""
    for learned in reversed(front):
        if not isinstance(learned, FactorRemoval):  # which only shifts rows
            weights = learned.inverse_transform(np.eye(std.shape[1]))
            std = np.sqrt(std**2 @ weights**2)
    return std


@dataclass(frozen=True)
class BehindFront:
    """A way back that ends behind what acts in front, gone on to rows as they came.

    Parameters
    ----------
    back : callable
        From places to mapped rows.
    front : tuple of transformers
        What maps rows.
    """

    back: Callable[[FloatArray], FloatArray]
    front: tuple[Any, ...]

    def __call__(self, Z: FloatArray) -> FloatArray:
        """What would lie at places of the map."""
        return np.asarray(behind_front(self.back(Z), self.front))


@dataclass(frozen=True)
class Checked:
    """What a fit was given, gone through.

    Parameters
    ----------
    X : array or sparse array of shape (n_samples, n_features)
        The rows, or a table of them.
    known : dict
        Side information by kind.
    metric : str or callable
        What rows are compared by.
    items : array or sparse array, optional
        What the way back leads to.
    """

    X: Any
    known: dict[str, Any]
    metric: Any
    items: Any


@dataclass(frozen=True)
class Told:
    """What a fit was told, checked.

    Parameters
    ----------
    points : Points
        X as its metric reads it, behind what acts in front.
    known : dict
        Side information by kind.
    learned : dict
        What acts in front, by the kind that it was learned from.
    items : array or sparse array, optional
        What the way back leads to.
    notes : dict
        What became of kinds that act inside, or there too.
    of_each : tuple of str
        What became of each Condition that acts inside.
    in_graph : dict
        What became of kinds that act in the graph.
    wanted : Anchors, optional
        Where the finished map is brought.
    brought : Brought, optional
        The way of a map to anchors that it was made with.
    apart : dict
        Of kinds of which one value acts inside and the others in front: its number, and that value.
    """

    points: Any
    known: dict[str, Any]
    learned: dict[str, Any]
    items: Any
    notes: dict[str, str] = field(default_factory=dict)
    of_each: tuple[str, ...] = ()
    in_graph: dict[str, str] = field(default_factory=dict)
    wanted: Anchors | None = None
    brought: Brought | None = None
    apart: dict[str, tuple[int, Any]] = field(default_factory=dict)

    @property
    def front(self) -> tuple[Any, ...]:
        """What acts in front, in order."""
        return tuple(self.learned.values())

    def heard(self) -> tuple[Heard, ...]:
        """What became of each kind that acts before the finished map."""
        alone = f": {self.of_each[0]}" if self.of_each else ""
        inside = (
            Heard(kind, "inside", f"{value!r}{alone}") for kind, (_, value) in self.apart.items()
        )
        return (*(entry for kind in self.known for entry in self._entries(kind)), *inside)

    def _entries(self, kind: str) -> tuple[Heard, ...]:
        """One of each Condition, of which some may be taken out; one of any other kind."""
        entry, values = self._heard(kind), self.known[kind]
        if kind != "Condition" or not isinstance(values, tuple):
            return (entry,)
        if kind not in self.learned:
            each = self.of_each or ("",) * len(values)
            if len(values) == 1:
                return (replace(entry, change=each[0]),)
            said = (f"{value!r}: {one}" for value, one in zip(values, each, strict=True))
            return tuple(replace(entry, change=change) for change in said)
        if len(values) == 1:
            return (entry,)
        reports = zip(values, self.learned[kind].reports_, strict=True)
        also = self._also(kind)
        return tuple(replace(entry, change=f"{value!r}: {said}{also}") for value, said in reports)

    def _heard(self, kind: str) -> Heard:
        if kind in self.learned:
            return Heard(kind, "in front", self.learned[kind].report_ + self._also(kind))
        if kind == "Invariance":
            return Heard(kind, "in the distances", self.points.said())
        if kind in self.in_graph:
            return Heard(kind, "in the graph", self.in_graph[kind])
        if kind == "Anchors" and kind not in self.notes:
            return Heard(kind, "inside", f"{counted(len(self.known[kind].index), 'row')} pinned")
        return Heard(kind, "inside", self.notes.get(kind, ""))

    def _also(self, kind: str) -> str:
        """What a kind that acts in front does inside, too."""
        note = self.notes.get(kind, "")
        return f"; {note}" * bool(note)

    def heard_in_graph(self, kind: str, change: str) -> Told:
        """The same, with what became of a kind that acts in the graph."""
        return replace(self, in_graph={**self.in_graph, kind: change})

    def held(self, points: FloatArray, *, who: str) -> Told:
        """The same, where the rows of anchors were held while the map was made."""
        anchors = self.known["Anchors"]
        held = counted(len(anchors.index), "row")
        said = f"{held} {'was' if len(anchors.index) == 1 else 'were'} held while the others moved"
        return replace(
            self,
            notes={**self.notes, "Anchors": said},
            brought=bring_held(points, anchors, who=who),
        )

    def not_held(self) -> Told:
        """The same, where anchors have no place inside after all: the finished map is brought."""
        if "Anchors" not in self.known:
            return self
        others = {kind: value for kind, value in self.known.items() if kind != "Anchors"}
        return replace(self, known=others, wanted=self.known["Anchors"])

    def behind(self, back: Any) -> Any:
        """A way back to mapped rows, gone on to rows as they came."""
        return BehindFront(back, self.front) if self.front and back is not None else back


def hear_checked(
    estimator: Any,
    given: Checked,
    *,
    inside: tuple[str, ...] = (),
    already: Mapping[str, Any] = NOTHING,
) -> Told:
    """Hear what was checked, as an estimator does; it may be heard again, otherwise."""
    told: Told = estimator._tell(
        given.X,
        given.known,
        metric=given.metric,
        items=given.items,
        inside=inside,
        already=already,
    )
    who = estimator._name
    return replace(
        told, points=compared(told.points, told.known, told.learned, given.metric, who=who)
    )
