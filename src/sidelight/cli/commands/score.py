"""``sidelight score``: how good is a map, whoever made it?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sidelight.cli import console
from sidelight.cli.options import (
    File,
    Header,
    Ignore,
    Json,
    MapPath,
    Metric,
    Missing,
    Neighbors,
    Precomputed,
    Standardize,
    split_names,
)

REMEDY = "Choose what to do: --missing drop-rows, drop-columns or mean."


def score(
    file: File,
    places: MapPath,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Labels, in the data or in the map: how well does the map keep them apart?",
            show_default=False,
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="The columns of the map that are coordinates; found by name by default.",
            show_default=False,
        ),
    ] = None,
    neighbors: Neighbors = None,
    metric: Metric = None,
    ignore: Ignore = None,
    standardize: Standardize = False,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    as_json: Json = False,
) -> None:
    """Measure how good a map of a table is.

    Rows belong together by the column 'row' of the map, or by their order.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.maps import coordinates, rows_of
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, written_size
    from sidelight.cli.reports import show_report
    from sidelight.embedding import warn_of_distances
    from sidelight.io.table import listed, read_table
    from sidelight.quality import quality_report

    precomputed, policy = precomputed or metric == "precomputed", missing_policy(missing)
    drawn = read_table(places, remedy="Leave rows without a place out of the map.")
    data = read_table(file, ignore=split_names(ignore), missing="keep", header=header)
    # what stands in both was set aside when the map was made
    shared = [name for name in data.column_names if name in drawn.column_names]
    named = [] if labels is None else [labels]
    beside = dict.fromkeys([*shared, *(name for name in named if name in data.column_names)])
    data = data.set_aside(list(beside)).settled(policy, REMEDY)
    drawn = drawn.set_aside([name for name in beside if name in drawn.column_names])
    if labels is not None and labels not in data.labels:
        drawn = drawn.set_aside(named)
    rows = rows_of(drawn, data)
    given = None
    if labels is not None:
        given = data.labels[labels][rows] if labels in data.labels else drawn.labels[labels]
    Z, note = coordinates(drawn, split_names(columns))
    said = [f"Not data, for it stands in the map: {listed(shared, 'column')}."] if shared else []
    console.notes([*data.notes, *said, *([note] if note else [])], quiet=as_json)
    X = Preparation.of(data, standardize=standardize).apply(data)
    X = X[rows][:, rows] if precomputed else X[rows]
    with shown("quality", quiet=as_json):
        if not precomputed:
            warn_of_distances(data.X)
        report = quality_report(
            X,
            Z,
            n_neighbors=neighbors,
            metric="precomputed" if precomputed else metric or "euclidean",
            labels=given,
        )
    if as_json:
        typer.echo(json.dumps(report.to_dict(), indent=2))
        return
    console.facts(
        [("data", f"{data.name}, {written_size(data)}"), ("map", f"{drawn.name}, {Z.shape[1]}-d")]
    )
    show_report(report)
