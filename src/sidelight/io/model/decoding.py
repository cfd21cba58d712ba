"""The tree of a model file back into an estimator: data only, classes of sidelight only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from sidelight.io.model.archive import PLAIN_KINDS, Archive
from sidelight.io.model.encoding import SPARSE_FORMATS
from sidelight.io.model.state import facts_refused, is_a_key, put_back
from sidelight.io.model.tags import class_of, saved_fields
from sidelight.registry import SAVED

_SPARSE_CLASSES = {
    ("csr", "array"): sp.csr_array,
    ("csc", "array"): sp.csc_array,
    ("csr", "matrix"): sp.csr_matrix,
    ("csc", "matrix"): sp.csc_matrix,
}


class Decoder:
    """Rebuild values from a tree and the arrays of an archive.

    Parameters
    ----------
    archive : Archive
        Where the arrays are.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._arrays: dict[int, npt.NDArray[Any]] = {}
        self._kinds: dict[str, Callable[[dict[str, Any]], Any]] = {
            "float": self._float,
            "scalar": self._scalar,
            "tuple": lambda node: tuple(map(self.value, node["items"])),
            "dict": lambda node: {key: self.value(item) for key, item in node["items"].items()},
            "strings": self._strings,
            "array": lambda node: self._array(node["number"]),
            "sparse": self._sparse,
            "value": self._value,
            "estimator": self._estimator,
        }

    def value(self, node: Any) -> Any:
        """Decode one node."""
        if isinstance(node, list):
            return [self.value(item) for item in node]
        if not isinstance(node, dict):
            return node
        kind = self._kinds.get(str(node.get("is")))
        if kind is None:
            raise self._damaged(f"it holds a value of unknown kind {node.get('is')!r}")
        try:
            return kind(node)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            if self._archive.name in str(error):  # said already, deeper in the tree
                raise
            raise self._damaged(f"a value of kind {node['is']!r} is not whole ({error})") from error

    def _damaged(self, reason: str) -> ValueError:
        return ValueError(f"{self._archive.name} is damaged: {reason}.")

    def _float(self, node: dict[str, Any]) -> float:
        if node["value"] not in ("inf", "-inf", "nan"):
            raise self._damaged(f"a number is written {node['value']!r}")
        return float(node["value"])

    def _scalar(self, node: dict[str, Any]) -> Any:
        dtype = np.dtype(str(node["dtype"]))
        content = bytes.fromhex(node["bytes"])
        if dtype.kind not in PLAIN_KINDS or len(content) != dtype.itemsize:
            raise self._damaged(f"a scalar of dtype {dtype} has {len(content)} bytes")
        return np.ndarray((), dtype, content)[()]

    def _strings(self, node: dict[str, Any]) -> npt.NDArray[Any]:
        if not all(isinstance(item, str) for item in node["items"]):
            raise self._damaged("a list of names holds something else")
        strings = np.empty(len(node["items"]), dtype=object)
        strings[:] = node["items"]
        return strings.reshape(node["shape"])

    def _array(self, number: Any) -> npt.NDArray[Any]:
        if not isinstance(number, int) or number < 0:
            raise self._damaged(f"an array has the number {number!r}")
        if number not in self._arrays:
            self._arrays[number] = self._archive.array(number)
        return self._arrays[number]

    def _sparse(self, node: dict[str, Any]) -> Any:
        kind = (node["format"], node["kind"])
        if node["format"] not in SPARSE_FORMATS or kind not in _SPARSE_CLASSES:
            raise self._damaged(f"it holds a sparse array of unknown kind {kind}")
        data, indices, indptr = (self._array(node[key]) for key in ("data", "indices", "indptr"))
        rows, columns = node["shape"]
        matrix = _SPARSE_CLASSES[kind]((data, indices, indptr), shape=(rows, columns))
        # indices outside the table would make compiled loops read what is not theirs
        matrix.check_format(full_check=True)
        return matrix

    def _value(self, node: dict[str, Any]) -> Any:
        cls = class_of(str(node["tag"]))
        if cls is None:
            raise ValueError(
                f"{self._archive.name} holds a value of the kind {str(node['tag'])!r}, which this "
                "version of sidelight does not have."
            )
        known = [field.name for field in saved_fields(cls)]
        self._check_names(node["fields"], known, cls.__name__, "field")
        return cls(**{key: self.value(item) for key, item in node["fields"].items()})

    def _estimator(self, node: dict[str, Any]) -> Any:
        name = node["class"]
        entry = next((entry for entry in SAVED if entry.name == name), None)
        if entry is None:
            known = ", ".join(entry.name for entry in SAVED)
            raise ValueError(
                f"{self._archive.name} holds a model of the class {name!r}, which this version of "
                f"sidelight does not have. It has: {known}."
            )
        cls = entry.load()
        self._check_names(node["parameters"], cls().get_params(deep=False), name, "parameter")
        model = cls(**{key: self.value(item) for key, item in node["parameters"].items()})
        for key in node["state"]:
            if not is_a_key(key, model):
                raise self._damaged(f"it sets the attribute {key!r} of {name}")
        state = {key: self.value(item) for key, item in node["state"].items()}
        for fact in facts_refused(state, model):
            raise self._damaged(f"its map sets the attribute {fact!r} of {name}")
        put_back(model, state)
        return model

    def _check_names(self, given: Any, known: Any, owner: str, what: str) -> None:
        for key in given:
            if key not in known:
                raise ValueError(
                    f"{self._archive.name} gives {owner} a {what} {key!r}, which this version of "
                    f"sidelight does not know. Known: {', '.join(known)}."
                )
