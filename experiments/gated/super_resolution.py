"""Photographs at a quarter of their size, brought back by gated auto-encoders.

The thesis on latent factors (section 6.3.2, figures 6.4 to 6.6) learns how 8 × 8 patches become the
32 × 32 ones they were made from, with a gated auto-encoder of 20 units, and whole images with a
manifield over 5 × 5 patches.  Here seven photographs that come with scikit-learn and scikit-image,
grey, made small by bicubic resampling (which smooths first).  Each draw puts them into two parts;
what is learned from one is judged on the other, so that every photograph is held out once.

*Patches*: an 8 × 8 patch alone becomes 32 × 32 pixels.  *Whole*: a manifield over the small image,
at every site 5 × 5 of its pixels and the 20 × 20 of the large one that lie there.  Models learn
what bicubic enlargement lacks, from photographs turned and mirrored in all eight ways and at two
sizes: three or four photographs have edges of few kinds.  Auto-encoders begin as a linear map and
learn the principal axes of what it leaves.

Figures are PSNR in dB, the mean of the seven, and what is gained over bicubic enlargement of the
same input.  A photograph turned is a photograph, and a model that learned from few makes other
mistakes of it: *of eight* is what patches gain by the mean of what the same model makes of the
input turned and mirrored in eight ways, each turned back.  Controls: a linear map of the same
patches (for whole images averaged over sites in the same way), the nearest patch that was learned
from, looked up as other methods do, and a biased auto-encoder, all taught by the same photographs.
Learning rates were chosen on one part of draw 100.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.ndimage import uniform_filter
from sklearn.linear_model import Ridge

from experiments.gated._enlarging import (
    LARGE,
    TIMES,
    all_larger,
    from_blocks,
    in_blocks,
    in_eight_ways,
    larger,
    lessons,
    patches,
    smaller,
)
from experiments.gated._patch_models import BeyondLinear, Lookup
from experiments.gated._photographs import NAMES, photographs, psnr
from experiments.record import Claim, Record, Said, Table
from sidelight import gated
from sidelight.core import FloatArray
from sidelight.plot import analogies, save
from sidelight.plot.style import INK, TEXT_SIZE, new_figure

FIRST_SEED, N_DRAWS = 200, 2
SITE = 5
#: Chosen on one part of draw 100.
REDUCTIONS, N_LEARNED = (1.0, 0.7), 60_000
OF_PATCHES: dict[str, Any] = {"learning_rate": 0.005, "max_iter": 2000}
OF_WHOLE: dict[str, Any] = {"learning_rate": 0.01, "max_iter": 2000}
N_ASKED = 200

#: From small images to large ones; by method and photograph PSNR, and that of the mean of eight.
Enlarge: TypeAlias = Callable[[FloatArray], FloatArray]
Figures: TypeAlias = dict[str, dict[str, list[float]]]

TEXT = [
    Said(
        "latent",
        "figures 6.4 to 6.6; section 6.3.2",
        "a gated auto-encoder makes 32 × 32 patches of 8 × 8 ones, and a manifield enlarges whole "
        "images, with detail that smooth enlargement lacks",
        ours="PSNR {patches/gated auto-encoder/PSNR} (bicubic {patches/bicubic/PSNR}, a linear map "
        "{patches/linear map/PSNR}); whole photographs {whole/gated manifield/PSNR} "
        "({whole/bicubic/PSNR}, {whole/linear manifield/PSNR})",
        upheld=(
            "patches: gated auto-encoder over bicubic enlargement, dB, in full",
            "whole photographs: gated manifield over bicubic enlargement, dB, in full",
        ),
    )
]


def _over(key: str, row: str, other: str = "bicubic") -> Callable[[Record], float]:
    """The least difference of two lines, draw by draw."""
    return lambda r: float((r.draws(key, row, "PSNR") - r.draws(key, other, "PSNR")).min())


CLAIMS = [
    Claim(
        "whole photographs: gated manifield over bicubic enlargement, dB, in full",
        _over("whole", "gated manifield"),
        least=0.5,
        quick=False,
    ),
    Claim(
        "patches: gated auto-encoder over bicubic enlargement, dB, in full",
        _over("patches", "gated auto-encoder"),
        least=0.5,
        quick=False,
    ),
    Claim(
        "patches: gated auto-encoder over a linear map, dB",
        _over("patches", "gated auto-encoder", "linear map"),
        least=0.05,
        quick=False,
    ),
    Claim(
        "patches: gated auto-encoder over the nearest patch that was learned from, dB",
        _over("patches", "gated auto-encoder", "nearest patch"),
        least=0.5,
        quick=False,
    ),
    Claim(
        "whole photographs: gated manifield over a linear one, dB",
        _over("whole", "gated manifield", "linear manifield"),
        least=0.1,
        quick=False,
    ),
    Claim(
        "patches: gated auto-encoder over bicubic enlargement, dB, small form",
        _over("patches", "gated auto-encoder"),
        least=0.1,
    ),
    Claim(
        "whole photographs: gated manifield over bicubic enlargement, dB, small form",
        _over("whole", "gated manifield"),
        least=0.1,
    ),
]


def centred(seen: FloatArray) -> FloatArray:
    """Patches as rows, their brightness taken out."""
    rows = seen.reshape(len(seen), -1)
    return rows - rows.mean(axis=1, keepdims=True)


def of_patches(
    learned: list[FloatArray], held: dict[str, FloatArray], seed: int, *, quick: bool
) -> tuple[Figures, dict[str, FloatArray]]:
    """PSNR by method and photograph, and some patches to be drawn."""
    rng = np.random.default_rng([seed, 0])
    taught = lessons(learned, REDUCTIONS)
    n_each = (3_000 if quick else N_LEARNED) // len(taught)
    X, Y = [], []
    for image in taught:
        seen, truth = patches(image, n_each, rng)
        X.append(centred(seen))
        Y.append((truth - all_larger(seen)).astype(np.float32).reshape(n_each, -1))
    course = OF_PATCHES | {"random_state": seed} | ({"max_iter": 30} if quick else {})
    models: dict[str, Any] = {
        "linear map": Ridge(0.1, fit_intercept=False),
        "nearest patch": Lookup(),
        "biased auto-encoder": BeyondLinear(
            gated.BiasedAutoencoder(50, layers=50, premapping=(50, 50), **course)
        ),
        "gated auto-encoder": BeyondLinear(gated.GatedAutoencoder(20, encodes="guess", **course)),
    }
    inputs, lacking = np.concatenate(X), np.concatenate(Y)
    for one in models.values():
        one.fit(inputs, lacking)
    enlarging: dict[str, Enlarge] = {
        "bicubic": all_larger,
        **{name: partial(_patches_by, one) for name, one in models.items()},
    }
    found: Figures = {name: {} for name in enlarging}
    shown: dict[str, list[FloatArray]] = {}
    for photo, image in held.items():
        asked, goal = patches(image, 20 if quick else N_ASKED, rng)
        made = {name: enlarge(asked) for name, enlarge in enlarging.items()}
        for name, enlarge in enlarging.items():
            both = made[name], in_eight_ways(enlarge, asked)
            found[name][photo] = [psnr(these, goal) for these in both]
        blocky = np.kron(asked, np.ones((TIMES, TIMES)))
        sides = {"8 × 8": blocky, **made, "as it was": goal}
        busiest = np.argsort(-goal.std(axis=(1, 2)))[:2]
        for name, these in sides.items():
            short = name.removesuffix(" auto-encoder")
            shown.setdefault(short, []).append(these[busiest].reshape(2, -1))
    return found, {name: np.concatenate(rows) for name, rows in shown.items()}


def _patches_by(model: Any, asked: FloatArray) -> FloatArray:
    lacking = np.asarray(model.predict(centred(asked)))
    return all_larger(asked) + lacking.reshape(len(asked), LARGE, LARGE)


def detail(small: FloatArray) -> FloatArray:
    """A small image without the brightness around each pixel."""
    return small - uniform_filter(small, SITE)


def of_whole(
    learned: list[FloatArray], held: dict[str, FloatArray], seed: int, *, quick: bool
) -> tuple[Figures, dict[str, dict[str, FloatArray]]]:
    """PSNR by method and photograph, and the photographs."""
    taught = lessons(learned, REDUCTIONS)
    smalls = [smaller(image) for image in taught]
    lacking = [
        in_blocks(image - larger(small)) for image, small in zip(taught, smalls, strict=True)
    ]
    course = OF_WHOLE | {"random_state": seed} | ({"max_iter": 80} if quick else {})
    models = {
        "linear manifield": Ridge(0.1, fit_intercept=False),
        "biased manifield": BeyondLinear(
            gated.BiasedAutoencoder(50, layers=50, premapping=(50, 50), **course)
        ),
        "gated manifield": BeyondLinear(gated.GatedAutoencoder(20, encodes="guess", **course)),
    }
    n_sites = 5_000 if quick else N_LEARNED
    enlarging: dict[str, Enlarge] = {"bicubic": larger}
    for name, model in models.items():
        field = gated.Manifield(model, patch_size=(SITE, SITE), max_patches=n_sites)
        enlarging[name] = partial(
            _whole_by, field.fit([detail(small) for small in smalls], lacking)
        )
    found: Figures = {name: {} for name in enlarging}
    made: dict[str, dict[str, FloatArray]] = {}
    for photo, image in held.items():
        small = smaller(image)
        sides = {name: enlarge(small) for name, enlarge in enlarging.items()}
        made[photo] = {"small": np.kron(small, np.ones((TIMES, TIMES)))}
        made[photo] |= {name: sides[name] for name in ("bicubic", "gated manifield")}
        made[photo]["as it was"] = image
        for name, whole in sides.items():
            found[name][photo] = [psnr(whole, image)]
    return found, made


def _whole_by(field: gated.Manifield, small: FloatArray) -> FloatArray:
    return larger(small) + from_blocks(field.predict(detail(small)))


def parts(seed: int) -> list[tuple[list[str], list[str]]]:
    """Photographs to learn from and to hold out, each of them once."""
    order = [str(name) for name in np.random.default_rng(seed).permutation(NAMES)]
    some, others = order[:4], order[4:]
    return [(some, others), (others, some)]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """PSNR of patches and of whole photographs that were held out."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else N_DRAWS))
    images = photographs()
    if quick:
        images = {name: image[64:224, 64:224] for name, image in images.items()}
    keys = {
        "patches": "An 8 × 8 patch to 32 × 32 pixels",
        "whole": "Whole photographs at four times their size",
    }
    values: dict[str, dict[str, list[list[float]]]] = {key: {} for key in keys}
    gains: dict[str, list[list[float]]] = {name: [] for name in NAMES}
    for seed in seeds:
        by_photo: dict[str, Figures] = {key: {} for key in keys}
        for learned, held in parts(seed)[: 1 if quick else 2]:
            given = [images[name] for name in learned], {name: images[name] for name in held}
            zooms, rows = of_patches(*given, seed, quick=quick)
            wholes, made = of_whole(*given, seed, quick=quick)
            for key, found in (("patches", zooms), ("whole", wholes)):
                for name, figures in found.items():
                    by_photo[key].setdefault(name, {}).update(figures)
            for name in held:
                plain, gated_one = (wholes[row][name][0] for row in ("bicubic", "gated manifield"))
                gains[name].append([plain, gated_one - plain])
            if seed == seeds[0] and learned == parts(seed)[0][0]:
                save(analogies(rows, (LARGE, LARGE)), output / "super_resolution_patches.png")
                _draw(made, output / "super_resolution_whole.png")
        for key, found in by_photo.items():
            for name, figures in found.items():
                values[key].setdefault(name, []).append(np.mean(list(figures.values()), axis=0))
    tables = []
    for key, title in keys.items():
        gain = "{mean:+.2f} ± {sd:.2f}"
        form = {"PSNR": "{mean:.2f} ± {sd:.2f}", "over bicubic": gain}
        form |= {"of eight": gain} if key == "patches" else {}
        table = Table(key, title, form, seeds)
        bicubic = np.asarray(values[key]["bicubic"])[:, 0]
        for name, these in values[key].items():
            ways = np.transpose(these)
            over = [None if name == "bicubic" else way - bicubic for way in ways]
            table.add(name, ways[0], *over, control=not name.startswith("gated"))
        tables.append(table)
    form = {"bicubic": "{mean:.2f}", "gated manifield, over it": "{mean:+.2f} ± {sd:.2f}"}
    each = Table("photographs", "Each photograph, held out", form, seeds)
    for name, pairs in gains.items():
        if pairs:
            each.add(name, *(list(column) for column in np.transpose(pairs)))
    return [*tables, each]


def _draw(made: dict[str, dict[str, FloatArray]], path: Path) -> None:
    """A part of each photograph: as it is given, enlarged, by the manifield, as it was."""
    columns = list(next(iter(made.values())))
    figure = new_figure(2.4 * len(columns), 2.4 * len(made) + 0.3)
    axes = figure.subplots(len(made), len(columns), squeeze=False)
    for row, (line, sides) in enumerate(zip(axes, made.values(), strict=True)):
        for axis, (name, image) in zip(line, sides.items(), strict=True):
            top, left = (side // 2 - min(64, side // 2) for side in image.shape)
            part = image[top : top + 128, left : left + 128]
            axis.imshow(part, cmap="gray", vmin=0, vmax=1)
            axis.set(xticks=[], yticks=[])
            if row == 0:
                axis.set_title(name, fontsize=TEXT_SIZE, color=INK)
    save(figure, path)
