"""Kernel regressions judged by what was left out."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sidelight.mapping import best_predicting
from sidelight.similarity import gaussian_shares


def test_the_width_is_the_one_of_the_least_left_out_error():
    rng = np.random.default_rng(0)
    t = np.sort(rng.random(80))
    items = np.column_stack([np.sin(6 * t), t]) + 0.2 * rng.standard_normal((80, 2))
    squared = (t[:, None] - t) ** 2
    np.fill_diagonal(squared, np.inf)
    widths = np.geomspace(1e-6, 1, 15)
    errors = []
    for h in widths:
        error = 0.0
        for i in range(80):
            others = np.delete(np.arange(80), i)
            w = np.exp(-((t[i] - t[others]) ** 2 - squared[i].min()) / h)
            error += float(np.sum((items[i] - w @ items[others] / w.sum()) ** 2))
        errors.append(error)
    expected = widths[int(np.argmin(errors))]
    assert widths[0] < expected < widths[-1]
    for of in (np.asarray, sp.csr_array):
        found = best_predicting(widths, lambda h: gaussian_shares(squared, h), of(items), of(items))
        assert found == expected
