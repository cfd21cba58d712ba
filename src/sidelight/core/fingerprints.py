"""A short name for what something says, so that it is known again without being kept."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from sidelight.core.arrays import is_sparse

_PARTS_OF_SPARSE = ("data", "indices", "indptr", "shape")


def fingerprint(value: Any) -> str:
    """Name a value by its content.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint([np.arange(3), "a"]) == fingerprint([np.arange(3), "a"])
    True
    >>> fingerprint(np.arange(3)) == fingerprint(np.arange(4))
    False
    """
    digest = hashlib.sha256()
    _read(value, digest)
    return digest.hexdigest()


def _read(value: Any, digest: Any) -> None:
    digest.update(type(value).__name__.encode() + b"(")
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        # a large table is not copied
        flat = np.ascontiguousarray(value).reshape(-1)
        digest.update(flat.view(np.uint8) if flat.dtype.kind in "biuf" else flat.tobytes())
    elif isinstance(value, (list, tuple, np.ndarray)):
        for part in value:
            _read(part, digest)
    elif isinstance(value, dict):
        for key in sorted(value):
            _read([key, value[key]], digest)
    elif is_sparse(value):
        rows = value.tocsr()
        _read([getattr(rows, part) for part in _PARTS_OF_SPARSE], digest)
    elif is_dataclass(value):
        _read([getattr(value, part.name) for part in fields(value)], digest)
    else:
        digest.update(repr(value).encode())
    digest.update(b")")
