"""How long the examples of the gallery take: none so long that a reader would not try it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from sphinx.util import logging

#: Seconds of processor time that an example may take.
LIMIT = 20.0

_begun: dict[str, float] = {}
#: What each example has taken in this build.
TAKEN: dict[str, float] = {}


def stopwatch(gallery: dict[str, Any], example: Any, when: str) -> None:
    """Take the time of an example; processor time, since a build may share the machine."""
    if when == "before":
        _begun[str(example)] = time.process_time()
    elif str(example) in _begun:
        TAKEN[str(example)] = time.process_time() - _begun.pop(str(example))


def too_slow(taken: dict[str, float]) -> list[str]:
    """What to say of examples that take too long.

    Examples
    --------
    >>> too_slow({"recipes/plot_a.py": 3.0, "recipes/plot_b.py": 31.2})
    ['The example plot_b.py takes 31 s, and none is to take more than 20. Give it fewer rows.']
    """
    return [
        f"The example {Path(name).name} takes {seconds:.0f} s, and none is to take more than "
        f"{LIMIT:.0f}. Give it fewer rows."
        for name, seconds in taken.items()
        if seconds > LIMIT
    ]


def warn_of_slow_examples(app: Any, error: Exception | None) -> None:
    """Warn at the end of a build, where warnings are errors."""
    for said in too_slow(TAKEN):
        logging.getLogger(__name__).warning(said)
