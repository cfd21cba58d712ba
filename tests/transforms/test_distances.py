"""Distances that forgive: zero along a tangent, one across, and what a loop over pairs finds."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from sidelight.side import Invariance
from sidelight.transforms import (
    Affine,
    Custom,
    Gain,
    InvariantDistance,
    LocalFilter,
    Rotation,
    Several,
    Shift,
    Tangents,
    TimeShift,
    best_parameters,
    invariant_distances,
    transformation_of,
)
from sidelight.transforms.distances import along_steps, along_steps_of_new
from sidelight.transforms.distances.measure import KINDS, RIDGE
from sidelight.transforms.plane import SMOOTHING

SHAPE = (9, 8)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.fixture
def rows(rng):
    return rng.random((25, SHAPE[0] * SHAPE[1]))


def naive_tangent_distance(x, y, S, T, ridge):
    """The least squares of Simard, S and T of shape (q, p), with a spring on either side."""
    A = np.vstack([S, -T]).T
    spring = np.sqrt(ridge) * np.diag(np.linalg.norm(A, axis=0))
    d = np.concatenate([y - x, np.zeros(A.shape[1])])
    full = np.vstack([A, spring])
    return np.linalg.norm(full @ np.linalg.lstsq(full, d)[0] - d)


@pytest.mark.parametrize(
    "transformation",
    [Shift(smoothing=0), Affine(smoothing=0), Several([Rotation(), TimeShift(smoothing=0)])],
)
def test_tangent_distance_is_that_of_a_loop_over_pairs(rows, transformation):
    D = invariant_distances(rows, transformation, SHAPE)
    seen = transformation.seen(rows, SHAPE)
    T = transformation.tangents(seen, SHAPE)
    naive = [
        [naive_tangent_distance(seen[i], seen[j], T[i], T[j], RIDGE) for j in range(6)]
        for i in range(6)
    ]
    assert np.abs(D[:6, :6] - naive).max() < 1e-9 * D.max()


def test_correction_distance_is_by_the_smallest_principal_angle(rows):
    D = invariant_distances(rows, LocalFilter(), SHAPE, kind="correction")
    T = LocalFilter().tangents(rows, SHAPE)
    for i, j in [(0, 1), (3, 9), (7, 2)]:
        angle = scipy.linalg.subspace_angles(T[i].T, T[j].T).min()
        assert D[i, j] == pytest.approx(np.sin(angle) ** 2, abs=1e-10)


def test_reconstruction_is_by_the_best_filter(rows):
    measure = InvariantDistance(LocalFilter(), SHAPE, "reconstruction")
    D = measure.table(measure.frames(rows))
    for i, j in [(0, 1), (3, 9)]:
        errors = []
        for a, b in [(i, j), (j, i)]:
            omega = best_parameters(LocalFilter(), rows[a], rows[b], SHAPE)
            errors.append(np.linalg.norm(LocalFilter().apply(rows[a], omega, SHAPE) - rows[b]))
        assert D[i, j] == pytest.approx(np.mean(errors), rel=1e-9)


@pytest.mark.parametrize("transformation", [Shift(smoothing=0), Affine(smoothing=0)])
def test_zero_along_the_tangents(rows, rng, transformation):
    T = transformation.tangents(rows, SHAPE)
    moved = rows + 0.3 * np.einsum("nq,nqp->np", rng.standard_normal(T.shape[:2]), T)
    D = invariant_distances(rows, transformation, SHAPE, kind="reconstruction", Y=moved)
    away = np.linalg.norm(rows - moved, axis=1)
    measure = InvariantDistance(transformation, SHAPE, "reconstruction")
    one_way = measure.frames(rows)
    d = moved - rows
    left = d - np.einsum("nqp,nq->np", one_way.basis, np.einsum("nqp,np->nq", one_way.basis, d))
    assert np.linalg.norm(left, axis=1).max() < 1e-10 * away.max()
    assert (np.diag(D) < 0.75 * away).all()  # the way back is by the other's tangents


def test_the_tangent_plane_of_a_common_tangent_is_at_no_distance(rows, rng):
    common = Tangents(rng.standard_normal((2, rows.shape[1])))
    moved = common.apply(rows, rng.standard_normal((len(rows), 2)))
    D = invariant_distances(rows, common, Y=moved)
    away = np.linalg.norm(rows - moved, axis=1)
    assert (np.diag(D) < np.sqrt(RIDGE) * away).all()
    assert (np.diag(D) > 0).all()  # told apart, but for rows that are the same


def test_what_is_forgiven_wholly_is_told_apart_by_the_euclidean_distance():
    x = np.random.default_rng(1).random(30)
    measure = InvariantDistance(Gain(), None, "reconstruction")
    D = measure.table(measure.frames(np.array([x, 2 * x, 4 * x, x])))
    assert np.allclose(D[0], 1e-6 * np.linalg.norm(x) * np.array([0, 1, 3, 0]), rtol=1e-3)
    assert D[0, 3] == 0


@pytest.mark.parametrize(("angle", "n_directions"), [(0.0, 1), (1e-3, 2), (0.1, 2)])
def test_tangents_that_are_nearly_one_are_two_and_the_same_ones_are_one(angle, n_directions):
    ways = np.random.default_rng(4).standard_normal((2, 40))
    ways = np.linalg.qr(ways.T)[0].T
    near = np.cos(angle) * ways[0] + np.sin(angle) * ways[1]
    rows = np.random.default_rng(5).random((6, 40))
    change = Tangents([3 * ways[0], near, 7 * near])
    frames = InvariantDistance(change, None, "reconstruction").frames(rows)
    assert frames.n_directions().tolist() == [n_directions] * 6
    moved = change.apply(rows, [0.5, -2.0, 0.1])
    D = invariant_distances(rows, change, kind="reconstruction", Y=moved)
    assert np.diag(D).max() < 1e-5


def test_what_rounding_leaves_of_tangents_that_are_one_is_no_direction(rows):
    same = Tangents(lambda X: np.stack([np.roll(X, 1, axis=1) * c for c in (0.3, 1.0, 7.0)], 1))
    frames = InvariantDistance(same, None, "reconstruction").frames(rows)
    assert frames.n_directions().tolist() == [1] * len(rows)


def test_orthogonal_tangents_are_at_correction_distance_one():
    X = np.eye(4)
    ways = lambda rows: np.roll(rows, 1, axis=1)[:, None]  # noqa: E731
    D = invariant_distances(X, Tangents(ways), kind="correction")
    assert np.allclose(D, 1 - np.eye(4))


def test_parallel_tangents_are_at_correction_distance_zero(rows):
    D = invariant_distances(np.vstack([rows, 2 * rows]), Gain(), kind="correction")
    n = len(rows)
    assert np.abs(np.diag(D[:n, n:])).max() < 1e-11


def test_a_chain_of_shifts_is_at_no_reconstruction_distance(rng):
    shape = (7, 24)
    first = np.zeros(shape)
    first[1:6, 2:7] = rng.random((5, 5))
    other = np.zeros(shape)
    other[1:6, 2:7] = rng.random((5, 5))
    shift = Shift(beyond="wrap")
    chain = lambda x: np.vstack(  # noqa: E731
        [shift.apply(x.reshape(1, -1), [0.0, s], shape) for s in range(12)]
    )
    X = np.vstack([chain(first), chain(other)])
    D = invariant_distances(X, LocalFilter(beyond="wrap"), shape, kind="reconstruction")
    one_step = InvariantDistance(LocalFilter(beyond="wrap"), shape, "reconstruction")
    E = one_step.table(one_step.frames(X))
    assert D[:12, :12].max() < 1e-4
    assert E[:12, :12].max() > 0.5  # in one step there is no filter that goes so far
    assert D[:12, 12:].min() > 0.1


def test_paths_keep_the_triangle_and_begin_with_easy_steps(rows):
    D = invariant_distances(rows, LocalFilter(), SHAPE, kind="reconstruction")
    one_step = InvariantDistance(LocalFilter(), SHAPE, "reconstruction")
    direct = one_step.table(one_step.frames(rows))
    assert ((D[:, :, None] + D[None]).min(axis=1) > D - 1e-12).all()
    nearest = np.argsort(direct, axis=1)[:, 1:9]
    at = np.arange(len(rows))[:, None]
    assert (D[at, nearest] <= direct[at, nearest] + 1e-12).all()


def test_a_path_goes_on_to_one_of_the_eight_easiest():
    """Of places in a line each step costs the root of its length: one long step beats two."""
    x = np.arange(20.0)
    D = along_steps(np.sqrt(np.abs(x[:, None] - x)))
    assert D[0, 8] == pytest.approx(np.sqrt(8))
    assert D[0, 9] == pytest.approx(np.sqrt(8) + 1)


def test_pieces_of_paths_are_joined(rng):
    X = np.concatenate([rng.random((12, 1)), 100 + rng.random((12, 1))])
    D = along_steps(np.abs(X - X.T))
    assert np.isfinite(D).all()
    assert D[:12, 12:].min() == pytest.approx(X[12:].min() - X[:12].max())


def test_new_items_go_along_the_paths(rng):
    x = np.sort(rng.random(40))
    errors = np.abs(x[:, None] - x) ** 2  # long steps cost more than short ones
    table = along_steps(errors)
    assert np.allclose(along_steps_of_new(errors, table), table)
    found = along_steps_of_new(np.abs(0.5 - x[None]) ** 2, table)[0]
    with_it = along_steps(np.subtract.outer(np.r_[x, 0.5], np.r_[x, 0.5]) ** 2)[-1, :-1]
    assert np.allclose(found, with_it, rtol=0.05, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_symmetric_with_zeros_for_equal_rows_alone(self, rows, kind):
        X = np.vstack([rows, rows[:2]])
        D = invariant_distances(X, Shift(), SHAPE, kind=kind)
        assert np.array_equal(D, D.T)
        same = (X[:, None] == X).all(axis=2)
        assert np.array_equal(D == 0, same)

    def test_lists_are_parts_of_the_table(self, rows, rng, kind):
        measure = InvariantDistance(Affine(), SHAPE, kind)
        frames = measure.frames(rows)
        lists = rng.integers(0, len(rows), (len(rows), 7))
        listed = measure.among(frames, frames, lists)
        table = measure.table(frames)
        assert np.allclose(listed, np.take_along_axis(table, lists, axis=1), atol=1e-7)

    def test_not_a_matter_of_threads_or_tiles(self, rows, rng, kind, monkeypatch):
        from sidelight.transforms.distances import frames as tiling
        from sidelight.transforms.distances import measure as threads

        X = rng.random((300, rows.shape[1]))
        alone = [invariant_distances(X, Affine(), SHAPE, kind=kind)]
        for n in (1, 2):
            monkeypatch.setattr(threads, "count_threads", lambda *_, n=n, **__: n)
            alone.append(invariant_distances(X, Affine(), SHAPE, kind=kind))
        assert np.array_equal(alone[0], alone[1])
        assert np.array_equal(alone[0], alone[2])
        monkeypatch.setattr(tiling, "_BUDGET", 1e5)
        assert np.allclose(alone[0], invariant_distances(X, Affine(), SHAPE, kind=kind), atol=1e-7)

    def test_the_unit_of_the_rows_is_the_unit_of_the_distance(self, rows, kind):
        D = invariant_distances(rows, Shift(), SHAPE, kind=kind)
        power = 0 if kind == "correction" else 1
        scaled = invariant_distances(1e3 * rows, Shift(), SHAPE, kind=kind)
        assert np.allclose(scaled, 1e3**power * D, rtol=1e-7)


class TestRefusals:
    def test_more_tangents_than_features(self):
        with pytest.raises(ValueError, match="9 tangents in rows of 6 features"):
            invariant_distances(np.random.default_rng(0).random((4, 6)), LocalFilter(), (2, 3))

    def test_constant_images(self):
        X = np.full((5, 12), 0.5)
        with pytest.raises(ValueError, match="changes no row"):
            invariant_distances(X, Shift(), (3, 4))

    def test_one_constant_image_has_no_angle(self, rows):
        rows[4] = 1.0
        with pytest.raises(ValueError, match="no tangents at row 4"):
            invariant_distances(rows, Shift(), SHAPE, kind="correction")
        D = invariant_distances(rows, Shift(smoothing=0), SHAPE)
        assert np.isfinite(D).all()

    @pytest.mark.parametrize("one", [Gain(), LocalFilter(), Several([Shift(), Gain()])])
    def test_what_could_make_nothing_of_every_item(self, rows, one):
        with pytest.raises(ValueError, match="all tangent planes meet"):
            invariant_distances(rows, one, SHAPE)
        assert Invariance(one, image_shape=SHAPE).measure().kind == "reconstruction"
        assert Invariance(Shift(), image_shape=SHAPE).measure().kind == "tangent"

    @pytest.mark.parametrize(("left", "refused"), [(1e-6, True), (1e-4, False), (0.3, False)])
    def test_items_that_lie_in_the_span_of_their_tangents_to_rounding(self, rows, left, refused):
        """``left`` is the share of their squares that lies outside."""

        def ways(X):
            across = np.roll(X, 1, axis=1)
            squares = np.sum(X * X, axis=1, keepdims=True)
            across -= np.sum(across * X, axis=1, keepdims=True) / squares * X
            across *= np.sqrt(squares) / np.linalg.norm(across, axis=1, keepdims=True)
            return (np.sqrt(1 - left) * X + np.sqrt(left) * across)[:, None]

        if refused:
            with pytest.raises(ValueError, match="all tangent planes meet"):
                invariant_distances(rows, Tangents(ways))
        else:
            assert np.isfinite(invariant_distances(rows, Tangents(ways))).all()

    def test_unknown_kind(self, rows):
        with pytest.raises(ValueError, match="'kind' argument"):
            invariant_distances(rows, Shift(), SHAPE, kind="angle")


@pytest.mark.parametrize("kind", ["tangent", "correction"])
def test_tangents_of_both_items_that_fill_the_space_are_refused(kind):
    """Six of either item in nine pixels: all distances were zero, and nothing was said."""
    X = np.random.default_rng(0).random((6, 9))
    with pytest.raises(ValueError, match="6 tangents of either item in rows of 9 features"):
        invariant_distances(X, Affine(), (3, 3), kind=kind)
    one_sided = invariant_distances(X, Affine(), (3, 3), kind="reconstruction")
    assert one_sided[np.triu_indices(6, 1)].min() > 0


def test_half_as_many_tangents_as_features_still_make_an_angle_but_no_distance():
    X = np.random.default_rng(0).random((5, 4))
    planes = Tangents(lambda rows: np.stack([rows, np.roll(rows, 1, axis=1) ** 2], axis=1))
    D = invariant_distances(X, planes, kind="correction")
    assert D[np.triu_indices(5, 1)].min() > 1e-6
    with pytest.raises(ValueError, match="2 tangents of either item in rows of 4 features"):
        invariant_distances(X, planes, kind="tangent")


def test_a_transformation_that_gives_no_numbers_is_told_so():
    """It was told that it "changes no row"."""
    X = np.random.default_rng(0).random((6, 9))
    broken = Custom(lambda x, theta: x * np.nan if x[0] == X[2, 0] else x + theta[0], rest=[0.0])
    with pytest.raises(ValueError, match="of row 2 of X that is no finite number"):
        invariant_distances(X, broken)


@pytest.mark.parametrize("seed", range(5))
def test_the_smoother_images_are_the_less_is_left_of_a_step_of_a_pixel(seed):
    """A map by reconstruction tells items apart only as far as their own steps are shorter."""
    strokes = np.zeros((12, 28, 28))
    strokes[:, 8:20, 8:20] = np.random.default_rng(seed).random((12, 12, 12)) > 0.7
    X = np.vstack([strokes, np.roll(strokes, 1, axis=2)]).reshape(24, -1)

    def left(transformation):
        measure = InvariantDistance(transformation, (28, 28), "reconstruction")
        D = measure.table(measure.frames(X))
        own = D[np.arange(12), np.arange(12, 24)].copy()
        D[np.arange(12), np.arange(12, 24)] = np.inf
        return own.mean() / D[:12, 12:].min(axis=1).mean()

    widths = (0.0, SMOOTHING, 0.045, 0.07)
    shares = [left(Shift(direction="horizontal", smoothing=width)) for width in widths]
    assert np.all(np.diff(shares) < -0.02), shares
    own = [lambda image: np.roll(image, 1, axis=1), lambda image: np.roll(image, -1, axis=1)]
    assert left(transformation_of(own)) < 1e-3
