"""Matches across the values of a number that never comes again."""

import numpy as np
from scipy.spatial.distance import cdist

from sidelight import KernelInformationEmbedding
from sidelight.latent.conditioning.chains import above_noise, chained_matches, unexplained
from sidelight.latent.conditioning.factor import KnownFactor
from sidelight.latent.conditioning.map import error_beside_number
from sidelight.latent.conditioning.rotation_by_number import Transport
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
    turn = Transport(basis @ blocks @ basis.T)
    return turn.carried(shapes[things], np.radians(angles)), angles, things, turn


def nearest_far_away(D, angles, things):
    """How often the nearest item more than 45° away is the same thing."""
    apart = np.abs((angles[:, None] - angles + 180) % 360 - 180)
    return np.mean(things[np.where(apart > 45, D, np.inf).argmin(axis=1)] == things)


def test_things_are_matched_across_all_angles():
    for seed in range(3):
        items, angles, things, _ = turning_things(seed)
        factor = KnownFactor.of(Condition(angles, period=360), who="test")
        assert nearest_far_away(cdist(items, items), angles, things) < 0.7
        W, carried = chained_matches(items, factor)
        assert carried
        assert nearest_far_away(-W, angles, things) == 1.0
        Z = KernelInformationEmbedding(2).fit(items, side=Condition(angles, period=360)).embedding_
        assert nearest_far_away(cdist(Z, Z), angles, things) > 0.85


def test_items_are_shown_at_other_angles():
    items, angles, things, turn = turning_things(0)
    model = KernelInformationEmbedding(2).fit(items, side=Condition(angles, period=360))
    shown = model.render(items, condition=(angles + 100) % 360)
    truth = turn.carried(items, np.full(len(items), np.radians(100)))
    apart = np.abs((angles[None] - angles[:, None] - 100 + 180) % 360 - 180)
    apart[things[:, None] != things] = np.inf
    nearest = items[apart.argmin(axis=1)]  # of the same thing, which the model is not told
    assert np.mean((shown - truth) ** 2) < 1.1 * np.mean((nearest - truth) ** 2)
    assert np.mean((shown - truth) ** 2) < 0.15 * np.mean((items - truth) ** 2)


def test_a_number_that_only_shifts_items_is_left_out():
    rng = np.random.default_rng(1)
    number, place = rng.normal(size=150), rng.uniform(-1, 1, 150)
    items = np.outer(number, [3.0, 1, 0, 0]) + np.outer(place, [0.0, 1, 1, 1])
    items += 0.02 * rng.normal(size=items.shape)
    assert not chained_matches(items, KnownFactor.of(Condition(number), who="test"))[1]
    plain = KernelInformationEmbedding(1).fit(items).embedding_[:, 0]
    Z = KernelInformationEmbedding(1).fit(items, side=Condition(number)).embedding_[:, 0]
    assert abs(np.corrcoef(plain, number)[0, 1]) > 0.9
    assert abs(np.corrcoef(Z, place)[0, 1]) > 0.95
    assert abs(np.corrcoef(Z, number)[0, 1]) < 0.15


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


def test_axes_above_the_noise_are_kept():
    rng = np.random.default_rng(3)
    signal = rng.normal(size=(200, 14)) @ rng.normal(size=(14, 300))
    noise = rng.normal(size=(200, 300))
    assert above_noise(signal + noise).shape[1] == 14
    assert above_noise(signal[:, :5]).shape[1] == 5


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
