"""Two worker processes on the loopback address, for all tests of the room."""

from __future__ import annotations

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def workers():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def client(workers):
    """The client of two processes, at work for one test."""
    with workers.as_current():
        yield workers


@pytest.fixture
def X():
    rng = np.random.default_rng(3)
    latent = rng.uniform(-2, 2, (2400, 2))
    directions, phases = rng.standard_normal((2, 6)), rng.uniform(0, 6, 6)
    return np.sin(latent @ directions + phases) * [5, 4, 3, 2, 1, 1] + 10.0


@pytest.fixture
def array(X):
    return da.from_array(X, chunks=(500, 3))  # blocks of columns are put together
