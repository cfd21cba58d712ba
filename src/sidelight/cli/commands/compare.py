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
    from sidelight.cli.estimators import build_estimator, find_method
    from sidelight.cli.fitting import shown
    from sidelight.cli.pictures import as_classes
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import read_data, written_size
    from sidelight.cli.reports import show_comparison
    from sidelight.quality import quality_report

    if output is not None:
        from sidelight.plot.style import require_matplotlib

        require_matplotlib("--output")
    entries = [find_method(name) for name in dict.fromkeys(split_names([methods]))]
    table = read_data(
        file,
        ignore=split_names(ignore),
        aside=[] if color_by is None else [color_by],
        missing=missing or "error",
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
    for entry in entries:
        takes_neighbors = neighbors if entry.needs_graph else None
        try:
            estimator = build_estimator(
                entry,
                options={"components": number_or_auto(components), "neighbors": takes_neighbors},
                precomputed=precomputed,
            )
            with shown(entry.name, quiet=quiet or as_json):
                start = time.perf_counter()
                Z = estimator.fit_transform(X)
                seconds[entry.command] = time.perf_counter() - start
                reports[entry.command] = quality_report(
                    X, Z, labels=labels, metric="precomputed" if precomputed else "euclidean"
                )
            maps[entry.command] = Z
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
            console.facts([("written", f"{output}/comparison.png, scores.csv, METHOD.csv")])


def _write(
    folder: Path, maps: dict[str, Any], reports: dict[str, Any], table: Any, color_by: str | None
) -> None:
    from sidelight import plot
    from sidelight.cli.maps import map_columns
    from sidelight.cli.pictures import colouring
    from sidelight.cli.reports import COMPARED
    from sidelight.io.table.writing import write_table
    from sidelight.registry import entry_for

    folder.mkdir(parents=True, exist_ok=True)
    for name, Z in maps.items():
        stem = entry_for(name).name.lower()
        names = [f"{stem}{place}" for place in range(Z.shape[1])]
        write_table(folder / f"{name}.csv", map_columns(Z, names, table))
    scores = {"method": list(reports)}
    for field, _, _ in COMPARED:
        values = [getattr(report, field) for report in reports.values()]
        if None not in values:
            scores[field] = values
    write_table(folder / "scores.csv", scores)
    drawn = {name: Z if Z.shape[1] <= 3 else Z[:, :2] for name, Z in maps.items()}
    figure = plot.comparison(
        {entry_for(name).name: Z for name, Z in drawn.items()},
        scores={entry_for(name).name: f"R_NX {reports[name].auc:.3f}" for name in maps},
        title=Path(table.name).stem,
        n_columns=2 if len(drawn) == 4 else None,
        **colouring(table, color_by),
    )
    plot.save(figure, folder / "comparison.png")
