"""Several maps of one table: fitted, judged, and written as soon as each is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

#: What is added to the name of a method that was told what is known.
TOLD = " told"


@dataclass(frozen=True)
class Comparison:
    """What became of the methods, by their names.

    Parameters
    ----------
    maps : dict of str to ndarray
        Those of the first seed.
    reports : dict of str to list of Judged
        Against the data as given, one for each seed.
    cleaned : dict of str to list of Judged
        Against the data without a factor that was taken out.
    times : dict of str to list of float
        Seconds of each fit.
    failures : dict of str to str
        Why there is no map, or no judgement.
    """

    maps: dict[str, Any] = field(default_factory=dict)
    reports: dict[str, list[Any]] = field(default_factory=dict)
    cleaned: dict[str, list[Any]] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> dict[str, float]:
        """The mean of the times."""
        return {name: fmean(times) for name, times in self.times.items()}

    @property
    def judged(self) -> dict[str, Any]:
        """A report for each method: the means over the seeds."""
        return {name: averaged(reports) for name, reports in self.reports.items()}

    @property
    def judged_without(self) -> dict[str, Any]:
        """The same, against the data without a factor that was taken out."""
        return {name: averaged(reports) for name, reports in self.cleaned.items()}

    @property
    def spread(self) -> dict[str, dict[str, float]]:
        """How far the measures of other seeds are apart: standard deviations, where drawn."""
        return {
            name: spread_of(reports) for name, reports in self.reports.items() if len(reports) > 1
        }


def averaged(reports: Sequence[Any]) -> Any:
    """The report of which each compared measure is the mean."""
    from sidelight.cli.reports import COMPARED

    means = {
        name: fmean(getattr(report, name) for report in reports)
        for name, _, _ in COMPARED
        if getattr(reports[0], name) is not None
    }
    return reports[0] if len(reports) == 1 else replace(reports[0], **means)


def spread_of(reports: Sequence[Any]) -> dict[str, float]:
    """The standard deviation of each compared measure."""
    from sidelight.cli.reports import COMPARED

    return {
        name: stdev(getattr(report, name) for report in reports)
        for name, _, _ in COMPARED
        if getattr(reports[0], name) is not None
    }


def compared(
    X: Any,
    entries: Sequence[Any],
    *,
    known: Sequence[Any],
    options: Callable[[Any], dict[str, Any]],
    seeds: Sequence[int | None],
    judged_by: Mapping[str, Any],
    begin: Callable[[str], None],
    keep: Callable[[str, Any], None],
) -> Comparison:
    """Fit each method without and with what is known, and with each seed where it draws any.

    ``options`` are those of a method, ``judged_by`` of the judgement; a method ``begin``s, and the
    first map of each is to be ``keep``t before it is judged.  How much of what is known holds is
    counted in all maps, those that were not told too.
    """
    import sidelight
    from sidelight.cli.reports import Judged
    from sidelight.estimator import takes_factor_out

    found = Comparison()
    for entry in entries:
        draws = _draws(entry, X.shape[0])
        for told in ("", TOLD)[: 1 + bool(known)]:
            name, side = f"{entry.command}{told}", known if told else None
            for turn, seed in enumerate(seeds if draws else seeds[:1]):
                begin(f"{entry.name}{told}{f', seed {seed}' if draws and len(seeds) > 1 else ''}")
                start = time.perf_counter()
                try:
                    result = sidelight.embed(
                        X, side=side, method=entry.command, random_state=seed, **options(entry)
                    )
                    found.times.setdefault(name, []).append(time.perf_counter() - start)
                    if not turn:
                        found.maps[name] = result.points
                        keep(name, result)
                    said = replace(result, side=known).agreement()
                    report = Judged.of(result.quality(as_given=True, **judged_by), said)
                    found.reports.setdefault(name, []).append(report)
                    if takes_factor_out(result.model):
                        cleaned = Judged.of(result.quality(**judged_by), said)
                        found.cleaned.setdefault(name, []).append(cleaned)
                except (ValueError, MemoryError, ImportError) as error:
                    found.failures[name] = str(error)
                    break
    return found


def _draws(entry: Any, n: int) -> bool:
    """Whether a method may draw at random: while it is fitted, or the rows that it is fitted to."""
    from sidelight.embedding import reach_of

    return "random_state" in entry.load()().get_params() or reach_of(entry.name).of(n) < n


def as_json(found: Comparison) -> dict[str, Any]:
    """Measures, times and failures as plain values."""
    seconds, spread = found.seconds, found.spread
    methods: dict[str, Any] = {
        name: {**report.to_dict(), "seconds": round(seconds[name], 3)}
        for name, report in found.judged.items()
    }
    for name, apart in spread.items():
        methods[name] |= {"spread": apart, "seeds": len(found.reports[name])}
    for name, report in found.judged_without.items():
        methods[name]["without_condition"] = report.to_dict()
    return {"methods": methods, "failures": found.failures}


def file_of(name: str) -> str:
    """The file of a map in the folder."""
    return f"{name.replace(' ', '-')}.csv"


def write_map(folder: Path, name: str, result: Any, table: Any) -> None:
    """Write one map, with what was set aside."""
    from sidelight.cli.maps import map_columns
    from sidelight.io.table import write_table

    columns = map_columns(result.points, list(result.model.get_feature_names_out()), table)
    write_table(folder / file_of(name), columns)


def write_scores(folder: Path, found: Comparison) -> None:
    """Write the measures and the times, with their spread where there were several seeds."""
    from sidelight.cli.reports import COMPARED
    from sidelight.io.table import write_table

    reports, spread = found.judged, found.spread
    scores: dict[str, list[Any]] = {"method": list(reports)}
    for name, _, _ in COMPARED:
        values = [getattr(report, name) for report in reports.values()]
        if None in values:
            continue
        scores[name] = values
        if spread:
            scores[f"{name}_spread"] = [spread.get(method, {}).get(name, 0.0) for method in reports]
    if reports:
        scores["seconds"] = [found.seconds[method] for method in reports]
        write_table(folder / "scores.csv", scores)


def draw_maps(folder: Path, found: Comparison, table: Any, color_by: str | None) -> None:
    """Draw all maps side by side."""
    from sidelight import plot
    from sidelight.cli.pictures import colouring
    from sidelight.registry import entry_for

    drawn = {name: Z if Z.shape[1] <= 3 else Z[:, :2] for name, Z in found.maps.items()}
    names = {name: entry_for(name.removesuffix(TOLD)).name for name in drawn}
    names = {name: f"{names[name]}{TOLD if name.endswith(TOLD) else ''}" for name in names}
    scores = {names[name]: f"R_NX {report.auc:.3f}" for name, report in found.judged.items()}
    figure = plot.comparison(
        {names[name]: Z for name, Z in drawn.items()},
        scores=scores,
        title=Path(table.name).stem,
        n_columns=2 if len(drawn) == 4 or any(name.endswith(TOLD) for name in drawn) else None,
        **colouring(table, color_by),
    )
    plot.save(figure, folder / "comparison.png")
