"""A case: an estimator, an X, parameters, side information, and what is done afterwards."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.registry import ESTIMATORS, Entry
from tests.fuzz.dues import ANY, BAD, GOOD
from tests.fuzz.follow_ups import FOLLOW_UPS, Fitted, portrait
from tests.fuzz.inputs import GAPS, Given, draw_input
from tests.fuzz.knowledge import Told, draw_knowledge
from tests.fuzz.new_rows import OF_NEW_ROWS
from tests.fuzz.oracle import ARGUMENTS, FaultFoundError, about, is_clear, kept, watched
from tests.fuzz.parameters import Choice, declared, draw_parameters
from tests.fuzz.relations import RELATIONS

RIGHT, CLEAR_ERROR, FAULT = "right", "clear error", "fault"
#: Of rows that do not differ one place is the right map.
ALL_THE_SAME = ("one value in all", "one row for all", "a table of zeros")
#: Fits that take a second are drawn less often than those that take a millisecond.
WEIGHTS = {
    "ConditionalEmbedding": 0.3,
    "KernelInformationEmbedding": 0.4,
    "UnsupervisedKernelRegression": 0.5,
    "GPLVM": 0.7,
}


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    number: int
    verdict: str
    estimator: str
    described: str
    stage: str = ""
    what: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Case:
    """Everything that was drawn, by a seed and a number."""

    number: int
    entry: Entry
    given: Given
    choice: Choice
    told: Told
    rng: np.random.Generator

    @property
    def due(self) -> str:
        """A map, an error, or either."""
        dues = [self.given.due, self.told.due]
        dues.append(BAD if self.choice.refused else ANY if self.choice.changed else GOOD)
        return BAD if BAD in dues else ANY if ANY in dues else GOOD

    def __str__(self) -> str:
        shown = {**self.choice.values, **self.given.parameters}
        parameters = ", ".join(f"{name}={_short(value)}" for name, value in shown.items())
        fit = ", items" if self.given.fit else ""
        return (
            f"{self.entry.name}({parameters}) on {self.given.kind}{fit} "
            f"{np.shape(self.given.X) if hasattr(self.given.X, 'shape') else ''}; "
            f"told {self.told.kind}; due {self.due}"
        )


def _short(value: Any) -> str:
    return f"array{value.shape}" if isinstance(value, np.ndarray) else repr(value)


def draw_case(seed: int, number: int, only: str = "") -> Case:
    """Draw a case; the same seed and number give the same one."""
    rng = np.random.default_rng([seed, number])
    entries = [entry for entry in ESTIMATORS if only in ("", entry.name)]
    weights = np.array([WEIGHTS.get(entry.name, 1.0) for entry in entries])
    entry = entries[rng.choice(len(entries), p=weights / weights.sum())]
    cls = entry.load()
    kernels = declared(cls).get("kernel", ())
    takes_kernel = any(expected.admits("precomputed") for expected in kernels)
    given = draw_input(rng, entry, takes_kernel)
    if given.kind in GAPS and cls().__sklearn_tags__().input_tags.allow_nan:
        given = replace(given, due=ANY)
    if "sparse" in given.kind and given.due == GOOD:
        takes_sparse = cls().__sklearn_tags__().input_tags.sparse
        given = given if takes_sparse else replace(given, due=BAD)
    if entry.name == "KernelInformationEmbedding" and "kernel" in given.parameters:
        given = replace(given, due=BAD if given.due == BAD else ANY)  # between 0 and 1, or refused
    rows = given.n if hasattr(given.X, "__len__") and not isinstance(given.X, str) else 10
    choice = draw_parameters(rng, cls, max(rows, 3))
    if given.parameters.keys() & set(choice.refused):
        choice = replace(choice, refused=())  # the input says what it is read as
    told = draw_knowledge(rng, entry, rows)
    if "Condition" in told.kind and "n_steps" not in choice.changed:
        # a short path where there is one
        values = {name: v for name, v in choice.values.items() if name != "n_steps"}
        choice = replace(choice, values=values)
    if given.kind == "None" and "Relation" in told.kind:
        told = replace(told, kind="nothing", make=lambda: None)  # which might say all that is known
    if given.kind == "copies of rows" and ("Actions" in told.kind or "Anchors" in told.kind):
        # a walk on one spot, or copies that are sent to two
        told = replace(told, due=told.due if told.due == BAD else ANY)
    if "Invariance" in told.kind and told.due == GOOD:
        told = replace(told, due=ANY)  # signs: rows may be positive, or so few that nothing differs
    if given.parameters and told.kind != "nothing" and told.due == GOOD:
        told = replace(told, due=ANY)  # most knowledge needs feature vectors
    return Case(number, entry, given, choice, told, rng)


def run_case(seed: int, number: int, only: str = "") -> Outcome:
    """Draw a case, run it and judge it."""
    started = time.process_time()
    outcome = _judged(draw_case(seed, number, only))
    return replace(outcome, seconds=time.process_time() - started)


def _judged(case: Case) -> Outcome:
    number, stage = case.number, "fit"
    try:
        fitted = _fit(case)
        if isinstance(fitted, str):
            return Outcome(number, CLEAR_ERROR, case.entry.name, str(case), stage, fitted)
        stages = [*FOLLOW_UPS, *OF_NEW_ROWS, *RELATIONS]
        for index in case.rng.permutation(len(stages))[:4]:
            stage = stages[index].__name__
            stages[index](fitted)
    except FaultFoundError as fault:
        return Outcome(number, FAULT, case.entry.name, str(case), stage, str(fault))
    except Exception as error:
        return Outcome(number, FAULT, case.entry.name, str(case), stage, f"raised {about(error)}")
    return Outcome(number, RIGHT, case.entry.name, str(case))


def _fit(case: Case) -> Fitted | str:
    """Fit the model: it, or the words of a clear error."""
    who, cls = case.entry.name, case.entry.load()
    parameters = {**case.choice.values, **case.given.parameters}
    model = cls(**parameters)
    arguments = (*declared(cls), *ARGUMENTS)
    side = None
    try:
        side = case.told.make()
    except ValueError as error:
        lack = is_clear(error, "argument of", tuple(case.told.kind.split()))
        if lack and case.told.kind.startswith(("good", "random")):
            raise FaultFoundError(f"making side information: {lack}: {about(error)}") from error
        return str(error)
    unchanged = kept(case.given.X)
    try:
        with watched(who) as warned:
            if case.told.as_y:
                model.fit(case.given.X, side, **case.given.fit)
            else:
                model.fit(case.given.X, side=side, **case.given.fit)
    except FaultFoundError:
        raise
    except Exception as error:
        wanted = (
            case.choice.refused if case.choice.refused and _only_parameters(case) else arguments
        )
        lack = is_clear(error, who, tuple(wanted))
        if lack or case.due == GOOD:
            raise FaultFoundError(f"{lack or 'refused what is good'}: {about(error)}") from error
        if not unchanged():
            raise FaultFoundError("X was changed by a refused fit") from error
        return str(error)
    if not unchanged():
        raise FaultFoundError("X was changed by fit")
    if case.due == BAD:
        what = f"{case.choice.refused or case.given.kind}, told {case.told.kind}"
        raise FaultFoundError(f"accepted what is wrong: {what}")
    side = None if case.told.as_y else side
    plain = case.due == GOOD
    fitted = Fitted(case.entry, model, case.given, case.choice, side, plain, warned, case.rng)
    _check_map(fitted)
    return fitted


def _only_parameters(case: Case) -> bool:
    """Whether nothing but a parameter is wrong, so that the error must be about it."""
    return case.given.due == GOOD and case.told.due == GOOD


def _check_map(fitted: Fitted) -> None:
    model = fitted.model
    if not hasattr(model, "embedding_"):
        portrait(fitted, model)
        return
    Z = model.embedding_
    if not isinstance(Z, np.ndarray) or Z.dtype.kind != "f" or Z.ndim != 2:
        raise FaultFoundError(f"embedding_ is no table of numbers: {type(Z).__name__}")
    if Z.shape != (fitted.given.n, model.n_components_):
        raise FaultFoundError(f"embedding_ is {Z.shape} for {fitted.given.n} rows")
    left_out = getattr(model, "on_disconnected", "") == "largest" and "graph" in fitted.given.kind
    if not np.isfinite(Z).all() and not left_out:
        raise FaultFoundError("embedding_ is not finite")
    one_place = np.ptp(Z[np.isfinite(Z).all(axis=1)], axis=0).max(initial=0) == 0
    if one_place and not fitted.warned and fitted.given.kind not in ALL_THE_SAME:
        raise FaultFoundError("all rows are in one place, and nothing is said")
