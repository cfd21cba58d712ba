"""A row that is late at the end of a line: brought to its like, where more is told so."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sidelight import KernelInformationEmbedding
from sidelight.datasets import noisy_s
from sidelight.estimator import Map
from sidelight.latent.density import GaussianKernel
from sidelight.latent.information import kernel_information_embedding
from sidelight.latent.information.ends.left_behind import (
    LEFT_BEHIND,
    rows_left_behind,
    with_rows_brought,
)
from sidelight.latent.information.followed import Followed
from sidelight.latent.information.path import Path
from sidelight.side import Condition


@pytest.fixture
def without(monkeypatch):
    """Fits that leave rows where they are left."""

    def fit(model, X):
        with monkeypatch.context() as patched:
            patched.setattr(
                kernel_information_embedding, "with_rows_brought", lambda followed, *_: followed
            )
            return model.fit(X)

    return fit


def share_of_noise(model, rows):
    clean = rows.extras["clean"]
    return np.mean((model.denoise(rows.X) - clean) ** 2) / np.mean((rows.X - clean) ** 2)


@pytest.mark.parametrize(("n", "noise", "seed"), [(200, 0.1, 44), (200, 0.1, 321), (100, 0.2, 334)])
def test_an_end_that_was_left_in_the_middle_of_the_line_is_among_its_like(without, n, noise, seed):
    """One row of an S lay in the middle of its map, and came back from there: 1.35 of the noise."""
    rows = noisy_s(n, noise=noise, random_state=seed)
    before = without(KernelInformationEmbedding(1), rows.X)
    model = KernelInformationEmbedding(1).fit(rows.X)
    kernel = GaussianKernel(2)
    assert len(rows_left_behind(rows.X, before.embedding_, kernel)[0]) == 1
    assert len(rows_left_behind(rows.X, model.embedding_, kernel)[0]) == 0
    assert n * (model.objective_ - before.objective_) > 1.0
    assert share_of_noise(model, rows) < 0.8 < share_of_noise(before, rows)
    assert model.n_steps_ == before.n_steps_ + 1 == len(model.history_)
    gain = model.objective_ - before.objective_
    assert model.history_[-1] - before.history_[-1] == pytest.approx(gain, abs=1e-9)
    np.testing.assert_allclose(model.transform(rows.X), model.embedding_, atol=1e-9)
    along = np.corrcoef(np.argsort(np.argsort(model.embedding_[:, 0])), rows.truth[:, 0])[0, 1]
    assert abs(along) > 0.98


def test_noisy_s_of_fresh_draws_come_back_cleaner_and_no_row_is_left_behind():
    shares, left = [], 0
    for seed in range(1100, 1112):
        rows = noisy_s(200, noise=0.1, random_state=seed)
        model = KernelInformationEmbedding(1).fit(rows.X)
        shares.append(share_of_noise(model, rows))
        left += len(rows_left_behind(rows.X, model.embedding_, GaussianKernel(2))[0])
    assert max(shares) < 1.0, shares
    assert np.mean(np.array(shares) < 0.9) >= 10 / 12
    assert left == 0


def test_maps_without_such_rows_are_left_to_the_bit(without):
    for X, d in ((noisy_s(80, noise=0.1, random_state=5).X, 1), (load_digits().data[:80], 2)):
        expected = without(KernelInformationEmbedding(d), X).embedding_
        np.testing.assert_array_equal(KernelInformationEmbedding(d).fit(X).embedding_, expected)


def test_the_map_beside_nothing_is_still_the_plain_one():
    X = noisy_s(100, noise=0.2, random_state=334).X
    plain = KernelInformationEmbedding(1).fit(X)
    with pytest.warns(UserWarning, match="does not show"):
        beside = KernelInformationEmbedding(1).fit(X, side=Condition(np.arange(100) % 2))
    np.testing.assert_array_equal(beside.embedding_, plain.embedding_)


def test_rows_are_found_in_any_order_and_by_all_of_their_nearest():
    rng = np.random.default_rng(0)
    Y = np.sort(rng.random(40))[:, None]
    Z = 40 * Y
    Z[0], Z[39] = Z[30], Z[35] + 1.0
    rows, beside = rows_left_behind(Y, Z, GaussianKernel(1))
    assert rows.tolist() == [0]  # of the other end one of five is near
    assert beside.tolist() == [1]
    order = rng.permutation(40)
    found, near = rows_left_behind(Y[order], Z[order], GaussianKernel(1))
    assert order[found].tolist() == [0]
    assert order[near].tolist() == [1]


LINE, MODEL = np.linspace(0.0, 9.0, 10)[:, None], KernelInformationEmbedding(1)


def ended(Z, objective, finished=True):
    """The end of a path, as far as is looked at."""
    facts = {
        "objective_": objective,
        "history_": np.array([objective]),
        "path_": {"bandwidth": np.ones(1), "alpha": np.ones(1)},
        "n_iter_": 1,
        "n_steps_": 1,
        "bandwidth_": 1.0,
        "alpha_": 1.0,
        "onset_": 1.0,
    }
    path = Path(np.ones(1), np.ones(1))
    return Followed(path, Map(Z, facts=facts), (0, 0, Z.ravel()), finished, False)


@pytest.mark.parametrize(("nats", "kept"), [(-1.0, False), (0.1, False), (1.0, True)])
def test_what_tells_hardly_more_is_not_kept(nats, kept):
    """Of two maps as good the first stays: which is better would be a matter of rounding."""
    Z = 10 * LINE
    Z[0] = 55.0
    asked = []

    def again(*, path, at):
        asked.append(at)
        return ended(at, 2.0 + nats / 10)

    followed = ended(Z, 2.0)
    settings = replace(LEFT_BEHIND, nearest=2, far=20.0)
    found = with_rows_brought(followed, LINE, MODEL, again, settings)
    assert (found is not followed) == kept
    assert asked[0][0] == Z[1]  # to its nearest
    np.testing.assert_array_equal(asked[0][1:], Z[1:])
    if kept:
        assert found.map.facts["n_steps_"] == 2
        np.testing.assert_array_equal(found.end[2], asked[0].ravel())


def test_a_path_without_rest_a_judged_one_a_single_descent_and_a_plane_are_not_gone_on_from():
    Z = 10 * LINE
    Z[0] = 55.0
    again = SimpleNamespace()  # is not called
    settings = replace(LEFT_BEHIND, nearest=2, far=20.0)
    for followed in (ended(Z, 2.0, finished=False), ended(np.hstack([Z, Z]), 2.0)):
        assert with_rows_brought(followed, LINE, MODEL, again, settings) is followed
    judged = ended(Z, 2.0)
    judged.map.facts["path_"]["error"] = np.ones(1)
    assert with_rows_brought(judged, LINE, MODEL, again, settings) is judged
    single = KernelInformationEmbedding(1, continuation="none")
    alone = KernelInformationEmbedding(1, leave_one_out=True)
    for model in (single, alone):
        followed = ended(Z, 2.0)
        assert with_rows_brought(followed, LINE, model, again, settings) is followed
