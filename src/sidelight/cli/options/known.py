"""The options that say what is known about the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from sidelight.cli.options.common import from_pipe

KNOWN = "What is known (rows by --name-column, or counted from 1, as in a map's column 'row')"

Similar: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        callback=from_pipe,
        metavar="PAIRS",
        help="A table of two columns: pairs of rows that belong together.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
Dissimilar: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        callback=from_pipe,
        metavar="PAIRS",
        help="The same, for pairs that do not.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
KnownDistances: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        callback=from_pipe,
        metavar="TABLE",
        help="A table of three columns: two rows and how far apart they are.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
KnownAnchors: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        callback=from_pipe,
        metavar="TABLE",
        help="A table of a row and its position in the map, a column for each dimension.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
NameColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column by which the tables of pairs, distances and anchors name rows, and by "
        "which they are written into the picture.  It is not used as data.",
    ),
]
AlignTo: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        callback=from_pipe,
        metavar="MAP",
        help="Another map of these rows, or of some of them: this one is turned and scaled to come "
        "near it.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
LabelColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same label belong together, others do not; empty is not known.  "
        "The column is not used as data.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
ActionColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The action that led from each row to the next; empty in the last row of a walk.  "
        "The column is not used as data.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
EpisodeColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --action-column or --sequence-column: the walk of each row, where there are "
        "several.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
SequenceColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows follow one another in the order of these numbers (times): adjacent ones are "
        "near.  The column is not used as data.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
RelationColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="Rows of near numbers, or of one name, are alike in this respect; empty is not known. "
        " Several respects with commas.  The columns are not used as data.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
AttributeColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="As --label-column, in several respects at once, with commas: rows may be alike in "
        "one and differ in another.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
ConditionColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS",
        help="A factor that is known, names or numbers: it is left out of the map.  Several with "
        "commas.  The columns are not used as data.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
ConditionPeriod: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NUMBERS",
        help="With --condition-column: where its numbers come round again, as 360 for degrees; of "
        "several columns one for each, 0 where they do not.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
InvariantTo: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="What does not change what a row is: shift, rotation, scaling, affine or filter of "
        "images (with --image-shape); time-shift, time-scaling, baseline or gain of signals.  "
        "Several with commas.",
        rich_help_panel=KNOWN,
        show_default=False,
    ),
]
