"""What all tests share: figures without a screen, and real data where there is some."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked ``real_data``, loudly, where their files are missing.

    ``@pytest.mark.real_data`` asks for the folder; ``@pytest.mark.real_data("six", "eurodist")``
    asks for these files.
    """
    for marker in item.iter_markers("real_data"):
        from sidelight.datasets.files import VARIABLE, folder, why_missing

        if folder() is None:
            named = os.environ.get(VARIABLE)
            state = f"names {named!r}, which is not a folder" if named else "is not set"
            pytest.skip(f"NOT RUN: needs real data, and {VARIABLE} {state}")
        for name in marker.args:
            reason = why_missing(name)
            if reason is not None:
                pytest.skip(f"NOT RUN: needs real data. {reason}")
