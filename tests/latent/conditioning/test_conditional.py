"""A known factor left out of the map: objectives, matches, maps, and rendering."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from sidelight import ConditionalEmbedding, KernelInformationEmbedding
from sidelight.datasets import rotated_digits
from sidelight.latent.conditioning.matches import Matching, match_items
from sidelight.latent.conditioning.objective import MatchedInformation
from sidelight.latent.density import KnownFactor
from sidelight.latent.information.conditional.information import ConditionalInformation
from sidelight.side import Condition

RNG = np.random.default_rng(0)
DIGITS = rotated_digits([2, 5, 6, 7], n_rotations=24, random_state=3)
ANGLE, CLASS = DIGITS.truth[:, 0], DIGITS.extras["example"]


def angle_error(Z, angle, classes):
    """Degrees, after one offset per class and one direction for all."""
    centred = Z - Z.mean(axis=0)
    found, true = np.arctan2(*centred.T[::-1]), np.radians(angle)
    errors = []
    for direction in (1, -1):
        off = np.exp(1j * (found - direction * true))
        turned = [off[classes == c] / off[classes == c].mean() for c in np.unique(classes)]
        errors.append(np.degrees(np.abs(np.angle(np.concatenate(turned)))).mean())
    return min(errors)


def neighbour_accuracy(Z, labels):
    D = cdist(Z, Z)
    np.fill_diagonal(D, np.inf)
    return np.mean(labels[D.argmin(axis=1)] == labels)


@pytest.fixture
def problem():
    n = 130  # more than two bands of rows
    M = np.eye(3)[np.arange(n) % 3]
    W = np.exp(RNG.normal(size=(n, n)))
    trust = RNG.random((n, 3))
    return Matching(W + W.T, M, trust / trust.sum(axis=1, keepdims=True)), RNG.normal(size=(n, 2))


@pytest.mark.parametrize("leave_one_out", [False, True])
def test_gradients(problem, leave_one_out):
    matching, Z = problem
    Y, x = RNG.normal(size=(len(Z), 4)), RNG.normal(size=(len(Z), 1))
    printed = ConditionalInformation(
        cdist(Y, Y, "sqeuclidean"), np.exp(-cdist(x, x, "sqeuclidean"))
    )
    for pairs, K in ((MatchedInformation(matching), None), (printed, printed.kernel(2.0))):

        def of(x, pairs=pairs, K=K):
            return pairs.information(x.reshape(Z.shape), K, leave_one_out=leave_one_out)

        gradient = of(Z.ravel())[1].ravel()
        error = check_grad(lambda x: of(x)[0], lambda x: of(x)[1].ravel(), Z.ravel())
        assert error < 1e-5 * np.linalg.norm(gradient)


def test_matching_with_trust_in_the_own_value_is_the_printed_form_with_a_delta_kernel(problem):
    matching, Z = problem
    own = Matching(matching.W, matching.M, matching.M)
    printed = ConditionalInformation(np.zeros_like(matching.W), matching.M @ matching.M.T)
    value, gradient = MatchedInformation(own).information(Z, leave_one_out=False)
    expected = printed.information(Z, matching.W, leave_one_out=False)
    assert value == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient, expected[1], atol=1e-8)


def test_every_item_sends_mass_one_to_every_value():
    # matches of a low temperature are balanced more slowly
    for condition, off in (
        (Condition(CLASS.astype(str)), 0.05),
        (Condition(ANGLE, period=360), 0.2),
    ):
        factor = KnownFactor.of(condition, who="test")
        for matching in match_items(DIGITS.X, factor):
            np.testing.assert_allclose(matching.W @ matching.M, 1, atol=off)
            np.testing.assert_allclose(matching.trust.sum(axis=1), 1)


def test_identical_items_are_matched_across_classes():
    """Two classes, the second a copy of the first plus a constant: copies are found."""
    items = RNG.normal(size=(40, 6))
    Y = np.vstack([items, items + 10 * np.ones(6)])
    factor = KnownFactor.of(Condition(["a"] * 40 + ["b"] * 40), who="test")
    W = match_items(Y, factor)[-1].W
    np.testing.assert_array_equal(W[:40, 40:].argmax(axis=1), np.arange(40))
    model = ConditionalEmbedding(2).fit(Y, side=Condition(["a"] * 40 + ["b"] * 40))
    Z = model.embedding_
    gap = np.linalg.norm(Z[:40] - Z[40:], axis=1)
    assert gap.max() < 1e-4 * np.abs(Z).max()  # the map does not see the class at all
    new = Y[:40] + 1e-9  # rows that were fitted are left out of their own expectation
    back = model.render(new, condition="b", detail=1.0)
    np.testing.assert_allclose(back, Y[40:], atol=1e-3)  # and rendering adds the constant


def angle_errors(seeds, noise=0.0):
    """Of three digits of any kind at 24 angles, the digit known; a draw for every seed."""
    errors = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        kinds = rng.choice(10, 3, replace=False).tolist()
        drawn = rotated_digits(kinds, n_rotations=24, random_state=seed)
        X = drawn.X + noise * rng.standard_normal(drawn.X.shape)
        which = drawn.extras["example"]
        model = ConditionalEmbedding(2, tol=1e-6).fit(X, side=Condition(which.astype(str)))
        errors.append(angle_error(model.embedding_, drawn.truth[:, 0], which))
    return np.array(errors)


def test_angle_is_left_when_the_class_is_known():
    errors = angle_errors(range(820, 825))
    assert np.mean(errors < 5) >= 0.8
    assert np.median(errors) < 2.5
    plain = ConditionalEmbedding(2).fit(DIGITS.X).embedding_
    assert angle_error(plain, ANGLE, CLASS) > 20


def test_the_angle_is_read_off_in_every_draw_though_a_quarter_turn_leaves_the_pictures_alike():
    """Sine and cosine share an eigenvalue; chosen one by one, in 3 draws of 16 two did not fit."""
    errors = angle_errors(range(844, 860))
    assert np.max(errors) < 20
    assert np.median(errors) < 2


def test_angle_is_left_in_spite_of_noise():
    errors = angle_errors(range(830, 833), noise=0.1)
    assert np.median(errors) < 6


def test_no_map_of_noisy_pictures_is_moved_to_where_the_noise_is_predicted():
    """Moved where items were predicted a twentieth better, one angle went from 10° off to 43°."""
    errors = angle_errors(range(870, 890), noise=0.07)
    assert np.max(errors) < 20
    assert np.median(errors) < 6


def test_every_class_has_the_same_middle_and_spread():
    """A class of eight, each of which matches many others, does not gather in the middle."""
    few = (CLASS != 3) | (np.arange(len(CLASS)) % 3 == 0)
    X, classes = DIGITS.X[few], CLASS[few]
    model = ConditionalEmbedding(1, max_iter=30)
    Z = model.fit(X, side=Condition(classes.astype(str))).embedding_[:, 0]
    parts = [Z[classes == c] for c in range(4)]
    middles, spreads = np.array([(part.mean(), part.std()) for part in parts]).T
    np.testing.assert_allclose(middles - middles[0], 0, atol=1e-6 * np.abs(Z).max())
    np.testing.assert_allclose(spreads, spreads[0], rtol=1e-6)


def test_class_is_left_when_the_angle_is_known():
    model = ConditionalEmbedding(2).fit(DIGITS.X, side=Condition(ANGLE, period=360))
    assert neighbour_accuracy(model.embedding_, CLASS) == 1
    # and a digit is shown at another angle
    wanted = (ANGLE + 90) % 360
    shown = model.render(DIGITS.X, condition=wanted)
    target = np.concatenate([np.roll(DIGITS.X[c == CLASS], -6, axis=0) for c in range(4)])
    error, moved = np.mean((shown - target) ** 2), np.mean((DIGITS.X - target) ** 2)
    assert error < 0.15 * moved


def test_position_is_left_when_the_size_is_known():
    """Sizes that never repeat."""
    rng = np.random.default_rng(1)
    place, size = rng.uniform(4, 12, 150), rng.uniform(1, 3, 150)
    grid = np.arange(16)
    X = np.exp(-((grid - place[:, None]) ** 2) / (2 * size[:, None] ** 2))
    Z = ConditionalEmbedding(1).fit(X, side=Condition(size)).embedding_
    rank = np.argsort(np.argsort(Z[:, 0]))
    assert abs(np.corrcoef(rank, place)[0, 1]) > 0.95
    assert abs(np.corrcoef(rank, size)[0, 1]) < 0.2


def test_the_printed_form_sees_its_condition():
    """At the same data another condition gives another map, which leaves more of its own out."""
    rng = np.random.default_rng(21)
    first, second = rng.uniform(-1, 1, (2, 60))
    Y = np.column_stack([2 * first, 2 * second, 0.05 * rng.normal(size=60)])
    model = KernelInformationEmbedding(1, tol=1e-6)
    told = []
    for known in (first, second):
        Z = model.fit(Y, side=Condition(known)).embedding_[:, 0]
        told.append([abs(spearmanr(Z, factor)[0]) for factor in (first, second)])
    assert told[0][1] > told[0][0] + 0.5  # the first known: what is left is the second
    assert told[1][0] > told[1][1] + 0.5


def test_numbers_that_come_again_are_classes():
    named = KnownFactor.of(Condition(["no", "yes", "no"]), who="test")
    counted = KnownFactor.of(Condition([0, 1, 0]), who="test")
    assert named.kind == counted.kind == "classes"
    np.testing.assert_array_equal(named.coordinates, counted.coordinates)
    # five rows for each of eight values, or four: too few to say what is usual at a value
    assert KnownFactor.of(Condition(np.arange(40) // 5), who="test").kind == "classes"
    assert KnownFactor.of(Condition(np.arange(40) // 4), who="test").kind == "different"
    assert KnownFactor.of(Condition(np.arange(30)), who="test").kind == "different"
    angles = Condition(np.arange(30) % 9 * 40, period=360)
    assert KnownFactor.of(angles, who="test").kind == "repeated"


@pytest.mark.parametrize("n_each", [2, 4])
def test_numbers_that_come_again_in_few_rows_only_are_left_out(n_each):
    """Their gaps come again, too: no window of gaps is empty."""
    rng = np.random.default_rng(11)
    place, number = rng.uniform(-1, 1, 120), np.arange(120) // n_each
    items = np.outer(number / 10, [3.0, 1, 0, 0]) + np.outer(place, [0.0, 1, 1, 1])
    Z = ConditionalEmbedding(1).fit(items, side=Condition(number)).embedding_[:, 0]
    assert abs(np.corrcoef(Z, place)[0, 1]) > 0.9
    assert abs(np.corrcoef(Z, number)[0, 1]) < 0.2


def test_a_period_joins_the_ends():
    factor = KnownFactor.of(Condition(np.arange(0.0, 360, 10), period=360), who="test")
    alike = factor.similarity(factor.coordinates_of(359.0, 1, who="test"))[0]
    assert alike.argmax() == 0
    assert alike[35] > alike[5]


class TestBadInput:
    """Messages say who, what was expected and what came."""

    def test_one_value_only(self):
        with pytest.raises(ValueError, match="same value, .*'a'.*in all 96 rows"):
            ConditionalEmbedding().fit(DIGITS.X, side=Condition(["a"] * 96))

    def test_a_class_for_every_row(self):
        with pytest.raises(ValueError, match="class of its own for each of 96 rows: nothing"):
            ConditionalEmbedding().fit(DIGITS.X, side=Condition([f"{i}" for i in range(96)]))

    def test_a_class_that_was_not_seen(self):
        items = RNG.normal(size=(30, 3)) + 3.0 * (np.arange(30) % 2)[:, None]
        model = ConditionalEmbedding(1).fit(items, side=Condition(["a", "b"] * 15))
        with pytest.raises(ValueError, match=r"classes of the fit, \['a', 'b'\]. Got 'c'"):
            model.render(items, condition="c")
        with pytest.raises(ValueError, match="one per row, 30. Got 2"):
            model.render(items, condition=["a", "b"])

    def test_a_map_without_a_factor(self):
        model = ConditionalEmbedding(1, max_iter=30).fit(RNG.normal(size=(30, 3)))
        with pytest.raises(ValueError, match=r"fit\(X, side=Condition"):
            model.render(RNG.normal(size=(2, 3)), condition="a")

    def test_periods(self):
        with pytest.raises(ValueError, match="'period' argument of Condition must be"):
            Condition([1.0, 2.0], period=-1)
        with pytest.raises(ValueError, match="one number per row"):
            Condition(["a", "b"], period=360)

    def test_missing_values(self):
        with pytest.raises(ValueError, match="missing or infinite for the rows 1"):
            ConditionalEmbedding(1).fit(RNG.normal(size=(3, 3)), side=Condition([1.0, np.nan, 2.0]))
