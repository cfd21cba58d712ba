"""Kernel information embedding: its objective, its path, its mappings, and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight import KernelInformationEmbedding
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import noisy_s, s_curve
from sidelight.latent.density.kernels import kernel_for
from sidelight.latent.descending import NOTHING_ADJACENT
from sidelight.latent.information.ends.held_out import ended_by_held_out
from sidelight.latent.information.mutual_information_near import pairs_of
from sidelight.latent.information.path import find_onset
from tests.interruption import stop_at

TRAIN, TEST = noisy_s(100, random_state=0), noisy_s(300, random_state=1)


def naive_objective(Y, Z, h, alpha):
    """(3.14) with its constant, less the penalty, by full tables."""
    K, k = np.exp(-cdist(Y, Y, "sqeuclidean") / h), np.exp(-cdist(Z, Z, "sqeuclidean"))
    P, Q, R = (K * k).sum(axis=1), k.sum(axis=1), K.sum(axis=1)
    information = np.log(len(Y)) + np.mean(np.log(P / (Q * R)))
    return information - alpha * np.mean((Z**2).sum(axis=1)), information


@pytest.fixture(scope="module")
def fitted():
    return KernelInformationEmbedding(1, bandwidth=0.2, alpha=0.005).fit(TRAIN.X)


def test_objective_is_the_naive_one_and_no_small_move_raises_it(fitted):
    Z = fitted.embedding_
    objective, information = naive_objective(TRAIN.X, Z, 0.2, 0.005)
    assert fitted.objective_ == pytest.approx(objective, abs=1e-6)
    assert fitted.mutual_information_ == pytest.approx(information, abs=1e-6)
    assert fitted.history_[-1] <= information
    rng = np.random.default_rng(0)
    for _ in range(20):
        step = 0.05 * rng.standard_normal(Z.shape)
        assert naive_objective(TRAIN.X, Z + step, 0.2, 0.005)[0] < objective
    # stationary: the derivative along any direction vanishes
    step = 1e-4 * rng.standard_normal(Z.shape)
    ahead, behind = (naive_objective(TRAIN.X, Z + s * step, 0.2, 0.005)[0] for s in (1, -1))
    assert abs(ahead - behind) / 2e-4 < 1e-4


def test_points_leave_the_origin_at_the_eigenvalue_of_the_second_derivative():
    Y, h, n = TRAIN.X, 2.0, 100
    W = np.exp(-cdist(Y, Y, "sqeuclidean") / h)
    W /= W.sum(axis=1, keepdims=True)
    M = np.eye(n) - np.diag(W.sum(axis=0)) + W + W.T - 2 / n
    values = np.linalg.eigvalsh(M)[::-1]
    pairs = pairs_of(Y, kernel_for("gaussian", Y), n_threads=1, who="test")
    onset = find_onset(pairs, pairs.kernel(h), n, 2, leave_one_out=False, who="test")
    np.testing.assert_allclose(onset.penalties, values[:2], rtol=1e-4)
    # just above it the map is a point, just below it is not
    options = {"bandwidth": h, "continuation": "none", "init": "spectral", "tol": 1e-13}
    above = KernelInformationEmbedding(1, alpha=1.05 * values[0], **options)
    with pytest.warns(UserWarning, match=r"coincide at alpha=.* Lower alpha"):
        above.fit(Y)
    below = KernelInformationEmbedding(1, alpha=0.95 * values[0], **options).fit(Y)
    assert above.embedding_.std() < 1e-3 < 0.01 < below.embedding_.std()


def test_continuation_finds_the_curve_where_a_fixed_bandwidth_does_not(fitted):
    def error(model):
        back = model.denoise(TEST.X)
        return np.mean(np.sum((back - TEST.extras["clean"]) ** 2, axis=1))

    assert error(fitted) < 0.09
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixed = KernelInformationEmbedding(
            1, bandwidth=0.2, alpha=0.005, continuation="none", init="random"
        ).fit(TRAIN.X)
    assert error(fixed) > 2 * error(fitted)
    assert naive_objective(TRAIN.X, fixed.embedding_, 0.2, 0.005)[0] < fitted.objective_


@pytest.mark.parametrize(("share", "n_held"), [(0.3, 15), (0.001, 1), (0.99, 47)])
def test_so_many_rows_are_held_out_as_are_asked_for(share, n_held):
    """At least one, and so that more rows are left than a map has dimensions."""
    asked = []

    def follow(items, columns, held, *, beside):
        asked.append((len(items), len(held), len(np.unique(np.vstack([items, held]), axis=0))))
        raise StopIteration

    model = KernelInformationEmbedding(2, validation_fraction=share, random_state=0)
    model.n_components_ = 2
    items = np.arange(50.0)[:, None]
    with pytest.raises(StopIteration):
        ended_by_held_out(follow, items, np.arange(1), NOTHING_ADJACENT, model)
    assert asked == [(50 - n_held, n_held, 50)]


def test_held_out_rows_choose_the_step():
    model = KernelInformationEmbedding(1, bandwidth="leave_one_out", alpha=1e-5, n_steps=30)
    model.fit(TRAIN.X, validation=TEST.X)
    errors = model.path_["error"]
    best = int(errors.argmin())
    assert 5 < best < len(errors) - 1
    assert model.n_steps_ == best + 1
    assert model.bandwidth_ == model.path_["bandwidth"][best]
    assert model.alpha_ == model.path_["alpha"][best]
    naive = np.mean(np.sum((model.denoise(TEST.X) - TEST.X) ** 2, axis=1))
    assert errors[best] == pytest.approx(naive)
    inside = KernelInformationEmbedding(
        1, bandwidth="leave_one_out", alpha=1e-5, n_steps=30, validation_fraction=0.3
    ).fit(TRAIN.X)
    assert len(inside.embedding_) == 100
    assert inside.alpha_ > 1e-4


def test_held_out_rows_choose_the_best_of_three_paths():
    """Of few points the path from a wide kernel folds, and one from another width mostly does not.

    Of 20 other draws 17 keep the order.
    """
    options = {"bandwidth": "leave_one_out", "alpha": 1e-5, "n_steps": 40, "tol": 1e-7}
    in_order = []
    for seed in (2000, 2002, 2004, 2006):
        train, valid = (noisy_s(50, random_state=seed + i) for i in range(2))
        model = KernelInformationEmbedding(1, **options).fit(train.X, validation=valid.X)
        rank = np.argsort(np.argsort(model.embedding_[:, 0]))
        in_order.append(abs(np.corrcoef(rank, train.truth[:, 0])[0, 1]) > 0.97)
    assert np.mean(in_order) >= 0.5
    single = KernelInformationEmbedding(1, continuation="penalty", **options)
    single.fit(train.X, validation=valid.X)
    assert model.path_["error"].min() <= single.path_["error"].min() + 1e-12
    # the path of a share of the rows is followed by all of them, from where it began
    inside = KernelInformationEmbedding(1, validation_fraction=0.3, **options).fit(train.X)
    assert inside.path_["bandwidth"][-1] == inside.bandwidth_
    assert len(inside.path_["error"]) == inside.n_steps_


def test_an_interrupted_fit_goes_on_along_the_same_path():
    seen = []

    def stop(progress):
        if progress.stage.endswith("steps of the path"):
            seen.append(progress.done)
            if len(seen) == 4:
                raise KeyboardInterrupt

    options = {"bandwidth": 0.3, "alpha": 0.01, "n_steps": 6, "warm_start": True}
    model = KernelInformationEmbedding(1, **options)
    with listening(stop), pytest.warns(InterruptedFitWarning, match="step 4 of 6"):
        model.fit(TRAIN.X, validation=TEST.X)
    begun = model.path_["bandwidth"][0]
    model.fit(TRAIN.X, validation=TEST.X)
    assert model.path_["bandwidth"][0] < begun
    assert model.path_["bandwidth"][-1] == 0.3


STEPS = "the unfolding of latent points: steps of the path"


def test_ways_after_the_one_that_was_left_are_followed_too():
    ended = []

    def count(progress):
        if progress.stage == STEPS and progress.done == 6:
            ended.append(progress)

    model = KernelInformationEmbedding(1, n_steps=6, warm_start=True)
    with listening(stop_at(STEPS, 2)), pytest.warns(InterruptedFitWarning):
        model.fit(TRAIN.X, validation=TEST.X)
    with listening(count):
        model.fit(TRAIN.X, validation=TEST.X)
    assert len(ended) >= 2
    whole = KernelInformationEmbedding(1, n_steps=6).fit(TRAIN.X, validation=TEST.X)
    assert min(model.path_["error"]) <= 1.1 * min(whole.path_["error"])


def test_a_fit_that_was_left_among_judged_ways_is_not_gone_on_without_the_judge():
    model = KernelInformationEmbedding(1, n_steps=6, warm_start=True)
    with listening(stop_at(STEPS, 3)), pytest.warns(InterruptedFitWarning):
        model.fit(TRAIN.X, validation=TEST.X)
    with pytest.warns(UserWarning, match="starts afresh"):
        model.fit(TRAIN.X)
    fresh = KernelInformationEmbedding(1, n_steps=6).fit(TRAIN.X)
    np.testing.assert_array_equal(model.embedding_, fresh.embedding_)


def test_new_rows_are_mixtures_and_known_rows_are_recognised(fitted):
    new = TEST.X[:7]
    w = np.exp(-cdist(new, TRAIN.X, "sqeuclidean") / fitted.bandwidth_)
    expected = w @ fitted.embedding_ / w.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.transform(new), expected, rtol=1e-9)
    np.testing.assert_allclose(fitted.posterior(new)[0], expected, rtol=1e-9)
    both = fitted.transform(np.vstack([new, TRAIN.X[:3]]))
    np.testing.assert_array_equal(both[7:], fitted.embedding_[:3])
    assert np.abs(fitted.posterior(TRAIN.X)[0] - fitted.embedding_).max() > 1e-3
    mean, std = fitted.inverse_transform(expected, return_std=True)
    v = np.exp(-cdist(expected, fitted.embedding_, "sqeuclidean"))
    v /= v.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mean, v @ TRAIN.X, rtol=1e-9)
    np.testing.assert_allclose(std**2, v @ TRAIN.X**2 - mean**2 + fitted.bandwidth_ / 2, rtol=1e-6)


def test_threads_do_not_show():
    X = s_curve(450, random_state=0).X
    maps = [
        KernelInformationEmbedding(n_steps=4, max_iter=20, tol=1e-5, n_jobs=n).fit_transform(X)
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*maps)


def test_l4_aligns_the_sheet_with_the_axes():
    sheet = s_curve(400, width=5.0, random_state=0)
    model = KernelInformationEmbedding(penalty="l4", bandwidth=3.0, alpha=0.01, tol=1e-7)
    Z = model.fit_transform(sheet.X)
    squared = np.corrcoef(Z.T, sheet.truth.T)[:2, 2:] ** 2
    assert max(min(squared[0, 0], squared[1, 1]), min(squared[0, 1], squared[1, 0])) > 0.97


def test_a_penalty_of_ones_own_is_the_named_one():
    named = KernelInformationEmbedding(1, bandwidth=1.0).fit(TRAIN.X)
    own = KernelInformationEmbedding(
        1, bandwidth=1.0, penalty=lambda Z: (float((Z**2).sum()), 2 * Z)
    ).fit(TRAIN.X)
    assert own.objective_ == pytest.approx(named.objective_, abs=1e-6)


def test_leave_one_out_keeps_the_order_even_without_a_penalty():
    """It bounds what can be gained by flying apart, not the scale: that takes a little alpha."""
    options = {"bandwidth": 0.3, "leave_one_out": True, "tol": 1e-7}
    for alpha in (0.0, 1e-3):
        Z = KernelInformationEmbedding(1, alpha=alpha, **options).fit_transform(TRAIN.X)
        assert abs(np.corrcoef(Z[:, 0], TRAIN.truth[:, 0])[0, 1]) > 0.97
    assert np.abs(Z).max() < 50


def test_many_rows_with_finite_support_unfold_the_sheet_and_follow_the_path_of_some(monkeypatch):
    import sidelight.latent.information.kernel_information_embedding as module

    monkeypatch.setattr(module, "_PATH_ROWS", 120)
    sheet = s_curve(400, width=5.0, random_state=0)
    model = KernelInformationEmbedding(
        kernel="quartic", penalty="l4", bandwidth=1.0, alpha=0.01, tol=1e-7
    ).fit(sheet.X)
    squared = np.corrcoef(model.embedding_.T, sheet.truth.T)[:2, 2:] ** 2
    assert squared.max(axis=1).min() > 0.85
    assert model.bandwidth_ == 1.0


def test_discrete_data_are_mapped_by_what_they_share():
    rng = np.random.default_rng(0)
    position = np.sort(rng.random(120))
    codes = (position[:, None] > np.linspace(0.05, 0.95, 19)).astype(float)
    flips = rng.random(codes.shape) < 0.05
    noisy = np.abs(codes - flips)
    model = KernelInformationEmbedding(1, kernel="discrete").fit(noisy)
    rank = np.argsort(np.argsort(model.embedding_[:, 0]))
    assert abs(np.corrcoef(rank, np.arange(120))[0, 1]) > 0.95
    cleaned = model.denoise(noisy)
    assert set(np.unique(cleaned)) <= {0.0, 1.0}
    assert np.mean(cleaned != codes) < 0.8 * flips.mean()


def test_an_interrupted_fit_keeps_a_map_and_goes_on():
    def stop(progress):
        if progress.stage.endswith("steps of the path") and progress.done == 5:
            raise KeyboardInterrupt

    options = {"bandwidth": 0.3, "alpha": 0.01, "n_steps": 12, "warm_start": True}
    model = KernelInformationEmbedding(1, **options)
    with listening(stop), pytest.warns(InterruptedFitWarning, match="step 5 of 12"):
        model.fit(TRAIN.X)
    assert model.n_steps_ == 5
    assert model.bandwidth_ > 0.3
    model.fit(TRAIN.X)
    assert (model.n_steps_, model.bandwidth_) == (12, 0.3)
    whole = KernelInformationEmbedding(1, **options).fit(TRAIN.X)
    np.testing.assert_allclose(model.embedding_, whole.embedding_, atol=1e-2)


def test_starts_of_ones_own():
    from sidelight import PCA

    spectral = KernelInformationEmbedding(2, bandwidth=2.0).fit(TRAIN.X)
    for init in (PCA(2), PCA(2).fit_transform(TRAIN.X), "pca", "random"):
        model = KernelInformationEmbedding(2, bandwidth=2.0, init=init).fit(TRAIN.X)
        assert model.objective_ == pytest.approx(spectral.objective_, abs=0.02)
    with pytest.raises(ValueError, match=r"'init' .* \(100, 2\). Got the shape \(100, 1\)"):
        KernelInformationEmbedding(2, init=np.ones((100, 1))).fit(TRAIN.X)


def test_the_default_penalty_is_the_documented_one():
    X = np.random.default_rng(3).standard_normal((40, 3))
    assert '"auto"`` is 0.001' in KernelInformationEmbedding.__doc__
    assert KernelInformationEmbedding(2, max_iter=1, tol=1e-3).fit(X).alpha_ == 0.001


def test_an_interrupted_trial_with_rows_held_out_ends_the_fit():
    reports = []

    def stop(progress):
        reports.append(progress)
        if len(reports) == 3:
            raise KeyboardInterrupt

    model = KernelInformationEmbedding(1, bandwidth=2.0, n_steps=4, validation_fraction=0.2)
    with listening(stop), pytest.raises(KeyboardInterrupt):
        model.fit(TRAIN.X)
    assert len(reports) == 3  # nothing went on


def test_a_generator_may_draw_the_start_and_the_rows_held_out():
    options = {"bandwidth": 2.0, "n_steps": 4, "init": "random", "validation_fraction": 0.2}
    first, again, other = (
        KernelInformationEmbedding(1, random_state=np.random.default_rng(seed), **options)
        .fit(TRAIN.X)
        .embedding_
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    with pytest.raises(ValueError, match="'random_state' parameter of KernelInformationEmbedding"):
        KernelInformationEmbedding(1, random_state="x").fit(TRAIN.X)


def test_rows_all_the_same():
    with pytest.raises(ValueError, match="two distinct rows. All 9 are the same"):
        KernelInformationEmbedding(1).fit(np.ones((9, 3)))


def test_flat_dimensions_are_reported():
    X = np.column_stack([np.linspace(0, 1, 40), np.zeros(40), np.zeros(40)])
    with pytest.warns(UserWarning, match="1 of the 2 dimensions .* lie flat"):
        KernelInformationEmbedding(2, bandwidth=0.02, alpha=1.8, continuation="none").fit(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [("bandwidth", 0.0), ("bandwidth", "wide"), ("alpha", -1.0), ("kernel", "box"), ("init", "x")],
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of KernelInformationEmbedding"):
        KernelInformationEmbedding(**{name: value}).fit(TRAIN.X)
