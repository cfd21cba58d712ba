"""The warnings and errors that are sidelight's own, for ``except`` and warning filters."""

from sidelight.core import (
    ContradictionError,
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    InterruptedFitWarning,
    MissingExtraError,
    NotEnoughMemoryError,
    NotEuclideanWarning,
)

__all__ = [
    "ContradictionError",
    "DisconnectedGraphError",
    "DisconnectedGraphWarning",
    "InterruptedFitWarning",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "NotEuclideanWarning",
]
