"""``sidelight analogy``: what was done to one picture, done to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sidelight.cli import console
from sidelight.cli.options import METHOD, WRITE, Quiet


def analogy(
    before: Annotated[Path, typer.Argument(help="A picture.", show_default=False)],
    after: Annotated[Path, typer.Argument(help="What became of it.", show_default=False)],
    other: Annotated[Path, typer.Argument(help="Another picture.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The same done to the other picture: png or jpg.",
            rich_help_panel=WRITE,
            show_default=False,
        ),
    ],
    patch_size: Annotated[
        int, typer.Option(help="Pixels that are looked at together.", rich_help_panel=METHOD)
    ] = 5,
    units: Annotated[
        int, typer.Option(help="Mapping units of a patch.", rich_help_panel=METHOD)
    ] = 10,
    steps: Annotated[int, typer.Option(help="Steps of learning.", rich_help_panel=METHOD)] = 1000,
    quiet: Quiet = False,
) -> None:
    """Do to a picture what was done to another.

    A field of gated experts learns from BEFORE and AFTER, which have one size; OTHER has any.
    """
    from sidelight import gated
    from sidelight.cli.fitting import shown
    from sidelight.cli.outcome import check_outputs
    from sidelight.io import PICTURES, read_pictures, write_picture

    check_outputs([before, after, other], others=[output])
    if output.suffix.lower() not in PICTURES:
        raise ValueError(
            f"A picture cannot be written to {output.name}: its ending must be one of "
            f"{', '.join(PICTURES)}."
        )
    first, second, another = read_pictures([before, after, other])
    if first.shape != second.shape:
        raise ValueError(
            f"{before.name} and {after.name} must have one size. Got {first.shape[:2]} and "
            f"{second.shape[:2]}."
        )
    field = gated.GatedExpertField(units, patch_size=patch_size, max_iter=steps)
    with shown("GatedExpertField", quiet=quiet):
        made = field.fit(first, second).predict(another)
    write_picture(output, made)
    if not quiet:
        left = field.history_[-1] / field.history_[0]
        console.facts(
            [
                ("learned", f"{before.name} to {after.name}: {1 - left:.0%} of the difference"),
                ("picture", f"{output}"),
            ]
        )
