"""``sidelight compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.known_options import (
    ConditionColumn,
    ConditionPeriod,
    Dissimilar,
    LabelColumn,
    NameColumn,
    Similar,
)
from sidelight.cli.options import (
    METHOD,
    WRITE,
    ColorBy,
    Columns,
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
    Seed,
    Standardize,
    Text,
    number_or_auto,
    split_names,
)

#: What is added to the name of a method that was told what is known.
TOLD = " told"


def compare(
    file: File,
    methods: Annotated[
        str,
        typer.Option(
            help="The methods, with commas between them, or all.",
            rich_help_panel=METHOD,
        ),
    ] = "pca,isomap,lle,lem,ne",
    components: Components = "2",
    neighbors: Neighbors = None,
    metric: Metric = None,
    ignore: Ignore = None,
    color_by: ColorBy = None,
    standardize: Standardize = False,
    columns: Columns = None,
    text: Text = None,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    seed: Seed = None,
    similar: Similar = None,
    dissimilar: Dissimilar = None,
    name_column: NameColumn = None,
    label_column: LabelColumn = None,
    condition_column: ConditionColumn = None,
    condition_period: ConditionPeriod = None,
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

    Prints their scores, all against the data as given, the best of each kind in bold, and which
    to take.  Where something is known, each method is fitted without it and with it.  A method
    that fails is named with the reason, and the others go on.
    """
    import sidelight
    from sidelight.cli.fitting import working
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.pictures import as_classes
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, read_data, read_other_columns, written_size
    from sidelight.cli.reports import advice, show_comparison
    from sidelight.embedding import warn_of_distances
    from sidelight.estimator import takes_factor_out
    from sidelight.io.table import read_knowledge
    from sidelight.registry import entry_for

    asked = dict.fromkeys(split_names([methods]))
    entries = _all_maps() if [*asked] == ["all"] else [entry_for(name) for name in asked]
    if not entries:
        raise ValueError(f"--methods names no method. Got {methods!r}. Give some: pca,isomap.")
    if output is not None:
        names = [_file_of(f"{entry.command}{told}") for entry in entries for told in ("", TOLD)]
        names.append("scores.csv")
        tables, pictures = [output / name for name in names], [output / "comparison.png"]
        check_outputs([file], tables=tables, pictures=pictures)
    metric = "precomputed" if precomputed else metric
    how_read: dict[str, Any] = {
        "ignore": split_names(ignore),
        "aside": [c for c in (color_by, name_column, label_column, condition_column) if c],
        "missing": missing_policy(missing),
        "header": header,
        "name_column": name_column,
        "quiet": quiet or as_json,
    }
    coder = None
    if columns is None and text is None:
        table = read_data(file, **how_read)
    else:
        table, coder = read_other_columns(file, columns, text, **how_read)
    metric = "cosine" if text is not None and metric is None else metric
    X = Preparation.of(table, standardize=standardize, coder=coder).apply(table)
    known = read_knowledge(
        table,
        similar=similar,
        dissimilar=dissimilar,
        name_column=name_column,
        label_column=label_column,
        condition_column=condition_column,
        condition_period=condition_period,
    )
    labels = None if color_by is None else as_classes(table.labels[color_by])
    if not quiet and not as_json:
        console.facts([("data", f"{table.name}, {written_size(table)}")])
    maps: dict[str, Any] = {}
    reports: dict[str, Any] = {}
    cleaned: dict[str, Any] = {}  # against the data without a factor that was taken out
    seconds: dict[str, float] = {}
    failures: dict[str, str] = {}
    with working(quiet=quiet or as_json) as begin:
        if standardize and metric != "precomputed":
            warn_of_distances(table.X)  # which would no longer look like one
        for entry, told in [
            (entry, told) for entry in entries for told in ("", TOLD)[: 1 + bool(known)]
        ]:
            begin(f"{entry.name}{told}")
            name = f"{entry.command}{told}"
            options = _options_of(entry, neighbors, metric)
            start = time.perf_counter()
            try:
                result = sidelight.embed(
                    X,
                    side=known if told else None,
                    method=entry.command,
                    n_components=number_or_auto(components),
                    random_state=seed,
                    **options,
                )
                seconds[name] = time.perf_counter() - start
                maps[name] = result.points
                if output is not None:  # at once, so that nothing can lose it
                    _write_map(output, name, result, table)
                how: Any = {"labels": labels, "metric": metric or "euclidean"}
                reports[name] = result.quality(as_given=True, **how)
                if takes_factor_out(result.model):
                    cleaned[name] = result.quality(**how)
            except (ValueError, MemoryError, ImportError) as error:
                failures[name] = str(error)
    if not maps:
        reasons = " ".join(f"{method}: {reason}" for method, reason in failures.items())
        raise ValueError(f"No method gave a map. {reasons}")
    if as_json:
        found: dict[str, Any] = {
            "data": {
                "file": str(file),
                "rows": len(table.rows),
                "columns": list(table.column_names),
            },
            "methods": {
                name: {**report.to_dict(), "seconds": round(seconds[name], 3)}
                for name, report in reports.items()
            },
            "failures": failures,
        }
        for name, report in cleaned.items():
            found["methods"][name]["without_condition"] = report.to_dict()
        typer.echo(json.dumps(found, indent=2))
    elif not quiet:
        show_comparison(reports, seconds, failures)
        console.notes(advice(reports, cleaned, seconds, told=bool(known)))
    if output is not None:
        _write(output, maps, reports, table, color_by)
        if not quiet and not as_json:
            names = [_file_of(name) for name in (*maps, *(["scores"] if reports else []))]
            console.facts([("written", f"{output}/comparison.png, {', '.join(names)}")])


def _all_maps() -> list[Any]:
    """Every method that needs nothing but data."""
    from sidelight.registry import MAPS

    return [entry for entry in MAPS if entry.name != "ActionRespectingEmbedding"]


def _options_of(entry: Any, neighbors: int | None, metric: str | None) -> dict[str, Any]:
    known = entry.load()().get_params()
    options = {"n_neighbors": neighbors if entry.needs_graph else None, "metric": metric}
    if metric != "precomputed" and "metric" not in known:
        del options["metric"]  # it works on the features; all are judged alike
    return {name: value for name, value in options.items() if value is not None}


def _write_map(folder: Path, name: str, result: Any, table: Any) -> None:
    from sidelight.cli.maps import map_columns
    from sidelight.io.table import write_table

    columns = map_columns(result.points, list(result.model.get_feature_names_out()), table)
    write_table(folder / _file_of(name), columns)


def _file_of(name: str) -> str:
    return f"{name.replace(' ', '-')}.csv"


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
    names = {name: entry_for(name.removesuffix(TOLD)).name for name in maps}
    names = {name: f"{names[name]}{TOLD if name.endswith(TOLD) else ''}" for name in names}
    figure = plot.comparison(
        {names[name]: Z for name, Z in drawn.items()},
        scores={names[name]: f"R_NX {report.auc:.3f}" for name, report in reports.items()},
        title=Path(table.name).stem,
        n_columns=2 if len(drawn) == 4 or any(name.endswith(TOLD) for name in drawn) else None,
        **colouring(table, color_by),
    )
    plot.save(figure, folder / "comparison.png")
