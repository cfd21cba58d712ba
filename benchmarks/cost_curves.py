"""What every method costs as rows grow: ``python -m benchmarks.cost_curves``.

Each method of the registry is fitted to n = 300 … 10⁶ rows, as far as it comes within a limit of
processor time, and beyond that goes through ``embed``, which fits a sample and places the rest.
Every run has a process and a core of its own, and the first n of rows that were made once; its
time, its memory and the exponents of n are written as JSON and drawn as curves.  ``--small`` takes
a few rows, to see that everything runs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import measure
from benchmarks.runner import ONE_THREAD
from sidelight.core import FloatArray
from sidelight.datasets.files import why_missing
from sidelight.registry import MAPS, entry_for
from sidelight.side import Actions

SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
SMALL_SIZES = (60, 120)
_COLUMNS = 50
#: Shorter runs say more about the overhead than about the method.
_SECONDS_THAT_COUNT = 0.05
#: So many limits may a fit of a sample take together with placing the other rows.
_LONGER_PLACED = 5
#: What is awaited to take so many limits is not tried.
_FAR_BEYOND = 1.5
#: Runs that a loop compiled, or read from disk, for their size would show in are made again.
_SECONDS_OF_COMPILING = 10.0


def rows(n: int, *, small: bool = False) -> FloatArray:
    """Deformed digits in fifty principal components; without them, a noisy sheet."""
    if not small and why_missing("mnist_t10k") is None:
        from benchmarks.deformed_digits import deformed_digits

        return deformed_digits(n, _COLUMNS).X
    rng = np.random.default_rng(0)
    sheet = rng.random((n, 2)) @ rng.standard_normal((2, _COLUMNS))
    return np.asarray(np.cos(3 * sheet) + 0.01 * rng.standard_normal((n, _COLUMNS)))


def walk(n: int) -> tuple[FloatArray, Actions]:
    """A walk in runs of four steps to and fro and up and down, for methods that need actions."""
    names = np.array(["east", "north", "west", "north", "east", "south", "west", "south"])
    steps = {"east": (1, 0), "west": (-1, 0), "north": (0, 1), "south": (0, -1)}
    taken = names[np.arange(n - 1) // 4 % len(names)]
    places = np.cumsum([(0, 0), *(steps[name] for name in taken)], axis=0)
    bumps = np.random.default_rng(0).uniform(-2, 10, size=(_COLUMNS, 2))
    squares = np.square(places[:, None] - bumps).sum(axis=2)
    return np.exp(-squares / 18), Actions(taken)


def run_once(
    name: str, n: int, way: str, *, among: Path | None = None, small: bool = False
) -> dict[str, Any]:
    """Fit a method to n rows, or take it through ``embed``; what that took.

    The rows are the first of those in the file ``among``; without one they are made.
    """
    from sidelight import embed

    walks = entry_for(name).understands == ("Actions",)
    X, side = walk(n) if walks else (_first_rows(n, among, small=small), None)

    def run(X: FloatArray, side: Any) -> Any:
        return embed(X, side=side, method=name, sample=len(X) if way == "fit" else None)

    with warnings.catch_warnings(action="ignore"):
        if not small:  # what is compiled is compiled once
            run(*(walk(100) if walks else (X[:300], None)))
        measured = measure(lambda: run(X, side))
        if measured.seconds < _SECONDS_OF_COMPILING and not small:
            measured = measure(lambda: run(X, side))
    return {
        "n": n,
        "seconds": measured.seconds,
        "megabytes": measured.megabytes,
        "fitted to": len(measured.answer.model.embedding_),
    }


def _first_rows(n: int, among: Path | None, *, small: bool) -> FloatArray:
    if among is None:
        return rows(n, small=small)
    return np.array(np.load(among, mmap_mode="r")[:n])


def exponent(runs: Sequence[dict[str, Any]], what: str = "seconds") -> float | None:
    """The slope of log cost over log n, by least squares over the last three runs that count."""
    least = _SECONDS_THAT_COUNT if what == "seconds" else 1.0
    points = [(run["n"], run[what]) for run in runs if run[what] >= least][-3:]
    if len(points) < 2:
        return None
    n, cost = np.log(np.array(points)).T
    return float(np.polyfit(n, cost, 1)[0])


def curves(
    names: Iterable[str],
    sizes: Sequence[int],
    limit: float,
    *,
    among: Path | None = None,
    small: bool = False,
) -> Iterable[tuple[str, dict[str, Any]]]:
    """Measure the methods one after the other."""
    for name in names:
        curve: dict[str, Any] = {"family": entry_for(name).family, "fit": [], "embed": []}
        way = "fit"
        for n in sizes:
            found = _within(curve[way], name, n, way, limit, among=among, small=small)
            if isinstance(found, str) and way == "fit" and not small:
                curve["fit ends"] = f"{n:,} rows: {found}"
                way = "embed"
                found = _within([], name, n, way, limit, among=among, small=small)
            if isinstance(found, str):
                curve[f"{way} ends"] = f"{n:,} rows: {found}"
                break
            curve["fit" if found["fitted to"] == n else way].append(found)
            print(f"{name} {way}: {found}", file=sys.stderr, flush=True)
        for what in ("seconds", "megabytes"):
            curve[f"exponent of {what}"] = exponent(curve["fit"], what)
        yield name, curve


def _within(
    runs: Sequence[dict[str, Any]],
    name: str,
    n: int,
    way: str,
    limit: float,
    *,
    among: Path | None,
    small: bool,
) -> dict[str, Any] | str:
    """One run, if those before it do not say that it will take too long; or why there is none."""
    allowed = limit if way == "fit" else _LONGER_PLACED * limit
    awaited = _awaited(runs, n)
    if awaited is not None and awaited > _FAR_BEYOND * allowed and not small:
        return f"about {awaited:.0f} s of processor time, as its last two runs go on"
    return _apart(name, n, way, allowed, among=among, small=small)


def _awaited(runs: Sequence[dict[str, Any]], n: int) -> float | None:
    """What n rows will take if cost goes on as between the last two runs that count."""
    slope = exponent(runs[-2:])
    return None if slope is None else float(runs[-1]["seconds"] * (n / runs[-1]["n"]) ** slope)


def _apart(
    name: str, n: int, way: str, limit: float, *, among: Path | None = None, small: bool = False
) -> dict[str, Any] | str:
    """One run in a process of its own, or why there is no figure."""
    if small:
        return run_once(name, n, way, small=True)
    command = [sys.executable, "-m", "benchmarks.cost_curves", "--one", name, str(n), way]
    command += ["--limit", str(limit)] + ([] if among is None else ["--among", str(among)])
    done = subprocess.run(
        command,
        env=os.environ | ONE_THREAD,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return dict(json.loads(done.stdout))
    said = done.stderr.strip().splitlines()
    over = f"more than {limit:g} s of processor time"
    return said[-1] if done.returncode > 0 and said else over


def _limit_processor_time(seconds: float) -> None:
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(seconds + used.ru_utime + used.ru_stime + 30)  # for the data and the first small fit
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw time and memory over the number of rows, both logarithmic, a column for each family."""
    from matplotlib.figure import Figure

    from sidelight.plot import save
    from sidelight.plot.style import FAINT, HAIRLINE, INK, PALETTE, SMALL_SIZE, TITLE_SIZE

    families = list(dict.fromkeys(curve["family"] for curve in found.values()))
    figure = Figure(figsize=(4.2 * len(families), 9.0), layout="constrained")
    axes = figure.subplots(2, len(families), sharex=True, sharey="row", squeeze=False)
    for column, family in enumerate(families):
        members = [name for name, curve in found.items() if curve["family"] == family]
        for row, what in enumerate(("seconds", "megabytes")):
            ax = axes[row, column]
            for number, name in enumerate(members):
                curve, colour = found[name], PALETTE[number % len(PALETTE)]
                slope = curve[f"exponent of {what}"]
                label = name if slope is None else f"{name}, n^{slope:.1f}"
                n, cost = _points([*curve["fit"][-1:], *curve["embed"]], what)
                ax.plot(n, cost, "o:", color=colour, ms=3.5, lw=1.2, mfc="white")
                n, cost = _points(curve["fit"], what)
                ax.plot(n, cost, "o-", color=colour, ms=3.5, lw=1.4, label=label)
            ax.set(xscale="log", yscale="log")
            ax.grid(color=HAIRLINE, lw=0.4)
            ax.spines[["top", "right"]].set_visible(False)
            ax.tick_params(colors=FAINT, labelsize=SMALL_SIZE)
            ax.legend(
                fontsize=SMALL_SIZE - 1.5,
                frameon=False,
                loc="upper left",
                bbox_to_anchor=(0.0, -0.14 if row else -0.04),
                ncols=2,
            )
            if row == 0:
                ax.set_title(family, fontsize=TITLE_SIZE, color=INK)
            else:
                ax.set_xlabel("rows (dotted: a sample is fitted, the rest placed)", color=INK)
            if column == 0:
                ax.set_ylabel("CPU seconds" if row == 0 else "megabytes, at the peak", color=INK)
    save(figure, path, dpi=140)


def _points(runs: Sequence[dict[str, Any]], what: str) -> tuple[list[int], list[float]]:
    least = 1e-3 if what == "seconds" else 1.0
    return [run["n"] for run in runs], [max(run[what], least) for run in runs]


def main() -> int:
    """Measure, write, draw."""
    options = _parser().parse_args()
    if options.one is not None:
        name, n, way = options.one
        _limit_processor_time(options.limit)
        print(json.dumps(run_once(name, int(n), way, among=options.among)))
        return 0
    names = [entry_for(name).name for name in options.methods] or [entry.name for entry in MAPS]
    sizes = SMALL_SIZES if options.small else [n for n in SIZES if n <= options.most]
    found: dict[str, Any] = {}
    if options.json is not None and options.json.exists() and options.methods:
        found = json.loads(options.json.read_text())  # some methods anew, beside the others
    with tempfile.TemporaryDirectory() as folder:
        among = None if options.small else Path(folder, "rows.npy")
        if among is not None:
            np.save(among, rows(max(sizes)))
        for name, curve in curves(names, sizes, options.limit, among=among, small=options.small):
            found[name] = curve
            if options.json is not None:  # after every method, so that nothing measured is lost
                options.json.parent.mkdir(parents=True, exist_ok=True)
                options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    for name, curve in found.items():
        slopes = [curve[f"exponent of {what}"] for what in ("seconds", "megabytes")]
        time, memory = ("–" if slope is None else f"n^{slope:.2f}" for slope in slopes)
        last = [*curve["fit"], *curve["embed"]][-1:]
        at = f"{last[0]['n']:,} rows in {last[0]['seconds']:.1f} s" if last else "no run"
        print(f"{name:32} time {time:>7}  memory {memory:>7}  {at}")
    if options.picture is not None:
        draw(found, options.picture)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_curves", description=__doc__)
    parser.add_argument("--methods", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--most", type=int, default=SIZES[-1], metavar="N", help="rows at most")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of a fit (60)")
    parser.add_argument("--small", action="store_true", help="a few rows: does everything run?")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write every figure to a file")
    parser.add_argument("--picture", type=Path, metavar="PATH", help="draw the curves")
    parser.add_argument("--one", nargs=3, metavar=("NAME", "N", "WAY"), help=argparse.SUPPRESS)
    parser.add_argument("--among", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
