"""A map of given power: tr(C_Z) ≤ r as a constraint (latent-factor thesis, eq. 3.21).

    max_Z Î(Y; Z)  over  tr(C_Z) = (1/N) Σ_a ‖z_a‖² ≤ r

More room is never worth less (the objective grows as points move apart), so that the constraint is
met with equality, and ∇Î = (2λ/N) Z with its multiplier λ: the map is one of the penalised
objective, at the λ whose map has the power r.  Powers fall as λ grows; λ is found by the secant of
their logarithms, each map from where the last one ended.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import FloatArray, warn
from sidelight.estimator import Map
from sidelight.latent.information.ends.turns import in_turns
from sidelight.latent.information.followed import Followed
from sidelight.latent.information.path import Path

#: Maps at most, how near the logarithm of the power must come, and by how much λ changes at most.
_ROUNDS, _MET, _MOST = 40, 1e-5, np.log(10.0)


def with_power(
    begun: Followed, power: float, follow: Callable[[Path, FloatArray], Followed], *, who: str
) -> Map:
    """Find the map of a power, from one of another."""
    h = float(begun.map.facts["bandwidth_"])
    log_alpha = float(np.log(max(begun.map.facts["alpha_"], 1e-12)))
    before: tuple[float, float] | None = None

    def turn(found: Map) -> Followed | None:
        nonlocal log_alpha, before
        assert found.points is not None
        off = _beyond(found, power)
        if abs(off) <= _MET:
            return None
        # powers are about λ^−½ at first: a secant where two maps are known
        slope = -0.5
        if before is not None and log_alpha != before[0]:
            secant = (off - before[1]) / (log_alpha - before[0])
            slope = secant if secant < -1e-3 else slope
        before = (log_alpha, off)
        log_alpha -= float(np.clip(off / slope, -_MOST, _MOST))
        start = found.points * np.exp(-off / 2)
        return follow(Path(np.array([h]), np.array([np.exp(log_alpha)])), start)

    last, stopped = in_turns(begun, _ROUNDS, turn, who=who)
    if not stopped and abs(_beyond(last, power)) > _MET:
        warn(
            f"The map of {who} has a power of {power * np.exp(_beyond(last, power)):.4g} and not "
            f"power={power:g} after {_ROUNDS} rounds: its power jumps as the multiplier changes, "
            f"or max_iter is too small. Give another power, or raise max_iter.",
            ConvergenceWarning,
        )
    return last


def _beyond(found: Map, power: float) -> float:
    """The logarithm of the power of a map, relative to that which is wanted."""
    assert found.points is not None
    return float(np.log(max(power_of(found.points), 1e-300) / power))


def power_of(Z: FloatArray) -> float:
    """Measure tr(C_Z) = (1/N) Σ_a ‖z_a‖²."""
    return float(np.einsum("ij,ij->", Z, Z)) / len(Z)
