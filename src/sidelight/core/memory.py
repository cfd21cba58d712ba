"""Memory is predicted before it is taken.

An array that would not fit is refused with what to do instead, rather than letting the machine
swap or kill the process.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from sidelight.core.errors import NotEnoughMemoryError

_UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}

#: Where the machine describes itself.
_ROOT = Path("/")
#: Of a control group: its limit, what it uses, and what of that is cache that would be given back.
_FILES_OF_GROUPS: tuple[tuple[str, str, str, str], ...] = (
    ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    (
        "sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
)
#: A group without a limit says "max", or the largest number of pages there is.
_NO_LIMIT = 2.0**60


def available_memory() -> float:
    """How many bytes may still be taken.

    The environment variable ``SIDELIGHT_MEMORY_LIMIT`` (``"4GB"``, ``"500MB"``) goes before what
    the machine, its containers (control groups) and the limits of the process (``ulimit``) leave.
    """
    limit = os.environ.get("SIDELIGHT_MEMORY_LIMIT", "").strip().upper()
    if limit:
        for unit, factor in _UNITS.items():
            if limit.endswith(unit):
                return float(limit.removesuffix(unit)) * factor
        return float(limit)
    return max(0.0, min(_left_by_groups(_left_by_machine()), _left_by_process()))


def _left_by_machine() -> float:
    meminfo = _numbers_in(_ROOT / "proc/meminfo")
    if "MemAvailable" in meminfo:
        return meminfo["MemAvailable"] * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return float(os.sysconf("SC_PHYS_PAGES")) * float(os.sysconf("SC_PAGE_SIZE"))
    return float("inf")


def _left_by_groups(left: float) -> float:
    """The least that any control group around this process leaves it, of what the machine has."""
    for group, limit_file, use_file, reclaimable in _limited_groups(_ROOT):
        limit, use = _text(group / limit_file).strip(), _text(group / use_file).strip()
        if limit.isdigit() and use.isdigit() and float(limit) - float(use) < left:
            given_back = _numbers_in(group / "memory.stat").get(reclaimable, 0.0)
            left = min(left, float(limit) - float(use) + given_back)
    return left


@cache
def _limited_groups(root: Path) -> list[tuple[Path, str, str, str]]:
    """The control groups that have a limit; the folders of many are slow to read."""
    own = _text(root / "proc/self/cgroup").splitlines()
    limited = []
    for folder, limit_file, use_file, reclaimable in _FILES_OF_GROUPS:
        mount = root / folder
        groups = {mount}  # inside a container its own group is the root that it sees
        for line in own:
            below = mount / line.split(":", 2)[-1].lstrip("/")
            groups |= {below, *(each for each in below.parents if mount in each.parents)}
        for group in sorted(groups):
            limit = _text(group / limit_file).strip()
            if limit.isdigit() and float(limit) < _NO_LIMIT:
                limited.append((group, limit_file, use_file, reclaimable))
    return limited


def _left_by_process() -> float:
    """What ``ulimit -v`` and ``ulimit -d`` leave."""
    try:
        import resource
    except ImportError:  # no such limits on this system
        return float("inf")
    use = _numbers_in(_ROOT / "proc/self/status")
    left = float("inf")
    for kind, taken in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        limit = resource.getrlimit(kind)[0]
        if limit != resource.RLIM_INFINITY:
            left = min(left, limit - 1024 * use.get(taken, 0.0))
    return left


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _numbers_in(path: Path) -> dict[str, float]:
    """The lines of a file that are a name and a number."""
    words = [line.replace(":", " ").split() for line in _text(path).splitlines()]
    return {one[0]: float(one[1]) for one in words if len(one) > 1 and one[1].isdigit()}


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
        raise NotEnoughMemoryError(
            f"{who} would need {format_bytes(n_bytes)} for {what}, and "
            f"{format_bytes(available)} is available. {instead}"
        )


def missed_memory(error: MemoryError, *, what: str, who: str) -> NotEnoughMemoryError:
    """Say of memory that nobody had predicted what a refusal would have said."""
    asked = str(error).rstrip(".")
    return NotEnoughMemoryError(
        f"{who} ran out of memory in the fit to {what}, with {format_bytes(available_memory())} "
        f"available{f' ({asked})' if asked else ''}. Fit a sample of the rows and transform() the "
        f"others, or reduce the columns with PCA first."
    )
