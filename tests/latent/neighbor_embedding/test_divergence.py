"""The divergence, its gradient, and the mesh that sums up its repulsion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sidelight.core import Threads
from sidelight.latent.neighbor_embedding import (
    Affinities,
    Divergence,
    MeshSettings,
    TreeSettings,
    affinities,
    choices,
    exact_field,
    mesh_field,
    tree_field,
)
from sidelight.latent.neighbor_embedding._pairs_compiled import pull, stretch
from sidelight.latent.neighbor_embedding._tail_compiled import decay, logarithm, tail
from sidelight.latent.neighbor_embedding.repulsion import moving_field_by, single_field
from sidelight.latent.neighbor_embedding.repulsion.field import _shape_of
from sidelight.neighbors import Neighbors, nearest_neighbors

POOL = Threads(1)
INFINITY = float("inf")


def kernel(squared, dof):
    return np.exp(-squared) if np.isinf(dof) else (1 + squared / dof) ** -dof


def naive(P, Y, dof):
    """KL(P ‖ Q), written down."""
    W = kernel(((Y[:, None] - Y) ** 2).sum(axis=2), dof)
    np.fill_diagonal(W, 0.0)
    Q = W / W.sum()
    there = P > 0
    return float(np.sum(P[there] * np.log(P[there] / Q[there])))


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    near = nearest_neighbors(rng.standard_normal((60, 5)), 12)
    return affinities(near, np.array([6.0]), POOL)


class TestWrittenOut:
    """Exponentials and logarithms of our own."""

    def test_they_are_those_of_the_library_to_rounding(self):
        x = np.concatenate([np.linspace(0, 40, 3001), np.geomspace(1e-12, 699, 500)])
        mine = np.array([decay(v) for v in x])
        np.testing.assert_allclose(mine, np.exp(-x), rtol=1e-14)
        y = np.geomspace(1e-300, 1e300, 4001)
        np.testing.assert_allclose([logarithm(v) for v in y], np.log(y), rtol=2e-15, atol=2e-16)

    @pytest.mark.parametrize("dof", [0.3, 1.0, 2.5, INFINITY])
    def test_tails(self, dof):
        s = np.geomspace(1e-9, 1e4, 200)
        expected = kernel(s, dof)
        np.testing.assert_allclose([tail(v, dof) for v in s], expected, rtol=1e-12, atol=1e-300)


class TestAffinities:
    """Who is near whom."""

    def test_perplexities_are_met(self):
        rng = np.random.default_rng(1)
        near = nearest_neighbors(
            rng.standard_normal((300, 4)) * np.geomspace(1, 1e3, 300)[:, None], 30
        )
        for wanted in (2.0, 8.0, 15.0, 29.0):
            P = choices(near, np.array([wanted]), POOL).astype(np.float64)
            reached = np.exp(-np.sum(P * np.log(np.maximum(P, 1e-300)), axis=1))
            np.testing.assert_allclose(reached, wanted, rtol=1e-5)
            np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-6)

    @pytest.mark.parametrize("gap", [1e3, 1e6, 1e9, 1e12])
    @pytest.mark.parametrize("sizes", [(12, 40), (20, 40), (12, 20)])
    def test_perplexities_are_met_in_small_clusters_far_apart(self, sizes, gap):
        """Rows list those of the other cluster too, far beyond the distances of their own."""
        rows = np.random.default_rng(0).standard_normal((sum(sizes), 3))
        rows[sizes[0] :, 0] += gap
        near = nearest_neighbors(rows, 30)
        for wanted in (2.0, 5.0, 10.0, 15.0, 25.0):
            P = choices(near, np.array([wanted]), POOL).astype(np.float64)
            reached = np.exp(-np.sum(P * np.log(np.maximum(P, 1e-300)), axis=1))
            np.testing.assert_allclose(reached, wanted, rtol=1e-5)

    def test_several_perplexities_are_the_mean_of_each(self):
        near = nearest_neighbors(np.random.default_rng(2).standard_normal((80, 3)), 20)
        both = choices(near, np.array([3.0, 12.0]), POOL)
        each = [choices(near, np.array([p]), POOL) for p in (3.0, 12.0)]
        np.testing.assert_allclose(both, (each[0] + each[1]) / 2, atol=1e-7)

    def test_p_is_symmetric_and_sums_to_one(self, graph):
        P = graph.graph.toarray() / graph.n
        np.testing.assert_array_equal(P, P.T)
        assert P.sum() == pytest.approx(1.0, abs=1e-6)
        assert graph.mass == pytest.approx(1.0, abs=1e-6)
        assert not P.diagonal().any()

    def test_equal_distances_and_absent_neighbours_are_chosen_evenly(self):
        near = Neighbors(np.array([[1, 2, 3], [0, 2, 0]]), np.array([[1.0, 1, 1], [1, 9, np.inf]]))
        P = choices(near, np.array([2.0]), POOL)
        np.testing.assert_allclose(P, [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]], rtol=1e-6)


class TestObjective:
    """E(Y) and ∂E/∂Y."""

    @pytest.mark.parametrize("dof", [0.5, 1.0, 3.0, INFINITY])
    @pytest.mark.parametrize("d", [1, 2, 3, 4])
    def test_it_is_the_divergence(self, graph, dof, d):
        Y = np.random.default_rng(d).standard_normal((graph.n, d))
        value, _ = Divergence(graph, dof, exact_field, POOL)(Y)
        assert value == pytest.approx(naive(graph.graph.toarray() / graph.n, Y, dof), rel=1e-6)

    @pytest.mark.parametrize("dof", [0.5, 1.0, INFINITY])
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_its_gradient_is_that_of_finite_differences(self, graph, dof, d):
        rng = np.random.default_rng(10 + d)
        Y = rng.standard_normal((graph.n, d))
        P = graph.graph.toarray().astype(np.float64) / graph.n
        _, gradient = Divergence(graph, dof, exact_field, POOL)(Y)
        for _ in range(3):
            direction = rng.standard_normal(Y.shape)
            step = 1e-5
            ahead, behind = (naive(P, Y + s * direction, dof) for s in (step, -step))
            slope = float(np.sum(gradient * direction))
            assert slope == pytest.approx((ahead - behind) / (2 * step), rel=1e-4, abs=1e-7)

    def test_infinite_degrees_of_freedom_are_symmetric_neighbour_embedding(self, graph):
        Y = np.random.default_rng(5).standard_normal((graph.n, 2))
        P = graph.graph.toarray().astype(np.float64) / graph.n
        squared = ((Y[:, None] - Y) ** 2).sum(axis=2)
        Q = np.exp(-squared) - np.eye(graph.n)
        Q /= Q.sum()
        expected = 4 * np.einsum("ij,ijk->ik", P - Q, Y[:, None] - Y)
        _, gradient = Divergence(graph, INFINITY, exact_field, POOL)(Y)
        np.testing.assert_allclose(gradient, expected, atol=1e-7)


#: Relative errors of forces and of Z at each spread, by dimensions.
BOUNDS = {
    1: {1e-4: (1e-4, 1e-9), 1.0: (5e-4, 1e-5), 20.0: (0.05, 1e-3), 40.0: (0.08, 2e-3)},
    2: {
        1e-6: (1e-4, 1e-9),
        1e-2: (1e-4, 1e-8),
        1.0: (5e-4, 1e-5),
        20.0: (0.04, 1e-3),
        40.0: (0.08, 2e-3),
    },
    3: {1e-4: (1e-4, 1e-9), 1.0: (5e-4, 1e-5), 6.0: (0.05, 1e-3)},
}


class TestMesh:
    """The mesh beside the sums over all pairs."""

    @pytest.mark.parametrize("dof", [0.5, 1.0, INFINITY])
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_forces_at_several_scales(self, d, dof):
        cloud = np.random.default_rng(7).standard_normal((800, d))
        for spread, (force, sum_) in BOUNDS[d].items():
            Y = spread * cloud
            exact, slopes = exact_field(Y, dof, POOL).among(Y, POOL)
            values, on_mesh = mesh_field(Y, dof, POOL).among(Y, POOL)
            assert np.linalg.norm(on_mesh - slopes) < force * np.linalg.norm(slopes), spread
            assert abs(values.sum() - exact.sum()) < sum_ * exact.sum(), spread

    def test_a_lone_point_is_not_pushed_by_itself(self):
        Y = np.array([[0.13, 0.29], [300.0, 300.0], [-300.0, 300.0], [0.0, -300.0]])
        _, slopes = mesh_field(Y, 1.0, POOL).among(Y, POOL)
        _, exact = exact_field(Y, 1.0, POOL).among(Y, POOL)
        assert np.abs(slopes - exact).max() < 2e-4

    def test_a_finer_mesh_is_nearer(self):
        Y = 15 * np.random.default_rng(8).standard_normal((500, 2))
        _, exact = exact_field(Y, 1.0, POOL).among(Y, POOL)
        errors = [
            np.linalg.norm(mesh_field(Y, 1.0, POOL, MeshSettings(h)).among(Y, POOL)[1] - exact)
            for h in (0.8, 0.4, 0.2)
        ]
        assert errors[0] > 3 * errors[1] > 9 * errors[2]

    @pytest.mark.parametrize(("d", "most"), [(1, 2**7), (2, 2**14), (3, 2**18)])
    def test_a_map_that_is_too_wide_gets_a_coarser_one(self, d, most):
        Y = 10 * np.random.default_rng(12).standard_normal((500, d))
        exact, slopes = exact_field(Y, 1.0, POOL).among(Y, POOL)
        coarse = mesh_field(Y, 1.0, POOL, MeshSettings(most_nodes=most))
        assert coarse.nodes.size * 2**d <= 1.01 * most  # of which half along every axis is padding
        steps = 2 * np.log2(coarse.spacing / MeshSettings().spacing)
        assert steps > 0.5
        assert steps == pytest.approx(round(steps))
        finer = MeshSettings(most_nodes=most * 4**d)
        errors = []
        for settings in (MeshSettings(most_nodes=most), finer):
            values, on_mesh = mesh_field(Y, 1.0, POOL, settings).among(Y, POOL)
            errors.append(np.linalg.norm(on_mesh - slopes) / np.linalg.norm(slopes))
            assert values.sum() == pytest.approx(exact.sum(), rel=0.2)
        assert errors[1] < 0.5 * errors[0] < 0.5

    def test_a_thousand_units_across_is_where_that_begins(self):
        for width, coarser in ((900.0, False), (1200.0, True)):
            spacing, sizes = _shape_of(np.array([width, width]), MeshSettings())
            assert (spacing > MeshSettings().spacing) is coarser
            assert np.prod(sizes) <= MeshSettings().most_nodes

    def test_any_number_of_threads(self):
        Y = 10 * np.random.default_rng(9).standard_normal((70_000, 2))
        with Threads(3) as three:
            apart = mesh_field(Y, 1.0, three).among(Y, three)
        for one, other in zip(mesh_field(Y, 1.0, POOL).among(Y, POOL), apart, strict=True):
            np.testing.assert_array_equal(one, other)


#: Relative errors of forces and of Z by the tree at each spread, by dimensions.
TREE_BOUNDS = {
    1: {1e-4: (1e-8, 1e-9), 1e-2: (1e-4, 1e-5), 1.0: (0.02, 0.01), 20.0: (0.06, 0.01)},
    2: {1e-4: (1e-8, 1e-9), 1e-2: (1e-4, 1e-5), 1.0: (0.01, 0.01), 20.0: (0.01, 3e-3)},
    3: {1e-4: (1e-8, 1e-9), 1e-2: (1e-4, 1e-5), 1.0: (0.01, 3e-3), 20.0: (0.01, 2e-3)},
}


class TestSinglePrecision:
    """Sums over all pairs of few points in a plane, in single precision."""

    @pytest.mark.parametrize("spread", [1e-4, 0.1, 3.0, 40.0, 300.0])
    @pytest.mark.parametrize("offset", [0.0, 1e6])
    def test_they_are_off_by_millionths(self, spread, offset):
        Y = spread * np.random.default_rng(7).standard_normal((700, 2)) + offset
        exact, slopes = exact_field(Y, 1.0, POOL).among(Y, POOL)
        values, single = single_field(Y, 1.0, POOL).among(Y, POOL)
        assert np.linalg.norm(single - slopes) < 3e-5 * np.linalg.norm(slopes)
        np.testing.assert_allclose(values.sum(), exact.sum(), rtol=1e-6)

    @pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 65, 97])
    def test_every_pair_counts_once_for_both_however_many_fill_a_block(self, n):
        Y = 2 * np.random.default_rng(8).standard_normal((n, 2))
        exact, slopes = exact_field(Y, 1.0, POOL).among(Y, POOL)
        values, single = single_field(Y, 1.0, POOL).among(Y, POOL)
        np.testing.assert_allclose(values, exact, atol=1e-5)
        np.testing.assert_allclose(single, slopes, atol=1e-5)
        # what one does to the other, the other does to it
        np.testing.assert_allclose(single.sum(axis=0), 0, atol=1e-5)

    def test_they_are_for_few_points_that_move_in_a_plane(self):
        assert moving_field_by("auto", 2, 4000, 1.0) is single_field
        for asked in (("auto", 2, 4001, 1.0), ("auto", 2, 100, 0.5), ("exact", 2, 100, 1.0)):
            assert moving_field_by(*asked) is not single_field
        assert moving_field_by("auto", 3, 100, 1.0) is exact_field


class TestTree:
    """The tree of boxes beside the sums over all pairs."""

    @pytest.mark.parametrize("dof", [0.5, 1.0, INFINITY])
    @pytest.mark.parametrize("d", [1, 2, 3])
    def test_forces_at_several_scales(self, d, dof):
        cloud = np.random.default_rng(7).standard_normal((800, d))
        for spread, (force, sum_) in TREE_BOUNDS[d].items():
            Y = spread * cloud
            exact, slopes = exact_field(Y, dof, POOL).among(Y, POOL)
            values, by_tree = tree_field(Y, dof, POOL).among(Y, POOL)
            assert np.linalg.norm(by_tree - slopes) < force * np.linalg.norm(slopes), spread
            assert abs(values.sum() - exact.sum()) < sum_ * exact.sum(), spread

    def test_with_every_box_opened_it_is_exact(self):
        Y = 5 * np.random.default_rng(8).standard_normal((300, 3))
        exact = exact_field(Y, 1.0, POOL).among(Y, POOL)
        opened = tree_field(Y, 1.0, POOL, TreeSettings(0.0)).among(Y, POOL)
        for one, other in zip(exact, opened, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-12)

    def test_boxes_hold_every_point_once(self):
        """Leaves follow one another, and the next box outside begins where a box ends."""
        rng = np.random.default_rng(9)
        Y = np.vstack(
            [rng.standard_normal((400, 3)), np.repeat(rng.standard_normal((1, 3)), 50, 0)]
        )
        field = tree_field(Y, 1.0, POOL)
        first, last, middles, sides, beyond = field.boxes
        leaves = beyond == np.arange(len(first)) + 1
        np.testing.assert_array_equal(first[leaves], [0, *last[leaves][:-1]])
        assert last[leaves][-1] == len(Y)
        inside = beyond < len(first)
        np.testing.assert_array_equal(first[beyond[inside]], last[inside])
        for box in range(0, len(first), 7):
            points = field.Y[first[box] : last[box]]
            np.testing.assert_allclose(middles[box], points.mean(axis=0), atol=1e-12)
            assert sides[box] == np.ptp(points, axis=0).max()
        assert ((last - first)[leaves] <= 8).sum() >= leaves.sum() - 1  # all but the copies

    def test_places_by_themselves_and_any_number_of_threads(self):
        rng = np.random.default_rng(10)
        Y, A = 10 * rng.standard_normal((3000, 3)), 10 * rng.standard_normal((40, 3))
        field = tree_field(Y, 1.0, POOL)
        with Threads(3) as three:
            for one, other in zip(field.among(Y, POOL), field.among(Y, three), strict=True):
                np.testing.assert_array_equal(one, other)
        together = field.at(A, POOL)
        for i in (0, 17, 39):
            for all_, alone in zip(together, field.at(A[i : i + 1], POOL), strict=True):
                np.testing.assert_array_equal(all_[i], alone[0])
        exact = exact_field(Y, 1.0, POOL).at(A, POOL)
        np.testing.assert_allclose(together[0], exact[0], rtol=0.02)


class TestEdgesInLanes:
    """Eight edges at a time beside one after the other."""

    @pytest.mark.parametrize("dof", [0.7, 1.0])
    def test_rows_of_any_length(self, dof):
        rng = np.random.default_rng(11)
        lengths = [1, 2, 0, 3, 8, 9, 16, 7, 23, 5]
        n = 30
        rows = [np.sort(rng.choice(n, size, replace=False)) for size in lengths]
        indptr = np.concatenate([[0], np.cumsum(lengths), np.full(n - 10, sum(lengths))])
        P = sp.csr_array((rng.random(sum(lengths), dtype=np.float32), np.concatenate(rows), indptr))
        Y = 3 * rng.standard_normal((n, 2))
        pulls, sums = np.empty_like(Y), np.empty(n)
        told = (P.indptr, P.indices, P.data, Y)
        pull(*told, 1 / dof, 0, n, pulls)
        stretch(*told, dof, 0, n, sums)
        gaps = Y[:, None] - Y
        far = 1 + (gaps**2).sum(axis=2) / dof
        W = np.zeros((n, n))
        for i, row in enumerate(rows):
            W[i, row] = P.data[indptr[i] : indptr[i + 1]]
        np.testing.assert_allclose(pulls, np.einsum("ij,ijk->ik", W / far, gaps), atol=1e-12)
        np.testing.assert_allclose(sums, dof * (W * np.log(far)).sum(axis=1), rtol=1e-12)


def test_rows_may_be_chosen_by_nobody():
    graph = Affinities(sp.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=np.float32)))
    value, gradient = Divergence(graph, 1.0, exact_field, POOL)(np.eye(3)[:, :2])
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_where_rows_have_nobody_to_choose_the_choices_of_the_others_count_for_more():
    """Σ P is one: of four rows the last stores nobody, and one of the others chooses it."""
    edges = np.array([[0, 1], [0, 3], [1, 0], [1, 2], [2, 1], [2, 0]])
    listed = sp.csr_array((np.ones(6), (edges[:, 0], edges[:, 1])), shape=(4, 4))
    P = affinities(listed, np.array([2.0]), POOL)
    assert P.mass == pytest.approx(1.0)
    chosen = np.zeros((4, 4))
    chosen[edges[:, 0], edges[:, 1]] = 1 / 2
    np.testing.assert_allclose(P.graph.toarray(), (chosen + chosen.T) / 2 * 4 / 3, rtol=1e-6)
