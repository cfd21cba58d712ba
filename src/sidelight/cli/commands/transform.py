"""``sidelight transform``: new rows into an old map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli import console
from sidelight.cli.options import WRITE, File, Header, ModelPath, Quiet


def transform(
    model: ModelPath,
    file: File,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The places as a table: csv, tsv, parquet, npy or npz.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ],
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="Missing numbers: error (the default) or drop-rows.",
            show_default=False,
        ),
    ] = None,
    header: Header = None,
    quiet: Quiet = False,
) -> None:
    """Place new rows in a map.

    The table needs the columns that the model was fitted on, in any order; others are carried
    along.  The model file remembers them, and the scaling.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.maps import map_columns
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.preparation import Preparation
    from sidelight.io.model import read_model
    from sidelight.io.table import holds_graph, listed, read_graph, read_table, write_table

    check_outputs([file, model], tables=[output])
    if missing not in (None, "drop-rows", "error"):
        raise ValueError(
            f"--missing of transform takes drop-rows or error. Got {missing!r}. (A mean of the new "
            "rows would place each by its company.)"
        )
    opened = read_model(model)
    estimator = opened.model
    preparation = Preparation.from_model(estimator, opened.extras)
    if holds_graph(file):
        table = read_graph(file)
        X = table.X
    else:
        table = read_table(file, missing="keep", header=header)
        # what is missing in columns that the model does not use is no reason to refuse a row
        unused = [name for name in table.column_names if name not in preparation.columns]
        beside = [f"Not used by the model: {listed(unused, 'column')}."] if unused else []
        if len(unused) == len(table.column_names):
            unused, beside = [], []
            if preparation.by_place(table):
                beside = [
                    f"Columns are taken by their place, for {table.name} and the model have no "
                    f"names in common: {listed(table.column_names, 'column')} for "
                    f"{listed(preparation.columns, 'column')}."
                ]
        table = table.set_aside(unused)
        table = table.settled(
            missing or ("keep" if getattr(estimator, "_takes_missing", False) else "error"),
            remedy="Fill them in, or leave these rows out with --missing drop-rows.",
        )
        console.notes([*table.notes, *beside], quiet=quiet)
        X = preparation.apply(table)
    with shown(type(estimator).__name__, quiet=quiet):
        Z = estimator.transform(X)
    write_table(output, map_columns(Z, list(estimator.get_feature_names_out()), table))
    if not quiet:
        console.facts(
            [
                ("model", f"{type(estimator).__name__}, {model}"),
                ("data", f"{table.name}, {len(Z):,} row{'s' * (len(Z) != 1)}"),
                ("map", f"{output}"),
            ]
        )
