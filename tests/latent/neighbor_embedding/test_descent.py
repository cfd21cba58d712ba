"""The pace of a neighbour embedding: pushes that serve for two steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

from sidelight import NeighborEmbedding
from sidelight.core import Threads
from sidelight.latent.neighbor_embedding import Divergence, affinities, mesh_field
from sidelight.latent.neighbor_embedding.descent import Moving, Pace, lay_out, steady_rate
from sidelight.latent.neighbor_embedding.start import on_common_ground
from sidelight.neighbors import nearest_neighbors

POOL = Threads(1)
SHORT = Pace(max_iter=100, early=20, many=300)


def laid_out(n, pace, seed=0, d=2):
    """The end of a descent, and how often the push was summed up."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) + 3.0 * rng.standard_normal((8, 6))[rng.integers(8, size=n)]
    P = affinities(nearest_neighbors(X, 12), np.array([6.0]), POOL)
    pushes = []

    def field_of(Y, dof, pool):
        pushes.append(len(Y))
        return mesh_field(Y, dof, pool)

    divergence = Divergence(P, 1.0, field_of, POOL)
    start = Moving.at_rest(on_common_ground(X[:, :d]))
    return lay_out(divergence, start, pace, who="test"), len(pushes)


def test_pushes_of_many_points_are_held_once_steps_are_short():
    """The rate falls from 8 to 1 in 80 steps: below 5.4 it is from the 30th on, the 50th of all."""
    _, pushes = laid_out(400, SHORT)
    assert pushes == 20 + 30 + 25 + 1  # and once more at the end
    assert laid_out(300, SHORT)[1] == 101
    assert laid_out(400, SHORT, d=1)[1] == 101
    assert laid_out(400, replace(SHORT, rate=5.0))[1] == 20 + 40 + 1


def test_by_default_more_than_four_thousand_points_are_many():
    pace = Pace()
    held = [step for step in range(500) if pace.holds(step, 4_001, 2)]
    assert held == list(range(249, 500, 2))
    assert not any(pace.holds(step, 4_000, 2) for step in range(500))
    strong = Pace(exaggeration=4.0)
    assert [step for step in range(500) if strong.holds(step, 4_001, 2)] == held


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_map_of_held_pushes_is_as_good(seed):
    pace = Pace(max_iter=300, early=60)
    held, pushes = laid_out(4_200, pace, seed)
    each, all_pushes = laid_out(4_200, replace(pace, held_rate=0.0), seed)
    assert pushes < 0.8 * all_pushes
    assert held.facts["objective_"] == pytest.approx(each.facts["objective_"], rel=0.01)


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
    assert {rate * pulls for pulls, rate in map(short.at, range(500))} == {0.5}
    assert [short.holds(step, 4_001, 2) for step in range(500)] == [
        Pace().holds(step, 4_001, 2) for step in range(500)
    ]
