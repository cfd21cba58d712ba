"""The Nyström formula against centred features written out."""

from __future__ import annotations

import numpy as np

from sidelight.mapping.nystrom import extend_by_kernel, kernel_coordinates
from sidelight.similarity.centring import Centring


def test_new_items_are_projected_on_the_principal_directions():
    rng = np.random.default_rng(0)
    features, new = rng.standard_normal((30, 5)) + 3, rng.standard_normal((8, 5)) + 3
    counts = rng.integers(1, 4, 30)
    copies = np.repeat(features, counts, axis=0)
    mean = copies.mean(axis=0)
    _, lengths, directions = np.linalg.svd(copies - mean, full_matrices=False)
    values = lengths[:2] ** 2
    points = (features - mean) @ directions[:2].T
    centring = Centring.of(features @ features.T, counts)
    placed = extend_by_kernel(new @ features.T, centring, points, values)
    np.testing.assert_allclose(placed, (new - mean) @ directions[:2].T, atol=1e-10)
    again = extend_by_kernel(features @ features.T, centring, points, values)
    np.testing.assert_allclose(again, points, atol=1e-10)


def test_a_direction_of_small_extent_is_one_and_one_of_rounding_is_none():
    rng = np.random.default_rng(2)
    features = np.linalg.qr(rng.standard_normal((20, 3)) - 0.5)[0]
    features -= features.mean(axis=0)
    features, _, _ = np.linalg.svd(features, full_matrices=False)
    features *= [1.0, 1e-2, 3e-5]  # whose squares are those of the kernel: 1, 1e-4, 1e-9
    new = rng.standard_normal((4, 3)) * [1.0, 1e-2, 3e-5]
    values = np.sum(features**2, axis=0)
    centring = Centring.of(features @ features.T)
    placed = extend_by_kernel(new @ features.T, centring, features, values)
    np.testing.assert_allclose(placed, new - features.mean(axis=0), rtol=1e-5)
    lost = np.array([1.0, 1e-4, 1e-13])
    assert not extend_by_kernel(new @ features.T, centring, features, lost)[:, 2].any()
    assert not kernel_coordinates(lost, features)[:, 2].any()


def test_directions_without_extent_are_zero_not_infinite():
    values = np.array([2.0, 0.0, -1.0])
    vectors = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 3)))[0]
    Z = kernel_coordinates(values, vectors)
    np.testing.assert_array_equal(Z[:, 1:], 0)
    np.testing.assert_allclose(Z[:, 0], np.sqrt(2) * vectors[:, 0])
    placed = extend_by_kernel(np.ones((2, 6)), Centring.of(np.eye(6)), Z, values)
    np.testing.assert_array_equal(placed[:, 1:], 0)
    assert np.isfinite(placed).all()
