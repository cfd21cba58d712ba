"""Pictures of maps: what colours the points, what stands in them."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import counted
from sidelight.io.table import Table, with_gaps
from sidelight.side import is_moment

# Up to this many different whole numbers are classes, not values.
_MOST_CLASSES = 20


def check_picture(path: Path) -> None:
    """Refuse a picture that could not be written, before any work is done."""
    from sidelight.plot import require_matplotlib

    require_matplotlib("--picture")
    from matplotlib.figure import Figure

    known = Figure().canvas.get_supported_filetypes()
    if path.suffix.lower().removeprefix(".") not in known:
        raise ValueError(
            f"A picture cannot be written to {path.name}: its ending must be one of "
            f"{', '.join(sorted(known))}."
        )


def check_page(path: Path) -> None:
    """Refuse a page that could not be written, before any work is done."""
    from sidelight.plot import require_matplotlib

    require_matplotlib("--page")
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"A page cannot be written to {path.name}: its ending must be .html.")


def parse_image_shape(
    text: str, n_columns: int, *, option: str = "--thumbnails"
) -> tuple[int, ...]:
    """Read the shape of images, and check that the rows hold such images."""
    match = re.fullmatch(r"(\d+)[x×](\d+)(?:[x×](3))?", text.strip().lower())
    if match is None:
        raise ValueError(
            f"{option} takes HEIGHTxWIDTH, such as 8x8, or HEIGHTxWIDTHx3 for colours. "
            f"Got {text!r}."
        )
    shape = tuple(int(size) for size in match.groups() if size is not None)
    if prod(shape) != n_columns:
        raise ValueError(
            f"{option} {text} needs {counted(prod(shape), 'column')} of pixels, and the table has "
            f"{counted(n_columns, 'column')} of numbers. Leave others out with --ignore or "
            f"--color-by."
        )
    return shape


def images_of(
    table: Table,
    found: tuple[int, ...] | None,
    *,
    thumbnails: str | None,
    image_shape: str | None,
) -> tuple[int, ...] | None:
    """The shape of the images that rows are: as a folder of them has it, or as was said."""
    n_columns = table.X.shape[1]
    said = [
        parse_image_shape(text, n_columns, option=option)
        for option, text in (("--image-shape", image_shape), ("--thumbnails", thumbnails))
        if text is not None
    ]
    for shape in said:
        if shape != (found or said[0]):
            raise ValueError(
                f"The images are {'x'.join(map(str, found or said[0]))}, and "
                f"{'x'.join(map(str, shape))} was said. Say it once."
            )
    return found or (said[0] if said else None)


def colouring(table: Table, column: str | None) -> dict[str, Any]:
    """Tell classes from values."""
    if column is None:
        return {}
    values = table.labels[column]
    classes = as_classes(values)
    if classes is not None and not _are_many_dates(classes):
        return {"labels": classes, "key_title": column}
    return {"color": values if classes is None else classes, "key_title": column}


def labels_of(table: Table, column: str | None) -> npt.NDArray[Any] | None:
    """The classes by which a map is judged, if a column holds some: not dates, and not names."""
    classes = None if column is None else as_classes(table.labels[column])
    if classes is None or _are_many_dates(classes):
        return None
    told = [value for value in classes.tolist() if value is not None]
    return classes if len(set(told)) < len(told) else None


def _are_many_dates(classes: npt.NDArray[Any]) -> bool:
    """Whether words are dates, of which a legend of classes would show a few."""
    told = {value for value in classes.tolist() if value is not None}
    return len(told) > _MOST_CLASSES and all(is_moment(value) for value in told)


def as_classes(values: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Read a column as classes, None where it says none, if that is what it is."""
    if values.dtype.kind != "f":
        return with_gaps(values)
    gone = np.isnan(values)
    known = values[~gone]
    whole = np.isfinite(known).all() and bool(np.all(known == np.round(known)))
    if not whole or len(np.unique(known)) > _MOST_CLASSES:
        return None
    classes: npt.NDArray[Any] = np.where(gone, 0.0, values).astype(np.int64)
    if gone.any():
        classes = classes.astype(object)
        classes[gone] = None
    return classes
