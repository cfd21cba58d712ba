"""Mechanisms that are written once: who else begins one is told where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sidelight

PACKAGE = Path(sidelight.__file__).parent


@pytest.mark.parametrize(
    ("words", "home"),
    [
        (r"^\s*raise KeyboardInterrupt", None),  # only users interrupt
        (
            r"^\s*except KeyboardInterrupt",
            "cli/application.py",
        ),  # core.interruption holds them back
        (r"^\s*(from|import) numba\b", "core/compiler.py"),
        (r"\bThreadPoolExecutor\(", "core/threads.py"),
        (r"\bthreadpoolctl\b", "core/threads.py"),
        (r"\bcheck_random_state\(self\.", None),  # core.parameters.random_generator
    ],
)
def test_a_mechanism_has_one_home(words, home):
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(words, _without_examples(path.read_text()), re.MULTILINE)
    }
    assert found == ({home} if home else set())


def _without_examples(text):
    return "\n".join(
        line for line in text.splitlines() if not line.strip().startswith((">>>", "..."))
    )
