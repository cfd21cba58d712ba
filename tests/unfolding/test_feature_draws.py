"""New features of the rows of a Gaussian field: draws of N(0, K) against the dense Gaussian."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sidelight import AcyclicLocallyLinearEmbedding, MaximumEntropyUnfolding, load, save
from sidelight.errors import NotEnoughMemoryError

MANY = 20_000


def bow(n, seed, p=4):
    rng = np.random.default_rng(seed)
    t = 3 * rng.random(n)
    turn = np.linalg.qr(rng.standard_normal((p, p)))[0][:2]
    return np.column_stack([np.cos(t), np.sin(t)]) @ turn + 0.05 * rng.standard_normal((n, p))


def assert_draws_of(K, drawn):
    """Whitened by the dense Gaussian, draws have zero means, unit variances and no correlation."""
    white = np.linalg.solve(np.linalg.cholesky(K), drawn)
    n, m = white.shape
    assert np.abs(white.mean(axis=1)).max() < 5 / np.sqrt(m)
    covariance = white @ white.T / m
    assert np.abs(np.diag(covariance) - 1).max() < 5 * np.sqrt(2 / m)
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 5 / np.sqrt(m)
    fourth = np.mean(white**4)
    assert fourth == pytest.approx(3, abs=5 * np.sqrt(96 / (n * m)))  # as a Gaussian's


MODELS = {
    "springs that pull": MaximumEntropyUnfolding(1, n_neighbors=6),
    "a firm ground": MaximumEntropyUnfolding(1, n_neighbors=6, gamma=3.0),
    "a chain": AcyclicLocallyLinearEmbedding(1, n_neighbors=6),
}


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


def test_features_have_the_moments_of_the_dense_gaussian(model):
    for seed in range(3):
        model.fit(bow(40, seed))
        drawn = model.sample_features(MANY, random_state=seed)
        assert drawn.shape == (40, MANY)
        assert_draws_of(model.covariance(), drawn)


def test_springs_that_push_are_drawn_likewise():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((25, 3)) @ rng.standard_normal((3, 60)) + rng.standard_normal((25, 60))
    free = MaximumEntropyUnfolding(1, n_neighbors=24, signs="free").fit(X)
    assert free.springs_.min() < 0
    assert_draws_of(free.covariance(), free.sample_features(MANY, random_state=0))


def test_a_drawn_data_set_has_neighbours_as_far_apart_as_the_data():
    """The constraint of the text: ⟨‖y_i − y_j‖²⟩ = d_ij² along every edge that a spring holds."""
    X = bow(60, 4)
    model = MaximumEntropyUnfolding(1, n_neighbors=5).fit(X)
    held = model.edges_[model.springs_ > 0]
    squares = [
        np.sum((Y[held[:, 0]] - Y[held[:, 1]]) ** 2, axis=1)
        for Y in (model.sample_features(X.shape[1], random_state=seed) for seed in range(2000))
    ]
    data = np.sum((X[held[:, 0]] - X[held[:, 1]]) ** 2, axis=1)
    ratio = np.mean(squares, axis=0) / data
    # a mean of 2,000 sums of four squares: χ² of 8,000 degrees of freedom
    np.testing.assert_allclose(ratio, 1, atol=5 * np.sqrt(2 / 8000))


def test_a_field_that_is_fitted_to_its_own_features_has_its_springs_again():
    """The more features there are, the better the springs are known, whatever the rows."""
    model = MaximumEntropyUnfolding(1, n_neighbors=5).fit(bow(60, 5))
    held = model.springs_ > 0
    off = []
    for p in (50, 5000):
        drawn = model.sample_features(p, random_state=1)
        again = MaximumEntropyUnfolding(1).fit(drawn, edges=model.edges_[held])
        off.append(np.median(np.abs(again.springs_ / model.springs_[held] - 1)))
    assert off[1] < 0.05 < off[0]


def test_a_table_of_distances_has_features_too():
    X = bow(40, 6)
    for kind in (MaximumEntropyUnfolding, AcyclicLocallyLinearEmbedding):
        model = kind(1, n_neighbors=6, metric="precomputed").fit(cdist(X, X))
        assert_draws_of(model.covariance(), model.sample_features(MANY, random_state=0))


def test_copies_of_a_row_are_alike_in_every_feature(model):
    X = bow(30, 7)
    model.fit(np.vstack([X, X[:10]]))
    drawn = model.sample_features(MANY, random_state=0)
    np.testing.assert_array_equal(drawn[30:], drawn[:10])
    assert_draws_of(model.covariance()[:30, :30], drawn[:30])


def test_the_seed_tells_which_and_a_saved_model_draws_alike(model, tmp_path):
    model.fit(bow(30, 8))
    drawn = model.sample_features(3, random_state=1)
    assert model.sample_features(random_state=1).shape == (30, 1)
    np.testing.assert_array_equal(drawn, model.sample_features(3, random_state=1))
    generator = np.random.default_rng(1)
    np.testing.assert_array_equal(drawn, model.sample_features(3, random_state=generator))
    assert np.abs(drawn - model.sample_features(3, random_state=2)).min() > 0
    save(model, tmp_path / "model")
    again = load(tmp_path / "model").sample_features(3, random_state=1)
    np.testing.assert_allclose(again, drawn, rtol=1e-9)


def test_what_has_no_features_is_refused(model, monkeypatch):
    name = type(model).__name__
    with pytest.raises(NotFittedError):
        type(model)().sample_features()
    model.fit(bow(30, 9))
    for wrong in (0, 1.5, "all"):
        with pytest.raises(ValueError, match=f"'n_features' argument of {name}.sample_features"):
            model.sample_features(wrong)
    with pytest.raises(ValueError, match="'random_state'"):
        model.sample_features(2, random_state="zero")
    monkeypatch.setattr("sidelight.core.memory.available_memory", lambda: 1e6)
    with pytest.raises(NotEnoughMemoryError, match=r"1,000,000 features of 30 rows"):
        model.sample_features(1_000_000)


def test_pieces_have_no_common_features():
    X = np.vstack([bow(40, 10), bow(40, 11) + 30])
    for kind in (MaximumEntropyUnfolding, AcyclicLocallyLinearEmbedding):
        with pytest.warns(UserWarning, match="pieces"):
            model = kind(1, n_neighbors=4, on_disconnected="separate").fit(X)
        with pytest.raises(ValueError, match="on_disconnected='connect'"):
            model.sample_features()
