"""A hundred rotations of an image give a circle, by semidefinite embedding.

The variance of a closed chain whose links keep their lengths is largest when it is a circle
(section 1.7).  Here an image is turned in its own plane: first the six of the probabilistic slides,
then one handwritten digit of each kind.  Two principal components are a circle too, since the inner
product of two images depends on the angle between them alone, but they hold less than half of the
variance of the pixels.  What spreads the circles are the four images at quarter turns: they alone
are not blurred by interpolation, and stand a little apart from their neighbours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.record import Claim, Said, Table
from sidelight import PCA, Isomap, SemidefiniteEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import Dataset, load, rotated_image
from sidelight.plot import comparison, save, scatter
from sidelight.plot.thumbnails import draw_thumbnails

N_ROTATIONS = 100
NEIGHBORS = (2, 4, 6, 10)
SHOWN = 4


def roundness(Z: FloatArray) -> tuple[float, float, float]:
    """Say how well points in their order go round a circle at one pace.

    Parameters
    ----------
    Z : ndarray of shape (n, 2)
        A map of images turned by equal steps.

    Returns
    -------
    spread : float
        The standard deviation of the distances from the middle, over their mean.
    onward : float
        The share of steps that go round in the direction of most.
    error : float
        The mean difference between the angle on the map and that of the image, in degrees, zero
        and direction being free.
    """
    place = (Z - Z.mean(axis=0)) @ [1, 1j]
    steps = np.angle(np.roll(place, -1) / place)
    direction = 1.0 if steps.sum() >= 0 else -1.0
    turned = np.angle(place) * direction - 2 * np.pi * np.arange(len(Z)) / len(Z)
    off = np.angle(np.exp(1j * turned) / np.exp(1j * turned).mean())
    radius = np.abs(place)
    return (
        float(radius.std() / radius.mean()),
        float(np.mean(steps * direction > 0)),
        float(np.degrees(np.abs(off).mean())),
    )


def unfold(frames: Dataset, n_neighbors: int) -> SemidefiniteEmbedding:
    """Fit to a small gap: the variance is flat where the loop is nearly round."""
    return SemidefiniteEmbedding(2, n_neighbors=n_neighbors, tol=1e-5).fit(frames.X)


def _unfolded(model: SemidefiniteEmbedding) -> tuple[float, ...]:
    """How round the map is, the share of the variance in it in per cent, and the proven gap."""
    spread, onward, error = roundness(model.embedding_[:, :2])
    share = 100 * model.eigenvalues_.sum() / model.objective_
    return spread, 100 * onward, error, share, model.gap_


TEXT = [
    Said(
        "tutorial",
        "section 1.7, closed chains",
        "the largest variance of a closed chain is a circle's",
        ours="distances from the middle spread by {six/SDE, k = 4/spread of radii} of their mean; "
        "{six/SDE, k = 4/variance in 2-D} % of the variance in two dimensions",
        upheld=("largest spread of the radii of a six", "variance in two dimensions, k = 2"),
    )
]
CLAIMS = [
    Claim(
        "largest spread of the radii of a six, k = 2 and 4",
        lambda r: max(r("six", f"SDE, k = {k}", "spread of radii") for k in (2, 4)),
        most=0.02,
        form="{:.4f}",
    ),
    Claim(
        "variance in two dimensions, k = 2, %",
        lambda r: r("six", "SDE, k = 2", "variance in 2-D"),
        least=99,
        form="{:.1f}",
    ),
    Claim(
        "two principal components hold, %",
        lambda r: r("six", "PCA", "variance in 2-D"),
        most=50,
        form="{:.1f}",
    ),
    Claim(
        "digits: largest spread of the radii",
        lambda r: max(float(row.values[0]) for row in r.table("digits").rows),
        most=0.05,
        form="{:.4f}",
    ),
]


COLUMNS = {
    "spread of radii": "{:.4f}",
    "onward": "{:.0f}",
    "angle off by": "{:.1f}",
    "variance in 2-D": "{:.1f}",
    "gap": "{:.0e}",
}


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """Both tables; the circle of sixes and the circles of all digits."""
    n_rotations = 30 if quick else N_ROTATIONS
    ink = 1.0 - load("six").extras["image"]
    sixes = rotated_image(np.pad(ink, ((0, 0), (3, 4))), n_rotations=n_rotations, fill=0.0)
    units = "(steps onward and variance in %, angles in degrees)"
    six = Table("six", f"{n_rotations} rotations of a six {units}", COLUMNS)
    models = {}
    for k in NEIGHBORS:
        models[k] = unfold(sixes, k)
        six.add(f"SDE, k = {k}", *_unfolded(models[k]))
    along = roundness(Isomap(2, n_neighbors=4).fit_transform(sixes.X))
    six.add("Isomap, k = 4", along[0], 100 * along[1], along[2], None, None)
    flat = PCA(2).fit_transform(sixes.X)
    spread, onward, error = roundness(flat)
    share = 100 * flat.var(axis=0).sum() / sixes.X.var(axis=0).sum()
    six.add("PCA", spread, 100 * onward, error, share, None, control=True)
    angles = 360.0 * np.arange(n_rotations) / n_rotations
    circle = scatter(models[SHOWN].embedding_, color=angles, period=360, key_title="angle (°)")
    # every fifth image, inside the circle, where it hides no point
    inside = 0.84 * models[SHOWN].embedding_[::5]
    draw_thumbnails(circle, inside, sixes.images[::5], None, max_thumbnails=80, image_cmap="gray_r")
    save(circle, output / "unfolded_six.png")

    digits = load("mnist_t10k")
    assert digits.labels is not None
    maps, scores, images = {}, {}, []
    title = f"{n_rotations} rotations of one digit each, k = {SHOWN} {units}"
    table = Table("digits", title, COLUMNS)
    for digit in range(3 if quick else 10):
        images.append(digits.images[np.flatnonzero(digits.labels == digit)[0]])
        model = unfold(rotated_image(images[-1], n_rotations=n_rotations, fill=0.0), SHOWN)
        found = _unfolded(model)
        table.add(f"{digit}", *found)
        maps[f"{digit}"], scores[f"{digit}"] = model.embedding_, f"spread {found[0]:.4f}"
    figure = comparison(
        maps,
        color=angles,
        period=360,
        scores=scores,
        key_title="angle (°)",
        point_size=14,
        n_columns=5,
    )
    middle = np.zeros((1, 2))
    for ax, image in zip(figure.axes, images, strict=False):  # the last axes are the colour bar's
        draw_thumbnails(ax, middle, image[None], None, max_thumbnails=3, image_cmap="gray_r")
    save(figure, output / "unfolded_digits.png")
    return [six, table]
