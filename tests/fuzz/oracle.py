"""What counts as right, as a clear error, and as a fault."""

from __future__ import annotations

import copy
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from sidelight.core import errors as own
from tests.fuzz.knowledge import KINDS

OWN_WARNINGS = (
    own.DisconnectedGraphWarning,
    own.NotEuclideanWarning,
    own.InterruptedFitWarning,
    ConvergenceWarning,
)
#: Words for what was given, besides the names of the parameters.
ARGUMENTS = (
    "X", "Z", "Y", "side", "items", "y", "rows", "row", "columns", "features", "graph", "fit",
    "metric_", "kernel", *KINDS,
)  # fmt: skip


class FaultFoundError(AssertionError):
    """Something is wrong with the library; the message says what."""


def is_clear(error: BaseException, who: str, arguments: tuple[str, ...] = ()) -> str:
    """Say what an error lacks to be a clear one: nothing, or a few words."""
    if isinstance(error, np.linalg.LinAlgError) or not isinstance(
        error, (ValueError, TypeError, MemoryError)
    ):
        return f"raised {type(error).__name__}"
    said = str(error)
    if who not in said:
        return "the error does not name the estimator"
    if not any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in arguments):
        return f"the error names none of {', '.join(arguments[:4])} …"
    return ""


def about(error: BaseException) -> str:
    """An error and the line of the library that it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "/sidelight/" in frame.filename]
    where = ""
    if inside:
        path = inside[-1].filename.split("/sidelight/")[-1]
        where = f" [{path}:{inside[-1].lineno}]"
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:220]}{where}"


@contextmanager
def watched(who: str) -> Iterator[list[str]]:
    """Let the warnings of the library pass, by name, and call any other a fault."""
    seen: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield seen
        except Exception:
            _judge(caught, who, seen)
            raise
    _judge(caught, who, seen)


def _judge(caught: list[warnings.WarningMessage], who: str, seen: list[str]) -> None:
    for warning in caught:
        if issubclass(warning.category, OWN_WARNINGS) and who in str(warning.message):
            seen.append(warning.category.__name__)
            continue
        named = issubclass(warning.category, UserWarning) and who in str(warning.message)
        if named and not issubclass(warning.category, OWN_WARNINGS):
            seen.append("UserWarning")
            continue
        path = warning.filename.split("/sidelight/")[-1].split("site-packages/")[-1]
        raise FaultFoundError(
            f"warned {warning.category.__name__}: {' '.join(str(warning.message).split())[:160]} "
            f"[{path}:{warning.lineno}]"
        )


def kept(value: Any) -> Callable[[], bool]:
    """Remember a value; the function that is returned says whether it is still what it was."""
    if sp.issparse(value) and hasattr(value, "indptr"):
        parts = [value.data.copy(), value.indices.copy(), value.indptr.copy()]
        return lambda: all(
            np.array_equal(old, new, equal_nan=True)
            for old, new in zip(parts, (value.data, value.indices, value.indptr), strict=True)
        )
    if isinstance(value, np.ndarray):
        before = value.tobytes()
        return lambda: value.tobytes() == before
    if hasattr(value, "equals"):
        if not hasattr(value, "clone") and not hasattr(value, "copy"):
            return lambda: True  # of arrow, which nothing can write to
        frame = value.clone() if hasattr(value, "clone") else value.copy()
        return lambda: bool(value.equals(frame))
    if isinstance(value, (list, dict, set)):
        deep = copy.deepcopy(value)
        return lambda: repr(value) == repr(deep)
    return lambda: True


def require_equal(
    found: dict[str, Any], expected: dict[str, Any], what: str, within: float = 0.0
) -> None:
    """Two portraits of a model must agree to the bit, or within a part of their size."""
    for name, value in expected.items():
        other = found[name]
        if isinstance(value, str) or isinstance(other, str):
            same = type(value) is type(other) and value == other
        else:
            same = np.array_equal(other, value, equal_nan=True)
            if not same and within and np.shape(other) == np.shape(value):
                near = within * float(np.nanmax(np.abs(value), initial=0.0))
                same = np.allclose(other, value, rtol=0.0, atol=near, equal_nan=True)
        if not same:
            raise FaultFoundError(f"{what}: {name} {_difference(other, value)}")


def require_close(found: Any, expected: Any, scale: float, exactness: float, what: str) -> None:
    """Two arrays must agree within a part of the size of the map."""
    if np.shape(found) != np.shape(expected):
        raise FaultFoundError(f"{what}: shapes {np.shape(found)} and {np.shape(expected)}")
    if not np.allclose(found, expected, rtol=0, atol=exactness * scale, equal_nan=True):
        raise FaultFoundError(f"{what}: {_difference(found, expected)}")


def _difference(found: Any, expected: Any) -> str:
    if isinstance(found, str) or isinstance(expected, str):
        texts = [one[:150] if isinstance(one, str) else "an array" for one in (found, expected)]
        return f"is now {texts[0]!r}, was {texts[1]!r}"
    if np.shape(found) != np.shape(expected):
        return f"has shape {np.shape(found)}, expected {np.shape(expected)}"
    size = float(np.nanmax(np.abs(expected), initial=0)) or 1.0
    with np.errstate(all="ignore"):
        gap = np.nanmax(np.abs(np.asarray(found, float) - np.asarray(expected, float)), initial=0)
    return f"differs by 1e{np.log10(gap / size):.0f} of its size" if gap > 0 else "differs in NaN"
