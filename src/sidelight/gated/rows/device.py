"""Where a model computes: a graphics processor where torch has one, else the processor.

What is learned is kept in ordinary arrays; tensors go to the device and come back.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from sidelight.core import check_parameters
from sidelight.gated.units import Tensor

PROCESSOR = torch.device("cpu")
#: Of a field of a value: it is where it is now, and no part of a model file.
NOT_SAVED = {"saved": False}
#: The kinds of devices that are looked for where one is to be named.
_KINDS = ("cpu", "cuda", "xpu", "mps")


class _Device:
    """A device that torch has on this machine, by its name."""

    def admits(self, value: Any) -> bool:
        """Tell whether ``value`` is ``"auto"``, or names one that is here."""
        if not isinstance(value, str):
            return False
        if value == "auto":
            return True
        try:
            named = torch.device(value)
        except RuntimeError:  # no such kind
            return False
        return (named.index or 0) < _how_many(named.type)

    def __str__(self) -> str:
        there = [f"'{kind}'" for kind in _KINDS if _how_many(kind)]
        return f"'auto' or the name of a device that torch has here ({', '.join(there)})"


#: Where to compute, as a parameter.
DEVICE: dict[str, Any] = {"device": (_Device(),)}


def device_of(model: Any) -> torch.device:
    """Where an estimator computes, by its parameter ``device``.

    ``"auto"`` takes a graphics processor of the kind cuda alone: those of the kind mps have no
    double precision, and not all that is drawn here.
    """
    check_parameters(model, DEVICE)
    if model.device == "auto":
        return torch.device("cuda") if torch.cuda.is_available() else PROCESSOR
    return torch.device(model.device)


def generator_of(rng: np.random.Generator, device: torch.device = PROCESSOR) -> torch.Generator:
    """Draws of torch on a device, from those of numpy."""
    return torch.Generator(device).manual_seed(int(rng.integers(2**63)))


def array_of(t: Tensor) -> Any:
    """A tensor as an array, from wherever it is; from the processor in its own memory."""
    return t.cpu().numpy()


def in_double(t: Tensor) -> Any:
    """An array in double precision."""
    return np.asarray(array_of(t), dtype=np.float64)


def _how_many(kind: str) -> int:
    """Devices of a kind."""
    return int(getattr(getattr(torch, kind, None), "device_count", int)())
