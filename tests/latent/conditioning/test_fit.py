"""A fit with a condition: gate, interruption, objective, attributes, parameters without effect."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from sidelight import PCA, ConditionalEmbedding, FactorRemoval, KernelInformationEmbedding
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import rotated_digits
from sidelight.latent.conditioning import map as conditional_map
from sidelight.latent.conditioning.matches import Matching
from sidelight.latent.density import KnownFactor
from sidelight.latent.density.gate import Gate, shows_among_neighbors
from sidelight.side import Condition


def two_ranges():
    """Pictures of a bump that goes from 0 to 0.6 in one class and from 0.4 to 1 in the other."""
    places = np.concatenate([np.linspace(0, 0.6, 30), np.linspace(0.4, 1, 30)])
    classes, grid = np.repeat([0, 1], 30), np.linspace(-0.2, 1.2, 40)
    pictures = np.exp(-((places[:, None] - grid) ** 2) / (2 * 0.1**2))
    return pictures + np.outer(classes, np.sin(7 * grid)), classes


def shifted(n, seed):
    """Places on a line and a number that moves them sideways."""
    rng = np.random.default_rng(seed)
    number, place = rng.normal(size=n), rng.uniform(-1, 1, n)
    return np.outer(number, [3.0, 1, 0, 0]) + np.outer(place, [0.0, 1, 1, 1]), number


CONDITIONS = {
    "classes": lambda x: Condition(np.where(x > 0, "high", "low")),
    "numbers": Condition,
    "angles": lambda x: Condition(np.rint(6 * np.argsort(np.argsort(x)) / len(x)) * 60, period=360),
}


class TestGate:
    """A factor is taken out only where it shows."""

    @pytest.mark.parametrize("kind", CONDITIONS)
    def test_what_shows_is_told_from_what_is_shuffled(self, kind):
        shown, shuffled = [], []
        for seed in range(700, 710):
            Y, x = shifted(90, seed)
            mixed = np.random.default_rng(seed).permutation(x)
            for values, found in ((x, shown), (mixed, shuffled)):
                factor = KnownFactor.of(CONDITIONS[kind](values), who="test")
                found.append(shows_among_neighbors(Y, factor))
        assert all(shown)
        assert sum(shuffled) <= 1

    def test_ten_neighbours_may_cancel_out_where_two_agree(self):
        """A digit looks like itself upside down."""
        digits = rotated_digits([2, 5, 6, 7], n_rotations=24, random_state=3)
        factor = KnownFactor.of(Condition(digits.truth[:, 0], period=360), who="test")
        assert shows_among_neighbors(digits.X, factor)
        assert not shows_among_neighbors(digits.X, factor, Gate(neighbors=(10,)))

    def test_neighbours_that_are_of_other_values_by_a_rule_show_a_factor(self):
        """Of a designed grid the nearest may be another digit at the same angle."""
        by_agreement, shown, shuffled = 0, 0, 0
        for seed in range(41, 61, 2):
            kind = int(np.random.default_rng(seed).choice(10))
            digits = rotated_digits(kind, n_rotations=24, n_examples=4, random_state=seed)
            which = digits.extras["example"]
            factor = KnownFactor.of(Condition(which.astype(str)), who="test")
            mixed = factor.of_rows(np.random.default_rng(seed).permutation(len(which)))
            by_agreement += shows_among_neighbors(digits.X, factor, Gate(associated=np.inf))
            shown += shows_among_neighbors(digits.X, factor)
            shuffled += shows_among_neighbors(digits.X, mixed)
        assert by_agreement < 10
        assert shown == 10
        assert shuffled == 0

    def test_where_the_data_lie_decides_nothing_where_neighbours_are_as_near(self):
        """Distances by products told equal ones apart by their last bit."""
        rng = np.random.default_rng(8)
        Y = rng.integers(2, size=(60, 20)).astype(float)
        factors = [
            KnownFactor.of(Condition((rng.permutation(60) % 3).astype(str)), who="test")
            for _ in range(12)
        ]
        gates = [Gate(deviations=least, shuffles=40) for least in (-0.5, 0.0, 0.5, 1.0)]

        def decisions(moved):
            return [shows_among_neighbors(Y + moved, f, gate) for f in factors for gate in gates]

        assert all(decisions(moved) == decisions(0.0) for moved in (1.0, 3.0, 7.0, 1e3))


def test_an_interrupted_fit_with_several_matchings_stops_and_keeps_a_map():
    Y, classes = two_ranges()
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 5:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="the best so far is kept"), listening(stop):
        model = ConditionalEmbedding(2).fit(Y, side=Condition(classes.astype(str)))
    assert len(seen) == 5
    assert np.isfinite(model.embedding_).all()
    assert model.embedding_.std(axis=0).min() > 1e-3


def naive_gain(matching, Z, *, leave_one_out):
    """J(Z) − J(0), loop by loop."""
    n = len(Z)
    total = 0.0
    for a in range(n):
        others = [b for b in range(n) if b != a or not leave_one_out]
        for value in range(matching.M.shape[1]):
            m = matching.M[others, value]
            k = np.exp(-np.sum((Z[others] - Z[a]) ** 2, axis=1))
            w = matching.W[a, others]
            gain = np.log(np.sum(m * w * k) / np.sum(m * k)) - np.log(np.sum(m * w) / np.sum(m))
            total += matching.trust[a, value] * gain
    return total / n


@pytest.mark.parametrize("kind", CONDITIONS)
@pytest.mark.parametrize("partial", [False, True])
def test_the_objective_is_that_of_the_embedding(kind, partial, monkeypatch):
    Y, x = shifted(40, 3)
    used = []

    def one_matching(*arguments, **options):
        W = np.exp(-0.5 * np.abs(Y[:, None, 2] - Y[None, :, 2]) ** 2 / 0.1)[order][:, order]
        M = np.eye(2)[(x[order] > 0).astype(int)]
        trust = np.array([[0.7, 0.3], [0.4, 0.6]])[M.argmax(axis=1)]
        used.append(Matching(W / ((W @ M) @ M.T), M, trust, partial=partial))
        return used

    order = np.lexsort(Y.T[::-1])
    monkeypatch.setattr(conditional_map, "matchings_to_try", one_matching)
    model = ConditionalEmbedding(1, max_iter=20).fit(Y, side=CONDITIONS[kind](x))
    leave_one_out = KnownFactor.of(CONDITIONS[kind](x), who="test").kind != "repeated"
    Z = model.embedding_[order]
    expected = naive_gain(used[0], Z, leave_one_out=leave_one_out)
    assert model.mutual_information_ == pytest.approx(expected, rel=1e-6)
    assert model.objective_ == pytest.approx(expected - model.alpha_ * np.mean(Z**2), rel=1e-6)
    assert model.history_[-1] == model.objective_
    assert len(model.history_) == model.n_steps_ + 1


FITS = {
    "plain": {},
    "classes": {"side": Condition(np.where(shifted(40, 3)[1] > 0, "high", "low"))},
    "numbers": {"side": Condition(shifted(40, 3)[1])},
    "shuffled": {"side": Condition(shifted(40, 3)[1][::-1].copy())},
}


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("cls", [ConditionalEmbedding, KernelInformationEmbedding])
def test_documented_attributes_exist_after_every_kind_of_fit(cls, fit):
    text = cls.__doc__.split("Attributes\n")[1].split("Notes\n")[0]
    names = re.findall(r"^    (\w+_) :", text, re.MULTILINE)
    assert len(names) >= 8
    model = cls(1, max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(shifted(40, 3)[0], **FITS[fit])
    assert [name for name in names if not hasattr(model, name)] == []
    assert len(model.path_["alpha"]) == len(model.path_["bandwidth"])


@pytest.mark.filterwarnings("ignore:.*stopped the unfolding")
def test_without_a_condition_it_is_the_plain_map():
    Y, _ = shifted(40, 3)
    plain = KernelInformationEmbedding(2, max_iter=20).fit(Y)
    model = ConditionalEmbedding(2, max_iter=20).fit(Y)
    np.testing.assert_array_equal(model.embedding_, plain.embedding_)
    np.testing.assert_array_equal(model.transform(Y + 0.01), plain.transform(Y + 0.01))
    assert model.side_report_ == ()


def test_errors_name_the_estimator():
    with pytest.raises(ValueError, match="'n_components' parameter of ConditionalEmbedding"):
        ConditionalEmbedding(3).fit(np.eye(3), side=Condition(["a", "b", "a"]))
    with pytest.raises(ValueError, match="ConditionalEmbedding needs two distinct rows"):
        ConditionalEmbedding(1).fit(np.ones((4, 2)))


def test_a_kernel_that_nobody_would_read_is_refused():
    Y, x = shifted(40, 3)
    for model in (ConditionalEmbedding(1), PCA(1), FactorRemoval()):
        with pytest.raises(ValueError, match=r"'kernel' of the Condition .* does nothing there"):
            model.fit(Y, side=Condition(x, kernel=0.3))
