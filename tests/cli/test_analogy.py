"""An analogy from two pictures of the user, done to a third."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from sidelight.cli.application import application
from sidelight.io import read_pictures, write_picture

pytest.importorskip("torch", reason="the gated models stand on torch")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("TERMINAL_WIDTH", "200")


def run(*arguments):
    return CliRunner().invoke(application, ["analogy", *map(str, arguments)])


@pytest.fixture
def pictures(tmp_path):
    """A picture, its negative, and another of another size."""
    rng = np.random.default_rng(0)
    image, other = rng.random((24, 24)), rng.random((10, 16))
    for name, pixels in (("before", image), ("after", 1 - image), ("other", other)):
        write_picture(tmp_path / f"{name}.png", pixels)
    return tmp_path


def test_the_same_is_done_to_another_picture(pictures):
    names = [pictures / f"{name}.png" for name in ("before", "after", "other", "result")]
    done = run(*names[:3], "-o", names[3], "--patch-size", 3, "--units", 4, "--steps", 300)
    assert done.exit_code == 0, done.output
    assert "before.png to after.png" in done.output
    made, other = read_pictures([names[3], names[2]])
    assert made.shape == other.shape == (10, 16)
    assert np.corrcoef(made.ravel(), 1 - other.ravel())[0, 1] > 0.9


def test_colours_stay_colours(pictures):
    write_picture(pictures / "red.png", np.random.default_rng(1).random((9, 9, 3)))
    result = pictures / "result.jpg"
    given = [pictures / name for name in ("before.png", "after.png", "red.png")]
    done = run(*given, "-o", result, "--patch-size", 3, "--steps", 5, "--quiet")
    assert done.exit_code == 0, done.output
    assert read_pictures([result])[0].shape == (9, 9, 3)


@pytest.mark.parametrize(
    ("names", "output", "match"),
    [
        (("before", "other", "after"), "result.png", "must have one size"),
        (("before", "after", "other"), "result.csv", "ending must be one of"),
        (("before", "after", "other"), "other.png", "other.png"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(pictures, names, output, match):
    done = run(*(pictures / f"{name}.png" for name in names), "-o", pictures / output)
    assert done.exit_code == 2
    assert match in " ".join(done.output.split())


def test_a_file_that_is_no_picture(pictures):
    (pictures / "notes.png").write_text("not a picture")
    done = run(*[pictures / "notes.png"] * 3, "-o", pictures / "result.png")
    assert done.exit_code == 2
    assert "cannot be read as a picture" in " ".join(done.output.split())
