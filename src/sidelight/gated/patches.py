"""Sequences and images as overlapping patches, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, of_moderate_size, row_blocks

#: An array of three dimensions is one image where its last axis is no longer than this: grey,
#: with an alpha channel, colours, colours with alpha.
_CHANNELS = 4


def read_signals(
    signals: Any,
    patch: tuple[int, ...],
    *,
    who: str,
    name: str = "X",
    channels_known: int | None = None,
) -> list[FloatArray]:
    """One sequence or image, or several of them, each (*place, channels).

    Several are a list, or an array with one axis more than one with channels has.
    """
    several = are_several(signals, patch)
    if not several and np.shape(signals)[-1:] != (channels_known,):
        _refuse_stack(signals, patch, who=who, name=name)
    given = list(signals) if several else [signals]
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


def are_several(signals: Any, patch: tuple[int, ...]) -> bool:
    """Whether it is several sequences or images, and not one of them as a list of numbers."""
    if isinstance(signals, (list, tuple)):
        return not signals or np.ndim(signals[0]) > 0
    return np.ndim(signals) == len(patch) + 2


def as_given(found: list[FloatArray], signals: Any, patch: tuple[int, ...]) -> Any:
    """What was made of them as they came: one, a list or an array; bare where channels were not."""
    several = are_several(signals, patch)
    bare = np.ndim(signals[0] if several else signals) == len(patch)
    found = [one[..., 0] if bare and one.shape[-1] == 1 else one for one in found]
    if not several:
        return found[0]
    return found if isinstance(signals, (list, tuple)) else np.stack(found)


def _refuse_stack(signals: Any, patch: tuple[int, ...], *, who: str, name: str) -> None:
    """Refuse what may be many grey images as well as one of many channels."""
    shape = np.shape(signals)
    if len(patch) == 2 and len(shape) == 3 and shape[2] > _CHANNELS:
        n, height, width = shape
        raise ValueError(
            f"{who} cannot tell whether {name} of shape {shape} holds {n} images of {height} × "
            f"{width} pixels or one of {n} × {height} with {width} channels. Give list({name}) or "
            f"{name}[..., None] for {n} images, [{name}] for one."
        )


def _read(signal: Any, patch: tuple[int, ...], *, who: str, name: str) -> FloatArray:
    kind, one = ("sequence", "a sequence") if len(patch) == 1 else ("image", "an image")
    try:
        given = np.asarray(signal)
        if np.iscomplexobj(given):
            raise ValueError("Got complex ones: give their real and imaginary parts as channels.")
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{who} expects {name} to hold {kind}s of numbers. {error}") from error
    if found.ndim == len(patch):
        found = found[..., None]
    if found.ndim != len(patch) + 1:
        shape = "(length,) or (length, channels)"
        shape = shape if len(patch) == 1 else "(height, width) or (height, width, channels)"
        raise ValueError(
            f"{who} expects {name} to be {kind}s of shape {shape}, or a list of them. "
            f"Got an array of shape {found.shape}."
        )
    if any(size < part for size, part in zip(found.shape, patch, strict=False)):
        raise ValueError(
            f"{who} cuts patches of {patch}, and {name} holds {one} of {found.shape[:-1]}. "
            f"Take a smaller patch_size."
        )
    if not np.isfinite(found).all():
        raise ValueError(f"{who} expects {name} to be finite. It contains NaN or infinity.")
    if not found.shape[-1]:
        raise ValueError(f"{who} expects {name} to have a channel at least. Got {found.shape}.")
    return np.asarray(of_moderate_size(found, who=who, name=name))


def sites_of(place: tuple[int, ...], patch: tuple[int, ...]) -> tuple[int, ...]:
    """How many patches there are along each axis."""
    return tuple(size - part + 1 for size, part in zip(place, patch, strict=True))


def cut(signal: FloatArray, patch: tuple[int, ...], chosen: IntArray | None = None) -> FloatArray:
    """The patch at every site, or at those chosen, (sites, places of a patch × channels)."""
    axes = tuple(range(len(patch)))
    windows = np.lib.stride_tricks.sliding_window_view(signal, patch, axis=axes)
    # (sites, …, channels, patch, …): channels last
    windows = np.moveaxis(windows, len(patch), -1)
    sites = windows.shape[: len(patch)]
    if chosen is None:
        return windows.reshape(math.prod(sites), -1)
    return windows[np.unravel_index(chosen, sites)].reshape(len(chosen), -1)


def mean_of_patches(
    signal: FloatArray,
    patch: tuple[int, ...],
    said: Callable[[FloatArray], FloatArray],
    bytes_per_patch: float,
) -> FloatArray:
    """The mean of what is said of all patches that cover a place, a band of sites at a time."""
    place = signal.shape[:-1]
    down, *across = sites_of(place, patch)
    total: Any = 0.0
    for sites in row_blocks(down, bytes_per_patch * math.prod(across)):
        rows = slice(sites.start, sites.stop + patch[0] - 1)
        band = signal[rows]
        summed = _added(said(cut(band, patch)), band.shape[:-1], patch)
        if not sites.start:
            total = np.zeros((*place, summed.shape[-1]))
        total[rows] += summed
    return np.asarray(total / _covered(place, patch)[..., None])


def _added(patches: FloatArray, place: tuple[int, ...], patch: tuple[int, ...]) -> FloatArray:
    """The sum of all patches that cover a place."""
    sites = sites_of(place, patch)
    each = patches.reshape(*sites, *patch, -1)
    total = np.zeros((*place, each.shape[-1]))
    for offset in product(*map(range, patch)):
        there = tuple(slice(o, o + s) for o, s in zip(offset, sites, strict=True))
        at: Any = (..., *offset, slice(None))
        total[there] += each[at]
    return total


def _covered(place: tuple[int, ...], patch: tuple[int, ...]) -> FloatArray:
    """How many patches cover each place."""
    total = np.ones(())
    for size, part in zip(place, patch, strict=True):
        along = np.convolve(np.ones(size - part + 1), np.ones(part))
        total = np.multiply.outer(total, along)
    return total
