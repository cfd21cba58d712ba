"""The descent of a neighbour embedding: the pace at which its points move.

First the pulls are exaggerated, and clusters form in a map that is still small; then they are not,
and it unfolds.  Steps are longest when it begins to unfold, and shrink steadily to where it rests.

What unfolds is smooth, and momentum carries it: a map of many points comes farther with more of it
in fewer steps.  In a map of few points it tears what belongs together.

There are no gains of single coordinates, as are common: what a mesh makes of a force flickers from
step to step, gains take that for a sign of too long steps, and the map stays behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sidelight.core import BoolArray, FloatArray, IntArray, Interruption, counted, report
from sidelight.latent.neighbor_embedding.descent.springs import Springs
from sidelight.latent.neighbor_embedding.divergence import LEAST, Divergence, Forces, cuts
from sidelight.latent.neighbor_embedding.order import morton_order, reordered
from sidelight.latent.neighbor_embedding.repulsion import single_field
from sidelight.solvers.eigen import column_signs

#: Fewer rows fit into a cache in any order.
_FEW = 20_000
#: Steps between looks at the objective, and between reports.
_LOOK, _REPORT = 50, 10
#: How many steps, for each one before, a map settles in around what is held, and how long they are.
_SETTLING, _SETTLING_RATE = 4 / 7, 4.0
_NONE: IntArray = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Course:
    """How long points are on their way, and what carries them.

    Parameters
    ----------
    steps, early : int
        In all, and of these with exaggerated pulls.
    momentum, last_momentum : float
        When the map begins to unfold, and at the end.
    """

    steps: int
    early: int
    momentum: float
    last_momentum: float


#: Set on digits, patches of photographs, faces and textures, clusters, counts, a roll and clouds,
#: forty sets of 200 to 9,000 rows; the first loses 0.001 of the area under R_NX to 500 steps with
#: a momentum of 0.9 and no more than 0.004 on any set, the second gains as much.  With more
#: momentum from the beginning maps of fewer points lose up to 0.02.
OF_FEW, OF_MANY, MANY = Course(350, 100, 0.9, 0.97), Course(300, 100, 0.95, 0.95), 1_500


@dataclass(frozen=True)
class Pace:
    """How the points move.

    Steps are in units of n/4 times the gradient, where they do not depend on n.  The rates were
    set on digits 3,000 to 7,000 of MNIST, scikit-learn's 1,797 digits and 700 cells.

    Parameters
    ----------
    max_iter : int
        Steps in all.
    early : int
        Steps with exaggerated pulls, at first.
    early_exaggeration, exaggeration : float
        By how much, and what is left of it after them.
    early_rate, rate, last_rate : float
        The length of a step times the exaggeration: at first, when the map begins to unfold, and
        at the end.
    early_momentum, momentum, last_momentum : float
        The share of a step that is kept in the next one, at the same times.
    longest : float
        No step is longer.
    steady : float
        No rate is above this one (:func:`steady_rate`).
    """

    max_iter: int = OF_FEW.steps
    early: int = OF_FEW.early
    early_exaggeration: float = 12.0
    exaggeration: float = 1.0
    early_rate: float = 1.0
    rate: float = 8.0
    last_rate: float = 1.0
    early_momentum: float = 0.9
    momentum: float = OF_FEW.momentum
    last_momentum: float = OF_FEW.last_momentum
    longest: float = 5.0
    steady: float = np.inf

    @classmethod
    def of(cls, n: int, max_iter: int | None = None, **others: float) -> Pace:
        """The pace of n points; in so many steps, or in as many as they need."""
        course = OF_FEW if n <= MANY else OF_MANY
        steps = course.steps if max_iter is None else max_iter
        carried = {"momentum": course.momentum, "last_momentum": course.last_momentum}
        return cls(steps, course.early * steps // course.steps, **carried, **others)

    def settling(self) -> Pace:
        """The pace at which a finished map settles around what is held in it."""
        steps, still = max(1, int(_SETTLING * self.max_iter)), self.early_momentum
        told = {"rate": _SETTLING_RATE, "momentum": still, "last_momentum": still}
        return replace(self, max_iter=steps, early=0, **told)

    def at(self, step: int) -> tuple[float, float, float]:
        """The exaggeration, the length of a step and the momentum."""
        if step < self.early:
            length = min(self.early_rate, self.steady) / self.early_exaggeration
            return self.early_exaggeration, length, self.early_momentum
        done = (step - self.early) / max(self.max_iter - self.early, 1)
        rate = min(self.rate + (self.last_rate - self.rate) * done, self.steady)
        momentum = self.momentum + (self.last_momentum - self.momentum) * done
        return self.exaggeration, rate / self.exaggeration, momentum


def steady_rate(dof: float, load: float) -> float:
    """8 max(ν⁻³, 1/8) min(1, 2/m)^{1 − 1/ν} of ν > 1, m = n max_i Σ_j P_ij: where points rest.

    A pull P_ij (1 + s/ν)^{−1} slackens with the gap s where tails are heavy.  Where they are not it
    is a spring, and points that share a step of rate r and keep 0.9 of it come to rest while
    r λ < 3.8, λ ≤ 2m.  Beyond, they are thrown so far that they do not come back.  Between ν = 1
    and ∞ the powers were set on digits 1,000 to 1,179 of scikit-learn's: a rate of 4 is steady at
    ν = 1.5 and 2, of 2 at 3, of 1 at 10 and ∞.
    """
    return float(8.0 * max(dof**-3.0, 0.125) * min(1.0, 2.0 / load) ** (1.0 - 1.0 / dof))


@dataclass(frozen=True)
class Moving:
    """Points on their way.

    Parameters
    ----------
    Y, velocity : ndarray of shape (n, d)
        Where they are, and their last step.
    step : int
        How many they have made.
    order : ndarray of shape (n,), optional
        The order in which they lie in memory, and are added up.
    """

    Y: FloatArray
    velocity: FloatArray
    step: int
    order: IntArray | None = None

    @classmethod
    def at_rest(cls, Y: FloatArray) -> Moving:
        """Points that have not moved yet."""
        return cls(Y, np.zeros_like(Y), 0)


@dataclass(frozen=True)
class Layout:
    """Where a descent ended.

    Parameters
    ----------
    Y : ndarray of shape (n, d)
        The points, centred, signs by the one rule; where some are pinned, as they are.
    facts : dict
        ``objective_``, ``gradient_norm_``, ``history_``, ``n_iter_``.
    left : Moving, optional
        Where it was interrupted.
    """

    Y: FloatArray
    facts: dict[str, object]
    left: Moving | None


def lay_out(
    divergence: Divergence,
    start: Moving,
    pace: Pace,
    *,
    pinned: IntArray = _NONE,
    springs: Springs | None = None,
    show: Callable[[FloatArray], FloatArray] = lambda Y: Y,
    who: str,
) -> Layout:
    """Move the points from where they are until the last step; those that are pinned stay.

    Springs pull as well, or hold; the objective does not count them.

    ``show`` turns points on their way into the map that listeners are shown.
    """
    swarm = Swarm(divergence, start, pinned, springs)
    sorted_at = {pace.early // 5, pace.early} - {0}
    if start.order is None and start.step:
        sorted_at.add(start.step)
    step, history = start.step, []
    with Interruption() as interruption:
        while step < pace.max_iter:
            if step in sorted_at:
                swarm.sort()
            forces = swarm.forces()
            if step % _LOOK == 0:
                history.append(swarm.value(forces))
            if step % _REPORT == 0:
                value = history[-1] if history else None
                report(
                    "neighbour embedding", step, pace.max_iter, value, lambda: show(swarm.points)
                )
            swarm.advance(forces, *pace.at(step), pace)
            step += 1
            until = min(-(-step // _REPORT) * _REPORT, pace.max_iter)
            if swarm.in_one_go:
                swarm.make_steps(range(step, until), pace)
                step = until
    if interruption:
        if step == start.step:
            interruption.go_on()
        interruption.warn(
            f"{who} was interrupted after {step} of {counted(pace.max_iter, 'step')}; the map so "
            f"far is kept.",
            stacklevel=3,
        )
    forces = swarm.own_forces()
    history.append(swarm.value(forces))
    facts = {
        "objective_": history[-1],
        "gradient_norm_": float(np.linalg.norm(forces.gradient[swarm.free])),
        "history_": np.array(history),
        "n_iter_": step,
    }
    left = Moving(swarm.points, swarm.steps, step, swarm.order) if interruption else None
    as_they_are = len(pinned) or start.step >= pace.max_iter  # they were settled when they ended
    return Layout(swarm.points if as_they_are else _settled(swarm.points), facts, left)


class Swarm:
    """Points that move, in an order of their own: those that are near lie near in memory.

    Parameters
    ----------
    divergence : Divergence
        What moves them.
    start : Moving
        Where they are.
    pinned : ndarray
        Those that stay.
    springs : Springs, optional
        Between some of them.
    """

    def __init__(
        self, divergence: Divergence, start: Moving, pinned: IntArray, springs: Springs | None
    ) -> None:
        self.divergence = divergence
        self._Y, self._velocity = start.Y.copy(), start.velocity.copy()
        self._graph, self._order = divergence.affinities.graph, np.arange(len(start.Y))
        self._fixed = np.zeros(len(start.Y), dtype=np.bool_)
        self._fixed[pinned] = True
        self._springs = springs
        if start.order is not None:
            self._put(start.order)

    @property
    def order(self) -> IntArray | None:
        """The order of the points, where it is another than that in which they were given."""
        return self._order if len(self._Y) > _FEW else None

    def sort(self) -> None:
        """Sort the points by where they are, if they are too many for any order to do."""
        if len(self._Y) > _FEW:
            self._put(morton_order(self._Y))

    def _put(self, order: IntArray) -> None:
        self._graph, self._order = reordered(self._graph, order), self._order[order]
        self._Y, self._velocity = self._Y[order], self._velocity[order]
        self._fixed = self._fixed[order]
        if self._springs is not None:
            self._springs = self._springs.taken_to(np.argsort(order))

    @property
    def free(self) -> BoolArray:
        """Which of the points may move."""
        return ~self._fixed

    def own_forces(self) -> Forces:
        """What acts on the points by the objective alone."""
        return self.divergence.forces(self._Y, self._graph)

    def forces(self) -> Forces:
        """What acts on the points."""
        forces = self.own_forces()
        if self._springs is not None and not self._springs.rigid:
            self._springs.add_pulls(self._Y, forces.pulls)
        return forces

    def value(self, forces: Forces) -> float:
        """The objective."""
        return self.divergence.value(self._Y, forces.Z, self._graph)

    def advance(
        self, forces: Forces, exaggeration: float, rate: float, momentum: float, pace: Pace
    ) -> None:
        """Make one step."""
        from sidelight.latent.neighbor_embedding._pairs_compiled import advance

        n = len(self._Y)
        lengths = (rate * exaggeration, 0.5 * rate * n / forces.Z, momentum, pace.longest)
        told = (self._Y, forces.pulls, forces.slopes, lengths, self._fixed, self._velocity)
        self.divergence.pool.run([(advance, (*told, s.start, s.stop)) for s in cuts(n)])
        if self._springs is not None and self._springs.rigid:
            self._springs.hold(self._Y, self._velocity)

    @property
    def in_one_go(self) -> bool:
        """Whether steps can be made without looking at each: of few points that nothing holds."""
        field_of: Any = self.divergence.field_of
        return self._springs is None and field_of is single_field

    def make_steps(self, steps: range, pace: Pace) -> None:
        """Make several steps as ``forces`` and ``advance`` do, in compiled code."""
        from sidelight.latent.neighbor_embedding.descent._steps_compiled import make_steps

        n, graph = len(self._Y), self._graph
        paces = [pace.at(step) for step in steps]
        lengths = [(rate * more, 0.5 * rate * n, momentum) for more, rate, momentum in paces]
        if lengths:
            edges = (graph.indptr, graph.indices, graph.data)
            bounds = (LEAST, pace.longest)
            make_steps(edges, self._Y, self._velocity, self._fixed, np.array(lengths), bounds)

    @property
    def points(self) -> FloatArray:
        """Where the points are, in the order in which they were given."""
        return self._as_given(self._Y)

    @property
    def steps(self) -> FloatArray:
        """Their last steps, in that order."""
        return self._as_given(self._velocity)

    def _as_given(self, values: FloatArray) -> FloatArray:
        given = np.empty_like(values)
        given[self._order] = values
        return given


def _settled(Y: FloatArray) -> FloatArray:
    """Points around the origin, signs by the one rule, to the same bits everywhere."""
    from sidelight.latent.neighbor_embedding._pairs_compiled import total

    Y = Y - np.array([total(column) / len(Y) for column in Y.T])
    return np.asarray(Y * column_signs(Y))
