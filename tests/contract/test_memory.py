"""What a fit asks for before it begins is what it takes."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest

from sidelight import (
    GPLVM,
    ClassicalMDS,
    ConditionalEmbedding,
    KernelInformationEmbedding,
    KernelPCA,
    SammonMapping,
    StochasticNeighborEmbedding,
    UnsupervisedKernelRegression,
)
from sidelight.errors import NotEnoughMemoryError
from sidelight.side import Condition

UNITS = {"bytes": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9}
FITS = [
    (KernelPCA(), 1500),
    (ClassicalMDS(metric="cityblock"), 1500),
    (StochasticNeighborEmbedding(max_iter=2), 700),
    (SammonMapping(max_iter=2), 700),
    (UnsupervisedKernelRegression(max_iter=2), 700),
    (GPLVM(max_iter=2), 500),
    (ConditionalEmbedding(max_iter=1), 200),
    (KernelInformationEmbedding(max_iter=1), 1500),
]


def asked_for(fit, monkeypatch):
    """The least that must be there for a fit to go through, as it says itself."""
    limit = 1.0
    with monkeypatch.context() as patch:
        for _ in range(9):
            patch.setenv("SIDELIGHT_MEMORY_LIMIT", f"{limit:.0f}")
            try:
                fit()
            except NotEnoughMemoryError as error:
                said = re.search(r"would need ([\d.]+) (\w+)", str(error))
                limit = 1.06 * float(said[1]) * UNITS[said[2]]  # it is told to one digit
            else:
                return limit
    raise AssertionError("It asks for ever more.")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "n"), FITS, ids=str)
def test_what_is_asked_for_is_what_is_taken(estimator, n, monkeypatch):
    X = np.random.default_rng(0).normal(size=(n, 5)) * [3, 2, 1, 1, 1]
    rows, said = np.arange(n), Condition(np.where(X[:, 0] > 0, "a", "b"))

    def fit(some=rows):
        known = {"side": said.within(some)} if isinstance(estimator, ConditionalEmbedding) else {}
        estimator.fit(X[some], **known)

    fit(rows[:60])  # what is compiled and imported once is not counted
    asked = asked_for(fit, monkeypatch)
    tracemalloc.start()
    try:
        fit()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.5 * asked < taken < 1.5 * asked
