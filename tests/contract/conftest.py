"""The registry as a fixture: every estimator, with data it can be fitted to."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight.registry import ESTIMATORS
from tests.fitting import cheap

MAPS = [entry for entry in ESTIMATORS if "map" in entry.gives]


@pytest.fixture(params=MAPS, ids=lambda entry: entry.name)
def entry(request):
    return request.param


@pytest.fixture
def estimator(entry):
    return cheap(entry)


@pytest.fixture(params=[e for e in MAPS if e.needs_graph], ids=lambda entry: entry.name)
def graph_entry(request):
    return request.param


@pytest.fixture(params=[e for e in MAPS if e.takes_distances], ids=lambda entry: entry.name)
def distance_entry(request):
    return request.param


@pytest.fixture(scope="session")
def X():
    """A noisy bent sheet in five dimensions, well sampled: one connected graph."""
    rng = np.random.default_rng(0)
    t, h = 3 * rng.random(160), 2 * rng.random(160)
    sheet = np.column_stack([np.cos(t), np.sin(t), h, t / 2, h * t / 4])
    return sheet + 0.02 * rng.standard_normal(sheet.shape)


@pytest.fixture(scope="session")
def new(X):
    rng = np.random.default_rng(1)
    return X[:20] + 0.03 * rng.standard_normal((20, X.shape[1]))
