"""Large files and folders: read, placed and written in blocks, here and by workers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import sidelight
from sidelight.cli.application import application
from sidelight.io.table import blocks, large
from sidelight.io.table.reading import read_table
from sidelight.io.table.writing import write_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
testing = pytest.importorskip("typer.testing")

N = 5000


def run(*words, code=0):
    done = testing.CliRunner().invoke(application, [str(word) for word in words])
    assert done.exit_code == code, (done.output, done.stderr)
    return done


@pytest.fixture
def X():
    return np.random.default_rng(1).standard_normal((N, 4)) * [4, 3, 2, 1] + 5


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(large, "BLOCK_BYTES", 2.0**14)


@pytest.fixture
def model(tmp_path, X):
    """A model of named columns, as the command line leaves it."""
    write_table(tmp_path / "fit.csv", dict(zip("abcd", X[:300].T, strict=True)))
    run("embed", tmp_path / "fit.csv", "--method", "pca", "--model", tmp_path / "m.sl", "-q")
    return tmp_path / "m.sl"


def columns_of(X):
    n = len(X)
    beside = {
        "name": np.array([f"row, {i}" for i in range(n)]),
        "number": np.arange(n) * 3,
        "part": np.where(np.arange(n) < n // 2, np.arange(n) // 2, np.arange(n) / 3),
    }
    return {**dict(zip("dcba", X.T[::-1], strict=True)), **beside}  # in another order


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz"])
@pytest.mark.parametrize("out", ["csv", "parquet"])
def test_a_large_file_is_placed_as_a_whole_one(tmp_path, X, model, small_blocks, ending, out):
    columns = columns_of(X)
    if ending == "npz":
        columns = {name: columns[name] for name in "dcba"}
    write_table(tmp_path / f"big.{ending}", columns)
    if ending != "npz":
        assert len(list(blocks.table_blocks(tmp_path / f"big.{ending}"))) > 4
    else:
        X = X[:, ::-1]  # an npz file has no names: columns by their place
    done = run("transform", model, tmp_path / f"big.{ending}", "-o", tmp_path / f"z.{out}")
    assert f"{N:,} rows" in done.output
    placed = read_table(tmp_path / f"z.{out}")
    expected = sidelight.load(model).transform(X)
    np.testing.assert_allclose(placed.select(["pca0", "pca1"]), expected, atol=1e-9)
    np.testing.assert_array_equal(placed.select(["row"])[:, 0], np.arange(1, N + 1))
    if ending != "npz":
        assert placed.labels["name"].tolist() == columns["name"].tolist()
        np.testing.assert_array_equal(placed.select(["number"])[:, 0], columns["number"])
        np.testing.assert_allclose(placed.select(["part"])[:, 0], columns["part"], rtol=1e-15)
    if (ending, out) == ("parquet", "parquet"):
        schema = pq.read_schema(tmp_path / "z.parquet")
        assert schema.field("number").type == pa.int64()
        assert schema.field("part").type == pa.float64()


def test_an_array_in_blocks(tmp_path, X, model, small_blocks):
    np.save(tmp_path / "big.npy", X)
    assert len(list(blocks.table_blocks(tmp_path / "big.npy"))) > 4
    run("transform", model, tmp_path / "big.npy", "-o", tmp_path / "z.npy")
    found = np.load(tmp_path / "z.npy")
    np.testing.assert_allclose(found[:, 1:], sidelight.load(model).transform(X), atol=1e-9)


def test_quotations_that_go_over_lines_are_not_cut(tmp_path, X, model, small_blocks):
    columns = columns_of(X)
    columns["name"] = np.array([f'said "{i}"\nand, then' for i in range(N)])
    write_table(tmp_path / "big.csv", columns)
    run("transform", model, tmp_path / "big.csv", "-o", tmp_path / "z.csv")
    assert read_table(tmp_path / "z.csv").labels["name"].tolist() == columns["name"].tolist()


def test_what_is_wrong_is_said_with_its_row(tmp_path, X, model, small_blocks):
    X[3210, 2] = np.nan
    for ending in ("csv", "parquet"):
        file = tmp_path / f"big.{ending}"
        write_table(file, columns_of(X))
        done = run("transform", model, file, "-o", tmp_path / "z.csv", code=2)
        assert "the first is in row 3211" in done.stderr.replace("\n", " ")
        assert not (tmp_path / "z.csv").exists()
        run("transform", model, file, "-o", tmp_path / "some.csv", "--missing", "drop-rows")
        rows = read_table(tmp_path / "some.csv").select(["row"])[:, 0]
        assert len(rows) == N - 1
        assert 3211 not in rows


def test_what_is_advised_of_an_infinite_cell_can_be_done(tmp_path, X, model):
    """--ignore is no option of transform: the cell can be emptied, and its row left out."""
    X[5, 2] = np.inf
    write_table(tmp_path / "new.csv", columns_of(X[:20]))
    done = run("transform", model, tmp_path / "new.csv", "-o", tmp_path / "z.csv", code=2)
    told = " ".join(done.stderr.split())
    assert "infinite value in row 6, column 'c'" in told
    assert "leave the cell empty" in told
    assert "--ignore" not in told.replace("embed, score and compare leave it out with --ignore", "")
    X[5, 2] = np.nan
    write_table(tmp_path / "new.csv", columns_of(X[:20]))
    run(
        "transform", model, tmp_path / "new.csv", "-o", tmp_path / "z.csv", "--missing", "drop-rows"
    )


def folder_of(tmp_path, X):
    folder = tmp_path / "many"
    folder.mkdir()
    parts = dict(zip(["a.parquet", "b.csv", "c.parquet"], np.array_split(X, 3), strict=True))
    for name, part in parts.items():
        write_table(folder / name, columns_of(part))
    (folder / "README.md").write_text("not a table")
    return folder, parts


@pytest.mark.parametrize("workers", [1, 2])
def test_every_table_of_a_folder_is_placed_under_its_name(tmp_path, X, model, workers):
    folder, parts = folder_of(tmp_path, X)
    placed = tmp_path / "placed"
    done = run("transform", model, folder, "-o", placed, "--workers", workers)
    assert f"3 files, {N:,} rows" in done.output
    assert sorted(path.name for path in placed.iterdir()) == sorted(parts)
    for name, part in parts.items():
        Z = read_table(placed / name).select(["pca0", "pca1"])
        np.testing.assert_allclose(Z, sidelight.load(model).transform(part), atol=1e-9)


def test_blocks_of_one_file_go_to_workers_and_come_back_in_order(tmp_path, X, model, small_blocks):
    write_table(tmp_path / "big.parquet", columns_of(X))
    file, out = tmp_path / "big.parquet", tmp_path / "z.parquet"
    run("transform", model, file, "-o", out, "--workers", 2)
    found = read_table(out)
    np.testing.assert_allclose(
        found.select(["pca0", "pca1"]), sidelight.load(model).transform(X), atol=1e-9
    )
    np.testing.assert_array_equal(found.select(["row"])[:, 0], np.arange(1, N + 1))


def test_a_scheduler_that_is_already_there(tmp_path, X, model):
    distributed = pytest.importorskip("distributed")
    folder, parts = folder_of(tmp_path, X)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        run("transform", model, folder, "-o", tmp_path / "z", "--dask-scheduler", address)
    for name, part in parts.items():
        Z = read_table(tmp_path / "z" / name).select(["pca0", "pca1"])
        np.testing.assert_allclose(Z, sidelight.load(model).transform(part), atol=1e-9)


def _leave(item, shared):
    import os

    os._exit(1)


def test_workers_that_are_lost_are_told_in_a_line():
    distributed = pytest.importorskip("distributed")
    from sidelight.scale.cluster import at_work, in_order

    with (
        distributed.worker.dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        at_work(workers=2) as client,
        pytest.raises(ConnectionError, match="went away before all was done: .*Start them again"),
    ):
        list(in_order(client, _leave, range(2), None))


def test_folders_that_cannot_be_placed_are_refused_before_any_work(tmp_path, X, model):
    folder, _ = folder_of(tmp_path, X)
    assert "another folder" in run("transform", model, folder, "-o", folder, code=2).stderr
    done = run("transform", model, folder, "-o", folder / "b.csv", code=2)
    assert "is a file" in done.stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no table" in run("transform", model, empty, "-o", tmp_path / "z", code=2).stderr
    (folder / "d.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    done = run("transform", model, folder, "-o", tmp_path / "z", code=2)
    assert "d.csv lacks the columns 'c', 'd'" in done.stderr.replace("\n", " ")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_table_that_cannot_be_placed_does_not_keep_the_others(tmp_path, X, model, workers):
    """The first such table ended the work, and left files half written where there were workers."""
    folder, parts = folder_of(tmp_path, X)
    (folder / "aa.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    (folder / "z.parquet").write_text("no table at all")
    placed = tmp_path / "placed"
    told = run("transform", model, folder, "-o", placed, "--workers", workers, code=2).stderr
    told = " ".join(told.split())
    assert "2 tables of 5 could not be placed (the others are in" in told
    assert "aa.csv lacks the columns 'c', 'd'" in told
    assert "z.parquet" in told
    assert "Traceback" not in told
    assert sorted(path.name for path in placed.iterdir()) == sorted(parts)
    for name, part in parts.items():
        Z = read_table(placed / name).select(["pca0", "pca1"])
        np.testing.assert_allclose(Z, sidelight.load(model).transform(part), atol=1e-9)


def test_parquet_is_read_within_the_addresses_that_a_ulimit_leaves():
    """A gigabyte of them was taken at once, and the process ended by who found none left."""
    code = (
        "import sys\n"
        "from sidelight.cli import main\n"
        "sys.argv[1:] = ['--version']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    import pyarrow\n"
        "    print(pyarrow.default_memory_pool().backend_name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "system"


class TestLargeTables:
    """What is read whole is read once, in single precision, and only if it fits."""

    @pytest.fixture(autouse=True)
    def _large(self, monkeypatch):
        monkeypatch.setattr(large, "LARGE_BYTES", 1e5)

    def test_numbers_in_single_precision_labels_exactly(self, tmp_path, X):
        stamp = 1_700_000_000_000 + np.arange(N)  # needs more digits than single precision has
        write_table(tmp_path / "big.parquet", {**columns_of(X), "stamp": stamp})
        table = read_table(tmp_path / "big.parquet", aside=["stamp", "number"])
        assert table.X.dtype == np.float32
        assert table.column_names == ("d", "c", "b", "a", "part")
        np.testing.assert_allclose(table.X[:, :4], X[:, ::-1], rtol=1e-6)
        np.testing.assert_array_equal(table.labels["stamp"], stamp)
        assert "single precision" in " ".join(table.notes)

    @pytest.mark.parametrize(
        ("low", "high", "kept"), [(1e6, 1e6 + 9, True), (1000, 1000.5, True), (1000, 1002, False)]
    )
    def test_columns_that_need_their_digits_keep_them(self, tmp_path, X, low, high, kept):
        """Those whose values differ by less than a thousandth of their size."""
        near = np.linspace(low, high, N)
        write_table(tmp_path / "big.parquet", {"a": X[:, 0], "b": near, "c": X[:, 2]})
        table = read_table(tmp_path / "big.parquet")
        assert table.X.dtype == (np.float64 if kept else np.float32)
        np.testing.assert_allclose(table.X[:, 1], near, rtol=0.0 if kept else 1e-6)

    def test_an_array_in_single_precision(self, tmp_path, X):
        np.save(tmp_path / "big.npy", X)
        table = read_table(tmp_path / "big.npy")
        assert table.X.dtype == np.float32
        np.testing.assert_allclose(table.X, X, rtol=1e-6)

    def test_what_does_not_fit_is_refused_before_it_is_read(self, tmp_path, X, monkeypatch):
        write_table(tmp_path / "big.parquet", {"a": X[:, 0], "b": X[:, 1]})
        np.save(tmp_path / "big.npy", X)
        write_table(tmp_path / "big.csv", {"a": X[:, 0], "b": X[:, 1]})
        monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "50KB")
        for ending, advice in [("parquet", "in blocks"), ("npy", "in blocks"), ("csv", "parquet")]:
            with pytest.raises(MemoryError, match=rf"big.{ending} would need .*{advice}"):
                read_table(tmp_path / f"big.{ending}")

    def test_a_large_table_makes_a_map(self, tmp_path, X):
        write_table(tmp_path / "big.parquet", columns_of(X))
        done = run(
            *("embed", tmp_path / "big.parquet", "--method", "pca", "--ignore", "number,part"),
            *("-o", tmp_path / "map.parquet"),
        )
        assert "Sampled: 800 of 5,000 points" in done.output
        found = read_table(tmp_path / "map.parquet")
        expected = sidelight.PCA(2).fit_transform(X[:, ::-1])
        np.testing.assert_allclose(found.select(["pca0", "pca1"]), expected, atol=1e-4)


PEAK = """
import sys, resource
from pathlib import Path
from sidelight.cli.application import application
from sidelight.core.memory import _numbers_in
import sidelight.cli.placing, sidelight.spectral.pca, pyarrow.parquet
start = _numbers_in(Path("/proc/self/status"))["VmRSS"]
Path("/proc/self/clear_refs").write_text("5")
application(sys.argv[1:], standalone_mode=False)
print("PEAK", (_numbers_in(Path("/proc/self/status"))["VmHWM"] - start) * 1024)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """A file eight times as large, of many blocks each, takes about as much memory."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 40))
    sidelight.save(sidelight.PCA(2).fit(X), tmp_path / "m.sl")
    peaks, command = [], [sys.executable, "-c", PEAK, "transform"]
    for n in (200_000, 1_600_000):
        file = tmp_path / f"{n}.npy"
        array = np.lib.format.open_memmap(file, "w+", np.float32, (n, 40))
        array[:] = 1.0
        array[:200] = X
        array.flush()
        del array
        done = subprocess.run(
            [*command, tmp_path / "m.sl", file, "-o", tmp_path / f"z{n}.csv", "-q"],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(float(done.stdout.split("PEAK")[1]))
        file.unlink()
    assert peaks[1] < 1.3 * peaks[0] + 2e7, peaks
