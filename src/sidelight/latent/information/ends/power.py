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

from sidelight.core import FloatArray
from sidelight.estimator import Map
from sidelight.latent.information.ends.turns import taken_together
from sidelight.latent.information.followed import Followed
from sidelight.latent.information.path import Path

#: Maps at most, how near the logarithm of the power must come, and by how much λ changes at most.
_ROUNDS, _MET, _MOST = 40, 1e-5, np.log(10.0)


def with_power(
    begun: Followed, power: float, follow: Callable[[Path, FloatArray], Followed]
) -> Map:
    """Find the map of a power, from one of another."""
    found, taken = begun.map, [begun.map]
    h = float(found.facts["bandwidth_"])
    log_alpha, before = float(np.log(max(found.facts["alpha_"], 1e-12))), None
    for _ in range(_ROUNDS):
        assert found.points is not None
        off = float(np.log(max(power_of(found.points), 1e-300) / power))
        if abs(off) <= _MET:
            break
        # powers are about λ^−½ at first: a secant where two maps are known
        slope = -0.5
        if before is not None and log_alpha != before[0]:
            secant = (off - before[1]) / (log_alpha - before[0])
            slope = secant if secant < -1e-3 else slope
        before = (log_alpha, off)
        log_alpha -= float(np.clip(off / slope, -_MOST, _MOST))
        start = found.points * np.exp(-off / 2)
        found = follow(Path(np.array([h]), np.array([np.exp(log_alpha)])), start).map
        taken.append(found)
    assert found.points is not None
    return found.with_facts(**taken_together(taken))


def power_of(Z: FloatArray) -> float:
    """Measure tr(C_Z) = (1/N) Σ_a ‖z_a‖²."""
    return float(np.einsum("ij,ij->", Z, Z)) / len(Z)
