"""What a filter did to one photograph, done to others by models that saw it once.

The thesis on latent factors (section 5.4.3, figures 5.11 to 5.13) shows a field of gated experts
with 10 mapping units one picture and what an artistic, canvas-like filter made of it, and lets it
do the same to another.  It shows pictures and gives no figure.

Here a photograph is drawn, and two others that nobody learned from; all are grey and at half their
size.  Three filters, none of them linear: *oil paint* (the mean of the most frequent of eight tones
among 5 × 5 pixels), *canvas* (oil paint as a relief lit from a corner) and *posterised* (four
tones).  Figures are PSNR in dB between what a model makes of the others and what the filter makes
of them.  Beside the field of gated experts stands a gated auto-encoder at all sites (a manifield,
as section 6.1 has it: an analogy is a prediction).  Controls: the photograph as it is, a linear
filter as wide as the models see, averaged over sites as they are, and the output of the nearest
patch (Hertzmann and others 2001).  Nothing was tuned on them: rates and
units are those of the experiment on super-resolution and of the text.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import uniform_filter
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from experiments.gated._photographs import NAMES, photographs, psnr
from experiments.record import Claim, Record, Said, Table
from sidelight import gated
from sidelight.core import FloatArray
from sidelight.plot import save
from sidelight.plot.style import INK, TEXT_SIZE, new_figure

FIRST_SEED, N_DRAWS = 200, 3
PATCH, TONES, SIDE = 5, 8, 128

TEXT = [
    Said(
        "latent",
        "figures 5.11 to 5.13; section 5.4.3",
        "a field of gated experts applies to an image what a canvas-like filter did to another; "
        "pictures, no figure",
        ours="PSNR on other photographs, canvas: {canvas/field of gated experts/PSNR}, nearer "
        "to the truth than the photograph as it is ({canvas/as it is/PSNR}), but not than a linear "
        "filter as wide ({canvas/linear filter/PSNR}); gated manifield "
        "{canvas/gated manifield/PSNR}",
        data="bundled photographs, and a canvas-like filter of our own",
    )
]

Filter = Callable[[FloatArray], FloatArray]


def oil_paint(image: FloatArray) -> FloatArray:
    """The mean of the most frequent tone around each pixel."""
    tone = np.minimum((image * TONES).astype(int), TONES - 1)
    shares = np.stack([uniform_filter((tone == t) * 1.0, PATCH) for t in range(TONES)])
    sums = np.stack([uniform_filter((tone == t) * image, PATCH) for t in range(TONES)])
    most = shares.argmax(axis=0)[None]
    share = np.take_along_axis(shares, most, axis=0)[0]
    return np.asarray(np.take_along_axis(sums, most, axis=0)[0] / share)


def canvas(image: FloatArray) -> FloatArray:
    """Oil paint as a relief, lit from a corner."""
    paint = oil_paint(image)
    down, right = np.gradient(paint)
    return np.clip(paint + 1.5 * (down + right), 0.0, 1.0)


def posterised(image: FloatArray) -> FloatArray:
    """Four tones."""
    return np.asarray(np.minimum(np.floor(image * 4), 3) / 3)


FILTERS: dict[str, Filter] = {
    "oil": oil_paint,
    "canvas": canvas,
    "posterised": posterised,
}
TITLES = {"oil": "Oil paint", "canvas": "Canvas", "posterised": "Posterised"}


def _over(key: str, row: str, other: str) -> Callable[[Record], float]:
    """The mean difference of two lines."""
    return lambda r: float((r.draws(key, row, "PSNR") - r.draws(key, other, "PSNR")).mean())


CLAIMS = [
    Claim(
        f"{TITLES[key]}: gated manifield over a linear filter, dB, small form",
        _over(key, "gated manifield", "linear filter"),
        least=0.15,
    )
    for key in ("oil", "canvas")
] + [
    Claim(
        f"{TITLES[key]}: gated manifield over a linear filter, dB",
        _over(key, "gated manifield", "linear filter"),
        least=0.3,
        quick=False,
    )
    for key in FILTERS
]


def models(seed: int, *, quick: bool) -> dict[str, Any]:
    """What learns from one pair of photographs."""

    def at_sites(model: Any, most: int) -> gated.Manifield:
        return gated.Manifield(
            model, patch_size=(PATCH, PATCH), max_patches=most, random_state=seed
        )

    few = 1000 if quick else 3000
    coder = gated.GatedAutoencoder(
        20,
        encodes="guess",
        learning_rate=0.03,
        max_iter=150 if quick else 1200,
        random_state=seed,
    )
    field = gated.GatedExpertField(
        10, patch_size=PATCH, max_iter=10 if quick else 300, random_state=seed
    )
    return {
        "linear filter": at_sites(Ridge(1e-3), 20_000),
        "nearest patch": at_sites(KNeighborsRegressor(1), few),
        "field of gated experts": field,
        "gated manifield": at_sites(coder, 50_000),
    }


def halved(image: FloatArray) -> FloatArray:
    """Means of 2 × 2 pixels."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    return image.reshape(height, 2, width, 2).mean(axis=(1, 3))


def middle(image: FloatArray, side: int) -> FloatArray:
    """A square of it."""
    top, left = ((size - min(side, size)) // 2 for size in image.shape)
    return image[top : top + side, left : left + side]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """PSNR of what models make of photographs that they have not seen."""
    warnings.simplefilter("ignore")
    seeds = range(FIRST_SEED, FIRST_SEED + (1 if quick else N_DRAWS))
    images = {name: halved(image) for name, image in photographs().items()}
    tables = []
    for key, filtered in FILTERS.items():
        figures: dict[str, list[float]] = {}
        for seed in seeds:
            chosen = np.random.default_rng(seed).permutation(NAMES)[:3]
            source, *others = (images[str(name)] for name in chosen)
            source = middle(source, 64 if quick else 192)
            others = [middle(image, 48 if quick else SIDE) for image in others]
            done: dict[str, list[FloatArray]] = {"as it is": others}
            for name, model in models(seed, quick=quick).items():
                model.fit(source, filtered(source))
                done[name] = [np.asarray(model.predict(image)) for image in others]
            goals = [filtered(image) for image in others]
            for name, made in done.items():
                of_each = [psnr(one, goal) for one, goal in zip(made, goals, strict=True)]
                figures.setdefault(name, []).append(float(np.mean(of_each)))
            if seed == seeds[0]:
                pair = {"learned from": source, "what became of it": filtered(source)}
                shown = {name: made[0] for name, made in done.items()}
                path = output / f"image_analogy_{key}.png"
                _draw({**pair, **shown, "by the filter": goals[0]}, path)
        table = Table(key, TITLES[key], {"PSNR": "{mean:.2f} ± {sd:.2f}"}, seeds)
        for name, values in figures.items():
            control = name not in ("field of gated experts", "gated manifield")
            table.add(name, values, control=control)
        tables.append(table)
    return tables


def _draw(pictures: dict[str, FloatArray], path: Path) -> None:
    """The pair, another photograph, and what each makes of it."""
    figure = new_figure(2.6 * 4, 2.8 * 2)
    for axis, (name, image) in zip(figure.subplots(2, 4).flat, pictures.items(), strict=True):
        axis.imshow(image, cmap="gray", vmin=0, vmax=1)
        axis.set_title(name, fontsize=TEXT_SIZE, color=INK)
        axis.set(xticks=[], yticks=[])
    save(figure, path)
