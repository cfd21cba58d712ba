"""Maps that are hard to draw are drawn, without a warning and with room for the map."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from tools.picture_cases import BOOK, SHOWN, cases, draw, sheets

CASES = {name: make for name, make in cases() if "million" not in name or name.startswith("one ")}
QUICK = (
    "one point",
    "all points in one place",
    "words of all scripts",
    "one point at a million",
    "nothing known",
    "dates",
)


def drawn(name, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*[Gg]lyph")  # a script that no font here has
        path = folder / f"{name}.png"
        share = draw(CASES[name](), path)
    return share, path


def test_there_are_forty():
    assert len(list(cases())) >= 40
    assert set(SHOWN) <= set(CASES)
    assert BOOK.stat().st_size < 300_000


@pytest.mark.parametrize("name", QUICK)
def test_a_case_is_drawn(name, tmp_path):
    from matplotlib.image import imread

    share, path = drawn(name, tmp_path)
    assert share > 0.2
    assert np.ptp(imread(path)[..., :3]) > 0.5  # something is on it


@pytest.mark.thorough
def test_all_but_the_largest_are_drawn(tmp_path):
    pictures = []
    for name in CASES:
        share, path = drawn(name, tmp_path)
        assert share > 0.2, name
        assert 1_000 < path.stat().st_size < 1_000_000, name
        pictures.append((name, path))
    assert len(list(sheets(pictures[:13], tmp_path))) == 2
