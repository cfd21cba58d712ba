"""The command line goes through the library's door: one choice, one judgement, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_table, write_table

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 4)) @ np.diag([3.0, 2.0, 0.3, 0.2])
HOLES = np.where(RNG.random(X.shape) < 0.05, np.nan, X)


def run(*arguments: object, code: int = 0) -> Any:
    done = CliRunner().invoke(application, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def table(path: str, values: np.ndarray, **columns: Any) -> Path:
    return write_table(path, {**dict(zip("abcdefgh", values.T, strict=False)), **columns})


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_missing_values_that_are_kept_choose_the_method_that_the_library_chooses() -> None:
    table("holes.csv", HOLES)
    expected = sidelight.embed(HOLES)
    assert type(expected.model) is sidelight.ProbabilisticPCA
    done = run("embed", "holes.csv", "--missing", "keep", "-o", "map.csv")
    assert "some values are missing, and it fills them in" in done.stdout
    found = read_table("map.csv").select(["probabilisticpca0", "probabilisticpca1"])
    np.testing.assert_allclose(found, expected.points, atol=1e-9)


def test_missing_values_beside_pairs_are_refused_by_both_doors_in_the_same_words() -> None:
    table("holes.csv", HOLES)
    Path("pairs.csv").write_text("1,2\n3,4\n")
    with pytest.raises(ValueError, match="no method that takes such values .*Pairs") as refusal:
        sidelight.embed(HOLES, side=sidelight.side.Pairs(similar=[(0, 1), (2, 3)]))
    done = run("embed", "holes.csv", "--missing", "keep", "--similar", "pairs.csv", code=2)
    assert str(refusal.value) in done.stderr


@pytest.mark.parametrize("command", ["embed", "compare"])
def test_every_map_of_the_command_line_comes_through_the_door(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table("data.csv", X)
    seen, door = [], sidelight.embed

    def watched(data: Any, **options: Any) -> Any:
        seen.append((np.shape(data), options["method"]))
        return door(data, **options)

    monkeypatch.setattr(sidelight, "embed", watched)
    run(command, "data.csv")
    methods = ["auto"] if command == "embed" else ["pca", "isomap", "lle", "lem", "ne"]
    assert seen == [(X.shape, method) for method in methods]


def test_a_precomputed_metric_is_what_the_flag_says() -> None:
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    table("roads.csv", D)
    for way in (["--precomputed"], ["--metric", "precomputed"]):
        assert "ClassicalMDS" in run("embed", "roads.csv", *way, "-d", 1, "-o", "map.csv").stdout
        gaps = np.diff(read_table("map.csv").select(["classicalmds0"])[:, 0])
        np.testing.assert_allclose(np.abs(gaps), 1.0)
        run("compare", "roads.csv", *way, "--methods", "mds", "-d", 1)
        assert "1.0000" in run("score", "roads.csv", "map.csv", *way).stdout


@pytest.mark.parametrize("command", [("embed", "-m", "pca"), ("compare", "--methods", "pca")])
@pytest.mark.parametrize("scaled", [(), ("--standardize",)])
def test_a_table_of_distances_read_as_features_is_pointed_out(
    command: tuple[str, ...], scaled: tuple[str, ...]
) -> None:
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    table("roads.csv", D)
    done = run(command[0], "roads.csv", *command[1:], *scaled)
    assert done.stderr.count("as a table of distances is") == 1
    assert "--metric precomputed" in done.stderr
    table("data.csv", X)
    assert "table of distances" not in run(command[0], "data.csv", *command[1:], *scaled).stderr


def test_score_points_a_table_of_distances_out_too() -> None:
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    table("roads.csv", D)
    write_table("map.csv", {"x": np.arange(6.0)})
    assert "--metric precomputed" in run("score", "roads.csv", "map.csv").stderr
    done = run("score", "roads.csv", "map.csv", "--precomputed")
    assert "as a table of distances is" not in done.stderr


@pytest.mark.parametrize(
    ("failure", "code"), [(ValueError("No measure."), 0), (KeyboardInterrupt(), 130)]
)
def test_a_finished_map_is_not_lost_when_judging_it_fails(
    failure: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise failure

    monkeypatch.setattr(sidelight.Embedding, "quality", fails)
    table("data.csv", X)
    run("embed", "data.csv", "-o", "map.csv", "--model", "m.sl", "--picture", "p.png", code=code)
    expected = sidelight.NeighborEmbedding().fit_transform(X)
    np.testing.assert_allclose(read_table("map.csv").X[:, 1:], expected, atol=1e-10)
    np.testing.assert_allclose(sidelight.load("m.sl").embedding_, expected, atol=1e-10)
    assert Path("p.png").exists()


def test_a_finished_map_is_not_lost_when_drawing_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ValueError("No paint.")

    monkeypatch.setattr(sidelight.plot, "scatter", fails)
    table("data.csv", X)
    done = run("embed", "data.csv", "-o", "map.csv", "--picture", "p.png", code=2)
    assert "No paint." in done.stderr
    assert "map.csv" in done.stdout
    assert len(read_table("map.csv").X) == 40


def test_the_maps_of_a_comparison_are_kept_when_a_later_method_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sidelight.Isomap, "fit", stopped)
    table("data.csv", X)
    run("compare", "data.csv", "--methods", "pca,isomap", "-o", "out", code=130)
    found = read_table("out/pca.csv").select(["pca0", "pca1"])
    np.testing.assert_allclose(found, sidelight.PCA().fit_transform(X), atol=1e-12)


@pytest.mark.parametrize("method", ["auto", "pca", "mds", "sne"])
def test_constant_data_give_a_map_and_a_note_or_a_clear_error(method: str) -> None:
    table("same.csv", np.ones((12, 3)))
    done = CliRunner().invoke(application, ["embed", "same.csv", "-m", method, "-o", "map.csv"])
    assert "Traceback" not in done.output
    if done.exit_code == 0:
        assert np.isfinite(read_table("map.csv").X).all()
        assert len(done.stderr.splitlines()) > 0
    else:
        assert (done.exit_code, Path("map.csv").exists()) == (2, False)
        assert done.stderr.splitlines()[-1].startswith("Error: ")


def test_rows_without_a_place_are_left_out_of_the_judgement() -> None:
    path = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    graph = np.where(path <= 2, path, 0.0)
    graph[:9, 9:] = graph[9:, :9] = 0.0  # the last three are a piece of their own
    sp.save_npz("path.npz", sp.csr_array(graph))
    options = ("--precomputed", "-d", 1, "--param", "on_disconnected=largest")
    done = run("embed", "path.npz", *options, "-o", "map.csv", "--picture", "map.png")
    Z = read_table("map.csv", missing="keep").select(["isomap0"])
    assert np.isfinite(Z[:, 0]).tolist() == [True] * 9 + [False] * 3
    report = sidelight.quality.quality_report(path[:9, :9], Z[:9], metric="precomputed")
    assert f"{report.auc:.4f}" in done.stdout


def test_a_map_of_a_graph_is_scored_along_it() -> None:
    path = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    sp.save_npz("path.npz", sp.csr_array(np.where(path <= 2, path, 0.0)))
    run("embed", "path.npz", "--precomputed", "-d", 1, "-o", "map.csv")
    assert "1.0000" in run("score", "path.npz", "map.csv", "--precomputed").stdout


def test_a_comparison_says_what_it_wrote_also_where_nothing_could_be_judged() -> None:
    table("same.csv", np.ones((12, 3)))
    done = run("compare", "same.csv", "--methods", "pca,isomap", "-o", "out")
    assert "not judged" in done.stdout
    assert "comparison.png, pca.csv\n" in done.stdout
    assert sorted(path.name for path in Path("out").iterdir()) == ["comparison.png", "pca.csv"]


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_a_true_interrupt_while_judging_leaves_the_map() -> None:
    table("data.csv", X)
    code = (
        "import time, sidelight; from sidelight.cli import main\n"
        "def judging(*_, **__):\n    print('JUDGING', flush=True); time.sleep(60)\n"
        "sidelight.Embedding.quality = judging\nmain()\n"
    )
    command = [sys.executable, "-c", code, "embed", "data.csv", "-m", "pca", "-o", "map.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert any(b"JUDGING" in line for line in started.stdout)
        started.send_signal(signal.SIGINT)
        assert b"Stopped." in started.communicate(timeout=30)[1]
    assert started.returncode == 130
    assert len(read_table("map.csv").X) == 40


def test_a_seed_that_changes_nothing_is_said_however_it_is_given() -> None:
    table("data.csv", X)
    for seed in (("--seed", "3"), ("--param", "random_state=3")):
        assert "--seed changes nothing" in run("embed", "data.csv", "-m", "pca", *seed).stderr
    run("embed", "data.csv", "-m", "kie", "--seed", "3", "--model", "m.sl")
    assert sidelight.load("m.sl").random_state == 3


def test_arguments_of_the_door_are_no_parameters_of_a_method() -> None:
    table("data.csv", X)
    done = run("embed", "data.csv", "--param", "side=3", code=2)
    assert "'side' is none" in done.stderr


def test_an_angle_among_the_pixels_is_pointed_out() -> None:
    pixels = {f"pixel_{i // 4}_{i % 4}": column for i, column in enumerate(RNG.random((16, 30)))}
    write_table("images.csv", {**pixels, "angle": np.linspace(0, 350, 30)})
    done = run("embed", "images.csv", "-m", "pca")
    assert "The column 'angle' is used as data, beside 16 columns" in done.stderr
    done = run("embed", "images.csv", "-m", "pca", "--color-by", "angle")
    assert "used as data" not in done.stderr


def test_a_sample_is_fitted_the_rest_are_placed_and_both_doors_say_so() -> None:
    many = np.random.default_rng(1).standard_normal((300, 4))
    table("many.csv", many)
    done = run("embed", "many.csv", "--sample", "90", "-o", "map.csv")
    assert "fitted to 90 of the 300 rows" in done.stderr
    expected = sidelight.embed(many, sample=90)
    found = read_table("map.csv").select(["neighborembedding0", "neighborembedding1"])
    np.testing.assert_allclose(found, expected.points, atol=1e-9)
    assert "300 points" in done.stdout or "trustworthiness" in done.stdout
    refused = run("embed", "many.csv", "--sample", "1", code=2)
    assert "'sample' argument of embed must be an int above 1" in refused.stderr
