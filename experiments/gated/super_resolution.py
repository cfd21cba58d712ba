"""Photographs at a quarter of their size, brought back by gated auto-encoders.

The thesis on latent factors (section 6.3.2, figures 6.4 to 6.6) learns how 8 × 8 patches become the
32 × 32 ones they were made from, with a gated auto-encoder of 20 units, and whole images with a
manifield over 5 × 5 patches.  Here seven photographs that come with scikit-learn and scikit-image,
grey, made small by bicubic resampling (which smooths first).  Each draw puts them into two parts;
what is learned from one is judged on the other, so that every photograph is held out once.

*Patches*: an 8 × 8 patch alone becomes 32 × 32 pixels.  *Whole*: a manifield over the small image,
at every site 5 × 5 of its pixels and the 20 × 20 of the large one that lie there.  Models learn
what bicubic enlargement lacks.  Figures are PSNR in dB, the mean of the seven, and what is gained
over bicubic enlargement of the same input.  Controls: a linear map of the same patches (for whole
images averaged over sites in the same way), the nearest patch that was learned from, looked up as
other methods do, and a biased auto-encoder.  Steps and learning rates were
chosen on draw 100 and on one part by hand.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors

from experiments.gated._photographs import NAMES, photographs, psnr
from experiments.record import Claim, Record, Said, Table
from sidelight import gated
from sidelight.core import FloatArray
from sidelight.plot import analogies, save
from sidelight.plot.style import INK, TEXT_SIZE, new_figure

FIRST_SEED, N_DRAWS = 200, 2
TIMES, SMALL, SITE = 4, 8, 5
LARGE = TIMES * SMALL
N_LEARNED, N_ASKED = 16_000, 150

TEXT = [
    Said(
        "latent",
        "figures 6.4 to 6.6; section 6.3.2",
        "a gated auto-encoder makes 32 × 32 patches of 8 × 8 ones, and a manifield enlarges whole "
        "images, with detail that smooth enlargement lacks",
        ours="PSNR {patches/gated auto-encoder/PSNR} (bicubic {patches/bicubic/PSNR}); whole "
        "photographs {whole/gated manifield/PSNR} ({whole/bicubic/PSNR})",
        upheld=(
            "patches: gated auto-encoder over bicubic enlargement, dB",
            "whole photographs: gated manifield over bicubic enlargement, dB, in full",
        ),
        because="patches of 8 × 8, each alone, come no nearer to the truth than by bicubic "
        "enlargement; whole photographs do",
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
        "patches: gated auto-encoder over bicubic enlargement, dB",
        _over("patches", "gated auto-encoder"),
        least=0.0,
        quick=False,
        because="it sees 40 of the 63 principal axes of a patch, and a linear map of those 40 "
        "gains half of what one of all of them does (draw 100)",
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
        least=0.05,
        quick=False,
    ),
    Claim(
        "whole photographs: gated manifield over bicubic enlargement, dB, small form",
        _over("whole", "gated manifield"),
        least=0.1,
    ),
]


def resized(image: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Bicubic, smoothed first where it gets smaller."""
    from PIL import Image

    picture = Image.fromarray(image.astype(np.float32))
    return np.asarray(picture.resize(shape[::-1], Image.Resampling.BICUBIC), dtype=np.float64)


def smaller(image: FloatArray) -> FloatArray:
    """At a quarter of its size."""
    return resized(image, (image.shape[0] // TIMES, image.shape[1] // TIMES))


def larger(image: FloatArray) -> FloatArray:
    """Enlarged again, without knowing anything."""
    return resized(image, (image.shape[0] * TIMES, image.shape[1] * TIMES))


def in_blocks(image: FloatArray) -> FloatArray:
    """The 4 × 4 pixels that lie in each small one, as its channels."""
    height, width = image.shape[0] // TIMES, image.shape[1] // TIMES
    blocks = image.reshape(height, TIMES, width, TIMES).transpose(0, 2, 1, 3)
    return blocks.reshape(height, width, TIMES**2)


def from_blocks(blocks: FloatArray) -> FloatArray:
    """And back."""
    height, width = blocks.shape[:2]
    laid = blocks.reshape(height, width, TIMES, TIMES).transpose(0, 2, 1, 3)
    return laid.reshape(height * TIMES, width * TIMES)


def patches(image: FloatArray, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Small patches at random places, and the large ones that they were made from."""
    small = smaller(image)
    rows, columns = (rng.integers(0, side - SMALL + 1, n) for side in small.shape)
    seen, truth = [], []
    for top, left in zip(rows, columns, strict=True):
        seen.append(small[top : top + SMALL, left : left + SMALL])
        there = TIMES * top, TIMES * left
        truth.append(image[there[0] : there[0] + LARGE, there[1] : there[1] + LARGE])
    return np.stack(seen), np.stack(truth)


def centred(seen: FloatArray) -> FloatArray:
    """Patches as rows, their brightness taken out."""
    rows = seen.reshape(len(seen), -1)
    return rows - rows.mean(axis=1, keepdims=True)


class Whitened:
    """A model of rows that are turned to their principal axes and stretched to one length.

    Pixels of photographs are alike, and steps along what they share would drown the rest.
    """

    def __init__(self, model: Any, n_axes: int) -> None:
        self.model, self.n_axes = model, n_axes

    def fit(self, X: FloatArray, Y: FloatArray) -> Whitened:
        """Find the axes, and learn."""
        values, vectors = np.linalg.eigh(X.T @ X / len(X))
        self.axes = vectors[:, -self.n_axes :] / np.sqrt(values[-self.n_axes :])
        self.model.fit(X @ self.axes, Y)
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """What the model makes of them."""
        return np.asarray(self.model.predict(X @ self.axes))


class Lookup:
    """What the nearest patch that was learned from lacked."""

    def fit(self, X: FloatArray, Y: FloatArray) -> Lookup:
        """Keep them."""
        self.near, self.Y = NearestNeighbors(n_neighbors=1).fit(X), Y
        return self

    def predict(self, X: FloatArray) -> FloatArray:
        """Look up."""
        return np.asarray(self.Y[self.near.kneighbors(X, return_distance=False)[:, 0]])


def of_patches(
    learned: list[FloatArray], held: dict[str, FloatArray], seed: int, *, quick: bool
) -> tuple[dict[str, dict[str, float]], dict[str, FloatArray]]:
    """PSNR by method and photograph, and some patches to be drawn."""
    rng = np.random.default_rng([seed, 0])
    n_each = (300 if quick else N_LEARNED) // len(learned)
    pairs = [patches(image, n_each, rng) for image in learned]
    seen, truth = (np.concatenate(side) for side in zip(*pairs, strict=True))
    lacking = truth - np.stack([larger(one) for one in seen])
    model = gated.GatedAutoencoder(
        20,
        encodes="guess",
        learning_rate=0.01,
        max_iter=10 if quick else 500,
        random_state=seed,
    )
    models: dict[str, Any] = {
        "linear map": Ridge(0.1, fit_intercept=False),
        "nearest patch": Lookup(),
        "gated auto-encoder": Whitened(model, 40),
    }
    for one in models.values():
        one.fit(centred(seen), lacking.reshape(len(lacking), -1))
    found: dict[str, dict[str, float]] = {"bicubic": {}, **{name: {} for name in models}}
    shown: dict[str, list[FloatArray]] = {}
    for photo, image in held.items():
        asked, goal = patches(image, 20 if quick else N_ASKED, rng)
        plain = np.stack([larger(one) for one in asked])
        found["bicubic"][photo] = psnr(plain, goal)
        made = {name: plain + _square(one, asked) for name, one in models.items()}
        for name, these in made.items():
            found[name][photo] = psnr(these, goal)
        blocky = np.kron(asked, np.ones((TIMES, TIMES)))
        sides = {"8 × 8": blocky, "bicubic": plain, **made, "as it was": goal}
        busiest = np.argsort(-goal.std(axis=(1, 2)))[:2]
        for name, these in sides.items():
            shown.setdefault(name, []).append(these[busiest].reshape(2, -1))
    return found, {name: np.concatenate(rows) for name, rows in shown.items()}


def _square(model: Any, asked: FloatArray) -> FloatArray:
    return np.asarray(model.predict(centred(asked)).reshape(len(asked), LARGE, LARGE))


def detail(small: FloatArray) -> FloatArray:
    """A small image without the brightness around each pixel."""
    return small - uniform_filter(small, SITE)


def of_whole(
    learned: list[FloatArray], held: dict[str, FloatArray], seed: int, *, quick: bool
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, FloatArray]]]:
    """PSNR by method and photograph, and the photographs."""
    smalls = [smaller(image) for image in learned]
    lacking = [
        in_blocks(image - larger(small)) for image, small in zip(learned, smalls, strict=True)
    ]
    course = {"learning_rate": 0.03, "random_state": seed}
    models = {
        "linear manifield": Ridge(0.1, fit_intercept=False),
        "biased manifield": gated.BiasedAutoencoder(
            50, layers=50, premapping=(50, 50), max_iter=20 if quick else 800, **course
        ),
        "gated manifield": gated.GatedAutoencoder(
            20, encodes="guess", max_iter=80 if quick else 1500, **course
        ),
    }
    fields = {
        name: gated.Manifield(model, patch_size=(SITE, SITE), max_patches=30_000).fit(
            [detail(small) for small in smalls], lacking
        )
        for name, model in models.items()
    }
    found: dict[str, dict[str, float]] = {"bicubic": {}, **{name: {} for name in fields}}
    made: dict[str, dict[str, FloatArray]] = {}
    for photo, image in held.items():
        small = smaller(image)
        plain = larger(small)
        sides = {name: plain + from_blocks(f.predict(detail(small))) for name, f in fields.items()}
        made[photo] = {"small": np.kron(small, np.ones((TIMES, TIMES))), "bicubic": plain}
        made[photo] |= {"gated manifield": sides["gated manifield"], "as it was": image}
        for name, whole in {"bicubic": plain, **sides}.items():
            found[name][photo] = psnr(whole, image)
    return found, made


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
    values: dict[str, dict[str, list[float]]] = {key: {} for key in keys}
    gains: dict[str, list[list[float]]] = {name: [] for name in NAMES}
    for seed in seeds:
        by_photo: dict[str, dict[str, dict[str, float]]] = {key: {} for key in keys}
        for learned, held in parts(seed)[: 1 if quick else 2]:
            given = [images[name] for name in learned], {name: images[name] for name in held}
            zooms, rows = of_patches(*given, seed, quick=quick)
            wholes, made = of_whole(*given, seed, quick=quick)
            for key, found in (("patches", zooms), ("whole", wholes)):
                for name, figures in found.items():
                    by_photo[key].setdefault(name, {}).update(figures)
            for name in held:
                both = [wholes[row][name] for row in ("bicubic", "gated manifield")]
                gains[name].append([both[0], both[1] - both[0]])
            if seed == seeds[0] and learned == parts(seed)[0][0]:
                save(analogies(rows, (LARGE, LARGE)), output / "super_resolution_patches.png")
                _draw(made, output / "super_resolution_whole.png")
        for key, found in by_photo.items():
            for name, figures in found.items():
                values[key].setdefault(name, []).append(float(np.mean(list(figures.values()))))
    tables = []
    for key, title in keys.items():
        form = {"PSNR": "{mean:.2f} ± {sd:.2f}", "over bicubic": "{mean:+.2f} ± {sd:.2f}"}
        table = Table(key, title, form, seeds)
        plain = np.asarray(values[key]["bicubic"])
        for name, these in values[key].items():
            gain = None if name == "bicubic" else list(np.asarray(these) - plain)
            table.add(name, these, gain, control=not name.startswith("gated"))
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
