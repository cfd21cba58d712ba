"""What is near and what is far of the repulsion, each on a mesh of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.ndimage import convolve1d

import sidelight.latent.neighbor_embedding.repulsion.convolution as convolution_module
from sidelight.latent.neighbor_embedding.repulsion.convolution import (
    SPLIT,
    _coarse_size,
    _coarser,
    _far,
    _finer,
    _tails,
    convolution,
    nodes_along,
)

INFINITY = float("inf")
#: Cubic, around zero.
SPLINE = BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)


def spline(x):
    return np.nan_to_num(SPLINE(x))


def at_nodes(nodes):
    """What the splines on all nodes are at the nodes."""
    for axis in np.flatnonzero(np.array(nodes.shape) > 1):
        nodes = convolve1d(nodes.astype(np.float64), [1 / 6, 2 / 3, 1 / 6], axis, mode="constant")
    return nodes


@pytest.mark.parametrize("size", [5, 16, 41, 82])
def test_a_wide_spline_is_a_sum_of_narrow_ones(size):
    """B(x/4), placed on every fourth node, read off at places between the nodes."""
    x = np.linspace(0.0, size - 1.0, 301)
    narrow = np.array([spline(x - node) for node in range(-2, size + 2)])
    for wide in range(_coarse_size(size)):
        nodes = np.zeros((1, 1, _coarse_size(size)), dtype=np.float32)
        nodes[0, 0, wide] = 1.0
        fine = np.zeros(size + 4)
        fine[2:-2] = _finer(nodes, (1, 1, size))[0, 0]
        inner = (x > 1.0) & (x < size - 2.0)  # where no node beyond the mesh is read
        expected = spline(x / SPLIT.factor - (wide - 1))
        np.testing.assert_allclose((fine @ narrow)[inner], expected[inner], atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1, 37), (1, 23, 50), (9, 14, 11)])
def test_charges_go_to_wide_splines_as_fields_come_from_them(shape):
    """⟨coarser(q), g⟩ = ⟨q, finer(g)⟩."""
    rng = np.random.default_rng(3)
    q = rng.random(shape, dtype=np.float32)
    g = rng.random([_coarse_size(size) if size > 1 else 1 for size in shape], dtype=np.float32)
    assert np.vdot(_coarser(q), g) == pytest.approx(float(np.vdot(q, _finer(g, shape))), rel=1e-5)


@pytest.mark.parametrize("dof", [0.2, 1.0, 7.0, INFINITY])
def test_what_is_far_is_all_of_the_kernel_beyond_the_reach_and_smooth_within(dof):
    s = np.linspace(0.0, 100.0, 4001)
    w, far = _tails(s, dof), _far(s, 36.0, dof)
    np.testing.assert_array_equal(far[s >= 36.0], w[s >= 36.0])
    assert (np.diff(far) < 1e-15).all()
    assert (far <= w + 1e-15).all()
    # the Taylor polynomial of w touches it with as many derivatives as it has
    near = (w - far)[(s > 30.0) & (s < 36.0)]
    gap = (36.0 - s)[(s > 30.0) & (s < 36.0)]
    assert (near <= near[0] * (gap / gap[0]) ** SPLIT.degree + 1e-15).all()


@pytest.mark.parametrize("dof", [0.5, 1.0, INFINITY])
@pytest.mark.parametrize("cells", [(700,), (150, 210), (30, 41, 36)])
def test_the_split_field_is_the_whole_one(cells, dof, monkeypatch):
    """Of points on nodes, read off at nodes."""
    rng, n = np.random.default_rng(4), 400
    inner = (*[1] * (3 - len(cells)), *(nodes_along(size, 0.5) for size in cells))
    points = np.zeros(inner)
    np.add.at(points, tuple(rng.integers(size > 1, size - (size > 1), n) for size in inner), 1.0)
    density = at_nodes(points).astype(np.float32)
    split = convolution(inner, 0.5, dof)
    monkeypatch.setattr(convolution_module, "SPLIT", replace(SPLIT, spacing=np.inf))
    whole = convolution.__wrapped__(inner, 0.5, dof)
    assert split.far is not None
    assert whole.far is None
    inside = tuple(slice(1, -1) if size > 1 else slice(None) for size in inner)
    expected, found = ((at_nodes(way(density)) + way.least * n)[inside] for way in (whole, split))
    assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(split.own, whole.own, atol=1e-5)


@pytest.mark.parametrize("cells", [40.2, 166.0, 323.7, 2000.0])
def test_a_wide_mesh_has_few_empty_nodes(cells):
    size = nodes_along(cells, 0.5)
    assert cells <= size < 1.15 * cells + 20
    split = convolution((1, size, size), 0.5, 1.0)
    assert split.near.padded == (1, size + SPLIT.reach, size + SPLIT.reach)
    assert split.far is not None
    assert np.prod(split.far.padded) < 0.4 * np.prod(split.near.padded)


def test_a_mesh_that_is_finer_than_the_kernel_is_wide_is_not_split():
    assert convolution((1, 40, 40), 0.35, 1.0).far is None
