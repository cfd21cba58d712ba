"""What one line of the table is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: The contender that the others are compared with.
OURS = "sidelight"


@dataclass(frozen=True)
class Problem:
    """The data that a contender is given.

    Parameters
    ----------
    X : ndarray
        Rows, or a table of distances.
    truth : ndarray, optional
        Where the points really are, for data made from a map.
    gamma : float
        Of kernels, the same for all.
    labels : ndarray, optional
        The classes of the rows, by which maps are judged; contenders do not see them.
    """

    X: Array
    truth: Array | None = None
    gamma: float = 1.0
    labels: Array | None = None

    def write(self, path: Path) -> None:
        """Write it to a file, for the processes of all contenders."""
        np.savez(path, **{name: value for name, value in vars(self).items() if value is not None})

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read it from such a file."""
        with np.load(path, allow_pickle=False) as found:
            fields = dict(found)
        return cls(**fields | {"gamma": float(fields["gamma"])})


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    Parameters
    ----------
    run : callable
        Takes the problem and gives the answer; this call is what is measured.
    prepare : callable, optional
        Takes the problem before the clock starts; what it gives is the second argument of ``run``.
    package : str, optional
        Must be there; where it is not, the contender is left out, loudly.
    slow : bool
        Measured once, and once only where several rows ask the same of it.
    must_agree : bool
        A peer that need not agree is one that trades accuracy for speed: where its answer is off
        by more than the tolerance it is shown, but no peer.
    tolerance : float, optional
        Instead of the row's.
    """

    run: Callable[..., Array]
    package: str | None = None
    slow: bool = False
    must_agree: bool = True
    tolerance: float | None = None
    prepare: Callable[[Problem], Any] | None = None

    def ready(self, problem: Problem) -> Callable[[], Array]:
        """Do what is not measured, and give the call that is."""
        if self.prepare is None:
            return partial(self.run, problem)
        return partial(self.run, problem, self.prepare(problem))


@dataclass(frozen=True)
class Goal:
    """How much less time (and memory) the work is to take.

    Parameters
    ----------
    faster : float
        At least this many times less time.
    over : str, optional
        The beginning of the names of the peers meant; by default all.  The best of them counts.
    memory : float, optional
        At most this share of that peer's memory.
    """

    faster: float
    over: str = ""
    memory: float | None = None


@dataclass(frozen=True)
class Limit:
    """What the work may take, where no peer can do it.

    Parameters
    ----------
    seconds : float, optional
        The median of the runs, at most.
    worst : float, optional
        Every run, at most.
    megabytes : float, optional
        Every run, at most.
    """

    seconds: float | None = None
    worst: float | None = None
    megabytes: float | None = None


@dataclass(frozen=True)
class Row:
    """One line of the table: a piece of work on one data set.

    Parameters
    ----------
    name : str
        ``work/data``, unique.
    work : str
        For readers.
    data : callable
        Makes the problem of a given size, the same every time; where there are several draws, it
        also takes which.
    size, small, warm : int
        Rows of data: in the full run, in the small run, and of the problem solved before the
        clock starts (from 2,000 rows on the same compiled code serves all sizes).
    contenders : dict of str to Contender
        Ours is named ``"sidelight"``.
    compare : callable
        Takes the problem, our answer and a peer's; says by how much they differ.
    tolerance : float
        Answers that differ by no more agree.
    goals : tuple of Goal
        None: the row is shown and not judged.
    limit : Limit, optional
        Of our own time and memory, for work that no peer can do.
    certificate : callable, optional
        Takes the problem and our answer; says how far from the optimum it is proven to be at most.
    certified : float
        What that may be.
    draws : int
        Of random data: every one is measured once, instead of one of them several times.  For
        rows without peers.
    real_data : str, optional
        A data set without which the row cannot run.
    clock : {"cpu", "wall"}
        What is measured.
    small_tolerance : float, optional
        Instead of the tolerance, in the small run: few rows tell less.
    all_threads : bool
        Whether contenders may use all cores, as users let them; for the clock on the wall.
    """

    name: str
    work: str
    data: Callable[..., Problem]
    size: int
    small: int
    contenders: Mapping[str, Contender]
    compare: Callable[[Problem, Array, Array], float]
    tolerance: float
    warm: int = 2100
    goals: tuple[Goal, ...] = ()
    limit: Limit | None = None
    certificate: Callable[[Problem, Array], float] | None = None
    certified: float = 0.0
    draws: int = 1
    real_data: str | None = None
    clock: str = field(default="cpu")
    small_tolerance: float | None = None
    all_threads: bool = False

    @property
    def data_name(self) -> str:
        """The part of the name after the slash."""
        return self.name.partition("/")[2]

    def problem(self, size: int, draw: int = 0) -> Problem:
        """Make the problem of a given size."""
        return self.data(size, draw) if draw else self.data(size)

    def tolerance_for(self, contender: str, *, small: bool = False) -> float:
        """How far off this contender's answer may be: ours from the optimum, theirs from ours."""
        if contender == OURS:
            return self.certified
        if small and self.small_tolerance is not None:
            return self.small_tolerance
        own = self.contenders[contender].tolerance
        return self.tolerance if own is None else own


def no_answer(problem: Problem, ours: Array, theirs: Array) -> float:
    """Compare nothing, where there is no answer but the time taken."""
    return 0.0 * float(np.sum(ours) + np.sum(theirs))
