"""The Python of the README runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=[f"block {i}" for i in range(len(BLOCKS))])
def test_blocks_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = {"X": rng.standard_normal((60, 5)), "y": rng.integers(0, 3, 60)}
    exec(compile(code, "README.md", "exec"), names)
    if "result" in names:
        assert "takes Distances and Pairs as constraints" in names["result"].why


def test_there_are_blocks_to_run():
    assert len(BLOCKS) >= 2
