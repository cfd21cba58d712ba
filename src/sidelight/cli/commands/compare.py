"""``sidelight compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import (
    METHOD,
    WRITE,
    ColorBy,
    Components,
    File,
    Header,
    Ignore,
    Json,
    Metric,
    Missing,
    Neighbors,
    Precomputed,
    Quiet,
    Standardize,
    number_or_auto,
    split_names,
)


def compare(
    file: File,
    methods: Annotated[
        str,
        typer.Option(
            help="The methods, with commas between them.",
            rich_help_panel=METHOD,
        ),
    ] = "pca,isomap,lle,lem",
    components: Components = "2",
    neighbors: Neighbors = None,
    metric: Metric = None,
    ignore: Ignore = None,
    color_by: ColorBy = None,
    standardize: Standardize = False,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A folder for the maps, the scores and one picture of all maps.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare methods on one table.

    Prints their scores, the best of each kind in bold.  A method that fails is named with the
    reason, and the others go on.
    """
    import sidelight
    from sidelight.cli.fitting import working
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.pictures import as_classes
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, read_data, written_size
    from sidelight.cli.reports import show_comparison
    from sidelight.embedding import warn_of_distances
    from sidelight.registry import entry_for

    entries = [entry_for(name) for name in dict.fromkeys(split_names([methods]))]
    if not entries:
        raise ValueError(f"--methods names no method. Got {methods!r}. Give some: pca,isomap.")
    if output is not None:
        names = [*(f"{entry.command}.csv" for entry in entries), "scores.csv"]
        tables, pictures = [output / name for name in names], [output / "comparison.png"]
        check_outputs([file], tables=tables, pictures=pictures)
    metric = "precomputed" if precomputed else metric
    table = read_data(
        file,
        ignore=split_names(ignore),
        aside=[] if color_by is None else [color_by],
        missing=missing_policy(missing),
        header=header,
        quiet=quiet or as_json,
    )
    X = Preparation.of(table, standardize=standardize).apply(table)
    labels = None if color_by is None else as_classes(table.labels[color_by])
    if not quiet and not as_json:
        console.facts([("data", f"{table.name}, {written_size(table)}")])
    maps: dict[str, Any] = {}
    reports: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    failures: dict[str, str] = {}
    with working(quiet=quiet or as_json) as begin:
        if standardize and metric != "precomputed":
            warn_of_distances(table.X)  # which would no longer look like one
        for entry in entries:
            begin(entry.name)
            known = entry.load()().get_params()
            options = {"n_neighbors": neighbors if entry.needs_graph else None, "metric": metric}
            if metric != "precomputed" and "metric" not in known:
                del options["metric"]  # it works on the features; all are judged alike
            given = {name: value for name, value in options.items() if value is not None}
            start = time.perf_counter()
            try:
                result = sidelight.embed(
                    X, method=entry.command, n_components=number_or_auto(components), **given
                )
                seconds[entry.command] = time.perf_counter() - start
                maps[entry.command] = result.points
                if output is not None:  # at once, so that nothing can lose it
                    _write_map(output, entry.command, result, table)
                reports[entry.command] = result.quality(labels=labels, metric=metric or "euclidean")
            except (ValueError, MemoryError, ImportError) as error:
                failures[entry.command] = str(error)
    if not maps:
        reasons = " ".join(f"{method}: {reason}" for method, reason in failures.items())
        raise ValueError(f"No method gave a map. {reasons}")
    if as_json:
        found = {
            "data": {"file": str(file), "rows": len(X), "columns": list(table.column_names)},
            "methods": {
                name: {**report.to_dict(), "seconds": round(seconds[name], 3)}
                for name, report in reports.items()
            },
            "failures": failures,
        }
        typer.echo(json.dumps(found, indent=2))
    elif not quiet:
        show_comparison(reports, seconds, failures)
    if output is not None:
        _write(output, maps, reports, table, color_by)
        if not quiet and not as_json:
            names = [f"{name}.csv" for name in (*maps, *(["scores"] if reports else []))]
            console.facts([("written", f"{output}/comparison.png, {', '.join(names)}")])


def _write_map(folder: Path, name: str, result: Any, table: Any) -> None:
    from sidelight.cli.maps import map_columns
    from sidelight.io.table import write_table

    columns = map_columns(result.points, list(result.model.get_feature_names_out()), table)
    write_table(folder / f"{name}.csv", columns)


def _write(
    folder: Path, maps: dict[str, Any], reports: dict[str, Any], table: Any, color_by: str | None
) -> None:
    from sidelight import plot
    from sidelight.cli.pictures import colouring
    from sidelight.cli.reports import COMPARED
    from sidelight.io.table import write_table
    from sidelight.registry import entry_for

    scores = {"method": list(reports)}
    for field, _, _ in COMPARED:
        values = [getattr(report, field) for report in reports.values()]
        if None not in values:
            scores[field] = values
    if reports:
        write_table(folder / "scores.csv", scores)
    drawn = {name: Z if Z.shape[1] <= 3 else Z[:, :2] for name, Z in maps.items()}
    figure = plot.comparison(
        {entry_for(name).name: Z for name, Z in drawn.items()},
        scores={entry_for(name).name: f"R_NX {report.auc:.3f}" for name, report in reports.items()},
        title=Path(table.name).stem,
        n_columns=2 if len(drawn) == 4 else None,
        **colouring(table, color_by),
    )
    plot.save(figure, folder / "comparison.png")
