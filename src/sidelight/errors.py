"""The few warnings and errors that are sidelight's own."""

from __future__ import annotations


class DisconnectedGraphWarning(UserWarning):
    """The neighbourhood graph fell apart, and something was done about it."""


class DisconnectedGraphError(ValueError):
    """The neighbourhood graph fell apart and ``on_disconnected="error"``."""


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
