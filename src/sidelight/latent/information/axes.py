"""Which of the maps that an objective cannot tell apart is shown, and whether there is one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, counted
from sidelight.solvers.eigen import ONE_LENGTH, fix_signs, settled_axes

#: Latent points closer together than this have collapsed.
_COLLAPSED = 1e-3


def on_axes(Z: FloatArray, penalty: Any) -> FloatArray:
    """Turn a map onto its principal axes, as far as the penalty allows."""
    if callable(penalty):
        return Z
    if penalty == "l4":
        spread = Z.std(axis=0)
        parts = np.round(spread / max(float(spread.max()), 1e-300) / ONE_LENGTH)
        return fix_signs(Z[:, np.argsort(-parts, kind="stable")])
    return fix_signs(Z @ settled_axes(Z - Z.mean(axis=0)))


def on_own_axes(Z: FloatArray, groups: IntArray | None, penalty: Any) -> FloatArray:
    """Turn the map of every group onto its own axes: what compares none of them leaves all free."""
    if groups is None:
        return on_axes(Z, penalty)
    turned = Z.copy()
    for group in range(int(groups.max()) + 1):
        rows = groups == group
        turned[rows] = on_axes(Z[rows], penalty)
    return turned


def warn_if_collapsed(Z: FloatArray, alpha: float, onset: float | None, who: str) -> None:
    """Say so where the penalty left nothing of the map, or not all of its dimensions."""
    spread = Z.std(axis=0)
    if spread.max() < _COLLAPSED:
        why = "nothing is left of the items beside the known factor"
        if onset is not None:
            why = f"too near to or above the penalty {onset:.2g} at which they begin to unfold"
        warnings.warn(
            f"All latent points of {who} coincide at alpha={alpha:g}: {why}. Lower alpha.",
            UserWarning,
            stacklevel=3,
        )
    elif spread.min() < _COLLAPSED:
        flat = int((spread < _COLLAPSED).sum())
        warnings.warn(
            f"{flat} of the {counted(len(spread), 'dimension')} of the map of {who} lie flat at "
            f"alpha={alpha:g}. Lower alpha, or ask for {counted(len(spread) - flat, 'component')}.",
            UserWarning,
            stacklevel=3,
        )
