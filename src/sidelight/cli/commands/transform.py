"""``sidelight transform``: new rows into an old map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli import console
from sidelight.cli.options import WRITE, FileOrFolder, Header, ModelPath, Quiet


def transform(
    model: ModelPath,
    file: FileOrFolder,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The places as a table: csv, tsv, parquet, npy or npz; of a folder, a folder.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ],
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="Missing numbers, and texts of unknown words: error (the default) or drop-rows.",
            show_default=False,
        ),
    ] = None,
    header: Header = None,
    condition_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="The known factor that the model takes out of rows, or several with commas; by "
            "default the columns that the model was fitted with.",
            show_default=False,
        ),
    ] = None,
    condition_period: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBERS",
            help="Where its numbers come round again; by default as the model was fitted.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(min=1, help="Processes that place rows: files of a folder, or blocks."),
    ] = 1,
    dask_scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask scheduler do it; they must see the same files.",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Place new rows in a map.

    The table needs the columns that the model was fitted on, in any order; others are carried
    along.  The model file remembers them, and the scaling.  A large file is read, placed and
    written in blocks of rows; of a folder every table is placed, and written under its own name,
    or its pictures are the rows of one table.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.outcome import check_outputs
    from sidelight.cli.parameters import known_factors
    from sidelight.cli.placing import Placing, files_in, place_file, place_folder
    from sidelight.cli.preparation import Preparation
    from sidelight.core import counted
    from sidelight.io import pictures_in
    from sidelight.io.model import read_model
    from sidelight.scale import at_work

    folder = file.expanduser().is_dir() and not pictures_in(file)
    if folder:
        files = files_in(file.expanduser(), output.expanduser())
        check_outputs([model])
    else:
        check_outputs([file, model], tables=[output])
    if missing not in (None, "drop-rows", "error"):
        raise ValueError(
            f"--missing of transform takes drop-rows or error. Got {missing!r}. (A mean of the new "
            "rows would place each by its company.)"
        )
    opened = read_model(model)
    estimator = opened.model
    keep = "keep" if getattr(estimator, "_takes_missing", False) else "error"
    preparation = Preparation.from_model(estimator, opened.extras).for_factor_of(
        estimator, known_factors(condition_column, condition_period)
    )
    placing = Placing(estimator, preparation, missing or keep, header)
    with at_work(workers, dask_scheduler) as client, shown(type(estimator).__name__, quiet=quiet):
        if folder:
            placed = list(place_folder(files, placing, client))
        else:
            placed = [place_file((file, output), placing, client)]
    for note in dict.fromkeys(note for each in placed for note in each.notes):
        console.notes([note], quiet=quiet)
    if not quiet:
        n_rows = sum(each.n_rows for each in placed)
        among = f", {counted(len(placed), 'file')}" if folder else ""
        console.facts(
            [
                ("model", f"{type(estimator).__name__}, {model}"),
                ("data", f"{file.name}{among}, {counted(n_rows, 'row')}"),
                ("map", f"{output}"),
            ]
        )
