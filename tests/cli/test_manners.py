"""The manners of the command line: inputs that are kept, pipes, narrow and plain terminals."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_table, write_table

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 3)) * [3.0, 2.0, 0.5]
posix = pytest.mark.skipif(os.name == "nt", reason="pipes and terminals are others there")


def run(*arguments: object, code: int = 0, given: bytes | None = None) -> Any:
    done = CliRunner().invoke(application, [str(argument) for argument in arguments], input=given)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def shell(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sidelight", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    word = np.array(["x", "y", "z"])[np.arange(30) % 3]
    write_table("data.csv", {**dict(zip("abc", X.T, strict=True)), "word": word})


class TestInputsAreKept:
    @pytest.fixture(autouse=True)
    def model(self) -> None:
        run("embed", "data.csv", "-m", "pca", "--model", "m.sl", "-o", "map.csv", "-q")
        Path("pairs.csv").write_text("1,2\n")
        Path("link.csv").symlink_to("data.csv")

    @pytest.mark.parametrize(
        "command",
        [
            "embed data.csv -o data.csv",
            "embed data.csv -o ./sub/../data.csv",
            "embed data.csv -o link.csv",
            "embed link.csv -o data.csv",
            "embed data.csv --model data.csv",
            "embed data.csv --similar pairs.csv -o pairs.csv",
            "transform m.sl data.csv -o data.csv",
            "decode m.sl map.csv -o map.csv",
        ],
    )
    def test_no_input_is_written_over(self, command: str) -> None:
        before = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
        done = run(*command.split(), code=2)
        assert "is read by this command and would be written over" in done.stderr
        after = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
        assert after == before

    def test_nor_by_a_comparison_of_many_methods(self) -> None:
        Path("out").mkdir()
        Path("data.csv").rename("out/pca.csv")
        done = run("compare", "out/pca.csv", "--methods", "pca", "-o", "out", code=2)
        assert "would be written over" in done.stderr

    def test_two_outputs_do_not_share_a_name(self) -> None:
        done = run("embed", "data.csv", "-o", "new.csv", "--model", "new.csv", code=2)
        assert "new.csv is given for two outputs" in done.stderr


@pytest.mark.parametrize("option", ["-o", "--model", "--picture"])
def test_what_cannot_be_written_is_known_before_the_work(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(*_: Any, **__: Any) -> None:
        raise AssertionError("the work was done, and would be lost")

    monkeypatch.setattr(sidelight, "embed", too_late)
    ending = ".png" if option == "--picture" else ".csv"
    Path(f"folder{ending}").mkdir()
    done = run("embed", "data.csv", option, f"folder{ending}", code=2)
    assert "is a folder. Give the name of a file in it" in done.stderr
    done = run("embed", "data.csv", option, f"data.csv/map{ending}", code=2)
    assert "data.csv is a file, not a folder" in done.stderr
    done = run("compare", "data.csv", "-o", "data.csv", code=2)
    assert "data.csv is a file, not a folder" in done.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("embed data.csv -m equivalence", "EquivalenceMetric makes no map"),
        ("embed data.csv --missing often", "--missing takes one of error"),
        ("compare data.csv --missing often", "--missing takes one of error"),
        ("score data.csv data.csv --missing often", "--missing takes one of error"),
        ("compare data.csv --methods ,", "--methods names no method"),
    ],
)
def test_mistakes_are_named_as_they_were_typed(command: str, words: str) -> None:
    assert words in run(*command.split(), code=2).stderr


@pytest.mark.parametrize(
    ("twice", "name"),
    [
        ("--label-column a --label-column b", "--label-column"),
        ("--label-column=a --label-column=a", "--label-column"),
        ("--label-column a --label-column=word", "--label-column"),
        ("-o one.csv --output two.csv", "--output"),
        ("-oone.csv -o two.csv", "--output"),
        ("-d 1 -d 2", "--components"),
    ],
)
def test_an_option_given_twice_is_refused_not_forgotten(twice: str, name: str) -> None:
    done = run("embed", "data.csv", *twice.split(), code=2)
    assert f"{name} takes one value and was given 2" in done.stderr


def test_options_that_take_many_values_take_them() -> None:
    run("embed", "data.csv", "-m", "pca", "--ignore", "b", "--ignore", "c", "-d", 1, "--model", "m")
    assert sidelight.load("m").n_features_in_ == 1
    run("embed", "data.csv", "-m", "pca", "--color-by", "word", "-d", 2, "-q", "-q")


class TestPipes:
    def test_a_table_on_the_standard_input(self) -> None:
        content = Path("data.csv").read_bytes()
        for name in ("-", "/dev/stdin"):
            done = shell("embed", name, "-m", "pca", "-o", "map.csv", input=content.decode())
            assert done.returncode == 0, done.stderr
            assert "standard input.csv, 30 rows" in done.stdout
            found = read_table("map.csv").select(["pca0", "pca1"])
            np.testing.assert_allclose(found, sidelight.PCA(2).fit_transform(X), atol=1e-10)
            Path("map.csv").unlink()

    @pytest.mark.parametrize("ending", ["npy", "npz", "parquet", "tsv"])
    def test_what_it_is_is_seen_in_it(self, ending: str) -> None:
        columns = dict(zip("abc", X.T, strict=True))
        content = write_table(f"data.{ending}", columns).read_bytes()
        done = run("embed", "-", "-m", "pca", "-o", "map.csv", given=content)
        assert "30 rows × 3 columns" in done.stdout

    def test_an_empty_one_is_refused_in_words(self) -> None:
        assert "is empty" in run("embed", "-", code=2, given=b"").stderr

    @posix
    def test_named_pipes_for_the_data_and_for_what_is_known(self) -> None:
        contents = {"data": Path("data.csv").read_bytes(), "pairs": b"one,other\n1,2\n3,4\n"}
        for name in contents:
            os.mkfifo(name)
        writers = [
            threading.Thread(target=Path(name).write_bytes, args=(content,))
            for name, content in contents.items()
        ]
        for writer in writers:
            writer.start()
        done = run("embed", "data", "--similar", "pairs", "-m", "mds", "-o", "map.csv")
        for writer in writers:
            writer.join()
        assert "Pairs(2 similar" in done.stdout
        assert len(read_table("map.csv").X) == 30

    def test_new_rows_and_places_come_through_pipes_too(self) -> None:
        run("embed", "data.csv", "-m", "pca", "-d", 3, "--model", "m.sl", "-o", "map.csv", "-q")
        new = Path("data.csv").read_bytes()
        run("transform", "m.sl", "-", "-o", "new.csv", given=new)
        run("decode", "m.sl", "-", "-o", "back.csv", given=Path("new.csv").read_bytes())
        np.testing.assert_allclose(read_table("back.csv").X, X, atol=1e-10)
        run("score", "data.csv", "-", given=Path("new.csv").read_bytes())


class TestTerminals:
    COMMANDS = ("embed data.csv -m pca", "compare data.csv --methods pca,mds", "methods", "--help")

    @pytest.mark.parametrize("command", COMMANDS)
    def test_ascii_alone_will_do(self, command: str) -> None:
        plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        done = shell(*command.split(), env=plain)
        assert done.returncode == 0, done.stderr
        assert done.stdout.isascii()
        assert "?" not in done.stdout
        assert done.stderr.isascii()

    def test_names_that_ascii_cannot_write_do_not_stop_the_work(self) -> None:
        Path("data.csv").rename("größe.csv")
        plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        done = shell("embed", "größe.csv", "-m", "pca", "-o", "map.csv", env=plain)
        assert done.returncode == 0, done.stderr
        assert "gr??e.csv" in done.stdout

    @posix
    @pytest.mark.parametrize("columns", [20, 40, 80])
    def test_no_number_is_cut_on_a_narrow_screen(self, columns: int) -> None:
        text = on_a_screen(columns, "embed", "data.csv", "-m", "pca")
        report = sidelight.quality.quality_report(X, sidelight.PCA(2).fit_transform(X))
        for name in ("trustworthiness", "continuity", "auc", "stress"):
            assert f"{getattr(report, name):.4f}" in text
        assert max(map(len, text.splitlines())) <= columns
        if columns == 20:
            text = on_a_screen(columns, "compare", "data.csv", "--methods", "pca")
            assert f"{report.auc:.4f}" in text
        if columns == 40:
            assert "ClassicalMDS" in on_a_screen(columns, "methods")


def on_a_screen(columns: int, *arguments: str) -> str:
    """What a terminal of some width shows of the output; the errors go elsewhere."""
    import fcntl
    import pty
    import re
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "TERMINAL_WIDTH")}
    process = subprocess.Popen(
        [sys.executable, "-m", "sidelight", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**environment, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    return text.replace("\r", "")


class TestColumnsByName:
    @pytest.fixture(autouse=True)
    def model(self) -> None:
        run("embed", "data.csv", "-m", "pca", "--model", "m.sl", "-q")

    def test_other_names_are_not_taken_by_their_place(self) -> None:
        write_table("other.csv", dict(zip("xyz", X.T, strict=True)))
        done = run("transform", "m.sl", "other.csv", "-o", "new.csv", code=2)
        assert "lacks the columns 'a', 'b', 'c'" in done.stderr
        assert not Path("new.csv").exists()

    def test_a_table_without_names_is_taken_by_place_and_said_so(self) -> None:
        np.save("new.npy", X[:5])
        done = run("transform", "m.sl", "new.npy", "-o", "new.csv")
        assert "Columns are taken by their place" in done.stderr
        expected = sidelight.PCA(2).fit(X).transform(X[:5])
        found = read_table("new.csv").select(["pca0", "pca1"])
        np.testing.assert_allclose(found, expected, atol=1e-10)

    def test_a_model_without_names_too(self) -> None:
        sidelight.save(sidelight.PCA(2).fit(X), "nameless.sl")
        done = run("transform", "nameless.sl", "data.csv", "-o", "new.csv")
        assert "Columns are taken by their place" in done.stderr
        done = run("transform", "m.sl", "data.csv", "-o", "named.csv")
        assert "by their place" not in done.stderr

    def test_decode_and_score_say_which_columns_they_took_for_coordinates(self) -> None:
        write_table("places.csv", {"east": [0.0, 1.0], "north": [0.0, 2.0]})
        done = run("decode", "m.sl", "places.csv", "-o", "rows.csv")
        assert "Took the columns 'east', 'north' for the coordinates" in done.stderr
        write_table("drawn.csv", {"east": X[:, 0], "north": X[:, 1]})
        done = run("score", "data.csv", "drawn.csv")
        assert "Took the columns 'east', 'north' for the coordinates" in done.stderr


class TestAdviceAboutMissingValues:
    @pytest.fixture(autouse=True)
    def holes(self) -> None:
        run("embed", "data.csv", "-m", "pca", "--model", "m.sl", "-o", "map.csv", "-q")
        Path("holes.csv").write_text("a,b,c\n1,,3\n1,2,3\n2,2,1\n4,1,2\n5,5,5\n")

    @pytest.mark.parametrize(
        "command", ["embed {}", "compare {}", "score {} map.csv", "transform m.sl {} -o z.csv"]
    )
    def test_what_a_command_advises_it_takes(self, command: str) -> None:
        # a map of the rows that are complete
        write_table("map.csv", {"row": np.arange(2, 6), "x": [0, 1, 2, 3], "y": [0, 1, 4, 9]})
        words = command.format("holes.csv").split()
        advice = run(*words, code=2).stderr
        advised = [w for w in ("drop-rows", "drop-columns", "mean", "keep") if w in advice]
        assert "drop-rows" in advised
        for policy in advised:
            able = ["--methods", "ppca"] if (words[0], policy) == ("compare", "keep") else []
            if able:  # it fits, and there is nothing to judge it by
                assert "not judged" in run(*words, *able, "--missing", policy).stdout
            else:
                run(*words, "--missing", policy)

    def test_decode_and_lists_of_pairs_advise_nothing_that_they_do_not_have(self) -> None:
        Path("places.csv").write_text("pca0,pca1\n1,\n2,3\n")
        for words in (
            "decode m.sl places.csv -o rows.csv",
            "embed data.csv --similar places.csv",
        ):
            done = run(*words.split(), code=2)
            assert "1 missing value" in done.stderr
            assert "--missing" not in done.stderr


def test_formulas_in_the_data_are_not_copied_into_the_map_as_formulas() -> None:
    word = np.array(["=HYPERLINK(1)", "y"])[np.arange(30) % 2]
    Path("evil.csv").write_text(
        "a,b,word\n" + "\n".join(f"{x},{y},{w}" for (x, y, _), w in zip(X, word, strict=True))
    )
    run("embed", "evil.csv", "-m", "pca", "-o", "map.csv", "--model", "m.sl")
    assert ",'=HYPERLINK(1)\n" in Path("map.csv").read_text()
    assert ",=HYPERLINK" not in Path("map.csv").read_text()
    run("score", "evil.csv", "map.csv", "--labels", "word")


@posix
@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "-"])
def test_a_file_behind_the_standard_input_needs_no_ending(name: str) -> None:
    with Path("data.csv").open("rb") as theirs:
        done = shell("embed", name, "-m", "pca", "-o", "o.csv", "-q", stdin=theirs)
    assert done.returncode == 0, done.stderr
    assert len(read_table("o.csv").X) == 30


def test_a_cell_that_is_no_number_is_warned_of_even_quietly() -> None:
    lines = Path("data.csv").read_text().splitlines()
    lines[7] = "high" + lines[7][lines[7].index(",") :]
    Path("data.csv").write_text("\n".join(lines))
    done = run("embed", "data.csv", "-m", "pca", "-o", "o.csv", "-q")
    said = " ".join(done.stderr.split())
    assert "the column 'a' as text: 1 of its 30 cells is no number, 'high' in row 7" in said
    assert "text" not in run("embed", "data.csv", "--ignore", "a,word", "-o", "o.csv", "-q").stderr


def test_new_rows_with_text_where_the_model_has_numbers_name_the_cell() -> None:
    run("embed", "data.csv", "-m", "pca", "--model", "m.sl", "-o", "map.csv", "-q")
    lines = Path("data.csv").read_text().splitlines()
    lines[7] = "high" + lines[7][lines[7].index(",") :]
    Path("new.csv").write_text("\n".join(lines))
    done = run("transform", "m.sl", "new.csv", "-o", "z.csv", code=2)
    said = " ".join(done.stderr.split())
    assert "new.csv has text in the column 'a'" in said
    assert "'high' in row 7" in said


@pytest.mark.parametrize("way", [(), ("--name-column", "word")])
def test_anchors_in_words_are_said_to_be_text(way: tuple[str, ...]) -> None:
    name = "x" if way else 1
    Path("anchors.csv").write_text(f"row,place\n{name},here\n")
    done = run("embed", "data.csv", "-o", "o.csv", "-q", "--anchors", "anchors.csv", *way, code=2)
    assert "Got 2 columns, of which 'place' is text, such as 'here'" in " ".join(
        done.stderr.split()
    )


def test_an_empty_folder_is_said_to_have_no_pictures() -> None:
    Path("empty").mkdir()
    for command in ("embed", "compare"):
        said = run(command, "empty", code=2).stderr
        assert "There are no pictures in the folder empty" in " ".join(said.split())
    Path("empty/table.csv").write_text("a,b\n1,2\n")
    assert "Give the name of a file in it" in " ".join(run("embed", "empty", code=2).stderr.split())


def test_a_gap_is_said_by_the_name_of_its_row() -> None:
    Path("people.csv").write_text("who,a,b\nanna,1,2\nbert,,3\ncarl,2,2\ndora,4,1\n")
    for command in (("embed",), ("compare",), ("embed", "--columns", "mixed")):
        done = run(*command, "people.csv", "--name-column", "who", code=2)
        assert "row 2, named 'bert'" in " ".join(done.stderr.split())
