"""From measured runs to ratios and goals: the arithmetic, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from benchmarks.row import OURS, Goal, Limit


@dataclass
class Runs:
    """All runs of one contender in one row.

    Parameters
    ----------
    seconds, megabytes : list of float
        One per run, on one thread.
    wall : list of float
        Seconds on the wall of runs with the default number of threads, as users have it.
    difference : float, optional
        Between its answer and ours, for our own between it and the optimum, as proven; None where
        there is no proof, and before it is known.
    tolerance : float
        Up to which answers agree.
    must_agree : bool
        Whether the row fails where they do not.
    failure : str
        Why there is no run, empty where there is one.
    """

    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    difference: float | None = None
    tolerance: float = 0.0
    must_agree: bool = True
    failure: str = ""

    @property
    def agrees(self) -> bool:
        """Whether its answer is ours, within the tolerance (a NaN is not)."""
        return self.difference is not None and self.difference <= self.tolerance

    def within(self, limit: Limit) -> bool:
        """Whether the runs took no more than they may, and gave what they must."""
        return (
            bool(self.seconds)
            and (self.difference is None or self.agrees)
            and (limit.seconds is None or median(self.seconds) <= limit.seconds)
            and (limit.worst is None or max(self.seconds) <= limit.worst)
            and (limit.megabytes is None or max(self.megabytes) <= limit.megabytes)
        )


@dataclass(frozen=True)
class Verdict:
    """One goal beside what was measured.

    Parameters
    ----------
    over : str
        The best peer that the goal is about.
    ratio : float
        Its median time over ours.
    goal : float, optional
        What the ratio should be at least; None where it is only shown.
    memory_ratio : float, optional
        Our median memory over that peer's; None where that took none to speak of.
    memory_goal : float, optional
        What that should be at most.
    """

    over: str
    ratio: float
    goal: float | None = None
    memory_ratio: float | None = None
    memory_goal: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, in time and memory; None where there is none."""
        if self.goal is None:
            return None
        fits = self.memory_goal is None or (
            self.memory_ratio is not None and self.memory_ratio <= self.memory_goal
        )
        return self.ratio >= self.goal and fits


def judge(runs: Mapping[str, Runs], goals: Sequence[Goal]) -> list[Verdict]:
    """Compare our median time with that of the best peer that each goal is about.

    Peers whose answer does not agree with ours do not count.

    Parameters
    ----------
    runs : dict of str to Runs
        By contender.
    goals : sequence of Goal
        Without any, one verdict about the best of all peers says what was measured.

    Returns
    -------
    list of Verdict
        None for a goal about peers that did not run or do not count.
    """
    if not runs[OURS].seconds:
        return []
    peers = {
        name: median(run.seconds)
        for name, run in runs.items()
        if name != OURS and run.seconds and run.agrees
    }
    verdicts = []
    for goal in goals or (None,):
        candidates = [name for name in peers if goal is None or name.startswith(goal.over)]
        if not candidates:
            continue
        best = min(candidates, key=peers.__getitem__)
        theirs = median(runs[best].megabytes)
        verdicts.append(
            Verdict(
                over=best,
                ratio=peers[best] / median(runs[OURS].seconds),
                goal=None if goal is None else goal.faster,
                memory_ratio=median(runs[OURS].megabytes) / theirs if theirs > 1 else None,
                memory_goal=None if goal is None else goal.memory,
            )
        )
    return verdicts


def disagreements(runs: Mapping[str, Runs]) -> list[str]:
    """Say which answers fail the row: those that must agree and do not, and ours if missing.

    Parameters
    ----------
    runs : dict of str to Runs
        By contender.

    Returns
    -------
    list of str
        One complaint each.
    """
    complaints = []
    for name, run in runs.items():
        if name == OURS:
            if run.failure:
                complaints.append(f"{name} failed: {run.failure}")
            elif run.difference is not None and not run.agrees:
                complaints.append(
                    f"{name} is proven to be within {run.difference} of the optimum, "
                    f"not within {run.tolerance:g}"
                )
        elif run.failure and run.must_agree:
            complaints.append(f"{name} failed: {run.failure}")
        elif run.difference is not None and run.must_agree and not run.agrees:
            complaints.append(
                f"{name} differs by {run.difference}, beyond the tolerance {run.tolerance:g}"
            )
    return complaints
