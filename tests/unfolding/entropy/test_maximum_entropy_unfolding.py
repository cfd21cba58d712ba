"""Maximum entropy unfolding: PCA as a special case, moments, copies, new rows, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

import sidelight
from sidelight import PCA, MaximumEntropyUnfolding
from sidelight.core.errors import (
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    InterruptedFitWarning,
)
from sidelight.core.progress import listening
from sidelight.datasets import swiss_roll
from sidelight.quality import procrustes
from sidelight.similarity.centring import centre_kernel
from sidelight.solvers.springs import fit_springs
from tests.interruption import stop_at


def gaussian_rows(n, p, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 3)) @ rng.standard_normal((3, p)) + rng.standard_normal((n, p))


def test_with_all_neighbours_and_free_signs_it_is_pca():
    Y = gaussian_rows(25, 40)
    model = MaximumEntropyUnfolding(2, n_neighbors=24, signs="free", tol=1e-9).fit(Y)
    gram = centre_kernel(Y @ Y.T)
    np.testing.assert_allclose(centre_kernel(model.covariance()), gram / 40, atol=1e-7 * gram.max())
    assert procrustes(model.embedding_, PCA(2).fit_transform(Y)).residual < 1e-6
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(gram)[:-3:-1], rtol=1e-6)


def test_expected_distances_are_those_of_the_data_where_a_spring_holds_and_at_most_so_elsewhere():
    Y = swiss_roll(300, random_state=0).X
    model = MaximumEntropyUnfolding(2, n_neighbors=6).fit(Y)
    K, (i, j) = model.covariance(), model.edges_.T
    expected = Y.shape[1] * (K[i, i] + K[j, j] - 2 * K[i, j])
    ratio = expected / np.sum((Y[i] - Y[j]) ** 2, axis=1)
    held = model.springs_ > 0
    assert 0.2 < held.mean() < 0.6
    np.testing.assert_allclose(ratio[held], 1, atol=1e-5)
    assert ratio[~held].max() <= 1 + 1e-5
    assert model.kkt_residual_ <= 1e-6


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_that_of_the_springs_in_units_of_the_likelihood():
    """Left early it is large, and the best lies within it."""
    Y = gaussian_rows(40, 6)
    given = {"n_neighbors": 6, "gamma": 0.3}
    early = MaximumEntropyUnfolding(2, max_iter=2, **given).fit(Y)
    best = MaximumEntropyUnfolding(2, **given).fit(Y)
    i, j = early.edges_.T
    squares = np.sum((Y[i] - Y[j]) ** 2, axis=1)
    found = fit_springs(40, early.edges_, squares, np.full(40, 0.3 / 6), tol=1e-6, max_iter=2)
    assert early.gap_ == pytest.approx(6 / 2 * (found.value - found.bound), rel=1e-6)
    assert 1e-3 < best.objective_ - early.objective_ <= early.gap_
    assert best.gap_ < 1e-3


def test_the_likelihood_is_that_of_the_density_and_the_map_that_of_the_kernel():
    Y = gaussian_rows(30, 4)
    model = MaximumEntropyUnfolding(2, n_neighbors=5, gamma=0.3).fit(Y)
    centred = Y - Y.mean(axis=0)
    density = multivariate_normal(np.zeros(30), model.covariance())
    assert model.log_likelihood_ == pytest.approx(density.logpdf(centred.T).sum(), rel=1e-9)
    assert model.objective_ == model.log_likelihood_ == pytest.approx(model.history_[-1], rel=1e-9)
    assert model.gamma_ == 0.3
    L = np.zeros((30, 30))
    i, j = model.edges_.T
    L[i, j] = L[j, i] = -model.springs_
    np.fill_diagonal(L, -L.sum(axis=1))
    np.testing.assert_allclose(model.covariance() @ (L + 0.3 * np.eye(30)), np.eye(30), atol=1e-9)
    values, vectors = np.linalg.eigh(4 * centre_kernel(model.covariance()))
    np.testing.assert_allclose(model.eigenvalues_, values[:-3:-1], rtol=1e-9)
    expected = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(expected), atol=1e-8)


def test_other_springs_are_less_likely():
    Y = gaussian_rows(30, 4)
    model = MaximumEntropyUnfolding(2, n_neighbors=5).fit(Y)
    rng = np.random.default_rng(0)
    centred, i, j = Y - Y.mean(axis=0), *model.edges_.T
    for _ in range(5):
        springs = model.springs_ * np.exp(0.05 * rng.standard_normal(len(i)))
        springs += 0.01 * springs.mean() * rng.random(len(i))
        P = model.gamma_ * np.eye(30)
        np.add.at(
            P, (np.r_[i, j, i, j], np.r_[j, i, i, j]), np.r_[-springs, -springs, springs, springs]
        )
        value = 2 * np.linalg.slogdet(P)[1] - 60 * np.log(2 * np.pi)
        value -= np.sum(centred * (P @ centred)) / 2
        assert value < model.log_likelihood_


def test_the_number_of_features_scales_the_kernel_and_nothing_else():
    Y = gaussian_rows(40, 5)
    plain = MaximumEntropyUnfolding(2).fit(Y)
    twice = MaximumEntropyUnfolding(2).fit(np.hstack([Y, Y]) / np.sqrt(2))
    given = MaximumEntropyUnfolding(2, metric="precomputed").fit(cdist(Y, Y))
    np.testing.assert_allclose(twice.embedding_, plain.embedding_, atol=1e-6)
    np.testing.assert_allclose(twice.covariance(), plain.covariance() / 2, rtol=1e-6)
    np.testing.assert_allclose(given.covariance(), plain.covariance() * 5, rtol=1e-6)


def test_copies_of_rows_are_the_limit_of_rows_that_come_together():
    Y = gaussian_rows(30, 4)
    copied = np.vstack([Y, Y[:5], Y[:5]])
    edges = MaximumEntropyUnfolding(2, n_neighbors=5).fit(Y).edges_
    welded = MaximumEntropyUnfolding(2, gamma=0.1).fit(copied, edges=edges)
    ties = [(a, b) for row in range(5) for a, b in ((row, row + 30), (row, row + 35))]
    close = copied.copy()
    close[30:] += 1e-3 * np.random.default_rng(1).standard_normal((10, 4))
    near = MaximumEntropyUnfolding(2, gamma=0.1).fit(close, edges=[*edges, *ties])
    np.testing.assert_allclose(near.covariance(), welded.covariance(), atol=2e-3)
    np.testing.assert_allclose(near.embedding_, welded.embedding_, atol=1e-2)
    unweighted = MaximumEntropyUnfolding(2, gamma=0.1).fit(Y, edges=edges)
    assert np.abs(unweighted.covariance() - welded.covariance()[:30, :30]).max() > 2e-2


def test_structure_learning_leaves_springs_out():
    rng = np.random.default_rng(0)
    n, p = 40, 400
    ring = np.column_stack([np.arange(n), (np.arange(n) + 1) % n])
    L = np.zeros((n, n))
    L[ring[:, 0], ring[:, 1]] = L[ring[:, 1], ring[:, 0]] = -1.0
    np.fill_diagonal(L, -L.sum(axis=1))
    Y = np.linalg.cholesky(np.linalg.inv(L + 0.01 * np.eye(n))) @ rng.standard_normal((n, p))
    every = np.argwhere(np.triu(np.ones((n, n)), 1))
    true = {tuple(sorted(edge)) for edge in ring.tolist()}

    def found(penalty):
        model = MaximumEntropyUnfolding(2, gamma=0.01, penalty=penalty).fit(Y, edges=every)
        strong = model.springs_ > 0
        return {tuple(edge) for edge in model.edges_[strong].tolist()}

    loose, learned = found(0.0), found(0.05)
    assert true <= learned
    assert learned <= loose
    assert len(learned) < len(loose) - 10


def test_edges_of_the_user():
    Y = gaussian_rows(20, 3)
    path = np.column_stack([np.arange(19), np.arange(1, 20)])
    model = MaximumEntropyUnfolding(1, gamma=1e-9).fit(Y, edges=path)
    np.testing.assert_allclose(
        model.springs_, 3 / np.sum(np.diff(Y, axis=0) ** 2, axis=1), rtol=1e-5
    )
    with pytest.warns(DisconnectedGraphWarning, match="2 pieces"):
        joined = MaximumEntropyUnfolding(1).fit(Y, edges=np.delete(path, 7, axis=0))
    assert len(joined.edges_) == 19
    with pytest.raises(DisconnectedGraphError, match="2 pieces"):
        MaximumEntropyUnfolding(1, on_disconnected="error").fit(Y, edges=path[1:])


def test_free_springs_that_diverge_fall_back_and_say_so():
    Y = swiss_roll(60, random_state=0).X
    with pytest.warns(ConvergenceWarning, match="MaximumEntropyUnfolding with free signs"):
        free = MaximumEntropyUnfolding(2, n_neighbors=7, signs="free").fit(Y)
    plain = MaximumEntropyUnfolding(2, n_neighbors=7).fit(Y)
    np.testing.assert_array_equal(free.embedding_, plain.embedding_)
    new = Y[:5] + 0.05
    np.testing.assert_array_equal(free.transform(new), plain.transform(new))


def test_a_new_row_is_placed_at_its_conditional_mean():
    Y = gaussian_rows(60, 3)
    model = MaximumEntropyUnfolding(2, n_neighbors=4).fit(Y)
    x = Y[:8] + 0.1 * np.random.default_rng(1).standard_normal((8, 3))
    for row, place in zip(x, model.transform(x), strict=True):
        near = np.argsort(np.linalg.norm(Y - row, axis=1))[:4]
        # by brute force over a fine grid of weights that are not negative
        grid = np.random.default_rng(0).dirichlet(np.full(4, 0.7), 40_000)
        spokes = Y[near] - row
        error = np.sum((grid @ spokes) ** 2, axis=1)
        error += 1e-3 * np.sum(spokes**2) * np.sum(grid**2, axis=1)
        best = grid[np.argmin(error)] @ model.embedding_[near]
        assert np.linalg.norm(place - best) < 0.1 * np.ptp(model.embedding_[near], axis=0).max()


def test_a_row_beyond_its_neighbours_is_pulled_and_never_pushed():
    """Springs that only pull place a row among its neighbours: the weights are not those of LLE."""
    Y = gaussian_rows(60, 3)
    model = MaximumEntropyUnfolding(2, n_neighbors=4).fit(Y)
    rows = 1.5 * Y[np.argsort(-np.linalg.norm(Y, axis=1))[:10]]
    signed = 0
    for row, place in zip(rows, model.transform(rows), strict=True):
        near = np.argsort(np.linalg.norm(Y - row, axis=1))[:4]
        spokes = Y[near] - row
        G = spokes @ spokes.T
        G += 1e-3 * np.trace(G) * np.eye(4)
        # min wᵀGw over w ≥ 0 with Σw = 1 is that of ‖Lᵀv‖² − 2·1ᵀv, by a general solver
        L = np.linalg.cholesky(G)
        v = nnls(L.T, np.linalg.solve(L, np.ones(4)))[0]
        expected = v / v.sum() @ model.embedding_[near]
        np.testing.assert_allclose(place, expected, atol=1e-6 * np.abs(model.embedding_).max())
        free = np.linalg.solve(G, np.ones(4))
        signed += (free / free.sum()).min() < -0.1
    assert signed >= 5  # for most of them the weights of LLE would have pushed


def test_one_feature():
    x = np.cumsum(0.5 + np.random.default_rng(0).random(50))[:, None]
    model = MaximumEntropyUnfolding(1, n_neighbors=2).fit(x)
    # the steps along the line add up: their squares are the only distances that matter
    i, j = model.edges_.T
    short = j - i == 1
    np.testing.assert_allclose(
        model.springs_[short & (model.springs_ > 0)],
        (1 / np.diff(x[:, 0]) ** 2)[i[short & (model.springs_ > 0)]],
        rtol=1e-2,
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edges": [[0, 20]]}, r"must name rows in \[0, 20\). Got 20"),
        ({"edges": [[0, 0]]}, r"must join different rows. Got \(0, 0\)"),
        ({"edges": [[0.5, 1]]}, "must be integer pairs"),
        ({"edges": [0, 1]}, "must be integer pairs"),
    ],
)
def test_edges_are_checked(arguments, message):
    with pytest.raises(ValueError, match=f"'edges' argument of MaximumEntropyUnfolding.*{message}"):
        MaximumEntropyUnfolding().fit(gaussian_rows(20, 3), **arguments)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"signs": "positive"}, "'signs' parameter of MaximumEntropyUnfolding"),
        ({"gamma": 0}, "'gamma' parameter of MaximumEntropyUnfolding"),
        ({"penalty": -1}, "'penalty' parameter of MaximumEntropyUnfolding"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=message):
        MaximumEntropyUnfolding(**parameters).fit(gaussian_rows(20, 3))


def nowhere(a, b):
    return 0.0


def test_rows_that_differ_but_not_by_the_metric():
    with pytest.raises(ValueError, match="must tell rows of X apart.*nowhere.*distance zero"):
        MaximumEntropyUnfolding(1, metric=nowhere).fit(gaussian_rows(20, 3))


@pytest.mark.parametrize("unit", [1e-8, 1e8, 1e12])
def test_the_map_is_in_the_units_of_the_data(unit):
    Y = np.random.default_rng(0).standard_normal((30, 4))
    plain = MaximumEntropyUnfolding(2).fit(Y)
    scaled = MaximumEntropyUnfolding(2).fit(unit * Y)
    np.testing.assert_allclose(scaled.embedding_ / unit, plain.embedding_, atol=1e-6)
    np.testing.assert_allclose(scaled.springs_ * unit**2, plain.springs_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_units_in_which_squares_are_lost_are_refused(unit):
    Y = np.random.default_rng(0).standard_normal((12, 3))
    with pytest.raises(ValueError, match="MaximumEntropyUnfolding cannot use X: its entries"):
        MaximumEntropyUnfolding(2).fit(unit * Y)


SPRINGS = "maximum likelihood of the springs"
#: Parameters, in which step to stop, and in which of the fits that a model takes.
LEFT = [({}, 30, 1), ({"signs": "free"}, 3, 1), ({"penalty": 0.05}, 20, 2)]


class TestInterrupted:
    def interrupted(self, Y, parameters, step, times):
        model = MaximumEntropyUnfolding(2, n_neighbors=6, tol=1e-8, **parameters)
        with (
            listening(stop_at(SPRINGS, step, times)),
            pytest.warns(InterruptedFitWarning, match=f"after {step} steps.*tol=1e-08"),
        ):
            return model.fit(Y)

    @pytest.mark.parametrize(("parameters", "step", "times"), LEFT)
    def test_a_fit_is_gone_on_with(self, parameters, step, times, tmp_path):
        Y = gaussian_rows(80, 30)
        whole = MaximumEntropyUnfolding(2, n_neighbors=6, tol=1e-8, **parameters).fit(Y)
        left = self.interrupted(Y, parameters, step, times)
        assert left.n_iter_ == step
        assert left.kkt_residual_ > 1e-6
        assert left.objective_ < whole.objective_
        assert whole.objective_ <= left.objective_ + left.gap_
        assert left.objective_ == pytest.approx(left.history_[-1], rel=1e-12)
        loaded = sidelight.load(sidelight.save(left, tmp_path / "left.sidelight"))
        before = left.objective_
        for model in (left, loaded):
            model.set_params(warm_start=True).fit(Y)
            assert model.history_[0] == pytest.approx(before, rel=1e-12)
            assert model.n_iter_ < whole.n_iter_
            assert model.kkt_residual_ <= 1e-8
            np.testing.assert_allclose(model.springs_, whole.springs_, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(left.embedding_, loaded.embedding_)

    @pytest.mark.parametrize(("parameters", "step", "times"), LEFT)
    def test_without_warm_start_it_starts_afresh(self, parameters, step, times):
        Y = gaussian_rows(80, 30)
        whole = MaximumEntropyUnfolding(2, n_neighbors=6, tol=1e-8, **parameters).fit(Y)
        left = self.interrupted(Y, parameters, step, times)
        np.testing.assert_array_equal(left.fit(Y).embedding_, whole.embedding_)

    def test_other_data_start_afresh_and_say_so(self):
        left = self.interrupted(gaussian_rows(80, 30), *LEFT[0]).set_params(warm_start=True)
        with pytest.warns(UserWarning, match="MaximumEntropyUnfolding cannot go on.*afresh"):
            left.fit(gaussian_rows(80, 30, seed=1))

    def test_springs_of_another_sign_or_ground_are_a_start_as_well(self):
        Y = gaussian_rows(80, 30)
        free = self.interrupted(Y, *LEFT[1]).set_params(warm_start=True, signs="nonnegative")
        whole = MaximumEntropyUnfolding(2, n_neighbors=6, tol=1e-8).fit(Y)
        np.testing.assert_allclose(free.fit(Y).springs_, whole.springs_, rtol=1e-4, atol=1e-5)
        free = self.interrupted(Y, *LEFT[1]).set_params(warm_start=True, gamma=1e-12)
        whole = MaximumEntropyUnfolding(2, n_neighbors=6, tol=1e-8, signs="free", gamma=1e-12)
        np.testing.assert_allclose(
            free.fit(Y).springs_, whole.fit(Y).springs_, rtol=1e-4, atol=1e-5
        )

    def test_without_prices_there_is_nothing_to_keep(self):
        model = MaximumEntropyUnfolding(2, n_neighbors=6, penalty=0.05)
        with listening(stop_at(SPRINGS, 5)), pytest.raises(KeyboardInterrupt):
            model.fit(gaussian_rows(80, 30))


@pytest.mark.parametrize("signs", ["free", "nonnegative"])
def test_a_gamma_whose_inverse_has_no_square_is_refused_by_name(signs):
    """The map was 10^150 wide, after a warning about overflow."""
    X = np.random.default_rng(0).standard_normal((14, 6))
    with pytest.raises(ValueError, match="'gamma' parameter of MaximumEntropyUnfolding must be at"):
        MaximumEntropyUnfolding(gamma=1e-300, signs=signs).fit(X)
    faint, fainter = (
        MaximumEntropyUnfolding(gamma=gamma, signs=signs).fit(X).embedding_
        for gamma in (1e-12, 1e-90)
    )
    np.testing.assert_allclose(fainter, faint, atol=1e-5)


@pytest.mark.filterwarnings("ignore::sidelight.core.errors.DisconnectedGraphWarning")
class TestPiecesAndWarmStart:
    """Each piece took the thread of the one before, and the first fit warned of other data."""

    TWO = np.vstack([gaussian_rows(20, 5), gaussian_rows(16, 5, seed=1) + 100.0])

    def test_separate_pieces_are_refused_by_name(self):
        model = MaximumEntropyUnfolding(2, n_neighbors=5, warm_start=True)
        model.set_params(on_disconnected="separate")
        with pytest.raises(
            ValueError, match="'warm_start' parameter of MaximumEntropyUnfolding.*2"
        ):
            model.fit(self.TWO)
        model.fit(self.TWO[:20])  # in one piece

    def test_separate_pieces_leave_nothing_to_go_on_with(self):
        model = MaximumEntropyUnfolding(2, n_neighbors=5, max_iter=2, on_disconnected="separate")
        with pytest.warns(ConvergenceWarning):
            model.fit(self.TWO)
        assert not hasattr(model, "_unfinished")

    def test_of_the_largest_piece_a_fit_is_gone_on_with(self, recwarn):
        model = MaximumEntropyUnfolding(2, n_neighbors=5, max_iter=2, on_disconnected="largest")
        before = model.fit(self.TWO).objective_
        model.set_params(warm_start=True, max_iter=1000).fit(self.TWO)
        assert model.history_[0] == pytest.approx(before, rel=1e-9)
        assert not [said for said in recwarn if "cannot go on" in str(said.message)]
