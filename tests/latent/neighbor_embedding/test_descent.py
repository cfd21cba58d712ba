"""The pace of a neighbour embedding, and steps that are made in one go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.datasets import make_swiss_roll

from sidelight import NeighborEmbedding
from sidelight.core import Threads
from sidelight.latent.neighbor_embedding import Divergence, affinities
from sidelight.latent.neighbor_embedding.descent import Moving, Pace, Swarm, lay_out, steady_rate
from sidelight.latent.neighbor_embedding.repulsion import single_field
from sidelight.latent.neighbor_embedding.start import on_common_ground
from sidelight.neighbors import nearest_neighbors

POOL = Threads(1)
#: As many steps as there were, with as little momentum.
LONG = Pace(500, 100, momentum=0.9, last_momentum=0.9)


def clusters(n, seed=0):
    """Rows in eight clusters, and their affinities."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) + 3.0 * rng.standard_normal((8, 6))[rng.integers(8, size=n)]
    return X, affinities(nearest_neighbors(X, 12), np.array([6.0]), POOL)


def ends(X, P, paces):
    """KL(P ‖ Q) at the end of descents."""
    start = Moving.at_rest(on_common_ground(X[:, :2]))
    divergence = Divergence(P, 1.0, single_field, POOL)
    return [lay_out(divergence, start, p, who="test").facts["objective_"] for p in paces]


def test_a_map_settles_in_short_steps_of_one_momentum():
    pace = Pace.of(1_000).settling()
    assert (pace.max_iter, pace.early) == (200, 0)
    assert [pace.at(step)[1:] for step in (0, 100)] == [(4.0, 0.9), (2.5, 0.9)]


def without_momentum(pace):
    """The same with as much momentum as at first."""
    return replace(pace, momentum=pace.early_momentum, last_momentum=pace.early_momentum)


def test_more_points_have_more_momentum_and_fewer_steps():
    few, many = Pace.of(1_500), Pace.of(1_501)
    assert (few.max_iter, few.early, many.max_iter, many.early) == (350, 100, 300, 100)
    assert [few.at(step)[2] for step in (0, 99, 100)] == [0.9, 0.9, 0.9]
    assert few.at(225)[2] == pytest.approx(0.935)
    assert [many.at(step)[2] for step in (99, 100, 299)] == [0.9, 0.95, 0.95]
    assert Pace.of(10, 35).early == 10
    assert Pace.of(2_000, 30).early == 10


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_short_way_of_few_points_leads_as_far_by_its_momentum(seed):
    pace = Pace.of(300)
    far, found, slow = ends(*clusters(300, seed), (LONG, pace, without_momentum(pace)))
    assert found < 1.005 * far
    assert slow > 1.01 * far


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_short_way_of_many_points_leads_farther_by_its_momentum(seed):
    pace, sheet = Pace.of(1_600), make_swiss_roll(1_600, noise=0.3, random_state=seed)[0]
    P = affinities(nearest_neighbors(sheet, 12), np.array([6.0]), POOL)
    far, found, slow = ends(sheet[:, ::2], P, (LONG, pace, without_momentum(pace)))
    assert found < 0.98 * far
    assert slow > 1.02 * far


@pytest.mark.parametrize(("n", "start", "pinned"), [(70, 0, []), (333, 0, []), (90, 7, [3, 40])])
def test_steps_in_one_go_have_the_bits_of_steps_one_by_one(n, start, pinned):
    X, P = clusters(n)
    begin = replace(Moving.at_rest(on_common_ground(X[:, :2])), step=start)
    pinned, ends = np.array(pinned, dtype=np.intp), []
    for field_of in (single_field, lambda *told: single_field(*told)):
        divergence = Divergence(P, 1.0, field_of, POOL)
        swarm = Swarm(divergence, begin, pinned, None)
        assert swarm.in_one_go is (field_of is single_field)
        ends.append(lay_out(divergence, begin, Pace(max_iter=67), pinned=pinned, who="test"))
    np.testing.assert_array_equal(ends[0].Y, ends[1].Y)
    np.testing.assert_array_equal(ends[0].facts["history_"], ends[1].facts["history_"])
    assert ends[0].facts["n_iter_"] == 67


def divergence_of(P, dof):
    """KL(P ‖ Q) of flat points, and its gradient."""
    n, known = len(P), P > 0

    def value(flat):
        Y = flat.reshape(n, 2)
        gaps = cdist(Y, Y, "sqeuclidean")
        w = np.exp(-gaps) if np.isinf(dof) else (1 + gaps / dof) ** -dof
        np.fill_diagonal(w, 0.0)
        Q = w / w.sum()
        pull = (P - Q) if np.isinf(dof) else (P - Q) / (1 + gaps / dof)
        gradient = 4 * (pull.sum(axis=1)[:, None] * Y - pull @ Y)
        return (P[known] * np.log(P[known] / Q[known])).sum(), gradient.ravel()

    return value


@pytest.mark.parametrize("hubs", [False, True])
def test_points_come_to_rest_whatever_the_tails(hubs):
    """Steps of the length that heavy tails bear threw them so far that they did not come back."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((120, 100 if hubs else 4))
    X = X if hubs else X + 4.0 * np.eye(4)[np.arange(120) % 4]
    P = affinities(nearest_neighbors(X, 30), np.array([15.0]), POOL)
    assert (P.load > 3.0) == hubs
    begin = NeighborEmbedding().fit(X).embedding_ / 20.0
    for dof in (1.2, 1.5, 2.0, 3.0, 10.0, np.inf):
        told = divergence_of(P.graph.toarray() / 120.0, dof)
        best = minimize(told, begin.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 400})
        found = NeighborEmbedding(degrees_of_freedom=dof).fit(X)
        assert told(found.embedding_.ravel())[0] == pytest.approx(found.objective_, rel=1e-6)
        assert found.objective_ < 1.04 * best.fun, dof
        assert found.gradient_norm_ < 0.004, dof


def test_a_rate_is_as_long_as_tails_and_hubs_let_it_be():
    assert steady_rate(1.0, 9.0) == Pace().rate
    assert steady_rate(np.inf, 1.5) == steady_rate(5.0, 1.5) == 1.0
    assert steady_rate(np.inf, 8.0) == 0.25
    short = Pace(steady=0.5)
    assert {pulls * rate for pulls, rate, _ in map(short.at, range(350))} == {0.5}
