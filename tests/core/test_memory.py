"""Memory: the machine, containers and ulimit are seen, and what does not fit is refused early."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sidelight.core import memory
from sidelight.core.memory import available_memory, require_memory


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with 8 GB free; files are put where it describes itself."""

    def describe(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    describe({"proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n"})
    monkeypatch.setattr(memory, "_ROOT", tmp_path)
    monkeypatch.delenv("SIDELIGHT_MEMORY_LIMIT", raising=False)
    monkeypatch.setattr(memory, "_left_by_process", lambda: float("inf"))
    return describe


def test_a_machine_without_containers(machine):
    assert available_memory() == 8e6 * 1024


def test_a_container_of_the_second_kind_leaves_its_limit_less_its_use(machine):
    machine(
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "1000000000\n",
            "sys/fs/cgroup/memory.current": "300000000\n",
            "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 100000000\n",
        }
    )
    assert available_memory() == 1e9 - 3e8 + 1e8
    with pytest.raises(MemoryError, match=r"X would need 900.0 MB for a table, and 800.0 MB"):
        require_memory(9e8, what="a table", who="X", instead="Do less.")


def test_the_narrowest_of_nested_groups_counts(machine):
    slices = "sys/fs/cgroup/user.slice"
    machine(
        {
            "proc/self/cgroup": "0::/user.slice/session.scope\n",
            f"{slices}/session.scope/memory.max": "max\n",
            f"{slices}/session.scope/memory.current": "5\n",
            f"{slices}/memory.max": "700000000\n",
            f"{slices}/memory.current": "200000000\n",
        }
    )
    assert available_memory() == 5e8


@pytest.mark.parametrize("inside", [True, False])
def test_a_container_of_the_first_kind(machine, inside):
    # inside a container the folder of its own group is the root that it sees
    group = "sys/fs/cgroup/memory" + ("" if inside else "/docker/abc")
    machine(
        {
            "proc/self/cgroup": "5:devices:/docker/abc\n4:memory:/docker/abc\n",
            f"{group}/memory.limit_in_bytes": "600000000\n",
            f"{group}/memory.usage_in_bytes": "200000000\n",
            f"{group}/memory.stat": "cache 7\ntotal_inactive_file 50000000\n",
        }
    )
    assert available_memory() == 4.5e8


def test_a_group_without_a_limit_is_none(machine):
    machine(
        {
            "proc/self/cgroup": "4:memory:/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "200000000\n",
        }
    )
    assert available_memory() == 8e6 * 1024


def test_a_full_container_leaves_nothing_rather_than_less(machine):
    machine(
        {
            "proc/self/cgroup": "0::/\n",
            "sys/fs/cgroup/memory.max": "100\n",
            "sys/fs/cgroup/memory.current": "300\n",
        }
    )
    assert available_memory() == 0


NAMES = ("Isomap", "SammonMapping", "StochasticNeighborEmbedding")
LIMITED = """
import resource, sys
import numpy as np
from sidelight import Isomap, SammonMapping, StochasticNeighborEmbedding
from sidelight.core.memory import _numbers_in, Path

kind, taken, left = sys.argv[1], sys.argv[2], 200_000_000
X = np.random.default_rng(0).random((8000, 3))  # a table of 8 n² bytes is 512 MB
for estimator in (Isomap(n_neighbors=10), SammonMapping(), StochasticNeighborEmbedding()):
    estimator.fit(X[:100])
limit = int(1024 * _numbers_in(Path("/proc/self/status"))[taken]) + left
resource.setrlimit(getattr(resource, kind), (limit, limit))
for estimator in (Isomap(n_neighbors=10), SammonMapping(), StochasticNeighborEmbedding()):
    try:
        estimator.fit(X)
        print("fitted")
    except MemoryError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="these limits are Linux's")
@pytest.mark.parametrize(
    ("kind", "taken"), [("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")], ids=["-v", "-d"]
)
def test_a_ulimit_is_seen_before_the_work_begins(kind, taken):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, kind, taken], capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    for name, refusal in zip(NAMES, said, strict=True):
        assert f"{name} would need" in refusal
        assert "is available" in refusal


@pytest.mark.skipif(sys.platform != "linux", reason="these limits are Linux's")
def test_memory_that_nothing_predicted_is_refused_in_the_same_words(monkeypatch):
    monkeypatch.setenv("SIDELIGHT_MEMORY_LIMIT", "1TB")  # the prediction sees no limit
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "RLIMIT_AS", "VmSize"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name, refusal in zip(NAMES, done.stdout.splitlines(), strict=True):
        assert f"{name} ran out of memory in the fit to X of shape (8000, 3)" in refusal
        assert "Unable to allocate" in refusal
        assert "transform()" in refusal
