"""Files and folders of pictures at the door: what the command line takes, by the same code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform
from typer.testing import CliRunner

import sidelight
from sidelight import PCA, embed
from sidelight.cli.application import application
from sidelight.io import read_table, write_table
from sidelight.side import Anchors, Pairs

_RNG = np.random.default_rng(0)
X = _RNG.normal(size=(40, 3))
TOWNS = np.array([f"town {i}" for i in range(40)], dtype=object)
LAND = np.array(["a", "b"], dtype=object)[np.arange(40) % 2]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    done = CliRunner().invoke(application, [str(each) for each in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def towns(path, numbers=X):
    columns = dict(zip(("rain", "sun", "wind"), numbers.T, strict=True))
    write_table(path, {"town": TOWNS, **columns, "land": LAND})
    return path


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_path_to_a_table_gives_the_map_of_the_command_line(kind, ending):
    if ending == "csv":
        towns("data.csv")
    else:
        np.savez("data.npz", X=X)
    result = embed(kind(f"data.{ending}"), method="pca")
    run("embed", f"data.{ending}", "--method", "pca", "-o", "map.csv")
    assert_array_equal(result.points, read_table("map.csv").select(["pca0", "pca1"]))
    assert ("Set aside the columns 'town', 'land': text, not numbers." in result.why) == (
        ending == "csv"
    )


def test_rows_of_a_file_are_named_by_a_column_of_it():
    towns("data.csv")
    known = Pairs([("town 3", "town 30")], [("town 1", "town 2")])
    result = embed("data.csv", names="town", side=known, method="mds")
    told = embed(X, side=Pairs([(3, 30)], [(1, 2)]), method="mds")
    assert_allclose(result.points, told.points, atol=1e-9)
    assert result.names == tuple(TOWNS)


def test_columns_of_a_file_come_back_beside_the_map():
    pytest.importorskip("pandas")
    towns("data.csv")
    result = embed("data.csv", names="town", method="pca")
    frame = result.to_frame()
    assert list(frame.columns) == ["pca0", "pca1", "land"]
    assert list(frame.index) == list(TOWNS)
    assert "town 39" in result.to_html("map.html", labels="land").read_text()


def test_a_column_of_a_file_colours_the_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    result = embed(towns("data.csv"), method="pca")
    legend = result.plot(labels="land").get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]
    by_name, by_values = (
        result.plot(color=color).collections[0].get_facecolor() for color in ("rain", X[:, 0])
    )
    assert_allclose(by_name, by_values, atol=1e-6)
    plt.close("all")


@pytest.mark.parametrize(("missing", "rows"), [("mean", 40), ("drop-rows", 39)])
def test_missing_numbers_of_a_file_are_dealt_with_as_is_said(missing, rows):
    holes = X.copy()
    holes[7, 1] = np.nan
    towns("data.csv", holes)
    result = embed("data.csv", names="town", missing=missing, method="pca")
    run("embed", "data.csv", "--method", "pca", "--missing", missing, "-o", "map.csv")
    found = read_table("map.csv")
    assert_array_equal(result.points, found.select(["pca0", "pca1"]))
    assert len(result.names) == rows
    assert list(result.frame.labels["land"]) == list(found.labels["land"])
    with pytest.raises(ValueError, match=r"data\.csv has 1 missing value .* named 'town 7'"):
        embed("data.csv", names="town", missing="error")


def test_a_model_of_a_file_finds_its_columns_in_another():
    towns("data.csv")
    embed("data.csv", method="pca").save("model.sidelight")
    turned = {name: X[:5, i] for i, name in reversed([*enumerate(("rain", "sun", "wind"))])}
    write_table("new.csv", turned)
    run("transform", "model.sidelight", "new.csv", "-o", "placed.csv")
    expected = PCA(2).fit(X).transform(X[:5])
    assert_allclose(read_table("placed.csv").select(["pca0", "pca1"]), expected, atol=1e-6)


def test_mixed_columns_of_a_file_are_compared_too():
    towns("data.csv")
    result = embed("data.csv", names="town", columns="mixed", method="pca")
    how = ("--name-column", "town", "--columns", "mixed", "--method", "pca")
    run("embed", "data.csv", *how, "-o", "map.csv")
    assert_array_equal(result.points, read_table("map.csv").select(["pca0", "pca1"]))
    assert "by whether words are the same" in result.why
    assert "land=a" in result.coder.names
    assert "town=town 1" not in result.coder.names


def test_a_folder_of_pictures_is_a_table_with_a_row_for_each():
    Image = pytest.importorskip("PIL.Image")
    pictures = _RNG.integers(256, size=(20, 5, 6)).astype(np.uint8)
    Path("pictures").mkdir()
    for number, picture in enumerate(pictures):
        Image.fromarray(picture).save(f"pictures/{number:02d}.png")
    result = embed("pictures", method="pca")
    assert result.image_shape == (5, 6)
    assert_allclose(result.points, embed(pictures / 255, method="pca").points, atol=1e-12)
    assert result.names[3] == "03.png"
    told = embed("pictures", side=Anchors(["03.png"], [[7.0, 7.0]]), method="pca")
    assert_allclose(told.points[3], 7.0)


def test_a_sparse_array_of_a_file_is_data_or_a_graph():
    counts = sp.csr_array(_RNG.poisson(0.3, size=(40, 30)).astype(float))
    sp.save_npz("counts.npz", counts)
    found = embed("counts.npz", metric="cosine", method="ne", missing="mean", random_state=0)
    expected = embed(counts, metric="cosine", method="ne", random_state=0)
    assert_array_equal(found.points, expected.points)


def test_a_file_of_distances_is_known_by_its_looks():
    D = squareform(pdist(X))
    write_table("roads.csv", {"town": TOWNS, **dict(zip(TOWNS, D, strict=True))})
    result = embed("roads.csv", names="town")
    assert "read as the distances among 40 rows" in result.why
    assert_allclose(result.points, embed(D).points, atol=1e-6)


def test_what_is_not_there_is_said():
    towns("data.csv")
    with pytest.raises(FileNotFoundError, match=r"no file dta\.csv. Did you mean data\.csv"):
        embed("dta.csv")
    with pytest.raises(ValueError, match="data.csv has no column 'place'"):
        embed("data.csv", names="place")
    Path("empty").mkdir()
    with pytest.raises(ValueError, match="no pictures in the folder empty"):
        embed("empty")


@pytest.mark.parametrize("given", ["data.csv", Path("data.csv")])
def test_an_estimator_says_who_reads_files(given):
    towns("data.csv")
    for model in (PCA(), sidelight.Isomap(), sidelight.EquivalenceMetric()):
        with pytest.raises((TypeError, ValueError), match=r"path 'data\.csv'.*sidelight\.embed"):
            model.fit(given)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_estimator_sets_columns_of_text_aside_and_names_them(library):
    frames = pytest.importorskip(library)
    columns = {"rain": X[:, 0], "sun": X[:, 1], "town": list(TOWNS), "land": list(LAND)}
    for model in (PCA(), sidelight.Isomap()):
        with pytest.warns(UserWarning, match=r"Set aside the columns 'town', 'land': not numbers"):
            model.fit(frames.DataFrame(columns))
        assert list(model.feature_names_in_) == ["rain", "sun"]


class TestDistancesByTheirLooks:
    D = squareform(pdist(X))

    @pytest.mark.parametrize("where", ["above", "diagonal", "below zero"])
    def test_rounding_makes_no_features_of_them(self, where):
        D = self.D.copy()
        if where == "above":
            D[3, 7] *= 1 + 1e-14
        elif where == "diagonal":
            np.fill_diagonal(D, 1e-15)
        else:  # as 1 − cosine of a row with itself
            np.fill_diagonal(D, -1e-16)
        assert not np.array_equal(D, self.D)
        result = embed(D)
        assert "read as the distances among 40 rows" in result.why
        assert_allclose(result.points, embed(self.D).points, atol=1e-9)
        assert result.quality().stress < 1e-6 + embed(self.D).quality().stress

    def test_what_single_precision_leaves_is_rounding(self):
        D = self.D.astype(np.float32)
        D[3, 7] *= np.float32(1 + 3e-7)
        assert D[3, 7] != D[7, 3]
        assert "read as the distances" in embed(D).why

    def test_more_than_rounding_is_none(self):
        D = self.D.copy()
        D[3, 7] *= 1 + 1e-5
        assert "read as the distances" not in embed(D).why
        assert "read as the distances" not in embed(self.D - 0.1 * np.eye(40)).why

    def test_the_command_line_says_so_too(self):
        D = self.D.copy()
        D[3, 7] *= 1 + 1e-14
        np.save("roads.npy", D)
        assert "read as the distances among 40 rows" in " ".join(
            run("embed", "roads.npy", "-o", "map.csv").stderr.split()
        )
