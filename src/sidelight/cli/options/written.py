"""The options that say what is written, and where."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

WRITE = "What is written"

MapFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The map as a table: csv, tsv, parquet, npy or npz.",
        rich_help_panel=WRITE,
        show_default=False,
    ),
]
PerPoint: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--point-quality",
        help="With --output: columns for how well each row is placed, 'kept' (the part of its "
        "neighbours that are kept) and 'displaced' (how far it is from where they are).",
        rich_help_panel=WRITE,
    ),
]
PictureFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="The map as a picture: png, svg, pdf …", rich_help_panel=WRITE, show_default=False
    ),
]
PageFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="The map as a page to move, zoom and point at rows: one html file.",
        rich_help_panel=WRITE,
        show_default=False,
    ),
]
ModelFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        help="The fitted model, for 'transform' and 'decode': name.sidelight.",
        rich_help_panel=WRITE,
        show_default=False,
    ),
]
