"""Random images turned and scaled: what was done is inferred, seen, and done to others.

The thesis on latent factors (section 5.2.4) shows shifts of random images; any other motion of
pixels is learned in the same way.  Here 10 × 10 images, a tenth of the pixels on, are turned by 15
or 30 degrees either way or scaled by 4/5 or 5/4 about their middle, or stay; each output pixel
takes the nearest input pixel, and those that come from outside are random.  Learned and measured as
in the experiment on shifts, with the same constants: 20 mapping units, batches of 100 made on the
fly.
"""

from __future__ import annotations

from pathlib import Path

from experiments.gated._random_images import Warps
from experiments.gated.shifted_images import table_of
from experiments.record import Claim, Said, Table

#: Degrees, and how much larger.
MOTIONS = [(0, 1), (15, 1), (-15, 1), (30, 1), (-30, 1), (0, 0.8), (0, 1.25)]

TEXT = [
    Said(
        "latent",
        "section 5.2.4",
        "a gated Boltzmann machine needs no assumption on what kind of motion it learns",
        ours="transferred right {turned/learned/transferred}, pixels sent where they go "
        "{turned/learned/flow}",
        upheld=("transferred right in the worst", "pixels sent where they go"),
    )
]
CLAIMS = [
    Claim(
        "transferred right in the worst draw",
        lambda r: float(r.draws("turned", "learned", "transferred").min()),
        least=0.95,
        quick=False,
    ),
    Claim(
        "pixels sent where they go",
        lambda r: float(r.draws("turned", "learned", "flow").min()),
        least=0.9,
        quick=False,
    ),
    Claim(
        "transferred right, over the outputs of other pairs",
        lambda r: (
            r("turned", "learned", "transferred")
            - r("turned", "outputs of other pairs", "transferred")
        ),
        least=0.4,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Four rotations, two scalings, and none."""
    title = "Rotations and scalings, 20 mapping units"
    n_batches = 500 if quick else 2000
    return [table_of("turned", title, Warps(MOTIONS), 20, n_batches, output, quick=quick)]
