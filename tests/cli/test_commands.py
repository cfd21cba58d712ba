"""The commands end to end: what they write, and what they say when they cannot."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_model, read_table, write_table
from sidelight.side import Pairs

RNG = np.random.default_rng(0)
ANGLE = np.sort(RNG.uniform(0.2, 3.0, size=80))
ARC = np.column_stack([np.cos(ANGLE), np.sin(ANGLE), 0.1 * RNG.random(80)])


def run(*arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(application, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERMINAL_WIDTH", "200")


@pytest.fixture
def arc() -> Path:
    half = np.where(ANGLE < 1.6, "right", "left")
    columns = dict(zip("abc", ARC.T, strict=True))
    return write_table("arc.csv", {**columns, "half": half, "angle": ANGLE})


def test_embed_writes_what_python_computes(arc: Path) -> None:
    done = run(
        *("embed", arc, "-m", "isomap", "-d", 1, "-k", 9, "--color-by", "angle"),
        *("-o", "out/map.csv", "--picture", "out/map.png", "--model", "out/m.sidelight"),
    )
    expected = sidelight.Isomap(1, n_neighbors=9).fit(ARC)
    table = read_table("out/map.csv")
    assert table.column_names == ("row", "isomap0", "angle")
    assert np.array_equal(table.select(["row"])[:, 0], np.arange(1, 81))
    assert np.array_equal(table.select(["isomap0"]), expected.embedding_)
    assert np.array_equal(table.select(["angle"])[:, 0], ANGLE)
    assert table.labels["half"][0] == "right"
    assert np.array_equal(sidelight.load("out/m.sidelight").embedding_, expected.embedding_)
    assert Path("out/map.png").read_bytes().startswith(b"\x89PNG")
    quality = sidelight.quality.quality_report(ARC, expected.embedding_)
    assert f"{quality.auc:.4f}" in done.stdout
    assert "Set aside the column 'half': text" in done.stderr
    assert "80 rows × 3 columns" in done.stdout


def test_transform_and_decode_undo_the_scaling_and_find_columns_by_name(arc: Path) -> None:
    run("embed", arc, "-m", "pca", "-d", 3, "--standardize", "--ignore", "angle", "--model", "m.sl")
    # the same columns in another order, and one more
    shuffled = {"c": ARC[:, 2], "other": ANGLE, "b": ARC[:, 1], "a": ARC[:, 0]}
    write_table("new.tsv", shuffled)
    done = run("transform", "m.sl", "new.tsv", "-o", "places.csv")
    assert "Not used by the model: the column 'other'" in done.stderr
    standard = (ARC - ARC.mean(axis=0)) / ARC.std(axis=0)
    places = read_table("places.csv").select(["pca0", "pca1", "pca2"])
    np.testing.assert_allclose(places, sidelight.PCA(3).fit_transform(standard), atol=1e-12)
    run("decode", "m.sl", "places.csv", "-o", "back.parquet")
    back = read_table("back.parquet")
    assert back.column_names == ("a", "b", "c")
    np.testing.assert_allclose(back.X, ARC, atol=1e-12)


def test_transform_takes_a_model_saved_from_python() -> None:
    model = sidelight.PCA(2).fit(ARC)
    sidelight.save(model, "m.sidelight")
    np.save("new.npy", ARC[:5])
    run("transform", "m.sidelight", "new.npy", "-o", "z.npy")
    assert np.array_equal(np.load("z.npy")[:, 1:], model.transform(ARC[:5]))


def test_transform_refuses_what_the_model_was_not_fitted_on(arc: Path) -> None:
    run("embed", arc, "-m", "pca", "--ignore", "angle", "--model", "m.sidelight", "--quiet")
    write_table("less.csv", {"a": ANGLE, "b": ANGLE})
    done = run("transform", "m.sidelight", "less.csv", "-o", "z.csv", code=2)
    assert "less.csv lacks the column 'c', which the model was fitted on" in done.stderr
    Path("holes.csv").write_text("a,b,c,d\n1,2,,\n1,2,3,\n")
    done = run("transform", "m.sidelight", "holes.csv", "-o", "z.csv", code=2)
    assert "1 missing value in the column 'c'" in done.stderr
    run("transform", "m.sidelight", "holes.csv", "-o", "z.csv", "--missing", "drop-rows")
    assert read_table("z.csv").select(["row"]).tolist() == [[2.0]]


def test_score_agrees_with_python_and_follows_the_rows(arc: Path) -> None:
    lines = arc.read_text().splitlines()
    lines[3] = lines[3].replace(lines[3].split(",")[0], "", 1)  # one hole
    arc.write_text("\n".join(lines))
    run("embed", arc, "-m", "pca", "--color-by", "angle", "--missing", "drop-rows", "-o", "map.csv")
    done = run(
        *("score", arc, "map.csv", "--labels", "half", "--missing", "drop-rows", "--json"),
    )
    kept = np.delete(np.arange(80), 2)
    report = sidelight.quality.quality_report(
        ARC[kept], sidelight.PCA(2).fit_transform(ARC[kept]), labels=ANGLE[kept] < 1.6
    )
    found = json.loads(done.stdout)
    assert found["n_samples"] == 79
    for name in ("trustworthiness", "auc", "stress", "label_accuracy"):
        assert found[name] == pytest.approx(getattr(report, name), abs=1e-12), name
    assert "trustworthiness" in run("score", arc, "map.csv", "--missing", "drop-rows").stdout


def test_score_of_a_map_of_other_rows_is_refused(arc: Path) -> None:
    write_table("map.csv", {"x": ANGLE[:50]})
    assert "50 rows and arc.csv has 80" in run("score", arc, "map.csv", code=2).stderr
    write_table("map.csv", {"row": np.arange(50, 130), "x": ANGLE})
    assert "rows that arc.csv does not have" in run("score", arc, "map.csv", code=2).stderr


def test_score_says_how_many_of_the_rows_are_judged(arc: Path) -> None:
    write_table("map.csv", {"row": np.arange(1, 41), "x": ANGLE[:40], "y": ANGLE[:40] ** 2})
    done = run("score", arc, "map.csv")
    assert "places for 40 of the 80 rows of arc.csv" in done.stderr
    assert "40 of 80 rows" in done.stdout
    told = run("score", arc, "map.csv", "--json")
    assert "40 of the 80 rows" in told.stderr
    assert json.loads(told.stdout)["n_rows"] == 80
    write_table("map.csv", {"row": np.arange(1, 81), "x": ANGLE, "y": ANGLE**2})
    assert "of the 80 rows" not in run("score", arc, "map.csv").stderr


def test_score_of_a_few_rows_placed_from_another_table_is_refused(arc: Path) -> None:
    write_table("map.csv", {"row": np.arange(1, 5), "x": ANGLE[:4], "y": ANGLE[:4] ** 2})
    done = run("score", arc, "map.csv", code=2)
    assert "places for 4 of the 80 rows of arc.csv" in done.stderr
    assert "another table" in done.stderr


def test_compare_ranks_and_goes_on_after_a_failure(arc: Path) -> None:
    arguments = ("compare", arc, "--color-by", "half", "--ignore", "angle", "-d", 3)
    done = run(*arguments, "--methods", "pca,isomap,kpca", "-o", "cmp", "--json")
    found = json.loads(done.stdout)
    assert found["methods"]["pca"]["stress"] == pytest.approx(0.0, abs=1e-6)  # 3 of 3 dimensions
    assert found["methods"]["isomap"]["stress"] > 0.05
    assert sorted(path.name for path in Path("cmp").iterdir()) == [
        "comparison.png",
        "isomap.csv",
        "kpca.csv",
        "pca.csv",
        "scores.csv",
    ]
    scores = read_table("cmp/scores.csv")
    assert scores.labels["method"].tolist() == ["pca", "isomap", "kpca"]
    done = run(*arguments[:-1], 4, "--methods", "pca,isomap")
    assert "'n_components' parameter of PCA must be at most" in done.stderr
    assert "best stress: isomap" in done.stdout


def test_distances_are_drawn_as_a_map() -> None:
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    towns = np.array(list("ABCDEF"))
    write_table("roads.csv", {"town": towns, **dict(zip(towns, D, strict=True))})
    done = run("embed", "roads.csv", "--precomputed", "-d", 1, "-o", "map.csv", "--model", "m")
    assert "ClassicalMDS" in done.stdout
    assert "the data are a table of distances" in done.stdout
    gaps = np.diff(read_table("map.csv").select(["classicalmds0"])[:, 0])
    np.testing.assert_allclose(np.abs(gaps), 1.0)
    done = run("decode", "m", "map.csv", "-o", "x.csv", code=2)
    assert "fitted on a precomputed table" in done.stderr


def test_a_graph_of_distances_is_laid_out_along_its_edges() -> None:
    path = sp.csr_array(np.diag(np.arange(1.0, 8.0), 1))
    sp.save_npz("path.npz", path)
    done = run("embed", "path.npz", "--precomputed", "-d", 1, "-o", "map.csv", "--model", "m")
    assert "measures along the graph" in done.stdout
    Z = read_table("map.csv").select(["isomap0"])[:, 0]
    np.testing.assert_allclose(np.abs(np.diff(Z)), np.arange(1.0, 8.0))
    # a new row half way between the last two
    sp.save_npz("new.npz", sp.csr_array(([3.5, 3.5], ([0, 0], [6, 7])), shape=(1, 8)))
    run("transform", "m", "new.npz", "-o", "new.csv")
    assert abs(read_table("new.csv").select(["isomap0"])[0, 0]) < np.abs(Z).max()


def test_a_sparse_array_of_counts_is_data() -> None:
    counts = sp.csr_array(RNG.poisson(0.3, size=(60, 30)))
    sp.save_npz("words.npz", counts)
    how = ("--metric", "cosine", "-m", "ne", "--model", "m")
    assert "look like counts" not in run("embed", "words.npz", *how, "-o", "map.csv").stderr
    expected = sidelight.NeighborEmbedding(metric="cosine").fit(counts)
    found = read_table("map.csv").select(["neighborembedding0", "neighborembedding1"])
    np.testing.assert_array_equal(found, expected.embedding_)
    run("transform", "m", "words.npz", "-o", "placed.csv")
    placed = read_table("placed.csv").select(["neighborembedding0", "neighborembedding1"])
    np.testing.assert_allclose(placed, expected.embedding_)
    scored = json.loads(run("score", "words.npz", "map.csv", *how[:2], "--json").stdout)
    report = sidelight.quality.quality_report(
        counts.toarray(), expected.embedding_, metric="cosine"
    )
    assert scored["auc"] == pytest.approx(report.auc, abs=1e-9)
    assert "look like counts" in run("embed", "words.npz", "-m", "pca").stderr
    refused = run("embed", "words.npz", "--standardize", code=2)
    assert "--standardize would fill the zeros" in refused.stderr


def test_the_number_of_dimensions_is_found_out(arc: Path) -> None:
    done = run("embed", arc, "-d", "auto", "-o", "map.csv")
    assert re.search(r"fitted +in .*, 1 dimension\b", done.stdout)
    assert read_table("map.csv").column_names == ("row", "isomap0")
    done = run("embed", arc, "-m", "ppca", "-d", "cv", "-o", "map.csv")
    assert re.search(r"fitted +in .*, \d dimension", done.stdout)
    assert "ProbabilisticPCA" in run("embed", arc, "-d", "cv").output  # which can ask rows left out
    refused = run("embed", arc, "-m", "isomap", "-d", "cv", code=2).output
    assert "'n_components' parameter of Isomap" in refused
    done = run("embed", arc, "-d", "many", code=2)
    assert "'many' is neither a number nor 'auto' or 'cv'" in done.output


def test_missing_numbers_go_to_ppca_as_they_are(arc: Path) -> None:
    Path("holes.csv").write_text(arc.read_text().replace(f"{float(ARC[0, 0])!r},", "NA,", 1))
    done = run("embed", "holes.csv", code=2)
    assert "1 missing value in the column 'a'; the first is in row 1" in done.stderr
    assert "--missing drop-rows" in done.stderr
    done = run("embed", "holes.csv", "-m", "ppca", "--ignore", "angle", "-o", "map.csv")
    assert "1 missing value, kept as such" in done.stderr
    assert np.isfinite(read_table("map.csv").X).all()


def test_warnings_are_said_in_words() -> None:
    two = np.vstack([RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2)) + 99.0])
    np.save("two.npy", two)
    done = run("embed", "two.npy", "-k", 3, "-m", "isomap", "--quiet")
    assert done.stderr.startswith(" ! The neighbourhood graph of Isomap fell into")
    assert "Warning" not in done.stderr
    assert done.stdout == ""


def test_parameters_are_read_as_what_they_take(arc: Path) -> None:
    run(
        *("embed", arc, "-m", "lem", "--param", "weights=heat", "--param", "normalized=false"),
        *("--param", "width=2", "--ignore", "half,angle", "--model", "m"),
    )
    parameters = read_model("m").model.get_params()
    assert parameters["weights"] == "heat"
    assert parameters["normalized"] is False
    assert parameters["width"] == 2
    assert read_model("m").extras["columns"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nofile.csv",), "There is no file nofile.csv."),
        (("arcs.csv",), "Did you mean arc.csv?"),
        (("arc.csv", "-m", "isomop"), "There is no method 'isomop'. Did you mean 'isomap'?"),
        (("arc.csv", "-m", "pca", "-k", "5"), "PCA has no parameter 'n_neighbors'"),
        (("arc.csv", "-m", "lle", "--param", "regg=1"), "Did you mean 'reg'?"),
        (("arc.csv", "--param", "radius"), "--param takes name=value"),
        (("arc.csv", "--color-by", "angel"), "Did you mean 'angle'?"),
        (("arc.csv", "-o", "map.doc"), "its ending must be one of .csv"),
        (("arc.csv", "--picture", "map.doc"), "its ending must be one of"),
        (("arc.csv", "--thumbnails", "8x8"), "needs 64 columns of pixels"),
        (("arc.csv", "--thumbnails", "big"), "takes HEIGHTxWIDTH"),
        (("arc.csv", "-k", "0"), "The 'n_neighbors' parameter of NeighborEmbedding must be"),
        (("arc.csv", "--metric", "crow"), "The 'metric' parameter of NeighborEmbedding must be"),
        (("arc.csv", "--precomputed"), "expects X to be square"),
    ],
)
def test_what_the_user_can_put_right_is_one_line(
    arguments: tuple[str, ...], words: str, arc: Path
) -> None:
    done = run("embed", *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.output
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert sorted(path.name for path in Path().iterdir()) == ["arc.csv"]


def test_debug_shows_the_traceback_wherever_it_stands() -> None:
    for arguments in (["--debug", "embed", "no.csv"], ["embed", "no.csv", "--debug"]):
        done = CliRunner().invoke(application, arguments)
        assert isinstance(done.exception, FileNotFoundError)


def test_auto_takes_landmarks_for_many_rows() -> None:
    from sidelight.embedding import choose_method

    assert choose_method(4000, n_components=4).parameters == {}
    assert choose_method(10**6, n_components=4).parameters == {"n_landmarks": 100}


def test_digits_as_the_demonstration_makes_them() -> None:
    done = run("datasets", "digits", "-o", "digits.csv")
    assert "sidelight embed digits.csv --color-by label --thumbnails 8x8" in done.stdout
    table = read_table("digits.csv", aside=["label"])
    X, labels = sidelight.datasets.digits()
    assert np.array_equal(table.X, X)
    assert np.array_equal(table.labels["label"], labels)
    # the first three hundred are enough to see it work
    lines = Path("digits.csv").read_text().splitlines()
    Path("few.csv").write_text("\n".join(lines[:301]))
    done = run(
        *("embed", "few.csv", "-m", "isomap", "--color-by", "label", "--thumbnails", "8x8"),
        *("-o", "map.csv", "--picture", "map.png", "--model", "few.sidelight"),
    )
    assert "label accuracy" in done.stdout
    assert read_table("map.csv").select(["label"])[:, 0].tolist() == labels[:300].tolist()


def test_datasets_are_listed_and_refused_by_name() -> None:
    listed = run("datasets").stdout
    assert all(name in listed for name in sidelight.datasets.available())
    assert "There is no data set 'digit'" in run("datasets", "digit", code=2).stderr
    run("datasets", "s_curve", "--param", "n_samples=30", "--truth", "-o", "s.npz")
    data = sidelight.datasets.load("s_curve", n_samples=30)
    assert read_table("s.npz").X.shape == (30, 3 + data.truth.shape[1])
    done = run("datasets", "s_curve", "--param", "speed=30", "-o", "s.npz", code=2)
    assert "speed" in done.stderr


def test_an_answer_among_the_data_is_pointed_out() -> None:
    write_table("a.csv", {"x": ANGLE, "z": ANGLE**2, "label": (ANGLE > 1).astype(int)})
    assert "The column 'label' is used as data" in run("embed", "a.csv", "-m", "pca").stderr
    done = run("embed", "a.csv", "-m", "pca", "--color-by", "label")
    assert "used as data" not in done.stderr


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce = import_module("sidelight.cli.commands.reproduce")
    room = tmp_path / "room"
    room.mkdir()
    (room / "shown.py").write_text(
        '"""Shows one thing.\n\nAt length."""\nfrom experiments._shared import NAME\n'
        "def main(output, *, quick=False):\n    (output / NAME).write_text(str(quick))\n"
    )
    (tmp_path / "_shared.py").write_text("NAME = 'result.txt'\n")
    (room / "broken.py").write_text('"""Never run to be listed."""\nraise SystemExit(9)\n')
    (room / "empty.py").write_text("")
    found = {path.stem: path for path in room.glob("[!_]*.py")}
    monkeypatch.setattr(reproduce, "experiments", lambda: found)


@pytest.mark.usefixtures("scripts")
def test_experiments_are_listed_without_running_and_run_by_name() -> None:
    listed = run("reproduce", "--list").stdout
    assert "Shows one thing." in listed
    assert "Never run to be listed." in listed
    run("reproduce", "shown", "--quick", "-o", "deep/out")
    assert Path("deep/out/result.txt").read_text() == "True"
    assert "Did you mean 'shown'?" in run("reproduce", "show", code=2).stderr
    assert "has no function main" in run("reproduce", "empty", code=2).stderr


def test_the_experiments_of_the_sources_are_found() -> None:
    from sidelight.cli.commands.reproduce import experiments, summary

    scripts = experiments()
    assert all(summary(script)[-1:] in (".", "?") for script in scripts.values())


def test_an_experiment_prints_its_figures_and_writes_them() -> None:
    done = run("reproduce", "blessing_of_dimensionality", "--quick", "-o", "out")
    assert "power of p" in done.stdout
    assert ", holds" in done.stdout
    found = json.loads(Path("out/blessing_of_dimensionality.json").read_text())
    assert found["form"] == "quick"
    assert found["tables"][0]["seeds"] == [0, 1]
    refused = run("reproduce", "blessing_of_dimensionality", "--quick", "--record", code=2)
    assert "leave out --quick" in refused.stderr


def test_a_true_run_from_a_shell(arc: Path) -> None:
    command = [sys.executable, "-m", "sidelight", "embed", str(arc), "-m", "pca", "-o", "map.tsv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "\x1b[" not in done.stdout + done.stderr
    assert Path("map.tsv").read_text().startswith("row\tpca0\tpca1\thalf\n1\t")
    done = subprocess.run([*command, "-k", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: PCA has no parameter 'n_neighbors'")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_an_interrupt_ends_neatly(tmp_path: Path) -> None:
    # an experiment that says when it runs, and then waits to be stopped
    (tmp_path / "waiting.py").write_text(
        '"""Waits."""\nimport time\n'
        "def main(output, *, quick=False):\n"
        "    (output / 'started').write_text('')\n    time.sleep(60)\n"
    )
    code = (
        "from importlib import import_module; from pathlib import Path\n"
        "from sidelight.cli import application\n"
        "reproduce = import_module('sidelight.cli.commands.reproduce')\n"
        f"reproduce.experiments = lambda: {{'waiting': Path({str(tmp_path / 'waiting.py')!r})}}\n"
        "application.application(['reproduce', 'waiting', '-o', 'out'])\n"
    )
    started = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    for _ in range(300):
        if Path("out/started").exists():
            break
        time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert started.returncode == 130
    assert said.strip() == "Stopped."


def test_a_page_and_names_in_the_picture(arc: Path) -> None:
    columns = dict(zip("abc", ARC.T, strict=True))
    named = {"who": [f"row {i}" for i in range(80)], "half": np.where(ANGLE < 1.6, "r", "l")}
    write_table("named.csv", {**columns, **named})
    done = run(
        *("embed", "named.csv", "-m", "pca", "--name-column", "who", "--color-by", "half"),
        *("--picture", "map.svg", "--page", "map.html"),
    )
    assert "map.html" in done.stdout
    page = Path("map.html").read_text()
    assert '"row 79"' in page
    assert '"half": ["r"' in page
    assert "named" in page
    assert ">row 0</text>" in Path("map.svg").read_text()
    refused = run("embed", arc, "--page", "map.png", code=2)
    assert "its ending must be .html" in refused.stderr


def test_methods_are_compared_without_and_with_what_is_known(arc: Path) -> None:
    known = np.where(np.arange(80) % 4 == 0, np.where(ANGLE < 1.6, "right", "left"), "")
    columns = dict(zip("abc", ARC.T, strict=True))
    write_table("known.csv", {**columns, "known": known})
    how = ("--methods", "pca,mds", "--label-column", "known", "-o", "out")
    done = run("compare", "known.csv", *how)
    scores = read_table("out/scores.csv")
    assert scores.labels["method"].tolist() == ["pca", "pca told", "mds", "mds told"]
    told = sidelight.embed(ARC, method="pca", side=Pairs.from_labels(np.where(known, known, None)))
    found = read_table("out/pca-told.csv").select(["pca0", "pca1"])
    np.testing.assert_array_equal(found, told.points)
    assert "Take " in done.stderr
    assert "Take " not in run("compare", arc, "--methods", "pca").stderr


def test_what_a_told_map_learned_is_not_what_it_is_compared_by() -> None:
    from sidelight.quality import quality_report

    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=150)
    X = rng.standard_normal((150, 6)) * [4.0, 4.0, 1.0, 1.0, 1.0, 1.0]
    X[:, 2] += 5.0 * kind
    write_table("kinds.csv", {**dict(zip("abcdef", X.T, strict=True)), "kind": kind.astype(str)})
    how = ("--methods", "pca", "--label-column", "kind")
    done = run("compare", "kinds.csv", *how, "-o", "out")
    told = read_table("out/pca-told.csv").select(["pca0", "pca1"])
    scores = read_table("out/scores.csv").select(["auc"])[:, 0]
    assert scores[1] == pytest.approx(quality_report(X, told).auc, abs=1e-9)
    assert scores[0] > scores[1] + 0.05
    assert "Take pca: it keeps most" in " ".join(done.stderr.split())
    assert "judged against the data as given" in " ".join(done.stderr.split())


def test_maps_that_leave_a_factor_out_are_compared_among_themselves() -> None:
    rng = np.random.default_rng(0)
    batch = rng.integers(2, size=160)
    X = rng.standard_normal((160, 4)) * [3.0, 2.0, 0.2, 0.2] + 8.0 * batch[:, None]
    names = np.where(batch, "late", "early")
    write_table("batches.csv", {**dict(zip("abcd", X.T, strict=True)), "batch": names})
    how = ("batches.csv", "--methods", "pca,isomap", "--condition-column", "batch")
    said = " ".join(run("compare", *how).stderr.split())
    assert "Without what the Condition does: Take" in said
    assert "With what the Condition does: Take" in said
    found = json.loads(run("compare", *how, "--json").stdout)["methods"]["pca told"]
    assert found["without_condition"]["auc"] > found["auc"] + 0.1


def test_several_seeds_say_how_far_scores_are_apart(
    arc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidelight.embedding.reach import REACH, Reach

    # so that it is fitted to rows that are drawn, and the others are placed
    monkeypatch.setitem(REACH, "Isomap", Reach(30, "a sample"))  # type: ignore[index]
    how = (arc, "--ignore", "angle,half", "--methods", "pca,isomap", "--seeds", 3)
    found = json.loads(run("compare", *how, "--json", "-o", "out").stdout)["methods"]
    assert "spread" not in found["pca"]  # which draws nothing
    assert found["isomap"]["seeds"] == 3
    maps = [sidelight.embed(ARC, method="isomap", random_state=seed) for seed in range(3)]
    areas = [result.quality().auc for result in maps]
    apart = np.std(areas, ddof=1)
    assert apart > 1e-4
    assert found["isomap"]["auc"] == pytest.approx(np.mean(areas), abs=1e-9)
    assert found["isomap"]["spread"]["auc"] == pytest.approx(apart, abs=1e-9)
    scores = read_table("out/scores.csv")
    assert scores.select(["auc_spread"])[:, 0] == pytest.approx([0.0, apart], abs=1e-9)
    assert (scores.select(["seconds"]) > 0).all()
    first = read_table("out/isomap.csv").select(["isomap0", "isomap1"])
    np.testing.assert_allclose(first, maps[0].points, atol=1e-9)
    assert f"± {apart:.4f}" in run("compare", *how).stdout


def test_methods_are_compared_with_all_that_embed_takes(arc: Path) -> None:
    wide = ARC @ np.random.default_rng(0).normal(size=(3, 8))
    write_table("walk.csv", {**dict(zip("abcdefgh", wide.T, strict=True)), "time": ANGLE})
    Path("anchors.csv").write_text("1,0,0\n40,5,5\n80,9,0\n")
    Path("known.csv").write_text("1,80,4\n2,40,1\n")
    for way, method in (
        (("--anchors", "anchors.csv"), "pca"),
        (("--distances", "known.csv"), "mds"),
        (("--sequence-column", "time"), "isomap"),
        (("--invariant-to", "baseline"), "mds"),
    ):
        aside = () if "time" in way else ("--ignore", "time")
        run("compare", "walk.csv", "--methods", method, *way, *aside, "-o", "out")
        run("embed", "walk.csv", "--method", method, *way, *aside, "-o", "told.csv")
        compared, told = (
            read_table(name).X[:, 1:3] for name in (f"out/{method}-told.csv", "told.csv")
        )
        np.testing.assert_array_equal(compared, told)
        assert read_table(f"out/{method}.csv").X.shape[0] == 80


def test_methods_are_compared_on_distances_that_look_like_such() -> None:
    D = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    write_table("roads.csv", dict(zip("abcdefgh", D, strict=True)))
    done = run("compare", "roads.csv", "--methods", "mds,pca", "-d", 1)
    assert "read as the distances among 8 rows" in " ".join(done.stderr.split())
    assert "pca: PCA has no parameter 'metric'" in " ".join(done.stderr.split())
    found = json.loads(run("compare", "roads.csv", "--methods", "mds", "-d", 1, "--json").stdout)
    assert found["methods"]["mds"]["metric"] == "precomputed"
    assert found["methods"]["mds"]["stress"] < 1e-6


def test_the_map_to_take_keeps_most_and_among_equals_is_the_fastest() -> None:
    from types import SimpleNamespace

    from sidelight.cli.reports import recommended

    reports: Any = {n: SimpleNamespace(auc=a) for n, a in {"a": 0.7, "b": 0.695, "c": 0.2}.items()}
    (said,) = recommended(reports, {"a": 3.0, "b": 1.0, "c": 0.1})
    assert said.startswith("Take b: of a, b, which keep as much, it is the fastest (1.0 s; c 0.200")
    reports["b"].auc = 0.5
    (said,) = recommended(reports, {"a": 3.0, "b": 1.0, "c": 0.1})
    assert said == "Take a: it keeps most of the neighbourhoods (area under R_NX 0.700; b 0.500)."
    # unless that is what other seeds would change
    (said,) = recommended(reports, {"a": 3.0, "b": 1.0, "c": 0.1}, {"b": {"auc": 0.25}})
    assert said.startswith("Take b: of a, b, which keep as much")


def test_all_methods_are_those_that_need_nothing_but_data() -> None:
    from sidelight.cli.commands.compare import _all_maps

    names = {entry.name for entry in _all_maps()}
    assert {"PCA", "NeighborEmbedding", "SemidefiniteEmbedding"} <= names
    assert "ActionRespectingEmbedding" not in names
    assert len(names) >= 15
