"""An estimator as a tree of plain values: what JSON can say, and numbered arrays for the rest.

A number, a text, a truth value, nothing, and lists of them are themselves.  Everything else is an
object whose key ``"is"`` says what it is.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from sidelight.io.model.archive import PLAIN_KINDS
from sidelight.io.model.state import state_of
from sidelight.io.model.tags import saved_fields, tag_of
from sidelight.registry import SAVED

SPARSE_FORMATS = ("csr", "csc")


class Encoder:
    """Turn values into a tree, collecting the arrays on the way.

    An array that is reached twice is kept once.

    Attributes
    ----------
    arrays : list of ndarray
        The arrays, in the order of their numbers.
    """

    def __init__(self) -> None:
        self.arrays: list[npt.NDArray[Any]] = []
        # the arrays themselves are kept beside their numbers, so that no id is used again
        self._numbers: dict[int, tuple[int, npt.NDArray[Any]]] = {}

    def node(self, value: Any, where: str) -> Any:
        """Encode one value."""
        if isinstance(value, np.generic):
            self._check_kind(value.dtype, where)
            return {"is": "scalar", "dtype": value.dtype.str, "bytes": value.tobytes().hex()}
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"is": "float", "value": repr(value)}
        if isinstance(value, list):
            return [self.node(item, where) for item in value]
        if isinstance(value, tuple):
            return {"is": "tuple", "items": [self.node(item, where) for item in value]}
        if isinstance(value, dict):
            return self._dict(value, where)
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sp.issparse(value):
            return self._sparse(value, where)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value, where)
        if is_estimator(value):
            return self._estimator(value)
        raise TypeError(_refusal(value, where))

    def _dict(self, value: dict[Any, Any], where: str) -> dict[str, Any]:
        for key in value:
            if not isinstance(key, str):
                raise TypeError(
                    f"A model file cannot hold {where}: a dict whose key {key!r} is not a string."
                )
        return {"is": "dict", "items": {k: self.node(v, where) for k, v in value.items()}}

    def _array(self, value: npt.NDArray[Any], where: str) -> dict[str, Any]:
        if value.dtype == object and all(isinstance(item, str) for item in value.flat):
            # scikit-learn keeps the names of columns so
            return {"is": "strings", "shape": list(value.shape), "items": list(value.flat)}
        self._check_kind(value.dtype, where)
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"A model file cannot hold {where}: a masked array.")
        return {"is": "array", "number": self._number(value)}

    def _number(self, value: npt.NDArray[Any]) -> int:
        known = self._numbers.get(id(value))
        if known is None:
            known = (len(self.arrays), value)
            self._numbers[id(value)] = known
            self.arrays.append(_contiguous(np.asarray(value)))
        return known[0]

    def _sparse(self, value: Any, where: str) -> dict[str, Any]:
        if value.format not in SPARSE_FORMATS:
            value = value.tocsr()
        self._check_kind(value.dtype, where)
        kind = "array" if isinstance(value, sp.sparray) else "matrix"
        return {
            "is": "sparse",
            "format": value.format,
            "kind": kind,
            "shape": [int(length) for length in value.shape],
            "data": self._number(value.data),
            "indices": self._number(value.indices),
            "indptr": self._number(value.indptr),
        }

    def _dataclass(self, value: Any, where: str) -> dict[str, Any]:
        kind = type(value)
        tag = tag_of(kind)
        if tag is None:
            raise TypeError(_refusal(value, where))
        inside = f"{where} ({kind.__name__})"
        fields = {
            field.name: self.node(getattr(value, field.name), inside)
            for field in saved_fields(kind)
        }
        return {"is": "value", "tag": tag, "fields": fields}

    def _estimator(self, value: Any) -> dict[str, Any]:
        name = type(value).__name__
        parameters = value.get_params(deep=False)
        return {
            "is": "estimator",
            "class": name,
            "parameters": {
                key: self.node(item, f"the {key!r} parameter of {name}")
                for key, item in parameters.items()
            },
            "state": {
                key: self.node(item, f"the attribute {key!r} of {name}")
                for key, item in state_of(value).items()
            },
        }

    def _check_kind(self, dtype: np.dtype[Any], where: str) -> None:
        if dtype.kind not in PLAIN_KINDS:
            raise TypeError(f"A model file cannot hold {where}: an array of dtype {dtype}.")


def is_estimator(value: Any) -> bool:
    """Tell whether a value is an estimator of the registry itself, not of a subclass."""
    kind = type(value)
    return any(e.name == kind.__name__ and e.module == kind.__module__ for e in SAVED)


def _contiguous(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give a strided view a block of its own, rows or columns first as before.

    Products are computed in another order for the other layout, and would differ in the last bit.
    """
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array
    columns_first = abs(array.strides[0]) < abs(array.strides[-1])
    return np.asfortranarray(array) if columns_first else np.ascontiguousarray(array)


def _refusal(value: Any, where: str) -> str:
    kind = type(value)
    if dataclasses.is_dataclass(kind) and kind.__module__.startswith("sidelight."):
        return (
            f"A model file cannot hold {where}: a {kind.__module__}.{kind.__name__}, which has no "
            "tag in sidelight.io.model.tags."
        )
    if callable(value):
        name = getattr(value, "__name__", repr(value))
        return (
            f"{where[0].upper()}{where[1:]} is the function {name!r}, and a model file holds data, "
            "never code. Use a metric, kernel or transformation that has a name, or compute the "
            "table yourself and use 'precomputed'."
        )
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return (
            f"A model file cannot hold {where}: a generator of random numbers. Give a whole number."
        )
    return (
        f"A model file cannot hold {where}: a {kind.__module__}.{kind.__name__}. It holds "
        "numbers, texts, arrays, sparse arrays and what sidelight itself fits."
    )
