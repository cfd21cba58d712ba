"""A map as one page: what is in it is what was given, and nothing of it can run."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib")

from sidelight.plot import write_page

_Z = np.random.default_rng(0).normal(size=(30, 2))


def _data(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found.group(1))


def _unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_the_page_holds_places_classes_and_columns(tmp_path):
    labels = np.array(["ash", "elm", "oak"])[np.arange(30) % 3]
    page = write_page(
        tmp_path / "map.html",
        _Z,
        labels=labels,
        names=[f"row {i}" for i in range(30)],
        columns={"height": np.arange(30.0), "when": [None] * 30},
        title="Trees & <towns>",
    ).read_text()
    data = _data(page)
    assert_allclose(_unpacked(data["places"], np.float32).reshape(-1, 2), _Z, rtol=1e-6)
    entry = _unpacked(data["entry"], np.int16)
    assert [data["key"][e]["name"] for e in entry] == labels.tolist()
    assert data["columns"]["height"][:2] == ["0", "1"]
    assert data["columns"]["when"][0] is None
    assert "Trees &amp; &lt;towns&gt;" in page
    assert "{{" not in page
    assert "http" not in page.replace("http-equiv", "")  # nothing from elsewhere


def test_no_text_of_the_data_can_end_its_script(tmp_path):
    bad = "</script><script>alert(1)</script>"
    page = write_page(tmp_path / "map.html", _Z, names=[bad] * 30, title=bad).read_text()
    assert bad not in page
    assert _data(page)["names"][0] == bad


def test_values_have_a_scale_and_missing_ones_a_line_of_the_key(tmp_path):
    values = np.arange(30.0) - 3
    values[4] = np.nan
    data = _data(write_page(tmp_path / "map.html", _Z, color=values).read_text())
    assert data["limits"] == ["−3", "11.5", "26"]
    assert [line["name"] for line in data["key"]] == ["missing"]


def test_images_are_on_one_sheet_in_their_order(tmp_path):
    from matplotlib.image import imread

    images = np.zeros((30, 4, 6))
    images[:] = np.linspace(0.1, 1.0, 30)[:, None, None]
    data = _data(write_page(tmp_path / "map.html", _Z, images=images).read_text())["images"]
    file = tmp_path / "sheet.png"
    file.write_bytes(base64.b64decode(data["sheet"].partition(",")[2]))
    sheet = imread(file)[..., 0]
    for i in range(30):
        row, column = divmod(i, data["per_row"])
        cell = sheet[4 * row : 4 * row + 4, 6 * column : 6 * column + 6]
        assert cell.std() < 1e-6
        assert_allclose(cell.mean(), i / 29, atol=0.01)


def _cells(data, folder):
    """The images of a page, one by one, from its sheet."""
    from matplotlib.image import imread

    file = folder / "sheet.png"
    file.write_bytes(base64.b64decode(data["sheet"].partition(",")[2]))
    sheet = imread(file)[..., :3]
    height, width = data["height"], data["width"]
    return [
        sheet[height * (i // data["per_row"]) :, width * (i % data["per_row"]) :][:height, :width]
        for i in range(30)
    ]


@pytest.mark.parametrize("channels", [(), (3,)])
def test_images_that_are_too_many_for_a_browser_are_made_smaller(tmp_path, monkeypatch, channels):
    images = np.random.default_rng(1).uniform(size=(30, 9, 12, *channels))
    images[0, :2, :2], images[0, 2:4, :2] = 0.0, 1.0  # so that the scale of greys is the same
    monkeypatch.setattr("sidelight.plot.page._MOST_PIXELS", 30 * 5 * 6)
    data = _data(write_page(tmp_path / "map.html", _Z, images=images).read_text())["images"]
    assert (data["height"], data["width"]) == (5, 6)
    for cell, image in zip(_cells(data, tmp_path), images, strict=True):
        means = [
            [image[a : a + 2, b : b + 2].mean(axis=(0, 1)) for b in range(0, 12, 2)]
            for a in range(0, 9, 2)
        ]
        expected = np.array(means) if channels else np.repeat(np.array(means)[..., None], 3, axis=2)
        assert_allclose(cell, expected, atol=1 / 250)


def test_large_images_beyond_the_most_are_brought_to_a_thumb(tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.plot.page._MOST_PIXELS", 30 * 199 * 100)
    images = np.random.default_rng(1).uniform(size=(30, 200, 100)).astype(np.float32)
    data = _data(write_page(tmp_path / "map.html", _Z, images=images).read_text())["images"]
    assert (data["height"], data["width"]) == (50, 25)


def test_images_that_would_be_too_small_to_see_are_left_out_with_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr("sidelight.plot.page._MOST_PIXELS", 30 * 3 * 3)
    images = np.random.default_rng(1).uniform(size=(30, 12, 12))
    with pytest.warns(UserWarning, match="page has no thumbnails: 30 images.*fewer rows"):
        page = write_page(tmp_path / "map.html", _Z, images=images)
    assert _data(page.read_text())["images"] is None


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_other_dimensions_are_shown_in_the_plane(tmp_path, columns):
    Z = np.random.default_rng(0).normal(size=(20, columns))
    data = _data(write_page(tmp_path / "map.html", Z).read_text())
    places = _unpacked(data["places"], np.float32).reshape(-1, 2)
    assert_array_equal(places[:, 0], Z[:, 0].astype(np.float32))


def test_what_does_not_fit_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"must end in \.html. Got 'map.png'"):
        write_page(tmp_path / "map.png", _Z)
    with pytest.raises(ValueError, match="'names' given to write_page .* per point, 30. Got"):
        write_page(tmp_path / "map.html", _Z, names=["a"])


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to read the page's script")
def test_the_script_of_the_page_can_be_read(tmp_path):
    page = write_page(tmp_path / "map.html", _Z).read_text()
    script = re.findall(r"<script>(.*?)</script>", page, re.S)[0]
    file = tmp_path / "page.js"
    file.write_text(script)
    done = subprocess.run(["node", "--check", str(file)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_dates_and_missing_values_of_frames_are_written(tmp_path):
    pd = pytest.importorskip("pandas")
    days = pd.Series(pd.to_datetime(["2024-05-01", None] * 15)).to_numpy()
    words = pd.array(["ash", pd.NA] * 15, dtype="string").to_numpy()
    page = write_page(tmp_path / "map.html", _Z, labels=words, columns={"day": days, "tree": words})
    data = _data(page.read_text())
    assert data["columns"]["day"][:2] == ["2024-05-01T00:00:00", None]
    assert data["columns"]["tree"][:2] == ["ash", None]
    assert [line["name"] for line in data["key"]] == ["ash", "missing"]


def test_what_was_said_is_in_the_page_and_not_without_end(tmp_path):
    from sidelight import embed
    from sidelight.plot.known import MOST_PAIRS
    from sidelight.side import Anchors, Pairs

    Z = _Z.copy()
    Z[3] = np.nan
    pairs = Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(4, 5)])
    anchors = Anchors([6, 3], [[1.0, 2.0], [0.0, 0.0]])
    known = _data(write_page(tmp_path / "map.html", Z, side=[pairs, anchors]).read_text())["known"]
    assert known["similar"] == [[0, 1]]  # a row without a place has no line
    assert known["dissimilar"] == [[4, 5]]
    assert known["anchors"] == [[6, 1.0, 2.0]]
    many = np.random.default_rng(1).normal(size=(60, 2))
    page = write_page(tmp_path / "map.html", many, side=Pairs.from_labels(np.arange(60) % 2))
    assert len(_data(page.read_text())["known"]["dissimilar"]) == MOST_PAIRS
    # without a plane there is nothing to draw them into, and a result draws what it was told
    assert not _data(write_page(tmp_path / "map.html", Z[:, :1], side=pairs).read_text())["known"][
        "similar"
    ]
    told = embed(np.random.default_rng(2).normal(size=(40, 4)), side=pairs, max_iter=20)
    page = told.to_html(tmp_path / "map.html")
    assert _data(page.read_text())["known"]["similar"] == [[0, 1], [2, 3]]


def _names_drawn(tmp_path, places, names, size=(400, 300)):
    """The boxes of the names that the page's script writes, by name."""
    page = write_page(tmp_path / "map.html", places).read_text()
    script = re.findall(r"<script>(.*?)</script>", page, re.S)[0]
    function = re.findall(r"^function drawNames.*?^}", script, re.S | re.M)[0]
    given = json.dumps({"names": names, "places": np.ravel(places).tolist()})
    stubs = f"""
      const data = {given}, places = data.places, n = places.length / 2, drawn = {{}};
      const shown = Array(n).fill(1), found = shown, searching = false, radius = () => 4;
      const toX = x => x, toY = y => y;
      const pen = {{ measureText: text => ({{ width: 6 * text.length }}),
        fillText: (text, x, y) => {{ drawn[text] = [x, y - 7, x + 6 * text.length, y + 7]; }} }};
    """
    file = tmp_path / "names.js"
    shown = f"drawNames({size[0]}, {size[1]}); console.log(JSON.stringify(drawn));"
    file.write_text(f"{stubs}\n{function}\n{shown}")
    done = subprocess.run(["node", str(file)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run the page's script")
def test_names_of_few_rows_are_written_and_none_covers_another_or_a_point(tmp_path):
    places = np.random.default_rng(0).uniform(20, [380, 280], size=(40, 2))
    names = [f"town {i}" for i in range(39)] + [None]
    drawn = _names_drawn(tmp_path, places, names)
    assert 20 < len(drawn) < 40
    boxes = np.array(list(drawn.values()))
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, 2:] <= [400, 300]).all()
    for name, box in drawn.items():
        left, low, right, high = box
        over = (boxes[:, :2] < [right, high]).all(axis=1) & (boxes[:, 2:] > [left, low]).all(axis=1)
        assert over.sum() == 1, name  # its own
        inside = (places > [left - 4, low - 4]) & (places < [right + 4, high + 4])
        assert not inside.all(axis=1).any(), name
    assert _names_drawn(tmp_path, np.tile(places, (2, 1)), [*names, *names]) == {}
