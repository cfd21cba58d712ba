"""Scores, conditionals, sums and gradients against machines that are written out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.neural_network import BernoulliRBM

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch

from sidelight.gated.boltzmann.conditionals import (
    gibbs,
    likeliest_output,
    mapping_given,
    output_given,
)
from sidelight.gated.boltzmann.contrast import Contrast
from sidelight.gated.boltzmann.energy import fold, three_way
from sidelight.gated.boltzmann.likelihood import (
    Few,
    annealed_log_partition,
    expected_output,
    log_partition,
)
from sidelight.gated.premapping import premapped
from tests.gated.enumerated import (
    UNITS,
    I,
    J,
    K,
    outputs,
    random_weights,
    score,
    states,
    tensor,
)

X = np.array([[0.3, -1.0, 0.5], [1.0, 0.0, 1.0]])
COUNTABLE = ["binary", "multinomial", "poisson"]
FACTORS = [None, 2]


def some_output(units, seed=1):
    rng = np.random.default_rng(seed)
    if units.kind == "gaussian":
        return rng.standard_normal(J)
    if units.kind == "poisson":
        return rng.integers(0, 4, J).astype(float)
    return outputs(units)[2]


def small(kind, n_factors=None):
    # counts are enumerated below 12: keep them small
    return random_weights(n_factors=n_factors, size=0.12 if kind == "poisson" else 0.8)


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("n_factors", FACTORS)
def test_score_is_the_sum_of_its_terms(kind, n_factors):
    weights, units = random_weights(n_factors=n_factors), UNITS[kind]
    y, z = some_output(units), np.array([1.0, 0.0, 1.0])
    found = fold(weights, units, tensor(X)).score(tensor(y)[None, None], tensor(z)[None, None])
    expected = [score(weights, units, x, y, z) for x in X]
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("n_factors", FACTORS)
def test_free_energy_and_mapping_units_by_going_through_all_states(kind, n_factors):
    weights, units = random_weights(n_factors=n_factors), UNITS[kind]
    y = some_output(units)
    folded = fold(weights, units, tensor(X))
    free, mapping = (
        f(tensor(y)[None, None]) for f in (folded.free_energy, lambda t: mapping_given(folded, t))
    )
    for n, x in enumerate(X):
        scores = np.array([score(weights, units, x, y, z) for z in states(K)])
        np.testing.assert_allclose(free[n, 0], -logsumexp(scores), rtol=1e-12)
        p = np.exp(scores - logsumexp(scores))
        np.testing.assert_allclose(mapping[n, 0], p @ np.array(states(K)), rtol=1e-12)


@pytest.mark.parametrize("kind", COUNTABLE)
def test_outputs_given_mapping_units_by_going_through_all_outputs(kind):
    weights, units = small(kind), UNITS[kind]
    z = np.array([0.0, 1.0, 1.0])
    folded = fold(weights, units, tensor(X))
    mean = output_given(folded, tensor(z)[None, None])
    likeliest = likeliest_output(folded, tensor(z)[None, None])
    weight = folded.log_weight(tensor(z)[None, None])
    Y = np.array(outputs(units))
    for n, x in enumerate(X):
        scores = np.array([score(weights, units, x, y, z) for y in Y])
        p = np.exp(scores - logsumexp(scores))
        np.testing.assert_allclose(mean[n, 0], p @ Y, rtol=3e-5)
        np.testing.assert_allclose(weight[n, 0], logsumexp(scores), rtol=1e-6)
        np.testing.assert_array_equal(likeliest[n, 0], Y[p.argmax()])


def test_gaussian_outputs_given_mapping_units():
    """N(b + νŴz, ν²): the score is a parabola with this top and width, and sums to log_weight."""
    weights, units = random_weights(), UNITS["gaussian"]
    z = np.array([0.0, 1.0, 1.0])
    folded = fold(weights, units, tensor(X))
    top = output_given(folded, tensor(z)[None, None])[:, 0].numpy()
    for n, x in enumerate(X):
        at = score(weights, units, x, top[n], z)
        for j in range(J):
            for step in (-0.3, 0.9):
                there = top[n].copy()
                there[j] += step
                fallen = at - score(weights, units, x, there, z)
                np.testing.assert_allclose(fallen, step**2 / (2 * 0.7**2), rtol=1e-9)
        expected = at + J / 2 * np.log(2 * np.pi * 0.7**2)
        np.testing.assert_allclose(folded.log_weight(tensor(z)[None, None])[n, 0], expected)


@pytest.mark.parametrize("kind", UNITS)
def test_draws_have_the_stated_mean_and_spread(kind):
    units, generator = UNITS[kind], torch.Generator().manual_seed(0)
    a, b = tensor([[0.5, -0.4, 0.9, 0.0]]), tensor([[0.2, 0.1, -0.6, 0.4]])
    n = 40_000
    drawn = units.sample(a.expand(n, -1), b.expand(n, -1), generator).numpy()
    mean = units.mean(a, b).numpy()[0]
    spread = {
        "gaussian": np.full(J, 0.7**2),
        "poisson": mean,
    }.get(kind, mean * (1 - mean))
    error = np.sqrt(spread / n)
    assert np.all(abs(drawn.mean(axis=0) - mean) < 5 * error)
    np.testing.assert_allclose(drawn.var(axis=0), spread, rtol=0.06)
    assert not units.fault(drawn)


@pytest.mark.parametrize("kind", UNITS)
def test_units_start_at_the_mean_of_outputs(kind):
    units, generator = UNITS[kind], torch.Generator().manual_seed(0)
    b = tensor([[0.2, 0.1, -0.6, 0.4]])
    Y = units.sample(torch.zeros(20_000, J), b, generator).numpy()
    mean = units.mean(torch.zeros(1, J), tensor(units.start(Y.mean(axis=0), len(Y)))[None])
    np.testing.assert_allclose(mean[0], Y.mean(axis=0), atol=1e-3)


@pytest.mark.parametrize("kind", COUNTABLE)
def test_the_partition_function_sums_over_everything(kind):
    weights, units = small(kind), UNITS[kind]
    found = log_partition(fold(weights, units, tensor(X)))
    if kind == "poisson":  # too many outputs by too many states: the outputs' sum is known
        expected = [
            logsumexp(
                [
                    fold(weights, units, tensor(x)[None]).log_weight(tensor(z)[None, None]).item()
                    for z in states(K)
                ]
            )
            for x in X
        ]
    else:
        expected = [
            logsumexp([score(weights, units, x, y, z) for y in outputs(units) for z in states(K)])
            for x in X
        ]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("n_factors", FACTORS)
def test_annealing_finds_the_partition_function(kind, n_factors):
    folded = fold(small(kind, n_factors), UNITS[kind], tensor(X))
    generator = torch.Generator().manual_seed(0)
    annealed = annealed_log_partition(folded, generator, n_chains=400, n_steps=300)
    np.testing.assert_allclose(annealed, log_partition(folded), atol=0.05)


@pytest.mark.parametrize("kind", ["binary", "multinomial"])
@pytest.mark.parametrize("n_factors", FACTORS)
def test_the_expected_output_is_the_mean_of_all_outputs(kind, n_factors, monkeypatch):
    weights, units = small(kind, n_factors), UNITS[kind]
    every = np.array(outputs(units))
    by_hand = []
    for x in X:
        logs = [logsumexp([score(weights, units, x, y, z) for z in states(K)]) for y in every]
        by_hand.append(np.exp(logs - logsumexp(logs)) @ every)
    folded, generator = fold(weights, units, tensor(X)), torch.Generator().manual_seed(0)
    np.testing.assert_allclose(expected_output(folded, generator), by_hand, rtol=1e-10)
    monkeypatch.setattr("sidelight.gated.boltzmann.likelihood.FEW", Few(of_an_input=0))
    annealed = np.mean([expected_output(folded, generator).numpy() for _ in range(8)], axis=0)
    without = units.mean(torch.zeros_like(folded.b), folded.b)[:, 0].numpy()
    assert np.abs(annealed - by_hand).mean() < 0.03
    assert np.abs(without - by_hand).mean() > 0.06  # the control: no mapping units


def test_the_expected_output_of_gaussian_units_is_the_mean_over_mapping_units():
    folded = fold(small("gaussian"), UNITS["gaussian"], tensor(X))
    z = tensor(states(K))[None]
    share = torch.softmax(folded.log_weight(z), -1)
    by_hand = torch.einsum("ns,nsj->nj", share, output_given(folded, z))
    torch.testing.assert_close(expected_output(folded, torch.Generator()), by_hand)


@pytest.mark.parametrize("n_factors", FACTORS)
def test_going_through_outputs_or_through_units_is_the_same(n_factors):
    """Four binary outputs and nine units: the outputs are fewer."""
    rng = np.random.default_rng(0)
    weights = random_weights(n_factors=n_factors)
    for name, axis in (("xyz", 2), ("zf", 0), ("xz", 1), ("yz", 1), ("z", 0)):
        if name in weights:
            wide = [*weights[name].shape]
            wide[axis] = 9
            weights[name] = tensor(0.8 * rng.standard_normal(wide))
    folded, generator = fold(weights, UNITS["binary"], tensor(X)), torch.Generator()
    z = tensor(np.array(states(9)))[None]
    log_weights = folded.log_weight(z)
    torch.testing.assert_close(log_partition(folded), torch.logsumexp(log_weights, -1))
    by_units = torch.einsum("ns,nsj->nj", log_weights.softmax(-1), output_given(folded, z))
    torch.testing.assert_close(expected_output(folded, generator), by_units)


def log_likelihood(weights, units, x, y):
    folded = fold(weights, units, x)
    return (-folded.free_energy(y)[:, 0] - log_partition(folded)).mean()


def likelihood_gradient(weights, units, x, y):
    """Minus (5.9), by going through all outputs and states: ⟨∂S⟩ of the data less of the model."""
    leaves = {name: w.clone().requires_grad_() for name, w in weights.items()}
    total = 0.0
    for x_n, y_n in zip(x.numpy(), y[:, 0].numpy(), strict=True):
        folded = fold(leaves, units, tensor(x_n)[None])
        Z, Y = tensor(np.array(states(K))), tensor(np.array(outputs(units)))
        for pairs, of_model in ((tensor(y_n)[None], False), (Y, True)):
            S = torch.stack([folded.score(one[None, None], Z[None])[0] for one in pairs])
            p = torch.softmax(S.detach().flatten(), 0).view_as(S)
            total = total + (-1.0 if of_model else 1.0) * (p * S).sum() / len(x)
    total.backward()
    return {name: w.grad for name, w in leaves.items()}


def data(n=6, seed=3, kind="binary"):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((n, I)), (rng.random((n, 1, J)) < 0.4) * 1.0
    if kind == "multinomial":
        y = np.eye(2)[rng.integers(2, size=(n, 1, 2))].reshape(n, 1, J)
    return tensor(x), tensor(y)


def test_gradient_of_the_likelihood_is_the_difference_of_two_expectations():
    weights, (x, y), units = random_weights(), data(), UNITS["binary"]
    expected = likelihood_gradient(weights, units, x, y)
    for name, w in weights.items():
        flat = torch.zeros(w.numel(), dtype=w.dtype)
        for at in range(w.numel()):
            step = torch.zeros(w.numel(), dtype=w.dtype)
            step[at] = 1e-5
            up, down = (
                log_likelihood({**weights, name: w + s * step.view_as(w)}, units, x, y)
                for s in (1, -1)
            )
            flat[at] = (up - down) / 2e-5
        np.testing.assert_allclose(flat.view_as(w), expected[name], atol=1e-8)


def contrast_gradient(weights, units, x, y, n_steps, *, repeats=800, to_mean=False):
    leaves = {name: w.clone().requires_grad_() for name, w in weights.items()}
    contrast = Contrast(units, n_steps, torch.Generator().manual_seed(0), to_mean)
    many = y.expand(-1, repeats, -1).contiguous()
    found, _ = contrast(leaves, x, many)
    found.backward()
    return torch.cat([w.grad.flatten() for w in leaves.values()])


@pytest.mark.parametrize(
    ("kind", "n_factors", "size", "lengths"),
    [
        ("binary", None, 1.2, (1, 3, 10, 60)),
        ("binary", 2, 1.0, (1, 3, 60)),
        ("multinomial", None, 1.2, (1, 3, 60)),
    ],
)
def test_contrastive_divergence_comes_to_the_likelihood_as_chains_grow(
    kind, n_factors, size, lengths
):
    weights, units = random_weights(n_factors=n_factors, size=size), UNITS[kind]
    x, y = data(kind=kind)
    exact = likelihood_gradient(weights, units, x, y)
    exact = torch.cat([-exact[name].flatten() for name in weights])
    off = [
        float(
            (contrast_gradient(weights, units, x, y, k, repeats=4000) - exact).norm() / exact.norm()
        )
        for k in lengths
    ]
    assert off[0] > 2 * off[1] > 0
    assert all(longer < shorter for shorter, longer in pairwise(off))
    assert off[-1] < 0.03
    # which chains that end in a mean do not
    mean = contrast_gradient(weights, units, x, y, 60, repeats=4000, to_mean=True)
    assert float((mean - exact).norm() / exact.norm()) > 3 * off[-1]


@pytest.mark.parametrize("layers", [(5, I), (5, 4, I)], ids=["linear", "a network"])
def test_a_premapping_learns_by_the_gradient_of_the_contrast(layers):
    """By finite differences, the ends of the chains held still."""
    rng = np.random.default_rng(0)
    weights, units = random_weights(), UNITS["binary"]
    for n, (here, there) in enumerate(pairwise(layers)):
        weights[f"map {n}"] = tensor(rng.standard_normal((here, there)))
        weights[f"shift {n}"] = tensor(rng.standard_normal(there))
    x, y = tensor(rng.standard_normal((6, 5))), data()[1]
    leaves = {name: w.clone().requires_grad_() for name, w in weights.items()}
    found, ends = Contrast(units, 2, torch.Generator().manual_seed(0))(leaves, x, y)
    found.backward()

    def contrast(moved):
        folded = fold(weights | moved, units, x)
        return float(folded.free_energy(y).mean() - folded.free_energy(ends).mean())

    assert found.item() == pytest.approx(contrast({}))
    for name in weights:
        slope = np.zeros(weights[name].numel())
        for at in range(len(slope)):
            step = torch.zeros(len(slope), dtype=torch.float64)
            step[at] = 1e-6
            step = step.view_as(weights[name])
            up, down = (contrast({name: weights[name] + s * step}) for s in (1, -1))
            slope[at] = (up - down) / 2e-6
        np.testing.assert_allclose(leaves[name].grad.flatten(), slope, atol=1e-7, err_msg=name)
        assert np.abs(slope).max() > 1e-3, name


def test_chains_forget_where_they_began():
    weights, units = random_weights(), UNITS["binary"]
    folded = fold(weights, units, tensor(X))
    ends = gibbs(folded, torch.zeros(2, 20_000, J).double(), 40, torch.Generator().manual_seed(0))
    for n, x in enumerate(X):
        Y = np.array(outputs(units))
        scores = np.array(
            [logsumexp([score(weights, units, x, y, z) for z in states(K)]) for y in Y]
        )
        p = np.exp(scores - logsumexp(scores))
        np.testing.assert_allclose(ends[n].mean(axis=0), p @ Y, atol=0.015)


def test_without_inputs_it_is_the_machine_of_scikit_learn():
    rng = np.random.default_rng(0)
    weights = {name: w for name, w in random_weights().items() if name in ("yz", "y", "z")}
    weights |= {"xyz": torch.zeros(0, J, K), "xy": torch.zeros(0, J), "xz": torch.zeros(0, K)}
    weights = {name: w.double() for name, w in weights.items()}
    Y = (rng.random((5, J)) < 0.5).astype(float)
    other = BernoulliRBM(K)
    other.components_ = weights["yz"].numpy().T
    other.intercept_visible_, other.intercept_hidden_ = weights["y"].numpy(), weights["z"].numpy()
    folded = fold(weights, UNITS["binary"], torch.empty(1, 0).double())
    np.testing.assert_allclose(mapping_given(folded, tensor(Y)[None])[0], other.transform(Y))
    np.testing.assert_allclose(folded.free_energy(tensor(Y)[None])[0], other._free_energy(Y))


def test_factors_enough_are_the_full_weights():
    """W_ijk = Σ_f X_if Y_jf Z_kf with a factor of each pair (i, j)."""
    full = random_weights()
    W = full.pop("xyz")
    i, j = np.divmod(np.arange(I * J), J)
    factored = full | {
        "xf": tensor(np.eye(I)[:, i]),
        "yf": tensor(np.eye(J)[:, j]),
        "zf": W.reshape(I * J, K).T.contiguous(),
    }
    full["xyz"] = W
    torch.testing.assert_close(three_way(factored), W)
    for units in UNITS.values():
        one, other = (fold(w, units, tensor(X)) for w in (full, factored))
        y, z = tensor(some_output(units))[None, None], tensor([[[1.0, 0.0, 1.0]]])
        torch.testing.assert_close(one.free_energy(y), other.free_energy(y))
        torch.testing.assert_close(one.log_weight(z), other.log_weight(z))


def test_premapping_goes_in_front():
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((5, 4)), rng.standard_normal((4, I))
    layers = {
        "map 0": tensor(first),
        "shift 0": tensor(np.arange(4.0)),
        "map 1": tensor(second),
        "shift 1": tensor(np.ones(I)),
    }
    x = rng.standard_normal((2, 5))
    expected = np.tanh(x @ first + np.arange(4.0)) @ second + 1
    np.testing.assert_allclose(premapped(layers, tensor(x)), expected)
    weights, units = random_weights(), UNITS["binary"]
    y = tensor(some_output(units))[None, None]
    torch.testing.assert_close(
        fold(weights | layers, units, tensor(x)).free_energy(y),
        fold(weights, units, tensor(expected)).free_energy(y),
    )
