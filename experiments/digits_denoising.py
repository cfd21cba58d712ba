"""Noise taken off handwritten digits by projection in feature space and back.

The tutorial (section 1.2) names kernel PCA's de-noising by pre-images (its references 10 and 14:
Mika et al., "Kernel PCA and de-noising in feature spaces", 1999): projected on the leading
directions of a Gaussian kernel and brought back, noisy digits come out cleaner than by linear PCA
with any number of components.  Here on scikit-learn's digits of 8 × 8 pixels, trained on clean
ones, with the paper's Gaussian noise (half the range of grey values in [−1, 1], 0.25 in [0, 1]),
its speckle noise (each pixel black or white with probability 0.2 each) and its kernel width.

Measured: RESULTS.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments._common import print_table, start
from sidelight import PCA, KernelPCA
from sidelight.arrays import FloatArray
from sidelight.datasets import digits
from sidelight.plot import save
from sidelight.plot.style import FAINT, INK, PALETTE, SMALL_SIZE, new_figure, style_axes, style_legend

# exp(−‖x − y‖²/(0.5 p)) for grey values in [−1, 1], of 64 pixels; ours lie in [0, 1]
GAMMA = 4 / (0.5 * 64)
WAYS_BACK = ("fixed_point", "distances", "ridge", "smoother")


def with_noise(X: FloatArray, kind: str, random: np.random.Generator) -> FloatArray:
    """Add the noise of the paper."""
    if kind == "Gaussian":
        return X + 0.25 * random.standard_normal(X.shape)
    drawn = random.uniform(size=X.shape)
    return np.where(drawn < 0.2, 0.0, np.where(drawn < 0.4, 1.0, X))


def _error(found: FloatArray, clean: FloatArray) -> float:
    return float(np.mean((found - clean) ** 2))


def denoise(
    train: FloatArray, noisy: FloatArray, sizes: tuple[int, ...]
) -> dict[str, dict[int, FloatArray]]:
    """Project and bring back, by every way and number of components."""
    found: dict[str, dict[int, FloatArray]] = {"PCA": {}, **{way: {} for way in WAYS_BACK}}
    for q in sizes:
        if q <= train.shape[1]:
            linear = PCA(q).fit(train)
            found["PCA"][q] = linear.inverse_transform(linear.transform(noisy))
        for way in WAYS_BACK:
            model = KernelPCA(q, gamma=GAMMA, preimage=way).fit(train)
            found[way][q] = model.inverse_transform(model.transform(noisy))
    return found


def main(output: Path, *, quick: bool = False) -> None:
    """Print the mean squared errors, and save them with examples."""
    n_train, n_test, sizes = (200, 20, (4, 16, 64)) if quick else (1200, 200, (1, 4, 16, 64, 256))
    X, labels = digits()
    order = np.random.default_rng(0).permutation(len(X))
    train, test = X[order[:n_train]], X[order[n_train : n_train + n_test]]
    digit = labels[order[n_train : n_train + n_test]]
    figure = new_figure(9.4, 8.4)
    upper, lower = figure.subfigures(2, 1, height_ratios=(1, 1.5))
    curves = upper.subplots(1, 2)
    for kind, ax in zip(("Gaussian", "speckle"), curves, strict=True):
        noisy = with_noise(test, kind, np.random.default_rng(1))
        found = denoise(train, noisy, sizes)
        errors = {
            way: {q: _error(back, test) for q, back in by_size.items()}
            for way, by_size in found.items()
        }
        rows = [
            [way.replace("_", " "), *(f"{by[q]:.4f}" if q in by else "" for q in sizes)]
            for way, by in errors.items()
        ]
        title = f"{kind} noise: mean squared error (noisy {_error(noisy, test):.4f})"
        print_table(["way back", *(f"q = {q}" for q in sizes)], rows, title=title)
        _draw_errors(ax, errors, kind, _error(noisy, test))
        if kind == "Gaussian":
            shown = [int(np.flatnonzero(digit == d)[0]) for d in np.unique(digit)]
            best = {way: min(by, key=lambda q: by[q]) for way, by in errors.items()}
            lines = {"clean": test, "noisy": noisy} | {
                f"{way.replace('_', ' ')}, q = {best[way]}": by_size[best[way]]
                for way, by_size in found.items()
            }
            _draw_examples(lower, lines, shown)
    style_legend(curves[1].legend(loc="upper right"))
    save(figure, output / "digits_denoising.png")


def _draw_errors(ax: object, errors: dict[str, dict[int, float]], kind: str, noise: float) -> None:
    ax.axhline(noise, color=FAINT, linewidth=0.8, linestyle=":")  # type: ignore[attr-defined]
    for place, (way, by_size) in enumerate(errors.items()):
        ax.plot(  # type: ignore[attr-defined]
            list(by_size),
            list(by_size.values()),
            "o-",
            markersize=4,
            color=PALETTE[place],
            label=way.replace("_", " "),
        )
    ax.set_xscale("log")  # type: ignore[attr-defined]
    ax.set_ylim(bottom=0)  # type: ignore[attr-defined]
    style_axes(ax, title=f"{kind} noise", x_label="components", y_label="mean squared error")


def _draw_examples(figure: object, lines: dict[str, FloatArray], shown: list[int]) -> None:
    axes = figure.subplots(len(lines), len(shown), squeeze=False)  # type: ignore[attr-defined]
    for line, (name, images) in zip(axes, lines.items(), strict=True):
        for ax, item in zip(line, shown, strict=True):
            ax.imshow(images[item].reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
            ax.set_axis_off()
        line[0].text(
            -0.25,
            0.5,
            name,
            transform=line[0].transAxes,
            ha="right",
            va="center",
            fontsize=SMALL_SIZE,
            color=INK,
        )


if __name__ == "__main__":
    start(main)
