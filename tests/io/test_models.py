"""Models in files: the same to the bit, for every estimator and every way to fit it."""

from __future__ import annotations

import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sidelight
from sidelight.io import read_model
from sidelight.registry import ESTIMATORS
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
)
from sidelight.transforms import (
    Affine,
    Baseline,
    Gain,
    LocalFilter,
    Rotation,
    Scaling,
    Shift,
    Tangents,
    TimeScaling,
    TimeShift,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5)) @ RNG.normal(size=(5, 5))
NEW = RNG.normal(size=(7, 5))
HOLED = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
APART = np.vstack([X[:30], X[:25] + 100.0, X[:2] - 500.0])


def distances(A: Any, B: Any) -> Any:
    return np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=2))


D, D_NEW = distances(X, X), distances(NEW, X)
K, K_NEW = np.exp(-(D**2) / 9), np.exp(-(D_NEW**2) / 9)

TOLD = Pairs.from_labels(np.where(np.arange(60) < 20, np.arange(60) % 3, -1))
ALIKE = [Relation.from_values(X[:15, 1], index=np.arange(15)), Relation.from_values(X[:, 2])]
MEASURED = Distances(np.array([[0, 1], [2, 3], [4, 5]]), np.array([1.0, 2.0, 3.0]))

SOME = np.arange(0, 60, 6)
SHUFFLED = np.random.default_rng(7).normal(size=(10, 2))

# name: (estimator, training data, fit arguments, new rows)
WALKED = np.vstack([X[:20], X[18:5:-1]])  # there, and part of the way back

PICTURES, MORE_PICTURES = np.split(np.random.default_rng(8).random((48, 16)), [40])

CASES: dict[str, tuple[Callable[[], Any], Any, dict[str, Any], Any]] = {
    "pca": (lambda: sidelight.PCA(2), X, {}, NEW),
    "pca dual": (lambda: sidelight.PCA(2), X[:4], {}, NEW),
    "pca share": (lambda: sidelight.PCA(0.9), X, {}, NEW),
    "pca sparse": (lambda: sidelight.PCA(2), sp.csr_array(X), {}, sp.csr_array(NEW)),
    "ppca": (lambda: sidelight.ProbabilisticPCA(2), X, {}, NEW),
    "ppca holes": (lambda: sidelight.ProbabilisticPCA(2), HOLED, {}, NEW),
    "kpca": (lambda: sidelight.KernelPCA(3), X, {}, NEW),
    "kpca afar": (lambda: sidelight.KernelPCA(2, kernel="polynomial"), X + 1e4, {}, NEW + 1e4),
    "kpca cosine afar": (lambda: sidelight.KernelPCA(2, kernel="cosine"), X + 1e4, {}, NEW + 1e4),
    "kpca ridge": (lambda: sidelight.KernelPCA(2, preimage="ridge"), X, {}, NEW),
    "kpca sparse": (
        lambda: sidelight.KernelPCA(2, kernel="polynomial"),
        sp.csr_matrix(X),
        {},
        sp.csr_matrix(NEW),
    ),
    "kpca given": (lambda: sidelight.KernelPCA(2, kernel="precomputed"), K, {"items": X}, K_NEW),
    "mds": (lambda: sidelight.ClassicalMDS(2), X, {}, NEW),
    "mds cityblock": (lambda: sidelight.ClassicalMDS(2, metric="cityblock"), X, {}, NEW),
    "mds given": (lambda: sidelight.ClassicalMDS(2, metric="precomputed"), D, {"items": X}, D_NEW),
    "are": (
        lambda: sidelight.ActionRespectingEmbedding(2),
        WALKED,
        {"side": Actions(["on"] * 19 + ["back"] * 13)},
        NEW,
    ),
    "are plain": (lambda: sidelight.ActionRespectingEmbedding(2), X, {}, NEW),
    "isomap": (lambda: sidelight.Isomap(2, n_neighbors=6), X, {}, NEW),
    "isomap forgiving": (
        lambda: sidelight.Isomap(2, n_neighbors=6),
        PICTURES,
        {"side": Invariance([Shift(), Rotation(), Scaling()], image_shape=(4, 4))},
        MORE_PICTURES,
    ),
    "lem forgiving": (
        lambda: sidelight.LaplacianEigenmaps(2, n_neighbors=6),
        PICTURES,
        {"side": Invariance(Affine(smoothing=0.1), image_shape=(4, 4))},
        MORE_PICTURES,
    ),
    "mds forgiving": (
        lambda: sidelight.ClassicalMDS(2),
        PICTURES,
        {"side": Invariance(LocalFilter(), image_shape=(4, 4), distance="reconstruction")},
        MORE_PICTURES,
    ),
    "sammon forgiving": (
        lambda: sidelight.SammonMapping(2),
        PICTURES,
        {
            "side": Invariance(
                [TimeShift(), TimeScaling(), Gain(), Baseline(0), Tangents(np.eye(1, 16))],
                distance="correction",
            )
        },
        MORE_PICTURES,
    ),
    "isomap bent": (
        lambda: sidelight.Isomap(2, n_neighbors=6),
        X,
        {"side": Anchors(SOME, X[SOME] @ np.eye(5, 2) + 3.0)},
        NEW,
    ),
    "pca pulled": (lambda: sidelight.PCA(2), X, {"side": Anchors(SOME, SHUFFLED)}, NEW),
    "isomap twice": (lambda: sidelight.Isomap(2), np.vstack([X, X[:9]]), {}, NEW),
    "isomap landmarks": (lambda: sidelight.Isomap(2, n_landmarks=20), X, {}, NEW),
    "isomap given": (lambda: sidelight.Isomap(2, metric="precomputed"), D, {"items": X}, D_NEW),
    "isomap graph": (
        lambda: sidelight.Isomap("auto", metric="precomputed", n_neighbors=8),
        sp.csr_array(D),
        {"items": X},
        sp.csr_array(D_NEW),
    ),
    "isomap sparse": (lambda: sidelight.Isomap(2), sp.csr_array(X), {}, sp.csr_array(NEW)),
    "isomap pieces": (
        lambda: sidelight.Isomap(2, n_neighbors=5, on_disconnected="separate"),
        APART,
        {},
        NEW + 100.0,
    ),
    "isomap largest": (
        lambda: sidelight.Isomap(2, n_neighbors=5, on_disconnected="largest"),
        APART,
        {},
        NEW,
    ),
    "hybrid": (lambda: sidelight.HybridEmbedding(2, alpha=0.9, n_neighbors=6), X, {}, NEW),
    "hybrid landmarks": (
        lambda: sidelight.HybridEmbedding(
            2, alpha=0.4, locality="laplacian", n_landmarks=20, balance="map"
        ),
        X,
        {},
        NEW,
    ),
    "hybrid rows": (
        lambda: sidelight.HybridEmbedding(2, distance="mds", variant="directions"),
        X,
        {},
        NEW,
    ),
    "hybrid metrics": (
        lambda: sidelight.HybridEmbedding(2, distance="mds", distance_metric="cityblock"),
        X,
        {},
        NEW,
    ),
    "hybrid table": (
        lambda: sidelight.HybridEmbedding(2, distance="mds", distance_metric="precomputed"),
        X,
        {"distances": np.sqrt(D)},
        NEW,
    ),
    "backward": (lambda: sidelight.SpectralBackwardMapping(2), X, {}, NEW),
    "backward process": (
        lambda: sidelight.SpectralBackwardMapping(2, basis="process", leave_one_out=True),
        X,
        {},
        NEW,
    ),
    "backward linear": (lambda: sidelight.SpectralBackwardMapping(2, basis="linear"), X, {}, NEW),
    "ltse": (lambda: sidelight.LocalTangentSpaceEmbedding(2), X, {}, NEW),
    "ltse gain": (
        lambda: sidelight.LocalTangentSpaceEmbedding(2, transformation=Gain(), n_neighbors=6),
        np.vstack([X, X[:9]]),
        {},
        NEW,
    ),
    "lle": (lambda: sidelight.LocallyLinearEmbedding(2), X, {}, NEW),
    "lle pieces": (
        lambda: sidelight.LocallyLinearEmbedding(2, n_neighbors=5, on_disconnected="separate"),
        APART,
        {},
        NEW,
    ),
    "lem": (lambda: sidelight.LaplacianEigenmaps(2), X, {}, NEW),
    "lem heat": (lambda: sidelight.LaplacianEigenmaps(2, weights="heat", radius=9.0), X, {}, NEW),
    "sde": (lambda: sidelight.SemidefiniteEmbedding(2), X, {}, NEW),
    "sde told": (
        lambda: sidelight.SemidefiniteEmbedding(2, slack=0.01),
        X,
        {"side": [TOLD, MEASURED]},
        NEW,
    ),
    "sde landmarks": (lambda: sidelight.SemidefiniteEmbedding(2, n_landmarks=20), X, {}, NEW),
    "meu": (lambda: sidelight.MaximumEntropyUnfolding(2), X, {}, NEW),
    "meu free": (
        lambda: sidelight.MaximumEntropyUnfolding(2, signs="free", penalty=0.3, n_neighbors=5),
        np.vstack([X, X[:9]]),
        {},
        NEW,
    ),
    "meu edges": (
        lambda: sidelight.MaximumEntropyUnfolding(2),
        X,
        {"edges": np.column_stack([np.arange(59), np.arange(1, 60)])},
        NEW,
    ),
    "meu pieces": (
        lambda: sidelight.MaximumEntropyUnfolding(2, n_neighbors=5, on_disconnected="separate"),
        APART,
        {},
        NEW,
    ),
    "alle": (lambda: sidelight.AcyclicLocallyLinearEmbedding(2), X, {}, NEW),
    "alle given": (
        lambda: sidelight.AcyclicLocallyLinearEmbedding(
            2, metric="precomputed", order=list(range(60))[::-1]
        ),
        D,
        {"items": X},
        D_NEW,
    ),
    "gplvm": (lambda: sidelight.GPLVM(2, max_iter=30), X, {}, NEW),
    "gplvm holes": (lambda: sidelight.GPLVM(2, max_iter=30), HOLED, {}, NEW),
    "gplvm inducing": (
        lambda: sidelight.GPLVM(2, n_inducing=9, back_constraint="rbf", max_iter=30),
        X,
        {},
        NEW,
    ),
    "gplvm linear": (
        lambda: sidelight.GPLVM(2, kernel="linear", max_iter=30),
        X,
        {},
        NEW,
    ),
    "ne": (lambda: sidelight.NeighborEmbedding(max_iter=100), X, {}, NEW),
    "ne mesh": (lambda: sidelight.NeighborEmbedding(repulsion="mesh", max_iter=100), X, {}, NEW),
    "ne graph": (
        lambda: sidelight.NeighborEmbedding(metric="precomputed", n_neighbors=30, max_iter=100),
        sp.csr_array(D),
        {"items": X, "side": TOLD},
        sp.csr_array(D_NEW),
    ),
    "sne": (lambda: sidelight.StochasticNeighborEmbedding(2), X, {}, NEW),
    "sne perplexity": (
        lambda: sidelight.StochasticNeighborEmbedding(2, perplexity=9, init="backward"),
        X,
        {"side": TOLD},
        NEW,
    ),
    "sne given": (
        lambda: sidelight.StochasticNeighborEmbedding(2, metric="precomputed"),
        D,
        {"items": X},
        D_NEW,
    ),
    "mre": (lambda: sidelight.MultipleRelationalEmbedding(2), X, {}, NEW),
    "mre told": (
        lambda: sidelight.MultipleRelationalEmbedding(2, weights=[1.0, 2.0], max_iter=300),
        X,
        {"side": ALIKE},
        NEW,
    ),
    "mre full": (
        lambda: sidelight.MultipleRelationalEmbedding(2, transformations="full", max_iter=300),
        X,
        {"side": ALIKE},
        NEW,
    ),
    "mre information": (
        lambda: sidelight.MultipleRelationalEmbedding(2, base="information", n_restarts=0),
        X,
        {"side": ALIKE},
        NEW,
    ),
    "mre spectral": (
        lambda: sidelight.MultipleRelationalEmbedding(2, base="spectral", n_restarts=0),
        X,
        {"side": ALIKE},
        NEW,
    ),
    "sammon": (lambda: sidelight.SammonMapping(2), np.vstack([X, X[:9]]), {}, NEW),
    "ukr": (lambda: sidelight.UnsupervisedKernelRegression(2), X, {}, NEW),
    "ukr few": (lambda: sidelight.UnsupervisedKernelRegression(2), X[:4], {}, NEW),
    "ukr linear": (lambda: sidelight.UnsupervisedKernelRegression(2, kernel="linear"), X, {}, NEW),
    "kie": (lambda: sidelight.KernelInformationEmbedding(2, n_steps=4), X, {}, NEW),
    "kie quartic": (
        lambda: sidelight.KernelInformationEmbedding(1, kernel="quartic", n_steps=4),
        X,
        {},
        NEW,
    ),
    "kie told": (
        lambda: sidelight.KernelInformationEmbedding(2),
        X,
        {"side": Condition(["a", "b", "c"] * 20)},
        NEW,
    ),
    "kie told of two": (
        lambda: sidelight.KernelInformationEmbedding(2),
        X,
        {"side": [Condition(["a", "b", "c"] * 20), Condition(X[:, 0])]},
        NEW,
    ),
    "conditional": (
        lambda: sidelight.ConditionalEmbedding(2),
        X,
        {"side": Condition(["a", "b", "c"] * 20)},
        NEW,
    ),
    "conditional angle": (
        lambda: sidelight.ConditionalEmbedding(2),
        X,
        {"side": Condition(np.arange(60.0) * 7, period=360)},
        NEW,
    ),
    "columns": (lambda: sidelight.DistanceSelection(2), X, {"side": MEASURED}, NEW),
    "isomap told": (lambda: sidelight.Isomap(2), X, {"side": TOLD}, NEW),
    "mds told": (lambda: sidelight.ClassicalMDS(2), X, {"side": [TOLD, MEASURED]}, NEW),
    "equivalence": (lambda: sidelight.EquivalenceMetric(), X, {"side": TOLD}, NEW),
    "equivalence rbf": (lambda: sidelight.EquivalenceMetric(kernel="rbf"), X, {"side": TOLD}, NEW),
    "attributes": (lambda: sidelight.MultiAttributeMetric(), X, {"side": Attributes([TOLD])}, NEW),
    "distances": (lambda: sidelight.DistanceMetric(), X, {"side": MEASURED}, NEW),
    "removal": (
        lambda: sidelight.FactorRemoval(300.0, always=True),
        X,
        {"side": [Condition(["a", "b"] * 30), Condition(X[:, 0])]},
        NEW,
    ),
}


def fitted(case: str) -> tuple[Any, Any]:
    make, data, arguments, new = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(data, **arguments), new


def values_of(model: Any, new: Any) -> dict[str, Any]:
    """What a model must be told of new rows besides."""
    if not isinstance(model, sidelight.FactorRemoval):
        return {}
    return {"condition": [Condition((["b", "a"] * 9)[: len(new)]), Condition(new[:, 0])]}


def test_every_registered_estimator_is_saved_here() -> None:
    made = {type(make()).__name__ for make, *_ in CASES.values()}
    assert made == {entry.name for entry in ESTIMATORS}


@pytest.mark.parametrize("case", CASES)
def test_a_loaded_model_equals_the_saved_one_to_the_bit(case: str, tmp_path: Path) -> None:
    model, new = fitted(case)
    loaded = sidelight.load(sidelight.save(model, tmp_path / "model.sidelight"))
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    more = values_of(model, new)
    places = model.transform(new, **more)
    assert np.array_equal(loaded.transform(new, **more), places)
    if hasattr(model, "embedding_"):
        assert np.array_equal(loaded.embedding_, model.embedding_)
    if not hasattr(model, "inverse_transform"):
        return
    back = model.inverse_transform(places, **more)
    assert np.array_equal(loaded.inverse_transform(places, **more), back)
    # the way back is now worked out and part of the state; it must survive, too
    again = sidelight.load(sidelight.save(model, tmp_path / "again.sidelight"))
    assert np.array_equal(again.inverse_transform(places, **more), back)
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())


def test_the_same_model_gives_the_same_file(tmp_path: Path) -> None:
    one = sidelight.save(fitted("isomap")[0], tmp_path / "one")
    two = sidelight.save(fitted("isomap")[0], tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


def test_blocks_can_go_on_after_loading(tmp_path: Path) -> None:
    model = sidelight.PCA(2).partial_fit(X[:30])
    loaded = sidelight.load(sidelight.save(model, tmp_path / "m"))
    assert np.array_equal(
        loaded.partial_fit(X[30:]).components_, model.partial_fit(X[30:]).components_
    )


def test_an_array_held_twice_is_written_once(tmp_path: Path) -> None:
    loaded = sidelight.load(sidelight.save(fitted("isomap")[0], tmp_path / "m"))
    assert loaded._map.back.items is loaded._map.place.points.rows
    with zipfile.ZipFile(tmp_path / "m") as archive:
        arrays = [name for name in archive.namelist() if name.startswith("arrays/")]
        shapes = [np.load(archive.open(name), allow_pickle=False).shape for name in arrays]
    assert shapes.count(X.shape) == 1


def test_names_of_columns_are_kept(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = sidelight.PCA(2).fit(frame).set_output(transform="pandas")
    loaded = sidelight.load(sidelight.save(model, tmp_path / "m"))
    assert list(loaded.feature_names_in_) == list("abcde")
    assert loaded.transform(frame).equals(model.transform(frame))
    with pytest.raises(ValueError, match="feature names"):
        loaded.transform(frame[list("edcba")])


def test_an_unfitted_model_and_strange_numbers(tmp_path: Path) -> None:
    extras = {
        "whole": 2**70,
        "small": 5e-324,
        "not": [float("inf"), -float("inf"), None, True],
        "pair": (np.float32(0.1), np.int8(-3), "ä\n"),
        "strided": np.arange(24.0).reshape(4, 6)[::2, 1::2].T,
        "empty": np.empty((0, 3), dtype=np.int16),
        "words": np.array(["ä", "bcd"]),
    }
    opened = read_model(
        sidelight.save(sidelight.Isomap(3, radius=0.5), tmp_path / "m", extras=extras)
    )
    assert opened.model.get_params() == sidelight.Isomap(3, radius=0.5).get_params()
    assert not hasattr(opened.model, "embedding_")
    assert opened.version == sidelight.__version__
    for name in ("whole", "small", "not", "pair"):
        assert opened.extras[name] == extras[name], name
    assert [type(item) for item in opened.extras["pair"]] == [np.float32, np.int8, str]
    for name in ("strided", "empty", "words"):
        assert opened.extras[name].dtype == extras[name].dtype
        assert np.array_equal(opened.extras[name], extras[name])
    # the layout decides in which order products are summed
    assert opened.extras["strided"].flags.f_contiguous


def test_a_nan_comes_back(tmp_path: Path) -> None:
    file = sidelight.save(sidelight.PCA(), tmp_path / "m", extras={"x": float("nan")})
    assert np.isnan(read_model(file).extras["x"])


def test_the_rows_behind_a_linear_map_are_not_saved(tmp_path: Path) -> None:
    model, new = fitted("pca")
    loaded = sidelight.load(sidelight.save(model, tmp_path / "m"))
    assert np.array_equal(loaded.transform(new), model.transform(new))
    with pytest.raises(ValueError, match="does not have them"):
        loaded.kernel()


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (sidelight.Isomap(metric=lambda a, b: float(np.abs(a - b).sum())), "metric"),
        (sidelight.KernelPCA(kernel=lambda a, b: float(a @ b)), "kernel"),
    ],
)
def test_a_function_is_refused_by_name_and_nothing_is_written(
    model: Any, parameter: str, tmp_path: Path
) -> None:
    model.fit(X)
    with pytest.raises(TypeError, match=f"The '{parameter}' parameter of .* is the function"):
        sidelight.save(model, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_generator_of_random_numbers_is_refused(tmp_path: Path) -> None:
    model = sidelight.DistanceMetric(random_state=np.random.default_rng(0))
    with pytest.raises(TypeError, match="'random_state' parameter of DistanceMetric: a generator"):
        sidelight.save(model, tmp_path / "m")


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = sidelight.save(fitted("pca")[0], tmp_path / "m")
    before = file.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(OSError, match="No space"):
        sidelight.save(fitted("isomap")[0], file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("other", [object(), X, "isomap", type("Mine", (sidelight.PCA,), {})()])
def test_only_estimators_of_sidelight_are_saved(other: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be an estimator of sidelight"):
        sidelight.save(other, tmp_path / "m")


def test_the_text_of_a_model_is_plain(tmp_path: Path) -> None:
    file = sidelight.save(sidelight.Isomap(3, n_neighbors=7), tmp_path / "m")
    with zipfile.ZipFile(file) as archive:
        header = json.loads(archive.read("model.json"))
    assert header["format_version"] == 3
    assert header["model"]["class"] == "Isomap"
    assert header["model"]["parameters"]["n_neighbors"] == 7
