"""Sequences and images as overlapping patches, and back."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from sidelight.core import FloatArray


def read_signals(
    signals: Any, patch: tuple[int, ...], *, who: str, name: str = "X"
) -> list[FloatArray]:
    """One sequence or image, or a list of them, each (*place, channels)."""
    given = signals if are_several(signals) else [signals]
    if not given:
        raise ValueError(f"{who} got no sequence or image in {name}. Give at least one.")
    found = [_read(one, patch, who=who, name=name) for one in given]
    channels = sorted({one.shape[-1] for one in found})
    if len(channels) > 1:
        raise ValueError(
            f"{who} expects all sequences or images of {name} to have as many channels. "
            f"Got {channels}."
        )
    return found


def are_several(signals: Any) -> bool:
    """Whether it is a list of sequences or images, and not one of them as a list of numbers."""
    listed = isinstance(signals, (list, tuple))
    return listed and (not signals or np.ndim(signals[0]) > 0)


def _read(signal: Any, patch: tuple[int, ...], *, who: str, name: str) -> FloatArray:
    kind = "sequence" if len(patch) == 1 else "image"
    try:
        found = np.asarray(signal, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{who} expects {name} to hold {kind}s of numbers. {error}") from error
    if found.ndim == len(patch):
        found = found[..., None]
    if found.ndim != len(patch) + 1:
        shape = "(length,) or (length, channels)"
        shape = shape if len(patch) == 1 else "(height, width) or (height, width, channels)"
        raise ValueError(
            f"{who} expects {name} to be {kind}s of shape {shape}, or a list of them. "
            f"Got an array of shape {found.shape[: len(patch)] if found.ndim else ()}."
        )
    if any(size < part for size, part in zip(found.shape, patch, strict=False)):
        raise ValueError(
            f"{who} cuts patches of {patch}, and {name} holds a {kind} of {found.shape[:-1]}. "
            f"Take a smaller patch_size."
        )
    if not np.isfinite(found).all():
        raise ValueError(f"{who} expects {name} to be finite. It contains NaN or infinity.")
    return found


def cut(signal: FloatArray, patch: tuple[int, ...]) -> FloatArray:
    """The patch at every site, (sites, places of a patch × channels)."""
    axes = tuple(range(len(patch)))
    windows = np.lib.stride_tricks.sliding_window_view(signal, patch, axis=axes)
    # (sites, …, channels, patch, …): channels last
    windows = np.moveaxis(windows, len(patch), -1)
    return windows.reshape(math.prod(windows.shape[: len(patch)]), -1)


def laid(patches: FloatArray, place: tuple[int, ...], patch: tuple[int, ...]) -> FloatArray:
    """The mean of all patches that cover a place, (*place, channels)."""
    sites = tuple(size - part + 1 for size, part in zip(place, patch, strict=True))
    each = patches.reshape(*sites, *patch, -1)
    total, covered = np.zeros((*place, each.shape[-1])), np.zeros((*place, 1))
    for offset in product(*map(range, patch)):
        there = tuple(slice(o, o + s) for o, s in zip(offset, sites, strict=True))
        at: Any = (..., *offset, slice(None))
        total[there] += each[at]
        covered[there] += 1.0
    return total / covered
