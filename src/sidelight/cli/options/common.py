"""The options that several commands share, said once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

DATA = "The data"
METHOD = "The method"


def _of_data(metavar: str, help_: str) -> Any:
    """An option about the data."""
    return typer.Option(metavar=metavar, help=help_, rich_help_panel=DATA, show_default=False)


def from_pipe(context: typer.Context, path: Path | None) -> Path | None:
    """Take what comes through a pipe as a file, which is there until the command ends."""
    if path is None:
        return None
    there = path.is_file() or path.is_dir()
    opened = str(path) in ("-", "/dev/stdin") or str(path.parent) in ("/dev/fd", "/proc/self/fd")
    if not opened and (there or not path.exists()):
        return path
    from tempfile import TemporaryDirectory

    from sidelight.io import received

    folder = TemporaryDirectory(prefix="sidelight-")
    context.call_on_close(folder.cleanup)
    return received(path, Path(folder.name))


Data: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A table: csv, tsv, npy, npz or parquet; - for the standard input.  A folder of "
        "parquet files is one table; of pictures, png or jpg, all of one size, a row for each.  "
        "An npy or npz file may hold images, (n, height, width).",
        show_default=False,
        callback=from_pipe,
    ),
]
FileOrFolder: TypeAlias = Annotated[
    Path,
    typer.Argument(
        help="A table: csv, tsv, npy, npz or parquet; a folder of them; - for the standard input.",
        show_default=False,
        callback=from_pipe,
    ),
]
ModelPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        help="A model that 'embed --model' wrote.", show_default=False, callback=from_pipe
    ),
]
MapPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="MAP", help="A table of places in the map.", show_default=False, callback=from_pipe
    ),
]


def number_or_auto(text: str) -> int | str:
    """Read a number of dimensions.

    Examples
    --------
    >>> number_or_auto("3"), number_or_auto("auto"), number_or_auto("CV")
    (3, 'auto', 'cv')
    """
    if text.strip().lower() in ("auto", "cv"):
        return text.strip().lower()
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither a number nor 'auto' or 'cv'.") from None


Components: TypeAlias = Annotated[
    str,
    typer.Option(
        "--components",
        "-d",
        metavar="INTEGER|auto|cv",
        help="Dimensions of the map; auto finds out how many the data have, cv how many rows left "
        "out ask for (pca, ppca, gplvm).",
        rich_help_panel=METHOD,
    ),
]
Neighbors: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--neighbors",
        "-k",
        help="Neighbours of each point.",
        rich_help_panel=METHOD,
        show_default=False,
    ),
]
Metric: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="How distances are measured: cosine, manhattan …",
        rich_help_panel=METHOD,
        show_default=False,
    ),
]
Precomputed: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--precomputed",
        help="The table holds distances, n × n; a sparse npz, as SciPy writes it, holds those of "
        "neighbours.",
        rich_help_panel=DATA,
    ),
]
Ignore: TypeAlias = Annotated[
    list[str] | None,
    _of_data(
        "COLUMN",
        "Leave a column out; repeat it, or give several with commas.",
    ),
]
ColorBy: TypeAlias = Annotated[
    str | None,
    _of_data(
        "COLUMN",
        "Colour the points by a column, which is not used as data.",
    ),
]
Standardize: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--standardize", help="Give every column mean 0 and variance 1.", rich_help_panel=DATA
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    _of_data(
        "mixed",
        "Columns of words, dates and truth values are data, too: compared as Gower does.",
    ),
]
Text: TypeAlias = Annotated[
    str | None,
    _of_data(
        "COLUMN",
        "Compare rows by the words of their texts in this column (tf-idf, cosine).",
    ),
]
Missing: TypeAlias = Annotated[
    str | None,
    _of_data(
        "POLICY",
        "Missing numbers: error (the default), drop-rows, drop-columns, mean, or keep for "
        "methods that take them as they are (ppca, which auto then chooses).  Texts without "
        "words: error or drop-rows.",
    ),
]
Header: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row names the columns; found out by default.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Method: TypeAlias = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help="One of 'sidelight methods'.  auto chooses by what is known and what is missing, and "
        "says why: a neighbour embedding where there is nothing of either.",
        rich_help_panel=METHOD,
    ),
]
Landmarks: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="How many landmarks, for large tables.",
        rich_help_panel=METHOD,
        show_default=False,
    ),
]
Sample: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="ROWS",
        help="Fit to so many rows at most, and place the others; by default as many as the method "
        "reaches.",
        rich_help_panel=METHOD,
        show_default=False,
    ),
]
Param: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Any other parameter of the method; repeat it for more.",
        rich_help_panel=METHOD,
        show_default=False,
    ),
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="For methods that draw at random.", rich_help_panel=METHOD, show_default=False
    ),
]
Thumbnails: TypeAlias = Annotated[
    str | None,
    _of_data(
        "HxW",
        "The rows are images of this height and width: draw them in the picture.",
    ),
]
ImageShape: TypeAlias = Annotated[
    str | None,
    _of_data(
        "HxW[x3]",
        "The rows are images of this height and width: for --invariant-to, and drawn in the "
        "picture.  A folder of pictures says it itself.",
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Write nothing but warnings and errors.")
]


def split_names(given: Sequence[str] | None, known: Sequence[str] = ()) -> list[str]:
    """Take apart names given one by one or with commas.

    Examples
    --------
    >>> split_names(["a,b", "c"])
    ['a', 'b', 'c']
    """
    names: list[str] = []
    for item in given or ():
        names += [item] if item in known else [name.strip() for name in item.split(",")]
    return [name for name in names if name]
