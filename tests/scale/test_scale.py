"""Dask arrays over two processes: the same answers as on one machine, the model sent once."""

from __future__ import annotations

import os

import dask.array as da
import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone

from sidelight import PCA, Isomap, NeighborEmbedding
from sidelight.quality import quality_report as report_in_memory
from sidelight.scale import fit, principal_components, quality_report, statistics, transform
from sidelight.side import Actions, Condition, Pairs

both = pytest.mark.parametrize("where", ["here", "in two processes"])


@pytest.fixture
def at(request):
    """Where the work is done: a cluster only when it is asked for."""

    def go(where):
        if where != "here":
            request.getfixturevalue("client")

    return go


@both
def test_statistics_are_those_of_numpy(X, at, where):
    at(where)
    X[::7, 2] = np.nan
    X[:600, 4] = np.nan  # the first block of it has nothing
    X += 1e6  # far from the origin
    found = statistics(da.from_array(X, chunks=(500, 6)))
    assert found.n_rows == 2400
    assert found.missing.tolist() == np.isnan(X).sum(axis=0).tolist()
    np.testing.assert_allclose(found.mean, np.nanmean(X, axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.variance, np.nanvar(X, axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.minimum, np.nanmin(X, axis=0))
    np.testing.assert_array_equal(found.maximum, np.nanmax(X, axis=0))


def test_a_column_without_a_number_has_no_mean(X):
    X[:, 1] = np.nan
    found = statistics(da.from_array(X, chunks=(500, 6)))
    assert np.isnan(found.mean[1])
    assert np.isnan(found.variance[1])
    assert np.isfinite(np.delete(found.mean, 1)).all()


@both
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_principal_components_are_those_of_the_whole(X, at, where, offset):
    at(where)
    X = X + offset
    whole = PCA(3).fit(X)
    model = principal_components(da.from_array(X, chunks=(500, 6)), 3)
    for name in ("components_", "mean_", "eigenvalues_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), rtol=1e-6, atol=1e-6)
    assert model.n_samples_seen_ == 2400
    places = transform(model, da.from_array(X, chunks=(500, 6))).compute()
    np.testing.assert_allclose(places, whole.embedding_, atol=1e-6 * np.abs(whole.embedding_).max())


def test_signs_of_components_are_those_of_the_map():
    # the largest coordinate is in the last block, and on the other side of its eigenvector's entry
    rng = np.random.default_rng(0)
    for draw in range(10):
        X = rng.standard_normal((300, 3)) * [5, 2, 1]
        X[-1] = rng.choice([-1, 1], 3) * [40, 0.1, 0.1]
        whole, model = PCA(3).fit(X), principal_components(da.from_array(X, chunks=(70, 3)), 3)
        np.testing.assert_allclose(model.components_, whole.components_, atol=1e-9, err_msg=draw)


def test_what_was_summed_up_goes_on_with_more_rows(X, array):
    model = principal_components(array, 2).partial_fit(X[:700] * 2)
    whole = PCA(2).fit(np.vstack([X, X[:700] * 2]))
    np.testing.assert_allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-9)


@both
@pytest.mark.parametrize("method", [Isomap(2, n_neighbors=12), NeighborEmbedding(max_iter=60)])
def test_new_rows_are_placed_as_on_one_machine(X, array, at, where, method):
    at(where)
    model = clone(method).fit(X[:300])
    placed = transform(model, array)
    assert isinstance(placed, da.Array)
    assert placed.shape == (2400, 2)
    np.testing.assert_allclose(placed.compute(), model.transform(X), atol=1e-6)


@pytest.mark.parametrize("method", [Isomap(2, n_neighbors=12), NeighborEmbedding(max_iter=60)])
def test_a_sample_is_drawn_by_the_rows_not_by_the_blocks(X, client, method):
    models = [
        fit(clone(method), da.from_array(X, chunks=chunks), sample=200, random_state=4)
        for chunks in [(500, 6), (97, 2)]
    ]
    np.testing.assert_array_equal(*(model.embedding_ for model in models))
    assert len(models[0].embedding_) == 200
    other = fit(clone(method), da.from_array(X, chunks=500), sample=200, random_state=5)
    assert not np.array_equal(other.embedding_, models[0].embedding_)


class Recorder:
    """Keeps what it was fitted to."""

    def fit(self, X, *, side=None):
        self.X, self.side = X, side
        return self


def test_named_rows_are_in_the_sample_under_their_new_numbers(X, array):
    similar = np.array([(5, 2390), (7, 1000)])
    for draw in range(5):
        side = [Pairs(similar=similar), Condition(np.arange(2400.0))]
        told = fit(Recorder(), array, sample=60, side=side, random_state=draw)
        pairs, condition = told.side
        np.testing.assert_array_equal(told.X[pairs.similar], X[similar])
        np.testing.assert_array_equal(told.X, X[condition.values.astype(int)])
        assert len(np.unique(condition.values)) == 60


def test_where_more_rows_are_named_than_drawn_pairs_within_the_sample_are_kept(X, array):
    y = (X[:, 0] > X[:, 0].mean()).astype(int)
    told = fit(Recorder(), array, sample=50, side=[Pairs.from_labels(y), Condition(1.0 * y)])
    pairs, condition = told.side
    assert pairs == Pairs.from_labels(condition.values.astype(int))
    assert len(told.X) == 50


def test_actions_cannot_be_sampled(array):
    with pytest.raises(ValueError, match="Actions speaks of rows one after the other"):
        fit(Isomap(), array, sample=100, side=Actions(["a"] * 2399))


@pytest.mark.parametrize("names", [True, False])
def test_rows_are_placed_by_their_values_of_a_known_factor(X, array, names):
    batch = np.random.default_rng(1).integers(3, size=len(X))
    shifted = X + 5.0 * batch[:, None]
    values = np.array(["a", "b", "c"])[batch] if names else 1.0 * batch
    model = PCA(2).fit(shifted[:600], side=Condition(values[:600]))
    expected = model.transform(shifted, condition=Condition(values))
    rows = da.from_array(shifted, chunks=array.chunks)
    in_other_blocks = da.from_array(values, chunks=700)
    for condition in (Condition(values), values, in_other_blocks, [Condition(values)]):
        placed = transform(model, rows, condition=condition)
        np.testing.assert_allclose(placed.compute(), expected, atol=1e-10)
    with pytest.raises(ValueError, match="'condition' argument of .* per row of 'array', 2400"):
        transform(model, rows, condition=values[:100])


def test_several_known_factors_are_cut_alike(X, array):
    rng = np.random.default_rng(1)
    batch, angle = rng.integers(2, size=len(X)), rng.uniform(0, 360, len(X))
    shifted = X + 5.0 * batch[:, None] + 3.0 * np.sin(np.radians(angle))[:, None]
    known = [Condition(np.array(["a", "b"])[batch]), Condition(angle, period=360)]
    model = PCA(2).fit(shifted, side=known)
    placed = transform(model, da.from_array(shifted, chunks=array.chunks), condition=known)
    np.testing.assert_allclose(
        placed.compute(), model.transform(shifted, condition=known), atol=1e-10
    )


class Counted(TransformerMixin, BaseEstimator):
    """Halves its input, and counts in a folder how often it was unpacked, and where."""

    def __init__(self, folder=None):
        self.folder = folder

    def __setstate__(self, state):
        self.__dict__.update(state)
        number = len(list(self.folder.iterdir()))
        (self.folder / f"{os.getpid()}-{number}").touch()

    def get_feature_names_out(self):
        return ["half0", "half1"]

    def transform(self, X):
        return X[:, :2] / 2


def test_the_model_is_sent_to_each_worker_once(X, client, tmp_path):
    # pickled by value: a worker does not know the module of a test
    import sys

    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    try:
        array = da.from_array(X, chunks=(60, 6))  # 40 blocks
        placed = transform(Counted(tmp_path), array)
        np.testing.assert_allclose(placed.compute(), X[:, :2] / 2)
        placed.sum().compute()  # and not again
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    unpacked = [path.name.split("-")[0] for path in tmp_path.iterdir()]
    workers = sorted(str(pid) for pid in client.run(os.getpid).values())
    # what this process unpacks (to name the model) is not sent anywhere; a worker may unpack it a
    # second time, to pass it on to another: not once for each of 40 blocks, twice
    there = [pid for pid in unpacked if pid != str(os.getpid())]
    assert sorted(set(there)) == workers
    assert len(there) <= 2 * len(workers)


def test_a_model_sent_again_does_not_go_when_the_first_one_is_let_go(X, client):
    model = PCA(2).fit(X[:500])
    for _ in range(20):
        array = da.from_array(X, chunks=(1200, 6))
        first, second = transform(model, array), transform(model, array)
        assert first.name != second.name
        del first
        again = transform(model, array)
        np.testing.assert_allclose(again.compute(), model.transform(X), atol=1e-9)


@both
def test_an_error_names_the_block(X, at, where):
    at(where)
    X[1234, 3] = np.nan
    array = da.from_array(X, chunks=(500, 6))
    model = PCA(2).fit(X[:500])
    with pytest.raises(
        ValueError, match=r"PCA.transform failed at block 2 \(rows 1,000 to 1,499\)"
    ):
        transform(model, array).compute()
    with pytest.raises(ValueError, match=r"block 2 \(rows 1,000 to 1,499\).*row 234 of the block"):
        principal_components(array)
    with pytest.raises(ValueError, match=r"block 2 .*of 'places'.*row 234 of the block"):
        quality_report(da.from_array(np.nan_to_num(X), chunks=(500, 6)), array)


@both
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_the_report_is_that_of_one_machine(X, array, at, where, metric):
    at(where)
    X = np.vstack([X, X[:40]])  # with copies
    Z = PCA(2).fit_transform(X)
    labels = (X[:, 0] > X[:, 0].mean()).astype(int)
    options = {"max_samples": 90, "labels": labels, "metric": metric, "random_state": 7}
    one = report_in_memory(X, Z, **options).to_dict()
    other = quality_report(
        da.from_array(X, chunks=(500, 6)), da.from_array(Z, chunks=(800, 2)), **options
    ).to_dict()
    assert other["n_samples_used"] == 90
    assert "90 of 2,440 points" in other["note"]
    errors = {name: pair.pop("standard_errors") for name, pair in [("a", one), ("b", other)]}
    assert errors["a"] == pytest.approx(errors["b"], abs=1e-6)
    _close(one, other)


def _close(one, other):
    for name, value in one.items():
        if isinstance(value, float):
            assert other[name] == pytest.approx(value, abs=1e-6), name
        else:
            assert other[name] == value, name


def test_few_rows_are_judged_in_memory(X):
    Z = X[:300, :2]
    one = report_in_memory(X[:300], Z)
    assert quality_report(da.from_array(X[:300], chunks=50), da.from_array(Z, chunks=50)) == one


def test_blocks_of_unknown_length_and_of_no_length(X):
    array = da.from_array(X, chunks=(500, 6))
    some = array[array[:, 0] > X[:, 0].mean()]  # a length that is not known before it is computed
    kept = X[X[:, 0] > X[:, 0].mean()]
    assert np.isnan(some.shape[0])
    model = principal_components(some, 2)
    np.testing.assert_allclose(model.mean_, kept.mean(axis=0))
    np.testing.assert_allclose(transform(model, some).compute(), model.transform(kept), atol=1e-9)
    assert np.isnan(some.shape[0]), "the caller's own array is left as it was"
    empty = da.concatenate([array[:0], array])
    np.testing.assert_allclose(statistics(empty).mean, X.mean(axis=0))
    assert transform(model, empty).compute().shape == (2400, 2)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (np.ones((4, 2)), TypeError, "must be a Dask array. Got a ndarray"),
        (da.ones(4), ValueError, r"\(n_samples, n_features\)"),
        (da.ones((4, 2), dtype=complex), TypeError, "real numbers"),
        (da.ones((0, 2)), ValueError, "holds no values"),
    ],
)
def test_what_is_no_table_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        statistics(given)
    with pytest.raises(error, match=words):
        transform(PCA(1).fit(np.eye(2)), given)


def test_a_wide_table_is_refused_before_it_is_summed_up(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "100MB")
    with pytest.raises(MemoryError, match=r"principal_components would need .* 4000 × 4000"):
        principal_components(da.ones((10, 4000), chunks=(5, 4000)))
    with pytest.raises(MemoryError, match="Give a smaller sample"):
        fit(PCA(), da.ones((100_000, 1000), chunks=(100, 1000)))


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask.array", None)
    with pytest.raises(ImportError, match=r'pip install "sidelight\[scale\]"'):
        statistics(None)


def test_other_columns_are_refused_before_any_block_is_placed(X, array):
    model = PCA(2).fit(X)
    with pytest.raises(ValueError, match=r"PCA.transform expects .* 6 columns .*\(2400, 5\)"):
        transform(model, array[:, :5])
