"""Side information on the command line: the same map as in Python, and files that are wrong."""

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
from sidelight.cli.preparation import Preparation
from sidelight.datasets import image_walk
from sidelight.estimator.territory.groups import groups_of
from sidelight.io import read_table, write_table
from sidelight.io.table import read_knowledge
from sidelight.quality import agreement, neighbor_label_accuracy, point_quality
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Pairs,
    Relation,
    Sequence,
)

X = np.random.default_rng(0).standard_normal((60, 4))


def run(*arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(application, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    kind = np.array(["", "a", "b"])[np.arange(60) % 3]
    write_table("data.csv", {**dict(zip("wxyz", X.T, strict=True)), "kind": kind})
    Path("similar.csv").write_text("one,other\n1,2\n5,60\n")
    Path("dissimilar.csv").write_text("3,4\n")
    Path("far.csv").write_text("row,row2,distance\n1,7,2.5\n8,9,0.5\n")


def mapped(*options: object) -> np.ndarray:
    run("embed", "data.csv", *options, "-o", "map.csv", "--ignore", "kind", "-m", "isomap")
    return read_table("map.csv").select(["isomap0", "isomap1"])


def test_pairs_and_distances_by_row_number_from_one() -> None:
    side = [
        Pairs(similar=[(0, 1), (4, 59)], dissimilar=[(2, 3)]),
        Distances([(0, 6), (7, 8)], [2.5, 0.5]),
    ]
    expected = sidelight.Isomap().fit_transform(X, side=side)
    given = mapped(
        *("--similar", "similar.csv", "--dissimilar", "dissimilar.csv", "--distances", "far.csv")
    )
    np.testing.assert_allclose(given, expected, atol=1e-10)


def test_a_label_column_with_gaps() -> None:
    labels = np.array(["", "a", "b"], dtype=object)[np.arange(60) % 3]
    expected = sidelight.Isomap().fit_transform(X, side=Pairs.from_labels(labels, unknown=""))
    run("embed", "data.csv", "--label-column", "kind", "-o", "map.csv", "-m", "isomap")
    given = read_table("map.csv").select(["isomap0", "isomap1"])
    np.testing.assert_allclose(given, expected, atol=1e-10)


def test_all_rows_with_a_label_are_joined_to_their_class() -> None:
    kinds = np.random.default_rng(0).integers(10, size=7000)
    lines = [f"{i % 7},{i % 11},k{kind}" for i, kind in enumerate(kinds)]
    Path("many.csv").write_text("\n".join(["a,b,kind", *lines]))
    table = read_table("many.csv")
    (pairs,) = read_knowledge(table, label_column="kind")
    groups = groups_of(pairs)
    assert len(groups.rows) == 7000
    assert groups.n == len(set(zip(groups.group, kinds[groups.rows], strict=True))) == 10


def test_the_picture_shows_the_pairs_and_anchors_that_were_said() -> None:
    Path("pins.csv").write_text("row,east,north\n1,0,0\n7,10,0\n12,3,8\n60,-4,2\n")
    how = ("embed", "data.csv", "--ignore", "kind", "-m", "pca", "--picture", "map.svg")
    run(*how)
    assert ">anchor</text>" not in Path("map.svg").read_text()
    run(*how, "--anchors", "pins.csv", "--similar", "similar.csv")
    drawn = Path("map.svg").read_text()
    assert ">anchor</text>" in drawn
    assert ">similar pair</text>" in drawn


def test_anchors_by_row_number() -> None:
    Path("pins.csv").write_text("row,east,north\n1,0,0\n7,10,0\n12,3,8\n60,-4,2\n")
    run("embed", "data.csv", "--ignore", "kind", "--anchors", "pins.csv", "-o", "map.csv")
    given = read_table("map.csv").select(["neighborembedding0", "neighborembedding1"])
    places = [[0.0, 0.0], [10.0, 0.0], [3.0, 8.0], [-4.0, 2.0]]
    np.testing.assert_allclose(given[[0, 6, 11, 59]], places, atol=1e-12)
    side = Anchors([0, 6, 11, 59], places)
    expected = sidelight.NeighborEmbedding().fit_transform(X, side=side)
    np.testing.assert_allclose(given, expected, atol=1e-6)
    Path("bad.csv").write_text("row\n1\n")
    done = run("embed", "data.csv", "--ignore", "kind", "--anchors", "bad.csv", code=2)
    assert "at least 2 columns" in " ".join(done.stderr.split())


def test_a_map_is_brought_to_another_by_row_number() -> None:
    plain = mapped()
    turned = 3.0 * plain[:, ::-1] + 5.0
    some = np.arange(3, 50)
    write_table(
        "before.csv", {"row": some + 1, "isomap0": turned[some, 0], "isomap1": turned[some, 1]}
    )
    np.testing.assert_allclose(mapped("--align-to", "before.csv"), turned, atol=1e-8)
    write_table("whole.csv", {"east": turned[:, 0], "north": turned[:, 1]})
    np.testing.assert_allclose(mapped("--align-to", "whole.csv"), turned, atol=1e-8)
    write_table("other.csv", {"row": [900], "isomap0": [1.0], "isomap1": [2.0]})
    done = run("embed", "data.csv", "--ignore", "kind", "--align-to", "other.csv", code=2)
    assert "other.csv is a map of rows of which" in " ".join(done.stderr.split())
    write_table("none.csv", {"row": np.arange(1, 61), "who": ["a"] * 60})
    said = run("embed", "data.csv", "--ignore", "kind", "--align-to", "none.csv", code=2).stderr
    assert "none.csv should hold coordinates of a map" in " ".join(said.split())
    assert "as 'embed --output' writes it" in " ".join(said.split())
    assert "--columns" not in said  # which names no coordinates here


def test_what_is_known_is_said() -> None:
    done = run("embed", "data.csv", "--ignore", "kind", "--similar", "similar.csv", "-o", "m.csv")
    assert "Pairs(2 similar" in done.stdout
    assert "Pairs pull and push in it" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,61\n2,3\n", "row 61"),
        ("0,1\n2,3\n", "row 0"),
        ("1.5,2\n2,3\n", "whole numbers"),
        ("1,2,3\n2,3,4\n", "2 columns"),
        ("a,b\nx,y\n", "number"),
        ("4,4\n2,3\n", "paired with itself: 4\\."),
    ],
)
def test_files_that_are_wrong(text: str, words: str) -> None:
    Path("bad.csv").write_text(text)
    done = run("embed", "data.csv", "--ignore", "kind", "--similar", "bad.csv", code=2)
    assert re.search(words, " ".join(done.stderr.split())), done.stderr


@pytest.mark.parametrize("command", ["embed", "compare"])
def test_rows_in_errors_are_counted_as_the_files_count_them(command: str) -> None:
    Path("both.csv").write_text("4,7\n2,3\n")
    Path("far.csv").write_text("1,2,1\n2,3,1\n1,3,9\n")
    which, code = (("-m", "sde"), 2) if command == "embed" else (("--methods", "sde"), 0)

    def said(*known: object) -> str:
        done = run(command, "data.csv", "--ignore", "kind", *which, *known, code=code)
        return " ".join(done.stderr.split())

    assert "the rows (2, 3), (4, 7)." in said("--similar", "both.csv", "--dissimilar", "both.csv")
    assert "d(1, 3) = 9 > d(1, 2) + d(2, 3) = 1 + 1" in said("--distances", "far.csv")


def test_rows_in_errors_are_called_by_the_name_column() -> None:
    who = np.array([f"n{i:02d}" for i in range(60)])
    write_table("people.csv", {"who": who, "a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    Path("both.csv").write_text("n04,n07\n")
    known = ("--similar", "both.csv", "--dissimilar", "both.csv")
    done = run("embed", "people.csv", "--name-column", "who", *known, code=2)
    assert "the rows ('n04', 'n07')." in " ".join(done.stderr.split())


def test_rows_in_errors_are_those_of_the_file_where_others_were_dropped() -> None:
    values = X[:, :3].copy()
    values[[0, 1], 0] = np.nan
    write_table("gaps.csv", dict(zip("abc", values.T, strict=True)))
    Path("both.csv").write_text("4,7\n")
    known = ("--similar", "both.csv", "--dissimilar", "both.csv")
    done = run("embed", "gaps.csv", "--missing", "drop-rows", *known, code=2)
    assert "the rows (4, 7)." in " ".join(done.stderr.split())


def test_how_much_of_what_was_said_holds_is_printed() -> None:
    known = ("--similar", "similar.csv", "-m", "pca")
    done = run("embed", "data.csv", "--ignore", "kind", *known, "-o", "m.csv")
    table = read_table("m.csv")
    places = table.select(["pca0", "pca1"])
    (said,) = agreement(places, Pairs(similar=read_table("similar.csv").X.astype(int) - 1))
    assert re.search(rf"{said.n} +{said.held:.0%} +50% +similar pairs are nearer", done.stdout)
    plain = run("embed", "data.csv", "--ignore", "kind", "-m", "pca", "-o", "m.csv")
    assert "by chance" not in plain.stdout


def test_how_well_each_row_is_placed_is_written() -> None:
    how = ("data.csv", "--ignore", "kind", "-m", "pca")
    run("embed", *how, "-o", "m.csv", "--point-quality")
    table = read_table("m.csv")
    expected = point_quality(X, table.select(["pca0", "pca1"]))
    np.testing.assert_allclose(table.select(["kept"])[:, 0], expected.kept)
    np.testing.assert_allclose(table.select(["displaced"])[:, 0], expected.displaced)
    refused = run("embed", *how, "--point-quality", code=2)
    assert "--output" in refused.stderr


def test_a_method_that_is_deaf() -> None:
    write_table("walk.csv", {"x": X[:9, 0], "y": X[:9, 1], "step": ["on"] * 9})
    done = run("embed", "walk.csv", "-m", "ppca", "--action-column", "step", code=2)
    assert "SemidefiniteEmbedding" in done.stderr


COLUMNS = ["actionrespectingembedding0", "actionrespectingembedding1"]


def test_actions_by_column() -> None:
    walk = image_walk("texture", ["right"] * 4 + ["up"] * 3, patch_shape=(8, 8))
    actions = walk.extras["actions"].tolist()
    pixels = {f"p{i}": column for i, column in enumerate(walk.X.T)}
    write_table("walk.csv", {**pixels, "action": np.array([*actions, ""])})
    run("embed", "walk.csv", "--action-column", "action", "-o", "map.csv")
    expected = sidelight.embed(walk.X, side=Actions(actions))
    given = read_table("map.csv")
    np.testing.assert_allclose(given.select(COLUMNS), expected.points, atol=1e-4)
    write_table("gap.csv", {**pixels, "action": np.array([*actions[:3], "", *actions[4:], ""])})
    done = run("embed", "gap.csv", "--action-column", "action", code=2)
    assert "row 4" in done.output
    assert "--episode-column" in done.output


def test_an_action_that_is_not_known_is_asked_for_where_actions_are_numbers() -> None:
    """What was missing among numbers was an action of its own, "nan"."""
    codes = np.array([*np.repeat([1.0, 2.0], 5), np.nan])
    write_table("walk.csv", {"x": X[:11, 0], "y": X[:11, 1], "action": codes})
    known = read_knowledge(read_table("walk.csv", aside=["action"]), action_column="action")
    assert known == [Actions(["1.0"] * 5 + ["2.0"] * 5)]
    codes[3] = np.nan
    write_table("gap.csv", {"x": X[:11, 0], "y": X[:11, 1], "action": codes})
    done = run("embed", "gap.csv", "--action-column", "action", code=2)
    assert "'action' of gap.csv is empty in row 4" in " ".join(done.stderr.split())


def test_episodes_by_column() -> None:
    x = np.array([0.0, 1, 2, 1, 1, 1])
    y = np.array([0.0, 0, 0, 0, 1, 2])
    columns = {"x": x, "y": y, "do": np.array(["on", "on", "", "up", "up", ""])}
    write_table("walks.csv", {**columns, "walk": np.array(list("aaabbb"))})
    run("embed", "walks.csv", "--action-column", "do", "--episode-column", "walk", "-o", "m.csv")
    side = Actions(["on", "on", "up", "up"], episodes=list("aaabbb"))
    expected = sidelight.embed(np.column_stack([x, y]), side=side).points
    np.testing.assert_allclose(read_table("m.csv").select(COLUMNS), expected, atol=1e-4)
    run("embed", "walks.csv", "--episode-column", "walk", "--ignore", "do", code=2)


def test_an_order_by_column() -> None:
    time, walk = np.random.default_rng(1).permutation(60) + 0.5, np.repeat(["a", "b"], 30)
    angle = time / 5
    columns = {"x": np.cos(angle), "y": np.sin(angle), "z": 0.3 * angle}
    write_table("motion.csv", {**columns, "time": time, "walk": walk})
    told = ("--sequence-column", "time", "--episode-column", "walk")
    run("embed", "motion.csv", *told, "-o", "m.csv", "-m", "isomap")
    rows = np.column_stack(list(columns.values()))
    expected = sidelight.Isomap().fit_transform(rows, side=Sequence(walk, time))
    given = read_table("m.csv").select(["isomap0", "isomap1"])
    np.testing.assert_allclose(given, expected, atol=1e-4)
    done = run("embed", "motion.csv", "--sequence-column", "walk", code=2)
    assert "'walk' of motion.csv must hold numbers, dates or times" in done.output
    assert "Got 'a' in row 1" in done.output
    dates = (np.datetime64("2026-01-01") + np.floor(time).astype(int)).astype(str)
    write_table("dated.csv", {**columns, "time": dates, "walk": walk})
    run("embed", "dated.csv", *told, "-o", "dated_map.csv", "-m", "isomap")
    found = read_table("dated_map.csv").select(["isomap0", "isomap1"])
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_a_condition_by_column() -> None:
    rng = np.random.default_rng(0)
    batch, place = np.repeat(["a", "b"], 40), rng.uniform(-1, 1, 80)
    X = np.column_stack([place, place**2, 3.0 * (batch == "b"), 0.1 * rng.normal(size=80)])
    columns = {name: X[:, i] for i, name in enumerate("pqrs")}
    write_table("cells.csv", {**columns, "batch": batch})
    run("embed", "cells.csv", "--condition-column", "batch", "-d", "1", "-o", "map.csv")
    expected = sidelight.embed(X, side=Condition(batch.tolist()), n_components=1)
    found = read_table("map.csv").select(["neighborembedding0"])
    np.testing.assert_allclose(found, expected.points, atol=1e-4)
    write_table("gap.csv", {**columns, "batch": np.array(["", *batch[1:]])})
    done = run("embed", "gap.csv", "--condition-column", "batch", code=2)
    assert "empty in row 1" in done.output
    done = run("embed", "cells.csv", "--ignore", "batch", "--condition-period", "360", code=2)
    assert "Give --condition-column too" in done.output


def test_a_condition_that_comes_round() -> None:
    angle = np.arange(0.0, 360, 5)
    X = np.column_stack([np.cos(np.radians(angle)), np.sin(np.radians(angle)), angle % 10])
    write_table("ring.csv", {"x": X[:, 0], "y": X[:, 1], "z": X[:, 2], "angle": angle})
    done = run(
        "embed", "ring.csv", "--condition-column", "angle", "--condition-period", "360", "-d", "1"
    )
    assert "period 360" in done.output


class TestNames:
    """A file that names rows by a column means the rows of any order of the table."""

    who = np.array([f"p{i:02d}" for i in range(60)])

    def named(self, files: dict[str, str], *options: object, code: int = 0, **columns: Any) -> Any:
        table = {**dict(zip("wxyz", X.T, strict=True)), "who": self.who, **columns}
        write_table("named.csv", table)
        for name, text in files.items():
            Path(name).write_text(text)
        return run(
            *("embed", "named.csv", "-m", "isomap", "-o", "map.csv", "--name-column", "who"),
            *options,
            code=code,
        )

    def found(self) -> np.ndarray:
        return read_table("map.csv").select(["isomap0", "isomap1"])

    @pytest.mark.parametrize("header", ["", "one,other\n"])
    def test_pairs(self, header: str) -> None:
        text = f"{header}p00,p01\np59,p04\n"
        self.named({"like.csv": text}, "--similar", "like.csv")
        expected = sidelight.Isomap().fit_transform(X, side=Pairs(similar=[(0, 1), (4, 59)]))
        np.testing.assert_allclose(self.found(), expected, atol=1e-10)
        assert read_table("map.csv").labels["who"].tolist() == self.who.tolist()

    @pytest.mark.parametrize("header", ["", "a,b,how far\n"])
    def test_distances(self, header: str) -> None:
        self.named({"far.csv": f"{header}p06,p00,2.5\np07,p08,0.5\n"}, "--distances", "far.csv")
        side = Distances([(0, 6), (7, 8)], [2.5, 0.5])
        expected = sidelight.Isomap().fit_transform(X, side=side)
        np.testing.assert_allclose(self.found(), expected, atol=1e-10)

    def test_anchors(self) -> None:
        Path("at.csv").write_text("who,x,y\np03,0,0\np09,1,2\np30,-1,1\n")
        write_table("named.csv", {**dict(zip("wxyz", X.T, strict=True)), "who": self.who})
        run(
            *("embed", "named.csv", "-m", "sammon", "-o", "map.csv", "--name-column", "who"),
            *("--anchors", "at.csv"),
        )
        found = read_table("map.csv").select(["sammonmapping0", "sammonmapping1"])
        np.testing.assert_allclose(found[[3, 9, 30]], [[0, 0], [1, 2], [-1, 1]], atol=1e-8)

    def test_numbers_that_are_names(self) -> None:
        keys = np.arange(160, 100, -1)
        text = "160,159\n101,156\n"
        self.named({"like.csv": text}, "--similar", "like.csv", who=keys)
        expected = sidelight.Isomap().fit_transform(X, side=Pairs(similar=[(0, 1), (4, 59)]))
        np.testing.assert_allclose(self.found(), expected, atol=1e-10)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("p00,p01\np02,nobody\n", "names 'nobody' in its row 2"),
            ("p00,p01\np02,\n", "leaves a name out in its row 2"),
            ("p00,p01,p02\n", "Got 3 columns"),
            ("p00,p05\n", "more than one row of named.csv has it"),
        ],
    )
    def test_files_that_are_wrong(self, text: str, words: str) -> None:
        who = self.who.copy()
        who[6] = "p05"
        done = self.named({"like.csv": text}, "--similar", "like.csv", code=2, who=who)
        assert words in " ".join(done.output.split())

    def test_distances_that_are_wrong(self) -> None:
        done = self.named({"far.csv": "p06,p00,near\n"}, "--distances", "far.csv", code=2)
        assert "two names of rows" in " ".join(done.output.split())
        files = {"far.csv": "p06,p00,2\np06,p01,\n"}
        done = self.named(files, "--distances", "far.csv", code=2)
        assert "leaves a number out in its row 2" in " ".join(done.output.split())

    def test_a_column_of_names_that_is_not_there(self) -> None:
        self.named({})  # names alone are for pictures
        done = run("embed", "named.csv", "--name-column", "nobody", code=2)
        assert "has no column 'nobody'" in done.output


class TestConditionOfNewRows:
    """``transform`` takes the factor out of new rows by their own values."""

    @pytest.fixture(autouse=True)
    def cells(self) -> None:
        rng = np.random.default_rng(0)
        self.batch = np.repeat(["a", "b"], 40)
        self.X = rng.normal(size=(80, 4)) + 6.0 * (self.batch == "b")[:, None]
        self.columns = {name: self.X[:, i] for i, name in enumerate("pqrs")}
        write_table("cells.csv", {**self.columns, "batch": self.batch})
        run(
            *("embed", "cells.csv", "--condition-column", "batch", "-m", "pca", "-o", "map.csv"),
            *("--model", "cells.model"),
        )

    def expected(self) -> np.ndarray:
        side = Condition(self.batch.tolist())
        model = sidelight.PCA(2).fit(self.X, side=side)
        assert model.side_report_[0].change.startswith("taken out")
        return np.asarray(model.transform(self.X[::-1], condition=side.within(np.arange(80)[::-1])))

    def places(self) -> np.ndarray:
        return read_table("placed.csv").select(["pca0", "pca1"])

    def test_the_model_remembers_the_column(self) -> None:
        turned = {name: values[::-1] for name, values in self.columns.items()}
        write_table("new.csv", {"batch": self.batch[::-1], **turned})
        run("transform", "cells.model", "new.csv", "-o", "placed.csv")
        np.testing.assert_allclose(self.places(), self.expected(), atol=1e-8)

    def test_a_column_of_another_name(self) -> None:
        turned = {name: values[::-1] for name, values in self.columns.items()}
        write_table("new.csv", {**turned, "lot": self.batch[::-1]})
        done = run("transform", "cells.model", "new.csv", "-o", "placed.csv", code=2)
        assert "lacks the column 'batch'" in " ".join(done.output.split())
        run(
            *("transform", "cells.model", "new.csv", "-o", "placed.csv"),
            *("--condition-column", "lot"),
        )
        np.testing.assert_allclose(self.places(), self.expected(), atol=1e-8)

    def test_a_value_that_is_missing_or_new(self) -> None:
        lots = self.batch.copy()
        lots[3] = ""
        write_table("new.csv", {**self.columns, "batch": lots})
        done = run("transform", "cells.model", "new.csv", "-o", "placed.csv", code=2)
        assert "empty in row 4" in " ".join(done.output.split())
        lots[3] = "c"
        write_table("new.csv", {**self.columns, "batch": lots})
        done = run("transform", "cells.model", "new.csv", "-o", "placed.csv", code=2)
        assert "'c'" in " ".join(done.output.split())

    def test_a_model_that_takes_nothing_out(self) -> None:
        run("embed", "cells.csv", "--ignore", "batch", "-m", "pca", "--model", "plain.model")
        done = run(
            *("transform", "plain.model", "cells.csv", "-o", "placed.csv"),
            *("--condition-column", "batch"),
            code=2,
        )
        assert "takes no known factor out" in " ".join(done.output.split())

    def test_a_model_that_python_saved(self) -> None:
        model = sidelight.PCA(2).fit(self.X, side=Condition(self.batch.tolist()))
        sidelight.save(model, "python.model")
        done = run("transform", "python.model", "cells.csv", "-o", "placed.csv", code=2)
        assert "Give --condition-column" in " ".join(done.output.split())
        run(
            *("transform", "python.model", "cells.csv", "-o", "placed.csv"),
            *("--condition-column", "batch"),
        )
        expected = model.transform(self.X, condition=Condition(self.batch.tolist()))
        np.testing.assert_allclose(self.places(), expected, atol=1e-8)

    def test_the_judgement_says_against_what(self) -> None:
        done = run("embed", "cells.csv", "--condition-column", "batch", "-m", "pca")
        assert "without what the Condition does" in " ".join(done.output.split())


def written_in_part(name: str, said: dict[str, list[str]]) -> None:
    write_table(name, {**{f"x{i}": column for i, column in enumerate(X.T)}, **said})


def some_values(every: int) -> tuple[np.ndarray, np.ndarray]:
    """What may be known of some rows: a number that belongs to them."""
    rows = np.arange(0, len(X), every)
    return rows, X[rows, 0]


def test_a_relation_by_column_speaks_of_the_rows_that_have_a_value() -> None:
    rows, values = some_values(3)
    said = [""] * len(X)
    for row, value in zip(rows, values, strict=True):
        said[row] = repr(float(value))
    written_in_part("related.csv", {"weight": said})
    how = ("embed", "related.csv", "-m", "pca", "--relation-column", "weight", "-o", "map.csv")
    done = run(*how)
    assert f"Relation({len(rows)} of the rows" in done.stdout
    given = read_table("map.csv", missing="keep").select(["pca0", "pca1"])
    expected = sidelight.embed(X, method="pca", side=Relation.from_values(values, index=rows))
    np.testing.assert_allclose(given, expected.points, atol=1e-8)


def test_attributes_by_columns_are_distinctions_of_their_own() -> None:
    first = ["a" if x > 0 else "b" for x in X[:, 0]]
    second = ["" if i % 2 else ("c" if x > 0 else "d") for i, x in enumerate(X[:, 1])]
    written_in_part("two.csv", {"one": first, "other": second})
    done = run(
        *("embed", "two.csv", "-m", "pca", "--attribute-column", "one,other", "-o", "map.csv")
    )
    assert "Attributes([Pairs(" in done.stdout
    given = read_table("map.csv").select(["pca0", "pca1"])
    side = Attributes([Pairs.from_labels(v, unknown="", max_pairs=5000) for v in (first, second)])
    expected = sidelight.embed(X, method="pca", side=side)
    np.testing.assert_allclose(given, expected.points, atol=1e-8)


def test_a_relation_in_which_no_rows_differ_is_refused_by_its_column() -> None:
    written_in_part("same.csv", {"weight": ["2"] + [""] * (len(X) - 1)})
    done = run("embed", "same.csv", "-m", "pca", "--relation-column", "weight", code=2)
    assert "The column 'weight' of same.csv says nothing of who is alike" in done.stderr.replace(
        "\n", " "
    )


def test_compare_takes_relations_and_attributes_too() -> None:
    rows, values = some_values(2)
    said = [""] * len(X)
    for row, value in zip(rows, values, strict=True):
        said[row] = repr(float(value))
    written_in_part("related.csv", {"weight": said})
    done = run(
        "compare", "related.csv", "--methods", "pca", "--relation-column", "weight", "--json"
    )
    assert len(json.loads(done.stdout)["methods"]) == 2  # without it, and with it


def test_compare_counts_what_holds_in_maps_that_were_told_and_in_others() -> None:
    known = ("--similar", "similar.csv", "--dissimilar", "dissimilar.csv")
    how = ("compare", "data.csv", "--ignore", "kind", "--methods", "pca,isomap", *known)
    found = json.loads(run(*how, "--json").stdout)["methods"]
    side = [Pairs(similar=[(0, 1), (4, 59)]), Pairs(dissimilar=[(2, 3)])]
    for name, told in (("isomap", None), ("isomap told", side)):
        places = sidelight.embed(X, side=told, method="isomap").points
        held = [judgement.held for judgement in agreement(places, side)]
        assert found[name]["said_holds"] == pytest.approx(np.mean(held))
        assert found[name]["factor_left"] is None
    shown = run(*how, "-o", "compared").stdout
    assert "said holds ↑" in shown
    assert "factor left" not in shown
    assert "said_holds" in read_table("compared/scores.csv").column_names
    without = run("compare", "data.csv", "--ignore", "kind", "--methods", "pca").stdout
    assert "said holds" not in without


def test_compare_shows_how_much_of_a_factor_is_left() -> None:
    batch = np.arange(60) % 2
    columns = {f"x{i}": column for i, column in enumerate((X + 6 * batch[:, None]).T)}
    write_table("cells.csv", {**columns, "lot": [f"lot {b}" for b in batch]})
    how = ("--methods", "pca", "--condition-column", "lot")
    assert "factor left ↓" in run("compare", "cells.csv", *how).stdout
    found = json.loads(run("compare", "cells.csv", *how, "--json").stdout)["methods"]
    assert found["pca"]["factor_left"] > 0.95
    assert found["pca told"]["factor_left"] < 0.7


def test_compare_gives_the_hints_that_embed_gives() -> None:
    write_table("counted.csv", {"number": np.arange(60), **dict(zip("wxyz", X.T, strict=True))})
    for command, method in (("embed", "-m"), ("compare", "--methods")):
        assert "'number' counts the rows" in run(command, "counted.csv", method, "pca").stderr
    assert "counts the rows" not in run("compare", "counted.csv", "--methods", "pca", "-q").stderr


class TestSeveralFactors:
    """Two things that are known of every row, and both left out."""

    batch = np.arange(80) % 2
    hour = np.arange(80) * 7.0 % 24
    X = np.random.default_rng(3).standard_normal((80, 4))
    X[:, 0] += 6 * batch
    X[:, 1] += 6 * np.cos(2 * np.pi * hour / 24)

    def side(self) -> list[Condition]:
        return [Condition([f"lot {b}" for b in self.batch]), Condition(self.hour, period=24.0)]

    def write(self, name: str) -> None:
        columns = {f"x{i}": column for i, column in enumerate(self.X.T)}
        lots = [f"lot {b}" for b in self.batch]
        write_table(name, {**columns, "lot": lots, "hour": self.hour})

    def test_both_are_taken_out_of_rows_and_of_new_ones(self) -> None:
        self.write("cells.csv")
        how = ("--condition-column", "lot,hour", "--condition-period", "0,24")
        run("embed", "cells.csv", "-m", "pca", *how, "-o", "map.csv", "--model", "m.sidelight")
        model = sidelight.PCA(2).fit(self.X, side=self.side())
        given = read_table("map.csv", ignore=["hour"]).select(["pca0", "pca1"])
        np.testing.assert_allclose(given, model.embedding_, atol=1e-8)
        run("transform", "m.sidelight", "cells.csv", "-o", "placed.csv")
        placed = read_table("placed.csv", ignore=["hour"]).select(["pca0", "pca1"])
        expected = model.transform(self.X, condition=self.side())
        np.testing.assert_allclose(placed, expected, atol=1e-8)

    @pytest.mark.parametrize(
        ("how", "words"),
        [
            (("lot,hour", "24"), "a number for each of the 2 columns of --condition-column"),
            (("hour", "day"), "--condition-period takes numbers. Got 'day'"),
            (("hour,hour", "24,24"), "names 'hour' more than once"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, how: tuple[str, str], words: str) -> None:
        self.write("cells.csv")
        column, period = how
        done = run(
            *("embed", "cells.csv", "-m", "pca"),
            *("--condition-column", column, "--condition-period", period),
            code=2,
        )
        assert words in " ".join(done.output.split())

    def test_a_model_file_that_names_one_factor_without_a_list_is_read(self) -> None:
        from sidelight.cli.preparation import Preparation

        class Model:
            n_features_in_ = 1

        read = Preparation.from_model(Model(), {"condition": "hour", "period": 24.0})
        assert read.factors == (("hour", 24.0),)
        assert Preparation.from_model(Model(), read.to_extras()).factors == read.factors


@pytest.mark.parametrize("word", ["NA", "n/a", "NaN", "<NA>", " "])
def test_what_r_and_pandas_write_for_missing_is_no_label(word: str) -> None:
    """Rows of which nothing was known were all pairs of one class, "NA"."""
    kind = np.array([word, "a", "b"])[np.arange(60) % 3]
    write_table("gaps.csv", {**dict(zip("wxyz", X.T, strict=True)), "kind": kind})
    table = read_table("gaps.csv")
    expected = read_knowledge(read_table("data.csv"), label_column="kind")
    assert read_knowledge(table, label_column="kind") == expected
    assert read_knowledge(table, attribute_columns=["kind"]) == [Attributes(expected)]
    (relation,) = read_knowledge(table, relation_columns=["kind"])
    assert relation.index.tolist() == [i for i in range(60) if i % 3]
    with pytest.raises(ValueError, match="'kind' of gaps.csv must hold the cond.*empty in row 1"):
        read_knowledge(table, factors=[("kind", None)])


def test_marks_that_may_be_classes_are() -> None:
    signs = np.array(["+", "-", "none"])[np.arange(60) % 3]
    write_table("signs.csv", {**dict(zip("wxyz", X.T, strict=True)), "kind": signs})
    (pairs,) = read_knowledge(read_table("signs.csv"), label_column="kind")
    assert pairs == Pairs.from_labels(signs, max_pairs=5000)
    done = run("embed", "signs.csv", "--columns", "mixed", "-m", "mds")
    assert "missing" not in done.stderr


class TestColoursOfColumnsWithGaps:
    @pytest.mark.parametrize("codes", [["", "a", "b"], ["NA", "a", "b"], ["", "71", "72"]])
    def test_they_are_classes_and_what_is_missing_is_grey(self, codes: list[str]) -> None:
        lines = [f"{w},{x},{codes[i % 3]}" for i, (w, x, *_) in enumerate(X)]
        Path("gaps.csv").write_text("\n".join(["w,x,kind", *lines]))
        done = run("embed", "gaps.csv", "-m", "pca", "--color-by", "kind", "--picture", "map.svg")
        words = re.findall(r">([^<>]+)</text>", Path("map.svg").read_text())
        assert [word for word in words if word in (*codes, "missing")] == [*codes[1:], "missing"]
        # whoever has no label is neither right nor wrong
        table = read_table("gaps.csv", aside=["kind"])
        known = np.arange(60) % 3 > 0
        labels = np.array(codes)[np.arange(60) % 3][known]
        Z = sidelight.embed(table.X, method="pca").points
        expected = neighbor_label_accuracy(Z[known], labels).accuracy
        assert re.search(rf"label accuracy\s+{expected:.4f}", done.stdout)

    def test_many_dates_are_a_scale(self) -> None:
        days = np.datetime64("2024-01-01") + np.arange(60)
        lines = [f"{w},{x},{day}" for (w, x, *_), day in zip(X, days, strict=True)]
        Path("days.csv").write_text("\n".join(["w,x,day", *lines]))
        run("embed", "days.csv", "-m", "pca", "--color-by", "day", "--picture", "map.svg", "-q")
        picture = Path("map.svg").read_text()
        assert "other labels" not in picture
        assert "2024-02" in picture


def test_a_page_calls_rows_as_the_files_do() -> None:
    """Rows were counted from 0, those left out with the others, and numbers for names were lost."""
    holes = X.copy()
    holes[0, 0] = np.nan
    columns = {**dict(zip("wxyz", holes.T, strict=True)), "who": 7 * np.arange(60)}
    write_table("named.csv", columns)
    how = ("-m", "pca", "--missing", "drop-rows", "--page", "map.html", "-q")
    run("embed", "named.csv", *how, "--ignore", "who")
    page = Path("map.html").read_text()
    assert '"names": ["row 2", "row 3"' in page
    run("embed", "named.csv", *how, "--name-column", "who", "--picture", "map.svg")
    assert '"names": ["7", "14"' in Path("map.html").read_text()
    assert ">413</text>" in Path("map.svg").read_text()
    assert ">413.0</text>" not in Path("map.svg").read_text()


@pytest.mark.parametrize("kind", ["day", "who", "empty"])
def test_a_map_is_judged_by_classes_alone(kind: str) -> None:
    """Dates and names gave a label accuracy of nought."""
    columns = {
        "day": np.datetime64("2024-01-01") + np.arange(60),
        "who": [f"n{i}" for i in range(60)],
        "empty": [""] * 59 + ["a"],
    }
    lines = [f"{w},{x},{each}" for (w, x, *_), each in zip(X, columns[kind], strict=True)]
    Path("told.csv").write_text("\n".join([f"w,x,{kind}", *lines]))
    for command in (("embed", "told.csv", "-m"), ("compare", "told.csv", "--methods")):
        done = run(*command, "pca", "--color-by", kind)
        assert "label" not in done.stdout
        assert "trust" in done.stdout


def test_nothing_said_of_two_rows_is_no_reason_to_complain() -> None:
    Path("two.csv").write_text("a,b\n1,2\n3,5\n")
    done = run("embed", "two.csv", "-m", "pca")
    assert "agreement" not in done.stderr + done.stdout
    assert sidelight.embed(np.eye(2), method="pca").agreement() == ()


def test_signs_that_the_font_lacks_are_told_once() -> None:
    lines = [f"{w},{x},{'猫犬鳥'[i % 3]}" for i, (w, x, *_) in enumerate(X)]
    Path("signs.csv").write_text("\n".join(["w,x,kind", *lines]))
    how = ("-m", "pca", "--color-by", "kind", "--picture", "map.png")
    said = run("embed", "signs.csv", *how).stderr
    assert said.count("lacks the signs 犬 猫 鳥") == 1
    assert "Glyph" not in said


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((), (("heading", 360.0), ("batch", None))),
        ((("course", None), ("run", None)), (("course", 360.0), ("run", None))),
        ((("course", 6.28), ("run", None)), (("course", 6.28), ("run", None))),
        ((("course", None),), (("course", None),)),  # of another number of factors
    ],
)
def test_a_factor_in_another_column_comes_round_as_that_of_the_fit(given, found):
    fitted = Preparation(("a", "b"), factors=(("heading", 360.0), ("batch", None)))
    batch = np.array(["a", "b"])[np.arange(60) % 2]
    model = sidelight.FactorRemoval(always=True).fit(X, side=Condition(batch))
    assert fitted.for_factor_of(model, given).factors == found
