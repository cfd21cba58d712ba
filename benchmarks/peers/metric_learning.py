"""Metrics from pairs against metric-learn: processor time, and accuracy on rows not seen.

``python -m benchmarks.peers.metric_learning`` makes a throw-away environment with metric-learn,
which needs an older scikit-learn than sidelight does; ``--python PATH`` takes an interpreter that
has it.  Every fit runs in a process of its own, on one thread, from the same file of data, and
contenders take turns; seconds are medians, accuracies means over the rounds.  A fit is ended after
40 seconds of processor time.

All have their defaults.  ITML and MMC are given similar and dissimilar pairs, half of each, as
sidelight is.  RCA takes the pieces that similar pairs join as its chunks, and as many principal
components as half the independent similar pairs, of those with a thousandth of the variance of the
first: it needs more pairs than dimensions, and none without variance.  Faces are given to all as
their 399 principal components, without which ITML and MMC would work on matrices of order 4,096.

The accuracy is that of five nearest neighbours among rows that no pair names: for faces among
people of whom no photograph is in any pair ("new people", and "glasses", where photographs of the
same person do not vote) or photographs that are in none ("new photographs").
"""

# The file is run by two interpreters: the peers' one has numpy and metric-learn, no sidelight.
from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COUNTS = (10, 50, 200, 1000)
PROBLEMS = ("digits", "breast cancer", "new photographs", "new people", "glasses, new people")
CONTENDERS = ("sidelight", "ITML", "MMC", "RCA")
PACKAGES = ("metric-learn==0.7.*", "scikit-learn<1.6")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LONGEST = 40  # processor seconds of one fit
Fit = Callable[[Any, Any, Any], Any]


def fit_sidelight(X: Any, similar: Any, dissimilar: Any) -> Any:
    """Learn with the defaults."""
    from sidelight.metric import EquivalenceMetric
    from sidelight.side import Pairs

    side = Pairs(similar=similar, dissimilar=dissimilar)
    return EquivalenceMetric().fit(X, side=side).transform


def _constraints(similar: Any, dissimilar: Any) -> tuple[Any, Any]:
    signs = np.repeat([1, -1], [len(similar), len(dissimilar)])
    return np.vstack([similar, dissimilar]), signs


def fit_itml(X: Any, similar: Any, dissimilar: Any) -> Any:
    """Learn with the defaults of metric-learn."""
    from metric_learn import ITML  # in the peers' environment alone

    pairs, signs = _constraints(similar, dissimilar)
    return ITML(preprocessor=X, random_state=0).fit(pairs, signs).transform


def fit_mmc(X: Any, similar: Any, dissimilar: Any) -> Any:
    """Learn with the defaults of metric-learn."""
    from metric_learn import MMC

    pairs, signs = _constraints(similar, dissimilar)
    return MMC(preprocessor=X, random_state=0).fit(pairs, signs).transform


def fit_rca(X: Any, similar: Any, dissimilar: Any) -> Any:
    """Learn from the pieces that similar pairs join, which RCA calls chunklets."""
    import scipy.sparse as sp
    from metric_learn import RCA
    from scipy.sparse.csgraph import connected_components

    joined = sp.coo_array((np.ones(len(similar)), tuple(similar.T)), shape=(len(X), len(X)))
    pieces = connected_components(joined, directed=False)[1]
    sizes = np.bincount(pieces)
    numbers = np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)
    independent = int(np.sum(sizes - 1))
    centred = X - X.mean(axis=0)
    lengths, axes = np.linalg.svd(centred, full_matrices=False)[1:]
    varying = int(np.sum(lengths**2 > 1e-3 * lengths[0] ** 2))
    axes = axes[: max(1, min(independent // 2, varying))].T
    learned = RCA().fit(X @ axes, numbers[pieces])
    return lambda rows: learned.transform(rows @ axes)


FITS: dict[str, Fit] = {
    "sidelight": fit_sidelight,
    "ITML": fit_itml,
    "MMC": fit_mmc,
    "RCA": fit_rca,
}


def work(contender: str, file: Path) -> None:
    """Fit once, and print what it took and where the unseen rows went.

    Parameters
    ----------
    contender : str
        One of :data:`CONTENDERS`.
    file : Path
        The problem; the mapped rows are written beside it.
    """
    warnings.simplefilter("ignore")
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    data = np.load(file)
    fit = FITS[contender]
    small = np.random.default_rng(0).normal(size=(30, 3))
    rows = np.arange(20).reshape(10, 2)
    fit(small, rows[:5], rows[5:])  # what is imported and compiled at the first call
    begun = time.process_time()
    transform = fit(data["X"], data["similar"], data["dissimilar"])
    seconds = time.process_time() - begun
    np.save(file.with_suffix(".npy"), np.asarray(transform(data["unseen"])))
    print(json.dumps({"seconds": seconds}))


def run(python: str, contender: str, file: Path) -> tuple[float, Any] | None:
    """Fit in another process.

    Parameters
    ----------
    python : str
        The interpreter.
    contender : str
        One of :data:`CONTENDERS`.
    file : Path
        The problem.

    Returns
    -------
    tuple of float and ndarray, or None
        Processor seconds and the unseen rows mapped; None where the fit failed or took too long.
    """
    command = [python, str(Path(__file__).resolve()), "--work", contender, str(file)]
    try:
        done = subprocess.run(
            command,
            env=os.environ | ONE_THREAD,
            capture_output=True,
            text=True,
            timeout=20 * LONGEST,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    seconds = float(json.loads(done.stdout.splitlines()[-1])["seconds"])
    mapped = np.load(file.with_suffix(".npy"))
    return (seconds, mapped) if np.isfinite(mapped).all() else None


def problem_file(name: str, count: int, seed: int, folder: Path) -> tuple[Path, Callable[..., Any]]:
    """Write a problem to a file, and say how its answer is judged.

    Parameters
    ----------
    name : str
        One of :data:`PROBLEMS`.
    count : int
        How many pairs, half of each kind.
    seed : int
        For the split and the draw.
    folder : Path
        Where to write.

    Returns
    -------
    file : Path
        X, pairs and unseen rows.
    judge : callable
        From the unseen rows, mapped, to an accuracy.
    """
    from experiments.informed.pair_metric_safety import (
        N_NEIGHBORS,
        draw_pairs,
        neighbor_accuracy,
        problems,
        split_groups,
    )

    problem = problems()[name]
    rng = np.random.default_rng([seed, count])
    seen = split_groups(problem.groups, rng)
    pairs = draw_pairs(problem.labels[seen], "both", count, rng)
    X, unseen = problem.X[seen], problem.X[~seen]
    file = folder / f"{name}-{count}-{seed}.npz"
    np.savez(file, X=X, unseen=unseen, similar=pairs.similar, dissimilar=pairs.dissimilar)
    labels = problem.labels[~seen]
    groups = problem.groups[~seen] if problem.strangers else None

    def judge(Z: Any = unseen) -> float:
        return neighbor_accuracy(Z, labels, n_neighbors=N_NEIGHBORS, groups=groups)

    return file, judge


def make_environment(folder: Path) -> str:
    """Make a virtual environment with metric-learn.

    Parameters
    ----------
    folder : Path
        Where.

    Returns
    -------
    str
        Its interpreter.
    """
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return python


def compare(
    python: str, names: list[str], counts: list[int], rounds: int, contenders: list[str]
) -> list[dict[str, Any]]:
    """Measure contenders on problems.

    Parameters
    ----------
    python : str
        An interpreter with metric-learn.
    names : list of str
        Some of :data:`PROBLEMS`.
    counts : list of int
        Numbers of pairs.
    rounds : int
        Draws; the contenders take turns in each.
    contenders : list of str
        Some of :data:`CONTENDERS`; sidelight first, for the ratios.

    Returns
    -------
    list of dict
        Problem, pairs, contender, median seconds, mean accuracy and that of no metric; no seconds
        where a contender failed.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for count in counts:
                lost: set[str] = set()
                answers: dict[str, list[tuple[float, float] | None]] = {c: [] for c in contenders}
                euclidean = []
                for seed in range(rounds):
                    file, judge = problem_file(name, count, seed, Path(folder))
                    euclidean.append(judge())
                    for contender in contenders:
                        if contender in lost:
                            continue
                        mine = sys.executable if contender == "sidelight" else python
                        answer = run(mine, contender, file)
                        if answer is None:
                            lost.add(contender)
                        answers[contender].append(answer and (answer[0], judge(answer[1])))
                for contender, runs in answers.items():
                    done = [one for one in runs if one is not None]
                    complete = len(done) == rounds
                    found.append(
                        {
                            "problem": name,
                            "pairs": count,
                            "contender": contender,
                            "seconds": float(np.median([s for s, _ in done])) if complete else None,
                            "accuracy": float(np.mean([a for _, a in done])) if complete else None,
                            "euclidean": float(np.mean(euclidean)),
                        }
                    )
                print_line(found[-len(contenders) :])
    return found


def print_line(rows: list[dict[str, Any]]) -> None:
    """Print one problem: accuracies, seconds, and seconds as multiples of sidelight's."""
    own = rows[0]
    cells = [f"{own['problem']:<20} {own['pairs']:>5}  euclidean {own['euclidean']:.3f}"]
    for row in rows:
        if row["seconds"] is None:
            cells.append(f"{row['contender']} failed, or over {LONGEST} s")
            continue
        times = ""
        if row is not own and own["seconds"]:
            ratio = row["seconds"] / own["seconds"]
            times = f", {ratio:.{0 if ratio >= 10 else 1}f}×"
        cells.append(f"{row['contender']} {row['accuracy']:.3f} ({row['seconds']:.3f} s{times})")
    print("  ".join(cells), flush=True)


def main() -> None:
    """Compare, or be one contender."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--python", help="an interpreter that has metric-learn")
    parser.add_argument("--problems", nargs="*", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--pairs", type=int, nargs="*", default=list(COUNTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--contenders", nargs="*", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work[0], Path(options.work[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or make_environment(Path(folder))
        found = compare(python, options.problems, options.pairs, options.rounds, options.contenders)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
