"""Matches across the values of a number that never comes again."""

import numpy as np
from scipy.spatial.distance import cdist

from sidelight import ConditionalEmbedding
from sidelight.latent.conditioning import chains
from sidelight.latent.conditioning.chains import (
    _BestMatches,
    _Gaps,
    _links,
    above_noise,
    chained_matches,
    unexplained,
)
from sidelight.latent.conditioning.map import error_beside_number
from sidelight.latent.conditioning.matches import match_items
from sidelight.latent.conditioning.rotation_by_number import RotationByNumber
from sidelight.latent.density import KnownFactor
from sidelight.side import Condition


def turning_things(seed, n_things=3, n_each=30, n_axes=12):
    """Things that turn, each along a closed curve, at random angles; and the turn itself."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(n_axes, n_axes)))[0]
    blocks = np.zeros((n_axes, n_axes))
    for i in range(n_axes // 2):
        blocks[2 * i, 2 * i + 1], blocks[2 * i + 1, 2 * i] = i + 1, -(i + 1)
    things = np.repeat(np.arange(n_things), n_each)
    angles = rng.permutation(3600)[: len(things)] / 10
    shapes = rng.normal(size=(n_things, n_axes))
    turn = RotationByNumber(basis @ blocks @ basis.T)
    return turn.carried(shapes[things], np.radians(angles)), angles, things, turn


def nearest_far_away(D, angles, things):
    """How often the nearest item more than 45° away is the same thing."""
    apart = np.abs((angles[:, None] - angles + 180) % 360 - 180)
    return np.mean(things[np.where(apart > 45, D, np.inf).argmin(axis=1)] == things)


def matched_far_away(seeds, *, noise=0.0, n_each=30):
    """For each draw: how often matches, and places in the map, are of the same thing."""
    shares = []
    for seed in seeds:
        items, angles, things, _ = turning_things(seed, n_each=n_each)
        items = items + noise * np.random.default_rng(seed).normal(size=items.shape)
        factor = KnownFactor.of(Condition(angles, period=360), who="test")
        W, carried = chained_matches(items, factor)
        shares.append((nearest_far_away(-W, angles, things), carried))
    return np.array(shares)


def test_things_are_matched_across_all_angles():
    seeds = range(40, 50)
    shares = matched_far_away(seeds)
    assert np.mean(shares[:, 1]) >= 0.9
    assert np.mean(shares[:, 0] > 0.95) >= 0.8
    plain, left = [], []
    for seed in range(40, 44):
        items, angles, things, _ = turning_things(seed)
        plain.append(nearest_far_away(cdist(items, items), angles, things))
        Z = ConditionalEmbedding(2).fit(items, side=Condition(angles, period=360)).embedding_
        left.append(nearest_far_away(cdist(Z, Z), angles, things))
    assert np.median(plain) < 0.7
    assert np.median(left) > 0.9


def test_a_turn_is_believed_in_spite_of_noise():
    """It brings best matches closer by less than in clean data, and still clearly."""
    shares = matched_far_away(range(40, 46), noise=0.3, n_each=40)
    assert np.mean(shares[:, 1]) >= 0.8
    assert np.mean(shares[:, 0]) > 0.8


def test_items_are_compared_only_where_best_matches_are_close():
    """Beyond some gap the nearest item is any: links end there, and chains go on."""
    gaps = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    best = _BestMatches(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 8.0, 9.0]), 10.0)
    links = _links(gaps, gaps, best)
    assert np.all(links[(gaps > 0) & (gaps <= 2)] > 0)
    assert np.all(links[gaps > 3] == 0)


def test_links_are_weighed_by_how_much_further_than_best_matches_items_are():
    """Balanced, so that what is told are ratios: exp(−(d²/best − 1)) within the widest gap."""
    gaps = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    squared = np.array([[0, 1, 5, 9], [1, 0, 3, 4], [5, 3, 0, 6], [9, 4, 6, 0.0]])
    best = _BestMatches(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]), 100.0)
    links = _links(squared, gaps, best)
    at_gap = [np.nan, 1.0, 2.0, 4.0]
    weight = {
        (i, j): np.exp(1 - squared[i, j] / at_gap[int(gaps[i, j])])
        for i in range(4)
        for j in range(4)
        if i != j
    }
    for a, b, c, d in [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 2, 1)]:
        found = links[a, b] * links[c, d] / (links[a, d] * links[c, b])
        told = weight[a, b] * weight[c, d] / (weight[a, d] * weight[c, b])
        np.testing.assert_allclose(found, told, rtol=1e-9)
    np.testing.assert_allclose(links.sum(axis=1), 1, rtol=0.01)
    np.testing.assert_array_equal(np.diag(links), 0)


def test_items_are_shown_at_other_angles():
    items, angles, things, turn = turning_things(0)
    model = ConditionalEmbedding(2).fit(items, side=Condition(angles, period=360))
    shown = model.render(items, condition=(angles + 100) % 360)
    truth = turn.carried(items, np.full(len(items), np.radians(100)))
    apart = np.abs((angles[None] - angles[:, None] - 100 + 180) % 360 - 180)
    apart[things[:, None] != things] = np.inf
    nearest = items[apart.argmin(axis=1)]  # of the same thing, which the model is not told
    assert np.mean((shown - truth) ** 2) < 1.1 * np.mean((nearest - truth) ** 2)
    assert np.mean((shown - truth) ** 2) < 0.15 * np.mean((items - truth) ** 2)


def test_a_number_that_only_shifts_items_is_left_out():
    found = []
    for seed in range(60, 65):
        rng = np.random.default_rng(seed)
        number, place = rng.normal(size=120), rng.uniform(-1, 1, 120)
        items = np.outer(number, [3.0, 1, 0, 0]) + np.outer(place, [0.0, 1, 1, 1])
        items += 0.02 * rng.normal(size=items.shape)
        Z = ConditionalEmbedding(1, tol=1e-6).fit(items, side=Condition(number)).embedding_[:, 0]
        found.append((abs(np.corrcoef(Z, place)[0, 1]), abs(np.corrcoef(Z, number)[0, 1])))
        assert abs(np.corrcoef(items[:, 0], number)[0, 1]) > 0.9  # which the data tell first
    right, wrong = np.array(found).T
    assert np.mean(right > 0.94) >= 0.8
    assert right.min() > 0.9
    assert np.mean(wrong < 0.1) >= 0.8


def test_the_local_mean_is_a_weighted_straight_line():
    rng = np.random.default_rng(2)
    values, Y = rng.normal(size=(25, 2)), rng.normal(size=(25, 3))
    differences = values[None] - values[:, None]
    gaps = np.sqrt((differences**2).sum(axis=2))
    width = np.sqrt(np.mean(gaps**2) / 2) * 25 ** (-1 / 6)
    residuals = np.empty_like(Y)
    W = np.exp(-0.5 * (gaps / width) ** 2)
    for a in range(25):
        root = np.sqrt(W[a])[:, None]
        line = np.column_stack([np.ones(25), differences[a]])
        residuals[a] = Y[a] - np.linalg.lstsq(root * line, root * Y, rcond=None)[0][0]
    power = np.sqrt(W @ (residuals**2).sum(axis=1) / W.sum(axis=1))
    found = unexplained(Y, differences, gaps)
    np.testing.assert_allclose(found, residuals / power[:, None], atol=1e-6)
    # what is linear in the values is explained altogether, up to the common unit
    shifted = unexplained(Y + 5 + values @ np.ones((2, 3)), differences, gaps)
    np.testing.assert_allclose(shifted, found, atol=1e-5)


def test_places_are_left_in_spite_of_noise():
    """Bumps of random place and size with noise: the size is known, in several draws."""
    found = []
    for seed in range(510, 512):
        rng = np.random.default_rng(seed)
        place, size = rng.uniform(4, 12, 200), rng.uniform(1, 3, 200)
        pixels = np.arange(0, 16, 0.125)
        X = np.exp(-((pixels - place[:, None]) ** 2) / (2 * size[:, None] ** 2))
        X += 0.3 * rng.standard_normal(X.shape)
        Z = ConditionalEmbedding(1, tol=1e-6).fit(X, side=Condition(size)).embedding_
        rank = np.argsort(np.argsort(Z[:, 0]))
        found.append([abs(np.corrcoef(rank, truth)[0, 1]) for truth in (place, size)])
    assert np.min(found, axis=0)[0] > 0.95
    assert np.max(found, axis=0)[1] < 0.25


def test_axes_above_the_noise_are_kept():
    rng = np.random.default_rng(3)
    signal = rng.normal(size=(200, 14)) @ rng.normal(size=(14, 300))
    noise = rng.normal(size=(200, 300))
    assert above_noise(signal + noise).shape[1] == 14
    assert above_noise(signal[:, :5]).shape[1] == 5
    # what turns is above the noise in few of the axes that it turns in
    assert above_noise(np.outer(signal[:, 0], np.ones(300)) + noise).shape[1] == 10


def test_items_that_no_chain_reaches_send_mass_to_every_value_all_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    number = np.concatenate([rng.random(20), 50 + rng.random(20)])
    of_piece = number > 50
    joined = of_piece[:, None] == of_piece
    monkeypatch.setattr(chains, "_links", lambda *given, **more: joined * _links(*given, **more))
    matching = match_items(rng.normal(size=(40, 6)), KnownFactor.of(Condition(number), who="test"))[
        0
    ]
    assert (matching.W @ matching.M).min() > 0.1


def test_items_beyond_all_others_and_copies_leave_numbers():
    """No link at all, and best matches at no distance, are divided by nothing."""
    number = np.append(np.arange(5.0), 100.0)
    gaps = np.abs(np.subtract.outer(number, number))
    best = _BestMatches(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 8.0, 9.0]), 10.0)
    links = _links(gaps, gaps, best)
    assert np.all(links[5] == 0)
    assert np.isfinite(links).all()
    copies = np.zeros((30, 30))
    apart = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
    found = _Gaps(apart, 8).best_matches(copies)
    assert np.isfinite(_links(copies, apart, found)).all()


def test_a_map_is_not_better_for_telling_the_number():
    rng = np.random.default_rng(4)
    number, place = rng.normal(size=(120, 1)), rng.uniform(-1, 1, (120, 1))
    Y = np.hstack([5 * number, place, place**2]) + 0.01 * rng.normal(size=(120, 3))
    factor = KnownFactor.of(Condition(number[:, 0]), who="test")
    telling, leaving = (error_beside_number(Z, Y, factor) for Z in (number, place))
    assert leaving < 0.7 * telling
    # without it, a map that tells the number predicts best
    D = cdist(number, number) + np.diag(np.full(120, np.inf))
    E = cdist(place, place) + np.diag(np.full(120, np.inf))
    assert np.mean((Y - Y[D.argmin(axis=1)]) ** 2) < np.mean((Y - Y[E.argmin(axis=1)]) ** 2)
