"""``sidelight compare``: several methods on one table, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import (
    METHOD,
    WRITE,
    ActionColumn,
    AttributeColumn,
    ColorBy,
    Columns,
    Components,
    ConditionColumn,
    ConditionPeriod,
    Data,
    Dissimilar,
    EpisodeColumn,
    Header,
    Ignore,
    ImageShape,
    InvariantTo,
    Json,
    KnownAnchors,
    KnownDistances,
    LabelColumn,
    Metric,
    Missing,
    NameColumn,
    Neighbors,
    Precomputed,
    Quiet,
    RelationColumn,
    Seed,
    SequenceColumn,
    Similar,
    Standardize,
    Text,
    number_or_auto,
    split_names,
)


def compare(
    file: Data,
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
    seeds: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Fit methods that draw at random this many times, each time with another seed, "
            "and show the means of their scores and how far these are apart.",
            rich_help_panel=METHOD,
        ),
    ] = 1,
    similar: Similar = None,
    dissimilar: Dissimilar = None,
    distances: KnownDistances = None,
    anchors: KnownAnchors = None,
    name_column: NameColumn = None,
    label_column: LabelColumn = None,
    relation_column: RelationColumn = None,
    attribute_column: AttributeColumn = None,
    action_column: ActionColumn = None,
    episode_column: EpisodeColumn = None,
    sequence_column: SequenceColumn = None,
    condition_column: ConditionColumn = None,
    condition_period: ConditionPeriod = None,
    image_shape: ImageShape = None,
    invariant_to: InvariantTo = None,
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
    in_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare methods on one table, or on a folder of pictures.

    Prints their scores, all against the data as given, the best of each kind in bold, and which
    to take.  Where something is known, each method is fitted without it and with it, and how much
    of it holds is a score too.  A method that fails is named with the reason, and the others go on.
    """
    from sidelight.cli.commands.comparison import (
        TOLD,
        as_json,
        compared,
        draw_maps,
        file_of,
        write_map,
        write_scores,
    )
    from sidelight.cli.fitting import working
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.pictures import images_of, labels_of
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, read_as_asked, written_size
    from sidelight.cli.reports import advice, show_comparison
    from sidelight.cli.said import Said
    from sidelight.embedding import as_distances, hints_for, said_of_distances, warn_of_distances
    from sidelight.io.table import names_of_rows
    from sidelight.registry import entry_for
    from sidelight.side import rows_called

    asked = dict.fromkeys(split_names([methods]))
    entries = _all_maps() if [*asked] == ["all"] else [entry_for(name) for name in asked]
    if not entries:
        raise ValueError(f"--methods names no method. Got {methods!r}. Give some: pca,isomap.")
    said = Said(
        similar=similar,
        dissimilar=dissimilar,
        distances=distances,
        anchors=anchors,
        name_column=name_column,
        label_column=label_column,
        relation_column=relation_column,
        attribute_column=attribute_column,
        action_column=action_column,
        episode_column=episode_column,
        sequence_column=sequence_column,
        condition_column=condition_column,
        condition_period=condition_period,
        invariant_to=invariant_to,
    )
    if output is not None:
        names = [file_of(f"{entry.command}{told}") for entry in entries for told in ("", TOLD)]
        names.append("scores.csv")
        tables, pictures = [output / name for name in names], [output / "comparison.png"]
        check_outputs([file, *said.files], tables=tables, pictures=pictures)
    silent = quiet or in_json
    how_read: dict[str, Any] = {
        "ignore": split_names(ignore),
        "aside": [*filter(None, [color_by]), *said.columns],
        "missing": missing_policy(missing),
        "header": header,
        "name_column": name_column,
        "quiet": silent,
    }
    metric = "precomputed" if precomputed else metric
    graph = metric == "precomputed"
    table, shape, coder = read_as_asked(file, columns, text, graph=graph, **how_read)
    if coder is not None and metric is None:
        metric = coder.metric
    preparation = Preparation.of(table, standardize=standardize, coder=coder)
    X = preparation.apply(table)
    images = images_of(table, shape, thumbnails=None, image_shape=image_shape)
    known = said.read(table, images, standardize=standardize)
    labels = labels_of(table, color_by)
    if not silent:
        console.facts([("data", f"{table.name}, {written_size(table)}")])

    def keep(name: str, result: Any) -> None:
        if output is not None:  # at once, so that nothing can lose it
            write_map(output, name, result, table)

    with working(quiet=silent) as begin, rows_called(names_of_rows(table, name_column)):
        if standardize and metric != "precomputed":
            warn_of_distances(table.X)  # which would no longer look like one
        elif metric is None and as_distances(X) is not None and any(map(_has_metric, entries)):
            metric = "precomputed"  # for all, so that they are judged alike
            console.notes([said_of_distances(len(X))], quiet=silent)
        found = compared(
            X,
            entries,
            known=known,
            options=lambda entry: {
                "n_components": number_or_auto(components),
                **_options_of(entry, neighbors, metric),
            },
            seeds=[seed] if seeds == 1 else [(seed or 0) + turn for turn in range(seeds)],
            judged_by={"labels": labels, "metric": metric or "euclidean"},
            begin=begin,
            keep=keep,
        )
    if not found.maps:
        reasons = " ".join(f"{method}: {reason}" for method, reason in found.failures.items())
        raise ValueError(f"No method gave a map. {reasons}")
    if in_json:
        data = {
            "file": str(file),
            "rows": len(table.rows),
            "columns": list(table.column_names),
        }
        typer.echo(json.dumps({"data": data, **as_json(found)}, indent=2))
    elif not quiet:
        show_comparison(found.judged, found.seconds, found.failures, found.spread)
        console.notes(
            advice(
                found.judged,
                found.judged_without,
                found.seconds,
                told=bool(known),
                spread=found.spread,
            )
        )
        console.notes(
            hints_for(
                X,
                names=preparation.columns,
                metric=metric,
                images=images is not None,
                beside=table.labels,
                known={type(value).__name__ for value in known},
            )
        )
    if output is not None:
        write_scores(output, found)
        draw_maps(output, found, table, color_by)
        if not silent:
            scores = ["scores"] if found.reports else []
            written = ", ".join(file_of(name) for name in (*found.maps, *scores))
            console.facts([("written", f"{output}/comparison.png, {written}")])


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


def _has_metric(entry: Any) -> bool:
    return "metric" in entry.load()().get_params()
