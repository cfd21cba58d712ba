"""Where torch is absent, the examples of what stands on it are not run, and that is said."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).parent
_ON_TORCH = (_HERE / "src" / "sidelight" / "gated", _HERE / "tests" / "gated")
_ABSENT = find_spec("torch") is None


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the files that import torch; tests skip themselves."""
    on_torch = any(room in collection_path.parents for room in _ON_TORCH)
    left_out = _ABSENT and on_torch and not collection_path.name.startswith("test_")
    return True if left_out else None


def pytest_report_header() -> str:
    """Say so."""
    return "NOT RUN: the examples in sidelight.gated, which stand on torch" if _ABSENT else ""
