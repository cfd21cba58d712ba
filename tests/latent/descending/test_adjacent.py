"""What rows that follow one another cost in an objective."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.exceptions import ConvergenceWarning

from sidelight import GPLVM
from sidelight.latent.descending import NOTHING_ADJACENT, Adjacent
from sidelight.side import Sequence


def naive(Z, pairs):
    moves = np.mean([np.sum((Z[i] - Z[j]) ** 2) for i, j in pairs])
    return moves / np.mean([np.sum((a - b) ** 2) for a in Z for b in Z])


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_ratio_of_squared_distances_and_its_slope(seed):
    rng = np.random.default_rng(seed)
    Z, pairs = rng.standard_normal((12, 2)), np.array([[0, 1], [1, 2], [4, 3], [7, 11], [0, 1]])
    term = Adjacent(pairs, 0.7)
    value, slope = term(Z)
    assert value == pytest.approx(0.7 * naive(Z, pairs))
    expected = approx_fprime(Z.ravel(), lambda z: term(z.reshape(Z.shape))[0], 1e-7)
    np.testing.assert_allclose(slope.ravel(), expected, atol=1e-6)
    assert term(100 * Z + 3)[0] == pytest.approx(value)  # neither size nor place matters


def test_points_in_any_order_cost_about_one_and_a_line_next_to_nothing():
    rng = np.random.default_rng(0)
    pairs = np.column_stack([np.arange(1999), np.arange(1, 2000)])
    assert Adjacent(pairs, 1.0)(rng.standard_normal((2000, 3)))[0] == pytest.approx(1, abs=0.1)
    assert Adjacent(pairs, 1.0)(np.linspace(0, 1, 2000)[:, None])[0] < 1e-5


def test_nothing_costs_nothing():
    Z = np.random.default_rng(0).standard_normal((5, 2))
    assert NOTHING_ADJACENT(Z)[0] == 0
    assert not NOTHING_ADJACENT(Z)[1].any()
    assert Adjacent(np.array([[0, 1]]), 1.0)(np.ones((5, 2)))[0] == 0


def test_beside_a_function_both_are_added():
    Z = np.random.default_rng(1).standard_normal((6, 2))
    term = Adjacent(np.array([[0, 1], [2, 5]]), 0.5)

    def square(points):
        return float(np.sum(points**2)), 2 * points

    value, slope = term.beside(square)(Z)
    assert value == pytest.approx(np.sum(Z**2) + term(Z)[0])
    np.testing.assert_allclose(slope, 2 * Z + term(Z)[1])
    assert NOTHING_ADJACENT.beside(square) is square  # to the bit


def test_in_another_order():
    rng = np.random.default_rng(0)
    Z, order = rng.standard_normal((6, 2)), rng.permutation(6)
    term = Adjacent(np.array([[0, 1], [2, 5]]), 1.0)
    assert term.renumbered(np.argsort(order))(Z[order])[0] == pytest.approx(term(Z)[0])


@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
def test_a_sequence_weighs_enough_to_be_heard_by_a_process():
    """Rows along a circle, and so much noise that a map of the rows alone hardly shows it."""
    shown = {"without": [], "with": []}
    for seed in range(206, 210):
        rng = np.random.default_rng(seed)
        angle = np.cumsum(0.12 + 0.03 * rng.standard_normal(70))
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        basis = np.linalg.qr(rng.standard_normal((6, 2)))[0]
        X = circle @ basis.T + 0.5 * rng.standard_normal((70, 6))
        for name, side in (("without", None), ("with", Sequence())):
            Z = GPLVM(2, max_iter=200).fit(X, side=side).embedding_
            shown[name].append(spearmanr(pdist(Z), pdist(circle)).statistic)
    assert np.mean(shown["with"]) > np.mean(shown["without"]) + 0.1  # 0.55 and 0.36 on other draws
