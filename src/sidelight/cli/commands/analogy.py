"""``sidelight analogy``: what was done to one picture, done to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console
from sidelight.cli.options import METHOD, WRITE, Quiet

if TYPE_CHECKING:
    from sidelight.core import FloatArray

#: What may learn; the first one did better on all filters of the experiment on image analogies,
#: whose settings these are.
_MODELS = ("manifield", "field")
_MAX_PATCHES, _LEARNING_RATE = 50_000, 0.03


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
    model: Annotated[
        str,
        typer.Option(
            help="What learns: manifield (a gated auto-encoder at all places) or field (a field of "
            "gated experts, which keeps several ways to change a picture apart).",
            rich_help_panel=METHOD,
        ),
    ] = _MODELS[0],
    patch_size: Annotated[
        int, typer.Option(help="Pixels that are looked at together.", rich_help_panel=METHOD)
    ] = 5,
    units: Annotated[
        int, typer.Option(help="Units that say what is done to a patch.", rich_help_panel=METHOD)
    ] = 20,
    steps: Annotated[int, typer.Option(help="Steps of learning.", rich_help_panel=METHOD)] = 1200,
    quiet: Quiet = False,
) -> None:
    """Do to a picture what was done to another.

    A model of patches learns from BEFORE and AFTER, which have one size; OTHER has any.
    """
    from sidelight.cli.fitting import shown
    from sidelight.cli.outcome import check_outputs
    from sidelight.core import listed
    from sidelight.io import PICTURES, is_transparent, read_pictures, write_picture

    check_outputs([before, after, other], others=[output])
    if output.suffix.lower() not in PICTURES:
        raise ValueError(
            f"A picture cannot be written to {output.name}: its ending must be one of "
            f"{', '.join(PICTURES)}."
        )
    learner = _learner(model, patch_size, units, steps)
    first, second, another = read_pictures([before, after, other])
    if first.shape != second.shape:
        raise ValueError(
            f"{before.name} and {after.name} must have one size. Got {first.shape[:2]} and "
            f"{second.shape[:2]}."
        )
    for path, picture in ((before, first), (other, another)):
        if min(picture.shape[:2]) < patch_size:
            raise ValueError(
                f"{path.name} has {picture.shape[0]} × {picture.shape[1]} pixels, and --patch-size "
                f"{patch_size} asks for more. Take a smaller one."
            )
    clear = [path.name for path in (before, after, other) if is_transparent(path)]
    if clear:
        said = (
            f"What shows through {listed(clear, 'picture')} is not looked at: every pixel counts "
            f"with the colour that is written there, and the result is opaque."
        )
        console.notes([said], quiet=quiet)
    with shown(type(learner).__name__, quiet=quiet):
        made = learner.fit(first, second).predict(another)
    write_picture(output, made)
    if not quiet:
        learned = _said_of_learning(learner, first, second)
        console.facts(
            [
                ("learned", f"{before.name} to {after.name}: {learned}"),
                ("picture", f"{output}"),
            ]
        )


def _learner(model: str, patch_size: int, units: int, steps: int) -> Any:
    """What learns from two pictures."""
    from sidelight import gated

    if model not in _MODELS:
        raise ValueError(f"--model must be one of {', '.join(_MODELS)}. Got {model!r}.")
    if model == "field":
        return gated.GatedExpertField(units, patch_size=patch_size, max_iter=steps)
    of_patches = gated.GatedAutoencoder(
        units, encodes="guess", learning_rate=_LEARNING_RATE, max_iter=steps
    )
    size = (patch_size, patch_size)
    return gated.Manifield(of_patches, patch_size=size, max_patches=_MAX_PATCHES)


def _said_of_learning(learner: Any, before: FloatArray, after: FloatArray) -> str:
    """How much of what was done to a picture is done to it by what was learned, in words."""
    done = float(((after - before) ** 2).sum())
    if not done:
        return "they are the same, so that nothing is to be done"
    left = float(((after - learner.predict(before).clip(0.0, 1.0)) ** 2).sum()) / done
    if left >= 1:
        return "nothing that comes nearer; take more --steps"
    return f"{1 - left:.0%} of the difference"
