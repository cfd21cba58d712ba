"""The tests with the arithmetic of other processors: ``python tools/portable.py``.

OpenBLAS chooses its kernels by the processor, and ``OPENBLAS_CORETYPE`` names another one; numba
and numpy are told likewise.  Kernels that this processor cannot run are left out, and said so.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

#: What each kernel needs of the processor.
NEEDS = {
    "Prescott": "SSE3",
    "Sandybridge": "AVX",
    "Haswell": "AVX2",
    "SkylakeX": "AVX512F",
    "Zen": "AVX2",
}
#: Rooms whose tests say nothing about arithmetic.
LEFT_OUT = ("cli", "experiments", "benchmarks", "plot", "fuzz", "io")
#: Likewise files, and tests: of words, of names, of manners, and one that tries kernels itself.
NO_ARITHMETIC = (
    "tests/contract/test_bad_input.py",
    "tests/contract/test_every_parameter_acts.py",
    "tests/contract/test_every_processor.py",
    "tests/contract/test_names.py",
    "tests/contract/test_random_states.py",
    "tests/test_architecture.py",
    "tests/test_book.py",
    "tests/test_manners.py",
)
MANNERS = "not test_scikit_learns_own_checks_pass"
_WHICH = """
import numpy
from threadpoolctl import threadpool_info
print(sorted({str(one.get("architecture")) for one in threadpool_info()}))
"""


def environment(kernel: str, n_threads: int = 1) -> dict[str, str]:
    """The variables under which a process computes as another processor would."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
    changed = {"OPENBLAS_CORETYPE": kernel} | dict.fromkeys(threads, str(n_threads))
    if kernel == "Prescott":  # no wide vectors anywhere
        features, dispatched = _numpy_features()
        present = [name for name in dispatched if features.get(name)]
        changed |= {"NUMBA_CPU_NAME": "generic", "NPY_DISABLE_CPU_FEATURES": " ".join(present)}
    return dict(os.environ) | changed


@cache
def why_not(kernel: str) -> str | None:
    """Why a kernel cannot be tried here; None where it can."""
    machine = platform.machine()
    if machine.lower() not in ("x86_64", "amd64"):
        return f"the {kernel} kernel is one of x86-64, and this is {machine}"
    if not _numpy_features()[0].get(NEEDS[kernel]):
        return f"this processor has no {NEEDS[kernel]}, which the {kernel} kernel needs"
    if kernel_named("Prescott") == kernel_named("Sandybridge"):
        return "this OpenBLAS has one kernel for all processors (it is not DYNAMIC_ARCH)"
    return None


@cache
def kernel_named(kernel: str | None) -> str:
    """What OpenBLAS itself calls the kernel that a name gives, or that of this processor."""
    variables = dict(os.environ) if kernel is None else environment(kernel)
    done = subprocess.run(
        [sys.executable, "-c", _WHICH], env=variables, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else f"crashed ({done.returncode})"


def _numpy_features() -> tuple[dict[str, bool], list[str]]:
    """What this processor has, and what numpy looks for beyond its baseline."""
    from numpy._core import _multiarray_umath as umath

    return dict(umath.__cpu_features__), list(umath.__cpu_dispatch__)


def run_tests(kernel: str, n_threads: int, folders: list[str], workers: str) -> tuple[str, float]:
    """Run tests as another processor would; the last line that pytest says, and the seconds."""
    command = [sys.executable, "-m", "pytest", *folders, "-q", "--no-header", "--tb=short"]
    command += ["-p", "no:cacheprovider", "-n", workers, "--dist", "loadfile"]
    command += [f"--ignore={file}" for file in NO_ARITHMETIC] + ["-k", MANNERS]
    command += ["-m", "not thorough"]
    begun = time.perf_counter()
    done = subprocess.run(
        command, env=environment(kernel, n_threads), capture_output=True, text=True, check=False
    )
    said = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode:
        print("\n".join(said) or done.stdout[-3000:] + done.stderr[-3000:], flush=True)
    last = (done.stdout.strip().splitlines() or ["nothing was said"])[-1]
    outcome = last.split(" in ")[0].strip("= ")
    word = "passed" if done.returncode == 0 else "FAILED"
    return f"{word}: {outcome}", time.perf_counter() - begun


def rooms_that_compute() -> list[str]:
    """The folders, and the files beside them, whose tests say something about arithmetic."""
    folders = (path for path in Path("tests").iterdir() if path.is_dir())
    rooms = (str(path) for path in folders if path.name not in (*LEFT_OUT, "__pycache__"))
    files = map(str, Path("tests").glob("test_*.py"))
    return sorted([*rooms, *(file for file in files if file not in NO_ARITHMETIC)])


def _different(kernels: list[str]) -> list[str]:
    """Kernels without those that are another one under a second name."""
    return list({kernel_named(kernel): kernel for kernel in reversed(kernels)}.values())[::-1]


def main() -> int:
    """Run the tests under each kernel and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", help="tests; all rooms that compute by default")
    parser.add_argument("--kernels", nargs="+", default=list(NEEDS), choices=list(NEEDS))
    parser.add_argument("--others", type=int, help="only so many, none of them this machine's own")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--workers", default="auto", help="processes, as pytest-xdist's -n")
    given = parser.parse_args()
    folders = given.folders or rooms_that_compute()
    kernels = _different([kernel for kernel in given.kernels if why_not(kernel) is None])
    if given.others is not None:
        own = kernel_named(None)
        kernels = [kernel for kernel in kernels if kernel_named(kernel) != own][: given.others]
    else:
        for kernel in given.kernels:
            if kernel not in kernels:
                reason = why_not(kernel) or "this OpenBLAS takes another's kernel for it"
                print(f"{kernel:12s} left out: {reason}")
    failed = False
    for kernel in kernels:
        for n_threads in given.threads:
            outcome, seconds = run_tests(kernel, n_threads, folders, given.workers)
            failed = failed or outcome.startswith("FAILED")
            name = kernel_named(kernel)
            print(
                f"{kernel:12s} {name:16s} threads {n_threads}  {seconds:6.0f} s  {outcome}",
                flush=True,
            )
    if not kernels:
        print("No kernel but this machine's own can be tried here.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
