"""Davidson's method against the whole spectrum."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers.eigen import largest_by_corrections


def symmetric(values, seed=0):
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    return Q * values @ Q.T, Q


@pytest.mark.parametrize("corrected", [True, False])
def test_the_largest_pairs(corrected):
    values = np.sort(np.random.default_rng(1).random(300))[::-1] * 10 - 5
    A, Q = symmetric(values)
    inverse = np.linalg.inv(5.2 * np.eye(300) - A) if corrected else None
    correct = None if inverse is None else lambda block: inverse @ block
    start = np.random.default_rng(2).standard_normal((300, 4))
    found = largest_by_corrections(lambda block: A @ block, start, 3, correct=correct)
    assert found.converged
    np.testing.assert_allclose(found.values, values[:3], rtol=1e-10)
    np.testing.assert_allclose(np.abs(Q[:, :3].T @ found.vectors), np.eye(3), atol=1e-6)


def test_a_good_inverse_tells_close_pairs_apart_in_a_few_steps():
    values = -np.geomspace(1e-8, 1.0, 400)
    A, Q = symmetric(values)
    inverse = Q / (1e-12 - values) @ Q.T
    start = np.random.default_rng(2).standard_normal((400, 3))
    found = largest_by_corrections(
        lambda block: A @ block, start, 2, correct=lambda block: inverse @ block, floor=1e-14
    )
    assert found.converged
    assert found.n_applications < 30  # without it four hundred do not suffice
    np.testing.assert_allclose(np.abs(Q[:, :2].T @ found.vectors), np.eye(2), atol=1e-6)


def test_known_vectors_are_left_out():
    values = np.arange(60.0)[::-1]
    A, Q = symmetric(values)
    start = np.random.default_rng(3).standard_normal((60, 3))
    found = largest_by_corrections(lambda block: A @ block, start, 2, null=Q[:, :2])
    np.testing.assert_allclose(found.values, [57, 56], rtol=1e-9)


def test_equal_eigenvalues_and_restarts():
    values = np.concatenate([[3.0, 3.0, 2.0], np.linspace(0, 1.9, 200)[::-1]])
    A, _ = symmetric(values)
    start = np.random.default_rng(4).standard_normal((203, 4))
    found = largest_by_corrections(lambda block: A @ block, start, 3, max_dimension=20)
    assert found.converged
    np.testing.assert_allclose(found.values, [3, 3, 2], rtol=1e-9)
    image = A @ found.vectors - found.vectors * found.values
    assert np.linalg.norm(image, axis=0).max() < 1e-7


def test_what_was_not_found_is_said():
    values = np.linspace(0, 1, 500)
    A, _ = symmetric(values)
    start = np.random.default_rng(5).standard_normal((500, 2))
    found = largest_by_corrections(lambda block: A @ block, start, 2, max_steps=3)
    assert not found.converged
