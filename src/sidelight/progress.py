"""How far a long fit has come, for whoever listens: ``with listening(tell): model.fit(X)``."""

from sidelight.core import Progress, listening, report

__all__ = ["Progress", "listening", "report"]
