"""``sidelight score``: how good is a map, whoever made it?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import (
    DATA,
    Data,
    Header,
    Ignore,
    Json,
    MapPath,
    Metric,
    Missing,
    Neighbors,
    Precomputed,
    Standardize,
    Text,
    split_names,
)

if TYPE_CHECKING:
    from sidelight.core import IntArray
    from sidelight.io.table import Table

#: Among fewer rows of a larger table everybody is a neighbour.
LEAST_ROWS = 10
REMEDY = "Choose what to do: --missing drop-rows, drop-columns or mean."


def score(
    file: Data,
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
    data_columns: Annotated[
        str | None,
        typer.Option(
            metavar="mixed",
            help="As --columns of 'embed': columns of words, dates and truth values are data, too.",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    text: Text = None,
    missing: Missing = None,
    header: Header = None,
    precomputed: Precomputed = False,
    as_json: Json = False,
) -> None:
    """Measure how good a map of a table, or of a folder of pictures, is.

    Rows belong together by the column 'row' of the map, or by their order.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.maps import coordinates, rows_of
    from sidelight.cli.preparation import Preparation
    from sidelight.cli.reading import missing_policy, read_other_columns, written_size
    from sidelight.cli.reports import show_report
    from sidelight.core import counted, is_sparse, listed
    from sidelight.embedding import distances_along, warn_of_distances
    from sidelight.io import open_rows
    from sidelight.io.table import read_columns, read_table, with_gaps
    from sidelight.quality import quality_report

    precomputed, policy = precomputed or metric == "precomputed", missing_policy(missing)
    drawn = read_table(places, remedy="Leave rows without a place out of the map.")
    ignored, named, coder = split_names(ignore), [] if labels is None else [labels], None
    if data_columns is None and text is None:
        how: dict[str, Any] = {"ignore": ignored, "missing": "keep", "header": header}
        data, _ = open_rows(file, graph=precomputed, **how)
        shared, beside = _not_data(data.column_names, drawn, named)
        data = data.set_aside(beside)
        data = data if is_sparse(data.X) else data.settled(policy, REMEDY)
    else:  # words that stand in the map may be data: only what is named is none
        found = read_columns(file, header=header)
        kinds = {n: v.dtype.kind for n, v in zip(found.names, found.values, strict=True)}
        numbers = [name for name, kind in kinds.items() if kind in "fi" and name not in ignored]
        shared, beside = _not_data(numbers, drawn, named)
        data, coder = read_other_columns(
            file,
            data_columns,
            text,
            ignore=ignored,
            aside=[*beside, *(name for name in named if name in kinds and name not in beside)],
            missing=policy,
            header=header,
            quiet=True,
            option="--data-columns",
        )
        metric = coder.metric if metric is None else metric
    drawn = drawn.set_aside([name for name in beside if name in drawn.column_names])
    if labels is not None and labels not in data.labels:
        drawn = drawn.set_aside(named)
    rows = rows_of(drawn, data)
    judged = _judged(rows, drawn, data)
    given = None
    if labels is not None:
        given = data.labels[labels][rows] if labels in data.labels else drawn.labels[labels]
        given = with_gaps(given)
    Z, note = coordinates(drawn, split_names(columns))
    said = [f"Not data, for it stands in the map: {listed(shared, 'column')}."] if shared else []
    console.notes([*data.notes, *said, *([note] if note else [])], quiet=as_json)
    console.warnings([*data.warnings, *drawn.warnings])
    if len(rows) < len(data.rows):
        console.warnings([f"{judged} Figures are of these alone."])
    X: Any = Preparation.of(data, standardize=standardize, coder=coder).apply(data)
    X = X[rows][:, rows] if precomputed else X[rows]
    if is_sparse(X) and precomputed:
        X = distances_along(X)
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
        typer.echo(json.dumps({**report.to_dict(), "n_rows": len(data.rows)}, indent=2))
        return
    part = (
        f", {len(rows):,} of {counted(len(data.rows), 'row')}" if len(rows) < len(data.rows) else ""
    )
    console.facts(
        [
            ("data", f"{data.name}, {written_size(data)}"),
            ("map", f"{drawn.name}, {Z.shape[1]}-d{part}"),
        ]
    )
    show_report(report)


def _not_data(
    numbers: Sequence[str], drawn: Table, named: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Columns of numbers that stand in the map as well, and with those the labels.

    What stands in both was set aside when the map was made.
    """
    shared = [name for name in numbers if name in drawn.column_names]
    return shared, list(dict.fromkeys([*shared, *(name for name in named if name in numbers)]))


def _judged(rows: IntArray, drawn: Table, data: Table) -> str:
    """How many rows of the data a map has places for; refuse too few."""
    said = (
        f"{drawn.name} has places for {len(rows):,} of the {len(data.rows):,} rows of {data.name}, "
        f"by its column 'row'."
    )
    if len(rows) < LEAST_ROWS and 2 * len(rows) < len(data.rows):
        raise ValueError(
            f"{said} A map of so few cannot be judged, and it may be one of another table. Score "
            f"it with the table that it was made of, or with at least {LEAST_ROWS} rows."
        )
    return said
