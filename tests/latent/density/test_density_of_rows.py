"""p̂(y): the density of data, its draws, and what of a row is not known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from sidelight import KernelInformationEmbedding
from sidelight.latent.density.bandwidth import leave_one_out_bandwidth
from sidelight.latent.density.joint import JointDensity
from sidelight.latent.density.kernels import kernel_for

RNG = np.random.default_rng(3)
ITEMS = RNG.standard_normal((40, 2)) @ [[1.0, 0.8], [0.0, 0.4]]
CODES = np.array([[0.0, 5, 1], [0, 7, 1], [2, 7, 1], [1, 7, 1], [0, 5, 1], [2, 9, 1]])
NEW = RNG.standard_normal((15, 2))


def of(kernel, items=ITEMS, columns=(0, 1)):
    columns = np.array(columns)
    return JointDensity(items, items[:, :1], columns, kernel_for(kernel, items[:, columns]), 9.0)


def test_it_is_scikit_learns_kernel_density_with_the_leave_one_out_bandwidth():
    model = of("gaussian")
    assert model.data_bandwidth == leave_one_out_bandwidth(ITEMS, model.data_kernel)
    peer = KernelDensity(bandwidth=np.sqrt(model.data_bandwidth / 2)).fit(ITEMS)
    far = NEW + 500  # where k itself is zero in double precision
    rows = np.vstack([NEW, far])
    np.testing.assert_allclose(model.log_density(rows), peer.score_samples(rows), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "quartic"])
def test_it_integrates_to_one(kernel):
    side = np.linspace(-6, 6, 601)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    total = np.exp(of(kernel).log_density(grid)).sum() * (side[1] - side[0]) ** 2
    assert total == pytest.approx(1, abs=1e-4)


def test_codes_sum_to_one_and_others_are_impossible():
    model = of("discrete", CODES)
    every = np.array([[*row, 1.0] for row in product([0.0, 1, 2], [5.0, 7, 9])])
    assert np.exp(model.log_density(every)).sum() == pytest.approx(1)
    assert model.log_density(np.array([[4.0, 5.0, 1.0]]))[0] == -np.inf


@pytest.mark.parametrize("kernel", ["gaussian", "discrete"])
def test_what_is_not_known_is_summed_out(kernel):
    items = CODES if kernel == "discrete" else np.column_stack([ITEMS, np.ones(40)])
    model = of(kernel, items)
    if kernel == "discrete":
        values, step = np.array([5.0, 7.0, 9.0]), 1.0
    else:
        values = np.linspace(-9, 9, 4001)
        step = values[1] - values[0]
    whole = np.column_stack([np.full(len(values), 2.0), values, np.ones(len(values))])
    expected = np.log(np.exp(model.log_density(whole)).sum() * step)
    assert model.log_density(np.array([[2.0, np.nan, 1.0]]))[0] == pytest.approx(expected)
    assert model.log_density(np.full((1, 3), np.nan))[0] == pytest.approx(0)


@pytest.mark.parametrize(("kernel", "variance"), [("gaussian", 1 / 2), ("quartic", 2 / 8)])
def test_draws_are_items_and_the_kernel_around_them(kernel, variance):
    items = np.column_stack([ITEMS, np.full(40, 3.0)])
    model = of(kernel, items)
    drawn = model.draw(50_000, np.random.default_rng(0))
    spread = np.cov(ITEMS.T, bias=True) + variance * model.data_bandwidth * np.eye(2)
    np.testing.assert_allclose(drawn[:, :2].mean(axis=0), ITEMS.mean(axis=0), atol=0.03)
    np.testing.assert_allclose(np.cov(drawn[:, :2].T), spread, atol=0.03)
    assert (drawn[:, 2] == 3).all()
    assert np.isfinite(model.log_density(drawn)).all()  # none beyond the support


def test_draws_of_codes_are_as_frequent_as_they_are_likely():
    model = of("discrete", CODES)
    drawn = model.draw(60_000, np.random.default_rng(0))
    rows, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(rows) == 9
    np.testing.assert_allclose(counts / 60_000, np.exp(model.log_density(rows)), atol=0.01)


def test_draws_do_not_write_into_the_items():
    model, before = of("gaussian"), ITEMS.copy()
    model.draw(100, np.random.default_rng(0))
    np.testing.assert_array_equal(model.items, before)


def test_of_an_embedding_rows_may_have_gaps():
    model = KernelInformationEmbedding(1, bandwidth=0.5, alpha=0.01, max_iter=20).fit(ITEMS)
    np.testing.assert_allclose(model.score_samples(NEW), of("gaussian").log_density(NEW))
    assert np.isfinite(model.score_samples([[np.nan, 0.1]])).all()
