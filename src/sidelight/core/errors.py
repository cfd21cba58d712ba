"""The few warnings and errors that are sidelight's own."""

from __future__ import annotations

from typing import Any


class DisconnectedGraphWarning(UserWarning):
    """The neighbourhood graph fell apart, and something was done about it."""


class DisconnectedGraphError(ValueError):
    """The neighbourhood graph fell apart and ``on_disconnected="error"``."""


class ContradictionError(ValueError):
    """Constraints that no solution meets, with the proof.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    certificate : ndarray of shape (n_constraints,), optional
        A weight per constraint: weighted by these they add up to something impossible.
    """

    def __init__(self, message: str, certificate: Any = None) -> None:
        super().__init__(message)
        self.certificate = certificate


class NotEnoughMemoryError(MemoryError):
    """Work whose memory is not there, with what to do instead."""


class NotEuclideanWarning(UserWarning):
    """A kernel or a table of distances has negative eigenvalues that matter."""


class InterruptedFitWarning(UserWarning):
    """A fit was interrupted; the best solution so far was kept."""


class MissingExtraError(ImportError):
    """An optional dependency is needed and is not installed.

    Parameters
    ----------
    package : str
        The package that could not be imported.
    extra : str
        The extra of sidelight that brings it.
    purpose : str
        What it is needed for.
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed. "
            f'Install it with: pip install "sidelight[{extra}]"'
        )
