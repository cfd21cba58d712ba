"""Where an unfolding in the low-rank factor begins."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.solvers.semidefinite.low_rank.start import unfolded_start


def complete_graph(shares, n=50):
    """Nodes whose axes carry such shares of the variance, all joined to all."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(np.column_stack([np.ones(n), rng.standard_normal((n, len(shares)))]))[0]
    places = axes[:, 1:] * np.sqrt(shares)
    edges = np.column_stack(np.triu_indices(n, 1))
    return edges, np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1), places


@pytest.mark.parametrize(
    ("shares", "n_axes"),
    [((0.5, 0.27, 0.2, 0.03), 3), ((0.5, 0.32, 0.15, 0.03), 2), ((0.95, 0.04, 0.01), 2)],
)
def test_it_has_the_axes_that_carry_four_fifths_and_two_at_least(shares, n_axes):
    edges, lengths, places = complete_graph(shares)
    start = unfolded_start(edges, lengths, len(places))
    assert start.shape == (len(places), n_axes)
    found = np.linalg.svd(start - start.mean(axis=0), compute_uv=False) ** 2
    wanted = np.array(shares[:n_axes])
    np.testing.assert_allclose(found / found[0], wanted / wanted[0], rtol=1e-6)
