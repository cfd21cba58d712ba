"""A map of given power: the constraint tr(C_Z) ≤ r."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from sidelight import KernelInformationEmbedding
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.datasets import noisy_s
from sidelight.latent.information.ends import learned_bandwidth, power
from sidelight.side import Condition

X = noisy_s(50, noise=0.1, random_state=4).X


def told(Z, h):
    """Î(Y; Z) as printed (3.14), from tables."""
    K, L = np.exp(-(cdist(X, X) ** 2) / h), np.exp(-(cdist(Z, Z) ** 2))
    P, Q, R = (K * L).sum(axis=1), L.sum(axis=1), K.sum(axis=1)
    return float(np.log(len(X)) + np.mean(np.log(P / (Q * R))))


@pytest.mark.parametrize("power", [0.5, 3.0])
def test_the_power_is_met_and_the_slope_is_the_multiplier(power):
    model = KernelInformationEmbedding(2, power=power).fit(X)
    Z, h, n = model.embedding_, model.bandwidth_, len(X)
    assert np.trace(Z.T @ Z) / n == pytest.approx(power, rel=1e-4)
    assert told(Z, h) == pytest.approx(model.mutual_information_, abs=1e-5)
    slope = approx_fprime(Z.ravel(), lambda z: told(z.reshape(Z.shape), h), 1e-6)
    expected = 2 * model.alpha_ / n * Z.ravel()
    np.testing.assert_allclose(slope, expected, atol=0.02 * np.abs(expected).max())


def test_no_map_of_this_power_nearby_tells_more():
    model = KernelInformationEmbedding(1, power=2.0).fit(X)
    Z, h, n = model.embedding_, model.bandwidth_, len(X)

    def lost(u):
        return -told((u * np.sqrt(2.0 * n) / np.linalg.norm(u)).reshape(Z.shape), h)

    rng = np.random.default_rng(0)
    for _ in range(3):
        start = Z.ravel() + 0.1 * rng.standard_normal(Z.size)
        best = minimize(lost, start, method="L-BFGS-B").fun
        assert -best <= model.mutual_information_ + 1e-3


def test_more_power_tells_more_at_a_lower_price():
    few, many = (KernelInformationEmbedding(1, power=r).fit(X) for r in (0.3, 6.0))
    assert many.mutual_information_ > few.mutual_information_
    assert many.alpha_ < few.alpha_
    assert few.path_["alpha"][-1] == few.alpha_


def test_it_is_the_penalised_map_of_its_multiplier():
    model = KernelInformationEmbedding(1, power=1.5).fit(X)
    again = KernelInformationEmbedding(1, alpha=model.alpha_).fit(X)
    np.testing.assert_allclose(again.embedding_, model.embedding_, atol=1e-2)


@pytest.mark.parametrize(
    ("parameters", "given", "match"),
    [
        ({"alpha": 0.1}, {}, "'alpha', another 'penalty'"),
        ({"penalty": "l4"}, {}, "in the place of a penalty"),
        ({"bandwidth": "learned"}, {}, "in the place of a penalty"),
        ({"validation_fraction": 0.2}, {}, "With power=1 .* 'validation_fraction'"),
        ({}, {"side": Condition(np.arange(50) % 2)}, "'power' parameter .* Condition"),
    ],
)
def test_what_does_not_go_with_it(parameters, given, match):
    with pytest.raises(ValueError, match=match):
        KernelInformationEmbedding(1, power=1.0, **parameters).fit(X, **given)


@pytest.mark.parametrize("told", [{"power": 2.0, "bandwidth": 1.0}, {"bandwidth": "learned"}])
class TestRounds:
    """A map, then another penalty or bandwidth for it, and so on, until the user has enough."""

    def reports_of_fit(self, told, listener=None):
        """The fit, and what it reported at the end of every path."""
        ends = []

        def listen(progress):
            if progress.stage.endswith("steps of the path") and progress.done == progress.total:
                ends.append(progress)
                if listener is not None and len(ends) == listener:
                    raise KeyboardInterrupt
            elif listener is not None:
                assert len(ends) < listener  # nothing goes on

        with listening(listen):
            model = KernelInformationEmbedding(1, **told).fit(X)
        return model, ends

    @pytest.mark.parametrize("after", [1, 2])
    def test_an_interruption_ends_them_all(self, told, after):
        whole, ends = self.reports_of_fit(told)
        assert len(ends) > after + 1
        with pytest.warns(InterruptedFitWarning, match="KernelInformationEmbedding was interr"):
            early, _ = self.reports_of_fit(told, after)
        assert early.n_steps_ == 25 + after - 1 < whole.n_steps_
        assert early.embedding_.shape == whole.embedding_.shape
        assert early.path_["bandwidth"][-1] == early.bandwidth_
        again = early.fit(X)
        np.testing.assert_array_equal(again.embedding_, whole.embedding_)

    def test_rounds_that_do_not_suffice_are_said(self, told, monkeypatch):
        for module in (power, learned_bandwidth):
            monkeypatch.setattr(module, "_ROUNDS", 1)
        said = "not power=2 after 1 rounds" if "power" in told else "not settled after 1 rounds"
        with pytest.warns(ConvergenceWarning, match=said):
            KernelInformationEmbedding(1, **told).fit(X)

    def test_rounds_that_suffice_are_not(self, told, recwarn):
        KernelInformationEmbedding(1, **told).fit(X)
        assert not [one for one in recwarn if "rounds" in str(one.message)]
