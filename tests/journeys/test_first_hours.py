"""Ten people, each with a file of their own and a question: from the file to the answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import sidelight
from sidelight.cli.application import application
from sidelight.io import read_table, write_table
from sidelight.model_selection import aligned, search
from sidelight.side import Actions, Anchors, Condition, Pairs, Sequence

pd = pytest.importorskip("pandas")


def run(*arguments):
    done = CliRunner().invoke(application, [str(argument) for argument in arguments])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def told(Z, labels, k=5):
    """How often the nearest in a map have the label."""
    near = np.argsort(cdist(Z, Z), axis=1)[:, 1 : k + 1]
    return float((np.asarray(labels)[near] == np.asarray(labels)[:, None]).mean())


def coordinates(path, stem):
    return read_table(path).select([f"{stem}0", f"{stem}1"])


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_biologist_takes_batches_out_of_cells():
    rng = np.random.default_rng(0)
    kind, batch = rng.integers(3, size=240), rng.integers(2, size=240)
    cells = 5 * rng.normal(size=(3, 8))[kind] + rng.normal(size=(240, 8))
    cells += 8 * batch[:, None] * rng.normal(size=8)
    genes = {f"gene {i}": column for i, column in enumerate(cells.T)}
    write_table("cells.csv", {**genes, "batch": np.where(batch, "two", "one"), "type": kind})
    run("embed", "cells.csv", "--color-by", "type", "--ignore", "batch", "-o", "plain.csv")
    how = ("--color-by", "type", "--condition-column", "batch")
    run("embed", "cells.csv", *how, "-o", "clean.csv", "--picture", "cells.png")
    plain, clean = (coordinates(f, "neighborembedding") for f in ("plain.csv", "clean.csv"))
    assert told(plain, batch) > 0.9  # what was wrong with the first picture
    assert told(clean, batch) < 0.65
    assert told(clean, kind) > 0.95
    assert Path("cells.png").stat().st_size > 10_000


def documents():
    """What 150 documents of three topics and many lengths are about, and how often each word is."""
    rng = np.random.default_rng(1)
    topic = rng.integers(3, size=150)
    words = rng.dirichlet(np.full(120, 0.1), 3)
    lengths = rng.integers(10, 400, size=150)
    counts = [rng.multinomial(m, words[t]) for m, t in zip(lengths, topic, strict=True)]
    return topic, np.array(counts)


def test_a_linguist_maps_letters_by_their_words():
    topic, counts = documents()
    vocabulary = [f"{first}{last}" for first in "abcdefghij" for last in "aeiouylmnrst"]
    letters = [" ".join(np.repeat(vocabulary, row)) for row in counts]
    letters[7] = ""
    write_table("letters.csv", {"from": np.array(["Ann", "Bo", "Cy"])[topic], "body": letters})
    refused = CliRunner().invoke(application, ["embed", "letters.csv"])
    assert refused.exit_code == 2
    assert "--text body" in " ".join(refused.stderr.split())
    how = ("embed", "letters.csv", "--text", "body", "-o", "map.csv", "--model", "model")
    refused = CliRunner().invoke(application, how)
    assert refused.exit_code == 2
    assert "--missing drop-rows" in " ".join(refused.stderr.split())
    run(*how, "--missing", "drop-rows")
    Z = coordinates("map.csv", "neighborembedding")
    assert told(Z, np.delete(topic, 7)) > 0.95
    assert (
        "trustworthiness"
        in run(
            *("score", "letters.csv", "map.csv", "--text", "body", "--missing", "drop-rows")
        ).stdout
    )
    in_python = sidelight.embed("letters.csv", text="body", missing="drop-rows")
    np.testing.assert_array_equal(in_python.points, Z)
    # tomorrow's letters, of which one is in another language
    write_table("new.csv", {"body": [letters[0], "quite unheard", letters[1]]})
    run("transform", "model", "new.csv", "-o", "placed.csv", "--missing", "drop-rows")
    assert read_table("placed.csv").select(["row"])[:, 0].tolist() == [1, 3]
    np.testing.assert_allclose(coordinates("placed.csv", "neighborembedding"), Z[:2], atol=1e-8)


def test_a_linguist_who_has_counted_words_is_told_how_to_compare_them():
    topic, counts = documents()
    sp.save_npz("documents.npz", sp.csr_array(counts))
    hint = run("embed", "documents.npz", "-o", "first.csv").stderr
    assert "--metric cosine" in hint
    run("embed", "documents.npz", "--metric", "cosine", "-o", "map.csv")
    assert told(coordinates("map.csv", "neighborembedding"), topic) > 0.95


def test_a_roboticist_plans_a_way_through_what_a_camera_saw():
    places = np.array([(x, 0.0) for x in range(8)])
    back = places[::-1][1:]
    walk = np.vstack([places, back])
    frames = walk @ np.random.default_rng(0).normal(size=(2, 20))
    actions = ["right"] * 7 + ["left"] * 7
    pixels = {f"pixel {i}": column for i, column in enumerate(frames.T)}
    write_table("walk.csv", {**pixels, "action": [*actions, ""]})
    done = run("embed", "walk.csv", "-d", 1, "--action-column", "action", "--model", "robot")
    assert "100%" in done.stdout  # of the steps are predicted by others of their action
    model = sidelight.embed("walk.csv", side=Actions(actions), n_components=1).model
    assert model.plan(1, 5) == ["right"] * 4
    assert model.predict(3, "right") in (4, 10)  # the same place, seen twice


def test_a_phonetician_compares_vowels_whoever_speaks():
    rng = np.random.default_rng(2)
    vowel, speaker = rng.integers(5, size=300), rng.integers(6, size=300)
    formants = 3 * rng.normal(size=(5, 4))[vowel] + 0.6 * rng.normal(size=(300, 4))
    formants += 6 * rng.normal(size=(6, 4))[speaker]
    who = np.array(list("abcdef"))[speaker]
    said = {"speaker": who, "vowel": np.array(list("aeiou"))[vowel]}
    write_table("vowels.csv", {**{f"F{i}": f for i, f in enumerate(formants.T)}, **said})
    plain = sidelight.embed("vowels.csv")
    assert "Set aside" in plain.why
    known = sidelight.embed("vowels.csv", side=Condition(pd.read_csv("vowels.csv")["speaker"]))

    def across(Z):
        apart = np.where(who[:, None] == who, np.inf, cdist(Z, Z))
        return float((vowel[apart.argmin(axis=1)] == vowel).mean())

    assert across(plain.points) < 0.6
    assert across(known.points) > 0.9
    (left,) = known.agreement()
    assert left.held < left.chance + 0.25


def test_a_geographer_finds_towns_from_the_distances_between_them():
    rng = np.random.default_rng(3)
    towns = [f"town {chr(97 + i)}" for i in range(15)]
    truth = 100 * rng.random((15, 2))
    frame = pd.DataFrame(squareform(pdist(truth)), index=towns, columns=towns)
    result = sidelight.embed(frame)
    assert "read as the distances" in result.why
    assert result.quality().stress < 1e-6
    written = {text.get_text() for text in result.plot().texts}
    assert written <= set(towns)
    assert len(written) > 10
    known = Anchors(["town a", "town e", "town j"], truth[[0, 4, 9]])
    placed = sidelight.embed(frame, side=known)
    np.testing.assert_allclose(placed.points, truth, atol=1e-6)
    assert list(placed.to_frame().index) == towns
    # the same from the file that it was saved to
    frame.to_csv("distances.csv", index_label="town")
    again = sidelight.embed("distances.csv", names="town", side=known)
    np.testing.assert_allclose(again.points, truth, atol=1e-6)
    # and on the command line, as the recipe has it
    few = {"town": ["town a", "town e", "town j"]}
    write_table("places.csv", {**few, "east": truth[[0, 4, 9], 0], "north": truth[[0, 4, 9], 1]})
    how = ("--name-column", "town", "--anchors", "places.csv", "--picture", "towns.png")
    run("embed", "distances.csv", *how, "-o", "map.csv")
    np.testing.assert_allclose(coordinates("map.csv", "classicalmds"), truth, atol=1e-6)


def test_a_data_engineer_places_new_files_by_a_model():
    rng = np.random.default_rng(4)
    kind = rng.integers(3, size=900)
    rows = 6 * rng.normal(size=(3, 5))[kind] + rng.normal(size=(900, 5))
    for number, part in enumerate(np.split(rows, 3)):
        write_table(f"day {number}.parquet", {c: part[:, i] for i, c in enumerate("abcde")})
    run("embed", "day 0.parquet", "-o", "map.parquet", "--model", "model", "-q")
    for number in (1, 2):
        run("transform", "model", f"day {number}.parquet", "-o", f"placed {number}.parquet")
    placed = [coordinates(f"placed {n}.parquet", "neighborembedding") for n in (1, 2)]
    assert told(np.vstack(placed), kind[300:]) > 0.95


def test_a_notebook_user_sees_a_picture_at_once():
    iris = load_iris(as_frame=True)
    frame = iris.data.assign(species=iris.target_names[iris.target])
    result = sidelight.embed(frame)
    assert len(repr(result).splitlines()) == 3
    assert "Set aside the column 'species'" in result.why
    shown = result._repr_html_()
    assert "data:image/png" in shown
    assert "trustworthiness" in shown
    ax = result.plot(labels="species")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == sorted(iris.target_names)
    assert list(result.to_frame()["species"]) == list(frame["species"])


def test_a_collector_of_pictures_gives_a_page_away():
    from PIL import Image

    digits = load_digits()
    folder = Path("pictures")
    folder.mkdir()
    for number, image in enumerate(digits.images[:60]):
        grey = (image / 16 * 255).astype(np.uint8)
        Image.fromarray(grey).save(folder / f"{number:03d}.png")
    run("embed", "pictures", "-o", "map.csv", "--picture", "map.png", "--page", "map.html")
    in_python = sidelight.embed("pictures").points
    np.testing.assert_array_equal(in_python, coordinates("map.csv", "neighborembedding"))
    page = Path("map.html").read_text()
    assert "059.png" in page
    assert "data:image/png" in page
    assert told(coordinates("map.csv", "neighborembedding"), digits.target[:60], 3) > 0.5


def test_a_surveyor_with_a_messy_table_is_told_what_to_do():
    rng = np.random.default_rng(5)
    group = rng.integers(3, size=120)
    table = {
        "number": np.arange(1, 121),
        "income": 2e4 * rng.lognormal(size=120),
        "age": 40 + 15 * group + rng.normal(size=120),
        "mood": 4 * group + rng.normal(size=120),
        "town": np.array(["Ash", "Elm", "Oak"])[group],
    }
    frame = pd.DataFrame(table)
    frame.loc[[3, 50], "age"] = np.nan
    frame.to_csv("survey.csv", index=False)
    refused = CliRunner().invoke(application, ["embed", "survey.csv"])
    assert refused.exit_code == 2
    assert "2 missing values in the column 'age'" in refused.stderr
    assert "--missing" in refused.stderr
    first = run("embed", "survey.csv", "--missing", "mean")
    assert "'number' counts the rows" in first.stderr
    assert "--standardize" in first.stderr
    how = ("--missing", "mean", "--standardize", "--ignore", "number", "-o", "map.csv")
    run("embed", "survey.csv", *how)
    assert told(coordinates("map.csv", "neighborembedding"), group) > 0.75


def test_an_engineer_tunes_a_map_within_cross_validation():
    pixels, digit = load_digits(return_X_y=True)
    columns = {f"pixel {i}": column for i, column in enumerate(pixels[:300].T)}
    write_table("digits.csv", {**columns, "digit": digit[:300]})
    frame = pd.read_csv("digits.csv")
    X, y = frame.drop(columns="digit").to_numpy(), frame["digit"].to_numpy()
    pipe = make_pipeline(sidelight.PCA(5), KNeighborsClassifier(3))
    tuned = GridSearchCV(pipe, {"pca__n_components": [2, 15]}, cv=3).fit(X, y)
    assert tuned.best_params_ == {"pca__n_components": 15}
    # what is known about rows goes with them into the folds
    known = Pairs(similar=Pairs.from_labels(y, max_pairs=300, random_state=0).similar)
    grid = {"n_components": [2, 15]}
    found = search(sidelight.PCA(), grid, X, y, side=known, cv=3, scoring="labels")
    assert found.parameters == {"n_components": 15}
    assert found.score > 0.8
    assert found.model.embedding_.shape == (300, 15)
    how = ("-m", "pca", "-d", 15, "--ignore", "digit", "-o", "map.csv")
    run("embed", "digits.csv", *how)  # the same map, with nothing known, from the file
    written = read_table("map.csv").select([f"pca{i}" for i in range(15)])
    np.testing.assert_allclose(written, sidelight.PCA(15).fit(X).embedding_, atol=1e-8)
    # scikit-learn's own search cuts it too, once it says what rows it is about, and refuses else
    with pytest.raises(ValueError, match="other rows"):
        GridSearchCV(pipe, {"pca__n_components": [15]}, cv=3).fit(X, y, pca__side=known)
    told = aligned(known, X)
    cut = GridSearchCV(pipe, {"pca__n_components": [15]}, cv=3).fit(X, y, pca__side=told)
    assert cut.best_score_ > 0.8


def test_an_animator_says_that_frames_follow_one_another():
    rng = np.random.default_rng(6)
    angle = np.linspace(0, 2 * np.pi, 120)
    curve = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(120)])
    frames = curve @ rng.normal(size=(3, 12)) + 0.3 * rng.normal(size=(120, 12))

    def steps(Z):
        return np.linalg.norm(np.diff(Z, axis=0), axis=1).mean() / Z.std()

    joints = {f"joint {i}": column for i, column in enumerate(frames.T)}
    write_table("motion.csv", {"frame": np.arange(120), **joints})
    run("embed", "motion.csv", "--ignore", "frame", "-o", "plain.csv")
    done = run("embed", "motion.csv", "--sequence-column", "frame", "-o", "told.csv")
    assert "rows that follow one another" in " ".join(done.stdout.split())
    plain, in_order = (coordinates(f, "neighborembedding") for f in ("plain.csv", "told.csv"))
    assert steps(in_order) < steps(plain)
    again = sidelight.embed(pd.read_csv("motion.csv").drop(columns="frame"), side=Sequence())
    assert again.agreement()[0].held > 0.95
