"""The pace of a neighbour embedding: pushes that serve for two steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sidelight.core import Threads
from sidelight.latent.neighbor_embedding import Divergence, affinities, mesh_field
from sidelight.latent.neighbor_embedding.descent import Moving, Pace, Swarm, lay_out
from sidelight.latent.neighbor_embedding.repulsion import single_field
from sidelight.latent.neighbor_embedding.start import on_common_ground
from sidelight.neighbors import nearest_neighbors

POOL = Threads(1)
SHORT = Pace(max_iter=100, early=20, many=300)


def clusters(n, seed=0):
    """Rows in eight clusters, and their affinities."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) + 3.0 * rng.standard_normal((8, 6))[rng.integers(8, size=n)]
    return X, affinities(nearest_neighbors(X, 12), np.array([6.0]), POOL)


def laid_out(n, pace, seed=0, d=2):
    """The end of a descent, and how often the push was summed up."""
    X, P = clusters(n, seed)
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
