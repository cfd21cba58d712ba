"""Acyclic locally linear embedding: PCA as a special case, its likelihood, and its order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import multivariate_normal

from sidelight import PCA, AcyclicLocallyLinearEmbedding, LocallyLinearEmbedding
from sidelight.core.errors import DisconnectedGraphWarning, InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import swiss_roll
from sidelight.similarity.centring import centre_kernel
from sidelight.unfolding.acyclic.orders import earlier_neighbors, near_lists


def rows(n, p, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 3)) @ rng.standard_normal((3, p)) + rng.standard_normal((n, p))


def naive(Y, order, k, reg):
    """The chain, point by point: log likelihood and covariance of a feature."""
    n, p = Y.shape
    centred = Y - Y.mean(axis=0)
    W, s = np.zeros((n, n)), np.zeros(n)
    value = 0.0
    for t, i in enumerate(order):
        before = order[:t]
        parents = before[np.argsort(np.linalg.norm(Y[before] - Y[i], axis=1))[:k]]
        if t:
            spokes = Y[parents] - Y[i]
            G = spokes @ spokes.T
            G += reg * np.trace(G) * np.eye(len(parents))
            w = np.linalg.solve(G, np.ones(len(parents)))
            W[i, parents] = w / w.sum()
            s[i] = 1 / w.sum() / p
        else:
            s[i] = np.mean(centred[i] ** 2)
        residual = centred[i] - W[i] @ centred
        value -= p / 2 * np.log(2 * np.pi * s[i]) + np.sum(residual**2) / (2 * s[i])
    A = np.linalg.inv(np.eye(n) - W)
    return value, (A * s) @ A.T


@pytest.mark.parametrize("order", ["auto", "principal", "outward", "spread", "nearest"])
def test_with_all_earlier_points_it_is_pca_in_any_order(order):
    Y = rows(30, 50)
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=29, reg=0.0, order=order).fit(Y)
    gram = centre_kernel(Y @ Y.T)
    np.testing.assert_allclose(centre_kernel(model.covariance()), gram / 50, atol=1e-7 * gram.max())
    expected = PCA(2).fit_transform(Y)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(expected), atol=1e-6)


def test_points_that_follow_from_earlier_ones_vary_by_a_millionth_of_the_usual_all_the_same():
    """Of a line two earlier points say all; a millionth of a length is 1e-12 of a variance."""
    X = np.outer(np.random.default_rng(0).permutation(12.0 + np.arange(20)), [1.0, -2.0, 0.5])
    model = AcyclicLocallyLinearEmbedding(1, n_neighbors=2, reg=0.0).fit(X)
    usual = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1)) / 3
    np.testing.assert_allclose(model.variances_[2:], 1e-12 * usual, rtol=1e-6)
    assert (model.variances_[:2] > 1e-4 * usual).all()


@pytest.mark.parametrize("reg", [0.0, 1e-2])
def test_the_likelihood_is_that_of_the_density_and_of_the_chain_point_by_point(reg):
    Y = rows(40, 12)
    order = np.random.default_rng(1).permutation(40)
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=5, reg=reg, order=order).fit(Y)
    value, K = naive(Y, order, 5, reg)
    np.testing.assert_array_equal(model.order_, order)
    np.testing.assert_allclose(model.covariance(), K, rtol=1e-8, atol=1e-10)
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-9)
    centred = Y - Y.mean(axis=0)
    density = multivariate_normal(np.zeros(40), model.covariance())
    assert model.log_likelihood_ == pytest.approx(density.logpdf(centred.T).sum(), rel=1e-8)


def test_the_map_is_that_of_the_kernel():
    Y = swiss_roll(600, random_state=0).X
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=5).fit(Y)
    values, vectors = np.linalg.eigh(3 * centre_kernel(model.covariance()))
    np.testing.assert_allclose(model.eigenvalues_, values[:-3:-1], rtol=1e-7)
    expected = vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(expected), atol=1e-6 * scale)


def test_weights_and_variances_are_the_most_likely():
    Y = rows(30, 20)
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=4, reg=0.0, order="principal").fit(Y)
    ordered = (Y - Y.mean(axis=0))[model.order_]
    W, s = model._map.kernel.of_points.chain.weights.toarray(), model.variances_

    def value(W, s):
        squares = np.sum((ordered - W @ ordered) ** 2, axis=1)
        return -10 * np.log(2 * np.pi * s).sum() - (squares / (2 * s)).sum()

    assert value(W, s) == pytest.approx(model.log_likelihood_, rel=1e-10)
    rng = np.random.default_rng(0)
    for _ in range(5):
        change = np.where(W != 0, rng.standard_normal(W.shape), 0.0)
        counts = np.maximum((W != 0).sum(axis=1), 1)
        change -= np.where(W != 0, (change.sum(axis=1) / counts)[:, None], 0.0)
        slope = (value(W + 1e-6 * change, s) - value(W - 1e-6 * change, s)) / 2e-6
        assert abs(slope) < 1e-3 * abs(value(W, s))
        assert value(W + 0.01 * change, s) < value(W, s)
        assert value(W, s * np.exp(0.1 * rng.standard_normal(len(s)))) < value(W, s)


def test_the_weights_of_plain_lle_are_the_optimum_of_its_pseudolikelihood():
    Y = rows(40, 20)
    model = LocallyLinearEmbedding(2, n_neighbors=5, reg=1e-12).fit(Y)
    W = np.eye(40) - model._map.kernel.of_points.A.toarray()

    def value(W):  # Σ log p(y_i | the others), every factor with the unit precision of LLE
        return -np.sum((Y - W @ Y) ** 2) / 2 - 40 * 20 / 2 * np.log(2 * np.pi)

    rng = np.random.default_rng(0)
    for _ in range(5):
        change = np.where(np.abs(W) > 0, rng.standard_normal(W.shape), 0.0)
        change[np.abs(W) > 0] -= np.repeat(change.sum(axis=1) / 5, 5)
        slope = (value(W + 1e-5 * change) - value(W - 1e-5 * change)) / 2e-5
        assert abs(slope) < 1e-4
        assert value(W + 0.01 * change) < value(W)


def test_the_likeliest_order_is_kept():
    Y = rows(60, 12)
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=5).fit(Y)
    assert len(model.order_likelihoods_) == 11
    assert model.log_likelihood_ == max(model.order_likelihoods_.values())
    again = AcyclicLocallyLinearEmbedding(2, n_neighbors=5, order=model.order_).fit(Y)
    assert again.log_likelihood_ == pytest.approx(model.log_likelihood_, rel=1e-12)
    np.testing.assert_allclose(again.embedding_, model.embedding_, atol=1e-9)
    names = {name.split()[0].rstrip(",") for name in model.order_likelihoods_}
    for family in names:
        alone = AcyclicLocallyLinearEmbedding(2, n_neighbors=5, order=family).fit(Y)
        expected = max(v for k, v in model.order_likelihoods_.items() if k.startswith(family))
        assert alone.log_likelihood_ == expected


def test_earlier_neighbours_are_found_whatever_the_lists_hold():
    Y = rows(80, 3)
    order = np.random.default_rng(2).permutation(80)
    pattern = earlier_neighbors(
        Y, order, 4, near_lists(Y, 1, "euclidean", "auto", who=""), "euclidean", who=""
    )
    D = cdist(Y, Y)
    for t in range(1, 80):
        before = order[:t]
        expected = before[np.argsort(D[order[t], before])[:4]]
        assert set(pattern[[t - 1]].indices) == set(expected)


def test_a_new_row_comes_last():
    Y = rows(40, 12)
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=6, reg=1e-9).fit(Y)
    x = Y[:3] + 0.1
    for row, place in zip(x, model.transform(x), strict=True):
        near = np.argsort(np.linalg.norm(Y - row, axis=1))[:6]
        spokes = Y[near] - row
        w = np.linalg.solve(spokes @ spokes.T, np.ones(6))
        np.testing.assert_allclose(place, (w / w.sum()) @ model.embedding_[near], atol=1e-6)


def test_copies_of_rows_keep_the_first_place_in_a_given_order():
    Y = rows(20, 12)
    copies = np.vstack([Y, Y[:4]])
    order = np.r_[23, np.arange(19, 3, -1), 0, 20, 1, 2, 21, 22, 3]
    model = AcyclicLocallyLinearEmbedding(2, n_neighbors=5, order=order).fit(copies)
    np.testing.assert_array_equal(model.order_, np.r_[3, np.arange(19, 3, -1), 0, 1, 2])
    plain = AcyclicLocallyLinearEmbedding(2, n_neighbors=5, order=model.order_).fit(Y)
    # copies move the mean, which only the first point's own variance feels
    np.testing.assert_allclose(
        centre_kernel(model.covariance()[:20, :20]), centre_kernel(plain.covariance()), atol=1e-9
    )


@pytest.mark.parametrize(
    "order", [np.arange(19), np.zeros(20, dtype=int), np.arange(1, 21), "alphabetical", 3]
)
def test_orders_are_checked(order):
    with pytest.raises(ValueError, match="'order' parameter of AcyclicLocallyLinearEmbedding"):
        AcyclicLocallyLinearEmbedding(order=order).fit(rows(20, 3))


def test_a_given_order_needs_one_map():
    Y = np.vstack([rows(20, 3), rows(20, 3) + 100])
    model = AcyclicLocallyLinearEmbedding(
        n_neighbors=5, order=np.arange(40), on_disconnected="separate"
    )
    with (
        pytest.warns(DisconnectedGraphWarning),
        pytest.raises(ValueError, match="given 'order' with on_disconnected='separate'"),
    ):
        model.fit(Y)


def test_one_feature():
    x = np.linspace(0, 1, 40)[:, None] ** 2
    model = AcyclicLocallyLinearEmbedding(1, n_neighbors=2).fit(x)
    assert np.isfinite(model.log_likelihood_)
    assert abs(np.corrcoef(model.embedding_[:, 0], x[:, 0])[0, 1]) > 0.99


def test_rows_far_from_zero_have_the_same_map():
    Y = np.random.default_rng(0).standard_normal((30, 4))
    near, far = (AcyclicLocallyLinearEmbedding(2).fit(Y + shift) for shift in (0.0, 1e8))
    np.testing.assert_array_equal(far.order_, near.order_)
    np.testing.assert_allclose(far.embedding_, near.embedding_, atol=1e-5)


def test_an_interruption_keeps_the_likeliest_order_so_far():
    def stop(progress):
        if progress.stage == "orders of the points" and progress.done == 4:
            raise KeyboardInterrupt

    Y = rows(60, 6)
    whole = AcyclicLocallyLinearEmbedding(2).fit(Y)
    with listening(stop), pytest.warns(InterruptedFitWarning, match="after 4 of 11 orders"):
        part = AcyclicLocallyLinearEmbedding(2).fit(Y)
    tried = dict(list(whole.order_likelihoods_.items())[:4])
    assert part.order_likelihoods_ == tried
    assert part.log_likelihood_ == max(tried.values())


def test_of_orders_that_are_as_likely_a_rule_chooses():
    """On a ring three of them are; which one the map was of, the last bit said."""
    angle = 2 * np.pi * np.arange(30) / 30
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    orders = set()
    for seed in range(6):
        noise = 1e-14 * np.random.default_rng(seed).standard_normal(ring.shape)
        model = AcyclicLocallyLinearEmbedding(1, n_neighbors=3).fit(ring + noise)
        orders.add(tuple(model.order_.tolist()))
    tied = [v for v in model.order_likelihoods_.values() if v > model.log_likelihood_ * (1 - 1e-9)]
    assert len(orders) == 1
    assert len(tied) > 1
