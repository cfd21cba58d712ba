"""A graphics processor that is none: tensors are marked, computed with as ever, and kept apart.

What is made on the device or computed from what is there is there; the rest is on the processor.
As on a real one, tensors of both do not meet (but for single numbers), an array is had of neither
without going by way of the processor, and draws need a generator of the device.
"""

from __future__ import annotations

from contextlib import contextmanager

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

GPU, PROCESSOR = torch.device("cuda"), torch.device("cpu")


class OffDeviceError(AssertionError):
    """A tensor where it should not be."""


class Marked:
    """The memory that is on the device; it is held, so that none is used again and mistaken."""

    def __init__(self):
        self._held = {}
        self.computed, self.copying = 0, False

    def add(self, t):
        storage = t.untyped_storage()
        self._held[storage._cdata] = storage
        return t

    def copied(self, made, device):
        """What is made on the processor, in memory of its own, on a device."""
        self.copying = True
        try:
            copied = made().detach().clone()
        finally:
            self.copying = False
        return self.add(copied) if device == GPU else copied

    def holds(self, t):
        return t.untyped_storage()._cdata in self._held


class _Generator(torch.Generator):
    on = PROCESSOR

    def __new__(cls, device=PROCESSOR):
        made = super().__new__(cls)
        made.on = torch.device(device)
        return made

    def __init__(self, device=PROCESSOR):
        pass


class _Computing(TorchDispatchMode):
    """Operations: all of their tensors are in one place, and so is what comes of them."""

    def __init__(self, marked):
        super().__init__()
        self.marked = marked

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.marked.copying:
            return func(*args, **kwargs)
        met = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        there = [self.marked.holds(t) for t in met]
        apart = [t for t, on in zip(met, there, strict=True) if not on and t.dim()]
        if any(there) and apart:
            raise OffDeviceError(f"{func} of tensors on both: {[tuple(t.shape) for t in met]}")
        found = func(*args, **kwargs)
        if any(there):
            self.marked.computed += 1
            for t in tree_leaves(found):
                if isinstance(t, torch.Tensor):
                    self.marked.add(t)
        return found


class _Placing(TorchFunctionMode):
    """Calls that say where: they are done on the processor, and marked."""

    def __init__(self, marked):
        super().__init__()
        self.marked = marked

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs, marked = dict(kwargs or {}), self.marked
        if func == torch.Tensor.device.__get__:
            return GPU if marked.holds(args[0]) else PROCESSOR
        if func is torch.Tensor.cpu:
            return self._to(args[0], PROCESSOR)
        if func is torch.Tensor.to and len(args) == 2 and isinstance(args[1], torch.device):
            return self._to(args[0], args[1])
        if func in (torch.Tensor.numpy, torch.Tensor.__array__) and marked.holds(args[0]):
            raise OffDeviceError("an array of what is on the device")
        given = [t for t in tree_leaves(args) if isinstance(t, torch.Tensor)]
        on = GPU if any(map(marked.holds, given)) else PROCESSOR
        device = torch.device(kwargs.pop("device", None) or on)
        draws = kwargs.get("generator")
        if draws is not None and draws.on != device:
            raise OffDeviceError(f"{func.__name__} on {device} with a generator of {draws.on}")
        if device == on:
            return func(*args, **kwargs)
        return marked.copied(lambda: func(*args, **kwargs), GPU)

    def _to(self, t, device):
        if (device == GPU) == self.marked.holds(t):
            return t
        return self.marked.copied(lambda: t, device)


@contextmanager
def fake_gpu(monkeypatch):
    """Let torch have a graphics processor; give what is marked as being there."""
    marked = Marked()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch, "Generator", _Generator)
    with _Computing(marked), _Placing(marked):
        yield marked
