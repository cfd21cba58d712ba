"""Numbers out of frames and images: what is kept, what is set aside, what is said."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from sidelight import PCA, embed
from sidelight.core import numbers_of_frame, rows_in, rows_of_pixels
from sidelight.quality import quality_report

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def test_a_frame_of_whole_numbers_is_given_back_as_it_is():
    for library in (pd, pl):
        frame = library.DataFrame({"a": [1, 2], "b": [1.5, 2.0], "c": [True, False]})
        assert numbers_of_frame(frame).X is frame


def test_numbers_keep_their_precision_and_rows_their_names():
    single = pd.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}, index=["x", "y"], dtype=np.float32)
    found = numbers_of_frame(single.assign(word=["u", "v"]))
    assert found.words == ("word",)
    pd.testing.assert_frame_equal(found.X, single)


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_that_were_written_as_text_are_numbers(library):
    frame = library.DataFrame({"a": ["1.5", "2"], "b": [1, 2], "c": ["1,5", "2"]})
    found = numbers_of_frame(frame)
    assert (found.words, found.written) == (("c",), ("a",))
    np.testing.assert_array_equal(found.X, [[1.5, 1], [2, 2]])


def test_gaps_of_every_kind_are_not_a_number():
    columns = {
        "nullable": pd.array([1, None, 3], dtype="Int64"),
        "objects": pd.array([1.0, pd.NA, None], dtype=object),
        "yes": pd.array([True, None, False], dtype="boolean"),
    }
    found = numbers_of_frame(pd.DataFrame(columns))
    nan = np.nan
    np.testing.assert_array_equal(found.X, [[1, 1, 1], [nan, nan, nan], [3, nan, 0]])


def test_columns_with_nothing_in_them_are_left_out_and_said():
    nothing = {"none": [None, None], "nan": [np.nan, np.nan]}
    for library in (pd, pl):
        found = numbers_of_frame(library.DataFrame({"a": [1, 2], **nothing}))
        assert list(found.X.columns) == ["a"]
        assert found.left_out == ("Left out the columns 'none', 'nan': there is nothing in them.")
        assert numbers_of_frame(library.DataFrame(nothing)).X is None
        kept = numbers_of_frame(library.DataFrame({"a": [1, 2], **nothing}), needed=["a", "none"])
        np.testing.assert_array_equal(kept.X, [[1, np.nan], [2, np.nan]])


def test_lists_dates_and_categories_are_set_aside():
    day = datetime.date(2026, 1, 1)
    nested = pl.DataFrame({"a": [1, 2], "list": [[1], [2, 3]], "at": [{"x": 1}] * 2, "day": day})
    assert numbers_of_frame(nested).words == ("list", "at", "day")
    kinds = pd.DataFrame(
        {"a": [1, 2], "kind": pd.Categorical([1, 2]), "took": pd.to_timedelta([1, 2])}
    )
    assert numbers_of_frame(kinds).words == ("kind", "took")


def test_cells_that_hold_arrays_are_set_aside_at_the_door_too():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=list("abc"))
    odd = frame.assign(array=[np.ones(3)] * 30, when=pd.period_range("2026", periods=30, freq="D"))
    result = embed(odd.assign(kind=pd.Categorical([1, 2] * 15)), method="pca")
    assert "Set aside the columns 'array', 'when', 'kind': not numbers." in result.why
    np.testing.assert_allclose(result.points, embed(frame, method="pca").points, atol=1e-12)
    tuples = odd.set_axis(pd.MultiIndex.from_product([odd.columns, ["x"]]), axis=1)
    np.testing.assert_allclose(embed(tuples, method="pca").points, result.points, atol=1e-12)


def test_what_is_masked_is_missing():
    X = np.random.default_rng(0).normal(size=(30, 3))
    masked = np.ma.masked_greater(X, 1.5)
    assert type(embed(masked).model).__name__ == "ProbabilisticPCA"
    with pytest.raises(ValueError, match="NaN. PCA does not accept missing values"):
        PCA(2).fit(masked)
    plain = np.ma.array(X)
    np.testing.assert_allclose(PCA(2).fit(plain).embedding_, PCA(2).fit(X).embedding_, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"a": [1, 2], "b": [3, 5]}, r"Got dict. Make it a frame: pandas.DataFrame\(X\)"),
        ([{"a": 1}, {"a": 2}], r"Got list of dict. Make it a frame"),
        (iter([[1.0], [2.0]]), r"Make it an array: np.array\(list\(X\)\)"),
        (np.array([(1.0, 2)] * 3, dtype=[("a", float), ("b", int)]), "with named fields. Make it"),
        (pl.DataFrame({"a": [1.0]}).lazy(), r"Got a LazyFrame.*X.collect\(\)"),
        (pd.DataFrame([[1.0, 2.0]] * 3, columns=["a", "a"]), "unique column names.* 'a'. Rename"),
    ],
)
def test_what_is_no_table_is_told_how_to_become_one(given, words):
    with pytest.raises((TypeError, ValueError), match=f"PCA expects X to .*{words}"):
        PCA(1).fit(given)


def test_pictures_of_a_list_are_images_of_one_size():
    images = [np.full((3, 2), i) for i in range(4)]
    rows, shape = rows_of_pixels(images, who="it")
    assert shape == (3, 2)
    np.testing.assert_array_equal(rows, np.repeat(np.arange(4)[:, None], 6, axis=1))
    Image = pytest.importorskip("PIL.Image")
    pictures = [Image.fromarray(np.full((3, 2), i, dtype=np.uint8)) for i in range(4)]
    np.testing.assert_array_equal(rows_of_pixels(pictures, who="it")[0], rows)
    with pytest.raises(
        ValueError, match="it expects the images in X to be of one size. Got some o"
    ):
        rows_of_pixels([*images, np.ones((2, 2))], who="it")
    for plain in ([[1.0, 2.0], [3.0, 4.0]], [np.arange(2.0)] * 3, [], [np.float64(1.0)]):
        assert rows_of_pixels(plain, who="it") == (plain, None)


def test_no_images_are_no_rows():
    assert rows_in(np.empty((0, 4, 3)), who="it")[0].shape == (0, 12)
    with pytest.raises(ValueError, match="PCA expects X to have at least 2 rows"):
        embed(np.empty((0, 4, 3)), method="pca")


def test_the_quality_of_a_map_of_a_frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 4)), columns=list("abcd"))
    Z = PCA(2).fit(frame).embedding_
    with pytest.warns(UserWarning, match="quality_report: Set aside the column 'word'"):
        told = quality_report(frame.assign(word="w"), Z)
    assert told.auc == quality_report(frame, Z).auc
    with pytest.raises(ValueError, match="quality_report expects X to hold numbers.*'word'"):
        quality_report(pd.DataFrame({"word": ["w"] * 40}), Z)


def test_a_frame_with_numbers_that_were_spoilt_is_said_to_be():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    spoilt = frame.assign(d=[*map(str, range(38)), "high", "?"])
    with pytest.warns(UserWarning, match="'d' as text: 1 of its 40 cells is no number, 'high' in"):
        result = embed(spoilt, method="pca")
    assert "'d'" not in result.why
    commas = frame.assign(d=[f"{i},5" for i in range(40)], e="w")
    with pytest.warns(UserWarning, match="numbers with a comma"):
        assert "Set aside the column 'e': not numbers." in embed(commas, method="pca").why
    written = embed(frame.assign(d=[*map(str, range(40))]), method="pca")
    assert "Read the text in the column 'd' as numbers." in written.why
