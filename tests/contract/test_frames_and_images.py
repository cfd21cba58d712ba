"""Every estimator takes frames with other columns beside the numbers, and images as they come."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from sidelight import PCA, Isomap, load, save
from sidelight.metric import DistanceSelection, EquivalenceMetric, FactorRemoval
from sidelight.side import Condition, Distances, Invariance, Pairs
from sidelight.transforms import Shift
from tests.fitting import fitted

NAMES = list("abcde")
LEARNERS = {
    EquivalenceMetric: Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(0, 4), (1, 5)]),
    FactorRemoval: Condition(np.arange(160) % 2),
    DistanceSelection: Distances([(0, 1), (2, 3), (4, 5), (1, 7)], [1.0, 2.0, 0.5, 3.0]),
}


def frame_of(library, X):
    """The numbers of X between columns that hold none."""
    words = np.resize(["ash", "elm", "oak"], len(X)).tolist()
    columns = {"tree": words, **dict(zip(NAMES, X.T, strict=True)), "empty": [None] * len(X)}
    frame = pytest.importorskip(library)
    return frame.table(columns) if library == "pyarrow" else frame.DataFrame(columns)


def assert_same(Z, expected):
    """To rounding: the columns of a frame do not lie in memory as those of an array."""
    np.testing.assert_allclose(Z, expected, atol=1e-7 * np.abs(expected).max())


def quietly(call, *given, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*given, **named)


def test_columns_that_are_no_numbers_are_set_aside_and_said(estimator, X, new):
    name, expected = type(estimator).__name__, fitted(estimator, X)
    with pytest.warns(UserWarning, match=f"{name}: Set aside the column 'tree': not numbers. Left"):
        model = clone(estimator).fit(frame_of("pandas", X))
    assert_same(model.embedding_, expected.embedding_)
    assert model.n_features_in_ == 5
    np.testing.assert_array_equal(model.feature_names_in_, NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was said of a fit is not said of every new row
        placed = model.transform(frame_of("pandas", new))
    assert_same(placed, expected.transform(new))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries(library, X, new):
    expected, frame = PCA(2).fit(X), frame_of(library, X)
    with pytest.warns(UserWarning, match="PCA: Set aside the column 'tree'"):
        model = PCA(2).fit(frame)
    assert_same(model.embedding_, expected.embedding_)
    np.testing.assert_array_equal(model.feature_names_in_, NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(model.transform(frame_of(library, new)), expected.transform(new))
    backwards = frame_of(library, new).select(["tree", *NAMES[::-1]])
    with pytest.raises(ValueError, match="order"):
        model.transform(backwards)


def blobs(n=40, height=4, width=3):
    """Images of a bright spot that moves."""
    rng = np.random.default_rng(0)
    rows, columns = np.arange(height)[:, None], np.arange(width)
    places = rng.random((n, 2)) * [height - 1, width - 1]
    images = [np.exp(-((rows - r) ** 2) - (columns - c) ** 2) for r, c in places]
    return np.array(images) + 0.01 * rng.random((n, height, width))


def test_images_are_rows_of_pixels(estimator):
    images, name = blobs(), type(estimator).__name__
    flat = images.reshape(40, -1)
    expected = quietly(clone(estimator).fit, flat)
    with pytest.warns(UserWarning, match=f"{name}: Images of .* are rows of pixels"):
        model = clone(estimator).fit(images)
    assert model.image_shape_ == images.shape[1:]
    assert_same(model.embedding_, expected.embedding_)
    assert_same(model.transform(images[:5]), expected.transform(flat[:5]))
    with pytest.raises(ValueError, match=f"{name} was fitted to images of .* Got images of"):
        model.transform(images[:5].transpose(0, 2, 1))
    assert not hasattr(quietly(model.fit, flat), "image_shape_")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.__name__)
def test_what_acts_in_front_takes_them_too(learner, X):
    side, frame = LEARNERS[learner], frame_of("pandas", X)
    expected = learner().fit(X, side=side)
    with pytest.warns(UserWarning, match=f"{learner.__name__}: Set aside the column 'tree'"):
        model = learner().fit(frame, side=side)
    more = {"condition": side} if learner is FactorRemoval else {}
    assert_same(model.transform(frame, **more), expected.transform(X, **more))


def test_a_gated_model_takes_them_too():
    pytest.importorskip("torch")
    pd = pytest.importorskip("pandas")
    from sidelight.gated import GatedBoltzmannMachine

    rows = (np.random.default_rng(0).random((30, 4)) > 0.5).astype(float)
    machine = GatedBoltzmannMachine(2, max_iter=2, random_state=0)
    expected = clone(machine).fit(rows).transform(rows)
    frame = pd.DataFrame(rows, columns=list("abcd")).assign(word="w")
    with pytest.warns(UserWarning, match="GatedBoltzmannMachine: Set aside the column 'word'"):
        model = clone(machine).fit(frame)
    assert_same(model.transform(frame), expected)
    with pytest.warns(UserWarning, match="Images of 2 × 2"):
        model = clone(machine).fit(rows.reshape(30, 2, 2))
    assert_same(model.transform(rows.reshape(30, 2, 2)), expected)


def test_an_invariance_takes_the_shape_that_images_came_in():
    images = np.random.default_rng(0).random((30, 5, 4))
    said = Isomap().fit(images.reshape(30, -1), side=Invariance(Shift(), image_shape=(5, 4)))
    taken = quietly(Isomap().fit, images, side=Invariance(Shift()))
    assert_same(taken.embedding_, said.embedding_)


def test_a_saved_model_knows_what_it_was_fitted_to(X, new, tmp_path):
    model = quietly(Isomap().fit, frame_of("pandas", X))
    save(model, tmp_path / "rows.sidelight")
    loaded, frame = load(tmp_path / "rows.sidelight"), frame_of("pandas", new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(loaded.transform(frame), model.transform(frame))
    images = np.random.default_rng(0).random((30, 5, 4))
    save(quietly(Isomap().fit, images), tmp_path / "images.sidelight")
    assert load(tmp_path / "images.sidelight").image_shape_ == (5, 4)


def test_new_rows_need_the_numbers_of_the_fit(X):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=NAMES)
    model = Isomap().fit(frame)
    with pytest.raises(ValueError, match="Isomap was fitted to numbers in the column 'b'. Got tex"):
        model.transform(frame.astype({"b": str}).replace({"b": {str(X[0, 1]): "high"}}))
    with pytest.raises(ValueError, match=r"NaN. Isomap does not accept"):
        model.transform(frame.assign(b=None))
    with pytest.raises(ValueError, match="Isomap[\\s\\S]*b"):
        model.transform(frame.drop(columns="b").assign(word="w"))


def test_frames_of_words_alone_are_refused(estimator):
    pd = pytest.importorskip("pandas")
    words = pd.DataFrame({"town": ["Ash", "Elm"] * 10, "land": ["a", "b"] * 10})
    with pytest.raises(ValueError, match="expects X to hold numbers.*'town', 'land'") as caught:
        estimator.fit(words)
    assert type(estimator).__name__ in str(caught.value)


def test_distances_between_rows_that_have_a_column_of_names(X):
    from scipy.spatial.distance import cdist

    pd = pytest.importorskip("pandas")
    D = cdist(X, X)
    table = pd.DataFrame(D, columns=[f"town {i}" for i in range(160)])
    table.insert(0, "town", table.columns)
    model = quietly(Isomap(metric="precomputed").fit, table)
    assert_same(model.embedding_, Isomap(metric="precomputed").fit(D).embedding_)
