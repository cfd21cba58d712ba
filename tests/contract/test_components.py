"""n_components="auto", for every estimator."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import sidelight
from sidelight.core.errors import DisconnectedGraphWarning
from sidelight.datasets import swiss_roll
from sidelight.embedding import embed
from sidelight.registry import MAPS


@pytest.fixture(scope="session")
def few(X):
    return X[:60]


@pytest.fixture
def fitted(entry, few):
    return entry.load()(n_components="auto").fit(few)


def test_the_map_has_as_many_columns_as_it_says(fitted, few, entry):
    d = fitted.n_components_
    assert type(d) is int
    assert 1 <= d <= few.shape[1]
    assert fitted.embedding_.shape == (60, d)
    assert fitted.transform(few[:3]).shape == (3, d)
    assert fitted.inverse_transform(fitted.embedding_[:3]).shape == (3, few.shape[1])
    assert len(fitted.get_feature_names_out()) == d
    asked = entry.load()(n_components=d).fit(few)
    assert asked.n_components_ == d
    np.testing.assert_array_equal(fitted.embedding_, asked.embedding_)


def test_copies_and_files_keep_it(fitted, few, tmp_path):
    copy = clone(fitted)
    assert copy.n_components == "auto"
    assert not hasattr(copy, "n_components_")
    sidelight.save(fitted, tmp_path / "m.sidelight")
    again = sidelight.load(tmp_path / "m.sidelight")
    assert (again.n_components, again.n_components_) == ("auto", fitted.n_components_)
    np.testing.assert_array_equal(again.transform(few[:5]), fitted.transform(few[:5]))


@pytest.mark.parametrize("wrong", ["many", "Auto", 0, 1.5, True])
def test_other_words_are_refused(entry, few, wrong):
    with pytest.raises(ValueError, match=f"'n_components' parameter of {entry.name}.*'auto'"):
        entry.load()(n_components=wrong).fit(few)


@pytest.mark.parametrize("name", ["PCA", "ProbabilisticPCA", "ClassicalMDS"])
@pytest.mark.parametrize("noise", [0.05, 0.4])
def test_three_planted_directions(name, noise):
    rng = np.random.default_rng(0)
    directions = np.linalg.qr(rng.standard_normal((20, 3)))[0]
    X = 2 * rng.standard_normal((300, 3)) @ directions.T + noise * rng.standard_normal((300, 20))
    model = getattr(sidelight, name)(n_components="auto").fit(X)
    assert model.n_components_ == 3
    if name == "PCA":
        assert PCA_in_blocks(X).n_components_ == 3


def PCA_in_blocks(X):
    model = sidelight.PCA("auto")
    for block in np.array_split(X, 3):
        model.partial_fit(block)
    return model


@pytest.mark.parametrize(
    "name", ["Isomap", "LaplacianEigenmaps", "SemidefiniteEmbedding", "LocallyLinearEmbedding"]
)
def test_a_rolled_sheet_has_two_dimensions(name):
    X = swiss_roll(250, random_state=0).X
    options = {"tol": 1e-2} if name == "SemidefiniteEmbedding" else {}
    assert getattr(sidelight, name)(n_components="auto", **options).fit(X).n_components_ == 2


def test_missing_entries(X):
    holes = X[:60].copy()
    holes[np.random.default_rng(0).random(holes.shape) < 0.05] = np.nan
    chosen = sidelight.ProbabilisticPCA("auto").fit(holes)
    assert chosen.n_components_ == sidelight.ProbabilisticPCA("auto").fit(X[:60]).n_components_
    with pytest.warns(ConvergenceWarning):
        points = sidelight.GPLVM("auto", max_iter=5).fit(holes).embedding_
    assert points.shape == (60, chosen.n_components_)


def test_kernels_distances_and_relations(X):
    few = X[:80]
    K = few @ few.T
    by_kernel = sidelight.KernelPCA("auto", kernel="precomputed").fit(K)
    by_rows = sidelight.KernelPCA("auto", kernel="linear").fit(few)
    assert by_kernel.n_components_ == by_rows.n_components_
    D = cdist(few, few)
    by_table = sidelight.Isomap("auto", metric="precomputed").fit(D)
    assert by_table.n_components_ == sidelight.Isomap("auto").fit(few).n_components_
    relation = sidelight.side.Relation(np.exp(-D))
    with pytest.raises(ValueError, match="MultipleRelationalEmbedding.*there is no X"):
        sidelight.MultipleRelationalEmbedding("auto").fit(None, side=relation)


def test_pieces_get_the_dimensions_of_the_whole(X):
    apart = np.vstack([X[:100], X[:40] + 50])
    model = sidelight.Isomap("auto", on_disconnected="separate")
    with pytest.warns(DisconnectedGraphWarning, match="2 pieces"):
        model.fit(apart)
    assert {part.points.shape[1] for part in model._map.place.rule.maps} == {model.n_components_}


def test_through_the_one_door(X):
    result = embed(X, n_components="auto")
    assert result.points.shape[1] == result.model.n_components_ == 2


#: Maps by eigenvectors: a further axis is one more.  A walk has a test of its own.
BY_AXES = [
    entry for entry in MAPS if entry.family in ("spectral", "unfolding") and entry.command != "are"
]


@pytest.fixture(scope="module")
def flat():
    """A rectangle in five dimensions: two are all that there is."""
    rng = np.random.default_rng(3)
    plane = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    return (rng.random((70, 2)) * [3.0, 2.0]) @ plane.T


@pytest.mark.parametrize("entry", BY_AXES, ids=lambda entry: entry.name)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_more_components_than_the_data_need_change_nothing_else(entry, flat):
    two, three = (entry.load()(n_components=d).fit(flat) for d in (2, 3))
    size = np.abs(two.embedding_).max()
    new = flat[:9] + 0.01 * (flat[10:19] - flat[:9])  # in the plane
    turns = np.sign(np.einsum("ij,ij->j", three.embedding_[:, :2], two.embedding_))
    for found, expected in (
        (three.embedding_, two.embedding_),
        (three.transform(new), two.transform(new)),
    ):
        np.testing.assert_allclose(found[:, :2] * turns, expected, atol=1e-5 * size)
    K = two.kernel()
    np.testing.assert_allclose(three.kernel(), K, atol=1e-5 * np.abs(K).max())


THOROUGH = pytest.mark.thorough


def planted(q, seed):
    """So many directions in eight columns, and noise."""
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.standard_normal((8, q)))[0]
    return 1.5 * rng.standard_normal((90, q)) @ directions.T + 0.3 * rng.standard_normal((90, 8))


def curve(seed):
    rng = np.random.default_rng(seed)
    t = rng.uniform(-1.5, 1.5, 36)
    rows = np.column_stack([t, np.sin(2 * t), np.cos(2 * t), t**2])
    return rows + 0.05 * rng.standard_normal((36, 4))


def sheet(seed):
    """A bent sheet in five dimensions, as long as it is wide."""
    rng = np.random.default_rng(seed)
    s, t = rng.uniform(-1.2, 1.2, (2, 42))
    rows = np.column_stack([np.sin(2 * s), np.cos(2 * s), t, np.sin(2 * t), s * t])
    return rows + 0.05 * rng.standard_normal((42, 5))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
class TestByRowsLeftOut:
    """n_components="cv": of which models, what they find, and who refuses."""

    @pytest.mark.parametrize("name", ["PCA", "ProbabilisticPCA"])
    @pytest.mark.parametrize("q", [1, 3])
    def test_planted_directions_are_counted(self, name, q):
        models = [getattr(sidelight, name)("cv").fit(planted(q, seed)) for seed in range(60, 64)]
        found = [model.n_components_ for model in models]
        assert found.count(q) >= 3, found
        assert models[0].embedding_.shape == (90, models[0].n_components_)
        scores = models[0].cv_scores_
        assert scores.argmax() + 1 >= models[0].n_components_
        plain = getattr(sidelight, name)(models[0].n_components_).fit(planted(q, 60))
        np.testing.assert_array_equal(models[0].embedding_, plain.embedding_)
        assert plain.cv_scores_ is None

    def test_the_scores_are_densities_of_rows_left_out(self):
        X = planted(2, 1)
        parts = np.random.default_rng(0).permutation(90) % 5
        expected = np.empty(90)
        for part in range(5):
            model = sidelight.ProbabilisticPCA(2).fit(X[parts != part])
            expected[parts == part] = model.score_samples(X[parts == part])
        scores = sidelight.ProbabilisticPCA("cv", form="dual").fit(X).cv_scores_
        assert scores[1] == pytest.approx(expected.mean(), rel=1e-12)

    def test_a_curve_has_one(self, tmp_path):
        model = sidelight.GPLVM("cv", max_iter=30).fit(curve(70))
        assert model.n_components_ == 1
        assert model.cv_scores_[0] > model.cv_scores_[1:].max() + 1
        loaded = sidelight.load(sidelight.save(model, tmp_path / "m.sidelight"))
        np.testing.assert_array_equal(loaded.cv_scores_, model.cv_scores_)

    @pytest.mark.parametrize("seed", [70, *(pytest.param(s, marks=THOROUGH) for s in (71, 72))])
    def test_a_sheet_has_two(self, seed):
        """A rule that always says one would pass the curve."""
        model = sidelight.GPLVM("cv", max_iter=30).fit(sheet(seed))
        assert model.n_components_ == 2
        assert model.cv_scores_[1] > max(model.cv_scores_[0], *model.cv_scores_[2:]) + 0.5

    def test_sparse_rows_are_judged_as_dense_ones_are(self):
        """ProbabilisticPCA, which judges, takes no sparse rows, and said so in its own name."""
        X = planted(2, 61) * (np.random.default_rng(0).random((90, 8)) > 0.3)
        dense, sparse = (sidelight.PCA("cv").fit(each) for each in (X, sp.csr_array(X)))
        assert sparse.n_components_ == dense.n_components_
        np.testing.assert_allclose(sparse.cv_scores_, dense.cv_scores_, rtol=1e-10)

    def test_the_models_that_judge_hear_a_sequence(self):
        X = curve(70)[np.argsort(curve(70)[:, 0])]
        parts = np.random.default_rng(0).permutation(36) % 3
        expected = np.empty(36)
        for part in range(3):
            fitted = sidelight.GPLVM(1, max_iter=30)
            fitted.fit(X[parts != part], side=sidelight.side.Sequence())
            assert fitted.side_report_[0].change.startswith("23 adjacent pairs")
            expected[parts == part] = fitted.score_samples(X[parts == part])
        told = sidelight.GPLVM("cv", max_iter=30).fit(X, side=sidelight.side.Sequence())
        plain = sidelight.GPLVM("cv", max_iter=30).fit(X)
        assert told.cv_scores_[0] == pytest.approx(expected.mean(), rel=1e-9)
        assert abs(told.cv_scores_[0] - plain.cv_scores_[0]) > 1e-3

    @pytest.mark.parametrize("init", [np.zeros((36, 2)), sidelight.PCA(2)], ids=["array", "PCA"])
    def test_a_start_of_some_dimensions_is_refused_by_name(self, init):
        with pytest.raises(ValueError, match="'init' parameter of GPLVM must be 'pca' with n_comp"):
            sidelight.GPLVM("cv", init=init).fit(curve(70))

    @pytest.mark.parametrize("name", ["PCA", "ProbabilisticPCA"])
    def test_dimensions_are_those_of_what_is_seen_behind_a_factor_taken_out(self, name):
        """Two directions and a known one: with the factor two, without three."""
        make, found = getattr(sidelight, name), []
        for seed in range(60, 64):
            X, values = planted(2, seed), np.arange(90) % 3
            X[:, 0] += 4.0 * values
            known = sidelight.side.Condition(values.astype(str))
            told, untold = make("cv").fit(X, side=known), make("cv").fit(X)
            found.append((told.n_components_, untold.n_components_))
        assert found.count((2, 3)) >= 3, found
        assert told.embedding_.shape == (90, told.n_components_)
        seen = sidelight.FactorRemoval().fit(X, side=known).transform(X, condition=known)
        np.testing.assert_allclose(told.cv_scores_, make("cv").fit(seen).cv_scores_)

    def test_dimensions_that_are_found_out_must_be_those_of_anchors(self):
        X = planted(1, 60)
        rows = sidelight.side.Anchors([0, 1], [[0.0, 1.0], [1.0, 0.0]])
        with pytest.raises(ValueError, match="Anchors given to ProbabilisticPCA .* columns"):
            sidelight.ProbabilisticPCA("cv").fit(X, side=rows)

    def test_copies_tell_nothing_new(self):
        X = planted(1, 3)
        twice = sidelight.PCA("cv").fit(np.vstack([X, X]))
        np.testing.assert_allclose(twice.cv_scores_, sidelight.PCA("cv").fit(X).cv_scores_)

    def test_who_cannot_be_judged_says_so(self, entry, few):
        if entry.load()._left_out is None:
            with pytest.raises(ValueError, match=f"'n_components' parameter of {entry.name}.*'cv'"):
                entry.load()(n_components="cv").fit(few)

    def test_the_refusal_says_who_can_be_judged_and_what_to_do(self):
        """It said only that 'cv' is not admitted, where it is by three methods."""
        able = [entry.name for entry in MAPS if entry.load()._left_out]
        with pytest.raises(ValueError, match="Got 'cv' instead") as refused:
            sidelight.UnsupervisedKernelRegression("cv").fit(planted(1, 0))
        assert f"of {', '.join(able[:-1])} and {able[-1]}, under which" in str(refused.value)
        assert "model_selection.choose(estimator, 'n_components', X)" in str(refused.value)
        with pytest.raises(ValueError, match=r"Got 'all' instead\.$"):
            sidelight.Isomap("all").fit(planted(1, 0))

    def test_too_few_rows(self):
        with pytest.raises(ValueError, match="'cv' of PCA .* at least 10 distinct rows. Got 8"):
            sidelight.PCA("cv").fit(planted(1, 0)[:8])
        with pytest.raises(ValueError, match="'cv' of PCA leaves rows out"):
            sidelight.PCA("cv").partial_fit(planted(1, 0))
