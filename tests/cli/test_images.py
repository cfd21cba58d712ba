"""Folders of pictures, and what does not change what they show."""

from __future__ import annotations

import gc
import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.datasets import digits
from sidelight.io import read_images, read_table
from sidelight.io.table import large, table_blocks

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("TERMINAL_WIDTH", "200")


def run(*arguments):
    return CliRunner().invoke(application, [str(one) for one in arguments])


@pytest.fixture
def folder(tmp_path):
    """Thirty grey digits as PNG files."""
    place = tmp_path / "pictures"
    place.mkdir()
    for i, row in enumerate(digits().X[:30]):
        picture = Image.fromarray(np.uint8(np.round(255 * row.reshape(8, 8))))
        picture.save(place / f"digit{i:02d}.png")
    (place / "notes.txt").write_text("not a picture")
    return place


def test_a_folder_is_read_as_rows(folder):
    table, shape = read_images(folder)
    assert shape == (8, 8)
    assert np.abs(table.X - digits().X[:30]).max() <= 0.5 / 255
    assert table.labels["file"][:2].tolist() == ["digit00.png", "digit01.png"]
    assert table.column_names[:2] == ("pixel 0, 0", "pixel 0, 1")


def test_colours_make_all_rows_coloured(folder):
    colours = np.zeros((8, 8, 3), dtype=np.uint8)
    colours[..., 0] = 255
    Image.fromarray(colours).save(folder / "red.png")
    table, shape = read_images(folder)
    assert shape == (8, 8, 3)
    assert table.X[-1].reshape(shape)[..., 0].min() == 1.0
    grey = table.X[0].reshape(shape)
    assert np.array_equal(grey[..., 0], grey[..., 2])


def test_jpeg_files_and_grey_of_sixteen_bits(tmp_path):
    Image.fromarray(np.full((4, 6), 65535, dtype=np.uint16)).save(tmp_path / "a.png")
    Image.fromarray(np.full((4, 6), 128, dtype=np.uint8)).save(tmp_path / "b.JPG")
    table, shape = read_images(tmp_path)
    assert shape == (4, 6)
    assert np.allclose(table.X.mean(axis=1), [1.0, 128 / 255], atol=0.01)


def test_methods_are_compared_on_a_folder(folder, tmp_path):
    done = run("compare", folder, "--methods", "pca", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    found = read_table(tmp_path / "out" / "pca.csv")
    assert found.labels["file"][0] == "digit00.png"
    expected = sidelight.embed(str(folder), method="pca").points
    assert np.array_equal(found.select(["pca0", "pca1"]), expected)


class TestRefusals:
    def test_another_size(self, folder):
        Image.new("L", (9, 8)).save(folder / "wide.png")
        with pytest.raises(ValueError, match=r"digit00.png has 8 × 8.*wide.png 8 × 9"):
            read_images(folder)

    def test_no_picture_inside(self, folder):
        (folder / "broken.png").write_bytes(b"nothing")
        with pytest.raises(ValueError, match=r"broken.png cannot be read as a picture"):
            read_images(folder)

    def test_half_a_picture(self, folder):
        whole = (folder / "digit00.png").read_bytes()
        (folder / "digit00.png").write_bytes(whole[: len(whole) - 40])
        with pytest.raises(ValueError, match=r"digit00.png cannot be read"):
            read_images(folder)

    def test_no_pictures(self, tmp_path):
        with pytest.raises(ValueError, match="no pictures in the folder"):
            read_images(tmp_path)

    def test_a_folder_of_something_else(self, tmp_path):
        (tmp_path / "table.csv").write_text("a,b\n1,2\n")
        done = run("embed", tmp_path)
        assert done.exit_code == 2
        assert "is a folder" in done.output

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--invariant-to", "shfit", "--image-shape", "8x8"], "Did you mean 'shift'"),
            (["--invariant-to", "shift"], "--image-shape 28x28"),
            (["--invariant-to", "shift", "--image-shape", "8x9"], "needs 72 columns"),
            (["--image-shape", "8by8"], "HEIGHTxWIDTH"),
            (["--image-shape", "8x8", "--thumbnails", "4x16"], "Say it once"),
            (["--invariant-to", "gain", "--standardize"], "--standardize would change"),
            (["--invariant-to", "gain", "--method", "pca"], "PCA does not understand Invariance"),
        ],
    )
    def test_what_cannot_be_meant(self, tmp_path, options, words):
        file = tmp_path / "images.csv"
        np.savetxt(file, digits().X[:40], delimiter=",")
        done = run("embed", file, *options)
        assert done.exit_code == 2
        assert words in " ".join(done.output.split())
        assert "Traceback" not in done.output


def test_pictures_are_embedded_and_drawn(folder, tmp_path):
    output, picture, model = (tmp_path / name for name in ("map.csv", "map.png", "m.sidelight"))
    done = run(
        *("embed", folder, "--invariant-to", "shift,rotation", "--method", "isomap"),
        *("-o", output, "--picture", picture, "--model", model),
    )
    assert done.exit_code == 0, done.output
    assert "Invariance([Shift, Rotation], image_shape=(8, 8))" in " ".join(done.output.split())
    table = read_table(output)
    assert table.labels["file"][3] == "digit03.png"
    assert picture.stat().st_size > 5000
    loaded = sidelight.load(model)
    rows, _ = read_images(folder)
    assert np.allclose(loaded.transform(rows.X), loaded.embedding_, atol=1e-9)


def test_a_table_of_images(tmp_path):
    file, output = tmp_path / "images.csv", tmp_path / "map.npy"
    np.savetxt(file, digits().X[:40], delimiter=",")
    done = run(
        *("embed", file, "--image-shape", "8x8", "--invariant-to", "shift"),
        *("--invariant-to", "scaling", "-o", output, "-q"),
    )
    assert done.exit_code == 0, done.output
    from sidelight.side import Invariance
    from sidelight.transforms import Scaling, Shift

    side = Invariance([Shift(), Scaling()], image_shape=(8, 8))
    X = read_table(file).X
    expected = sidelight.embed(X, side=side).points
    assert np.allclose(np.load(output)[:, 1:], expected)


def test_new_pictures_are_placed_in_the_map_of_others(folder, tmp_path):
    model, places, placed = (tmp_path / name for name in ("m.sidelight", "map.csv", "placed.csv"))
    told = ("--method", "isomap", "--invariant-to", "shift", "--model", model, "-o", places)
    assert run("embed", folder, *told).exit_code == 0
    for i in range(5, 30):
        (folder / f"digit{i:02d}.png").unlink()
    done = run("transform", model, folder, "-o", placed)
    assert done.exit_code == 0, done.output
    before, after = read_table(places), read_table(placed)
    np.testing.assert_allclose(after.X[:, -2:], before.X[:5, -2:], atol=1e-6)
    assert list(after.labels["file"]) == [f"digit{i:02d}.png" for i in range(5)]


def test_new_pictures_of_another_size_are_refused(folder, tmp_path):
    model, other = tmp_path / "m.sidelight", tmp_path / "other"
    told = ("--method", "pca", "--model", model, "-o", tmp_path / "map.csv")
    assert run("embed", folder, *told).exit_code == 0
    other.mkdir()
    Image.new("L", (9, 9)).save(other / "a.png")
    done = run("transform", model, other, "-o", tmp_path / "placed.csv")
    assert done.exit_code != 0
    assert "9 × 9" in done.output
    assert "images of 8 × 8" in done.output


def test_every_picture_is_closed(folder):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        read_images(folder)
        gc.collect()
    assert [str(one.message) for one in heard if one.category is ResourceWarning] == []


def test_a_map_of_a_folder_is_scored(folder, tmp_path):
    output = tmp_path / "map.csv"
    assert run("embed", folder, "--method", "pca", "-o", output).exit_code == 0
    done = run("score", folder, output, "--json")
    assert done.exit_code == 0, done.output
    expected = sidelight.embed(str(folder), method="pca").quality()
    assert json.loads(done.stdout)["auc"] == pytest.approx(expected.auc, abs=1e-6)
    assert "of pictures" in run("score", "--help").stdout


class TestArraysOfImages:
    @pytest.fixture
    def file(self, tmp_path):
        file = tmp_path / "images.npy"
        np.save(file, digits().X[:40].reshape(40, 8, 8))
        return file

    def test_the_command_line_does_as_python(self, file, tmp_path):
        places, picture = tmp_path / "map.csv", tmp_path / "map.svg"
        how = ("--invariant-to", "shift", "-m", "isomap")
        done = run("embed", file, *how, "-o", places, "--picture", picture)
        assert done.exit_code == 0, done.output
        assert "Images of 8 × 8 are rows of pixels" in done.output
        from sidelight.side import Invariance
        from sidelight.transforms import Shift

        X = np.load(file)
        expected = sidelight.embed(X, side=Invariance([Shift()]), method="isomap").points
        found = read_table(places).select(["isomap0", "isomap1"])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert "<image" in picture.read_text()

    def test_all_commands_take_them(self, file, tmp_path):
        places, model = tmp_path / "map.csv", tmp_path / "m.sidelight"
        done = run("embed", file, "-m", "pca", "-o", places, "--model", model)
        assert done.exit_code == 0, done.output
        for command in (
            ("compare", file, "--methods", "pca"),
            ("score", file, places),
            ("decode", model, places, "-o", tmp_path / "rows.csv"),
            ("transform", model, file, "-o", tmp_path / "placed.csv"),
        ):
            done = run(*command)
            assert done.exit_code == 0, done.output
        before, after = read_table(places), read_table(tmp_path / "placed.csv")
        np.testing.assert_allclose(after.X, before.X, atol=1e-9)

    def test_a_folder_of_the_same_pictures_is_placed_by_their_model(self, folder, tmp_path):
        pixels, _ = read_images(folder)
        np.save(tmp_path / "some.npy", pixels.X.reshape(30, 8, 8))
        model = tmp_path / "m.sidelight"
        assert run("embed", folder, "-m", "pca", "--model", model).exit_code == 0
        for data, to in ((folder, "a.csv"), (tmp_path / "some.npy", "b.csv")):
            assert run("transform", model, data, "-o", tmp_path / to).exit_code == 0
        places = [read_table(tmp_path / to).select(["pca0", "pca1"]) for to in ("a.csv", "b.csv")]
        np.testing.assert_array_equal(*places)

    def test_larger_images_are_not_cut_to_the_size_of_the_model(self, file, tmp_path, monkeypatch):
        model = tmp_path / "m.sidelight"
        assert run("embed", file, "-m", "pca", "--model", model).exit_code == 0
        for shape in ((9, 9), (4, 16), (8, 8, 3)):
            np.save(tmp_path / "other.npy", np.ones((5, *shape)))
            done = run("transform", model, tmp_path / "other.npy", "-o", tmp_path / "z.csv")
            assert done.exit_code == 2, shape
            assert "fitted on images of 8 × 8" in " ".join(done.output.split())
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**10)
        done = run("transform", model, tmp_path / "other.npy", "-o", tmp_path / "z.csv")
        assert "fitted on images of 8 × 8" in " ".join(done.output.split())

    def test_they_come_in_blocks(self, file, monkeypatch):
        whole = read_table(file)
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**12)
        blocks = list(table_blocks(file))
        assert len(blocks) > 2
        assert {block.image_shape for block in blocks} == {(8, 8)}
        np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), whole.X)


def test_hidden_files_are_no_pictures(folder):
    """macOS leaves such files beside every picture on a stick."""
    (folder / "._digit00.png").write_bytes(b"\0\5\26\7")
    assert len(read_images(folder)[0].X) == 30
