"""The path on which kernel information embedding unfolds: bandwidth and penalty shrink together.

At a large penalty all latent points coincide.  To second order in Z the objective is
tr ZᵀMZ − λ tr ZᵀZ, so that they leave the origin when λ falls below the largest eigenvalue of M,
along its eigenvectors: the path begins there, and needs no guess of a first λ or of a start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sidelight.core import FloatArray
from sidelight.latent.descending import Held
from sidelight.latent.information.penalties import Penalty, nothing_beside
from sidelight.solvers.descent import Continuation, Objective, Pace, follow
from sidelight.solvers.eigen import largest_eigenpairs

#: Latent points this close to the origin see the objective's second order alone.
_CLOSE = 1e-4
#: The first penalty, as a share of the largest one at which every dimension unfolds.
_FIRST = 0.9
#: The standard deviation that a start is brought to.
START_SPREAD = 0.1
#: How points glide on the way and in the last step, before it descends: gradients are those of a
#: sum over points, in the latent kernel's own unit, so that one rate serves all data.
_ON_THE_WAY, _ARRIVING = Pace(0.4, 0.8, 25), Pace(0.3, 0.95, 300)
#: Points that are left out of their own sums would swing at such steps, and end in a worse map.
_ARRIVING_LEFT_OUT = Pace(0.05, 0.95, 300)


class Information(Protocol):
    """Where the sums over pairs come from."""

    def kernel(self, bandwidth: float) -> Any:
        """Prepare the kernel values of the data."""
        ...

    def information(
        self, Z: FloatArray, K: Any, *, leave_one_out: bool = False
    ) -> tuple[float, FloatArray]:
        """Compute the objective without penalty and its gradient."""
        ...


@dataclass(frozen=True)
class Onset:
    """Where latent points leave the origin.

    Parameters
    ----------
    penalties : ndarray of shape (d,)
        The penalty λ below which each dimension unfolds, descending.
    directions : ndarray of shape (n, d)
        In which directions, of unit variance.
    """

    penalties: FloatArray
    directions: FloatArray


def find_onset(
    pairs: Information, K: Any, n: int, n_components: int, *, leave_one_out: bool, who: str
) -> Onset:
    """Find the leading eigenpairs of the objective's second derivative at the origin."""

    def second_derivative(block: FloatArray) -> FloatArray:
        length = max(float(np.abs(block).max()), 1e-300)
        gradient = pairs.information(_CLOSE / length * block, K, leave_one_out=leave_one_out)[1]
        return gradient * (length / (2 * _CLOSE))

    found = largest_eigenpairs(second_derivative, n_components, n=n, tol=1e-5, who=who)
    return Onset(found.values, found.vectors * np.sqrt(n))


@dataclass(frozen=True)
class Path:
    """Bandwidths and penalties, one of each per step.

    Parameters
    ----------
    bandwidths : ndarray of shape (n_steps,)
        h.
    penalties : ndarray of shape (n_steps,)
        λ.
    """

    bandwidths: FloatArray
    penalties: FloatArray

    @classmethod
    def between(
        cls,
        first: tuple[float, float],
        last: tuple[float, float],
        n_steps: int,
        *,
        arrival: float = 0.004,
    ) -> Path:
        """Lay a geometric path, on which the bandwidth arrives first."""
        floor = max(last[1], 1e-4 * first[1])
        penalties = np.geomspace(first[1], floor, n_steps)
        # the bandwidth keeps step with the penalty, however far that is to shrink
        fallen = np.log(first[1] / penalties)
        way = fallen / min(max(fallen[-1], 1e-12), np.log(1 / arrival))
        h = first[0] * (last[0] / first[0]) ** np.minimum(way, 1.0)
        h[-1], penalties[-1] = last
        return cls(h, penalties)

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return len(self.bandwidths)

    def objectives(
        self,
        pairs: Information,
        shape: tuple[int, ...],
        penalty: Penalty,
        *,
        leave_one_out: bool,
        from_step: int = 0,
        beside: Penalty = nothing_beside,
    ) -> Callable[[int], Objective]:
        """Make the objective of every step: λ Σ ω(z_a) − Σ log P_a / Q_a, to be lowered.

        ``beside`` is a term that every step has in full.  Points are left out of their own sums
        from a step on.
        """
        kernels: dict[float, Any] = {}

        def objective_at(step: int) -> Objective:
            h, weight = float(self.bandwidths[step]), float(self.penalties[step])
            if h not in kernels:
                kernels.clear()
                kernels[h] = pairs.kernel(h)
            K = kernels[h]
            alone = leave_one_out and step >= from_step

            def value_and_gradient(x: FloatArray) -> tuple[float, FloatArray]:
                Z = x.reshape(shape)
                gained, rise = pairs.information(Z, K, leave_one_out=alone)
                paid, slope = penalty(Z)
                more, lift = beside(Z)
                return weight * paid - gained + more, (weight * slope - rise + lift).ravel()

            return value_and_gradient

        return objective_at

    def follow(
        self,
        pairs: Information,
        start: FloatArray,
        penalty: Penalty,
        *,
        leave_one_out: bool,
        first: int,
        max_iter: int,
        tol: float,
        judge: Callable[[float, FloatArray], float] | None,
        who: str,
        beside: Penalty = nothing_beside,
        held: Held | None = None,
        aside: FloatArray | None = None,
    ) -> Continuation:
        """Let latent points unfold along the path, gliding: to one map on every processor.

        Points are left out of their own sums in the last step alone: far from all others they are
        then held by the nearest as if by a stiff spring, and would swing on the way.  Which is the
        nearest is a choice with very many optima: that step is reproducible.  Those that are
        ``held`` where anchors go are moved there first, alone or with the others around them.
        Without them all step ``aside`` before every step of the path.
        """

        def judged(step: int, x: FloatArray) -> float:
            assert judge is not None
            return judge(float(self.bandwidths[step]), x.reshape(start.shape))

        last = _ARRIVING_LEFT_OUT if leave_one_out else _ARRIVING
        objective_at = self.objectives(
            pairs,
            start.shape,
            penalty,
            leave_one_out=leave_one_out,
            from_step=self.n_steps - 1,
            beside=beside,
        )
        if held is not None:
            bent = held.bent(start)
            start = held.best(objective_at(first), (start.ravel(), bent.ravel())).reshape(
                bent.shape
            )
        glides = self.n_steps > 1 or leave_one_out or held is not None
        return follow(
            objective_at if held is None else lambda step: held.hold(objective_at(step)),
            self.n_steps,
            start.ravel(),
            first=first,
            max_iter=max_iter,
            final_max_iter=max_iter,
            paces=(_ON_THE_WAY, last) if glides else None,
            reproducible=leave_one_out,
            aside=None if aside is None or held is not None else aside.ravel(),
            tol=tol,
            judge=None if judge is None else judged,
            stage="the unfolding of latent points" + " beside anchors" * (held is not None),
            who=who,
        )


def first_penalty(onset: Onset, last: float) -> float:
    """Choose the penalty at which a path begins: just before every dimension has unfolded."""
    return max(_FIRST * float(onset.penalties[-1]), last, 1e-12)
