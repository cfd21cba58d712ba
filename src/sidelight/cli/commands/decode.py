"""``sidelight decode``: places of a map back to data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli import console
from sidelight.cli.options import WRITE, Header, MapPath, ModelPath, Quiet, split_names


def decode(
    model: ModelPath,
    places: MapPath,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The items as a table: csv, tsv, parquet, npy or npz.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="The columns that are coordinates; found by name by default.",
            show_default=False,
        ),
    ] = None,
    header: Header = None,
    quiet: Quiet = False,
) -> None:
    """Give the items that belong to places of a map: the way back from map to data.

    The items have the columns and the units of the table that the model was fitted on.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.maps import coordinates
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.preparation import Preparation
    from sidelight.io.model import read_model
    from sidelight.io.table import read_table, write_table

    check_outputs([places, model], tables=[output])
    opened = read_model(model)
    estimator = opened.model
    preparation = Preparation.from_model(estimator, opened.extras)
    table = read_table(places, header=header, remedy="A place has a number in every dimension.")
    names = list(estimator.get_feature_names_out())
    Z, note = coordinates(table, split_names(columns), names)
    console.notes([note] if note else [], quiet=quiet)
    with shown(type(estimator).__name__, quiet=quiet):
        X = preparation.undo(estimator.inverse_transform(Z))
    write_table(output, dict(zip(preparation.columns, X.T, strict=True)))
    if not quiet:
        console.facts(
            [
                ("model", f"{type(estimator).__name__}, {model}"),
                ("places", f"{table.name}, {len(Z):,}"),
                ("items", f"{output}"),
            ]
        )
