"""What comes out of `embed` in a notebook: names, frames, pictures, pages."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist, squareform

from sidelight import PCA, embed
from sidelight.side import Pairs

pd = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

_RNG = np.random.default_rng(0)


@pytest.fixture
def towns():
    names = [f"town {i}" for i in range(40)]
    numbers = {column: _RNG.normal(size=40) for column in ("rain", "sun", "wind")}
    return pd.DataFrame({**numbers, "land": np.array(["a", "b"])[np.arange(40) % 2]}, index=names)


@pytest.fixture(autouse=True)
def _close():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_names_of_rows_come_back_in_a_frame(towns):
    result = embed(towns, method="pca")
    frame = result.to_frame()
    assert list(frame.index) == list(towns.index) == list(result.names)
    assert list(frame.columns) == ["pca0", "pca1", "land"]
    assert_array_equal(frame[["pca0", "pca1"]], result.points)
    assert list(frame["land"]) == list(towns["land"])


def test_arrays_become_a_frame_too():
    result = embed(_RNG.normal(size=(30, 4)), method="pca")
    assert_array_equal(result.to_frame(), result.points)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_frame_of_another_library_gives_one_of_it(towns, library):
    pl = pytest.importorskip("polars")
    pytest.importorskip(library)
    frame = pl.from_pandas(towns.reset_index(names="town"))
    given = frame if library == "polars" else frame.to_arrow()
    out = embed(given, names="town", method="pca").to_frame()
    assert type(out).__module__.split(".")[0] == library
    names = out.columns if library == "polars" else out.column_names
    assert list(names) == ["name", "pca0", "pca1", "land"]
    named = out["name"].to_pylist() if library == "pyarrow" else list(out["name"])
    assert named == [*towns.index]


def test_a_notebook_shows_the_map_and_how_good_it_is(towns):
    shown = embed(towns, method="pca")._repr_html_()
    assert "data:image/png;base64," in shown
    assert "trustworthiness 0." in shown
    assert "Set aside the column &#x27;land&#x27;" in shown


def test_a_notebook_shows_what_cannot_be_judged():
    X = _RNG.normal(size=(30, 4))
    X[3, 2] = np.nan
    shown = embed(X)._repr_html_()
    assert "data:image/png;base64," in shown
    assert "missing" in shown


def test_a_picture_is_pyplot_s_and_can_be_saved(towns, tmp_path):
    import matplotlib.pyplot as plt

    ax = embed(towns, method="pca").plot(labels="land")
    assert plt.gcf() is ax.figure
    ax.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_legend().get_title().get_text() == "land"
    written = {text.get_text() for text in ax.texts}
    assert written <= set(towns.index)
    assert len(written) > 20


def test_axes_given_are_drawn_on():
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2)
    result = embed(_RNG.normal(size=(30, 4)), method="pca")
    assert result.plot(ax=axes[1]) is axes[1]
    assert not axes[0].collections
    assert len(plt.get_fignums()) == 1


def test_of_many_dimensions_two_are_drawn():
    result = embed(_RNG.normal(size=(30, 6)), method="pca", n_components=4)
    drawn = np.vstack([c.get_offsets() for c in result.plot().collections])
    assert_allclose(np.sort(drawn, axis=0), np.sort(result.points[:, :2], axis=0))


def test_the_page_has_names_and_what_was_set_aside(towns, tmp_path):
    page = embed(towns, method="pca").to_html(tmp_path / "map.html", labels="land").read_text()
    assert "town 39" in page
    assert '"land": ["a", "b"' in page
    assert "PCA: you asked for it." in page


def test_images_are_taken_as_they_are(tmp_path):
    images = _RNG.random(size=(40, 5, 6))
    result = embed(images, method="pca")
    assert_array_equal(result.points, embed(images.reshape(40, -1), method="pca").points)
    assert "Images of 5 × 6 are rows of pixels." in result.why
    assert result.plot().images
    assert "data:image/png" in result.to_html(tmp_path / "map.html").read_text()
    colours = embed(_RNG.random(size=(20, 5, 6, 3)), method="pca")
    assert colours.image_shape == (5, 6, 3)


def test_a_table_of_distances_is_known_by_its_looks():
    X = _RNG.normal(size=(25, 3))
    D = squareform(pdist(X))
    result = embed(D)
    assert_array_equal(result.points, embed(D, metric="precomputed").points)
    assert "read as the distances among 25 rows" in result.why
    assert "read as the distances" not in embed(D, metric="euclidean").why
    assert "read as the distances" not in embed(D + 1e-3 * np.eye(25)).why
    isomap = embed(D, method="isomap")
    assert_array_equal(isomap.points, embed(D, method="isomap", metric="precomputed").points)


@pytest.mark.parametrize(
    ("missing", "rows", "said"),
    [
        ("mean", 40, "Filled in 1 missing value in the column 'sun'"),
        ("drop-columns", 40, "Left out the column 'sun'"),
        ("drop-rows", 39, "Left out 1 row"),
    ],
)
def test_missing_numbers_are_dealt_with_as_is_said(towns, missing, rows, said):
    towns.iloc[7, 1] = np.nan
    result = embed(towns, missing=missing, method="pca")
    assert len(result.points) == len(result.names) == len(result.to_frame()) == rows
    assert said in result.why
    assert ("town 7" in result.names) == (rows == 40)


def test_rows_left_out_take_what_is_known_of_them_along(towns):
    towns.iloc[7, 1] = np.nan
    known = Pairs([("town 8", "town 9"), ("town 7", "town 8"), ("town 10", "town 20")])
    told = embed(towns, side=known, missing="drop-rows", method="mds", random_state=0)
    left = towns.drop(index="town 7")
    same = Pairs([("town 8", "town 9"), ("town 10", "town 20")])
    assert_array_equal(told.points, embed(left, side=same, method="mds", random_state=0).points)


def test_a_way_of_dealing_with_missing_numbers_that_is_none(towns):
    with pytest.raises(ValueError, match="'missing' argument of embed must be one of keep, mean"):
        embed(towns, missing="median")
    towns.iloc[7, 1] = np.nan
    with pytest.raises(ValueError, match="X given to embed has 1 missing value .* row 8"):
        embed(towns, missing="error")


def test_a_result_says_what_its_data_are():
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 9))
    result = embed(flat, method="pca")
    assert result.about == "300 rows of 9 numbers that fill about 2 dimensions."
    assert result.about in result._repr_html_()
    dense = np.vstack([0.01 * flat[:150], flat[150:] + 50])
    assert "times as far apart as the densest" in embed(dense, method="pca").about
    table = squareform(pdist(flat))
    by_distances = embed(table, metric="precomputed", method="mds")
    assert by_distances.about == f"{len(flat)} rows and the distances between them."
    holes = np.where(np.arange(flat.size).reshape(flat.shape) % 10 == 0, np.nan, flat)
    assert embed(holes).about.endswith("numbers, 10 % of them missing.")
    assert embed(sp.csr_array(np.eye(40) + 1e-3 * np.eye(40, k=1)), method="pca").about == (
        "40 rows of 40 numbers, 5 % of them not zero."
    )


def test_images_with_their_channels_in_front_are_drawn_and_not_mistaken():
    from sidelight.side import Invariance
    from sidelight.transforms import Shift

    images = _RNG.random(size=(40, 3, 6, 5))
    ax = embed(images, method="pca").plot()
    assert ax.images[0].get_array().shape == (6, 5, 3)
    assert embed(_RNG.random(size=(40, 6, 5, 7)), method="pca").plot().images
    with pytest.raises(ValueError, match=r"channels in front. Put them behind: np.moveaxis"):
        embed(images, side=Invariance(Shift()), method="mds")


def test_labels_are_a_column_by_its_name_wherever_they_are_given(towns):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    frame["kind"] = np.where(frame["a"] > 0, "up", "down")
    frame.loc[3, "kind"] = None
    result = embed(frame, method="pca")
    assert result.quality(labels="kind") == result.quality(labels=frame["kind"])
    assert result.plot(labels="kind").get_legend() is not None
    for use in (
        result.plot,
        result.quality,
        lambda labels: result.to_html("map.html", labels=labels),
    ):
        with pytest.raises(
            ValueError, match=r"names the column 'kin'.*It has the columns 'a', 'b'"
        ):
            use(labels="kin")
    with pytest.raises(ValueError, match="They came without names"):
        embed(frame[["a", "b"]].to_numpy(), method="pca").plot(labels="kind")


@pytest.mark.parametrize("name", ["y", "labels"])
def test_who_gives_labels_as_elsewhere_is_told_where_they_go(name):
    with pytest.raises(ValueError, match=r"side=Pairs.from_labels.*plot\(labels=…\)"):
        embed(np.eye(9), **{name: [0] * 9})


@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_who_gives_texts_is_told_how_they_are_compared(kind):
    with pytest.raises(ValueError, match=r"Got texts, such as 'the ship'.*text='body'"):
        embed(kind(["the ship", "the bread"]))


@pytest.mark.parametrize("use", [embed, PCA().fit])
def test_a_frame_without_columns_is_called_so(use):
    with pytest.raises(ValueError, match="Got a frame without columns"):
        use(pd.DataFrame(index=range(9)))
