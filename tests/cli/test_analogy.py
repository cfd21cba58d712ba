"""An analogy from two pictures of the user, done to a third."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from sidelight.cli.application import application
from sidelight.io import is_transparent, read_pictures, write_picture

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


@pytest.mark.parametrize("model", ["manifield", "field"])
@pytest.mark.parametrize("steps", [1, 26])
def test_what_was_learned_is_measured_on_the_picture_itself(pictures, model, steps):
    """A history of one look was "0% of the difference", whatever was learned."""
    names = [pictures / f"{name}.png" for name in ("before", "after", "other")]
    given = ("--patch-size", 3, "--units", 4, "--steps", steps, "--model", model)
    done = run(*names, "-o", pictures / "result.png", *given)
    assert done.exit_code == 0, done.output
    assert " 0% of the difference" not in done.output
    assert "of the difference" in done.output or "take more --steps" in done.output


def test_transparency_that_is_dropped_is_told(pictures):
    """An opaque picture with an alpha channel loses nothing, and is not spoken of."""
    names = [pictures / f"{name}.png" for name in ("before", "after", "other")]
    for path, alpha in zip(names, (90, 255, 254), strict=True):
        picture = Image.open(path).convert("RGBA")
        picture.putpixel((2, 3), (*picture.getpixel((2, 3))[:3], alpha))
        picture.save(path)
    given = (*names, "-o", pictures / "result.png", "--patch-size", 3, "--units", 4, "--steps", 2)
    done = run(*given)
    assert done.exit_code == 0, done.output
    told = " ".join(done.stderr.split())
    assert "the pictures 'before.png', 'other.png' is not looked at" in told
    assert "the result is opaque" in told
    assert "opaque" not in run(*given, "--quiet").stderr


@pytest.mark.parametrize("mode", ["L", "P", "LA"])
@pytest.mark.parametrize("clear", [True, False])
def test_a_picture_of_any_mode_is_known_to_be_transparent(tmp_path, mode, clear):
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4) * 9
    picture = Image.fromarray(pixels).convert(mode)
    if mode == "LA" and clear:
        picture.putalpha(100)
    more = {"transparency": 0} if clear and mode != "LA" else {}
    picture.save(tmp_path / "one.png", **more)
    assert is_transparent(tmp_path / "one.png") is clear


def test_pictures_that_are_the_same_have_nothing_to_teach(pictures, recwarn):
    before, other = pictures / "before.png", pictures / "other.png"
    write_picture(pictures / "same.png", read_pictures([before])[0])
    result = pictures / "result.png"
    given = ("--patch-size", 3, "--units", 4, "--steps", 300)
    done = run(before, pictures / "same.png", other, "-o", result, *given)
    assert done.exit_code == 0, done.output
    assert "they are the same" in done.output
    assert "nan" not in done.output
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    made, there = read_pictures([result, other])
    assert np.corrcoef(made.ravel(), there.ravel())[0, 1] > 0.9


def test_sizes_are_looked_at_before_learning(pictures, monkeypatch):
    def fit(*given):
        raise AssertionError("it learned first")

    monkeypatch.setattr("sidelight.gated.manifield.Manifield.fit", fit)
    names = [pictures / f"{name}.png" for name in ("before", "after", "other")]
    done = run(*names, "-o", pictures / "result.png", "--patch-size", 11)
    assert done.exit_code == 2
    assert "other.png has 10 × 16 pixels, and --patch-size 11" in " ".join(done.output.split())


def test_only_what_there_is_can_learn(pictures):
    names = [pictures / f"{name}.png" for name in ("before", "after", "other")]
    done = run(*names, "-o", pictures / "result.png", "--model", "gan")
    assert done.exit_code == 2
    assert "--model must be one of manifield, field. Got 'gan'" in " ".join(done.output.split())


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
