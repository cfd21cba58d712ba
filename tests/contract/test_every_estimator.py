"""What holds for every estimator of the registry."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sidelight.core.errors import DisconnectedGraphError, DisconnectedGraphWarning
from sidelight.neighbors import nearest_neighbors, recall_of
from sidelight.neighbors.search.approximate import DEFAULT, approximate_nearest
from tests.comparison import gap_between
from tests.fitting import fitted


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_own_checks_pass(entry, estimator):
    if entry.family == "latent":  # the checks are of manners: no optimum is needed
        few = {"max_iter": 10, "n_steps": 3}
        estimator.set_params(**{name: few[name] for name in few if name in estimator.get_params()})
    results = check_estimator(estimator, on_skip=None)
    assert not [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]


def test_training_rows_are_placed_where_they_are(estimator, X):
    Z = estimator.fit_transform(X)
    np.testing.assert_array_equal(Z, estimator.embedding_)
    np.testing.assert_allclose(estimator.transform(X), Z, atol=1e-6 * np.abs(Z).max())


def test_a_rows_place_depends_on_that_row_alone(estimator, X, new):
    estimator = fitted(estimator, X)
    together = estimator.transform(new)
    alone = np.vstack([estimator.transform(row[None]) for row in new])
    shuffled = estimator.transform(new[::-1])[::-1]
    scale = np.abs(estimator.embedding_).max()
    np.testing.assert_allclose(alone, together, atol=1e-9 * scale)
    np.testing.assert_allclose(shuffled, together, atol=1e-9 * scale)


def test_new_rows_land_near_their_like(estimator, X, new):
    estimator = fitted(estimator, X)
    Z = estimator.embedding_
    spread = np.linalg.norm(Z.std(axis=0))
    moved = np.linalg.norm(estimator.transform(new) - Z[:20], axis=1)
    assert np.median(moved) < 0.25 * spread


def test_the_way_back_beats_the_mean(estimator, X):
    estimator = fitted(estimator, X)
    Z = estimator.embedding_
    back = estimator.inverse_transform(Z)
    error = np.mean((back - X) ** 2)
    assert error < 0.25 * X.var(axis=0).mean()


def test_the_same_again_and_in_another_order_of_calls(estimator, X, new):
    first, second = clone(estimator).fit(X), fitted(estimator, X)
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    first.inverse_transform(first.embedding_[:3])
    np.testing.assert_array_equal(first.transform(new), second.transform(new))
    refitted = first.fit(X[::2]).fit(X)
    np.testing.assert_array_equal(refitted.embedding_, second.embedding_)


def test_one_sign_rule(estimator, X):
    Z = fitted(estimator, X).embedding_
    largest = Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])]
    assert (largest > 0).all()


def test_neither_data_nor_parameters_are_changed(estimator, X, new):
    before, before_new, parameters = X.copy(), new.copy(), estimator.get_params()
    estimator.fit(X).transform(new)
    estimator.inverse_transform(estimator.embedding_)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(new, before_new)
    assert estimator.get_params() == parameters


def test_order_of_rows_does_not_matter(estimator, X):
    order = np.random.default_rng(3).permutation(len(X))
    Z = fitted(estimator, X).embedding_
    shuffled = clone(estimator).fit_transform(X[order])
    turns = np.sign(np.einsum("ij,ij->j", shuffled, Z[order]))
    np.testing.assert_allclose(shuffled * turns, Z[order], atol=1e-5 * np.abs(Z).max())


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_frames_in_and_out(estimator, X, frames):
    library = pytest.importorskip(frames)
    names = [f"f{i}" for i in range(X.shape[1])]
    table = library.DataFrame({name: X[:, i] for i, name in enumerate(names)})
    estimator.set_output(transform=frames)
    Z = estimator.fit_transform(table)
    assert isinstance(Z, library.DataFrame)
    assert list(Z.columns) == list(estimator.get_feature_names_out())
    assert next(iter(Z.columns)) == type(estimator).__name__.lower() + "0"
    np.testing.assert_array_equal(estimator.feature_names_in_, names)
    np.testing.assert_array_equal(np.asarray(Z), estimator.embedding_)


def test_in_a_pipeline(estimator, X, new):
    pipeline = make_pipeline(StandardScaler(), estimator)
    Z = pipeline.fit_transform(X)
    np.testing.assert_allclose(pipeline.transform(X), Z, atol=1e-6 * np.abs(Z).max())


def read_only(X):
    """Sparse rows in arrays that nobody may write to, their entries in no order to rely on."""
    n, p = X.shape
    parts = (X[:, ::-1].ravel(), np.tile(np.arange(p)[::-1], n), np.arange(0, n * p + 1, p))
    for part in parts:
        part.flags.writeable = False
    return sp.csr_array(parts, shape=(n, p), copy=False)


def test_sparse_rows_give_the_map_of_dense_ones(estimator, X, new):
    if not estimator.__sklearn_tags__().input_tags.sparse:
        with pytest.raises((TypeError, ValueError), match="[Ss]parse"):
            estimator.fit(sp.csr_array(X))
        return
    dense, sparse = fitted(estimator, X), clone(estimator).fit(read_only(X))
    scale = np.abs(dense.embedding_).max()
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-6 * scale)
    expected = dense.transform(new)
    for model, rows in ((sparse, read_only(new)), (sparse, new), (dense, read_only(new))):
        np.testing.assert_allclose(model.transform(rows), expected, atol=1e-6 * scale)
    back = sparse.inverse_transform(sparse.embedding_[:5])
    np.testing.assert_allclose(back, dense.inverse_transform(dense.embedding_[:5]), atol=1e-5)


def test_single_precision_rows(estimator, X):
    Z = fitted(estimator, X).embedding_
    single = clone(estimator).fit_transform(X.astype(np.float32))
    turns = np.sign(np.einsum("ij,ij->j", single, Z))
    np.testing.assert_allclose(single * turns, Z, atol=2e-3 * np.abs(Z).max())


def test_precomputed_tables_give_the_same_map(distance_entry, X, new):
    from scipy.spatial.distance import cdist

    entry, estimator = distance_entry, distance_entry.load()()
    plain = fitted(entry.load()(), X)
    given = estimator.set_params(metric="precomputed").fit(cdist(X, X), items=X)
    scale = np.abs(plain.embedding_).max()
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-6 * scale)
    np.testing.assert_allclose(
        given.transform(cdist(new, X)), plain.transform(new), atol=1e-6 * scale
    )
    Z = plain.embedding_[:4]
    if entry.needs_graph:
        np.testing.assert_allclose(
            given.inverse_transform(Z), plain.inverse_transform(Z), atol=1e-5
        )
    with pytest.raises(ValueError, match=f"{entry.name}.*square"):
        entry.load()(metric="precomputed").fit(X)
    without = entry.load()(metric="precomputed").fit(cdist(X, X))
    with pytest.raises(ValueError, match="items"):
        without.inverse_transform(Z)


class TestGraphs:
    """Graphs that fall apart, and duplicated rows."""

    @pytest.fixture
    def estimator(self, graph_entry):
        return graph_entry.load()()

    @pytest.fixture
    def apart(self, X):
        return np.vstack([X, X[:60] + 50, X[:30] - 90])

    def test_pieces_are_joined_with_a_warning_that_counts_them(self, estimator, apart):
        with pytest.warns(DisconnectedGraphWarning, match="fell into 3 pieces.*160, 60, 30"):
            estimator.fit(apart)
        np.testing.assert_array_equal(np.bincount(estimator.pieces_), [160, 60, 30])
        assert np.isfinite(estimator.embedding_).all()
        # no silent collapse: within each piece the points still differ
        for piece in range(3):
            inside = estimator.embedding_[estimator.pieces_ == piece]
            assert len(np.unique(inside.round(12), axis=0)) > 0.8 * len(inside)

    def test_an_error_if_asked_for(self, estimator, apart):
        with pytest.raises(DisconnectedGraphError, match="3 pieces.*Raise n_neighbors"):
            estimator.set_params(on_disconnected="error").fit(apart)

    @pytest.mark.parametrize("policy", ["largest", "separate"])
    def test_pieces_on_their_own(self, graph_entry, apart, X, policy):
        estimator = graph_entry.load()(on_disconnected=policy)
        with pytest.warns(DisconnectedGraphWarning, match="3 pieces"):
            estimator.fit(apart)
        alone = fitted(graph_entry.load()(), X)
        np.testing.assert_allclose(estimator.embedding_[:160], alone.embedding_, atol=1e-9)
        np.testing.assert_allclose(
            estimator.transform(apart[:200]), estimator.embedding_[:200], atol=1e-6
        )
        if policy == "separate":  # side by side: the pieces do not overlap
            assert gap_between(*np.split(estimator.embedding_, [160, 220])) > 0
        with pytest.raises(ValueError, match="on_disconnected='connect'"):
            estimator.kernel()

    def test_no_warning_where_the_graph_is_whole(self, estimator, X):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            estimator.fit(X)
        assert not estimator.pieces_.any()
        assert estimator.neighbors_recall_ == 1.0

    def test_what_an_approximate_search_found_is_measured(self, graph_entry, monkeypatch):
        monkeypatch.setattr("sidelight.neighbors.nearest.SMALL", 10)
        poor = replace(DEFAULT, cell=8, met=8, own=1, friends=1, rounds=1, spare=0)
        monkeypatch.setattr(approximate_nearest, "__kwdefaults__", {"who": "", "search": poor})
        X = np.random.default_rng(0).standard_normal((240, 20))
        found = nearest_neighbors(X, 6, method="approximate")
        model = graph_entry.load()(n_neighbors=6, neighbors="approximate")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X)
        assert model.neighbors_recall_ == recall_of(found, X)
        assert 0.2 < model.neighbors_recall_ < 0.95

    def test_copies_of_rows_share_a_place_and_count(self, estimator, X):
        copies = np.vstack([X, X[:40], X[:10]])
        Z = estimator.fit_transform(copies)
        np.testing.assert_array_equal(Z[160:200], Z[:40])
        np.testing.assert_array_equal(Z[200:], Z[:10])
        plain = fitted(estimator, X).embedding_
        turns = np.sign(np.einsum("ij,ij->j", Z[:160], plain))
        # the weights change the map a little, and do not wreck it
        assert np.corrcoef((Z[:160] * turns)[:, 0], plain[:, 0])[0, 1] > 0.99

    def test_all_rows_the_same(self, estimator):
        with pytest.raises(ValueError, match="distinct rows"):
            estimator.fit(np.ones((30, 3)))

    def test_as_many_neighbours_as_rows(self, estimator, X):
        name = type(estimator).__name__
        with pytest.raises(ValueError, match=f"'n_neighbors' parameter of {name}.*Got 160"):
            estimator.set_params(n_neighbors=160).fit(X)
        estimator.set_params(n_neighbors=159).fit(X)
        assert np.isfinite(estimator.embedding_).all()


def test_many_new_rows_are_placed_in_blocks(estimator, X, new, monkeypatch):
    estimator = fitted(estimator, X)
    at_once = estimator.transform(new)
    for home in ("estimator.placing", "mapping.by_kernel"):
        monkeypatch.setattr(
            f"sidelight.{home}.row_blocks",
            lambda n, width, budget: [slice(i, i + 3) for i in range(0, n, 3)],
        )
    np.testing.assert_allclose(estimator.transform(new), at_once, atol=1e-10)


def test_a_table_in_single_precision_is_a_table(distance_entry, X, new):
    """Maximum entropy unfolding placed new rows of one with an error of the compiler."""
    from scipy.spatial.distance import cdist

    few = X[:60]
    table, block = cdist(few, few).astype(np.float32), cdist(new, few).astype(np.float32)
    model = distance_entry.load()(metric="precomputed").fit(table)
    double = distance_entry.load()(metric="precomputed").fit(table.astype(np.float64))
    scale = np.abs(double.embedding_).max()
    np.testing.assert_allclose(model.embedding_, double.embedding_, atol=2e-3 * scale)
    placed = model.transform(block)
    np.testing.assert_allclose(placed, double.transform(block.astype(float)), atol=2e-2 * scale)
