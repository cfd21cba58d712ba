"""The GP-LVM: dual PPCA, predictions, new rows, missing entries, inducing points, bad input."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from sidelight import GPLVM, PCA, Isomap, ProbabilisticPCA
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import load
from sidelight.gaussian_process.covariance import COVARIANCES
from sidelight.gaussian_process.observed import ObservedTable
from sidelight.gaussian_process.prediction import Prediction
from sidelight.latent.gplvm.start import places_to_begin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def sheet(n=60, noise=0.03, seed=0):
    rng = np.random.default_rng(seed)
    u, v = rng.uniform(-1, 1, (2, n))
    Y = np.column_stack([np.sin(2 * u), u * v, np.cos(2 * v), v, u**2 - v])
    return 4 + 2 * (Y + noise * rng.standard_normal(Y.shape))


X = sheet()
NEW = sheet(12, seed=1)


@pytest.fixture(scope="module")
def model():
    return GPLVM(2, max_iter=200).fit(X)


def kernel_of(model, A, B):
    squares = ((A[:, None] - B[None]) ** 2).sum(axis=2)
    K = model.signal_variance_ * np.exp(-squares / (2 * model.length_scale_**2))
    return K + model.bias_variance_


def covariance_of(model):
    Z = model.embedding_
    return kernel_of(model, Z, Z) + model.noise_variance_ * np.eye(len(Z))


def log_densities(C, Y):
    _, log_det = np.linalg.slogdet(C)
    quadratic = np.einsum("ij,ij->j", Y, np.linalg.solve(C, Y))
    return -0.5 * (len(C) * np.log(2 * np.pi) + log_det + quadratic)


def test_the_linear_kernel_reaches_dual_ppca():
    closed = ProbabilisticPCA(2, form="dual").fit(X)
    model = GPLVM(2, kernel="linear", tol=1e-12, max_iter=2000).fit(X)
    assert model.log_likelihood_ == pytest.approx(closed.log_likelihood_, rel=1e-8)
    assert model.noise_variance_ == pytest.approx(closed.noise_variance_, rel=1e-3)
    # in the model's unit the data have variance one
    Z = model.embedding_ * np.sqrt(np.mean((X - X.mean(axis=0)) ** 2))
    np.testing.assert_allclose(Z @ Z.T, closed.embedding_ @ closed.embedding_.T, atol=2e-3)
    # so do new rows
    back = model.inverse_transform(model.transform(NEW))
    expected = closed.inverse_transform(closed.transform(NEW))
    np.testing.assert_allclose(back, expected, atol=0.05)


def test_the_likelihood_is_in_the_datas_unit(model):
    expected = log_densities(covariance_of(model), X - X.mean(axis=0)).sum()
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-9)
    assert GPLVM(2, max_iter=200).fit(10 * X + 3).log_likelihood_ == pytest.approx(
        expected - X.size * np.log(10), rel=1e-4
    )


def test_it_is_likelier_than_where_it_began(model):
    assert (np.diff(model.history_) >= 0).all()
    assert model.objective_ == pytest.approx(model.history_[-1], rel=1e-5)
    linear = ProbabilisticPCA(2, form="dual").fit(X)
    assert model.log_likelihood_ > linear.log_likelihood_ + 50


def test_predictions_are_the_dense_formula(model):
    Z = np.array([[0.0, 0.0], [0.5, -1.0], [9.0, 9.0]])
    mean, std = model.inverse_transform(Z, return_std=True)
    C, k = covariance_of(model), kernel_of(model, Z, model.embedding_)
    centre = X.mean(axis=0)
    np.testing.assert_allclose(mean, centre + k @ np.linalg.solve(C, X - centre), atol=1e-6)
    prior = model.signal_variance_ + model.bias_variance_ + model.noise_variance_
    variance = prior - np.einsum("ij,ji->i", k, np.linalg.solve(C, k.T))
    np.testing.assert_allclose(std, np.sqrt(variance)[:, None].repeat(5, axis=1), rtol=1e-6)
    np.testing.assert_array_equal(model.inverse_transform(Z), mean)
    np.testing.assert_allclose(model.precision(Z), 1 / variance, rtol=1e-6)


def test_how_sure_the_model_is_of_columns_that_are_seen_more_and_less():
    """One over the mean of their variances: a column with many holes counts as the others."""
    holed = X.copy()
    holed[np.random.default_rng(2).random(len(X)) < 0.7, 0] = np.nan
    model = GPLVM(2, max_iter=60).fit(holed)
    Z = np.vstack([model.embedding_[:5], [[2.5, 2.5]]])
    std = model.inverse_transform(Z, return_std=True)[1]
    assert (std[:, 0] > 1.02 * std[:, 1]).any()
    np.testing.assert_allclose(model.precision(Z), 1 / np.mean(std**2, axis=1), rtol=1e-9)


def test_new_rows_begin_where_training_rows_are_alike_in_what_is_seen_of_them():
    training = np.array([[0.0, 9.0, 0.0], [1.0, 0.1, 0.2], [2.0, -9.0, 0.1], [3.0, 0.0, 7.0]])
    latent = np.arange(4.0)[:, None]
    rows = SimpleNamespace(
        observed=np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        Y=np.array([[0.1, 0.0, 0.0], [1.9, 0.0, 0.0], [0.0, -8.0, 0.0]]),
        prediction=SimpleNamespace(mean=lambda Z: np.zeros((len(Z), 3))),
    )
    starts = places_to_begin(rows, latent, training)[:, :, 0]
    assert starts[:, 0].tolist() == [0.0, 2.0, 2.0]
    assert starts[0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_row_of_which_little_is_seen_is_where_the_prior_on_places_has_it():
    """−log p(y | z) + ‖z‖²/2(vℓ)² of one entry, against a grid; alone it leaves a curve open."""
    model = GPLVM(2, prior=0.5, max_iter=200).fit(X)
    width = 0.5 * model.length_scale_

    def surprise(Z, column, value):
        mean, std = (each[:, column] for each in model.inverse_transform(Z, return_std=True))
        seen = (value - mean) ** 2 / (2 * std**2) + np.log(std)
        return seen + np.sum(Z**2, axis=1) / (2 * width**2)

    axis = np.linspace(-4, 4, 81) * width
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    above = []
    for column in range(5):
        for value in NEW[:3, column]:
            row = np.full((1, 5), np.nan)
            row[0, column] = value
            place = model.transform(row)
            least = surprise(grid, column, value).min()
            above.append(surprise(place, column, value)[0] - least)
    assert np.mean(np.array(above) < 1e-3) >= 0.8, np.round(above, 3)  # else another valley


def test_with_every_point_inducing_predictions_are_exact(model):
    Z = np.array([[0.0, 0.0], [0.5, -1.0]])
    centre, points = X.mean(axis=0), model.embedding_
    logs = np.log([model.signal_variance_, model.length_scale_, model.bias_variance_])
    table = ObservedTable.of(X - centre)
    sparse = Prediction.fit(
        COVARIANCES["rbf"], logs, model.noise_variance_, points, points, table, who="test"
    )
    mean, variance = sparse.moments(Z)
    exact = model.inverse_transform(Z, return_std=True)
    np.testing.assert_allclose(centre + mean, exact[0], rtol=1e-4)
    np.testing.assert_allclose(np.sqrt(variance), exact[1], rtol=1e-4)


def test_a_new_row_is_placed_where_it_is_likeliest(model):
    places, std = model.transform(NEW, return_std=True)
    reach = model.prior * model.length_scale_

    def posterior(Z):
        mean, spread = model.inverse_transform(Z, return_std=True)
        terms = np.log(2 * np.pi * spread**2) + ((NEW - mean) / spread) ** 2
        return -0.5 * terms.sum(axis=1) - 0.5 * np.sum(Z**2, axis=1) / reach**2

    best = posterior(places)
    grid = np.linspace(-3, 3, 41)
    for a in grid:
        for b in grid:
            assert (posterior(np.tile([a, b], (len(NEW), 1))) <= best + 1e-6).all()
    # the standard deviation is that of the curvature of the posterior
    h = 1e-3 * std.min()
    for row in range(3):
        H = np.empty((2, 2))
        for i, j in np.ndindex(2, 2):
            e, f = np.eye(2)[i] * h, np.eye(2)[j] * h
            corners = [posterior(places + s * e + t * f)[row] for s in (1, -1) for t in (1, -1)]
            H[i, j] = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * h * h)
        expected = np.sqrt(np.diagonal(np.linalg.inv(-H)))
        np.testing.assert_allclose(std[row], expected, rtol=0.05)


def test_what_is_not_seen_of_a_new_row_is_told_by_the_rest(model):
    blind = NEW.copy()
    blind[:, 1] = np.nan
    told = model.impute(blind)
    np.testing.assert_array_equal(told[:, [0, 2, 3, 4]], NEW[:, [0, 2, 3, 4]])
    assert np.mean((told[:, 1] - NEW[:, 1]) ** 2) < 0.1 * NEW[:, 1].var()
    std_all, std_blind = (model.transform(R, return_std=True)[1] for R in (NEW, blind))
    assert (std_blind.mean(axis=0) > std_all.mean(axis=0)).all()
    np.testing.assert_array_equal(model.transform(np.full((1, 5), np.nan)), [[0.0, 0.0]])


def test_the_density_integrates_to_one(model):
    # noise is small, so every posterior is a narrow peak: sum over a fine grid about the map
    side = np.linspace(-3.5, 3.5, 451)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    total = model.density(grid).sum() * (side[1] - side[0]) ** 2
    assert total == pytest.approx(1.0, abs=0.02)


def test_missing_entries_leave_the_likelihood_of_the_others():
    rng = np.random.default_rng(3)
    holes = np.where(rng.random(X.shape) < 0.25, np.nan, X)
    model = GPLVM(2, max_iter=100).fit(holes)
    C, centre = covariance_of(model), np.nanmean(holes, axis=0)
    expected = 0.0
    for j, y in enumerate(holes.T):
        seen = ~np.isnan(y)
        expected += log_densities(C[np.ix_(seen, seen)], (y[seen] - centre[j])[:, None])[0]
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-9)
    hidden = np.isnan(holes)
    error = np.mean((model.impute(holes) - X)[hidden] ** 2)
    linear = np.mean((ProbabilisticPCA(2).fit(holes).impute(holes) - X)[hidden] ** 2)
    assert error < 0.6 * linear
    np.testing.assert_allclose(model.transform(holes), model.embedding_)
    sparse = GPLVM(2, n_inducing=20, max_iter=100).fit(holes)
    assert np.mean((sparse.impute(holes) - X)[hidden] ** 2) < linear


def test_inducing_points_bound_the_likelihood():
    free = GPLVM(2, n_inducing=25, max_iter=200).fit(X)
    assert free.inducing_.shape == (25, 2)
    exact = log_densities(covariance_of(free), X - X.mean(axis=0)).sum()
    assert exact - 30 < free.log_likelihood_ < exact + 1e-6
    assert GPLVM(2, max_iter=1).fit(sheet(1001)).inducing_.shape == (100, 2)  # "auto"


def test_a_back_constraint_is_a_smooth_function_of_the_rows():
    model = GPLVM(2, back_constraint="linear", max_iter=100).fit(X)
    middle = model.transform((NEW[:6] + NEW[6:]) / 2)
    ends = model.transform(NEW)
    np.testing.assert_allclose(middle, (ends[:6] + ends[6:]) / 2, atol=1e-9)
    np.testing.assert_allclose(model.transform(X + 1e-13), model.embedding_, atol=1e-9)
    bumps = GPLVM(2, back_constraint="rbf", max_iter=100).fit(X)
    np.testing.assert_allclose(bumps.transform(X + 1e-9), bumps.embedding_, atol=1e-5)
    assert bumps.log_likelihood_ > model.log_likelihood_
    blind = NEW[:2].copy()
    blind[:, 0] = np.nan
    assert np.linalg.norm(bumps.transform(blind) - bumps.transform(NEW[:2])) < 1.0
    with pytest.raises(ValueError, match="'back_constraint'.*complete rows. Got 1 missing"):
        GPLVM(2, back_constraint="rbf").fit(np.where(X[3, 2] == X, np.nan, X))


def test_any_map_is_a_start():
    start = Isomap(2, n_neighbors=8)
    by_method = GPLVM(2, init=start, max_iter=20).fit(X)
    by_array = GPLVM(2, init=start.fit_transform(X), max_iter=20).fit(X)
    np.testing.assert_allclose(by_method.embedding_, by_array.embedding_, atol=1e-6)
    assert not np.allclose(by_method.history_[0], GPLVM(2, max_iter=20).fit(X).history_[0])
    with pytest.raises(ValueError, match=r"'init'.*\(60, 2\). Got the shape \(60, 3\)"):
        GPLVM(2, init=PCA(3)).fit(X)
    with pytest.raises(ValueError, match=r"'init'.*\(60, 2\). Got the shape \(59, 2\)"):
        GPLVM(2, init=np.ones((59, 2))).fit(X)


def test_an_interrupted_fit_is_a_fit():
    def stop(progress):
        if progress.stage == "moving latent points" and progress.done == 5:
            raise KeyboardInterrupt

    with listening(stop), pytest.warns(InterruptedFitWarning, match="GPLVM was interrupted"):
        model = GPLVM(2).fit(X)
    assert model.n_iter_ == 5
    assert np.isfinite(model.transform(NEW)).all()
    with pytest.warns(ConvergenceWarning, match="GPLVM stopped moving latent points"):
        GPLVM(2, max_iter=5).fit(X)


def test_copies_of_a_row_share_a_place():
    model = GPLVM(2, max_iter=100).fit(np.vstack([X, X[:10]]))
    np.testing.assert_array_equal(model.embedding_[60:], model.embedding_[:10])


def test_rows_without_entries_are_placed_by_the_prior():
    holes = np.vstack([X, np.full(5, np.nan)])
    with pytest.warns(UserWarning, match="No entry is observed in 1 row of X"):
        model = GPLVM(2, max_iter=300).fit(holes)
    assert np.linalg.norm(model.embedding_[-1]) < 0.05


def test_one_column():
    y = np.sin(np.linspace(0, 3, 30))[:, None]
    model = GPLVM(1, max_iter=100).fit(y)
    np.testing.assert_allclose(model.inverse_transform(model.embedding_), y, atol=0.05)
    with pytest.raises(ValueError, match="n_components.*n_features=1"):
        GPLVM(2).fit(y)


def test_columns_that_do_not_vary_come_back_as_they_are():
    padded = np.column_stack([X, np.full(60, 7.0)])
    model = GPLVM(2, max_iter=20).fit(padded)
    mean, std = model.inverse_transform([[0.0, 0.0]], return_std=True)
    assert mean[0, 5] == 7.0
    assert std[0, 5] == 0.0
    with pytest.raises(ValueError, match="GPLVM needs a column that varies. Got 9 rows"):
        GPLVM(2).fit(np.ones((9, 3)))
    with pytest.raises(ValueError, match=r"observed in the columns \[1\]"):
        GPLVM(1).fit(np.column_stack([X[:, 0], np.full(60, np.nan)]))


def test_data_without_noise_meet_the_floor_and_not_an_error():
    t = np.linspace(0, 1, 80)
    rows = np.column_stack([t, t**2, 1 - t])
    model = GPLVM(1, max_iter=300).fit(rows)
    assert np.isfinite(model.log_likelihood_)
    assert model.noise_variance_ >= 1e-6 * 0.99 * np.mean((rows - rows.mean(axis=0)) ** 2)
    assert model.jitter_ >= 0


def test_what_does_not_go_together_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="'n_inducing'.*form='dual'"):
        GPLVM(2, kernel="linear", n_inducing=10).fit(X)
    with pytest.raises(ValueError, match="'kernel' parameter of GPLVM must be 'rbf' or 'linear'"):
        GPLVM(2, kernel="cubic").fit(X)
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "50KB")
    with pytest.raises(MemoryError, match="GPLVM would need .*60 × 60.*n_inducing=100"):
        GPLVM(2).fit(X)


@pytest.mark.real_data("oil_flow")
def test_oil_is_kept_apart_with_fifty_inducing_points():
    from sidelight.quality import neighbor_label_accuracy

    data, labels = load("oil_flow")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        Z = GPLVM(2, n_inducing=50, max_iter=200).fit_transform(data)
    assert neighbor_label_accuracy(Z, labels).n_errors <= 5  # PCA: 162


def test_with_inducing_points_no_table_of_all_pairs_is_made():
    import tracemalloc

    rows = sheet(3000)
    tracemalloc.start()
    GPLVM(2, n_inducing=10, max_iter=2).fit(rows).transform(NEW)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 3


def test_a_row_reaches_its_place_though_the_kernel_is_nearly_singular():
    angle = np.linspace(0, 2.5, 40)
    model = GPLVM(1).fit(np.column_stack([np.cos(angle), np.sin(angle), angle]))
    told = model.impute([[np.nan, np.nan, a] for a in (0.41, 1.0, 2.3)])
    np.testing.assert_allclose(told[:, 0], np.cos([0.41, 1.0, 2.3]), atol=1e-3)


def test_a_start_in_one_place_is_refused():
    X = np.random.default_rng(0).standard_normal((10, 3))
    with pytest.raises(ValueError, match="The 'init' parameter of GPLVM must give places that"):
        GPLVM(2, init=np.ones((10, 2))).fit(X)


def test_a_variance_that_is_no_number_is_refused():
    X = np.random.default_rng(0).standard_normal((10, 3))
    for unit in (1e200, 1e-200):
        with pytest.raises(ValueError, match="Give X in another unit"):
            GPLVM(2).fit(unit * X)


@pytest.mark.real_data
def test_a_usual_fit_converges():
    X = load("oil_flow").X[::10]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = GPLVM().fit(X)
    gains = np.diff(model.history_[-11:])
    assert gains.sum() / 10 <= 1e-4 * max(X.size, abs(model.history_[-1])) < 0.1 * X.size


def test_a_small_tolerance_goes_to_the_maximum_itself():
    """Nearly all climbs come to one, whatever is rounded; by themselves they end apart."""
    digits, same = load_digits().data, []
    for first in range(1550, 1790, 40):
        rows = digits[first : first + 40]
        rounded = rows * (1 + 1e-13 * np.random.default_rng(first).standard_normal(rows.shape))
        Z, other = (GPLVM(tol=1e-7, max_iter=5000).fit_transform(each) for each in (rows, rounded))
        same.append(np.abs(other - Z).max() <= 1e-9 * np.abs(Z).max())
    assert sum(same) >= 4  # by themselves, one


def test_other_parameters_change_nothing_before_the_next_fit():
    model = GPLVM(2, max_iter=20)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    before = model.transform(NEW), model.density(model.embedding_)
    model.set_params(kernel="linear", prior=None, back_constraint="rbf")
    np.testing.assert_array_equal(model.transform(NEW), before[0])
    np.testing.assert_array_equal(model.density(model.embedding_), before[1])


def test_a_linear_kernel_refuses_a_prior_and_has_no_length_scale():
    with pytest.raises(ValueError, match="'prior' .* no effect with kernel='linear'"):
        GPLVM(2, kernel="linear", prior=1.0).fit(X)
    model = GPLVM(2, kernel="linear", prior=None).fit(X)
    assert model.noise_variance_ > 0
    assert model.length_scale_ is model.signal_variance_ is model.bias_variance_ is None
