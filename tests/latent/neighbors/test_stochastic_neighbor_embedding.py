"""Stochastic neighbour embedding: known maps, optimality, new rows."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from sidelight import StochasticNeighborEmbedding
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.quality import procrustes
from sidelight.similarity.neighbor_choice import choice_probabilities, perplexity_bandwidths


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    t = 3 * rng.random(60)
    return np.column_stack([np.cos(t), np.sin(t), rng.random(60), 0.1 * rng.random(60)])


def test_data_in_the_plane_are_their_own_map(X):
    plane = X[:, :2]
    model = StochasticNeighborEmbedding(2, bandwidth=0.3, init="random").fit(plane)
    assert model.objective_ < 1e-12
    assert procrustes(model.embedding_, plane / np.sqrt(0.3)).residual < 1e-5
    spread = model.embedding_.var(axis=0).sum() / plane.var(axis=0).sum()
    assert spread == pytest.approx(1 / 0.3, rel=1e-5)  # the scale is that of the data, in σ


def test_the_objective_is_that_of_the_text_and_the_map_a_minimum(X, naive_mismatch):
    model = StochasticNeighborEmbedding(2, bandwidth=0.4).fit(X)
    P = np.exp(-(cdist(X, X) ** 2) / 0.4)
    P /= P.sum(axis=1, keepdims=True)
    assert model.objective_ == pytest.approx(naive_mismatch(P, model.embedding_), rel=1e-9)
    assert model.objective_ == model.history_[-1] < model.history_[0]
    rng = np.random.default_rng(1)
    for size in (1e-3, 0.1, 1.0):
        moved = model.embedding_ + size * rng.standard_normal(model.embedding_.shape)
        assert naive_mismatch(P, moved) > model.objective_


def test_a_second_solver_finds_no_better_map_from_the_same_start_or_near_it(X, naive_mismatch):
    some = X[:15]
    model = StochasticNeighborEmbedding(1, bandwidth=0.5).fit(some)
    P = choice_probabilities(cdist(some, some), 0.5)
    centred = some - some.mean(axis=0)
    component = centred @ np.linalg.svd(centred, full_matrices=False)[2][0] / np.sqrt(0.5)
    rng = np.random.default_rng(9)
    starts = [component, *(component + 0.3 * rng.standard_normal((4, 15)))]
    found = [minimize(lambda z: naive_mismatch(P, z[:, None]), z, method="BFGS") for z in starts]
    assert found[0].fun == pytest.approx(model.objective_, abs=1e-6)
    assert min(each.fun for each in found) > model.objective_ - 1e-6


def test_perplexity(X, naive_mismatch):
    model = StochasticNeighborEmbedding(2, perplexity=12).fit(X)
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    P = choice_probabilities(D, model.bandwidth_)
    entropy = -np.sum(P * np.log(np.where(P > 0, P, 1)), axis=1)
    np.testing.assert_allclose(np.exp(entropy), 12, rtol=1e-8)
    assert not np.diagonal(P).any()
    value = naive_mismatch(P, model.embedding_, picks_itself=False)
    assert model.objective_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("perplexity", [None, 10])
def test_a_new_row_is_placed_where_its_own_mismatch_is_least(X, perplexity):
    model = StochasticNeighborEmbedding(2, perplexity=perplexity).fit(X[:50])
    Y = model.embedding_
    for row, place in zip(X[50:54], model.transform(X[50:54]), strict=True):
        d = np.linalg.norm(row - X[:50], axis=1)
        if perplexity is None:  # may pick itself, at distance zero
            p = np.append(np.exp(-(d**2) / model.bandwidth_), 1.0)
        else:
            width = perplexity_bandwidths(d[None], perplexity)[0]
            p = np.append(np.exp(-(d**2 - d.min() ** 2) / width), 0.0)
            p = 0.999 * p / p.sum() + 0.001 / 50 * np.append(np.ones(50), 0.0)
        p /= p.sum()

        def mismatch(z, p=p):
            e = np.append(np.exp(-((z - Y) ** 2).sum(axis=1)), 1.0 if perplexity is None else 0.0)
            return np.sum(p[:50] * ((z - Y) ** 2).sum(axis=1)) + np.log(e.sum())

        best = minimize(mismatch, place, method="Nelder-Mead", options={"xatol": 1e-8})
        assert mismatch(place) <= best.fun + 1e-9
        np.testing.assert_allclose(place, best.x, atol=1e-4)


def test_a_given_start_goes_on_where_an_interrupted_fit_stopped(X):
    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="after 5 iterations"), listening(stop):
        half = StochasticNeighborEmbedding(2).fit(X)
    assert half.n_iter_ == 5
    whole = StochasticNeighborEmbedding(2, init=half.embedding_).fit(X)
    assert whole.history_[0] == pytest.approx(half.objective_)
    assert whole.objective_ == pytest.approx(StochasticNeighborEmbedding(2).fit(X).objective_)


def test_what_it_refuses(X):
    with pytest.raises(ValueError, match="'bandwidth' or 'perplexity', not both"):
        StochasticNeighborEmbedding(bandwidth=1.0, perplexity=5).fit(X)
    with pytest.raises(ValueError, match="'perplexity' parameter .* below .* 59. Got 59"):
        StochasticNeighborEmbedding(perplexity=59).fit(X)
    with pytest.raises(ValueError, match=r"'init' parameter .*\(60, 2\). Got the shape \(60, 3\)"):
        StochasticNeighborEmbedding(init=np.zeros((60, 3))).fit(X)
    with pytest.raises(ValueError, match="at least two distinct rows"):
        StochasticNeighborEmbedding().fit(np.ones((9, 3)))


def test_a_new_item_that_picks_a_corner_alone_is_placed_within_reach_of_the_map():
    """Its first steps met no curvature, and it went to 1e17."""
    for draw in range(6):
        rng = np.random.default_rng(draw)
        X = rng.standard_normal((16, 2))
        model = StochasticNeighborEmbedding(perplexity=1.000001, max_iter=200)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            Z = model.fit_transform(X)
        width = np.linalg.norm(np.ptp(Z, axis=0))
        places = model.transform(rng.standard_normal((40, 2)))
        assert np.abs(places - Z.mean(axis=0)).max() < 3 * width


@pytest.mark.parametrize("seed", range(4))
def test_rows_with_more_copies_than_they_pick_leave_the_map_a_unit(seed):
    """Their bandwidths went to zero, and the map of three groups was millions of units wide."""
    items = np.random.default_rng(seed).standard_normal((3, 3))
    with pytest.warns(UserWarning, match="15 rows given to .* have more copies than perplexity"):
        model = StochasticNeighborEmbedding(perplexity=1.1).fit(np.repeat(items, 5, axis=0))
    gaps = cdist(model.embedding_[::5], model.embedding_[::5])[np.triu_indices(3, 1)]
    assert gaps.min() > 5  # exp(-25): nobody picks another group
    assert gaps.max() < 60
    assert model.objective_ < 1e-9


def test_rows_with_as_many_copies_as_they_pick_are_not_spoken_of():
    items = np.repeat(np.random.default_rng(0).standard_normal((4, 3)), 5, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        StochasticNeighborEmbedding(perplexity=4.0).fit(items)
    with pytest.warns(UserWarning, match="20 rows given to .* have more copies than perplexity"):
        StochasticNeighborEmbedding(perplexity=3.9).fit(items)
