"""Files are written whole or not at all, whoever else writes, and through links."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sidelight
from sidelight.io import read_table, write_table
from sidelight.io.atomic import replacing

posix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and locks are others there")


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_many_threads_saving_to_one_path_leave_one_whole_model(tmp_path: Path) -> None:
    X = np.random.default_rng(0).standard_normal((30, 3))
    models = [sidelight.PCA(2).fit(X * (i + 1)) for i in range(4)]
    file, faults = tmp_path / "m.sidelight", []
    sidelight.save(models[0], file)

    def write(model: sidelight.PCA) -> None:
        try:
            for _ in range(25):
                sidelight.save(model, file)
                sidelight.load(file)  # whoever wrote it, it is whole
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    assert hidden(tmp_path) == []


WRITER = (
    "import sys, time; from pathlib import Path; from sidelight.io.atomic import replacing\n"
    "with replacing(Path(sys.argv[1])) as file:\n"
    "    file.write(b'half'); file.flush(); print('writing', flush=True); time.sleep(60)\n"
)


@posix
def test_what_a_killed_writer_left_is_removed_and_what_a_live_one_writes_is_not(
    tmp_path: Path,
) -> None:
    file = tmp_path / "map.csv"
    file.write_text("old\n")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        assert len(hidden(tmp_path)) == 2
        for name in hidden(tmp_path):  # both have long been silent
            os.utime(tmp_path / name, (time.time() - 3600,) * 2)
        writers[0].send_signal(signal.SIGKILL)
        writers[0].wait()
        assert file.read_text() == "old\n"
        write_table(tmp_path / "other.csv", {"x": [1.0, 2.0]})
        assert len(hidden(tmp_path)) == 1
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
            assert writer.stdout is not None
            writer.stdout.close()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "map.csv"
    file.write_text("old\n")

    def fail() -> None:
        with replacing(file) as unfinished:
            unfinished.write(b"new")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert file.read_text() == "old\n"
    assert hidden(tmp_path) == []


@posix
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "map.csv", tmp_path / "map.csv"
    target.write_text("old\n")
    target.chmod(0o640)
    link.symlink_to(target)
    write_table(link, {"x": [1.0, 2.0]})
    assert link.is_symlink()
    assert target.read_text() == "x\n1.0\n2.0\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    fresh = tmp_path / "fresh.csv"
    fresh.symlink_to(tmp_path / "far" / "new.csv")  # whose target is yet to be
    write_table(fresh, {"x": [1.0]})
    assert (tmp_path / "far" / "new.csv").read_text() == "x\n1.0\n"
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="loop"):
        write_table(loop, {"x": [1.0]})


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is closed to root")
def test_a_protected_file_is_not_replaced(tmp_path: Path) -> None:
    file = write_table(tmp_path / "map.csv", {"x": [1.0]})
    file.chmod(0o444)
    with pytest.raises(PermissionError, match="protected"):
        write_table(file, {"x": [2.0]})


@posix
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, seen = tmp_path / "pipe.csv", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    write_table(pipe, {"x": [1.0]})
    reader.join()
    assert seen == ["x\n1.0\n"]
    assert pipe.is_fifo()


@posix
def test_a_new_file_has_the_rights_that_files_have_here(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_table(tmp_path / "map.csv", {"x": [1.0]})
    rights = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "map.csv")]
    assert rights[0] == rights[1]


@pytest.mark.parametrize("separator", [",", "\t"])
def test_lines_of_more_than_131072_characters_are_read(tmp_path: Path, separator: str) -> None:
    names = [f"gene_{i:05d}" for i in range(15_000)]
    rows = [separator.join(names), *(separator.join(["1.25"] * 15_000) for _ in range(3))]
    file = tmp_path / "wide.csv"
    file.write_text("\n".join(rows) + "\n")
    table = read_table(file)
    assert table.X.shape == (3, 15_000)
    assert table.column_names[-1] == "gene_14999"


def test_one_long_cell_is_read(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text(f'x,note\n1,"{"word " * 60_000}"\n2,short\n')
    table = read_table(file)
    assert table.X.tolist() == [[1.0], [2.0]]
    assert len(table.labels["note"][0]) == 300_000


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1"]
HARMLESS = ["-3.5", "+7", "-", "+", "Ash", "'t Hart", "", "a=b", "2024-01-02"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_no_text_is_written_that_a_spreadsheet_would_run(tmp_path: Path, ending: str) -> None:
    texts = np.array([*FORMULAS, *HARMLESS])
    numbers = -np.arange(len(texts), dtype=float)
    file = write_table(tmp_path / f"map.{ending}", {"=x": numbers, "name": texts})
    cells = file.read_text().replace('"', "")
    for text in FORMULAS:
        assert f"'{text}" in cells
    for text in HARMLESS:
        assert f"'{text}\n" not in cells or text == ""
    assert "-3.0" in cells.split("\n")[4]  # a number is a number
    table = read_table(file)
    assert table.column_names == ("=x",)
    assert table.labels["name"].tolist() == texts.tolist()  # and it all comes back
    assert table.X[:, 0].tolist() == numbers.tolist()
