"""What all kinds of side information share: they are values."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


class SideInformation:
    """A frozen value: equal when its parts are, hashable, the same after pickling."""

    __slots__ = ()

    def check(self, n_samples: int, *, who: str) -> object:
        """Compare the value with the X that it meets.

        Parameters
        ----------
        n_samples : int
            Rows of X.
        who : str
            The estimator, named in an error.

        Returns
        -------
        object
            Nothing, or what the kind of side information has to report.

        Raises
        ------
        ValueError
            If the value and X do not fit, or the value contradicts itself.
        """
        raise NotImplementedError

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, part.name) for part in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, SideInformation)
        return [_key(part) for part in self._parts()] == [_key(part) for part in other._parts()]

    def __hash__(self) -> int:
        return hash((type(self).__name__, *[_key(part) for part in self._parts()]))

    def __reduce__(self) -> tuple[Any, ...]:
        # through the constructor, so that the arrays are read-only again
        return type(self), self._parts()


def _key(part: Any) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    kind = "text" if part.dtype.kind == "U" else part.dtype.str
    return (kind, part.shape, tuple(part.ravel()) if kind == "text" else part.tobytes())
