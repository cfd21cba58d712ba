"""``sidelight datasets``: which data there are to try things on, and one of them as a table."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import WRITE, Quiet

if TYPE_CHECKING:
    from sidelight.datasets import Dataset


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="One of them; all by default.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write it as a table: csv, tsv, parquet, npy or npz.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ] = None,
    truth: Annotated[
        bool,
        typer.Option("--truth", help="Write the true coordinates, too, as further columns."),
    ] = False,
    known: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Write a further column, 'known', with the labels of so many rows: what one might "
            "know of a table, for --label-column.",
            show_default=False,
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="For generated data: n_samples=500, random_state=0 …",
            show_default=False,
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """List the data sets, or write one to a file."""
    from sidelight.core import counted
    from sidelight.io.table import table_writer, write_table

    if name is None:
        if output is not None or param or truth or known:
            raise ValueError("Which data set? Give its name, as in: sidelight datasets digits -o …")
        _show_all()
        return
    if output is not None:
        table_writer(output)
    dataset = _load(name, param or ())
    if output is None:
        console.facts([("name", dataset.name), ("what", dataset.description), ("", repr(dataset))])
        console.notes([f"Write it with: sidelight datasets {name} -o {name}.csv"])
        return
    columns, beside = columns_of(dataset, truth=truth)
    if known is not None:
        columns["known"] = _some_labels(dataset, known)
    size = f"{counted(len(dataset.X), 'row')} × {counted(len(columns), 'column')}"
    write_table(output, columns)
    if not quiet:
        console.facts(
            [
                ("data", dataset.description),
                ("written", f"{output}, {size}"),
                ("next", _next_command(dataset, output, beside)),
            ]
        )


def _some_labels(dataset: Dataset, known: int) -> list[str]:
    """The labels of evenly spaced rows, and nothing for the others."""
    from sidelight.core import evenly_spaced

    if dataset.labels is None:
        raise ValueError(f"--known takes data with labels. The data set {dataset.name!r} has none.")
    rows = set(evenly_spaced(len(dataset.X), known).tolist())
    return [str(label) if row in rows else "" for row, label in enumerate(dataset.labels)]


def columns_of(dataset: Dataset, *, truth: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Put a data set into columns."""
    import numpy as np

    X = dataset.X
    if dataset.image_shape is not None and np.prod(dataset.image_shape) == X.shape[1]:
        width = dataset.image_shape[1]
        names = [f"pixel_{i // width}_{i % width}" for i in range(X.shape[1])]
    else:
        names = list(dataset.feature_names or [f"x{i}" for i in range(X.shape[1])])
    columns: dict[str, Any] = dict(zip(names, X.T, strict=True))
    beside: dict[str, Any] = {} if dataset.labels is None else {"label": dataset.labels}
    beside |= {
        key: values
        for key, values in dataset.extras.items()
        if values.shape == (len(X),) and values.dtype.kind == "U"
    }
    if truth and dataset.truth is not None:
        found = dataset.truth_names or [f"truth {i}" for i in range(dataset.truth.shape[1])]
        beside.update(zip(found, dataset.truth.T, strict=True))
    return {**columns, **beside}, beside


def _load(name: str, assignments: list[str] | tuple[str, ...]) -> Dataset:
    from sidelight.cli.parameters import parse_value
    from sidelight.datasets import load

    options = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise ValueError(f"--param takes name=value. Got {assignment!r}.")
        options[key.strip()] = parse_value(text)
    try:
        return load(name, **options)
    except TypeError as error:
        raise ValueError(f"The data set {name!r} cannot be made so: {error}.") from error


def _next_command(dataset: Dataset, output: Path, beside: dict[str, Any]) -> str:
    words = ["sidelight", "embed", str(output)]
    if dataset.metric == "precomputed":
        words.append("--precomputed")
    # a text that is another in every row is a name, and text is set aside without being asked
    telling = [name for name, values in beside.items() if not _are_names(values)]
    if telling:
        words += ["--color-by", telling[0]]
    for name in telling[1:]:
        if beside[name].dtype.kind != "U":
            words += ["--ignore", name]
    if dataset.image_shape is not None:
        words += ["--thumbnails", "x".join(map(str, dataset.image_shape))]
    return shlex.join([*words, "--picture", str(output.with_suffix(".png"))])


def _are_names(values: Any) -> bool:
    return values.dtype.kind == "U" and len(set(values.tolist())) > len(values) / 2


def _show_all() -> None:
    from rich.table import Column
    from rich.text import Text

    from sidelight.datasets import available

    columns = [
        Column("name", no_wrap=True),
        Column("comes", no_wrap=True),
        Column("what it is", style="dim"),
    ]
    rows = []
    absent = False
    for entry in available().values():
        absent |= not entry.present
        comes = entry.kind if entry.present else "not here"
        rows.append(
            [
                Text(entry.name, style="bold" if entry.present else "dim"),
                Text(comes, style="" if entry.present else "dim"),
                Text(entry.description),
            ]
        )
    console.show_table(columns, rows)
    if absent:
        console.notes(["Real data are read from the folder named by SIDELIGHT_DATA."])
    console.notes(["Write one with: sidelight datasets digits -o digits.csv"])
