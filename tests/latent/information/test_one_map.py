"""Kernel information embedding: one map, whatever turns, scales or rounds the data."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sidelight import KernelInformationEmbedding
from sidelight.latent.information import path
from sidelight.latent.information.axes import on_axes
from sidelight.latent.information.ends import lies_along_curve
from sidelight.latent.information.followed import Way, follow_best
from sidelight.latent.information.mutual_information import AllPairs
from sidelight.latent.information.path import Path
from sidelight.side import Condition
from sidelight.solvers.descent import Continuation
from sidelight.solvers.descent.gliding import Pace, glide


def bent_sheet():
    rng = np.random.default_rng(10)
    t, h = 3 * rng.random(110), 2 * rng.random(110)
    sheet = np.column_stack([np.cos(t), np.sin(t), h, t / 2, h * t / 4])
    return sheet + 0.02 * rng.standard_normal(sheet.shape)


def cloud():
    return np.random.default_rng(20).standard_normal((90, 20)) * np.geomspace(3, 0.3, 20)


@pytest.fixture(scope="module", params=[bent_sheet, cloud], ids=lambda make: make.__name__)
def data(request):
    X = request.param()
    return X, KernelInformationEmbedding().fit(X)


def turned(X):
    columns = X.shape[1]
    return X @ np.linalg.qr(np.random.default_rng(5).standard_normal((columns, columns)))[0]


@pytest.mark.parametrize(
    ("change", "atol"),
    [
        (turned, 1e-4),
        (lambda X: 7.3 * X, 1e-4),
        (lambda X: 1e-6 * X, 1e-4),
        (lambda X: X + 300.0, 1e-4),
        (lambda X: X.astype(np.float32), 2e-3),
    ],
    ids=["turned", "another unit", "a tiny unit", "moved", "single precision"],
)
def test_the_map_is_that_of_the_data_changed_in_nothing_that_matters(data, change, atol):
    X, expected = data
    found = KernelInformationEmbedding().fit(change(X))
    Z = expected.embedding_
    signs = np.sign(np.einsum("ij,ij->j", found.embedding_, Z))
    np.testing.assert_allclose(found.embedding_ * signs, Z, atol=atol * np.abs(Z).max())
    assert found.alpha_ == expected.alpha_
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-5)


@pytest.mark.parametrize("unit", [1e-9, 1e-4, 1.0, 1e6])
def test_whether_items_follow_a_curve_does_not_depend_on_their_unit(unit):
    t = np.linspace(0, 6, 60)
    curve = np.column_stack([np.cos(t), np.sin(t), np.cos(2 * t)])
    assert lies_along_curve(unit * curve)
    assert not lies_along_curve(unit * np.random.default_rng(0).standard_normal((60, 3)))


def double_wells(x):
    return float(((x**2 - 1) ** 2).sum() + 0.1 * x.sum()), 4 * x * (x**2 - 1) + 0.1


def test_a_glide_comes_to_the_valley_next_to_its_start_and_forgets_the_last_bits():
    start = np.random.default_rng(0).uniform(-1.5, 1.5, 200)
    pace, still = Pace(0.05, 0.8, 400), np.zeros(200)
    found, _ = glide(double_wells, start, still, pace, stage="wells", who="test")
    assert found.value < double_wells(start)[0]
    np.testing.assert_allclose(double_wells(found.x)[1], 0, atol=1e-8)
    other, _ = glide(double_wells, start * (1 + 1e-15), still, pace, stage="wells", who="test")
    np.testing.assert_allclose(other.x, found.x, atol=1e-12)


def test_steps_that_are_too_long_are_halved():
    """A rate that is right for one objective throws the point out of a steeper one."""

    def steep(x):
        return 50 * float(np.sum(x**2)), 100 * x

    found, _ = glide(steep, np.ones(3), np.zeros(3), Pace(0.3, 0.8, 60), stage="bowl", who="test")
    assert np.abs(found.x).max() < 1e-3


@contextmanager
def on_another_processor(seed):
    """First points, and sums that may be added up in any order, with last bits of their own."""
    rng, exact = np.random.default_rng(seed), AllPairs.information
    leading = path.largest_eigenpairs

    def touched(numbers):
        return numbers * (1 + 1e-15 * rng.standard_normal(numbers.shape))

    def information(pairs, Z, K, *, leave_one_out=False):
        value, gradient = exact(pairs, Z, K, leave_one_out=leave_one_out)
        return value, gradient if leave_one_out else touched(gradient)

    def eigenpairs(*given, **options):
        found = leading(*given, **options)
        return replace(found, values=touched(found.values), vectors=touched(found.vectors))

    with (
        patch.object(AllPairs, "information", information),
        patch.object(path, "largest_eigenpairs", eigenpairs),
    ):
        yield


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("told", [{"leave_one_out": True}, {"bandwidth": "learned"}])
def test_points_left_out_of_their_own_sums_do_not_swing_to_another_map(told):
    """A stiff objective with very many optima, among which the last bit would choose."""
    rows = load_digits().data
    for seed in range(40, 45):
        X, maps = rows[np.random.default_rng(seed).permutation(len(rows))[:50]], []
        for noise in (1, 2):
            with on_another_processor(noise):
                maps.append(KernelInformationEmbedding(**told).fit_transform(X))
        np.testing.assert_allclose(*maps, atol=1e-9 * np.abs(maps[0]).max(), err_msg=str(seed))


def lattice(*shape):
    return 0.1 * np.argwhere(np.ones(shape))


@pytest.mark.parametrize("shape", [(8, 8), (11, 11), (12, 9), (4, 4, 4)], ids=str)
def test_symmetric_rows_leave_their_saddle_by_a_rule(shape):
    """Of the maps that mirror each other all processors must find the same one."""
    X, maps = lattice(*shape), []
    for seed in (1, 2):
        with on_another_processor(seed):
            maps.append(KernelInformationEmbedding().fit_transform(X))
    np.testing.assert_allclose(*maps, atol=1e-6 * np.abs(maps[0]).max())


def test_copies_of_a_row_begin_and_stay_together():
    X = np.repeat(bent_sheet()[:40], 2, axis=0)
    Z = KernelInformationEmbedding().fit_transform(X)
    np.testing.assert_allclose(Z[::2], Z[1::2], atol=1e-9)


def test_classes_that_are_not_compared_have_maps_on_their_own_axes():
    """Under a condition of classes each is free to turn, and must not leave a saddle by chance."""
    digits = load_digits()
    X, y = digits.data[:90], digits.target[:90] % 3
    rng = np.random.default_rng(0)
    touched = X * (1 + 1e-13 * rng.standard_normal(X.shape))
    Z, other = (
        KernelInformationEmbedding().fit(Y, side=Condition(y.astype(str))).embedding_
        for Y in (X, touched)
    )
    np.testing.assert_allclose(other, Z, atol=1e-6 * np.abs(Z).max())
    for value in range(3):
        spread = np.cov(Z[y == value].T)
        assert abs(spread[0, 1]) < 1e-8 * spread[0, 0]
        assert spread[0, 0] > spread[1, 1] > 0.01 * spread[0, 0]


@pytest.mark.parametrize("bits", [-3e-16, 0.0, 3e-16])
def test_of_two_paths_that_are_as_good_to_rounding_the_first_is_followed(bits):
    errors = iter([np.array([2.0, 1.0]), np.array([1.0 + bits])])

    def follow(path, start, first):
        told = next(errors)
        return Continuation(start, 0.0, 0, told, told, 1, True, False)

    way = Way(Path(np.ones(2), np.ones(2)), np.zeros((3, 1)), 1.0)
    assert follow_best([lambda: way] * 2, follow, None)[0] == 0


@pytest.mark.parametrize("bits", [-1e-12, 0.0, 1e-12])
def test_columns_that_are_as_long_to_rounding_keep_their_order(bits):
    Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * [1.0, 1.0 + bits]
    np.testing.assert_allclose(on_axes(Z, "l4"), Z, atol=1e-11)
