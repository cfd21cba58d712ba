"""Time and memory of one call."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Measurement(Generic[Answer]):
    """What one call took.

    Parameters
    ----------
    answer : object
        What it returned.
    seconds : float
        Processor time of the whole process, or time on the wall.
    megabytes : float
        By how much the most memory held during the call exceeds what was held before it.
    """

    answer: Answer
    seconds: float
    megabytes: float


def measure(call: Callable[[], Answer], *, clock: str = "cpu") -> Measurement[Answer]:
    """Call a function and measure it.

    Parameters
    ----------
    call : callable
        Takes nothing.
    clock : {"cpu", "wall"}
        What is measured.

    Returns
    -------
    Measurement
        The answer, the time and the memory.
    """
    now = time.process_time if clock == "cpu" else time.perf_counter
    held = _start_of_peak()
    start = now()
    answer = call()
    seconds = now() - start
    return Measurement(answer, seconds, max(0.0, _peak() - held))


def _start_of_peak() -> float:
    """Forget the peak so far where the system can (Linux), and say what is held, in megabytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> float:
    try:
        return _status("VmHWM")
    except OSError:
        unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _status(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return float(line.split()[1]) / 1e3
    raise OSError(f"/proc/self/status holds no {field}.")
