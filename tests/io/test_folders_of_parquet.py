"""A folder of Parquet files is one table, as other programs write large ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_table
from sidelight.io.table import large

X = np.random.default_rng(5).standard_normal((90, 3))
KIND = np.array(["oak", "elm", "ash"])[np.arange(90) % 3]


def write(path, rows, **other):
    columns = {name: X[rows, i] for i, name in enumerate("abc")} | {"kind": KIND[rows]} | other
    pq.write_table(pa.table(columns), path)


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "big"
    found.mkdir()
    for number in (2, 0, 1):  # read by name, whenever they were written
        write(found / f"part-{number}.parquet", slice(30 * number, 30 * number + 30))
    (found / "_SUCCESS").touch()  # which other programs leave there
    return found


def test_it_is_read_as_one_table_in_the_order_of_names(folder):
    table = read_table(folder)
    np.testing.assert_array_equal(table.X, X)
    assert table.labels["kind"].tolist() == KIND.tolist()
    assert table.name == "big"


def test_embed_takes_it_in_python_and_on_the_command_line(folder, tmp_path):
    expected = sidelight.embed(X, method="pca").points
    np.testing.assert_allclose(sidelight.embed(folder, method="pca").points, expected)
    out = tmp_path / "map.csv"
    command = ["embed", str(folder), "-m", "pca", "-o", str(out), "--color-by", "kind"]
    done = CliRunner().invoke(application, command)
    assert done.exit_code == 0, done.output
    np.testing.assert_allclose(read_table(out).select(["pca0", "pca1"]), expected, atol=1e-8)


def test_a_large_one_is_read_in_single_precision(folder, monkeypatch):
    monkeypatch.setattr(large, "LARGE_BYTES", 100.0)
    table = read_table(folder)
    assert table.X.dtype == np.float32
    np.testing.assert_allclose(table.X, X, rtol=1e-6)


def test_files_with_other_columns_are_refused_by_name(folder):
    write(folder / "part-9.parquet", slice(0, 5), d=np.zeros(5))
    with pytest.raises(ValueError, match="part-9.parquet has other columns than part-0.parquet"):
        read_table(folder)


def test_numbers_in_one_file_and_text_in_another_are_refused(folder):
    pq.write_table(
        pa.table({"a": ["x"], "b": [1.0], "c": [2.0], "kind": ["oak"]}), folder / "part-9.parquet"
    )
    with pytest.raises(ValueError, match="column 'a' is double in part-0.parquet and string in"):
        read_table(folder)


def test_a_column_with_nothing_in_it_goes_with_text(folder):
    empty = {"a": [1.0], "b": [1.0], "c": [2.0], "kind": pa.nulls(1)}
    pq.write_table(pa.table(empty), folder / "part-9.parquet")
    table = read_table(folder)
    assert table.labels["kind"].tolist() == [*KIND.tolist(), ""]
    assert len(table.X) == 91


def test_a_folder_with_other_tables_is_not_one(folder):
    (folder / "notes.csv").write_text("a,b\n1,2\n")
    with pytest.raises(IsADirectoryError, match="is a folder. Give the name of a file in it"):
        read_table(folder)


def test_files_without_rows_say_so(tmp_path):
    folder = tmp_path / "none"
    folder.mkdir()
    write(folder / "part.parquet", slice(0, 0))
    with pytest.raises(ValueError, match="none has no rows"):
        read_table(folder)
