"""What all tests share: no screen, draws of their own, and real data where there is some."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
#: Generators that a module of tests draws from, as it made them.
_AS_MADE: dict[int, Any] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin a test as if no other had run; leave it out where its real data are missing."""
    _draw_anew(item)
    _need_real_data(item)


def _draw_anew(item: pytest.Item) -> None:
    """A generator at the top of a module draws the same for a test, whichever ran before it."""
    for value in vars(getattr(item, "module", None) or object).values():
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            bits.state = _AS_MADE.setdefault(id(value), bits.state)


def _need_real_data(item: pytest.Item) -> None:
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
