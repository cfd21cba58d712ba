"""Matches where supports differ: relaxed transport, local effects, and maps made of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from sidelight import ConditionalEmbedding
from sidelight.datasets import rotated_digits
from sidelight.latent.conditioning.local_effect import without_local_effect
from sidelight.latent.conditioning.matched_axes import agree_where_matched, matched_axes
from sidelight.latent.conditioning.matches import Matching, match_items
from sidelight.latent.conditioning.partial_matches import (
    match_in_part,
    match_without_local_effect,
    matchings_to_try,
)
from sidelight.latent.conditioning.sinkhorn import relaxed_transport
from sidelight.latent.density import KnownFactor
from sidelight.side import Condition

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def same_draws():
    """Every test draws the same numbers, whatever ran before it."""
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state


@pytest.fixture
def scores():
    return -cdist(RNG.normal(size=(30, 3)), RNG.normal(size=(20, 3)), "sqeuclidean") / 2


def ranges(step=0.02):
    """Pictures of a bump that goes from 0 to 0.6 in one class and from 0.4 to 1 in the other."""
    places = np.concatenate([np.arange(30) * step, 0.4 + np.arange(30) * step])
    classes = np.repeat([0, 1], 30)
    grid = np.linspace(-0.2, 1.2, 40)
    pictures = np.exp(-((places[:, None] - grid) ** 2) / (2 * 0.1**2))
    return pictures + np.outer(classes, RNG.normal(size=40)), places, classes


class TestTransport:
    """The plan is what its equations say."""

    def test_optimality(self, scores):
        """The plan is κ f g exp(c/τ), with τ log f + ρ log share = 0 on both sides."""
        tau, rho = 0.4, 0.7
        plan = relaxed_transport(scores, tau, rho)
        rows, columns = plan.mean(axis=1), plan.mean(axis=0)
        f, g = rows ** (-rho / tau), columns ** (-rho / tau)
        worth = plan / (f[:, None] * g * np.exp(scores / tau))
        np.testing.assert_allclose(worth, worth[0, 0], rtol=1e-4)
        level = np.quantile(rows, 0.8) * np.quantile(columns, 0.8)
        assert level == pytest.approx(1, abs=1e-4)

    def test_no_plan_is_better(self, scores):
        tau, rho = 0.4, 0.7
        plan = relaxed_transport(scores, tau, rho)
        rows, columns = plan.mean(axis=1), plan.mean(axis=0)
        worth = (plan / np.exp(scores / tau) * rows[:, None] ** (rho / tau)) * columns ** (
            rho / tau
        )

        def kl(p, q):
            return np.mean(p * np.log(p / q) - p + q)

        def value(plan):
            paid = tau * kl(plan, worth[0, 0])
            shares = kl(plan.mean(axis=1), 1) + kl(plan.mean(axis=0), 1)
            return np.mean(plan * scores) - paid - rho * shares

        for size in (0.01, 0.1):
            for _ in range(20):
                other = plan * np.exp(size * RNG.normal(size=plan.shape))
                assert value(other) < value(plan)

    def test_strict_transport_is_balanced(self, scores):
        plan = relaxed_transport(scores, 0.5)
        np.testing.assert_allclose(plan.mean(axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(plan.mean(axis=0), 1, atol=1e-5)
        K = np.exp(scores / 0.5)
        for _ in range(2000):  # Sinkhorn's steps, as in the textbook
            K /= K.mean(axis=1, keepdims=True)
            K /= K.mean(axis=0)
        np.testing.assert_allclose(plan, K, rtol=1e-4)
        nearly = relaxed_transport(scores, 0.5, 1e5)
        np.testing.assert_allclose(nearly, K, rtol=1e-3)

    def test_what_has_no_like_is_left_alone(self):
        places = np.concatenate([np.arange(30.0), np.arange(1000.0, 1010.0)])
        plan = relaxed_transport(-((places[:, None] - np.arange(30.0)) ** 2) / 2, 0.5, 0.5)
        shares = plan.mean(axis=1)
        assert shares[:30].min() > 0.5
        assert shares[30:].max() < 1e-6
        np.testing.assert_array_equal(plan[:30].argmax(axis=1), np.arange(30))


class TestMatches:
    """Planted correspondences are found, and only those."""

    def test_shared_range_is_matched(self):
        Y, places, classes = ranges()
        matching, found = match_in_part(Y, np.eye(2)[classes], 0.05)
        shared = (places > 0.4 - 1e-9) & (places < 0.6 - 1e-9)
        far = (places < 0.3) | (places > 0.7)
        assert found[shared].mean() > 0.8
        assert found[far].max() < 0.2
        across = np.where(classes[:, None] != classes, matching.W, 0.0)
        error = np.abs(places[across.argmax(axis=1)] - places)
        assert error[shared].max() < 0.03

    def test_full_supports_are_matched_in_full(self):
        """Every angle of one digit with that angle of the others, up to a turn of each digit."""
        digits = rotated_digits([2, 5, 6], n_rotations=24, random_state=3)
        which, step = digits.extras["example"], np.tile(np.arange(24), 3)
        factor = KnownFactor.of(Condition(which.astype(str)), who="test")
        tried = matchings_to_try(digits.X, factor, noisy=False)
        assert not any(matching.partial for matching in tried)
        W = tried[1].W
        for other in (1, 2):
            partner = W[np.ix_(which == 0, which == other)].argmax(axis=1)
            turns = np.bincount((partner - step[which == 0]) % 24, minlength=24)
            near = turns + np.roll(turns, 1) + np.roll(turns, -1)
            assert near.max() >= 20  # of 24, within a step of one and the same turn

    @pytest.mark.parametrize("seed", [1, 2])
    def test_what_two_in_three_have_in_common_is_matched_in_part(self, seed):
        """Bumps from 0 to 0.6 and from 0.2 to 0.8: matched in full, the ends would be mixed."""
        places = np.concatenate([np.linspace(0, 0.6, 30), np.linspace(0.2, 0.8, 30)])
        classes, grid = np.repeat([0, 1], 30), np.linspace(-0.2, 1.4, 40)
        Y = np.exp(-((places[:, None] - grid) ** 2) / (2 * 0.1**2))
        Y += np.outer(classes, np.random.default_rng(seed).normal(size=40))
        factor = KnownFactor.of(Condition(classes.astype(str)), who="test")
        assert all(matching.partial for matching in matchings_to_try(Y, factor, noisy=True))
        Z = ConditionalEmbedding(1).fit(Y, side=Condition(classes.astype(str))).embedding_
        assert abs(spearmanr(Z[:, 0], places)[0]) > 0.99

    def test_trust_is_the_share_that_is_matched(self):
        Y, places, classes = ranges()
        matching = match_in_part(Y, np.eye(2)[classes], 0.05)[0]
        np.testing.assert_allclose(matching.W @ matching.M, 1)
        np.testing.assert_allclose(matching.trust.sum(axis=1), 1)
        assert matching.trust[places < 0.3, 1].max() < 0.2
        # what neither class shares with the other is to be told apart
        assert matching.rivals[0, -1] > 0.9
        middle = np.flatnonzero(np.abs(places - 0.5) < 1e-9)
        assert matching.rivals[middle[0], middle[1]] < 0.1


class TestLocalEffect:
    """A factor that acts on every kind of item in its own way."""

    def test_effects_of_kinds_are_taken_away(self):
        kind = RNG.integers(0, 4, 400)
        x = kind + RNG.normal(size=400)  # and kinds differ in the factor
        centres, slopes = 10 * RNG.normal(size=(4, 10)), RNG.normal(size=(4, 10))
        Y = centres[kind] + 0.5 * x[:, None] * slopes[kind] + RNG.normal(size=(400, 10))
        left = without_local_effect(Y, x[:, None] / x.std())
        for k in range(4):
            inside = kind == k
            before, after = (
                np.linalg.norm(np.polyfit(x[inside], data[inside], 1)[0]) for data in (Y, left)
            )
            assert after < 0.5 * before
        # while kinds stay apart, as the difference of all means would not let them
        moved = [left[kind == k].mean(axis=0) - Y[kind == k].mean(axis=0) for k in range(4)]
        assert np.linalg.norm(moved, axis=1).max() < 2

    def test_few_items_are_one_cluster(self):
        """And the effect is that of ridge regression, with three items' weight on none."""
        Y, x = RNG.normal(size=(18, 4)), RNG.normal(size=(18, 2))
        centred = x - x.mean(axis=0)
        slopes = np.linalg.solve(centred.T @ centred + 3 * np.eye(2), centred.T @ Y)
        np.testing.assert_allclose(without_local_effect(Y, x), Y - centred @ slopes, atol=1e-8)

    def test_a_single_item_keeps_its_place(self):
        Y = RNG.normal(size=(100, 3))
        x = np.zeros((100, 2))
        x[:, 0], x[7] = 1, (0, 1)
        Y[7] += 4
        left = without_local_effect(Y, x)
        assert np.linalg.norm(left[7] - Y[7]) < 0.5 * np.linalg.norm(Y[7])

    @pytest.mark.parametrize("seed", [20, 21, 22])
    def test_matches_across_values_are_of_one_kind(self, seed):
        rng = np.random.default_rng(seed)
        kind, x = rng.integers(0, 3, 240), rng.normal(size=240)
        Y = 8 * np.eye(3)[kind] + x[:, None] * rng.normal(size=(3, 3))[kind]
        M = np.eye(2)[(x > 0).astype(int)]
        W = match_without_local_effect(Y, x[:, None], M).W
        across = np.where(M @ M.T > 0, 0.0, W)
        # an item far out may be a cluster of its own, from which no effect is taken
        assert np.mean(kind[across.argmax(axis=1)] == kind) > 0.99

    def test_two_items_far_from_all_others_are_clustered_alike_on_every_processor(self):
        """As first centres they are equally good: no comparison of the two is left to rounding."""
        rng = np.random.default_rng(0)
        kind, x = rng.integers(0, 3, 240), rng.normal(size=240)
        Y = 8 * np.eye(3)[kind] + x[:, None] * rng.normal(size=(3, 3))[kind]
        left = without_local_effect(Y, x[:, None])
        for seed in (4, 9):
            rounding = 1e-13 * np.random.default_rng(seed).normal(size=Y.shape)
            moved = without_local_effect(Y + rounding, x[:, None])
            np.testing.assert_allclose(moved, left, atol=1e-9)


class TestAxes:
    """In the balanced limit the plain form; else agreement where items are matched."""

    def test_balanced_limit(self):
        n = 60
        M = np.eye(3)[np.arange(n) % 3]
        W = np.exp(RNG.normal(size=(n, n)))
        W = W + W.T
        for _ in range(500):
            mass = (W @ M) @ M.T
            W = W / np.sqrt(mass * mass.T)
        matching = Matching(W, M, np.full((n, 3), 1 / 3), partial=True)
        shares = M / M.sum(axis=0)
        axes = matched_axes(matching, 2, who="test")
        np.testing.assert_allclose(shares.T @ axes, 0, atol=1e-6)
        A = matching.graph()
        centred = np.eye(n) - M @ shares.T
        expected = np.linalg.eigvalsh(centred @ A @ centred)[::-1][:2]
        found = [z @ A @ z / (z @ z) for z in axes.T]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        Z = RNG.normal(size=(n, 2)) * (1 + M @ RNG.random((3, 2))) + M @ RNG.normal(size=(3, 2))
        found = agree_where_matched(Z, matching)
        about = Z - M @ (shares.T @ Z)
        spread = np.sqrt(M @ (shares.T @ about**2))
        alike = about / spread
        ratio = found / alike
        np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape), rtol=1e-6)

    def test_planted_offset_and_scale_are_undone(self):
        Y, places, classes = ranges()
        matching = match_in_part(Y, np.eye(2)[classes], 0.02)[0]
        moved = np.where(classes == 0, places, 2 * places + 7)[:, None]
        found = agree_where_matched(moved, matching)[:, 0]
        slope, offset = np.polyfit(places, found, 1)
        # shares fade at the ends of the common range, in both classes alike
        np.testing.assert_allclose((found - offset) / slope, places, atol=0.05)


def test_map_extends_beyond_the_shared_range():
    """One coordinate, in the right order over both classes, with the shared range shared."""
    Y, places, classes = ranges()
    Z = ConditionalEmbedding(1).fit(Y, side=Condition(classes.astype(str))).embedding_
    assert abs(spearmanr(Z[:, 0], places)[0]) > 0.98


def test_kinds_stay_when_they_differ_in_the_count():
    """Cells in small: kinds with different counts, an effect of the count in each kind."""
    kind = RNG.integers(0, 4, 240)
    x = 0.7 * kind + RNG.normal(size=240)
    slopes = 0.7 * RNG.normal(size=(4, 8))
    Y = 5 * np.eye(8)[kind] + x[:, None] * slopes[kind] + RNG.normal(size=(240, 8))

    def measured(Z):
        D = cdist(Z, Z)
        np.fill_diagonal(D, np.inf)
        near = np.argsort(D, axis=1)[:, :5]
        within = x - np.array([x[kind == k].mean() for k in range(4)])[kind]
        guess = within[near].mean(axis=1)
        return np.mean(kind[near] == kind[:, None]), np.corrcoef(guess, within)[0, 1]

    plain = measured(ConditionalEmbedding(2, tol=1e-6).fit(Y).embedding_)
    known = measured(ConditionalEmbedding(2, tol=1e-6).fit(Y, side=Condition(x)).embedding_)
    assert known[0] >= plain[0]
    assert known[1] < plain[1] - 0.2


def test_items_are_matched_beneath_the_noise():
    """Two classes of the same things, each item with noise of its own: how far partners are off."""
    off = []
    for seed in range(20, 26):
        rng = np.random.default_rng(seed)
        things = rng.standard_normal((18, 2)) @ rng.standard_normal((2, 400))
        clean = np.vstack([things, things + 3 * rng.standard_normal(400)])
        Y = clean + 3 * rng.standard_normal(clean.shape)
        factor = KnownFactor.of(Condition(np.repeat(["a", "b"], 18)), who="test")
        off.append(
            [
                min(
                    np.linalg.norm(things[m.W[:18, 18:].argmax(axis=1)] - things) for m in matchings
                )
                / np.linalg.norm(things)
                for matchings in (
                    match_items(Y, factor),
                    matchings_to_try(Y, factor, noisy=True),
                )
            ]
        )
    plain, tried = np.mean(off, axis=0)
    assert tried < 0.75 * plain
