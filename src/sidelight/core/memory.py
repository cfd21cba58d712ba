"""Memory is predicted before it is taken.

An array that would not fit is refused with what to do instead, rather than letting the machine
swap or kill the process.
"""

from __future__ import annotations

import os
from pathlib import Path

_UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def available_memory() -> float:
    """How many bytes may still be taken.

    The environment variable ``SIDELIGHT_MEMORY_LIMIT`` (``"4GB"``, ``"500MB"``) goes before what
    the machine reports.
    """
    limit = os.environ.get("SIDELIGHT_MEMORY_LIMIT", "").strip().upper()
    if limit:
        for unit, factor in _UNITS.items():
            if limit.endswith(unit):
                return float(limit.removesuffix(unit)) * factor
        return float(limit)
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    return float("inf")


def format_bytes(n_bytes: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> format_bytes(1.6e9)
    '1.6 GB'
    """
    for unit, factor in reversed(_UNITS.items()):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


def require_memory(n_bytes: float, *, what: str, who: str, instead: str) -> None:
    """Refuse work whose memory is not there."""
    available = available_memory()
    if n_bytes > available:
        raise MemoryError(
            f"{who} would need {format_bytes(n_bytes)} for {what}, and "
            f"{format_bytes(available)} is available. {instead}"
        )
