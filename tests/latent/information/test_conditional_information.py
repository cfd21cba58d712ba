"""Conditional information: against loops over rows, and what its kernel between values does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

import sidelight
from sidelight import PCA, ConditionalEmbedding, KernelInformationEmbedding
from sidelight.latent.density import KnownFactor, squared_distances
from sidelight.latent.information.conditional.information import (
    ConditionalInformation,
    _onset_of_each,
    kernel_of_values,
)
from sidelight.latent.information.path import find_onset
from sidelight.side import Condition
from tests.latent.information.classes_and_numbers import classes_and_numbers

RNG = np.random.default_rng(11)
N = 40
X = RNG.standard_normal(N)
Y = np.column_stack([3.0 * X, RNG.standard_normal(N), 0.3 * RNG.standard_normal(N)])
CLASSES = np.where(X > 0, "high", "low")
ANGLES = (60 * X) % 360

#: Each with V of two values, written out.
KERNELS = {
    "classes": (Condition(CLASSES), lambda a, b: float(CLASSES[a] == CLASSES[b])),
    "numbers": (Condition(X), lambda a, b: np.exp(-(((X[a] - X[b]) / X.std()) ** 2))),
    "width": (Condition(X, kernel=0.4), lambda a, b: np.exp(-(((X[a] - X[b]) / 0.4) ** 2))),
    "delta": (Condition(X, kernel="delta"), lambda a, b: float(a == b)),
    "angles": (
        Condition(ANGLES, period=360, kernel=30.0),
        lambda a, b: np.exp(
            -((360 / np.pi * np.sin(np.radians(ANGLES[a] - ANGLES[b]) / 2) / 30.0) ** 2)
        ),
    ),
}


def naive(Z, h, V):
    """Of log P(y, z, x) P(x) / P(z, x) P(y, x), the mean over rows."""
    total = 0.0
    for a in range(N):
        k = np.exp(-np.sum((Z - Z[a]) ** 2, axis=1))
        K = np.exp(-np.sum((Y - Y[a]) ** 2, axis=1) / h)
        v = np.array([V(a, b) for b in range(N)])
        total += np.log(np.sum(k * K * v) * np.sum(v) / (np.sum(k * v) * np.sum(K * v)))
    return total / N


@pytest.mark.parametrize("name", KERNELS)
def test_the_kernel_between_values_is_the_one_written_out(name):
    condition, V = KERNELS[name]
    found = kernel_of_values(condition, KnownFactor.of(condition, who="test"))
    expected = [[V(a, b) for b in range(N)] for a in range(N)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["classes", "numbers", "width", "angles"])
def test_the_objective_is_the_estimate_by_loops(name):
    condition, V = KERNELS[name]
    model = KernelInformationEmbedding(1).fit(Y, side=condition)
    told = naive(model.embedding_, model.path_["bandwidth"][-1], V)
    assert model.mutual_information_ == pytest.approx(told, rel=1e-6)
    expected = told - model.alpha_ * np.mean(model.embedding_**2)
    assert model.objective_ == pytest.approx(expected, rel=1e-6)
    assert model.history_[-1] == model.objective_


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_the_map_is_an_optimum(name):
    condition, V = KERNELS[name]
    model = KernelInformationEmbedding(1, alpha=0.01, max_iter=2000).fit(Y, side=condition)
    h = model.path_["bandwidth"][-1]

    def objective(z):
        return naive(z[:, None], h, V) - 0.01 * np.mean(z**2)

    gradient = approx_fprime(model.embedding_[:, 0], objective, 1e-6)
    assert np.abs(gradient).max() < 1e-5


def test_a_class_does_not_see_the_others():
    """With a kernel that tells classes apart, moving one of them gains and loses nothing."""
    factor = KnownFactor.of(Condition(CLASSES), who="test")
    V = kernel_of_values(Condition(CLASSES), factor)
    squared = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    pairs = ConditionalInformation(squared, V)
    K, Z = pairs.kernel(2.0), RNG.standard_normal((N, 2))
    moved = Z + 7.0 * (CLASSES == "high")[:, None]
    assert pairs.information(moved, K)[0] == pytest.approx(pairs.information(Z, K)[0])


@pytest.mark.parametrize("seed", [20, 21, 22])
def test_what_the_factor_tells_is_not_told_again(seed):
    """The first feature is the factor: a map of one dimension shows the second instead."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(120)
    items = np.column_stack([3 * x, 1.5 * rng.standard_normal(120), 0.3 * rng.standard_normal(120)])
    plain = KernelInformationEmbedding(1).fit(items).embedding_[:, 0]
    told = Condition(x, kernel=0.5)
    beside = KernelInformationEmbedding(1).fit(items, side=told).embedding_[:, 0]
    of_factor, of_rest = (
        [abs(np.corrcoef(Z, items[:, column])[0, 1]) for Z in (plain, beside)] for column in (0, 1)
    )
    assert of_factor[0] > 0.85
    assert of_factor[1] < 0.3
    assert of_rest[1] > 0.85


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("continuation", "none"),
        ("n_steps", 7),
        ("leave_one_out", True),
        ("init", "pca"),
        ("init", np.zeros((40, 1))),
        ("validation_fraction", 0.2),
        ("warm_start", True),
    ],
)
def test_parameters_that_do_nothing_with_a_condition_are_refused(name, value):
    model = KernelInformationEmbedding(1, **{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter of KernelInformation.* with a Cond"):
        model.fit(Y, side=Condition(X))


def test_what_does_nothing_in_a_mode_is_refused_in_it():
    with pytest.raises(ValueError, match="'validation' argument of .* does nothing with a Cond"):
        KernelInformationEmbedding(1).fit(Y, side=Condition(X), validation=Y[:3])


def test_kernels_of_a_condition_that_make_no_sense_are_refused():
    for kernel in (0.0, -1.0, "rbf", np.inf):
        with pytest.raises(ValueError, match="'kernel' argument of Condition must be None"):
            Condition([1.0, 2.0], kernel=kernel)
    with pytest.raises(ValueError, match="is a width for numbers"):
        Condition(["a", "b"], kernel=2.0)


def width_of_half(left, right):
    """What ``kernel=0.5`` is, written out."""
    return np.exp(-(np.subtract.outer(left, right) ** 2) / 0.25)


def test_a_kernel_of_ones_own_is_taken_as_it_is():
    own, given = Condition(X, kernel=width_of_half), Condition(X, kernel=0.5)
    factor = KnownFactor.of(given, who="test")
    np.testing.assert_allclose(kernel_of_values(own, factor), kernel_of_values(given, factor))
    names = np.array([f"{c}{i % 2}" for i, c in enumerate(CLASSES)])

    def half(left, right):
        """Classes of one letter are alike by half, and of one name wholly."""
        same = np.equal.outer(left, right)
        return np.where(same, 1.0, 0.5 * np.equal.outer(left.astype("U1"), right.astype("U1")))

    V = kernel_of_values(Condition(names, kernel=half), KnownFactor.of(Condition(names), who="t"))
    for a, b in ((0, 1), (0, 2), (3, 4)):
        one = names[a] == names[b]
        assert V[a, b] == (1.0 if one else 0.5 * (names[a][0] == names[b][0]))
    assert Condition(X, kernel=width_of_half).within([0, 1, 2]).kernel is width_of_half


@pytest.mark.parametrize(
    ("kernel", "match"),
    [
        (lambda a, b: np.ones(3), "finite table of"),
        (lambda a, b: -np.ones((len(a), len(b))), "finite table of"),
        (lambda a, b: np.triu(np.ones((len(a), len(b)))), "symmetric"),
        (lambda a, b: np.zeros((len(a), len(b))), "alike to itself"),
    ],
)
def test_a_kernel_of_ones_own_that_is_none(kernel, match):
    condition = Condition(X, kernel=kernel)
    with pytest.raises(ValueError, match=match):
        kernel_of_values(condition, KnownFactor.of(Condition(X), who="test"))


def test_classes_and_numbers_together_are_compared_by_the_product_of_their_kernels():
    """One Condition cannot hold both, and several were refused."""
    conditions = (Condition(CLASSES), Condition(X, kernel=0.4))
    model = KernelInformationEmbedding(2, bandwidth=4.0, alpha=0.01).fit(Y, side=list(conditions))

    def V(a, b):
        return KERNELS["classes"][1](a, b) * KERNELS["width"][1](a, b)

    assert model.mutual_information_ == pytest.approx(naive(model.embedding_, 4.0, V), abs=1e-10)
    table = np.array([[V(a, b) for b in range(N)] for a in range(N)])
    squared = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    pairs = ConditionalInformation(squared, table)
    slope = pairs.information(model.embedding_, pairs.kernel(4.0))[1] - 0.02 * model.embedding_
    assert np.abs(slope).max() < 1e-4
    report = [(heard.kind, heard.place) for heard in model.side_report_]
    assert report == [("Condition", "inside")] * 2


@pytest.mark.parametrize("method", [KernelInformationEmbedding, ConditionalEmbedding])
def test_the_condition_of_new_rows_places_them_among_rows_of_like_condition(method):
    """E[z | y, x] by loops: it was refused as if the fit had had no Condition."""
    model = method(2, bandwidth=4.0).fit(Y, side=Condition(CLASSES))
    new = np.random.default_rng(0).standard_normal((5, 3))
    for kind in ("high", "low"):
        at = [kind] * len(new)
        found = model.transform(new, condition=Condition(at))
        for row, place in zip(new, found, strict=True):
            k = [np.exp(-np.sum((row - y) ** 2) / model.bandwidth_) for y in Y]
            k = np.array(k) * (kind == CLASSES)
            np.testing.assert_allclose(place, k @ model.embedding_ / k.sum(), atol=1e-9)
        np.testing.assert_array_equal(found, model.transform(new, condition=at))
    same = model.transform(Y, condition=Condition(CLASSES))
    np.testing.assert_array_equal(same, model.embedding_)
    swapped = model.transform(Y[:4], condition=np.where(CLASSES == "high", "low", "high")[:4])
    assert np.abs(swapped - model.embedding_[:4]).max() > 1e-3
    with pytest.raises(ValueError, match="transform must hold classes of the fit"):
        model.transform(new, condition=["other"] * 5)
    with pytest.raises(ValueError, match="transform with a condition needs a map that was fitted"):
        method(2).fit(Y).transform(new, condition=CLASSES[:5])


def test_new_rows_of_two_conditions_are_compared_by_both(tmp_path):
    X, kinds, numbers = classes_and_numbers()
    model = KernelInformationEmbedding(1).fit(X, side=[Condition(kinds), Condition(numbers)])
    new = X[:6] + 0.1
    found = model.transform(new, condition=[kinds[:6], Condition(numbers[:6])])
    reach = model._map.place.factor.parts[1].reach * numbers.std() ** 2
    for i, row in enumerate(new):
        weight = np.exp(
            -np.sum((row - X) ** 2, axis=1) / model.bandwidth_ - (numbers[i] - numbers) ** 2 / reach
        ) * (kinds == kinds[i])
        expected = weight @ model.embedding_ / weight.sum()
        np.testing.assert_allclose(found[i], expected, atol=1e-5)
    sidelight.save(model, tmp_path / "two.sidelight")
    again = sidelight.load(tmp_path / "two.sidelight")
    np.testing.assert_array_equal(again.transform(new, condition=[kinds[:6], numbers[:6]]), found)
    with pytest.raises(ValueError, match="a list with the values of each of 2 factors"):
        model.transform(new, condition=kinds[:6])


def test_a_factor_that_does_not_show_is_left_out_beside_one_that_does():
    X, kinds, _ = classes_and_numbers()
    chance = Condition(np.random.default_rng(3).permutation(["a", "b"] * (len(X) // 2)))
    with pytest.warns(UserWarning, match="One of the 2 Conditions .* made without it"):
        both = KernelInformationEmbedding(1).fit(X, side=[Condition(kinds), chance])
    one = KernelInformationEmbedding(1).fit(X, side=Condition(kinds))
    np.testing.assert_array_equal(both.embedding_, one.embedding_)


@pytest.mark.filterwarnings("ignore:FactorRemoval subtracts")
def test_several_conditions_in_front_are_reported_one_by_one():
    X, kinds, numbers = classes_and_numbers()
    report = PCA(1).fit(X, side=[Condition(kinds), Condition(numbers)]).side_report_
    assert [heard.kind for heard in report] == ["Condition"] * 2
    assert "classes" in report[0].change
    assert "60 rows, 1 number each" in report[1].change


def test_a_density_without_a_factor_in_front_does_not_ask_for_a_condition_when_fitting():
    model = KernelInformationEmbedding(1).fit(Y, side=Condition(CLASSES))
    with pytest.raises(ValueError, match="fitted without a Condition that is taken out in front"):
        model.score_samples(Y[:2], condition=CLASSES[:2])


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1]])
def test_a_path_begins_where_the_last_of_the_groups_unfolds(order):
    """Each value has a map of its own, and points leave the origin at a penalty of its own."""
    rng = np.random.default_rng(0)
    groups = [width * rng.standard_normal((20, 3)) for width in (0.5, 1.0, 2.0)]
    Y, value = np.vstack([groups[k] for k in order]), np.repeat([0, 1, 2], 20)
    V = np.equal.outer(value, value).astype(float)
    together = ConditionalInformation(squared_distances(Y, Y), V)
    onset = _onset_of_each(together, 4.0, 2, value, "it")
    alone = []
    for rows in groups:
        pairs = ConditionalInformation(squared_distances(rows, rows), np.ones((20, 20)))
        told = {"leave_one_out": False, "who": "it"}
        alone.append(find_onset(pairs, pairs.kernel(4.0), 20, 2, **told).penalties)
    assert np.ptp(alone, axis=0).min() > 0.01
    np.testing.assert_allclose(onset.penalties, np.min(alone, axis=0), rtol=1e-4)
