"""Columns of mixed kinds and texts on the command line: one way for the fit and for new rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_table, write_table

RNG = np.random.default_rng(0)
COLUMNS = {
    "height": 50 * RNG.standard_normal(60),
    "kind": RNG.choice(["ash", "elm", "oak"], 60),
    "day": np.datetime_as_string(np.datetime64("2026-01-01") + RNG.integers(0, 200, 60)),
}
TOPICS = ("sea ship sail wind tide boat", "bread flour oven dough yeast salt")
TOPIC = np.arange(60) % 2
TEXTS = [" ".join(RNG.choice(TOPICS[topic].split(), 8)) for topic in TOPIC]


def run(*arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(application, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    write_table("mixed.csv", COLUMNS)
    write_table("texts.csv", {"year": np.arange(60.0), "body": TEXTS})


def test_mixed_columns_are_those_of_python_and_new_rows_are_coded_alike() -> None:
    pl = pytest.importorskip("polars")
    how = ("-m", "mds", "-o", "map.csv", "--model", "m.sl")
    done = run("embed", "mixed.csv", "--columns", "mixed", *how)
    assert "by whether words are the same" in done.stderr
    result = sidelight.embed(pl.DataFrame(COLUMNS), columns="mixed", method="mds")
    names = ["classicalmds0", "classicalmds1"]
    table = read_table("map.csv")
    np.testing.assert_allclose(table.select(names), result.points, atol=1e-9)
    assert table.labels["kind"].tolist() == COLUMNS["kind"].tolist()
    few = {name: values[:9] for name, values in reversed(COLUMNS.items())}
    few["kind"] = np.where(np.arange(9) == 3, "fir", few["kind"])
    write_table("few.csv", few)
    said = run("transform", "m.sl", "few.csv", "-o", "places.csv").stderr
    assert "'fir'" in said
    placed = read_table("places.csv").select(names)
    seen = np.arange(9) != 3
    np.testing.assert_allclose(placed[seen], result.points[:9][seen], atol=1e-8)
    result.save("python.sl")
    run("transform", "python.sl", "few.csv", "-o", "again.csv")
    np.testing.assert_allclose(read_table("again.csv").select(names), placed, atol=1e-8)
    run("decode", "m.sl", "map.csv", "-o", "items.csv")
    assert read_table("items.csv").column_names == (
        *("height", "kind=ash", "kind=elm", "kind=oak", "day"),
    )


@pytest.mark.parametrize("method", ["isomap", "pca"])
def test_texts_are_placed_by_their_words(method: str) -> None:
    done = run(
        *("embed", "texts.csv", "--text", "body", "-m", method, "-d", 1),
        *("-o", "map.csv", "--model", "m.sl", "--seed", 0),
    )
    assert "Set aside the column 'year'" in done.stderr
    z = read_table("map.csv").select([f"{method}0"])[:, 0]
    assert len({*np.sign(z[TOPIC == 0]), *-np.sign(z[TOPIC == 1])}) == 1
    write_table("new.csv", {"body": [*TEXTS[:2], "the boat on the sea", "flour, salt and yeast"]})
    run("transform", "m.sl", "new.csv", "-o", "places.csv")
    placed = read_table("places.csv").select([f"{method}0"])[:, 0]
    np.testing.assert_allclose(placed[:2], z[:2], atol=1e-8)
    np.testing.assert_array_equal(np.sign(placed[2:]), np.sign(z[:2]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--columns", "all"), "--columns takes mixed. Got 'all'"),
        (("--columns", "mixed", "--text", "kind"), "Give one of the two"),
        (("--columns", "mixed", "--standardize"), "--standardize has no effect on mixed columns"),
        (("--text", "body"), "mixed.csv has no column 'body'"),
        (("--columns", "mixed", "--ignore", "hight"), "Did you mean 'height'?"),
    ],
)
def test_what_makes_no_sense_is_refused(options: tuple[str, ...], said: str) -> None:
    assert said in " ".join(run("embed", "mixed.csv", *options, code=2).stderr.split())


def test_methods_are_compared_on_mixed_columns_and_on_texts() -> None:
    how = ("--methods", "mds,ne", "--json")
    found = json.loads(run("compare", "mixed.csv", "--columns", "mixed", *how).stdout)
    pl = pytest.importorskip("polars")
    result = sidelight.embed(pl.DataFrame(COLUMNS), columns="mixed", method="mds")
    assert found["methods"]["mds"]["auc"] == pytest.approx(result.quality().auc, abs=1e-6)
    run("compare", "texts.csv", "--text", "body", "--methods", "mds", "-o", "both")
    run("embed", "texts.csv", "--text", "body", "-m", "mds", "-o", "map.csv")
    names = ["classicalmds0", "classicalmds1"]
    alone, compared = (read_table(name).select(names) for name in ("map.csv", "both/mds.csv"))
    np.testing.assert_allclose(compared, alone, atol=1e-9)
    assert (
        "one scale already"
        in run("compare", "mixed.csv", "--columns", "mixed", "--standardize", code=2).stderr
    )


@pytest.mark.parametrize(
    ("file", "how", "scored"),
    [
        ("mixed.csv", ("--columns", "mixed"), ("--data-columns", "mixed")),
        ("texts.csv", ("--text", "body"), ("--text", "body")),
    ],
)
def test_a_map_of_other_columns_is_scored_as_it_was_made(
    file: str, how: tuple[str, ...], scored: tuple[str, ...]
) -> None:
    said = run("embed", file, *how, "-m", "mds", "-o", "map.csv").stdout
    found = json.loads(run("score", file, "map.csv", *scored, "--json").stdout)
    printed = re.search(r"area under R_NX\D*([\d.]+)", said)
    assert printed is not None, said
    assert found["auc"] == pytest.approx(float(printed[1]), abs=6e-5)
    if file == "mixed.csv":  # a column that was set aside is none of the data
        run("embed", file, *how, "-m", "mds", "--color-by", "kind", "-o", "two.csv")
        without = json.loads(
            run("score", file, "two.csv", *scored, "--labels", "kind", "--json").stdout
        )
        assert without["auc"] != pytest.approx(found["auc"], abs=1e-3)


def with_gaps(path: str, rows: list[int]) -> None:
    """The texts, but for some that are empty or hold no word."""
    texts = [("", "a", "?")[row % 3] if row in rows else text for row, text in enumerate(TEXTS)]
    names = [f"letter {row}" for row in range(60)]
    write_table(path, {"who": names, "year": np.arange(60.0), "body": texts})


def test_texts_without_words_are_left_out_where_that_is_said() -> None:
    with_gaps("gaps.csv", [3, 7])
    how = ("--text", "body", "-m", "mds", "-o", "map.csv", "--model", "m.sl")
    refused = run("embed", "gaps.csv", *how, "--name-column", "who", code=2).stderr
    said = " ".join(refused.split())
    assert "2 of 60 texts in the column 'body' of gaps.csv" in said
    assert "the first in row 4, named 'letter 3'" in said
    assert "--missing drop-rows" in said
    done = run("embed", "gaps.csv", *how, "--missing", "drop-rows")
    assert "Left out 2 rows without a word" in " ".join(done.stderr.split())
    table = read_table("map.csv")
    kept = np.delete(np.arange(60), [3, 7])
    assert table.select(["row"])[:, 0].tolist() == (kept + 1).tolist()
    # as though these rows had never been there
    write_table("left.csv", {"body": [TEXTS[row] for row in kept]})
    run("embed", "left.csv", "--text", "body", "-m", "mds", "-o", "left_map.csv")
    names = ["classicalmds0", "classicalmds1"]
    left = read_table("left_map.csv").select(names)
    np.testing.assert_allclose(table.select(names), left, atol=1e-8)
    judged = ("score", "gaps.csv", "map.csv", "--text", "body", "--json")
    assert "drop-rows" in run(*judged, code=2).stderr
    found = json.loads(run(*judged, "--missing", "drop-rows").stdout)
    alone = json.loads(run("score", "left.csv", "left_map.csv", "--text", "body", "--json").stdout)
    assert found["auc"] == pytest.approx(alone["auc"], abs=1e-6)
    run("compare", "gaps.csv", "--text", "body", "--methods", "mds", "--missing", "drop-rows")


def test_new_texts_of_unknown_words_are_left_out_where_that_is_said() -> None:
    run("embed", "texts.csv", "--text", "body", "-m", "mds", "-o", "map.csv", "--model", "m.sl")
    write_table("new.csv", {"body": [TEXTS[0], "quite unheard", TEXTS[1]]})
    place = ("transform", "m.sl", "new.csv", "-o", "places.csv")
    assert "--missing drop-rows" in " ".join(run(*place, code=2).stderr.split())
    run(*place, "--missing", "drop-rows")
    placed, names = read_table("places.csv"), ["classicalmds0", "classicalmds1"]
    assert placed.select(["row"])[:, 0].tolist() == [1, 3]
    before = read_table("map.csv").select(names)[:2]
    np.testing.assert_allclose(placed.select(names), before, atol=1e-8)
    write_table("new.csv", {"body": ["quite unheard", ""]})
    assert "None is left" in run(*place, "--missing", "drop-rows", code=2).stderr


def test_what_is_known_of_texts_by_number_stays_with_its_rows() -> None:
    with_gaps("gaps.csv", [3, 7])
    write_table("places.csv", {"row": [10, 20, 50], "x": [0.0, 9.0, 4.0], "y": [0.0, 1.0, 7.0]})
    how = ("--text", "body", "-m", "mds", "--missing", "drop-rows", "--anchors", "places.csv")
    run("embed", "gaps.csv", *how, "-o", "map.csv")
    table = read_table("map.csv")
    there = table.select(["row"])[:, 0] == 20
    np.testing.assert_allclose(
        table.select(["classicalmds0", "classicalmds1"])[there], [[9.0, 1.0]], atol=1e-6
    )


def test_texts_that_nobody_compares_are_pointed_out() -> None:
    alone = {"who": [f"letter {row}" for row in range(60)], "body": TEXTS}
    write_table("alone.csv", alone)
    said = run("embed", "alone.csv", code=2).stderr
    assert "'body' holds texts" in " ".join(said.split())
    assert "--text body" in " ".join(said.split())
    done = run("embed", "texts.csv", "-m", "pca", "-d", 1)
    assert "--text body" in " ".join(done.stderr.split())
    done = run("embed", "texts.csv", "-m", "pca", "-d", 1, "--text", "body")
    assert "--text body" not in " ".join(done.stderr.split())
    done = run("embed", "texts.csv", "-m", "pca", "-d", 1, "--name-column", "body")
    assert "--text body" not in " ".join(done.stderr.split())


def test_columns_of_words_that_nobody_asked_for_can_be_compared_too() -> None:
    assert "--columns mixed" in run("embed", "mixed.csv", "-m", "pca", "-d", 1).stderr
    asked = run("embed", "mixed.csv", "-m", "pca", "-d", 1, "--color-by", "kind")
    assert "--columns mixed" not in asked.stderr
    write_table("names.csv", {"x": np.arange(60.0), "who": [f"name {row}" for row in range(60)]})
    assert "--columns mixed" not in run("embed", "names.csv", "-m", "pca", "-d", 1).stderr


@pytest.mark.parametrize("policy", ["mean", "drop-columns"])
def test_there_is_no_mean_of_texts(policy: str) -> None:
    said = run("embed", "texts.csv", "--text", "body", "--missing", policy, code=2).stderr
    assert f"'{policy}' makes no sense for the texts of texts.csv" in " ".join(said.split())


def test_a_map_of_texts_alone_is_scored() -> None:
    write_table("alone.csv", {"body": TEXTS})
    run("embed", "alone.csv", "--text", "body", "-m", "mds", "-o", "map.csv")
    assert "trustworthiness" in run("score", "alone.csv", "map.csv", "--text", "body").stdout
