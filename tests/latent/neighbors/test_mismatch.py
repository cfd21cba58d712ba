"""The mismatch of neighbour embedding: its definition, its gradient, its threads."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.similarity.neighbor_choice import choice_probabilities, normalise_rows


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def probabilities(rng, n, *, picks_itself):
    S = rng.random((n, n))
    S = S + S.T
    if not picks_itself:
        np.fill_diagonal(S, 0.0)
    return normalise_rows(S)


@pytest.mark.parametrize("picks_itself", [True, False])
def test_value_and_gradient(rng, picks_itself, naive_mismatch, assert_gradient):
    P = probabilities(rng, 14, picks_itself=picks_itself)
    Y = rng.standard_normal((14, 3))
    mismatch = NeighborMismatch(P)
    assert mismatch(Y)[0] == pytest.approx(
        naive_mismatch(P, Y, picks_itself=picks_itself), rel=1e-12
    )
    assert_gradient(mismatch, Y)


def test_an_item_that_picks_nobody_is_not_counted(rng, naive_mismatch, assert_gradient):
    S = probabilities(rng, 9, picks_itself=False)
    S[4], S[:, 4] = 0.0, 0.0
    P = normalise_rows(S)
    Y = rng.standard_normal((9, 2))
    assert NeighborMismatch(P)(Y)[0] == pytest.approx(naive_mismatch(P, Y, picks_itself=False))
    assert_gradient(NeighborMismatch(P), Y)


def test_equal_choices_have_no_mismatch_and_no_force(rng):
    Y = rng.standard_normal((30, 2))
    D = np.linalg.norm(Y[:, None] - Y, axis=-1)
    value, gradient = NeighborMismatch(choice_probabilities(D, 1.0))(Y)
    assert abs(value) < 1e-14
    assert np.abs(gradient).max() < 1e-15


def test_threads_change_nothing(rng, monkeypatch):
    P = probabilities(rng, 700, picks_itself=True)
    Y = rng.standard_normal((700, 2))
    value, gradient = NeighborMismatch(P)(Y)
    monkeypatch.setattr("sidelight.core.threads.count_threads", lambda *_, **__: 1)
    alone = NeighborMismatch(P)(Y)
    monkeypatch.setattr("sidelight.core.threads.count_threads", lambda *_, **__: 5)
    many = NeighborMismatch(P)(Y)
    assert value == alone[0] == many[0]
    np.testing.assert_array_equal(gradient, alone[1])
    np.testing.assert_array_equal(gradient, many[1])


def test_points_beyond_the_reach_of_exp_are_still_pulled_together():
    P = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    Y = np.array([[-100.0], [0.0], [100.0]])
    value, gradient = NeighborMismatch(P)(Y)
    assert np.isfinite(value)
    assert gradient[0] < 0 < gradient[2]


def test_gradient_of_several_relations(rng, assert_gradient):
    relations = [
        Related(np.arange(10), NeighborMismatch(probabilities(rng, 10, picks_itself=True))),
        Related(
            np.array([7, 2, 5, 0]),
            NeighborMismatch(probabilities(rng, 4, picks_itself=False)),
            weight=2.5,
        ),
    ]
    objective = RelationalObjective(relations, 10, 2, penalty=0.1)
    x = rng.standard_normal(10 * 2 + 2 * 2)
    assert_gradient(objective, x)
    Z, R = objective.unpack(x)
    parts = objective.parts(Z, R)
    penalty = 0.1 * sum(np.mean(np.sum((Z * r) ** 2, axis=1)) for r in R)
    assert objective(x)[0] == pytest.approx(10 * (parts[0] + 2.5 * parts[1] + penalty))
    # doubling a dimension and halving its scales changes nothing: only the product is identified
    assert objective(objective.pack(Z * [2, 1], R / [2, 1]))[0] == pytest.approx(objective(x)[0])
