"""The small things: parameters, memory, progress, missing extras."""

from __future__ import annotations

import numpy as np
import pytest

from sidelight import Isomap, ProbabilisticPCA
from sidelight.core.errors import InterruptedFitWarning, MissingExtraError
from sidelight.core.memory import available_memory, format_bytes, require_memory
from sidelight.core.parameters import OneOf, Real, Whole
from sidelight.core.progress import listening
from sidelight.registry import entry_for


@pytest.mark.parametrize(
    ("expected", "good", "bad"),
    [
        (Whole(1), [1, np.int64(5)], [0, 1.0, True, "1", None, np.nan]),
        (Real(0, open_below=True), [0.5, 2, np.float32(1)], [0, -1, np.inf, np.nan, True, "1"]),
        (Real(0), [0, 0.0], [-1e-9, None]),
        (OneOf(("auto", None)), ["auto", None], ["Auto", 0, False]),
        (OneOf((True, False)), [True], [1, 0, "True"]),
    ],
)
def test_what_a_parameter_may_be(expected, good, bad):
    assert all(expected.admits(value) for value in good)
    assert not any(expected.admits(value) for value in bad)


def test_the_message_names_everything():
    with pytest.raises(
        ValueError,
        match=r"The 'n_neighbors' parameter of Isomap must be 'auto' or an int in the range "
        r"\[1, inf\)\. Got 0 instead\.",
    ):
        Isomap(n_neighbors=0).fit(np.random.default_rng(0).random((30, 3)))


def test_memory_limit_from_the_environment(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "2GB")
    assert available_memory() == 2e9
    require_memory(1.9e9, what="a table", who="X", instead="…")
    with pytest.raises(MemoryError, match="X would need 2.1 GB for a table, and 2.0 GB .* Do so"):
        require_memory(2.1e9, what="a table", who="X", instead="Do so.")
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "512")
    assert available_memory() == 512
    monkeypatch.delenv("SIDELIGHT_MEMORY_LIMIT")
    assert available_memory() > 1e6


def test_bytes_for_people():
    assert [format_bytes(b) for b in (12, 4e4, 3.25e6, 1e13)] == [
        "12 bytes",
        "40.0 KB",
        "3.2 MB",
        "10.0 TB",
    ]


def test_long_fits_report_and_can_be_stopped():
    X = np.random.default_rng(0).random((60, 5))
    X[::7, 2] = np.nan
    seen = []
    with listening(seen.append):
        model = ProbabilisticPCA(2).fit(X)
    steps = [p for p in seen if p.stage == "expectation maximisation"]
    assert [p.done for p in steps] == list(range(1, model.n_iter_ + 1))
    np.testing.assert_allclose([p.value for p in steps], model.history_[:-1])

    def stop(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="after 2 iterations"), listening(stop):
        stopped = ProbabilisticPCA(2).fit(X)
    np.testing.assert_allclose(stopped.history_, model.history_[:3])
    seen.clear()
    ProbabilisticPCA(2).fit(X)
    assert not seen  # nobody listens any more


def test_registry_names():
    assert entry_for("isomap").name == entry_for("Isomap").name == "Isomap"
    with pytest.raises(ValueError, match="no method 'tsne'.*pca, ppca"):
        entry_for("tsne")


def test_missing_extras_say_how_to_get_them():
    assert 'pip install "sidelight[plot]"' in str(MissingExtraError("matplotlib", "plot", "Plots"))
