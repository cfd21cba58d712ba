"""Small pictures on a map, placed so that none covers another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, FloatArray, IntArray

# sides of a thumbnail in typographic points
_SMALLEST, _LARGEST = 13.0, 46.0
# how much of the side is left free around it
_GAP = 0.12
#: So many channels are colours: grey, three, and three with how much covers what is behind.
_COLOURS = (1, 3, 4)


def as_images(
    who: str, images: ArrayLike, image_shape: tuple[int, ...] | None, n_points: int
) -> npt.NDArray[Any]:
    """Bring images into the shape (n_points, rows, columns) or (n_points, rows, columns, 3)."""
    pictures = np.asarray(images)
    if len(pictures) != n_points:
        raise ValueError(
            f"The 'images' parameter of {who} must have one image per point, {n_points} of them. "
            f"Got {len(pictures)} instead."
        )
    if pictures.ndim == 2:
        if image_shape is None:
            raise ValueError(
                f"The 'images' parameter of {who} has flattened images of {pictures.shape[1]} "
                "pixels. Give their shape as 'image_shape'."
            )
        if int(np.prod(image_shape)) != pictures.shape[1]:
            raise ValueError(
                f"The 'image_shape' parameter of {who} must hold {pictures.shape[1]} pixels, as "
                f"the rows of 'images' do. Got {tuple(image_shape)} instead."
            )
        pictures = pictures.reshape(n_points, *image_shape)
    if pictures.ndim not in (3, 4):
        raise ValueError(
            f"The 'images' parameter of {who} must have shape (n, rows, columns), "
            f"(n, rows, columns, 3) or (n, pixels). Got {pictures.shape} instead."
        )
    return _in_colour(pictures) if pictures.ndim == 4 else pictures


def _in_colour(pictures: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Images with colours behind: those in front go there, and of other channels the mean is seen.

    Examples
    --------
    >>> import numpy as np
    >>> _in_colour(np.ones((9, 3, 5, 7))).shape, _in_colour(np.ones((9, 5, 7, 6))).shape
    ((9, 5, 7, 3), (9, 5, 7))
    """
    if pictures.shape[-1] in _COLOURS:
        return pictures
    if pictures.shape[1] in _COLOURS:
        return np.moveaxis(pictures, 1, -1)
    return np.asarray(pictures.mean(axis=-1))


def choose_thumbnails(
    places: FloatArray, width: float, height: float, limits: FloatArray, max_thumbnails: int
) -> IntArray:
    """Choose points whose boxes of one size do not overlap.

    The plane is divided into cells of the size of a box.  Points are taken greedily, those nearest
    to the middle of their cell first, and each taken point rules out all whose boxes would touch
    its own: an even cover, the same for the same input.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.plot.thumbnails import choose_thumbnails
    >>> places = np.array([[5.0, 5.0], [6.0, 5.0], [5.0, 16.0]])
    >>> choose_thumbnails(places, 10, 10, np.array([[0.0, 0.0], [50.0, 50.0]]), 9).tolist()
    [0, 2]
    """
    size = np.array([width, height])
    inside = (places - size / 2 >= limits[0]) & (places + size / 2 <= limits[1])
    free = inside.all(axis=1) & np.isfinite(places).all(axis=1)
    cells = (places - limits[0]) / size
    off_centre = np.abs(cells - np.floor(cells) - 0.5).max(axis=1)
    order = np.argsort(np.where(free, off_centre, np.inf), kind="stable")
    chosen: list[int] = []
    for point in order:
        if len(chosen) == max_thumbnails or not inside[point].all():
            break
        if free[point]:
            chosen.append(int(point))
            free &= (np.abs(places - places[point]) >= size).any(axis=1)
    return np.array(chosen, dtype=np.intp)


def draw_thumbnails(
    ax: Any,
    Z: FloatArray,
    images: npt.NDArray[Any],
    frames: FloatArray | None,
    *,
    max_thumbnails: int,
    image_cmap: str,
) -> None:
    """Draw some points' images on a map, without overlap.

    Sizes are chosen on the page and then fixed in the map's coordinates, so that resizing the
    figure cannot make thumbnails overlap.
    """
    from matplotlib.image import AxesImage
    from matplotlib.patches import Rectangle

    from sidelight.plot.style import FAINT

    figure = ax.figure
    figure.draw_without_rendering()
    box = ax.get_window_extent()
    per_point = figure.dpi / 72.0
    expected = max(min(max_thumbnails, len(Z)), 1)
    wanted = np.sqrt(box.width * box.height / expected) * 0.65 / per_point
    side = float(np.clip(wanted, _SMALLEST, _LARGEST)) * per_point
    rows, columns = images.shape[1:3]
    in_pixels = side * np.array([columns, rows]) / max(rows, columns)
    _leave_room(ax, Z, in_pixels * (1 + _GAP))
    places = ax.transData.transform(Z)
    width, height = in_pixels * (1 + _GAP)
    page = np.array([[box.x0, box.y0], [box.x1, box.y1]])
    chosen = choose_thumbnails(places, width, height, page, max_thumbnails)
    # maps have equal scales: one factor for both directions
    (left, _), (right, _) = ax.transData.inverted().transform([[0.0, 0.0], [1.0, 0.0]])
    half = in_pixels * abs(right - left) / 2
    cmap = image_map(images) if image_cmap == "auto" else image_cmap
    span = (float(np.nanmin(images)), float(np.nanmax(images)))
    for point in chosen:
        x, y = Z[point]
        picture = AxesImage(
            ax,
            cmap=cmap,
            extent=(x - half[0], x + half[0], y - half[1], y + half[1]),
            origin="upper",
            interpolation="antialiased",
            zorder=3,
        )
        picture.set_data(images[point])
        if images.ndim == 3:
            picture.set_clim(*span)
        picture.set_clip_path(ax.patch)
        picture.set_gid(f"thumbnail-{point}")
        ax.add_image(picture)
        ax.add_patch(
            Rectangle(
                (x - half[0], y - half[1]),
                2 * half[0],
                2 * half[1],
                fill=False,
                edgecolor=FAINT if frames is None else frames[point],
                linewidth=0.5 if frames is None else 1.2,
                zorder=3.1,
            )
        )


def _leave_room(ax: Any, Z: FloatArray, size: FloatArray) -> None:
    """Widen what is seen, so that the outermost points have room for boxes of a size in pixels."""
    from sidelight.plot.points import in_view

    shown = Z[in_view(Z) & np.isfinite(Z).all(axis=1)]
    (left, low), (right, high) = ax.transData.inverted().transform([[0.0, 0.0], size])
    half = 0.6 * np.array([right - left, high - low])
    ax.update_datalim([shown.min(axis=0) - half, shown.max(axis=0) + half])
    ax.margins(0.0)
    ax.autoscale_view()
    ax.figure.draw_without_rendering()


def image_map(images: npt.NDArray[Any]) -> str:
    """Show strokes on an empty ground as dark on light, and everything else as it is."""
    low, high = float(images.min()), float(images.max())
    empty = images <= low + 1e-6 * (high - low)
    border = np.concatenate(
        [empty[:, 0].ravel(), empty[:, -1].ravel(), empty[:, :, 0].ravel(), empty[:, :, -1].ravel()]
    )
    return "gray_r" if border.mean() > 0.6 and empty.mean() > 0.4 else "gray"
