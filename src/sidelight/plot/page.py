"""A map as a page that needs no server: one file to move, zoom and ask for rows."""

from __future__ import annotations

import base64
import html
import io
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import ArrayLike, FloatArray, warn
from sidelight.io import replacing
from sidelight.plot.colours import Colouring, choose_colours
from sidelight.plot.known import known_by_number, known_of_page
from sidelight.plot.points import as_map
from sidelight.plot.style import require_matplotlib
from sidelight.plot.thumbnails import as_images, image_map

#: A sheet of more pixels than this many would not be shown by browsers: images are made smaller,
#: to sides of so many pixels at most, and are left out where so few are left.
_MOST_PIXELS = 16_000_000
_SMALL_SIDE, _LEAST_SIDE = 64, 4
_LONGEST_TEXT = 200


def write_page(
    path: str | Path,
    Z: ArrayLike,
    *,
    color: ArrayLike | str | None = None,
    labels: ArrayLike | None = None,
    period: float | None = None,
    names: Sequence[Any] | npt.NDArray[Any] | None = None,
    columns: Mapping[str, ArrayLike] | None = None,
    images: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    side: Any = None,
    title: str = "A map",
    subtitle: str = "",
    key_title: str | None = None,
) -> Path:
    """Write a map as one HTML file, without a server and without anything from elsewhere.

    Drag to move, scroll to zoom, point at a row to read it, click a class to hide it, search for
    a name.  Of more than two dimensions the first two are shown.

    Parameters
    ----------
    path : str or Path
        The file, ending in .html.
    Z : array-like of shape (n_points, n_dimensions)
        The map.
    color, labels, period : array-like, array-like, float, optional
        As in :func:`scatter`.
    names : sequence, optional
        What each row is called; written beside the points where no more than sixty are seen.
    columns : mapping from str to array-like, optional
        What else is shown of a row that is pointed at.
    images : array-like of shape (n_points, rows, columns) or (n_points, pixels), optional
        One image per point, shown when it is pointed at; made smaller where all of them would be
        more than a browser shows.
    image_shape : tuple of int, optional
        The (rows, columns) of flattened images.
    side : side information or list of it, optional
        What was said about rows: pairs are drawn as lines, anchors as rings, of a map in a plane.
        Rows that are named by label are found in ``names`` or in the index of Z.
    title, subtitle : str
        Written above the map.
    key_title : str, optional
        What the colours mean.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ValueError
        If a length or a shape does not fit the map.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sidelight.plot import write_page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_page(Path(folder) / "map.html", [[0, 1], [1, 0]], names=["Ash", "Elm"])
    ...     "Ash" in page.read_text()
    True
    """
    require_matplotlib("sidelight.plot.write_page")
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(
            f"The 'path' parameter of write_page must end in .html. Got {target.name!r} instead."
        )
    points = as_map("write_page", np.asarray(Z)[:, :2] if np.ndim(Z) == 2 else Z)
    n = len(points)
    colouring = choose_colours("write_page", n, color, labels, period=period)
    told = {"names": names, **(columns or {})}
    for name, values in told.items():
        if values is not None and np.shape(values)[:1] != (n,):
            raise ValueError(
                f"{name!r} given to write_page must have one entry per point, {n}. Got shape "
                f"{np.shape(values)}."
            )
    side = known_by_number(side, Z, names, who="write_page")
    data = {
        "places": _packed(_two(points), np.float32),
        "colours": _packed(np.round(255 * colouring.colours[:, :3]), np.uint8),
        "entry": _packed(colouring.entry, np.int16),
        "key": [
            {"name": line.name, "colour": line.colour, "marker": line.marker}
            for line in colouring.key
        ],
        "key_title": key_title,
        **_scale(colouring),
        "names": None if names is None else [_text(name) for name in names],
        "columns": {
            str(name): [_text(value) for value in _plain(values)]
            for name, values in (columns or {}).items()
        },
        "known": known_of_page(points, side if points.shape[1] == 2 else None),
        "images": None
        if images is None
        else _sheet(as_images("write_page", images, image_shape, n)),
    }
    page = files("sidelight.plot").joinpath("page.html").read_text(encoding="utf-8")
    # no text of the data can end the script that holds it
    written = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    page = page.replace("{{title}}", html.escape(title)).replace(
        "{{subtitle}}", html.escape(subtitle)
    )
    with replacing(target) as file:
        file.write(page.replace("{{data}}", written).encode("utf-8"))
    return target


def _two(points: FloatArray) -> FloatArray:
    """Places in a plane; on a line the points are spread below one another."""
    if points.shape[1] == 2:
        return points
    spread = np.mod(np.arange(len(points)) * (sqrt(5.0) - 1) / 2, 1.0)
    extent = float(np.nanmax(points) - np.nanmin(points)) or 1.0
    return np.column_stack([points[:, 0], 0.1 * extent * spread])


def _scale(colouring: Colouring) -> dict[str, Any]:
    """A few values of a scale, evenly along it, and its colours, from the least on."""
    scale = colouring.scale
    if scale is None:
        return {"limits": None, "ramp": []}
    from matplotlib.colors import to_hex

    ramp = [to_hex(scale.colours(part)) for part in np.linspace(0.0, 1.0, 12)]
    return {"limits": list(scale.written()), "ramp": ramp}


def _text(value: Any) -> str | None:
    """A value as it is read; None where it is missing."""
    if value is None or (value == value) is not True:  # pandas' NA is not even equal to itself
        return None
    written = f"{value:.6g}" if isinstance(value, float) else str(value)
    return written if len(written) <= _LONGEST_TEXT else written[: _LONGEST_TEXT - 1] + "…"


def _plain(values: ArrayLike) -> list[Any]:
    """Values of a column; dates as they are written."""
    column = np.asarray(values)
    if column.dtype.kind != "M":
        return list(column.tolist())
    return [None if np.isnat(date) else str(date.astype("datetime64[s]")) for date in column]


def _packed(values: npt.NDArray[Any], kind: type) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def _sheet(images: npt.NDArray[Any]) -> dict[str, Any] | None:
    """All images on one sheet, row by row, as a PNG; none where no browser would show it."""
    from matplotlib.image import imsave

    turned = images.ndim == 3 and image_map(images) == "gray_r"
    times = _times_smaller(*images.shape[:3])
    if times > 1 and min(images.shape[1:3]) < _LEAST_SIDE * times:
        warn(
            f"The page has no thumbnails: {len(images):,} images, made small enough for one sheet "
            f"of {_MOST_PIXELS:,} pixels, would be too small to see. Write a page of fewer rows."
        )
        return None
    images = _smaller(images, times)
    n, height, width = images.shape[:3]
    per_row = max(1, ceil(sqrt(n * height / width)))
    rows = ceil(n / per_row)
    least, greatest = float(np.nanmin(images)), float(np.nanmax(images))
    grey = 255 * (images - least) / ((greatest - least) or 1.0)
    if turned:
        grey = 255 - grey
    channels = grey.reshape(n, height, width, -1)
    channels = np.repeat(channels, 3, axis=3) if channels.shape[3] == 1 else channels[..., :3]
    filled = np.zeros((rows * per_row, height, width, 3), dtype=np.uint8)
    filled[:n] = np.round(np.nan_to_num(channels))
    sheet = filled.reshape(rows, per_row, height, width, 3).swapaxes(1, 2)
    file = io.BytesIO()
    imsave(
        file, np.ascontiguousarray(sheet.reshape(rows * height, per_row * width, 3)), format="png"
    )
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    return {
        "sheet": f"data:image/png;base64,{encoded}",
        "width": width,
        "height": height,
        "per_row": per_row,
        "rows": rows,
    }


def _times_smaller(n: int, height: int, width: int) -> int:
    """By what images are made smaller to go on one sheet: 1 where they do as they are.

    Examples
    --------
    >>> _times_smaller(1797, 8, 8), _times_smaller(70_000, 28, 28), _times_smaller(500, 480, 640)
    (1, 2, 10)
    """
    if n * height * width <= _MOST_PIXELS:
        return 1
    times = ceil(max(height, width) / _SMALL_SIDE)
    while n * ceil(height / times) * ceil(width / times) > _MOST_PIXELS and times < width + height:
        times += 1
    return times


def _smaller(images: npt.NDArray[Any], times: int) -> npt.NDArray[Any]:
    """Images of which each pixel is the mean of so many by so many, fewer at the far edges."""
    if times == 1:
        return images
    for axis in (1, 2):
        starts = np.arange(0, images.shape[axis], times)
        counts = np.diff(starts, append=images.shape[axis])
        sums = np.add.reduceat(images, starts, axis=axis, dtype=np.float64)
        images = sums / counts.reshape(-1, *[1] * (images.ndim - axis - 1))
    return images
