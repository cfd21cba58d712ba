"""How a known number moves items: the rotation itself, and learning it from matched pairs."""

import numpy as np
import pytest
from scipy.linalg import expm

from sidelight.latent.conditioning.rotation_by_number import MatchedPairs, RotationByNumber

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_draws():
    """Every test draws the same numbers, whatever ran before it."""
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


def planted(n_axes):
    """An antisymmetric generator."""
    basis = np.linalg.qr(RNG.normal(size=(n_axes, n_axes)))[0]
    rates = RNG.uniform(0.3, 1.5, n_axes // 2)
    blocks = np.zeros((n_axes, n_axes))
    for i, rate in enumerate(rates):
        blocks[2 * i, 2 * i + 1], blocks[2 * i + 1, 2 * i] = rate, -rate
    return basis @ blocks @ basis.T


def test_items_are_carried_by_the_matrix_exponential():
    G, R, apart = planted(6), RNG.normal(size=(5, 6)), RNG.normal(size=5)
    naive = [expm(d * G) @ r for d, r in zip(apart, R, strict=True)]
    np.testing.assert_allclose(RotationByNumber(G).carried(R, apart), naive, atol=1e-12)


@pytest.mark.parametrize("period", [None, 2 * np.pi])
def test_distances_are_those_after_carrying_by_the_shorter_way(period):
    G, R = planted(6), RNG.normal(size=(9, 6))
    x = RNG.uniform(-np.pi, np.pi, 9)
    apart = x[None] - x[:, None]
    if period is not None:
        apart = (apart + np.pi) % period - np.pi
        assert np.any(np.abs(x[None] - x[:, None]) > np.pi)  # the shorter way matters
    carry = np.array([[expm(d * G) @ r for d in row] for r, row in zip(R, apart, strict=True)])
    naive = ((carry - R) ** 2).sum(axis=2)
    np.testing.assert_allclose(
        RotationByNumber(G).squared_distances(R, x, period), naive, atol=1e-10
    )


def test_a_planted_rotation_is_learned_from_pairs():
    G = planted(6)
    R, apart = RNG.normal(size=(80, 6)), RNG.uniform(0.2, 0.8, 40)
    R[40:] = RotationByNumber(G).carried(R[:40], apart)
    pairs = MatchedPairs(np.arange(40), np.arange(40, 80), apart, RNG.uniform(0.5, 1, 40))
    rotation = RotationByNumber.none(6)
    for _ in range(30):
        rotation = rotation.learned_from(R, pairs, ridge=0.0)
    np.testing.assert_allclose(rotation.generator, G, atol=1e-8)


def test_a_step_solves_its_least_squares_problem():
    R, apart, weights = RNG.normal(size=(30, 4)), RNG.uniform(-1, 1, 15), RNG.uniform(0, 1, 15)
    pairs = MatchedPairs(np.arange(15), np.arange(15, 30), apart, weights)
    before = RotationByNumber(planted(4))
    ridge = 0.3
    u, v = before.carried(R[:15], apart / 2), before.carried(R[15:], -apart / 2)
    middle = (u + v) / 2 * apart[:, None]
    share = ridge * np.sum(weights * np.sum(middle**2, axis=1)) / 4

    def error(G):
        left = v - u - middle @ (G - before.generator).T
        return np.sum(weights * np.sum(left**2, axis=1)) + share * np.sum(G**2)

    G = before.learned_from(R, pairs, ridge=ridge).generator
    np.testing.assert_allclose(G, -G.T, atol=1e-14)
    for _ in range(6):
        H = RNG.normal(size=(4, 4))
        H = 1e-4 * (H - H.T)
        slope = (error(G + H) - error(G - H)) / 2
        assert abs(slope) < 1e-9
        assert error(G + H) > error(G)
