"""Faces that are given glasses: the map without the factor, and the way back with it changed.

The latent-factor thesis (section 3.2.2, figure 3.10): an embedding of 400 faces conditioned on
"has glasses", from which faces without glasses are rendered with them.  Here the map is fitted to
half of the people, matching faces with glasses to faces without; whether a rendered face wears
glasses is said by a classifier of edges around the eyes that was trained on the other half.

Measured (10 splits of the people): the classifier sees glasses on 96 % of the real faces with
glasses of people it was not trained on, and on 1.5 % of those without.  Of faces without glasses,
rendered with them from a map of 20 dimensions, it sees them on 97 % (fewest in a split 90 %) of the
mixtures of other faces that the forward map gives, and on 93 % (85 %) of the person's own face with
what the change does added; with a softer kernel that keeps more of the person, on 87 % (79 %).
Five dimensions do as well (95, 92 and 89 %), two nearly (88, 84 and 80 %).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments._common import print_table, start
from sidelight import KernelInformationEmbedding
from sidelight.core.arrays import BoolArray, FloatArray, IntArray
from sidelight.datasets import load
from sidelight.plot import save
from sidelight.plot.style import SMALL_SIZE, new_figure
from sidelight.side import Condition

SIDE = 64
COMPONENTS = (2, 5, 20)
# the forward map alone; what it changes, added to the face; the same, from more faces
WAYS = {
    "mixture of faces": (0.0, 1.0),
    "own face, changed": (1.0, 1.0),
    "the same, softer": (1.0, 1.5),
}
N_SPLITS = 10
SHOWN = 8


def edges_around_the_eyes(faces: FloatArray) -> FloatArray:
    """Histograms of the directions of edges in small cells around the eyes."""
    region = faces.reshape(-1, SIDE, SIDE)[:, 14:38, 6:58]
    down, right = np.diff(region, axis=1)[:, :, :-1], np.diff(region, axis=2)[:, :-1]
    strength, direction = np.hypot(right, down), (np.arctan2(down, right) % np.pi) / np.pi * 6
    cells = []
    for centre in range(6):
        near = np.clip(1 - np.abs((direction - centre + 3) % 6 - 3), 0, None)
        sums = (strength * near)[:, :20, :48].reshape(len(faces), 5, 4, 12, 4).sum(axis=(2, 4))
        cells.append(sums.reshape(len(faces), -1))
    features = np.concatenate(cells, axis=1)
    return np.asarray(np.sqrt(features / (features.sum(axis=1, keepdims=True) + 1e-9)))


def classifier(faces: FloatArray, glasses: BoolArray) -> Any:
    """Learn to tell glasses, from faces and their mirror images."""
    mirrored = faces.reshape(-1, SIDE, SIDE)[:, :, ::-1].reshape(len(faces), -1)
    features = edges_around_the_eyes(np.vstack([faces, mirrored]))
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=0.01, class_weight="balanced", max_iter=500)
    )
    return model.fit(features, np.concatenate([glasses, glasses]))


def half_of_the_people(people: IntArray, glasses: BoolArray, seed: int) -> BoolArray:
    """Draw half of the people, with as many wearers of glasses as in the other half."""
    share = np.array([glasses[people == person].mean() for person in np.unique(people)])
    order = np.random.default_rng(seed).permutation(len(share))
    order = order[np.argsort(-share[order], kind="stable")]
    return np.asarray(np.isin(people, order[::2]))


def main(output: Path, *, quick: bool = False) -> None:
    """Print how often rendered faces are seen with glasses, and show some."""
    faces = load("olivetti_faces")
    glasses = faces.extras["glasses"].astype(bool)
    found: dict[tuple[int, str], list[float]] = {}
    checks = []
    shown = None
    for seed in range(1 if quick else N_SPLITS):
        judging = half_of_the_people(faces.labels, glasses, seed)
        judge = classifier(faces.X[judging], glasses[judging])
        X, worn = faces.X[~judging], glasses[~judging]
        said = judge.predict(edges_around_the_eyes(X))
        checks.append((said[worn].mean(), said[~worn].mean()))
        without = X[~worn]
        for q in COMPONENTS[:1] if quick else COMPONENTS:
            model = KernelInformationEmbedding(q, tol=1e-6)
            model.fit(X, side=Condition(np.where(worn, "glasses", "none")))
            for way, (detail, smoothing) in WAYS.items():
                with_glasses = model.render(
                    without, condition="glasses", detail=detail, smoothing=smoothing
                )
                share = judge.predict(edges_around_the_eyes(with_glasses)).mean()
                found.setdefault((q, way), []).append(float(share))
            if seed == 0:
                shown = (without, model)
    rows = [[way, f"{q}", f"{np.mean(v):.3f}", f"{np.min(v):.3f}"] for (q, way), v in found.items()]
    print_table(
        ["rendered as", "components", "seen with glasses", "fewest in a split"],
        rows,
        title=f"Faces without glasses, rendered with them ({len(checks)} splits of the people)",
    )
    seen, wrongly = np.mean(checks, axis=0)
    print(f"real faces of the same people: with glasses {seen:.3f}, without {wrongly:.3f}")
    assert shown is not None
    draw(*shown, output)


def draw(without: FloatArray, model: KernelInformationEmbedding, output: Path) -> None:
    """Faces as they are, and with glasses."""
    chosen = np.unique(np.linspace(0, len(without) - 1, SHOWN).astype(int))
    lines = {"as it is": without[chosen]} | {
        way: model.render(without[chosen], condition="glasses", detail=detail, smoothing=smoothing)
        for way, (detail, smoothing) in WAYS.items()
    }
    figure = new_figure(1.05 * len(chosen) + 1.5, 4.4)
    axes = figure.subplots(len(lines), len(chosen))
    for row, (words, images) in zip(axes, lines.items(), strict=True):
        for ax, image in zip(row, images, strict=True):
            ax.imshow(image.reshape(SIDE, SIDE), cmap="gray", vmin=0, vmax=1)
            ax.set(xticks=[], yticks=[])
            for spine in ax.spines.values():
                spine.set_visible(False)
        row[0].set_ylabel(words, rotation=0, ha="right", va="center", fontsize=SMALL_SIZE)
    save(figure, output / "glasses_on_faces.png")


if __name__ == "__main__":
    start(main)
