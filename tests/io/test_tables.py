"""Tables as people really have them."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sidelight
from sidelight.core.errors import MissingExtraError
from sidelight.io import Table, read_table, write_table
from sidelight.io.table import large, read_columns, settle_missing, table_blocks


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(content: str | bytes, name: str = "data.csv") -> Path:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


def plain(table: Table) -> tuple[list[list[float]], tuple[str, ...]]:
    return table.X.tolist(), table.column_names


TWO = ([[1.0, 2.0], [3.0, 4.5]], ("a", "b"))


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2\n3,4.5\n",
        "a;b\n1;2\n3;4.5\n",
        "a\tb\n1\t2\n3\t4.5",
        "a;b\n1;2\n3;4,5\n",  # a decimal comma
        '"a","b"\r\n"1","2"\r\n"3","4.5"\r\n',  # quoted, Windows
        "\ufeffa,b\n1,2\n3,4.5\n",  # the mark that Excel puts in front
        " a , b \n\n1, 2\n\n3 ,4.50\n\n\n",  # spaces, empty lines
        "a,b\r1,2\r3,4.5\r",  # old Macintosh
        " a    b\n 1    2\n 3   4.5\n",  # spaces
        '"a" "b"\n"x" 1 2\n"a  y" 3 4.5\n',  # as R writes them
        "a|b\n1|2\n3|4.5\n",
        "a,b,\n1,2,\n3,4.5,\n",  # a separator at the end of every line
        "a,b,c\n1,2,\n3,4.5,NA\n",  # a column with nothing in it
    ],
)
def test_one_table_written_in_many_ways(content: str, written: Any) -> None:
    assert plain(read_table(written(content))) == TWO


def test_row_numbers_without_a_name_are_no_data(written: Any) -> None:
    table = read_table(written(",a,b\n0,1,2\n1,3,4.5\n2,7,8\n"))
    assert table.column_names == ("a", "b")
    assert any("row numbers" in note for note in table.notes)
    # a table without any names may well begin with 0, 1, 2
    assert read_table(written("0,1,2\n1,3,4.5\n2,7,8\n")).X.shape == (3, 3)
    # and two rows may well have a 0 and a 1 for a value
    assert read_table(written(",a,b\n0,1,2\n1,3,4.5\n")).column_names == ("column 1", "a", "b")


def test_marks_in_the_row_of_names_separate_nothing(written: Any) -> None:
    """Two commas in it, and one semicolon, which is in all other rows too."""
    table = read_table(written("town, county, land;height\nAsh;1\nElm;2\nOak;4\n"))
    assert plain(table) == ([[1.0], [2.0], [4.0]], ("height",))
    assert list(table.labels) == ["town, county, land"]


def test_a_quoted_separator_line_break_and_quotation_mark(written: Any) -> None:
    table = read_table(written('name,a\n"Ash, ""old""\nand grey",1\n"Elm",2\n'))
    assert table.labels["name"].tolist() == ['Ash, "old"\nand grey', "Elm"]
    assert table.X[:, 0].tolist() == [1.0, 2.0]


def test_text_is_set_aside_with_a_note_never_in_silence(written: Any) -> None:
    table = read_table(written("id,a,kind\nx7,1,oak\nx9,2,\n"))
    assert table.column_names == ("a",)
    assert {name: values.tolist() for name, values in table.labels.items()} == {
        "id": ["x7", "x9"],
        "kind": ["oak", ""],
    }
    assert table.notes == ("Set aside the columns 'id', 'kind': text, not numbers.",)


def test_one_word_among_numbers_makes_a_column_text(written: Any) -> None:
    table = read_table(written("a,b\n1,2\nbroken,3\n"))
    assert table.column_names == ("b",)
    assert "'a'" in table.notes[0]


@pytest.mark.parametrize("field", ["1_000", "0x10", "１２", "1.2.3", "--1", "1e", "12%"])
def test_what_only_looks_like_a_number_is_text(field: str, written: Any) -> None:
    assert read_table(written(f"a,b\n{field},2\n")).column_names == ("b",)


@pytest.mark.parametrize(
    ("field", "value"), [("+1.5e-3", 0.0015), (".5", 0.5), ("5.", 5.0), ("-0", -0.0), ("1E3", 1e3)]
)
def test_ways_to_write_numbers(field: str, value: float, written: Any) -> None:
    assert read_table(written(f"a,b\n{field},2\n")).X[0, 0] == value


def test_numbers_are_read_to_the_bit(written: Any) -> None:
    numbers = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    content = "a\n" + "\n".join(map(repr, numbers.tolist()))
    assert np.array_equal(read_table(written(content)).X[:, 0], numbers)


def test_tables_of_numbers_alone_are_read_as_those_with_words_are(written: Any) -> None:
    numbers = np.random.default_rng(2).normal(size=(30, 3)) * 10.0 ** np.arange(-10, 20, 10)
    lines = [",".join(map(repr, row)) for row in numbers.tolist()]
    alone = read_table(written("\n".join(["a,b,c", *lines])))
    beside = read_table(written("\n".join(["a,b,c,d", *(f"{line},word" for line in lines)])))
    assert np.array_equal(alone.X, numbers)
    assert np.array_equal(beside.X, numbers)
    assert alone.column_names == beside.column_names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("1,2\n3,4\n", ("column 1", "column 2")),
        ("5.1,setosa\n4.9,virginica\n", ("column 1",)),  # data from the first row on
        ("year,2019,2020\n1,2,3\n4,5,6\n", ("year", "2019", "2020")),  # names that are numbers
        ("a\n1\n", ("a",)),
    ],
)
def test_the_row_of_names_is_found_out(content: str, names: tuple[str, ...], written: Any) -> None:
    assert read_table(written(content)).column_names == names


def test_the_row_of_names_can_be_told(written: Any) -> None:
    file = written("2019,2020\n1,2\n3,4\n")
    assert read_table(file).X.shape == (3, 2)
    assert plain(read_table(file, header=True)) == ([[1.0, 2.0], [3.0, 4.0]], ("2019", "2020"))


def test_a_ragged_row_is_named_by_its_line(written: Any) -> None:
    with pytest.raises(ValueError, match=r"data\.csv, line 5: 3 values where the first row has 2"):
        read_table(written('a,b\n1,2\n"3\n",4\n5,6,7\n8,9\n'))
    with pytest.raises(ValueError, match=r"line 2: 1 value where.*So it is in 1 further row\."):
        read_table(written("a,b\n1\n2\n3,4\n"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b,a\n1,2,3\n", "more than one column named 'a': columns 1, 3"),
        ("a,b\n", "names of columns, but no rows"),
        ("", "is empty"),
        ("\n \n\n", "is empty"),
        ("a,b\nx,y\nz,w\n", "no column of numbers"),
        ("a/b\n1/2\n3/4\n", "separated by commas, semicolons, tabs, spaces or bars"),
        ('a,b\n1,"2\n3,4\n', "quotation mark that is not closed"),
        ("a,b\n1,inf\n2,3\n", r"infinite value in row 1, column 'b' \(1 in all\)"),
        ("é,b\n1,2\n".encode("latin-1"), "not in UTF-8: line 1 has the byte 0xe9"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16. Save it as UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", "it is a PNG picture"),
        (b"a,b\n1,\x002\n", "it is binary data"),
        (b"PK\x03\x04\x14\0", "a zip file .* Save a spreadsheet as CSV"),
        (b"\x1f\x8b\x08\0", "compressed with gzip. Unpack it first"),
        (pickle.dumps([1, 2]), "Pickles can run code"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(
    content: str | bytes, words: str, written: Any
) -> None:
    with pytest.raises(ValueError, match=words):
        read_table(written(content))


HOLES = "a,b,c,kind\n1,,3,x\n4,5,6,\nNA,8,9,z\n10,11,12,w\n"


def test_missing_numbers_are_refused_with_what_to_do(written: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"2 missing values in the columns 'a', 'b'; the first is in row 1\. 2 of 4 rows are "
        r"complete\..*missing='drop-rows'.*'keep'",
    ):
        read_table(written(HOLES))


def test_missing_numbers_as_the_user_wants_it(written: Any) -> None:
    file = written(HOLES)
    dropped = read_table(file, missing="drop-rows")
    assert dropped.X.tolist() == [[4.0, 5.0, 6.0], [10.0, 11.0, 12.0]]
    assert dropped.rows.tolist() == [1, 3]
    assert dropped.labels["kind"].tolist() == ["", "w"]
    assert "Left out 2 rows with 2 missing values." in dropped.notes
    narrow = read_table(file, missing="drop-columns")
    assert plain(narrow) == ([[3.0], [6.0], [9.0], [12.0]], ("c",))
    filled = read_table(file, missing="mean")
    assert filled.X[:, 0].tolist() == [1.0, 4.0, 5.0, 10.0]
    assert filled.X[:, 1].tolist() == [8.0, 5.0, 8.0, 11.0]
    assert np.isnan(read_table(file, missing="keep").X).sum() == 2
    assert plain(read_table(file, ignore=["a", "b"]))[1] == ("c",)
    with pytest.raises(ValueError, match="'missing' argument of read_table must be one of"):
        read_table(file, missing="guess")
    with pytest.raises(ValueError, match="every row has a missing value"):
        read_table(written("a,b\n1,\n,2\n"), missing="drop-rows")


def test_columns_are_set_aside_and_left_out_by_name(written: Any) -> None:
    table = read_table(written("a,b,label\n1,2,0\n3,4,1\n"), aside=["label"], ignore=["b"])
    assert plain(table) == ([[1.0], [3.0]], ("a",))
    assert table.labels["label"].tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match=r"no column 'lable'\. Did you mean 'label'\?"):
        read_table(written("a,label\n1,2\n"), ignore=["lable"])
    with pytest.raises(ValueError, match="no column of numbers to work on"):
        read_table(written("a,label\n1,2\n"), aside=["a", "label"])


def test_holes_in_what_is_set_aside_are_no_reason_to_refuse(written: Any) -> None:
    table = read_table(written("a,score\n1,\n3,4\n"), aside=["score"])
    assert np.isnan(table.labels["score"][0])


def test_a_missing_file_names_close_ones(written: Any) -> None:
    file = written("a\n1\n", "results.csv")
    with pytest.raises(FileNotFoundError, match=r"Did you mean results\.csv\?"):
        read_table(file.with_name("result.csv"))
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        read_table(file.parent / "nowhere" / "a.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_table(file.parent)
    with pytest.raises(ValueError, match=r"ending '\.xlsx', and tables end in \.csv"):
        read_table(written("a\n1\n", "a.xlsx"))


def test_arrays(tmp_path: Path) -> None:
    X = np.arange(6).reshape(3, 2)
    np.save(tmp_path / "a.npy", X)
    assert plain(read_table(tmp_path / "a.npy")) == (X.tolist(), ("column 1", "column 2"))
    np.savez(tmp_path / "a.npz", X=X, Y=X.T, kind=np.array(["p", "q", "r"]))
    table = read_table(tmp_path / "a.npz")
    assert table.X.tolist() == X.tolist()
    assert table.labels["kind"].tolist() == ["p", "q", "r"]
    assert "left out Y" in table.notes[0]


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3), "two-dimensional"),
        (np.zeros((0, 3)), "no values"),
        (np.zeros((2, 2), dtype=complex), "holds complex128"),
    ],
)
def test_arrays_that_are_no_tables(array: Any, words: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=words):
        read_table(tmp_path / "a.npy")


def test_arrays_of_objects_are_never_opened(tmp_path: Path, written: Any) -> None:
    np.save(tmp_path / "a.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="never read"):
        read_table(tmp_path / "a.npy")
    np.savez(tmp_path / "a.npz", X=np.array([[{}]], dtype=object))
    with pytest.raises(ValueError, match="cannot be read as an npz file"):
        read_table(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="it is a Python pickle"):
        read_table(written(pickle.dumps([[1.0]]), "b.npy"))
    np.savez(tmp_path / "c.npz", A=np.zeros((2, 2)), B=np.zeros((2, 2)))
    with pytest.raises(ValueError, match="or one that is named X"):
        read_table(tmp_path / "c.npz")


def test_parquet_with_every_kind_of_column(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {
        "whole": pa.array([1, None, 3], pa.int64()),
        "real": pa.array([0.5, 1.5, 2.5], pa.float32()),
        "yes": pa.array([True, False, True]),
        "kind": pa.array(["a", None, "a"]).dictionary_encode(),
        "nothing": pa.nulls(3),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", missing="drop-rows")
    assert plain(table) == ([[1.0, 0.5, 1.0], [3.0, 2.5, 1.0]], ("whole", "real", "yes"))
    assert table.labels["kind"].tolist() == ["a", "a"]
    assert any("'nothing'" in note for note in table.notes)
    nested = pa.table({"x": pa.array([[1.0, 2.0]])})
    pq.write_table(nested, tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="no column of numbers.*the column 'x', set aside"):
        read_table(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    "word", ["-", ".", "missing", "n.d.", "1.#IND", "-1.#IND", "#NUM!", "-nan", "NaN(ind)", "N.A."]
)
def test_what_people_write_where_there_is_no_value(written: Any, word: str) -> None:
    table = read_table(written(f"a,b\n1,2\n{word},3\n4,5\n"), missing="keep")
    assert table.column_names == ("a", "b")
    np.testing.assert_array_equal(table.X[:, 0], [1, np.nan, 4])


def test_a_column_of_numbers_with_a_word_in_it_names_the_cell(written: Any) -> None:
    cells = [str(i) for i in range(20)]
    cells[16] = "high"
    table = read_table(written("a,b,c\n" + "".join(f"{c},{i},x\n" for i, c in enumerate(cells))))
    assert table.column_names == ("b",)
    [said] = table.warnings
    assert "'a' as text: 1 of its 20 cells is no number, 'high' in row 17" in said
    assert table.notes == ("Set aside the column 'c': text, not numbers.",)
    cells[3:6] = ["low", "low", "low"]
    table = read_table(written("a,b\n" + "".join(f"{c},{i}\n" for i, c in enumerate(cells))))
    assert not table.warnings


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (['"1,005.5"', "12", '"1,000"'], [1005.5, 12, 1000]),
        (['"1,234,567"', "12", "-"], [1234567, 12, np.nan]),
        (['"1.005,5"', '"12,25"', "3"], [1005.5, 12.25, 3]),
    ],
)
def test_thousands_apart_are_read_where_they_can_mean_nothing_else(
    written: Any, cells: list[str], expected: list[float]
) -> None:
    text = "a,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells))
    table = read_table(written(text), missing="keep")
    np.testing.assert_array_equal(table.X[:, 0], expected)
    assert "Read marks between thousands as such in the column 'a'." in table.notes


def test_a_comma_that_may_mean_two_things_is_said(written: Any) -> None:
    table = read_table(written('a,b\n"1,005",1\n"2,250",2\n'))
    assert table.column_names == ("b",)
    assert "2 of its 2 cells are numbers with a comma" in table.warnings[0]
    assert "'1,005' in row 1" in table.warnings[0]


def test_a_csv_that_says_it_is_parquet(written: Any) -> None:
    with pytest.raises(ValueError, match="is not a Parquet file, whatever its name says: it is t"):
        read_table(written("a,b\n1,2\n", "a.parquet"))
    with pytest.raises(ValueError, match="cannot be read as a Parquet file"):
        read_table(written(b"PAR1 and nothing more", "a.parquet"))


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"sidelight\[tables\]"):
        read_table(written(b"PAR1....PAR1", "a.parquet"))
    with pytest.raises(MissingExtraError, match=r"sidelight\[tables\]"):
        write_table(tmp_path / "b.parquet", {"a": [1.0]})
    assert read_table(written("a\n1\n")).X.tolist() == [[1.0]]  # csv needs none


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz"])
def test_what_is_written_is_read_to_the_bit(ending: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns = {"one": rng.normal(size=40), "two, really": rng.normal(size=40) * 1e-30}
    kinds = rng.choice(["ä", 'say "b"', "c\td", "e,f", "g\nh"], size=40)
    file = write_table(tmp_path / f"a.{ending}", {**columns, "kind": kinds})
    table = read_table(file)
    assert np.array_equal(table.X, np.column_stack(list(columns.values())))
    assert table.labels["kind"].tolist() == kinds.tolist()
    if ending != "npz":
        assert table.column_names == tuple(columns)


def test_writing_says_what_it_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ending must be one of \.csv"):
        write_table(tmp_path / "a.doc", {"a": [1.0]})
    with pytest.raises(ValueError, match="columns of one length"):
        write_table(tmp_path / "a.csv", {"a": [1.0], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="An npy file holds numbers, and 'b' is text"):
        write_table(tmp_path / "a.npy", {"a": [1.0], "b": ["x"]})
    assert list(tmp_path.iterdir()) == []


def test_a_column_without_any_value_has_no_mean() -> None:
    X = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan]])
    with pytest.raises(ValueError, match="the column 'b' has no value at all.*'drop-columns'"):
        settle_missing(X, ("a", "b"), "mean", "data.csv")
    with pytest.raises(ValueError, match="the column '1' has no value at all"):
        sidelight.embed(X, method="pca", missing="mean")


def test_columns_of_lists_are_set_aside_in_files_as_in_frames(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"a": [1.0, 2.0], "b": [3.0, 5.0], "tags": [["x"], []], "at": [{"x": 1}, None]}
    parquet.write_table(pa.table(columns), tmp_path / "nested.parquet")
    table = read_table(tmp_path / "nested.parquet")
    assert (table.X.tolist(), table.column_names) == ([[1.0, 3.0], [2.0, 5.0]], ("a", "b"))
    assert table.notes == ("Set aside the columns 'tags', 'at': text, not numbers.",)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["€1.50", "€2.25", "€3.00", "€4.10"], "4 of its 4 cells are numbers with a unit, the fi"),
        (["12.5%", "8%", "7 %", "3.5 %"], "numbers with a unit, the first '12.5%' in row 1"),
        (['"$1,250.00"', '"$2,000.50"'], "2 of its 2 cells are numbers with a unit"),
    ],
)
def test_numbers_with_a_unit_are_doubted(written: Any, cells: list[str], words: str) -> None:
    rows = "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    (doubt,) = read_table(written(f"a,b\n{rows}")).warnings
    assert words in doubt


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", "# by hand\na,b\n1,2\n3,4\n", "line 2: 2 values .* what stands above the row of"),
        ("a.xlsx", "PK", "Save the sheet as one of these, in the spreadsheet as 'CSV UTF-8'"),
        ("a.npy", (3,), r"One number per row: X.reshape\(-1, 1\)"),
        ("a.npy", (3, 2, 2, 2, 2), r"or images, \(n, height, width\).*Flatten each item"),
        ("a.npy", (3, 0, 2), r"holds no values: its shape is \(3, 0, 2\)"),
        ("a.csv.gz", "PK", "Unpack it first"),
        ("a.png", "PNG", "give the folder that they are in"),
    ],
)
def test_what_to_do_is_said_for_what_it_is(
    tmp_path: Path, name: str, content: Any, words: str
) -> None:
    file = tmp_path / name
    if isinstance(content, str):
        file.write_text(content)
    else:
        np.save(file, np.zeros(content))
    with pytest.raises(ValueError, match=words):
        read_table(file)


class TestOneFileHasOneDecimalMark:
    """Among numbers with a decimal comma 1.005 is a thousand and five, and the reverse."""

    GERMAN = "price;sold;kind\n1,50;1.005;a\n12,25;12;b\n0,99;2.340;a\n"

    def test_points_beside_decimal_commas_stand_between_thousands(self, written: Any) -> None:
        table = read_table(written(self.GERMAN))
        np.testing.assert_array_equal(table.X, [[1.5, 1005], [12.25, 12], [0.99, 2340]])
        assert "Read marks between thousands as such in the column 'sold'." in table.notes
        assert "Read 3,5 as three and a half in the column 'price'." in table.notes

    @pytest.mark.parametrize("separator", [";", "\t", ","])
    def test_commas_beside_decimal_points_do(self, written: Any, separator: str) -> None:
        rows = ["share,sold", '0.5,"1,005"', '12.25,"12"', '3,"2,340"']
        text = "\n".join(row.replace(",", separator, 1) for row in rows)
        table = read_table(written(text))
        np.testing.assert_array_equal(table.X, [[0.5, 1005], [12.25, 12], [3, 2340]])
        assert "Read marks between thousands as such in the column 'sold'." in table.notes

    @pytest.mark.parametrize(
        ("cells", "expected"),
        [
            (["0.125", "1.250"], [0.125, 1.25]),  # no thousand begins with a nought
            (["1.2505", "1.250"], [1.2505, 1.25]),
        ],
    )
    def test_two_marks_that_can_only_be_decimal_are_both(
        self, written: Any, cells: list[str], expected: list[float]
    ) -> None:
        text = "a;b\n" + "".join(f"{cell};3,5\n" for cell in cells)
        table = read_table(written(text))
        np.testing.assert_array_equal(table.X, [[value, 3.5] for value in expected])

    def test_words_with_commas_in_them_say_nothing_of_numbers(self, written: Any) -> None:
        table = read_table(written("a;b\n1.005;3,5 and 7,5\n2.340;x\n"))
        np.testing.assert_array_equal(table.X, [[1.005], [2.34]])

    def test_a_cell_of_the_same_column_tells(self, written: Any) -> None:
        table = read_table(written("a;b\n1.005;1\n3,5;2\n"))
        np.testing.assert_array_equal(table.X, [[1005, 1], [3.5, 2]])

    def test_a_list_between_commas_is_no_number(self, written: Any) -> None:
        table = read_table(written('a,b\n"3,5",1\n"2,7",2\n'))
        assert table.column_names == ("b",)
        assert "numbers with a comma" in table.warnings[0]

    @pytest.mark.parametrize("column", ["1.005", "1,005"])
    def test_blocks_are_read_as_the_whole_file(
        self, written: Any, monkeypatch: pytest.MonkeyPatch, column: str
    ) -> None:
        """What tells stands in the last row, and was not known to the first block."""
        other = "." if "," in column else ","
        rows = [f"{i};{column};x" for i in range(3000)] + [f"7;3{other}5;y"]
        file = written("number;mark;kind\n" + "\n".join(rows) + "\n")
        expected = read_table(file)
        assert expected.X[0, 1] == 1005
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**12)
        blocks = list(table_blocks(file))
        assert len(blocks) > 5
        np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), expected.X)

    @pytest.mark.parametrize(
        ("plain", "telling"),
        [
            ("7,1.250,1.5", "7,1.005.000,1.5"),
            ('7,1.250,"x"', '7,"5,","x"'),
            ("7;1.250;x", "7;5,;x"),
            ("7|1.250|1.5", "7|1.005.000|1.5"),
        ],
    )
    @pytest.mark.parametrize("place", [0, 1500, 2999])
    @pytest.mark.parametrize("header", [True, False])
    def test_what_may_be_thousands_is_decided_once_wherever_the_cell_stands_that_tells(
        self,
        written: Any,
        monkeypatch: pytest.MonkeyPatch,
        plain: str,
        telling: str,
        place: int,
        header: bool,
    ) -> None:
        """Points alone between commas, a comma without decimals, the first row without names."""
        rows = [plain] * 3000
        rows[place] = telling
        separator = next(mark for mark in "|;," if mark in plain)
        names = [separator.join(["one", "two", "three"])] * header
        file = written("\n".join([*names, *rows]) + "\n")
        expected = read_table(file, header=header)
        assert expected.X[1, 1] == 1250
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**12)
        blocks = list(table_blocks(file, header=header))
        assert len(blocks) > 5
        np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), expected.X)

    def test_quoted_thousands_in_blocks(
        self, written: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = [f'{i},"1,005",2' for i in range(3000)] + ['7,"1,005",2.5']
        file = written("number,mark,share\n" + "\n".join(rows) + "\n")
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**12)
        found = np.vstack([block.X for block in table_blocks(file)])
        np.testing.assert_array_equal(found, read_table(file).X)
        assert (found[:, 1] == 1005).all()


class TestTheIndexOfAFrame:
    """What pandas writes of rows that were picked or shuffled is no data."""

    @pytest.mark.parametrize("numbers", [[4, 7, 9, 30], [2, 0, 3, 1]])
    def test_row_numbers_with_gaps_or_in_disorder(self, written: Any, numbers: list[int]) -> None:
        rows = "".join(f"{number},{i}.5,{i * i}\n" for i, number in enumerate(numbers))
        table = read_table(written(f",a,b\n{rows}"))
        assert table.column_names == ("a", "b")
        assert table.labels["column 1"].tolist() == numbers
        assert any("another whole number in every row" in note for note in table.notes)

    @pytest.mark.parametrize("column", [[1.5, 2, 3], [5, 5, 6], [-1, 2, 3]])
    def test_a_column_without_a_name_that_numbers_no_rows_is_data(
        self, written: Any, column: list[float]
    ) -> None:
        rows = "".join(f"{value},{i}.5\n" for i, value in enumerate(column))
        assert read_table(written(f",a\n{rows}")).X.shape == (3, 2)

    @pytest.mark.parametrize("name", [None, "id"])
    def test_of_a_parquet_file(self, tmp_path: Path, name: str | None) -> None:
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        frame = pd.DataFrame({"a": [1.0, 2, 3], "b": [3.0, 4, 9]}, index=[40, 70, 90])
        frame.index.name = name
        file = tmp_path / "data.parquet"
        frame.to_parquet(file)
        table = read_table(file)
        np.testing.assert_array_equal(table.X, frame.to_numpy())
        called = name or "__index_level_0__"
        assert table.labels[called].tolist() == [40, 70, 90]
        assert f"Set aside the column {called!r}: the index of the frame, no data." in table.notes
        asked = read_table(file, aside=[called])
        assert not any("index" in note for note in asked.notes)
        np.testing.assert_array_equal(sidelight.embed(file, method="pca").data, table.X)

    def test_row_names_as_r_writes_them(self, written: Any) -> None:
        """write.table: a name for every column, none for that of the row names."""
        table = read_table(written('"a"\t"b"\n"x"\t1\t2\n"y"\t3\t4.5\n', "data.tsv"))
        assert plain(table) == TWO
        assert table.labels["column 1"].tolist() == ["x", "y"]
        counted = read_table(written("a\tb\n1\t1\t2\n2\t3\t4.5\n3\t7\t8\n", "data.tsv"))
        assert counted.column_names == ("a", "b")
        assert counted.X[:2].tolist() == TWO[0]

    def test_names_of_rows_without_a_name_are_said_to_be_such(self, written: Any) -> None:
        table = read_table(written(",Ash,Elm\nAsh,0,2\nElm,2,0\nFir,3,4\n"))
        assert any("--name-column 'column 1'" in note for note in table.notes)
        twice = read_table(written(",Ash,Elm\nAsh,0,2\nAsh,2,0\nFir,3,4\n"))
        assert twice.notes == ("Set aside the column 'column 1': text, not numbers.",)

    def test_a_separator_at_the_end_of_all_rows_but_the_first(self, written: Any) -> None:
        assert plain(read_table(written("a,b\n1,2,\n3,4.5,\n"))) == TWO

    def test_a_name_that_lacks_anywhere_else_is_still_missed(self, written: Any) -> None:
        with pytest.raises(ValueError, match="line 2: 3 values where the first row has 2"):
            read_table(written("a,b\n1.5,2,3\n3.5,4,5\n"))


class TestImagesInArrays:
    IMAGES = np.random.default_rng(0).random((12, 3, 4))

    def test_they_are_rows_of_pixels(self, tmp_path: Path) -> None:
        np.save(tmp_path / "a.npy", self.IMAGES)
        table = read_table(tmp_path / "a.npy")
        np.testing.assert_array_equal(table.X, self.IMAGES.reshape(12, 12))
        assert table.pictured == (3, 4)
        assert table.column_names[5] == "pixel 1, 1"
        assert table.notes == ("Images of 3 × 4 are rows of pixels.",)

    def test_what_stands_beside_them_is_no_pixel(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "a.npz", X=self.IMAGES, angle=np.arange(12.0), kind=["a", "b"] * 6)
        table = read_table(tmp_path / "a.npz")
        assert table.pictured == (3, 4)
        assert set(table.labels) == {"angle", "kind"}
        assert "Set aside the column 'angle': no pixels of the images." in table.notes
        left = read_table(tmp_path / "a.npz", ignore=["pixel 0, 0"])
        assert left.pictured is None

    def test_a_table_beside_images_is_the_data(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "a.npz", table=np.eye(5), images=np.ones((5, 2, 2)))
        assert read_table(tmp_path / "a.npz").X.shape == (5, 5)
        np.savez(tmp_path / "b.npz", one=np.ones((5, 2, 2)), other=np.ones((5, 2, 2)))
        with pytest.raises(ValueError, match="one of images, or one that is named X"):
            read_table(tmp_path / "b.npz")

    def test_without_all_of_their_pixels_they_are_images_no_more(self, tmp_path: Path) -> None:
        holes = self.IMAGES.copy()
        holes[2, 0, 0] = np.nan
        np.save(tmp_path / "a.npy", holes)
        assert read_table(tmp_path / "a.npy", missing="drop-columns").pictured is None
        for X in (holes, tmp_path / "a.npy"):
            result = sidelight.embed(X, method="pca", missing="drop-columns")
            assert result.image_shape is None
            assert "the map" in result._repr_html_()


class TestSeparatorsThatStandInWords:
    def test_what_numpy_writes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        X = np.random.default_rng(0).normal(size=(400, 3))
        np.savetxt(tmp_path / "x.txt", X)
        np.testing.assert_array_equal(read_table(tmp_path / "x.txt").X, X)
        np.savetxt(tmp_path / "y.txt", X, fmt="%12.5f", header="a b c", comments="")
        table = read_table(tmp_path / "y.txt")
        assert table.column_names == ("a", "b", "c")
        monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**11)
        blocks = list(table_blocks(tmp_path / "y.txt"))
        assert len(blocks) > 2
        np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), table.X)

    @pytest.mark.parametrize(
        "content",
        [
            "body\nthe ship is at sea\nbread is made of flour\n",  # texts
            "when\n2024-01-01 12:30\n2024-01-02 12:30\n",
            "name\nRoom 12\nRoom 14\n",
            "name\nAnn Lee\nBo Ray\n",
        ],
    )
    def test_a_column_of_words_is_one_column(self, written: Any, content: str) -> None:
        with pytest.raises(ValueError, match="no column of numbers"):
            read_table(written(content))
        assert len(read_columns(written(content)).names) == 1

    def test_bars_and_spaces_within_cells_separate_nothing(self, written: Any) -> None:
        table = read_table(written("tags,x\na|1|2,1\nb|3|4,2\n"))
        assert table.labels["tags"].tolist() == ["a|1|2", "b|3|4"]
        assert read_table(written("x;y\n1 ; 2\n3 ; 4\n")).X.tolist() == [[1, 2], [3, 4]]
